/* Connect-4 on four rows and five columns for Spin, as examples/connect/rules.yaml has it with rows=4, columns=5 and line=4.
 *
 * Correspondence: there `board` tells whose piece lies on each square, and `turn` who drops the next. Here a square is a bit: of
 * column x and row y (0 at the bottom) the bit 5 * x + y; the fifth bit of a column stays free, so that no line goes over an edge.
 * `all` are the pieces of both, `mine` those of the player to move. Whose turn it is follows from how many pieces lie, and every
 * position there is one here, so the states stored are those that tablelaw counts: 3,945,711. One d_step is one `drop`. Play stops
 * with a line of four or a full board; `won` says that the player who dropped last has a line, and follows from the rest.
 */
#define COLUMN(x) (15 << (5 * (x)))
#define FLOOR(x) (1 << (5 * (x)))
#define CEILING(x) (8 << (5 * (x)))
#define FULL (COLUMN(0) | COLUMN(1) | COLUMN(2) | COLUMN(3) | COLUMN(4))
/* Four bits in a row, `by` apart. */
#define PAIRS(by) (mine & (mine >> by))
#define LINE(by) (PAIRS(by) & (PAIRS(by) >> (2 * by)))
/* The players change places: `mine` are for a moment the pieces of the one who drops. */
#define DROP(x) d_step { !won && !(all & CEILING(x)) -> \
    mine = mine | ((all + FLOOR(x)) & COLUMN(x)); all = all | mine; \
    won = (LINE(1) | LINE(4) | LINE(5) | LINE(6)) != 0; mine = all ^ mine }

int all;
int mine;
bool won;

active proctype game() {
  do
  :: DROP(0)
  :: DROP(1)
  :: DROP(2)
  :: DROP(3)
  :: DROP(4)
  :: won || all == FULL /* no new state */
  od
}
