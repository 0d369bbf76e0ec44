/* The search on several processors, under the numbers that one would give.

   A block of states is expanded in three steps, each of them cut into tasks that whoever is free takes:
   1. gather: the successors of a slice of the block, sorted by the stretch of the table where they belong;
   2. claim: each task owns a stretch, and looks there at what was gathered for it, in order. What is not there is entered, and
      listed. No two tasks touch the same entry;
   3. place: what was listed of a slice gets its numbers, in the order in which one processor would have met it.
   Placing goes on while the next block is gathered: it writes beyond the states that gathering reads.

   Until it is placed, a state's entry does not tell its number but where it stands in its list, above all numbers there are.
   Between steps one thread works alone: only then do states and table move. */

#if defined(_WIN32)
__declspec(dllimport) void __stdcall Sleep(unsigned long);
#define YIELD() Sleep(0)
#else
#include <sched.h>
#define YIELD() sched_yield()
#endif

#define WORKERS 32
#define LISTS 64
#define PARTS 64
#define PATIENCE 20000

enum { MOVE, CLAIM };

/* What one thread writes and what another reads share no line of the cache. */
#define APART char apart[128]

/* Successors of one slice that belong into one stretch, in order: `at` tells the place of each among all of its slice. */
typedef struct {
    u64 *states;
    u32 *at;
    u64 count, states_room, at_room;
} Bin;

/* A slice, gathered: `starts` tells where the successors of each of its states begin. */
typedef struct {
    APART;
    Part part;
    u32 *starts;
    u64 first, starts_room;
    Bin bins[LISTS];
} Slice;

/* New states of a stretch, in order; `heads` tells where those of each slice begin. `late` are successors whose place would lie
   beyond the stretch: they are looked at when all others have been. */
typedef struct {
    u64 *states, *slots;
    u32 *from, *at, *late, *late_at;
    u64 heads[PARTS + 1], late_heads[PARTS + 1];
    u64 count, late_count, states_room, slots_room, from_room, at_room, late_room, late_at_room;
    APART;
} List;

/* A thread: what it has seen, and its last task of this step. It has seen only what came earlier than what it gathers next. */
typedef struct {
    Seen seen;
    u64 id, last;
    int used;
} Hand;

/* `open`: the number of the step, and below it, in eight bits each, how many tasks of which kind it has. */
typedef struct {
    Search *x;
    u64 at_once, narrow, lists, hands, parts, placing, first, stop, size, kept, bases[PARTS];
    int kind, bits;
    struct {
        APART;
    } before;
    u64 open, done, failed, leave, came, taken[2 * PARTS];
    Slice slices[PARTS];
    List all[LISTS + 1];
    Hand own;
} Team;

/* A block has about `at_once` successors. */
API Team *team_new(Search *x, int workers, u64 at_once) {
    Team *t = calloc(1, sizeof(Team));
    if (!t) return 0;
    t->x = x, t->at_once = at_once, t->narrow = at_once / 64 + 1;
    for (t->bits = 1; 1 << t->bits < workers && 1 << t->bits < WORKERS; t->bits++) {}
    t->lists = 1ULL << t->bits;
    t->hands = (u64)workers;
    t->own.id = t->hands - 1;
    return t;
}

API void team_free(Team *t) {
    for (int i = 0; i < PARTS; i++) {
        emptied(&t->slices[i].part), free(t->slices[i].starts);
        for (int j = 0; j < LISTS; j++) free(t->slices[i].bins[j].states), free(t->slices[i].bins[j].at);
    }
    for (int j = 0; j <= LISTS; j++) {
        List *l = &t->all[j];
        free(l->states), free(l->slots), free(l->from), free(l->at), free(l->late), free(l->late_at);
    }
    free(t);
}

/* The first place of a stretch. */
static inline u64 border(const Team *t, u64 j) { return (t->x->mask + 1) / t->lists * j; }

static int enlarged(Bin *b) {
    return larger((void **)&b->states, &b->states_room, b->count + 1, WORDS * sizeof(u64))
           && larger((void **)&b->at, &b->at_room, b->count + 1, sizeof(u32));
}

