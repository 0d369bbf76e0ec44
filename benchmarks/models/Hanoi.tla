---- MODULE Hanoi ----
\* The Tower of Hanoi with four pegs and ten discs for TLC; names as in examples/hanoi/rules.yaml. One Move is one step.
EXTENDS Naturals
VARIABLE peg

Init == peg = [d \in 1..10 |-> 1]
Move(d, to) == /\ to # peg[d]
               /\ \A e \in 1..(d - 1) : peg[e] # peg[d] /\ peg[e] # to
               /\ peg' = [peg EXCEPT ![d] = to]
Next == \E d \in 1..10, to \in 1..4 : Move(d, to)
Spec == Init /\ [][Next]_peg
====
