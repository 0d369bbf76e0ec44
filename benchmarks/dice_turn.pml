/* The first turn of Carcassonne: The Dice Game for Spin; the same finite piece of the game as dice_turn.yaml.
 *
 * Correspondence with examples/carcassonne-dice/rules.yaml under its default options (edition es, rebuilding never, catapults
 * counted over the whole turn, kept knight rolled), two players:
 *   - The variables have the names of that file. `shown` is a count for each face; catapults leave at once and need no count.
 *   - What the first turn cannot change is left out: `turn` (0), `double` and `spoilt` (false), what the other player has.
 *   - One atomic step is one move with its draw. A roll of n dice picks one multiset of n faces, in ones, by one path for each
 *     multiset; only the state after the move is stored, so branching and states are those of tablelaw.
 *   - The play ends with nine catapults or with the turn (`over`), as dice_turn.yaml adds to the rules. (42 points cannot come
 *     in one undoubled turn.)
 * The states stored are those that tablelaw counts: 163,876.
 */
#define SHOWN (cap + corner + straight + tee + knight)
#define GOING (!over && nines < 9)
#define POINTS (largest < 3 -> 0 : (largest - 1) * (largest - 2) / 2) /* 1, 3, 6 ... 28 from three dice on */
#define GROW do :: largest < laid -> largest++ :: break od
#define BUILD(face) atomic { GOING && face > 0 -> face--; laid++; GROW }
/* n: dice not yet decided. Each is of this face, or the next face has its turn; the last face takes all the rest. */
#define DRAW(face) do :: n > 0 -> face++; n-- :: break od

byte rolls, ready = 9, cap, corner, straight, tee, knight, kept, passed, nines, laid, largest, score, held;
byte n;
bool over;

active proctype turn() {
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
  :: atomic { GOING && knight > 0 -> knight--; kept++ }                          /* set-aside */
  :: atomic { GOING && rolls > 0 -> score = score + POINTS; over = true } /* stop */
  :: atomic { GOING && POINTS > 0 -> over = true }                      /* pass-without-scoring */
  :: atomic { GOING && kept >= 3 -> kept--; held++; over = true }                /* keep-knight */
  :: !GOING /* so that an invalid end state is a position where somebody should move and cannot; no new state */
  od
}
