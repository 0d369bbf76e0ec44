/* Who chooses what. What a model adds stands before this: `tagged`. */

/* As `search_links`, with the tags in `tags`. */
API i64 choice_links(Search *x, u64 first, u64 last, u64 *heads, u32 **tags) {
    Out *out = &x->part.out;
    u64 total = 0;
    out->failed = 0;
    for (u64 i = first; i < last; i++) {
        out->base = total, out->count = 0, out->faults = 0;
        tagged(x->states + i * WORDS, out);
        if (out->failed || !larger((void **)&x->links, &x->links_room, total + out->count, sizeof(u32))) return -1;
        for (u64 k = total; k < total + out->count; k++) {
            const u64 *s = out->states + k * WORDS;
            x->links[k] = (u32)find(x, s, hash_of(s));
        }
        heads[i - first] = total += out->count;
    }
    *tags = out->tags;
    return (i64)total;
}
