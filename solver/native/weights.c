/* Successors with weights: how often each comes, in proportion to the others after the same choice. */

typedef struct {
    Out out;
    i64 *weights;
    u64 room;
} Weighed;

static inline u64 *weighed_room(Out *out, u32 tag, i64 weight) {
    Weighed *w = (Weighed *)out;
    u64 n = out->base + out->count;
    if (n >= w->room) {
        u64 wanted = n ? n * 2 : 1024;
        i64 *found = realloc(w->weights, wanted * sizeof(i64));
        if (!found) {
            out->failed = 1;
            return 0;
        }
        w->weights = found, w->room = wanted;
    }
    w->weights[n] = weight;
    return tagged_room(out, tag);
}

/* What a state of a chain is: gone on from, decided (lost, won, or with a value told elsewhere), cut off, or none of it. */
enum { OPEN, LOST, WON, TOLD, CUT, NO_VALUE, COUNTED };
