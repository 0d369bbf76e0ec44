/* How many states the listed ones stand for. Before this stand `state_images` and `good` of a model. */
API u64 orbits_total(const u64 *states, u64 count) {
    u64 total = 0;
    for (u64 i = 0; i < count; i++) {
        const u64 *s = states + i * WORDS;
        if (good(s, s, -1)) total += state_images(s);
    }
    return total;
}
