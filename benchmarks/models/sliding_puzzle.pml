/* The sliding puzzle on three rows of three for Spin, as examples/sliding-puzzle/rules.yaml has it with rows=3 and columns=3.
 *
 * Correspondence: `frame` and `gap` have the names of that file, with 0 for the gap and the squares counted row by row from the
 * top. The rules let a square beside the gap be named (24 pairs of squares); here the gap goes one of four ways, which is the
 * same step with fewer guards to look at. One d_step is one `slide`, so the states stored are those that tablelaw counts:
 * 181,440. Everything fits into bytes; there is no variable that the rules do not have.
 */
#define SLIDE(from) frame[gap] = frame[from]; gap = from; frame[gap] = 0

byte frame[9] = { 0, 1, 2, 3, 4, 5, 6, 7, 8 };
byte gap;

active proctype game() {
  do
  :: d_step { gap > 2 -> SLIDE(gap - 3) }
  :: d_step { gap < 6 -> SLIDE(gap + 3) }
  :: d_step { gap % 3 > 0 -> SLIDE(gap - 1) }
  :: d_step { gap % 3 < 2 -> SLIDE(gap + 1) }
  od
}
