/* Names that nothing tells apart: rows of fields of a state, put in order. */

static inline u64 field_of(const u64 *s, int at, u64 mask) {
    int word = at / 64, low = at % 64;
    u64 v = s[word] >> low;
    if (low && mask >> (64 - low)) v |= s[word + 1] << (64 - low);
    return v & mask;
}

static inline void set_field(u64 *s, int at, u64 mask, u64 v) {
    int word = at / 64, low = at % 64;
    s[word] = (s[word] & ~(mask << low)) | v << low;
    if (low && mask >> (64 - low)) s[word + 1] = (s[word + 1] & ~(mask >> (64 - low))) | v >> (64 - low);
}

/* Rows of fields, the largest first. */
static void in_order(u64 *s, int rows, int wide, const int *at, const u64 *mask) {
    u64 held[rows * wide];
    int moved = 0;
    for (int r = 0; r < rows; r++) {
        u64 new[wide];
        int to = r;
        for (int k = 0; k < wide; k++) new[k] = field_of(s, at[r * wide + k], mask[r * wide + k]);
        for (; to > 0; to--) {
            int k = 0;
            while (k < wide && held[(to - 1) * wide + k] == new[k]) k++;
            if (k == wide || held[(to - 1) * wide + k] > new[k]) break;
            for (k = 0; k < wide; k++) held[to * wide + k] = held[(to - 1) * wide + k];
            moved = 1;
        }
        for (int k = 0; k < wide; k++) held[to * wide + k] = new[k];
    }
    if (!moved) return;
    for (int i = 0; i < rows * wide; i++) set_field(s, at[i], mask[i], held[i]);
}
