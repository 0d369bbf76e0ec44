/* Formulas of many states. What a question adds stands before this: `bad`, `good`, `number`, each of one state. */

/* The first state from `first` on where the formula has no value, or is (not) true; `last` where there is none. */
API u64 scan_marked(const u64 *states, u64 first, u64 last, int wanted) {
    for (; first < last; first++) {
        const u64 *s = states + first * WORDS;
        if (bad(s, s, -1) || !!number(s, s, -1) == wanted) break;
    }
    return first;
}

/* The first state whose number, where `good` and it has one, lies beyond the best so far; `last` where there is none. */
API u64 scan_beyond(const u64 *states, u64 first, u64 last, int sign, int any, i64 best) {
    for (; first < last; first++) {
        const u64 *s = states + first * WORDS;
        if (!good(s, s, -1) || bad(s, s, -1)) continue;
        if (any) break;
        i64 n = number(s, s, -1);
        if (sign > 0 ? n > best : n < best) break;
    }
    return first;
}

/* How many states are good. */
API u64 scan_count(const u64 *states, u64 first, u64 last) {
    u64 n = 0;
    for (; first < last; first++) n += !!good(states + first * WORDS, states + first * WORDS, -1);
    return n;
}
