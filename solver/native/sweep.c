/* What is reckoned on a chain that lies in arrays: which states come back to each other, where a play can stay for ever, and
   bounds of figures that hold, rounding counted in.

   The choices of state v are those from heads[v] to heads[v + 1], the draws of choice c those from firsts[c] to firsts[c + 1].
   Nothing is gone on from where `closed`. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t u64;
typedef int64_t i64;
typedef uint32_t u32;

#if defined(_WIN32)
#define API __declspec(dllexport)
#else
#define API __attribute__((visibility("default")))
#endif

typedef struct {
    u64 n;
    const i64 *heads, *firsts;
    const u32 *targets;
    const unsigned char *closed;
} Graph;

static inline u64 edge_from(const Graph *g, u64 v) { return g->closed[v] ? 0 : (u64)g->firsts[g->heads[v]]; }
static inline u64 edge_to(const Graph *g, u64 v) { return g->closed[v] ? 0 : (u64)g->firsts[g->heads[v + 1]]; }

/* Strongly connected components (Tarjan 1972), each after all that can be reached from it: the number of each state's, and the
   states in the order in which the search leaves them, component by component, `parts` telling where each begins. How many there
   are, or -1 without memory. */
API i64 graph_parts(const Graph *g, u32 *part, u32 *order, i64 *parts) {
    u64 n = g->n, depth = 0, kept = 0, left = 0, count = 0;
    u32 number = 0;
    u32 *met = calloc(n, sizeof(u32)), *low = malloc(n * sizeof(u32)), *stack = malloc(n * sizeof(u32));
    u32 *path = malloc(n * sizeof(u32)), *leaving = malloc(n * sizeof(u32));
    u64 *next = malloc(n * sizeof(u64));
    i64 found = -1;
    if (!n || (met && low && stack && path && leaving && next)) {
        for (u64 v = 0; v < n; v++) part[v] = 0xFFFFFFFFu;
        for (u64 root = 0; root < n; root++) {
            if (met[root]) continue;
            path[depth++] = (u32)root;
            next[root] = edge_from(g, root), met[root] = low[root] = ++number, stack[kept++] = (u32)root;
            while (depth) {
                u32 v = path[depth - 1];
                u64 e = next[v], end = edge_to(g, v);
                for (; e < end; e++) {
                    u32 w = g->targets[e];
                    if (!met[w]) break;
                    if (part[w] == 0xFFFFFFFFu && met[w] < low[v]) low[v] = met[w];
                }
                if (e < end) {
                    u32 w = g->targets[e];
                    next[v] = e + 1;
                    path[depth++] = w;
                    next[w] = edge_from(g, w), met[w] = low[w] = ++number, stack[kept++] = w;
                    continue;
                }
                leaving[left++] = v;
                if (--depth && low[v] < low[path[depth - 1]]) low[path[depth - 1]] = low[v];
                if (low[v] != met[v]) continue;
                parts[count] = 0;
                u32 w;
                do w = stack[--kept], part[w] = (u32)count, parts[count]++;
                while (w != v);
                count++;
            }
        }
        i64 at = 0;
        for (u64 k = 0; k < count; k++) {
            i64 size = parts[k];
            parts[k] = at, at += size;
        }
        parts[count] = at;
        for (u64 k = 0; k < n; k++) order[parts[part[leaving[k]]]++] = leaving[k];
        for (u64 k = count; k > 0; k--) parts[k] = parts[k - 1];
        parts[0] = 0;
        found = (i64)count;
    }
    free(met), free(low), free(stack), free(path), free(leaving), free(next);
    return found;
}

/* Where the players together can stay in a component for ever, whatever is drawn; where a state `mixes` its choices, which of
   them is taken is drawn as well. How many states that are. */
API u64 graph_staying(const Graph *g, const unsigned char *mixes, const u32 *part, const u32 *order, unsigned char *stays) {
    u64 left = 0;
    for (u64 v = 0; v < g->n; v++) left += stays[v] = edge_from(g, v) < edge_to(g, v);
    for (u64 before = left + 1; left < before;) {
        before = left;
        for (u64 k = 0; k < g->n; k++) {
            u32 v = order[k];
            if (!stays[v]) continue;
            int some = 0;
            for (i64 c = g->heads[v]; c < g->heads[v + 1]; c++) {
                some = 1;
                for (i64 e = g->firsts[c]; e < g->firsts[c + 1] && some; e++)
                    some = stays[g->targets[e]] && part[g->targets[e]] == part[v];
                if (some != mixes[v]) break;
            }
            if (!some) stays[v] = 0, left--;
        }
    }
    return left;
}

