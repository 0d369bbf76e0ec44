/* A search whose states lie on disk. What a model adds, `successors` and `ended`, stands before this.

   States that were met lie in a `Pool` in the order in which they were met. Whether they were known before is asked of all of them
   at once, when the pool is full or nothing else is left to do: they are sorted, and sorted files of what is known are read
   from end to end (delayed duplicate detection). What is left gets its numbers in the order in which it was met. */

#include <string.h>
#include <unistd.h>

#define ROW 512
#define READ 64
#define FEW 24
#define AHEAD 16
#define AT_ONCE 8000000

/* The successors of some states, before it is known which are new. */
typedef struct {
    u64 kept, steps;
    u32 *stuck, *faulty;
    u64 stuck_count, faulty_count, stuck_room, faulty_room;
    u32 *from;
    u64 from_room;
    Out out;
} Part;

typedef struct {
    u64 low, high;
    i64 digit;
} Segment;

/* `table` holds for each state its place plus one, and 32 bits of its hash; `struck` says which lie in a sorted file. */
typedef struct {
    u64 *states;
    u32 *parents;
    u64 *table;
    uint8_t *struck;
    u64 count, room, size;
    Segment *waiting;
    u64 waiting_count;
    u64 *buffer;
} Pool;

static inline int below(const u64 *a, const u64 *b) {
    for (int k = WORDS - 1; k > 0; k--)
        if (a[k] != b[k]) return a[k] < b[k];
    return a[0] < b[0];
}

static inline void copied(u64 *to, const u64 *from) {
    for (int k = 0; k < WORDS; k++) to[k] = from[k];
}

/* Where a search for a state begins; its other half tells states apart. */
static inline u64 place_of(const Pool *p, u64 h) { return (h >> 32) * p->size >> 32; }

API void pool_free(Pool *p) {
    free(p->states), free(p->parents), free(p->table), free(p->struck), free(p->waiting), free(p->buffer), free(p);
}

API Pool *pool_new(u64 room, u64 size) {
    Pool *p = calloc(1, sizeof(Pool));
    if (!p) return 0;
    p->room = room, p->size = size;
    p->states = malloc(room * WORDS * sizeof(u64));
    p->parents = malloc(room * sizeof(u32));
    p->struck = calloc(room, 1);
    p->table = calloc(size, sizeof(u64));
    p->waiting = malloc((256 * 8 * WORDS + 1) * sizeof(Segment));
    p->buffer = malloc(READ * ROW * WORDS * sizeof(u64));
    if (p->states && p->parents && p->struck && p->table && p->waiting && p->buffer) return p;
    pool_free(p);
    return 0;
}

API void pool_clear(Pool *p) {
    p->count = 0;
    memset(p->table, 0, p->size * sizeof(u64));
    memset(p->struck, 0, p->room);
}

/* Meeting. */

static int listed(u32 **list, u64 *count, u64 *room, u64 n) {
    if (*count == *room) {
        u64 wanted = *room ? *room * 2 : 1024;
        u32 *found = realloc(*list, wanted * sizeof(u32));
        if (!found) return 0;
        *list = found, *room = wanted;
    }
    (*list)[(*count)++] = (u32)n;
    return 1;
}

API Part *spill_part_new(void) { return calloc(1, sizeof(Part)); }

API void spill_part_free(Part *p) {
    free(p->out.states), free(p->out.tags), free(p->from), free(p->stuck), free(p->faulty), free(p);
}

