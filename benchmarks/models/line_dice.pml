/* Line Dice for Spin to a depth: two players, up to -DMOST=8 dice on the table, as examples/line-dice/rules.yaml has it under its default
 * options but supply=endless (everybody has each face without end).
 *
 * Correspondence: a die is the set of its open sides, by bits: north 1, east 2, south 4, west 8; so a straight is 5 or 10, a cross 15, a
 * corner 3, 6, 12 or 9. Where the arrows point is kept once (`arrow`, 0 for none yet): with it a corner that lies a certain way has a
 * certain face. The rules keep a map from squares to dice, here are the dice in the order in which they were laid, with their squares
 * (16 to a row, the first die in the middle); each of the two follows from the other, since the line runs through the dice in that order.
 * `head` and `side` are where the next die comes in; `want` and `ban` its sides that neighbours make open or closed. These and whose turn
 * it is follow from the rest. A step is one move, and after MOST dice none is made: 1 + MOST steps. The states stored are
 * those that tablelaw counts in so many steps.
 */
#ifndef MOST
#define MOST 8
#endif
#define OPPOSITE(b) (b < 4 -> b << 2 : b >> 2)
#define BESIDE(c, b) (b == 1 -> c - 16 : (b == 2 -> c + 1 : (b == 4 -> c + 16 : c - 1)))
#define LIES(c, i) cell[i] == c -> die[i]
#define AT(c) (LIES(c, 0) : (LIES(c, 1) : (LIES(c, 2) : (LIES(c, 3) : (LIES(c, 4) : (LIES(c, 5) : (LIES(c, 6) : (LIES(c, 7) : 0))))))))
#define LOOK(b) \
  d = AT(BESIDE(head, b)); \
  if :: d && (d & OPPOSITE(b)) -> want = want | b :: d && !(d & OPPOSITE(b)) -> ban = ban | b :: !d fi
#define FITS(m) ((m & want) == want && !(m & ban))
#define GOING (moving && !out && !closed && count < MOST)
#define STUCK (!(FITS(5) || FITS(10) || FITS(15) || FITS(3) || FITS(6) || FITS(12) || FITS(9)))
/* Any die that goes here, and where no corner lies yet any arrow. */
#define CHOOSE \
  if :: FITS(5) -> m = 5 :: FITS(10) -> m = 10 :: FITS(15) -> m = 15 \
     :: FITS(3) -> m = 3 :: FITS(6) -> m = 6 :: FITS(12) -> m = 12 :: FITS(9) -> m = 9 fi; \
  if :: m == 5 || m == 10 || m == 15 || arrow \
     :: m != 5 && m != 10 && m != 15 && !arrow -> if :: arrow = 1 :: arrow = 2 :: arrow = 4 :: arrow = 8 fi fi

byte count, arrow, side, want, ban;
byte die[8], cell[8], head;
bool moving, out, closed;
byte m, at, from, d; /* 0 between moves */

active proctype game() {
  do
  :: d_step { !moving -> moving = true } /* no-deal */
  :: atomic { /* first */
       GOING && count == 0 -> CHOOSE; d_step { cell[0] = 136; die[0] = m; count = 1; m = 0 }
     }
  :: atomic { /* lay; the second die shows the way out */
       GOING && count > 0 && !STUCK ->
         if
         :: count == 1 && (die[0] & 1) -> side = 4
         :: count == 1 && (die[0] & 2) -> side = 8
         :: count == 1 && (die[0] & 4) -> side = 1
         :: count == 1 && (die[0] & 8) -> side = 2
         :: count > 1
         fi;
         if :: count == 1 -> head = BESIDE(136, OPPOSITE(side)); want = side :: count > 1 fi;
         CHOOSE;
         d_step { /* the line is followed, through dice that lie already, to where it goes on or back to where this die came in */
           cell[count] = head; die[count] = m; count++; m = 0;
           at = head; from = side;
           do
           :: d = AT(at); from = (d == 15 -> OPPOSITE(from) : d - from); at = BESIDE(at, from); from = OPPOSITE(from);
              if :: at == head && from == side -> closed = true; break :: else fi;
              if :: AT(at) == 0 -> head = at; side = from; want = 0; ban = 0; LOOK(1); LOOK(2); LOOK(4); LOOK(8); break :: else fi
           od;
           at = 0; from = 0; d = 0
         }
     }
  :: d_step { GOING && count > 1 && STUCK -> out = true }
  :: out || closed || count == MOST /* no new state */
  od
}
