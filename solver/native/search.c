/* A breadth-first search.

   Blocks of states are expanded in two halves: `gather` reads the states and writes into a part alone; `settle` numbers what a part
   holds: all of it, or nothing. */

#define BLOCK 128

API Search *search_new(void (*successors)(const u64 *, Out *), i64 (*ended)(const u64 *)) {
    Search *x = calloc(1, sizeof(Search));
    if (!x) return 0;
    x->successors = successors, x->ended = ended;
    if (grown(x, 1 << 12)) return x;
    free(x);
    return 0;
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

/* The successors of some states, but for those seen not long ago. */
static int gather(Search *x, Part *p, u64 first, u64 last) {
    Out *out = &p->out;
    u64 kept = 0;
    p->kept = p->steps = p->stuck_count = p->faulty_count = 0;
    out->failed = 0;
    for (u64 i = first; i < last; i++) {
        const u64 *s = x->states + i * WORDS;
        out->base = kept, out->count = 0, out->faults = 0;
        x->successors(s, out);
        if (out->failed) return NO_MEMORY;
        u64 n = out->count + (u64)out->faults, next = kept + out->count;
        p->steps += n;
        if (!n && !x->ended(s) && !note(&p->stuck, &p->stuck_count, &p->stuck_room, i)) return NO_MEMORY;
        if (out->faults && !note(&p->faulty, &p->faulty_count, &p->faulty_room, i)) return NO_MEMORY;
        if (!larger((void **)&p->from, &p->from_room, next, sizeof(u32))) return NO_MEMORY;
        if (!larger((void **)&p->hashes, &p->hashes_room, next, sizeof(u64))) return NO_MEMORY;
        for (u64 k = kept; k < next; k++) {
            const u64 *to = out->states + k * WORDS;
            u64 h = hash_of(to);
            p->from[kept] = (u32)i;
            p->hashes[kept] = h;
            copied(out->states + kept * WORDS, to);
            kept += !was_seen(&x->seen, to, h);
        }
    }
    p->kept = kept;
    return DONE;
}

/* Room for so many more states: until they are there, the states do not move. */
static int reserve(Search *x, u64 kept) {
    if (x->count + kept >= 0xFFFFFFFFULL) return TOO_MANY;
    return room_for(x, kept);
}

/* Number the states of a part, up to the state `stop`: all of it, or nothing. Memory is asked for ahead of where it is needed. */
static int settle(Search *x, const Part *p, u64 stop) {
    u64 stuck = x->stuck_count, faulty = x->faulty_count;
    int full = reserve(x, p->kept);
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
        for (u64 k = first; k < last; k++) __builtin_prefetch(x->table + (hashes[k] >> x->shift));
        for (u64 k = first; k < last; k++) {
            u64 e = x->table[hashes[k] >> x->shift];
            if (e && may_be(e, hashes[k])) __builtin_prefetch(x->states + number_in(e) * WORDS);
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
    if (x->count) unseen(&x->seen, x);
    while (x->expanded < last && x->expanded < x->count) {
        if (x->count >= most) return FULL;
        u64 stop = x->expanded + BLOCK;
        if (stop > last) stop = last;
        if (stop > x->count) stop = x->count;
        int full = gather(x, &x->part, x->expanded, stop);
        if (full == DONE) full = settle(x, &x->part, stop);
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
        x->successors(x->states + i * WORDS, out);
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
        if (k + 8 < n) __builtin_prefetch(x->table + (hash_of(states + (k + 8) * WORDS) >> x->shift));
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