static int sort(Team *t, Hand *hand, u64 i) {
    const Search *x = t->x;
    Slice *c = &t->slices[i];
    Part *p = &c->part;
    Out *out = &p->out;
    u64 first = t->first + i * t->size, stop = first + t->size < t->stop ? first + t->size : t->stop, kept = 0;
    int shift = 64 - t->bits;
    p->steps = p->stuck_count = p->faulty_count = 0;
    out->base = 0, out->failed = 0;
    c->first = first;
    if (!hand->used) unseen(&hand->seen, x);
    hand->used = 1;
    for (u64 j = 0; j < t->lists; j++) c->bins[j].count = 0;
    if (!larger((void **)&c->starts, &c->starts_room, stop - first, sizeof(u32))) return 0;
    for (u64 k = first; k < stop; k++) {
        const u64 *s = x->states + k * WORDS;
        out->count = 0, out->faults = 0;
        x->successors(s, out);
        u64 n = out->count + (u64)out->faults;
        if (out->failed || kept + n > 0xFFFFFFFFULL) return 0;
        p->steps += n;
        if (!n && !x->ended(s) && !note(&p->stuck, &p->stuck_count, &p->stuck_room, k)) return 0;
        if (out->faults && !note(&p->faulty, &p->faulty_count, &p->faulty_room, k)) return 0;
        c->starts[k - first] = (u32)kept;
        for (u64 m = 0; m < out->count; m++) {
            const u64 *to = out->states + m * WORDS, h = hash_of(to);
            Bin *b = &c->bins[h >> shift];
            if (b->count >= b->at_room && !enlarged(b)) return 0;
            copied(b->states + b->count * WORDS, to);
            b->at[b->count] = (u32)kept++;
            b->count += !was_seen(&hand->seen, to, h);
        }
    }
    return 1;
}

/* The last of the states of a slice whose successors begin at `at` or before; not before `k`. */
static inline u64 origin(const Slice *c, u64 k, u64 n, u32 at) {
    while (k + 1 < n && c->starts[k + 1] <= at) k++;
    return k;
}

static void enter(const Search *x, List *l, const u64 *s, u64 h, u64 slot, u64 above) {
    u64 n = l->count++;
    x->table[slot] = entry(h, above + n);
    copied(l->states + n * WORDS, s);
    l->slots[n] = slot;
}

enum { KNOWN, NEW, LATE };

/* What lies in a stretch: only states with numbers, and those of its list. */
static inline int claim_one(const Search *x, List *l, const u64 *s, u64 h, u64 high) {
    for (u64 i = h >> x->shift; i < high; i++) {
        u64 e = x->table[i];
        if (!e) {
            enter(x, l, s, h, i, x->count);
            return NEW;
        }
        if (!may_be(e, h)) continue;
        u64 n = number_in(e);
        if (same(n < x->count ? x->states + n * WORDS : l->states + (n - x->count) * WORDS, s)) return KNOWN;
    }
    return LATE;
}

static void claim(Team *t, u64 j) {
    const Search *x = t->x;
    List *l = &t->all[j];
    u64 high = border(t, j + 1), hashes[AHEAD];
    l->count = l->late_count = 0;
    for (u64 i = 0; i < t->parts; i++) {
        const Slice *c = &t->slices[i];
        const Bin *b = &c->bins[j];
        u64 from = 0, of = (c->first + t->size < t->stop ? c->first + t->size : t->stop) - c->first;
        l->heads[i] = l->count, l->late_heads[i] = l->late_count;
        for (u64 k = 0; k < b->count; k += AHEAD) {
            u64 n = b->count - k < AHEAD ? b->count - k : AHEAD;
            const u64 *states = b->states + k * WORDS;
            for (u64 m = 0; m < n; m++) {
                hashes[m] = hash_of(states + m * WORDS);
                __builtin_prefetch(x->table + (hashes[m] >> x->shift), 1);
            }
            for (u64 m = 0; m < n; m++) {
                u64 e = x->table[hashes[m] >> x->shift];
                if (e && may_be(e, hashes[m]) && number_in(e) < x->count) __builtin_prefetch(x->states + number_in(e) * WORDS);
            }
            for (u64 m = 0; m < n; m++) {
                u32 at = b->at[k + m];
                int found = claim_one(x, l, states + m * WORDS, hashes[m], high);
                if (found == NEW) {
                    from = origin(c, from, of, at);
                    l->from[l->count - 1] = (u32)(c->first + from), l->at[l->count - 1] = at;
                } else if (found == LATE) {
                    l->late_at[l->late_count] = at, l->late[l->late_count++] = (u32)(k + m);
                }
            }
        }
    }
    l->heads[t->parts] = l->count, l->late_heads[t->parts] = l->late_count;
}

/* Which of some lists comes next: the one whose next successor came first. */
static inline i64 next_of(u32 *const *at, const u64 *heads, const u64 *ends, u64 n) {
    i64 best = -1;
    for (u64 j = 0; j < n; j++)
        if (heads[j] < ends[j] && (best < 0 || at[j][heads[j]] < at[best][heads[best]])) best = (i64)j;
    return best;
}

