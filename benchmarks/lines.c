/* Counts the open lines of N Line Dice and those that the Nth die closes, in plain C: the peer of the questions lines-N and
 * loops-N of examples/line-dice. Told with --more, it also finds how few dice a line has that is closed, that is closed by an
 * odd number, that every die which fits would close, and on which no die fits.
 *
 *   cc -O2 -o lines lines.c && ./lines 8          one row for each N: dice, open lines, closed lines
 *   ./lines 12 --more                             and the shortest of each sort
 *
 * With --as-printed a side without a road may be laid against a road; then a run through crosses can end blind.
 *
 * A die is a set of open sides: straights (two ways), the cross, and the four bends. The arrow is fixed before, so each bend
 * lies in one way alone. The first die lies at the origin and its way out is chosen; the other end of its road is the tail.
 * A side that two dice share is open on both or on neither. The line runs through the unused road of a cross laid before.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N, E, S, W, SIDES };
enum { MOST = 40, WIDTH = 2 * MOST + 3, EMPTY = -1 };

static const int DX[SIDES] = {0, 1, 0, -1}, DY[SIDES] = {-1, 0, 1, 0};
static const int FACES[7] = {1 << N | 1 << S, 1 << E | 1 << W, 15, 1 << N | 1 << E, 1 << E | 1 << S, 1 << S | 1 << W, 1 << W | 1 << N};

static signed char board[WIDTH][WIDTH];
static int most, printed;
static long long lines[MOST + 1], loops[MOST + 1], forced[MOST + 1], dead[MOST + 1];

static int back(int side) { return side ^ 2; }

/* The side at which a road leaves a die that it enters at a side. */
static int through(int open, int in)
{
    if (open == 15)
        return back(in);
    for (int s = 0; s < SIDES; s++)
        if (s != in && open >> s & 1)
            return s;
    return in;
}

/* May a die with these open sides lie here, entered at a side? */
static int fits(int x, int y, int open, int in)
{
    if (board[y][x] != EMPTY || !(open >> in & 1))
        return 0;
    for (int s = 0; s < SIDES; s++) {
        int near = board[y + DY[s]][x + DX[s]];
        if (near == EMPTY)
            continue;
        int mine = open >> s & 1, theirs = near >> back(s) & 1;
        if (mine > theirs || (mine < theirs && !printed))
            return 0;
    }
    return 1;
}

/* The front of a line of n dice is at the empty square (x, y), entered at a side; the tail faces the square (tx, ty). */
static void lay(int n, int x, int y, int in, int tx, int ty, int tin)
{
    int fitting = 0, closing = 0;
    lines[n]++;
    for (int f = 0; f < 7; f++) {
        if (!fits(x, y, FACES[f], in))
            continue;
        fitting++;
        board[y][x] = (signed char)FACES[f];
        int cx = x, cy = y, side = in, closed = 0;
        while (board[cy][cx] != EMPTY && board[cy][cx] >> side & 1) {
            int out = through(board[cy][cx], side);
            if (cx == tx && cy == ty && out == tin) { /* over the tail, into the first die */
                closed = 1;
                break;
            }
            cx += DX[out], cy += DY[out], side = back(out);
        }
        closing += closed;
        if (closed && n < most)
            loops[n + 1]++;
        else if (n < most)
            lay(n + 1, cx, cy, side, tx, ty, tin);
        board[y][x] = EMPTY;
    }
    dead[n] += fitting == 0;
    forced[n] += fitting > 0 && fitting == closing;
}

static void shortest(const char *what, const long long *of, int step)
{
    for (int n = 1; n <= most; n += step)
        if (of[n]) {
            printf("%s: %d dice (%lld lines)\n", what, n, of[n]);
            return;
        }
    printf("%s: none up to %d dice\n", what, most);
}

int main(int argc, char **argv)
{
    int more = 0;
    most = argc > 1 ? atoi(argv[1]) : 4;
    for (int k = 2; k < argc; k++) {
        more |= !strcmp(argv[k], "--more");
        printed |= !strcmp(argv[k], "--as-printed");
    }
    if (most < 1 || most > MOST) {
        fprintf(stderr, "usage: lines DICE [--more] [--as-printed], with 1 to %d dice\n", MOST);
        return 2;
    }
    memset(board, EMPTY, sizeof board);
    int o = MOST + 1;
    for (int f = 0; f < 7; f++)
        for (int out = 0; out < SIDES; out++)
            if (FACES[f] >> out & 1) {
                int end = through(FACES[f], out);
                board[o][o] = (signed char)FACES[f];
                lay(1, o + DX[out], o + DY[out], back(out), o + DX[end], o + DY[end], back(end));
                board[o][o] = EMPTY;
            }
    for (int n = 1; n <= most; n++)
        printf("%d %lld %lld\n", n, lines[n], loops[n]);
    if (more) {
        shortest("closed", loops, 1);
        shortest("closed by an odd number of dice", loops, 2);
        shortest("every die that fits closes it", forced, 1);
        shortest("no die fits", dead, 1);
    }
    return 0;
}