/* The successors of up to `n` states, the first of them number `first`: of how many, or -1. */
API i64 spill_gather(Part *p, const u64 *states, u64 first, u64 n, u64 most) {
    Out *out = &p->out;
    u64 kept = 0, i = 0;
    p->kept = p->steps = p->stuck_count = p->faulty_count = 0;
    out->failed = 0;
    for (; i < n && kept < most; i++) {
        const u64 *s = states + i * WORDS;
        out->base = kept, out->count = 0, out->faults = 0;
        successors(s, out);
        if (out->failed) return -1;
        u64 taken = out->count + (u64)out->faults;
        p->steps += taken;
        if (!taken && !ended(s, s, -1) && !listed(&p->stuck, &p->stuck_count, &p->stuck_room, first + i)) return -1;
        if (out->faults && !listed(&p->faulty, &p->faulty_count, &p->faulty_room, first + i)) return -1;
        u64 held = kept;
        while (kept < held + out->count)
            if (!listed(&p->from, &kept, &p->from_room, first + i)) return -1;
    }
    p->kept = kept;
    return (i64)i;
}

/* Put what a part holds, from `k` on, into the pool: up to where the pool is full. */
API u64 spill_settle(Pool *p, const Part *part, u64 k) {
    const u64 *states = part->out.states;
    u64 hashes[AHEAD];
    for (u64 j = k; j < part->kept && j < k + AHEAD; j++) {
        hashes[j % AHEAD] = hash_of(states + j * WORDS);
        __builtin_prefetch(p->table + place_of(p, hashes[j % AHEAD]));
    }
    for (; k < part->kept && p->count < p->room; k++) {
        const u64 *s = states + k * WORDS;
        u64 h = hashes[k % AHEAD];
        if (k + AHEAD < part->kept) {
            u64 next = hash_of(s + AHEAD * WORDS);
            hashes[k % AHEAD] = next;
            __builtin_prefetch(p->table + place_of(p, next));
        }
        if (k + AHEAD / 2 < part->kept) {
            u64 e = p->table[place_of(p, hashes[(k + AHEAD / 2) % AHEAD])];
            if (e) __builtin_prefetch(p->states + ((u32)e - 1ULL) * WORDS);
        }
        for (u64 i = place_of(p, h);; i = i + 1 == p->size ? 0 : i + 1) {
            u64 e = p->table[i];
            if (!e) {
                u64 n = p->count++;
                p->table[i] = h << 32 | (n + 1);
                copied(p->states + n * WORDS, s);
                p->parents[n] = part->from[k];
                break;
            }
            if (e >> 32 == (u32)h && same(p->states + ((u32)e - 1ULL) * WORDS, s)) break;
        }
    }
    return k;
}

/* Sorting: by bytes from the highest on, in place, with `places` beside the states where there are any. */

static inline unsigned digit_of(const u64 *s, i64 digit) { return s[digit >> 3] >> (digit & 7) * 8 & 255; }

static void inserted(u64 *states, u32 *places, u64 low, u64 high) {
    for (u64 i = low + 1; i < high; i++) {
        u64 held[WORDS], j = i;
        u32 place = places ? places[i] : 0;
        copied(held, states + i * WORDS);
        for (; j > low && below(held, states + (j - 1) * WORDS); j--) {
            copied(states + j * WORDS, states + (j - 1) * WORDS);
            if (places) places[j] = places[j - 1];
        }
        copied(states + j * WORDS, held);
        if (places) places[j] = place;
    }
}

static void parted(Pool *p, u64 *states, u32 *places, Segment x) {
    u64 heads[256] = {0}, ends[256], at = x.low;
    for (u64 i = x.low; i < x.high; i++) heads[digit_of(states + i * WORDS, x.digit)]++;
    for (int b = 0; b < 256; b++) {
        u64 n = heads[b];
        heads[b] = at, at += n, ends[b] = at;
        if (n > 1 && x.digit) p->waiting[p->waiting_count++] = (Segment){heads[b], at, x.digit - 1};
    }
    for (int b = 0; b < 256; b++) {
        while (heads[b] < ends[b]) {
            u64 held[WORDS], *here = states + heads[b] * WORDS;
            unsigned d = digit_of(here, x.digit);
            u64 to = heads[d]++;
            if (d == (unsigned)b) continue;
            copied(held, here), copied(here, states + to * WORDS), copied(states + to * WORDS, held);
            if (places) {
                u32 place = places[heads[b]];
                places[heads[b]] = places[to], places[to] = place;
            }
        }
    }
}

