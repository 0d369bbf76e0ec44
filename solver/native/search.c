/* A breadth-first search. What a model adds stands before this: `successors`, `ended`.

   Blocks of states are expanded in two halves: `gather` reads the states and writes into a part alone, so that several may run
   at once; `settle` numbers what a part holds, one part after the other. */

#define BLOCK 128
#define AHEAD 256

API Part *part_new(void) { return calloc(1, sizeof(Part)); }

static void emptied(Part *p) {
    free(p->out.states), free(p->out.tags), free(p->from), free(p->hashes), free(p->stuck), free(p->faulty);
}

API void part_free(Part *p) { emptied(p), free(p); }

API u64 part_kept(const Part *p) { return p->kept; }

API Search *search_new(void) {
    Search *x = calloc(1, sizeof(Search));
    if (x && !grown(x)) {
        free(x);
        return 0;
    }
    return x;
}

API void search_free(Search *x) {
    emptied(&x->part);
    free(x->states), free(x->parents), free(x->table), free(x->stuck), free(x->faulty), free(x->links), free(x);
}

API int search_start(Search *x, const u64 *s) {
    int full = room_for(x, 1);
    if (full == DONE) meet(x, s, hash_of(s), 0xFFFFFFFFu);
    return full;
}

API i64 search_find(const Search *x, const u64 *s) { return find(x, s, hash_of(s)); }

/* The successors of some states. */
API int search_gather(const Search *x, Part *p, u64 first, u64 last) {
    Out *out = &p->out;
    u64 kept = 0;
    p->kept = p->steps = p->stuck_count = p->faulty_count = 0;
    out->failed = 0;
    for (u64 i = first; i < last; i++) {
        const u64 *s = x->states + i * WORDS;
        out->base = kept, out->count = 0, out->faults = 0;
        successors(s, out);
        if (out->failed) return NO_MEMORY;
        u64 n = out->count + (u64)out->faults, next = kept + out->count;
        p->steps += n;
        if (!n && !ended(s, s, -1) && !note(&p->stuck, &p->stuck_count, &p->stuck_room, i)) return NO_MEMORY;
        if (out->faults && !note(&p->faulty, &p->faulty_count, &p->faulty_room, i)) return NO_MEMORY;
        if (!larger((void **)&p->from, &p->from_room, next, sizeof(u32))) return NO_MEMORY;
        if (!larger((void **)&p->hashes, &p->hashes_room, next, sizeof(u64))) return NO_MEMORY;
        for (; kept < next; kept++) {
            p->from[kept] = (u32)i;
            p->hashes[kept] = hash_of(out->states + kept * WORDS);
        }
    }
    p->kept = kept;
    return DONE;
}

/* Room for so many more states: until they are there, the states do not move. */
API int search_reserve(Search *x, u64 kept) {
    if (x->count + kept >= 0xFFFFFFFFULL) return TOO_MANY;
    return room_for(x, kept);
}

static int noted(u32 **list, u64 *count, u64 *room, const u32 *more, u64 n) {
    for (u64 k = 0; k < n; k++)
        if (!note(list, count, room, more[k])) return 0;
    return 1;
}

/* Number the states of a part, up to the state `stop`: all of it, or nothing. Memory is asked for ahead of where it is needed. */
API int search_settle(Search *x, const Part *p, u64 stop) {
    u64 stuck = x->stuck_count, faulty = x->faulty_count;
    int full = search_reserve(x, p->kept);
    if (full == DONE && !(noted(&x->stuck, &x->stuck_count, &x->stuck_room, p->stuck, p->stuck_count)
                          && noted(&x->faulty, &x->faulty_count, &x->faulty_room, p->faulty, p->faulty_count)))
        full = NO_MEMORY;
    if (full != DONE) {
        x->stuck_count = stuck, x->faulty_count = faulty;
        return full;
    }
    const u64 *states = p->out.states, *hashes = p->hashes;
    for (u64 first = 0; first < p->kept; first += AHEAD) {
        u64 last = first + AHEAD < p->kept ? first + AHEAD : p->kept;
        for (u64 k = first; k < last; k++) __builtin_prefetch(x->table + (hashes[k] & x->mask));
        for (u64 k = first; k < last; k++) {
            u64 e = x->table[hashes[k] & x->mask];
            if (e && (e ^ hashes[k]) >> 32 == 0) __builtin_prefetch(x->states + ((u32)e - 1ULL) * WORDS);
        }
        for (u64 k = first; k < last; k++) meet(x, states + k * WORDS, hashes[k], p->from[k]);
    }
    x->steps += p->steps;
    x->expanded = stop;
    return DONE;
}

/* Expand up to `count` states, as long as fewer than `most` are known. */
API int search_expand(Search *x, u64 count, u64 most) {
    u64 last = x->expanded + count;
    while (x->expanded < last && x->expanded < x->count) {
        if (x->count >= most) return FULL;
        u64 stop = x->expanded + BLOCK;
        if (stop > last) stop = last;
        if (stop > x->count) stop = x->count;
        int full = search_gather(x, &x->part, x->expanded, stop);
        if (full == DONE) full = search_settle(x, &x->part, stop);
        if (full != DONE) return full;
    }
    return DONE;
}

/* The numbers of the successors of some states, one after the other in `links`; `heads` tells where those of each end. */
API i64 search_links(Search *x, u64 first, u64 last, u64 *heads) {
    Out *out = &x->part.out;
    u64 total = 0;
    out->failed = 0;
    for (u64 i = first; i < last; i++) {
        out->base = 0, out->count = 0, out->faults = 0;
        successors(x->states + i * WORDS, out);
        if (out->failed || !larger((void **)&x->links, &x->links_room, total + out->count, sizeof(u32))) return -1;
        for (u64 k = 0; k < out->count; k++) {
            const u64 *s = out->states + k * WORDS;
            x->links[total++] = (u32)find(x, s, hash_of(s));
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