/* Is this what the entry is of? Those of other lists are not: who looks here has looked through the list of its own stretch. */
static inline int is_of(const Search *x, u64 e, const u64 *s, u64 h, const List *late, u64 kept) {
    u64 n = number_in(e);
    if (!may_be(e, h) || (n >= x->count && n < x->count + kept)) return 0;
    return same(n < x->count ? x->states + n * WORDS : late->states + (n - x->count - kept) * WORDS, s);
}

/* The late ones, looked for in the whole table, go into a list of their own, whose entries stand above those of all others. */
static void claim_late(Team *t) {
    const Search *x = t->x;
    List *own = &t->all[t->lists];
    u32 *at[LISTS];
    own->count = 0;
    for (u64 j = 0; j < t->lists; j++) at[j] = t->all[j].late_at;
    for (u64 i = 0; i < t->parts; i++) {
        const Slice *c = &t->slices[i];
        u64 heads[LISTS], ends[LISTS], from = 0, of = (c->first + t->size < t->stop ? c->first + t->size : t->stop) - c->first;
        own->heads[i] = own->count;
        for (u64 j = 0; j < t->lists; j++) heads[j] = t->all[j].late_heads[i], ends[j] = t->all[j].late_heads[i + 1];
        for (i64 j; (j = next_of(at, heads, ends, t->lists)) >= 0;) {
            u64 k = heads[j]++;
            const u64 *s = c->bins[j].states + t->all[j].late[k] * (u64)WORDS;
            u64 h = hash_of(s), slot = h >> x->shift;
            while (x->table[slot] && !is_of(x, x->table[slot], s, h, own, t->kept)) slot = (slot + 1) & x->mask;
            if (x->table[slot]) continue;
            from = origin(c, from, of, at[j][k]);
            own->from[own->count] = (u32)(c->first + from), own->at[own->count] = at[j][k];
            enter(x, own, s, h, slot, x->count + t->kept);
        }
    }
    own->heads[t->parts] = own->count;
}

static void place(Team *t, u64 i) {
    Search *x = t->x;
    u64 heads[LISTS + 1], ends[LISTS + 1], n = t->bases[i];
    u32 *at[LISTS + 1];
    for (u64 j = 0; j <= t->lists; j++) {
        List *l = &t->all[j];
        at[j] = l->at, heads[j] = l->heads[i], ends[j] = l->heads[i + 1];
        for (u64 k = heads[j]; k < ends[j]; k++) __builtin_prefetch(x->table + l->slots[k], 1);
    }
    for (i64 j; (j = next_of(at, heads, ends, t->lists + 1)) >= 0; n++) {
        const List *l = &t->all[j];
        u64 k = heads[j]++, slot = l->slots[k];
        copied(x->states + n * WORDS, l->states + k * WORDS);
        x->parents[n] = l->from[k];
        x->table[slot] = entry(x->table[slot] >> 32, n);
    }
}

static void task(Team *t, Hand *hand, u64 k) {
    if (t->kind == CLAIM) claim(t, k);
    else if (k < t->placing) place(t, k);
    else if (!sort(t, hand, k - t->placing)) __atomic_store_n(&t->failed, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&t->done, 1, __ATOMIC_RELEASE);
}

/* Take those of some tasks that nobody has taken in this step, first those that this thread took in other steps: they lie in its
   cache. `taken` tells the last step in which each was taken, so that whoever comes late to a step finds nothing to take. */
