#if defined(__linux__)
#include <sys/mman.h>
#endif

/* States and their numbers. WORDS stands before this.

   States keep the numbers they would have in `space/graph.py`: in the order they are first met, with the state they were met
   from. They lie one after the other in `states`; the table holds for each its number plus one and 32 bits of its hash, so that
   two states are taken for one only where all their words are equal. A state is looked for from the place that the highest bits
   of its hash name, and from there on upwards: a thread that owns a stretch of the table needs no look at the others. */

/* The successors of some states, before it is known which are new: with their hashes and the states they come from. */
typedef struct {
    Out out;
    u32 *from;
    u64 *hashes;
    u64 kept, from_room, hashes_room, steps;
    u32 *stuck, *faulty;
    u64 stuck_count, stuck_room, faulty_count, faulty_room;
} Part;

/* Successors met not long ago: most that come twice come soon, and are not looked for in the table. */
#define SEEN (4096 / (WORDS > 2 ? 4 : WORDS))
typedef struct {
    u64 states[SEEN * WORDS];
} Seen;

/* `successors` and `ended` are those of the model (`moves.c`). */
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
    Seen seen;
    int shift;
    void (*successors)(const u64 *, Out *);
    i64 (*ended)(const u64 *);
} Search;

enum { DONE, NO_MEMORY, FULL, TOO_MANY };

#define AHEAD 256
#define PAGE (1 << 21)

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

static inline void copied(u64 *to, const u64 *s) {
    for (int k = 0; k < WORDS; k++) to[k] = s[k];
}

/* An entry of the table: the lower half of a hash above a number plus one. */
static inline u64 entry(u64 h, u64 n) { return h << 32 | (n + 1); }

static inline int may_be(u64 e, u64 h) { return e >> 32 == (u32)h; }

static inline u64 number_in(u64 e) { return (u32)e - 1ULL; }

/* The number of a state, or -1. */
static i64 find(const Search *x, const u64 *s, u64 h) {
    for (u64 i = h >> x->shift;; i = (i + 1) & x->mask) {
        u64 e = x->table[i];
        if (!e) return -1;
        if (may_be(e, h) && same(x->states + number_in(e) * WORDS, s)) return (i64)number_in(e);
    }
}

/* Zeros, in large pages where there are such. */
static u64 *zeros(u64 size) {
    u64 *found = calloc(size, sizeof(u64));
    if (!found) return 0;
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    u64 first = ((u64)(uintptr_t)found + PAGE - 1) / PAGE * PAGE, last = (u64)(uintptr_t)(found + size) / PAGE * PAGE;
    if (first < last) madvise((void *)(uintptr_t)first, last - first, MADV_HUGEPAGE);
#endif
    return found;
}

static int grown(Search *x, u64 size) {
    u64 *table = zeros(size), hashes[AHEAD];
    if (!table) return 0;
    free(x->table);
    x->table = table;
    x->mask = size - 1;
    x->shift = 64;
    for (u64 n = size; n > 1; n /= 2) x->shift--;
    /* a page that is read before it is written to is mapped twice, and other threads are stopped for it */
    for (u64 i = 0; i < size; i += 512) ((volatile u64 *)table)[i] = 0;
    for (u64 first = 0; first < x->count; first += AHEAD) {
        u64 last = first + AHEAD < x->count ? first + AHEAD : x->count;
        for (u64 n = first; n < last; n++) {
            hashes[n - first] = hash_of(x->states + n * WORDS);
            __builtin_prefetch(table + (hashes[n - first] >> x->shift), 1);
        }
        for (u64 n = first; n < last; n++) {
            u64 h = hashes[n - first], i = h >> x->shift;
            while (table[i]) i = (i + 1) & x->mask;
            table[i] = entry(h, n);
        }
    }
    return 1;
}

/* A state met from another; room for it has been made. */
static inline void meet(Search *x, const u64 *s, u64 h, u32 from) {
    for (u64 i = h >> x->shift;; i = (i + 1) & x->mask) {
        u64 e = x->table[i];
        if (!e) {
            u64 n = x->count++;
            x->table[i] = entry(h, n);
            copied(x->states + n * WORDS, s);
            x->parents[n] = from;
            return;
        }
        if (may_be(e, h) && same(x->states + number_in(e) * WORDS, s)) return;
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
    return size > x->mask + 1 && !grown(x, size) ? NO_MEMORY : DONE;
}

static int note(u32 **list, u64 *count, u64 *room, u64 n) {
    if (!larger((void **)list, room, *count + 1, sizeof(u32))) return 0;
    (*list)[(*count)++] = (u32)n;
    return 1;
}

static int noted(u32 **list, u64 *count, u64 *room, const u32 *more, u64 n) {
    for (u64 k = 0; k < n; k++)
        if (!note(list, count, room, more[k])) return 0;
    return 1;
}

static void emptied(Part *p) {
    free(p->out.states), free(p->out.tags), free(p->from), free(p->hashes), free(p->stuck), free(p->faulty);
}

/* Nothing was seen but the first state, which has its number. Whatever was seen later is wrong if it is not settled: who fails to
   settle begins anew. */
static void unseen(Seen *seen, const Search *x) {
    for (u64 k = 0; k < SEEN; k++) copied(seen->states + k * WORDS, x->states);
}

/* Was this successor met not long ago? From now on it was. */
static inline int was_seen(Seen *seen, const u64 *s, u64 h) {
    u64 *last = seen->states + (h & (SEEN - 1)) * WORDS;
    int known = same(last, s);
    copied(last, s);
    return known;
}
