/* The first turn of each of two players of Carcassonne: The Dice Game for Spin, the board left open; the same finite piece of the game
 * as dice_turns.yaml.
 *
 * Correspondence with examples/carcassonne-dice/rules.yaml under its default options (edition es, rebuilding never, catapults counted
 * over the whole turn, kept knight rolled):
 *   - The variables have the names of that file; `shown` is a count for each face, of which catapults leave at once and need none.
 *   - Of the board there is how many dice lie (`laid`), and how large the largest closed city is: from 0 to so many dice, whatever lies
 *     and whatever was closed before. tablelaw leaves the board open in the same way, by itself.
 *   - One atomic step is one move with its draw. A roll of n dice picks one multiset of n faces, in ones, by one path for each multiset;
 *     only the state after the move is stored, so the states are those that tablelaw counts: 1,559,827.
 *   - The play ends with nine catapults, with 42 points (which do not come in these turns) or with the second turn, as dice_turns.yaml
 *     adds to the rules. -DTURNS=1 ends it with the first: 163,876.
 */
#ifndef TURNS
#define TURNS 2
#endif
#define SHOWN (cap + corner + straight + tee + knight)
#define ENDED (nines == 9 || score[0] >= 42 || score[1] >= 42 || (turn == TURNS - 1 && over))
#define GOING (!over && !ENDED)
#define SINGLE (largest < 3 -> 0 : (largest - 1) * (largest - 2) / 2) /* 1, 3, 6 ... 28 from three dice on */
#define POINTS (doubled -> 2 * SINGLE : SINGLE)
#define BUILD(face) atomic { GOING && face > 0 -> face--; laid++; largest = 0; do :: largest < laid -> largest++ :: break od }
/* n: dice not yet decided. Each is of this face, or the next face has its turn; the last face takes all the rest. */
#define DRAW(face) do :: n > 0 -> face++; n-- :: break od

byte turn, rolls, ready = 9, cap, corner, straight, tee, knight, kept, passed, nines, laid, largest, score[2], held[2];
byte n;
bool over, doubled;

active proctype game() {
  do
  :: atomic { /* roll */
       GOING && rolls < 3 && ready + SHOWN > 0 ->
         n = ready + SHOWN;
         rolls++; ready = 0; cap = 0; corner = 0; straight = 0; tee = 0; knight = 0;
         DRAW(cap); DRAW(corner); DRAW(straight); DRAW(tee); DRAW(knight);
         nines = nines + n; passed = passed + n; n = 0
     }
  :: BUILD(cap)
  :: BUILD(corner)
  :: BUILD(straight)
  :: BUILD(tee)
  :: d_step { GOING && knight > 0 -> knight--; kept++ }                                /* set-aside */
  :: d_step { GOING && rolls > 0 -> score[turn] = score[turn] + POINTS; over = true }    /* stop */
  :: d_step { GOING && POINTS > 0 -> over = true }                                     /* pass-without-scoring */
  :: d_step { GOING && kept >= 3 -> kept--; held[turn]++; over = true }                /* keep-knight */
  :: d_step { over && !ENDED ->                                                        /* next-turn */
       turn = 1 - turn;
       over = false; rolls = 0; cap = 0; corner = 0; straight = 0; tee = 0; knight = 0; kept = 0; passed = 0; nines = 0;
       laid = 0; largest = 0;
       doubled = held[turn] > 0; held[turn] = 0;
       ready = 9 - held[0] - held[1]
     }
  :: ENDED /* so that an invalid end state is a position where somebody should move and cannot; no new state */
  od
}
