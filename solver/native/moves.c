/* What a search asks of a model. It stands before this. */

API void moves(const u64 *s, Out *out) { successors(s, out); }

API i64 over(const u64 *s) { return ended(s, s, -1); }