/* The states from which some draws lead to where `some` holds already, by one choice of those who want it (or do not care),
   by all of those who do not (`wants` below 0). */
API void graph_reaching(const Graph *g, const signed char *wants, const u32 *order, unsigned char *some) {
    for (int changed = 1; changed;) {
        changed = 0;
        for (u64 k = 0; k < g->n; k++) {
            u32 v = order[k];
            if (some[v] || g->closed[v] || g->heads[v] == g->heads[v + 1]) continue;
            int found = wants[v] < 0;
            for (i64 c = g->heads[v]; c < g->heads[v + 1] && found == (wants[v] < 0); c++) {
                int reaches = 0;
                for (i64 e = g->firsts[c]; e < g->firsts[c + 1] && !reaches; e++) reaches = some[g->targets[e]];
                found = reaches;
            }
            if (found) some[v] = 1, changed = 1;
        }
    }
}

/* Bounds. */

typedef struct {
    Graph g;
    const u32 *order;
    const i64 *parts;
    const double *chances, *rewards; /* rewards: none where 0 */
    const signed char *wants;
    double *lower, *upper, *kept; /* kept: room for as many as the largest component has */
    i64 sweeps; /* times the states that were swept over */
    int phase, since;
    double last, tried;
} Sweep;

#define ROUNDING 1.2e-16 /* more than half the distance of 1 from the next double */
#define TINY 1e-300
#define AT_ONCE 8
#define PATIENCE 256

/* What the choices of a state come to, rounded down (`up` -1) or up (1): each sum is moved by more than its rounding. */
static inline double worth(const Sweep *x, const double *at, u32 v, int up) {
    const Graph *g = &x->g;
    i64 first = g->heads[v], last = g->heads[v + 1];
    double best = 0, all = 0;
    int want = x->wants[v];
    for (i64 c = first; c < last; c++) {
        i64 e = g->firsts[c], end = g->firsts[c + 1];
        double found;
        if (end - e == 1 && !x->rewards) {
            found = at[g->targets[e]];
        } else {
            double sum = 0, size = 0, k = (double)(end - e + 8);
            for (; e < end; e++) {
                double a = at[g->targets[e]];
                if (x->rewards) {
                    double r = x->rewards[g->targets[e]];
                    size += x->chances[e] * (fabs(a) + fabs(r)), a += r;
                } else
                    size += x->chances[e] * fabs(a);
                sum += x->chances[e] * a;
            }
            found = sum + up * (k * ROUNDING * size + TINY);
        }
        if (c == first || (want > 0 && found > best) || (want < 0 && found < best)) best = found;
        if (!want) all += fabs(found), best = c == first ? found : best + found;
    }
    if (want || last - first == 1) return best;
    double m = (double)(last - first);
    return best / m + up * ((m + 8) * ROUNDING * all / m + TINY);
}

/* From below: how much a state rises at most. */
static double raised(Sweep *x, i64 from, i64 to) {
    double most = 0;
    for (i64 k = from; k < to; k++) {
        u32 v = x->order[k];
        double now = worth(x, x->lower, v, -1), rise = now - x->lower[v];
        if (rise > 0) {
            x->lower[v] = now;
            if (rise > most) most = rise;
        }
    }
    return most;
}

static double lowered(Sweep *x, i64 from, i64 to) {
    double most = 0;
    for (i64 k = from; k < to; k++) {
        u32 v = x->order[k];
        double now = worth(x, x->upper, v, 1), fall = x->upper[v] - now;
        if (fall > 0) {
            x->upper[v] = now;
            if (fall > most) most = fall;
        }
    }
    return most;
}

static double apart(const Sweep *x, i64 from, i64 to) {
    double most = 0;
    for (i64 k = from; k < to; k++) {
        double gap = x->upper[x->order[k]] - x->lower[x->order[k]];
        if (gap > most) most = gap;
    }
    return most;
}

/* Does a guess a little above the lower bounds hold? It is an upper bound once a sweep raises it nowhere (optimistic value
   iteration: Hartmanns, Kaminski 2020), for figures are the least that a sweep leaves as they are. */
static int confirmed(Sweep *x, i64 from, i64 to, double near) {
    for (i64 k = from; k < to; k++) {
        u32 v = x->order[k];
        double guess = x->lower[v] + near;
        x->kept[k - from] = x->upper[v];
        if (guess < x->upper[v]) x->upper[v] = guess;
    }
    for (int times = 0; times < 4 * AT_ONCE; times++) {
        int rises = 0;
        for (i64 k = from; k < to; k++) {
            u32 v = x->order[k];
            double now = worth(x, x->upper, v, 1);
            if (now > x->kept[k - from]) now = x->kept[k - from];
            rises |= now > x->upper[v];
            x->upper[v] = now;
        }
        x->sweeps += to - from;
        if (!rises) return 1;
    }
    for (i64 k = from; k < to; k++) x->upper[x->order[k]] = x->kept[k - from];
    return 0;
}

