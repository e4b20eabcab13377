------------------------------ MODULE FairShare ------------------------------
(***************************************************************************)
(* Two share lanes of one group under EEVDF: who has the turn, what a call *)
(* in flight holds, and where a lane that wakes is seated.  The code is    *)
(* lanes/fairshare.Node as a room uses it: a declaration is settled in the *)
(* same step, and a turn is reserved in the step in which it is asked for. *)
(*                                                                         *)
(* Virtual service v is kept times Weight1*Weight2, so that it is whole,   *)
(* and above the lower of the two, so that there are finitely many states: *)
(* a lead that both have makes no difference.  An idle lane that is behind *)
(* is seated level with the other when it wakes, so it is level already;   *)
(* of two idle ones none keeps a credit.                                   *)
(***************************************************************************)
EXTENDS Integers, FiniteSets

CONSTANTS Weight1, Weight2, MaxCost, MaxOpen, Fault

Lanes == 1..2
Costs == 1..MaxCost
Weight(l) == IF l = 1 THEN Weight1 ELSE Weight2
Other(l) == 3 - l

VARIABLES
    v,      \* lane -> virtual service
    head,   \* lane -> what its next call costs, 0 if it has no work
    open,   \* lane, cost -> its calls of that cost that are in flight
    gap     \* how far apart the two were when both had work last began

vars == <<v, head, open, gap>>

Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b
Apart(w) == Max(w[1] - w[2], w[2] - w[1])

Busy(h) == {l \in Lanes : h[l] > 0}
Level(w) == [l \in Lanes |-> w[l] - Min(w[1], w[2])]

\* What a state is, beside names and leads that make no difference.
Normal(w, h) ==
    IF Busy(h) = {} THEN [l \in Lanes |-> 0]
    ELSE IF Busy(h) = Lanes THEN Level(w)
    ELSE LET b == CHOOSE l \in Lanes : h[l] > 0
         IN  Level([w EXCEPT ![Other(b)] = Max(@, w[b])])

Init ==
    /\ v = [l \in Lanes |-> 0]
    /\ head = [l \in Lanes |-> 0]
    /\ open = [l \in Lanes |-> [c \in Costs |-> 0]]
    /\ gap = 0

\* A lane's work changes; one that had none is seated, which Normal has done.
SetBacklog(l, c) ==
    /\ c # head[l]
    /\ head' = [head EXCEPT ![l] = c]
    /\ v' = Normal(v, head')
    /\ gap' = IF Busy(head') # Lanes THEN 0 ELSE IF Busy(head) = Lanes THEN gap ELSE Apart(v)
    /\ UNCHANGED open

Mean(l) == v[1] * Weight1 + v[2] * Weight2
Eligible(l) == IF Busy(head) = Lanes THEN v[l] * (Weight1 + Weight2) <= Mean(l) ELSE TRUE
Grown(l) == v[l] + (head[l] * Weight1 * Weight2) \div Weight(l)

\* The eligible lane of the earliest deadline; the first name, if both are.
Turn == CHOOSE l \in Busy(head) :
    IF Fault = "DeadlinesIgnored" THEN \A o \in Busy(head) : l <= o
    ELSE /\ Eligible(l)
         /\ \A o \in Busy(head) : Eligible(o) => Grown(l) < Grown(o) \/ (Grown(l) = Grown(o) /\ l <= o)

Open == open[1][1] + open[2][1] + IF MaxCost > 1 THEN open[1][2] + open[2][2] ELSE 0

Reserve ==
    /\ Busy(head) # {} /\ Open < MaxOpen
    /\ v' = Normal([v EXCEPT ![Turn] = Grown(Turn)], head)
    /\ open' = [open EXCEPT ![Turn][head[Turn]] = @ + 1]
    /\ UNCHANGED <<head, gap>>

Complete(l, c) ==
    /\ open[l][c] > 0
    /\ open' = [open EXCEPT ![l][c] = @ - 1]
    /\ UNCHANGED <<v, head, gap>>

Next == \/ \E l \in Lanes, c \in 0..MaxCost : SetBacklog(l, c)
        \/ Reserve
        \/ \E l \in Lanes, c \in Costs : Complete(l, c)

Spec == Init /\ [][Next]_vars /\ WF_vars(Reserve)
             /\ \A l \in Lanes, c \in Costs : WF_vars(Complete(l, c))

-----------------------------------------------------------------------------
\* Two lanes that have work all the while are never further apart than when that
\* began, or than the largest call at the smaller weight.
PairIsBounded == Busy(head) = Lanes =>
    Apart(v) <= Max(gap, MaxCost * Max(Weight1, Weight2))

\* While a lane has work, somebody has the turn.
WorkIsConserved == Busy(head) # {} => \E l \in Busy(head) : Turn = l

\* A lane that has work is served sooner or later.
EveryShareLaneIsServed == \A l \in Lanes :
    []<>(head[l] = 0) \/ []<><<\E c \in Costs : open'[l][c] > open[l][c]>>_vars
=============================================================================
