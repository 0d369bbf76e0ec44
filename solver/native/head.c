#include <stdint.h>
#include <stdlib.h>

typedef uint64_t u64;
typedef int64_t i64;
typedef uint32_t u32;

#if defined(_WIN32)
#define API __declspec(dllexport)
#else
#define API __attribute__((visibility("default")))
#endif

static inline u64 hash_of(const u64 *s) {
    u64 h = 0;
    for (int k = 0; k < WORDS; k++) {
        h = (h ^ s[k]) * 0x9E3779B97F4A7C15ULL;
        h ^= h >> 32;
    }
    h *= 0xD6E8FEB86659FD93ULL;
    return h ^ h >> 32;
}

static inline int same(const u64 *a, const u64 *b) {
    for (int k = 0; k < WORDS; k++)
        if (a[k] != b[k]) return 0;
    return 1;
}

/* Successors: `count` of them after the `base` states that stand there already; with tags, where they are asked for. */
typedef struct {
    u64 *states;
    u32 *tags;
    u64 base, count, room, tags_room;
    int faults, failed;
} Out;

static u64 *made_room(Out *out) {
    u64 wanted = out->room ? out->room * 2 : 1024;
    u64 *found = realloc(out->states, wanted * WORDS * sizeof(u64));
    if (!found) {
        out->failed = 1;
        return 0;
    }
    out->states = found;
    out->room = wanted;
    return found;
}

static inline u64 *room(Out *out) {
    u64 n = out->base + out->count;
    if (n == out->room && !made_room(out)) return 0;
    out->count++;
    return out->states + n * WORDS;
}

static inline u64 *tagged_room(Out *out, u32 tag) {
    u64 n = out->base + out->count;
    if (n == out->tags_room) {
        u64 wanted = n ? n * 2 : 1024;
        u32 *found = realloc(out->tags, wanted * sizeof(u32));
        if (!found) {
            out->failed = 1;
            return 0;
        }
        out->tags = found;
        out->tags_room = wanted;
    }
    out->tags[n] = tag;
    return room(out);
}

/* Division towards minus infinity, 0 by 0. */
static inline i64 quotient(i64 a, i64 b) {
    if (!b) return 0;
    i64 q = a / b;
    return a % b && (a < 0) != (b < 0) ? q - 1 : q;
}

static inline i64 remainder_of(i64 a, i64 b) {
    if (!b) return 0;
    i64 r = a % b;
    return r && (r < 0) != (b < 0) ? r + b : r;
}