/* Sweep over a component until its bounds are `near`, or nothing comes of it any more; 0: when the work is done before. */
static int settled(Sweep *x, i64 from, i64 to, double near, i64 *work) {
    i64 cost = 0;
    for (i64 k = from; k < to; k++) {
        u32 v = x->order[k];
        cost += (i64)(edge_to(&x->g, v) - edge_from(&x->g, v)) + 4;
    }
    if (!x->phase) x->phase = 1, x->since = 0, x->last = INFINITY, x->tried = near / 16;
    while (x->phase == 1) { /* from below alone */
        if (*work < 0) return 0;
        double change = 0;
        for (int k = 0; k < AT_ONCE; k++) change = raised(x, from, to);
        *work -= AT_ONCE * cost, x->sweeps += AT_ONCE * (to - from);
        if (change <= x->tried) {
            *work -= 4 * cost, x->tried = change / 8;
            if (confirmed(x, from, to, near)) return 1;
        }
        x->since = change < 0.98 * x->last ? 0 : x->since + AT_ONCE;
        if (change < x->last) x->last = change;
        if (change == 0 || x->since >= PATIENCE) x->phase = 2, x->since = 0, x->last = INFINITY;
    }
    for (;;) { /* from both sides (interval iteration: Haddad, Monmege 2018) */
        if (*work < 0) return 0;
        double moved = 0;
        for (int k = 0; k < AT_ONCE; k++) {
            double a = raised(x, from, to), b = lowered(x, from, to);
            moved = a > b ? a : b;
        }
        *work -= 2 * AT_ONCE * cost, x->sweeps += AT_ONCE * (to - from);
        double gap = apart(x, from, to);
        if (gap <= near || moved == 0) return 1;
        x->since = gap < 0.98 * x->last ? 0 : x->since + AT_ONCE;
        if (gap < x->last) x->last = gap;
        if (x->since >= PATIENCE) return 1;
    }
}

/* Bounds of the components from one on, in order, as long as the work lasts; the first that is not done. `near[k]` is how near
   those of each shall come. */
API i64 sweep_from(Sweep *x, i64 first, i64 last, const double *near, i64 work) {
    for (i64 p = first; p < last; p++) {
        i64 from = x->parts[p], to = x->parts[p + 1];
        u32 v = x->order[from];
        int alone = to - from == 1;
        if (alone && edge_from(&x->g, v) == edge_to(&x->g, v)) continue;
        for (u64 e = edge_from(&x->g, v); alone && e < edge_to(&x->g, v); e++) alone = x->g.targets[e] != v;
        if (alone) {
            double low = worth(x, x->lower, v, -1), high = worth(x, x->upper, v, 1);
            if (low > x->lower[v]) x->lower[v] = low;
            if (high < x->upper[v]) x->upper[v] = high;
            work -= 2 * (i64)(edge_to(&x->g, v) - edge_from(&x->g, v)), x->sweeps++;
        } else if (!settled(x, from, to, near[p], &work))
            return p;
        x->phase = 0;
        if (work < 0) return p + 1;
    }
    return last;
}

/* Both bounds of all, so many times or until nothing moves; whether something still did. */
API int sweep_all(Sweep *x, i64 times) {
    int moved = 1;
    for (; moved && times > 0; times--) {
        moved = 0;
        for (i64 k = 0; k < (i64)x->g.n; k++) {
            if (edge_from(&x->g, x->order[k]) == edge_to(&x->g, x->order[k])) continue;
            moved |= raised(x, k, k + 1) > 0, moved |= lowered(x, k, k + 1) > 0;
        }
        x->sweeps += (i64)x->g.n;
    }
    return moved;
}

/* How many of the components that come back to themselves lie on a way from each to the end, itself counted. */
API void sweep_levels(const Graph *g, const u32 *part, const u32 *order, const i64 *parts, i64 count, u32 *level) {
    for (i64 p = 0; p < count; p++) {
        u32 most = 0, again = parts[p + 1] - parts[p] > 1;
        for (i64 k = parts[p]; k < parts[p + 1]; k++)
            for (u64 e = edge_from(g, order[k]); e < edge_to(g, order[k]); e++) {
                u32 q = part[g->targets[e]];
                if (q == p) again = 1;
                else if (level[q] > most) most = level[q];
            }
        level[p] = most + again;
    }
}
