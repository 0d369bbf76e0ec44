/* The chain of a question of chance, listed breadth-first. What a model adds stands before this: OVER, `weighed` (on
   `weights.c`), and what decides the question in a state: `won`, `over`, both with when they have no value, and `counted`;
   and `standing`, which turns a state into the one that stands for it.

   States get the numbers they get in `chance/graph.py`. A choice is who makes it and the sum of its weights; a draw of it is
   where it leads and its weight. Nothing is rounded here. */

enum { ALL, MORE, NO_MEMORY, MANY, FAULT, SEVERAL, VALUELESS, COUNTED_OUT, WIDE };

typedef struct {
    u64 *states, *heads, *firsts;
    i64 *totals, *weights;
    u32 *targets;
    signed char *movers, *kinds;
    u64 count, choices, draws, at, level, steps, starts;
    u64 states_room, heads_room, firsts_room, totals_room, weights_room, targets_room, movers_room, kinds_room, marks_room;
    u64 *table, mask;
    u64 *marks; /* for each state the draw, counted from 1, that led there last */
    Weighed found;
} Chain;

static int decided(const u64 *s) {
    if (no_value(s, s, -1)) return NO_VALUE;
    if (won(s, s, -1)) return WON;
    if (no_value_before(s, s, -1)) return NO_VALUE;
    if (over(s, s, -1)) return OVER;
    return counted(s, s, -1) ? COUNTED : OPEN;
}

static int room_of(void **what, u64 *room, u64 least, u64 size) {
    if (least <= *room) return 1;
    u64 wanted = *room ? *room : 1024;
    while (wanted < least) wanted *= 2;
    void *found = realloc(*what, wanted * size);
    if (!found) return 0;
    *what = found, *room = wanted;
    return 1;
}

#define ROOM(name, least) room_of((void **)&x->name, &x->name##_room, (least), sizeof(*x->name))

static int wider(Chain *x) {
    u64 size = x->mask ? (x->mask + 1) * 2 : 1 << 12;
    u64 *table = calloc(size, sizeof(u64));
    if (!table) return 0;
    free(x->table);
    x->table = table, x->mask = size - 1;
    for (u64 n = 0; n < x->count; n++) {
        u64 h = hash_of(x->states + n * WORDS), i = h & x->mask;
        while (table[i]) i = (i + 1) & x->mask;
        table[i] = (h & 0xFFFFFFFF00000000ULL) | (n + 1);
    }
    return 1;
}

/* The number of a state, a new one if need be; -1 where there is no room. */
static i64 number_of(Chain *x, const u64 *s) {
    if (x->count * 2 >= x->mask && !wider(x)) return -1;
    u64 h = hash_of(s);
    for (u64 i = h & x->mask;; i = (i + 1) & x->mask) {
        u64 e = x->table[i];
        if (!e) {
            u64 n = x->count;
            if (n >= 0xFFFFFFFEULL || !room_of((void **)&x->states, &x->states_room, (n + 1) * WORDS, sizeof(u64))) return -1;
            if (!ROOM(marks, n + 1)) return -1;
            for (int k = 0; k < WORDS; k++) x->states[n * WORDS + k] = s[k];
            x->marks[n] = 0;
            x->table[i] = (h & 0xFFFFFFFF00000000ULL) | (n + 1);
            x->count++;
            return (i64)n;
        }
        if ((e ^ h) >> 32) continue;
        u64 n = (u32)e - 1ULL;
        int same = 1;
        for (int k = 0; k < WORDS; k++) same &= x->states[n * WORDS + k] == s[k];
        if (same) return (i64)n;
    }
}

API Chain *chain_new(void) { return calloc(1, sizeof(Chain)); }

API void chain_free(Chain *x) {
    free(x->states), free(x->heads), free(x->firsts), free(x->totals), free(x->weights), free(x->targets), free(x->movers);
    free(x->kinds), free(x->table), free(x->marks), free(x->found.out.states), free(x->found.out.tags), free(x->found.weights);
    free(x);
}

API int chain_start(Chain *x, u64 *s) {
    standing(s);
    if (number_of(x, s) < 0) return NO_MEMORY;
    x->starts = x->level = x->count;
    return ALL;
}

/* The choices of a state, numbered on from those there are. */
static int expanded(Chain *x, u64 i) {
    Out *out = &x->found.out;
    out->base = 0, out->count = 0, out->faults = 0, out->failed = 0;
    weighed(x->states + i * WORDS, out);
    if (out->failed) return NO_MEMORY;
    if (out->faults) return FAULT;
    u64 n = out->count;
    int tables = 0;
    if (!ROOM(targets, x->draws + n) || !ROOM(weights, x->draws + n)) return NO_MEMORY;
    for (u64 k = 0; k < n;) {
        u32 tag = out->tags[k];
        u64 first = x->draws;
        i64 total = 0;
        tables += !(tag & 31);
        if (tables > 1) return SEVERAL;
        for (; k < n && out->tags[k] == tag; k++) {
            i64 w = x->found.weights[k];
            u64 *s = out->states + k * WORDS;
            if (w < 0 || __builtin_add_overflow(total, w, &total)) return WIDE;
            if (!w) continue;
            standing(s);
            i64 j = number_of(x, s);
            if (j < 0) return NO_MEMORY;
            if (x->marks[j] > first) {
                x->weights[x->marks[j] - 1] += w;
                continue;
            }
            x->targets[x->draws] = (u32)j, x->weights[x->draws] = w;
            x->marks[j] = ++x->draws;
        }
        if (!total) return WIDE;
        if (!ROOM(firsts, x->choices + 2) || !ROOM(totals, x->choices + 1) || !ROOM(movers, x->choices + 1)) return NO_MEMORY;
        if (x->draws - first == 1) x->weights[first] = total = 1;
        x->totals[x->choices] = total, x->movers[x->choices] = (signed char)((tag & 31) - 1);
        x->firsts[x->choices++] = first;
    }
    return ALL;
}

/* List up to so many more states. `most` may be known; MORE as soon as more than `known` are. After `depth` steps nothing
   counts any more (-1: there is no such end); of what is open only the first `nearest` states are gone on from. */
API int chain_list(Chain *x, u64 many, u64 most, u64 known, i64 depth, u64 nearest) {
    for (; many && x->at < x->count; many--) {
        u64 i = x->at;
        if (i == x->level) x->steps++, x->level = x->count;
        if (i % 64 == 0 && x->count > known) return MORE;
        if (x->count > most) return MANY;
        if (!ROOM(kinds, i + 1) || !ROOM(heads, i + 2) || !ROOM(firsts, x->choices + 2)) return NO_MEMORY;
        int kind = decided(x->states + i * WORDS);
        if (kind == NO_VALUE) return VALUELESS;
        if (kind == COUNTED) return COUNTED_OUT;
        if (kind == OPEN && i >= nearest) kind = CUT;
        if (kind == OPEN && depth >= 0 && (i64)x->steps == depth) kind = LOST;
        x->kinds[i] = (signed char)kind;
        x->heads[i] = x->choices;
        if (kind == OPEN) {
            int ended = expanded(x, i);
            if (ended != ALL) return ended;
        }
        x->heads[i + 1] = x->choices, x->firsts[x->choices] = x->draws;
        x->at++;
    }
    return x->at < x->count ? MORE : ALL;
}
