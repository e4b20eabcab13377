------------------------------ MODULE FairShare ------------------------------
(***************************************************************************)
(* Two share lanes of one group under EEVDF: who has the turn, what is     *)
(* granted, what a call in flight has earmarked, what is settled and given *)
(* back, and where a lane that wakes is seated.  The code is               *)
(* lanes/fairshare.Node as a room uses it: a declaration is settled in the *)
(* same step, and a turn is asked for and reserved in one.  An action has  *)
(* the name of the Go method that it stands for.                           *)
(*                                                                         *)
(* The quantum is MaxCost, so that one grant is what the next call lacks.  *)
(*                                                                         *)
(* Virtual service v is kept times Weight1*Weight2, so that it is whole,   *)
(* and above the lower of the two, so that there are finitely many states: *)
(* a lead that both have makes no difference.  An idle lane that is behind *)
(* is seated at most Credit behind the other when it wakes, or, of two     *)
(* idle ones, behind the one ahead; so nothing hangs on how far it is      *)
(* behind, beyond the Credit and what may yet be given back.               *)
(*                                                                         *)
(* Supply 0 stands for a node that mints what it needs: then neither what  *)
(* is free nor what is spent is counted, since both grow for ever.         *)
(***************************************************************************)
EXTENDS Integers, FiniteSets

CONSTANTS
    Weight1, Weight2, MaxCost, MaxOpen,
    Supply,   \* all that there is to grant, or 0
    Credit,   \* what a lane may be owed still when it wakes
    Cancels,  \* a call may be charged nothing
    Fault     \* the rule that a negative configuration breaks, or "none"

Lanes == 1..2
Costs == 1..MaxCost
Weight(l) == IF l = 1 THEN Weight1 ELSE Weight2
Other(l) == 3 - l
Finite == Supply > 0

VARIABLES
    v,      \* lane -> virtual service, by which turns are given
    ref,    \* lane -> what it ought to be: v, unless a fault makes it differ
    head,   \* lane -> what its next call costs, 0 if it has no work
    held,   \* lane -> units granted and not reserved
    open,   \* lane, cost -> its calls of that cost that are in flight
    free,   \* units at the root
    spent,  \* lane -> units settled
    gap     \* how far apart the two were when both had work last began

vars == <<v, ref, head, held, open, free, spent, gap>>

Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b
Apart(w) == Max(w[1] - w[2], w[2] - w[1])
Worth(l, units) == (units * Weight1 * Weight2) \div Weight(l)

Busy(h) == {l \in Lanes : h[l] > 0}
Level(w) == [l \in Lanes |-> w[l] - Min(w[1], w[2])]
Earmarked(o, l) == o[l][1] + IF MaxCost > 1 THEN 2 * o[l][2] ELSE 0

\* Where the front is for a lane that wakes, by what had work before.
Front(w, h) ==
    IF Busy(h) = {} THEN Max(w[1], w[2]) ELSE LET b == CHOOSE l \in Lanes : h[l] > 0 IN w[b]
Seated(w, h, l) == [w EXCEPT ![l] = Max(@, Front(w, h) - Worth(l, Credit))]

\* What a state is, beside leads and lags that make no difference: the front will
\* never be behind what its lane has spent.
Normal(w, h, d, o) ==
    LET least == [l \in Lanes |-> w[l] - Worth(l, d[l] + Earmarked(o, l))]
    IN  Level([l \in Lanes |-> IF h[l] > 0 THEN w[l] ELSE Max(w[l], Front(least, h) - Worth(l, Credit))])

\* The same with a rule broken.  NotClamped: who wakes keeps the credit of the time
\* in which it had no work.  NotReset: so does who is the first to wake.
BrokenSeat(w, h, l) ==
    IF Fault = "NotClamped" \/ (Fault = "NotReset" /\ Busy(h) = {}) THEN w ELSE Seated(w, h, l)
Broken(w, h, d, o) ==
    IF Fault = "NotClamped" \/ (Fault = "NotReset" /\ Busy(h) = {}) THEN Level(w) ELSE Normal(w, h, d, o)

Init ==
    /\ v = [l \in Lanes |-> 0] /\ ref = v
    /\ head = [l \in Lanes |-> 0]
    /\ held = [l \in Lanes |-> 0]
    /\ open = [l \in Lanes |-> [c \in Costs |-> 0]]
    /\ free = Supply
    /\ spent = [l \in Lanes |-> 0]
    /\ gap = 0

Counted(units) == IF Finite THEN units ELSE 0

\* A lane without work gives back what it holds, and its virtual service with it.
GivesBack(l) == IF Fault = "KeepsWhatItHolds" THEN 0 ELSE held[l]

\* A lane's work changes; one that had none is seated.
SetBacklog(l, c) ==
    /\ c # head[l]
    /\ head' = [head EXCEPT ![l] = c]
    /\ LET back == IF c = 0 THEN GivesBack(l) ELSE 0
           wakes == head[l] = 0
           less(w) == [w EXCEPT ![l] = @ - Worth(l, back)]
       IN  /\ held' = [held EXCEPT ![l] = @ - back]
           /\ free' = free + Counted(back)
           /\ v' = Broken(IF wakes THEN BrokenSeat(v, head, l) ELSE less(v), head', held', open)
           /\ ref' = Normal(IF wakes THEN Seated(ref, head, l) ELSE less(ref), head', held', open)
    /\ gap' = IF Busy(head') # Lanes THEN 0 ELSE IF Busy(head) = Lanes THEN gap ELSE Apart(ref')
    /\ UNCHANGED <<open, spent>>

