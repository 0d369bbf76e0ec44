/* Nim with three heaps for Spin, as examples/nim/rules.yaml has it. -DHEAP=7 (or another number) gives the three heaps.
 *
 * Correspondence: `heap` and `turn` as there; one atomic step is one `take(from_heap, n)`, taken in ones, where only the whole
 * take is a state. The states stored are those that tablelaw counts: 1,016 for 7-7-7.
 */
#ifndef HEAP
#define HEAP 7
#endif
#define TAKE(h) atomic { heap[h] > 0 -> heap[h]--; do :: heap[h] > 0 -> heap[h]-- :: break od; turn = 1 - turn }

byte heap[3] = HEAP;
byte turn;

active proctype game() {
  do
  :: TAKE(0)
  :: TAKE(1)
  :: TAKE(2)
  :: heap[0] == 0 && heap[1] == 0 && heap[2] == 0 /* the end; no new state */
  od
}