static void some(Team *t, Hand *hand, u64 number, u64 first, u64 count) {
    for (u64 m = 0, k = hand->id * count / t->hands; m < count; m++, k = k + 1 == count ? 0 : k + 1) {
        u64 *taken = &t->taken[first + k], last = __atomic_load_n(taken, __ATOMIC_ACQUIRE);
        if (last >= number || !__atomic_compare_exchange_n(taken, &last, number, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) continue;
        if (first + k < hand->last) hand->used = 0;
        hand->last = first + k;
        task(t, hand, first + k);
    }
}

static void work(Team *t, Hand *hand, u64 open) {
    u64 number = open >> 16, placing = open >> 8 & 255;
    hand->last = 0;
    some(t, hand, number, 0, placing);
    some(t, hand, number, placing, open & 255);
}

/* A step: so many tasks, and so many after them. */
static void step(Team *t, int kind, u64 some, u64 more) {
    t->kind = kind, t->failed = t->done = 0;
    u64 open = ((t->open >> 16) + 1) << 16 | some << 8 | more;
    __atomic_store_n(&t->open, open, __ATOMIC_RELEASE);
    work(t, &t->own, open);
    for (u64 k = 0; __atomic_load_n(&t->done, __ATOMIC_ACQUIRE) < some + more; k++)
        if (k > PATIENCE) YIELD();
}

/* What another thread does, until it is dismissed. No step waits for it unless it has taken a task. */
API void team_help(Team *t) {
    Hand hand;
    hand.used = 0;
    hand.id = __atomic_fetch_add(&t->came, 1, __ATOMIC_RELAXED) % t->hands;
    for (u64 k = 0, last = 0; !__atomic_load_n(&t->leave, __ATOMIC_ACQUIRE); k++) {
        u64 open = __atomic_load_n(&t->open, __ATOMIC_ACQUIRE);
        if (open != last) work(t, &hand, last = open), k = 0;
        else if (k > PATIENCE) YIELD();
    }
}

API void team_dismiss(Team *t, int leave) {
    if (!leave) t->came = 0;
    __atomic_store_n(&t->leave, (u64)leave, __ATOMIC_RELEASE);
}

static int roomy(List *l, u64 count, u64 late) {
    return larger((void **)&l->states, &l->states_room, count, WORDS * sizeof(u64))
           && larger((void **)&l->slots, &l->slots_room, count, sizeof(u64))
           && larger((void **)&l->from, &l->from_room, count, sizeof(u32))
           && larger((void **)&l->at, &l->at_room, count, sizeof(u32))
           && larger((void **)&l->late, &l->late_room, late, sizeof(u32))
           && larger((void **)&l->late_at, &l->late_at_room, late, sizeof(u32));
}

/* Room for all that was gathered, even if all of it were new; or nothing is changed. */
static int ready(Team *t) {
    Search *x = t->x;
    u64 stuck = x->stuck_count, faulty = x->faulty_count, kept = 0;
    for (u64 i = 0; i < t->parts; i++)
        for (u64 j = 0; j < t->lists; j++) kept += t->slices[i].bins[j].count;
    if (x->count + 2 * kept >= 0xFFFFFFFFULL) return TOO_MANY;
    t->kept = kept;
    int full = room_for(x, kept);
    for (u64 j = 0; full == DONE && j < t->lists; j++) {
        u64 n = 0;
        for (u64 i = 0; i < t->parts; i++) n += t->slices[i].bins[j].count;
        if (!roomy(&t->all[j], n, n)) full = NO_MEMORY;
    }
    if (full == DONE && !roomy(&t->all[t->lists], kept, 0)) full = NO_MEMORY;
    for (u64 i = 0; full == DONE && i < t->parts; i++) {
        const Part *p = &t->slices[i].part;
        if (!(noted(&x->stuck, &x->stuck_count, &x->stuck_room, p->stuck, p->stuck_count)
              && noted(&x->faulty, &x->faulty_count, &x->faulty_room, p->faulty, p->faulty_count)))
            full = NO_MEMORY;
    }
    if (full != DONE) x->stuck_count = stuck, x->faulty_count = faulty;
    return full;
}

/* As `search_expand`; it ends as well where few states are waiting. */
API int team_expand(Team *t, u64 count, u64 most) {
    Search *x = t->x;
    u64 last = x->expanded + count, known = x->count;
    t->placing = 0;
    t->own.used = 0;
    for (;;) {
        u64 first = x->expanded, size = t->at_once / (x->steps / (x->expanded + 1) + 1);
        if (size < t->narrow) size = t->narrow;
        u64 stop = first + size < last ? first + size : last;
        if (stop > known) stop = known;
        if (x->count >= most || stop - first < (t->placing ? size / 4 : 1)) stop = first;
        if (stop == first && !t->placing) return x->count >= most ? FULL : DONE;
        t->first = first, t->stop = stop;
        t->size = (stop - first) / (4 * t->lists) + 1;
        if (t->size * PARTS < stop - first) t->size = (stop - first) / PARTS + 1;
        t->parts = (stop - first + t->size - 1) / t->size;
        step(t, MOVE, t->placing, t->parts);
        t->placing = 0;
        known = x->count;
        if (t->failed) return NO_MEMORY;
        if (stop == first) {
            if (known - first < t->narrow && known > first) return DONE;
            continue;
        }
        int full = ready(t);
        if (full != DONE) return full;
        step(t, CLAIM, 0, t->lists);
        claim_late(t);
        u64 all = x->count;
        for (u64 i = 0; i < t->parts; i++) {
            t->bases[i] = all;
            for (u64 j = 0; j <= t->lists; j++) all += t->all[j].heads[i + 1] - t->all[j].heads[i];
            x->steps += t->slices[i].part.steps;
        }
        x->count = all;
        x->expanded = stop;
        t->placing = t->parts;
    }
}
