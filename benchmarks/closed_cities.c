/* How many closed cities of n dice there are, up to translation and rotation: a second way, sharing nothing with tablelaw.

   A die has one to three black sides, which are joined inside it; a black side lies against a black side alone. In one closed
   city every black side is met, so the city is a set of squares with some of the sides between neighbours joined: each square
   has one to three joined sides, and the joined sides connect all squares. So: list the sets of squares (each once, growing
   sets by a square and keeping them sorted), and for each try every subset of the sides between neighbours.

     cc -O2 -o closed_cities closed_cities.c && ./closed_cities 9
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 12 };

typedef struct { signed char x[MOST], y[MOST]; } Squares;

static int n;

static int before(const Squares *s, int a, int b) { return s->y[a] != s->y[b] ? s->y[a] < s->y[b] : s->x[a] < s->x[b]; }

/* Move the squares so that the least row and column are 0, and sort them; `perm` tells where each went. */
static void normalise(Squares *s, int count, int *perm)
{
    int left = 127, top = 127;
    for (int i = 0; i < count; i++) {
        if (s->x[i] < left) left = s->x[i];
        if (s->y[i] < top) top = s->y[i];
    }
    int order[MOST];
    for (int i = 0; i < count; i++) {
        s->x[i] -= left;
        s->y[i] -= top;
        order[i] = i;
        for (int k = i; k > 0 && before(s, order[k], order[k - 1]); k--) {
            int t = order[k];
            order[k] = order[k - 1];
            order[k - 1] = t;
        }
    }
    Squares out;
    memset(&out, 0, sizeof out);
    for (int i = 0; i < count; i++) {
        out.x[i] = s->x[order[i]];
        out.y[i] = s->y[order[i]];
        if (perm) perm[order[i]] = i;
    }
    *s = out;
}

static int compare(const void *a, const void *b) { return memcmp(a, b, sizeof(Squares)); }

/* All sets of count + 1 connected squares out of those of count. */
static Squares *grow(const Squares *old, size_t many, int count, size_t *found)
{
    static const int dx[] = {0, 1, 0, -1}, dy[] = {-1, 0, 1, 0};
    Squares *all = malloc((many * 4 * (size_t)count + 1) * sizeof *all);
    if (!all) exit(1);
    size_t top = 0;
    for (size_t k = 0; k < many; k++)
        for (int i = 0; i < count; i++)
            for (int d = 0; d < 4; d++) {
                Squares s = old[k];
                int taken = 0;
                s.x[count] = (signed char)(s.x[i] + dx[d]);
                s.y[count] = (signed char)(s.y[i] + dy[d]);
                for (int j = 0; j < count; j++) taken |= s.x[j] == s.x[count] && s.y[j] == s.y[count];
                if (taken) continue;
                normalise(&s, count + 1, NULL);
                all[top++] = s;
            }
    qsort(all, top, sizeof *all, compare);
    size_t kept = 0;
    for (size_t k = 0; k < top; k++)
        if (!kept || memcmp(&all[kept - 1], &all[k], sizeof *all)) all[kept++] = all[k];
    *found = kept;
    return all;
}

/* The sides joined, as a table of neighbours, of a set turned so often; compared to find the least of four. */
typedef struct { Squares s; unsigned short joined[MOST]; } City;

static City turned(const City *c)
{
    City t;
    int perm[MOST];
    memset(&t, 0, sizeof t);
    for (int i = 0; i < n; i++) {
        t.s.x[i] = (signed char)-c->s.y[i];
        t.s.y[i] = c->s.x[i];
    }
    normalise(&t.s, n, perm);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (c->joined[i] >> j & 1) t.joined[perm[i]] |= (unsigned short)(1 << perm[j]);
    return t;
}

static int least(const City *c)
{
    City t = *c;
    for (int k = 0; k < 3; k++) {
        t = turned(&t);
        if (memcmp(&t, c, sizeof t) < 0) return 0;
    }
    return 1;
}

int main(int argc, char **argv)
{
    int last = argc > 1 ? atoi(argv[1]) : 9;
    if (last < 2 || last > MOST) return 2;
    Squares *sets = calloc(1, sizeof *sets);
    size_t many = 1;
    for (n = 2; n <= last; n++) {
        size_t more;
        Squares *next = grow(sets, many, n - 1, &more);
        free(sets);
        sets = next;
        many = more;
        unsigned long long fixed = 0, cities = 0;
        for (size_t k = 0; k < many; k++) {
            int from[4 * MOST], to[4 * MOST], sides = 0;
            for (int i = 0; i < n; i++)
                for (int j = i + 1; j < n; j++)
                    if (abs(sets[k].x[i] - sets[k].x[j]) + abs(sets[k].y[i] - sets[k].y[j]) == 1) {
                        from[sides] = i;
                        to[sides++] = j;
                    }
            for (unsigned long m = 0; m < 1ul << sides; m++) {
                City c;
                memset(&c, 0, sizeof c);
                c.s = sets[k];
                for (int e = 0; e < sides; e++)
                    if (m >> e & 1) {
                        c.joined[from[e]] |= (unsigned short)(1 << to[e]);
                        c.joined[to[e]] |= (unsigned short)(1 << from[e]);
                    }
                int good = 1;
                for (int i = 0; i < n && good; i++) {
                    int black = __builtin_popcount(c.joined[i]);
                    good = black >= 1 && black <= 3;
                }
                if (!good) continue;
                unsigned reached = 1, old = 0;
                while (reached != old) {
                    old = reached;
                    for (int i = 0; i < n; i++)
                        if (reached >> i & 1) reached |= c.joined[i];
                }
                if (reached != (1u << n) - 1) continue;
                fixed++;
                cities += (unsigned long long)least(&c);
            }
        }
        printf("%d %llu %llu\n", n, cities, fixed);
        fflush(stdout);
    }
    free(sets);
    return 0;
}
