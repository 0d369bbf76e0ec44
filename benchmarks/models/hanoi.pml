/* The Tower of Hanoi with four pegs for Spin, as examples/hanoi/rules.yaml has it with pegs=4. -DTOWER=1023 (or another
 * number 2^n - 1) gives the discs.
 *
 * Correspondence: there `peg` tells for each disc its peg; here `on[p]` tells for each peg its discs, disc d as the bit 1 << d - 1,
 * so that the top disc is the lowest bit. Each of the two follows from the other, so the states stored are those that tablelaw
 * counts: 1,048,576 for ten discs. One d_step is one `move(disc, to)`, named by the pegs it goes from and to. They stand
 * in the order that leads depth-first search least deep, of a dozen tried: that takes a third off its time.
 */
#ifndef TOWER
#define TOWER 1023
#endif
#define TOP(p) (on[p] & -on[p])
#define MOVE(p, q) d_step { on[p] && (!on[q] || TOP(p) < TOP(q)) -> on[q] = on[q] | TOP(p); on[p] = on[p] & (on[p] - 1) }

short on[4] = { TOWER, 0, 0, 0 };

active proctype game() {
  do
  :: MOVE(1, 0)
  :: MOVE(0, 1)
  :: MOVE(2, 0)
  :: MOVE(0, 2)
  :: MOVE(3, 0)
  :: MOVE(0, 3)
  :: MOVE(2, 1)
  :: MOVE(1, 2)
  :: MOVE(3, 1)
  :: MOVE(1, 3)
  :: MOVE(3, 2)
  :: MOVE(2, 3)
  od
}
