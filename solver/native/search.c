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

/* Expand up to `count` states, as long as fewer than `most` are known. */
API int search_expand(Search *x, u64 count, u64 most) {
    u64 last = x->expanded + count;
    while (x->expanded < last && x->expanded < x->count) {
        if (x->count >= most) return FULL;
        u64 stop = x->expanded + BLOCK, at = 0;
        if (stop > last) stop = last;
        if (stop > x->count) stop = x->count;
        Out *out = &x->out;
        u64 kept = 0;
        for (u64 i = x->expanded; i < stop; i++) {
            const u64 *s = x->states + i * WORDS;
            out->base = kept, out->count = 0, out->faults = 0;
            successors(s, out);
            if (out->failed) return NO_MEMORY;
            u64 n = out->count + (u64)out->faults;
            x->steps += n;
            if (!n && !ended(s, s, -1) && !note(&x->stuck, &x->stuck_count, &x->stuck_room, i)) return NO_MEMORY;
            if (out->faults && !note(&x->faulty, &x->faulty_count, &x->faulty_room, i)) return NO_MEMORY;
            kept += out->count;
            if (!larger((void **)&x->from, &x->from_room, kept, sizeof(u32))) return NO_MEMORY;
            while (at < kept) x->from[at++] = (u32)i;
        }
        if (x->count + kept >= 0xFFFFFFFFULL) return TOO_MANY;
        if (room_for(x, kept) != DONE) return NO_MEMORY;
        u64 *hashes = x->hashes = realloc(x->hashes, (kept + 1) * sizeof(u64));
        if (!hashes) return NO_MEMORY;
        for (u64 k = 0; k < kept; k++) {
            hashes[k] = hash_of(out->states + k * WORDS);
            __builtin_prefetch(x->table + (hashes[k] & x->mask));
        }
        for (u64 k = 0; k < kept; k++) {
            u64 e = x->table[hashes[k] & x->mask];
            if (e && (e ^ hashes[k]) >> 32 == 0) __builtin_prefetch(x->states + ((u32)e - 1ULL) * WORDS);
        }
        for (u64 k = 0; k < kept; k++) meet(x, out->states + k * WORDS, hashes[k], x->from[k]);
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
