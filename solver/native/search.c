/* A breadth-first search. What a model adds stands before this: `successors`, `ended`. */

#define BLOCK 128

API Search *search_new(void) {
    Search *x = calloc(1, sizeof(Search));
    if (x && !grown(x)) {
        free(x);
        return 0;
    }
    return x;
}

API void search_free(Search *x) {
    free(x->states), free(x->parents), free(x->table), free(x->stuck), free(x->faulty);
    free(x->out.states), free(x->out.tags), free(x->from), free(x->hashes), free(x);
}

API int search_start(Search *x, const u64 *s) {
    int full = room_for(x, 1);
    if (full == DONE) meet(x, s, hash_of(s), 0xFFFFFFFFu);
    return full;
}

API i64 search_find(const Search *x, const u64 *s) { return find(x, s, hash_of(s)); }

/* The successors of some states, one after the other in `out`, their numbers of origin in `from`; -1 without memory. */
static i64 gather(Search *x, u64 first, u64 last) {
    Out *out = &x->out;
    u64 kept = 0;
    for (u64 i = first; i < last; i++) {
        const u64 *s = x->states + i * WORDS;
        out->base = kept, out->count = 0, out->faults = 0;
        successors(s, out);
        if (out->failed) return -1;
        u64 n = out->count + (u64)out->faults;
        x->steps += n;
        if (!n && !ended(s, s, -1) && !note(&x->stuck, &x->stuck_count, &x->stuck_room, i)) return -1;
        if (out->faults && !note(&x->faulty, &x->faulty_count, &x->faulty_room, i)) return -1;
        u64 at = kept;
        kept += out->count;
        if (!larger((void **)&x->from, &x->from_room, kept, sizeof(u32))) return -1;
        while (at < kept) x->from[at++] = (u32)i;
    }
    return (i64)kept;
}

/* Meet what was gathered; the memory it lies in is asked for ahead. */
static int settle(Search *x, u64 kept) {
    if (x->count + kept >= 0xFFFFFFFFULL) return TOO_MANY;
    if (room_for(x, kept) != DONE) return NO_MEMORY;
    u64 *hashes = realloc(x->hashes, (kept + 1) * sizeof(u64));
    if (!hashes) return NO_MEMORY;
    x->hashes = hashes;
    for (u64 k = 0; k < kept; k++) {
        hashes[k] = hash_of(x->out.states + k * WORDS);
        __builtin_prefetch(x->table + (hashes[k] & x->mask));
    }
    for (u64 k = 0; k < kept; k++) {
        u64 e = x->table[hashes[k] & x->mask];
        if (e && (e ^ hashes[k]) >> 32 == 0) __builtin_prefetch(x->states + ((u32)e - 1ULL) * WORDS);
    }
    for (u64 k = 0; k < kept; k++) meet(x, x->out.states + k * WORDS, hashes[k], x->from[k]);
    return DONE;
}

/* Expand up to `count` states, as long as fewer than `most` are known. A block is expanded whole or not at all. */
API int search_expand(Search *x, u64 count, u64 most) {
    u64 last = x->expanded + count;
    while (x->expanded < last && x->expanded < x->count) {
        if (x->count >= most) return FULL;
        u64 stop = x->expanded + BLOCK;
        if (stop > last) stop = last;
        if (stop > x->count) stop = x->count;
        u64 steps = x->steps, stuck = x->stuck_count, faulty = x->faulty_count;
        i64 kept = gather(x, x->expanded, stop);
        int full = kept < 0 ? NO_MEMORY : settle(x, (u64)kept);
        if (full != DONE) {
            x->steps = steps, x->stuck_count = stuck, x->faulty_count = faulty, x->out.failed = 0;
            return full;
        }
        x->expanded = stop;
    }
    return DONE;
}

/* The numbers of the successors of some states, one after the other in `from`; `heads` tells where those of each end. */
API i64 search_links(Search *x, u64 first, u64 last, u64 *heads) {
    Out *out = &x->out;
    u64 total = 0;
    for (u64 i = first; i < last; i++) {
        out->base = 0, out->count = 0, out->faults = 0;
        successors(x->states + i * WORDS, out);
        if (out->failed || !larger((void **)&x->from, &x->from_room, total + out->count, sizeof(u32))) return -1;
        for (u64 k = 0; k < out->count; k++) {
            const u64 *s = out->states + k * WORDS;
            x->from[total++] = (u32)find(x, s, hash_of(s));
        }
        heads[i - first] = total;
    }
    return (i64)total;
}

/* States kept by an earlier run, after those there are. TOO_MANY where one comes twice. */
API int search_load(Search *x, const u64 *states, const u32 *parents, u64 n) {
    if (room_for(x, n) != DONE) return NO_MEMORY;
    for (u64 k = 0; k < n; k++) {
        if (k + 8 < n) __builtin_prefetch(x->table + (hash_of(states + (k + 8) * WORDS) & x->mask));
        u64 before = x->count;
        meet(x, states + k * WORDS, hash_of(states + k * WORDS), parents[k]);
        if (x->count == before) return TOO_MANY;
    }
    return DONE;
}

API int search_resume(Search *x, u64 expanded, u64 steps, const u32 *stuck, u64 stuck_count, const u32 *faulty, u64 faulty_count) {
    for (u64 k = 0; k < stuck_count; k++)
        if (!note(&x->stuck, &x->stuck_count, &x->stuck_room, stuck[k])) return NO_MEMORY;
    for (u64 k = 0; k < faulty_count; k++)
        if (!note(&x->faulty, &x->faulty_count, &x->faulty_room, faulty[k])) return NO_MEMORY;
    x->expanded = expanded, x->steps = steps;
    return DONE;
}