/* Begin to sort; `digit` is the highest byte in use. */
API void spill_begin_sort(Pool *p, u64 n, i64 digit) {
    p->waiting_count = 1;
    p->waiting[0] = (Segment){0, n, digit};
}

/* Sort for a while. Is more to be done? */
API int spill_sort(Pool *p, u64 *states, u32 *places) {
    for (u64 work = 0; p->waiting_count && work < AT_ONCE;) {
        Segment x = p->waiting[--p->waiting_count];
        work += x.high - x.low;
        if (x.high - x.low <= FEW) inserted(states, places, x.low, x.high);
        else parted(p, states, places, x);
    }
    return p->waiting_count > 0;
}

/* What is known. */

static int loaded(int file, u64 at, u64 *to, u64 bytes) {
    char *here = (char *)to;
    while (bytes) {
        ssize_t got = pread(file, here, bytes, (off_t)at);
        if (got <= 0) return 0;
        here += got, at += (u64)got, bytes -= (u64)got;
    }
    return 1;
}

/* Strike out those of `n` sorted states that lie in a run of `length` sorted states at byte `offset` of a file. `firsts` are the first
   states of its rows; rows that can hold none of them are not read. 0 where the file cannot be read. */
API int spill_strike(
    Pool *p, int file, u64 offset, u64 length, const u64 *firsts, const u64 *states, const u32 *places, u64 n, u64 *work
) {
    u64 rows = (length + ROW - 1) / ROW, row = 0, many = n > rows / 8 ? READ : 1, c = 0;
    while (c < n && below(states + c * WORDS, firsts)) c++;
    while (c < n) {
        const u64 *s = states + c * WORDS;
        for (u64 step = 1; step;) { /* the last row that does not begin beyond it: in growing steps, then in shrinking ones */
            if (row + step < rows && !below(s, firsts + (row + step) * WORDS)) row += step, step *= 2;
            else step /= 2;
        }
        u64 last = row + many < rows ? row + many : rows, first = row * ROW;
        u64 count = (last * ROW < length ? last * ROW : length) - first;
        if (!loaded(file, offset + first * WORDS * sizeof(u64), p->buffer, count * WORDS * sizeof(u64))) return 0;
        *work += count;
        u64 r = 0;
        while (c < n && r < count) {
            const u64 *a = states + c * WORDS, *b = p->buffer + r * WORDS;
            if (below(b, a)) r++;
            else if (below(a, b)) c++;
            else p->struck[places[c]] = 1, c++, r++;
        }
        if (last == rows && r == count) break;
        row = last < rows ? last : rows - 1;
        while (c < n && last < rows && below(states + c * WORDS, firsts + last * WORDS)) c++;
    }
    return 1;
}

/* Those of `n` states that are not struck out, with their parents: how many. It may be done in place. */
API u64 spill_sift(const u64 *states, const u32 *parents, const uint8_t *struck, u64 n, u64 *to, u32 *to_parents) {
    u64 kept = 0;
    for (u64 k = 0; k < n; k++) {
        if (struck[k]) continue;
        copied(to + kept * WORDS, states + k * WORDS);
        to_parents[kept++] = parents[k];
    }
    return kept;
}

/* Of sorted states those that are not struck out, in place: how many. */
API u64 spill_left(u64 *states, const u32 *places, const uint8_t *struck, u64 n) {
    u64 kept = 0;
    for (u64 k = 0; k < n; k++)
        if (!struck[places[k]]) copied(states + kept++ * WORDS, states + k * WORDS);
    return kept;
}

/* The first states of the rows of sorted states. */
API void spill_firsts(const u64 *states, u64 n, u64 *to) {
    for (u64 row = 0; row * ROW < n; row++) copied(to + row * WORDS, states + row * ROW * WORDS);
}

API void spill_number(u32 *places, u64 first, u64 n) {
    for (u64 k = 0; k < n; k++) places[k] = (u32)(first + k);
}