Ask(l) == head[l] - held[l]
Ready == {l \in Busy(head) : Ask(l) <= 0}
Mean == v[1] * Weight1 + v[2] * Weight2
Eligible(l) == IF Busy(head) = Lanes THEN v[l] * (Weight1 + Weight2) <= Mean ELSE TRUE
Deadline(l) == v[l] + Worth(l, Ask(l))

\* Who holds what its next call costs, or else the eligible lane of the earliest
\* deadline; the first name, if both are.
Turn == IF Ready # {} THEN CHOOSE l \in Ready : \A o \in Ready : l <= o
        ELSE CHOOSE l \in Busy(head) :
            IF Fault = "DeadlinesIgnored" THEN \A o \in Busy(head) : l <= o
            ELSE /\ Eligible(l)
                 /\ \A o \in Busy(head) : Eligible(o) =>
                        Deadline(l) < Deadline(o) \/ (Deadline(l) = Deadline(o) /\ l <= o)

Sum(f) == f[1] + f[2]
Open == open[1][1] + open[2][1] + IF MaxCost > 1 THEN open[1][2] + open[2][2] ELSE 0

\* Whoever has the turn is granted what its next call lacks, and reserves it.  Where
\* there is less, it gets that, and nobody reserves.
Reserve ==
    /\ Busy(head) # {} /\ Open < MaxOpen
    /\ LET l == Turn
           grant == Max(IF Finite THEN Min(Ask(l), free) ELSE Ask(l), 0)
           enough == held[l] + grant >= head[l]
       IN  /\ enough \/ grant > 0
           /\ free' = free - Counted(grant)
           /\ held' = [held EXCEPT ![l] = @ + grant - IF enough THEN head[l] ELSE 0]
           /\ open' = IF enough THEN [open EXCEPT ![l][head[l]] = @ + 1] ELSE open
           /\ v' = Broken([v EXCEPT ![l] = @ + Worth(l, grant)], head, held', open')
           /\ ref' = Normal([ref EXCEPT ![l] = @ + Worth(l, grant)], head, held', open')
    /\ UNCHANGED <<head, spent, gap>>

\* A call is settled: what it used is spent, the rest is its lane's again.
Settle(l, c, used) ==
    LET times == IF Fault = "SettledTwice" THEN 2 ELSE 1
        rest == c - used
        back == IF head[l] = 0 /\ Fault # "KeepsWhatItHolds" THEN rest ELSE 0
    IN  /\ open[l][c] > 0
        /\ open' = [open EXCEPT ![l][c] = @ - 1]
        /\ spent' = [spent EXCEPT ![l] = @ + Counted(times * used)]
        /\ held' = [held EXCEPT ![l] = @ + rest - back]
        /\ free' = free + Counted(back)
        /\ v' = Broken([v EXCEPT ![l] = @ - Worth(l, back)], head, held', open')
        /\ ref' = Normal([ref EXCEPT ![l] = @ - Worth(l, back)], head, held', open')
        /\ UNCHANGED <<head, gap>>

Complete(l, c, used) == used > 0 /\ Settle(l, c, used)
Cancel(l, c) == Cancels /\ Settle(l, c, 0)

Next == \/ \E l \in Lanes, c \in 0..MaxCost : SetBacklog(l, c)
        \/ Reserve
        \/ \E l \in Lanes, c \in Costs : Cancel(l, c) \/ \E used \in 1..c : Complete(l, c, used)

Spec == Init /\ [][Next]_vars /\ WF_vars(Reserve)
             /\ \A l \in Lanes, c \in Costs : WF_vars(Cancel(l, c) \/ \E used \in 1..c : Complete(l, c, used))

-----------------------------------------------------------------------------
\* Two lanes that have work all the while are never further apart than when that
\* began, or than the largest call at the smaller weight.  Who wakes begins at
\* most Credit behind.
PairIsBounded == Busy(head) = Lanes =>
    Apart(ref) <= Max(gap, MaxCost * Max(Weight1, Weight2))

\* While a lane has work, somebody has the turn.
WorkIsConserved == Busy(head) # {} => \E l \in Busy(head) : Turn = l

\* What was minted is at the root, held, earmarked or spent.
SupplyIsConserved == Finite =>
    Supply = free + Sum(held) + Earmarked(open, 1) + Earmarked(open, 2) + Sum(spent)

\* A lane without work holds nothing that another could use.
IdleHoldsNothing == \A l \in Lanes : head[l] = 0 => held[l] = 0

\* What the calls in flight earmarked is within what may be in flight.
CallsAreBounded == Open <= MaxOpen

\* A lane that has work is served sooner or later, if calls are charged something.
EveryShareLaneIsServed == \A l \in Lanes :
    []<>(head[l] = 0) \/ []<><<\E c \in Costs : open'[l][c] > open[l][c]>>_vars
=============================================================================
