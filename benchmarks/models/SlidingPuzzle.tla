---- MODULE SlidingPuzzle ----
\* The sliding puzzle on three rows of three for TLC; names as in examples/sliding-puzzle/rules.yaml. One Slide is one step.
EXTENDS Naturals
VARIABLES frame, gap

Beside(s, t) == \/ s + 3 = t \/ t + 3 = s
                \/ /\ s \div 3 = t \div 3
                   /\ s + 1 = t \/ t + 1 = s

Init == frame = [s \in 0..8 |-> s] /\ gap = 0
Slide(s) == /\ Beside(s, gap)
            /\ frame' = [frame EXCEPT ![gap] = frame[s], ![s] = 0]
            /\ gap' = s
Next == \E s \in 0..8 : Slide(s)
Spec == Init /\ [][Next]_<<frame, gap>>
====
