/* States and their numbers. WORDS stands before this.

   States keep the numbers they would have in `space/graph.py`: in the order they are first met, with the state they were met
   from. They lie one after the other in `states`; the table holds for each its number plus one and 32 bits of its hash, so that
   two states are taken for one only where all their words are equal. */

/* The successors of some states, before it is known which are new: with their hashes and the states they come from. */
typedef struct {
    Out out;
    u32 *from;
    u64 *hashes;
    u64 kept, from_room, hashes_room, steps;
    u32 *stuck, *faulty;
    u64 stuck_count, stuck_room, faulty_count, faulty_room;
} Part;

typedef struct {
    u64 *states;
    u32 *parents;
    u64 count, room, expanded, steps, spare;
    u64 *table;
    u64 mask;
    u32 *stuck, *faulty;
    u64 stuck_count, stuck_room, faulty_count, faulty_room;
    u32 *links;
    u64 links_room;
    Part part;
} Search;

enum { DONE, NO_MEMORY, FULL, TOO_MANY };

static inline u64 hash_of(const u64 *s) {
    u64 h = 0;
    for (int k = 0; k < WORDS; k++) {
        h = (h ^ s[k]) * 0x9E3779B97F4A7C15ULL;
        h ^= h >> 32;
    }
    h *= 0xD6E8FEB86659FD93ULL;
    return h ^ h >> 32;
}

static inline int same(const u64 *a, const u64 *b) {
    for (int k = 0; k < WORDS; k++)
        if (a[k] != b[k]) return 0;
    return 1;
}

static int larger(void **what, u64 *room, u64 least, u64 size) {
    u64 wanted = *room ? *room : 256;
    while (wanted < least) wanted *= 2;
    if (wanted == *room) return 1;
    void *found = realloc(*what, wanted * size);
    if (!found) return 0;
    *what = found;
    *room = wanted;
    return 1;
}

/* The number of a state, or -1. */
static i64 find(const Search *x, const u64 *s, u64 h) {
    for (u64 i = h & x->mask;; i = (i + 1) & x->mask) {
        u64 e = x->table[i];
        if (!e) return -1;
        u64 n = (u32)e - 1ULL;
        if ((e ^ h) >> 32 == 0 && same(x->states + n * WORDS, s)) return (i64)n;
    }
}

static int grown(Search *x) {
    u64 size = x->mask ? (x->mask + 1) * 2 : 1 << 12;
    u64 *table = calloc(size, sizeof(u64));
    if (!table) return 0;
    free(x->table);
    x->table = table;
    x->mask = size - 1;
    for (u64 n = 0; n < x->count; n++) {
        u64 h = hash_of(x->states + n * WORDS), i = h & x->mask;
        while (table[i]) i = (i + 1) & x->mask;
        table[i] = (h & 0xFFFFFFFF00000000ULL) | (n + 1);
    }
    return 1;
}

/* A state met from another; room for it has been made. */
static inline void meet(Search *x, const u64 *s, u64 h, u32 from) {
    for (u64 i = h & x->mask;; i = (i + 1) & x->mask) {
        u64 e = x->table[i];
        if (!e) {
            u64 n = x->count++;
            x->table[i] = (h & 0xFFFFFFFF00000000ULL) | (n + 1);
            for (int k = 0; k < WORDS; k++) x->states[n * WORDS + k] = s[k];
            x->parents[n] = from;
            return;
        }
        if ((e ^ h) >> 32 == 0 && same(x->states + ((u32)e - 1ULL) * WORDS, s)) return;
    }
}

/* `spare` bytes may still be taken. */
static int room_for(Search *x, u64 more) {
    u64 least = x->count + more, room = x->room, size = x->mask + 1, bytes = 0;
    while (least * 5 > size * 3) size *= 2, bytes = size * sizeof(u64);
    u64 wanted = room ? room : 256;
    while (wanted < least) wanted *= 2;
    if (wanted > room) bytes += (wanted - room) * (WORDS * sizeof(u64) + sizeof(u32));
    if (bytes > x->spare) return NO_MEMORY;
    x->spare -= bytes;
    if (!larger((void **)&x->states, &room, least, WORDS * sizeof(u64))) return NO_MEMORY;
    if (!larger((void **)&x->parents, &x->room, least, sizeof(u32))) return NO_MEMORY;
    while (least * 5 > (x->mask + 1) * 3)
        if (!grown(x)) return NO_MEMORY;
    return DONE;
}

static int note(u32 **list, u64 *count, u64 *room, u64 n) {
    if (!larger((void **)list, room, *count + 1, sizeof(u32))) return 0;
    (*list)[(*count)++] = (u32)n;
    return 1;
}
