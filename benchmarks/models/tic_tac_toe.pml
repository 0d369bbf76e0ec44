/* Tic-tac-toe for Spin, as examples/tic-tac-toe/rules.yaml has it.
 *
 * Correspondence: `board` holds 0 for an empty square and 1 + seat for a mark, `turn` is the seat to move, and one d_step is
 * one `mark`. Nothing happens after a line of three or on a full board. Only whole moves are states, therefore the states
 * stored are those that tablelaw counts: 5,478. Both programs look on the way for positions where nobody can move though the
 * play is not over (here: invalid end states).
 */
#define ALL3(p, a, b, c) (board[a] == p && board[b] == p && board[c] == p)
#define LINE(p) (ALL3(p, 0, 1, 2) || ALL3(p, 3, 4, 5) || ALL3(p, 6, 7, 8) || \
                 ALL3(p, 0, 3, 6) || ALL3(p, 1, 4, 7) || ALL3(p, 2, 5, 8) || \
                 ALL3(p, 0, 4, 8) || ALL3(p, 2, 4, 6))
#define MARK(s) d_step { board[s] == 0 && !ENDED -> board[s] = turn + 1; turn = 1 - turn }
#define FULL (board[0] && board[1] && board[2] && board[3] && board[4] && board[5] && board[6] && board[7] && board[8])
#define ENDED (LINE(1) || LINE(2) || FULL)

byte board[9];
byte turn;

active proctype game() {
  do
  :: MARK(0)
  :: MARK(1)
  :: MARK(2)
  :: MARK(3)
  :: MARK(4)
  :: MARK(5)
  :: MARK(6)
  :: MARK(7)
  :: MARK(8)
  :: ENDED /* no new state */
  od
}
