------------------------------ MODULE FairShare ------------------------------
(***************************************************************************)
(* Two or three share lanes of one group under EEVDF: who has the turn,    *)
(* what is granted, what a call in flight has earmarked, what is settled   *)
(* and given back, and where a lane that wakes is seated.  The code is     *)
(* lanes/fairshare.Node as a room uses it: a declaration is settled in the *)
(* same step, and a turn is asked for and reserved in one.  An action has  *)
(* the name of the Go method that it stands for.                           *)
(*                                                                         *)
(* The quantum is MaxCost, so that one grant is what the next call lacks.  *)
(*                                                                         *)
(* Virtual service v is kept times Scale, so that it is whole, and above   *)
(* the lowest, so that there are finitely many states: a lead that all     *)
(* have makes no difference.  A lane that wakes is seated at most Credit   *)
(* behind the front, the mean over those that have work, or, if none has,  *)
(* the one ahead; so nothing hangs on how far an idle lane is behind,      *)
(* beyond the Credit and what may yet be given back.                       *)
(*                                                                         *)
(* A mean over two lanes need not be whole, whatever the Scale: the third  *)
(* wakes only where it is.  With Fine there are more such places.          *)
(*                                                                         *)
(* Supply 0 stands for a node that mints what it needs: then neither what  *)
(* is free nor what is spent is counted, since both grow for ever.         *)
(***************************************************************************)
EXTENDS Integers, FiniteSets

CONSTANTS
    Weight1, Weight2, Weight3,  \* 0: there is no third lane
    Fine,     \* how many times finer than the weights ask a front may be
    MaxCost, MaxOpen,
    Supply,   \* all that there is to grant, or 0
    Credit,   \* what a lane may be owed still when it wakes
    Cancels,  \* a call may be charged nothing
    Fault     \* the rule that a negative configuration breaks, or "none"

Lanes == IF Weight3 > 0 THEN 1..3 ELSE 1..2
Pairs == {p \in Lanes \X Lanes : p[1] < p[2]}
Costs == 1..MaxCost
Weight(l) == <<Weight1, Weight2, Weight3>>[l]
Finite == Supply > 0

\* What a third lane is owed still would have a part in the front of the others.
ASSUME Weight3 = 0 \/ Credit = 0

VARIABLES
    v,      \* lane -> virtual service, by which turns are given
    ref,    \* lane -> what it ought to be: v, unless a fault makes it differ
    head,   \* lane -> what its next call costs, 0 if it has no work
    held,   \* lane -> units granted and not reserved
    open,   \* lane, cost -> its calls of that cost that are in flight
    free,   \* units at the root
    spent,  \* lane -> units settled
    gap     \* pair -> how far apart the two were when both had work last began

vars == <<v, ref, head, held, open, free, spent, gap>>

Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b
Apart(w, p) == Max(w[p[1]] - w[p[2]], w[p[2]] - w[p[1]])
Scale == Fine * Weight1 * Weight2 * Max(Weight3, 1)
Worth(l, units) == (units * Scale) \div Weight(l)

Highest(w) == CHOOSE x \in {w[l] : l \in Lanes} : \A l \in Lanes : w[l] <= x
Lowest(w, ls) == CHOOSE x \in {w[l] : l \in ls} : \A l \in ls : x <= w[l]

RECURSIVE Sum(_, _)
Sum(f, ls) == IF ls = {} THEN 0 ELSE LET l == CHOOSE l \in ls : TRUE IN f[l] + Sum(f, ls \ {l})
Service(w, ls) == Sum([l \in Lanes |-> w[l] * Weight(l)], ls)
Weights(ls) == Sum([l \in Lanes |-> Weight(l)], ls)

Busy(h) == {l \in Lanes : h[l] > 0}
Level(w) == [l \in Lanes |-> w[l] - Lowest(w, Lanes)]
Earmarked(o, l) == o[l][1] + IF MaxCost > 1 THEN 2 * o[l][2] ELSE 0

\* Where the front is for a lane that wakes, by what had work before.
Mean(w, ls) == Service(w, ls) \div Weights(ls)
Front(w, h) == IF Busy(h) = {} THEN Highest(w) ELSE Mean(w, Busy(h))
IsWhole(w, h) == IF Busy(h) = {} THEN TRUE ELSE Service(w, Busy(h)) % Weights(Busy(h)) = 0
Seated(w, h, l) == [w EXCEPT ![l] = Max(@, Front(w, h) - Worth(l, Credit))]

\* What a state is, beside leads and lags that make no difference: no front will
\* ever be behind what the last of those that have work has spent.
Normal(w, h, d, o) ==
    LET least == [l \in Lanes |-> w[l] - Worth(l, d[l] + Earmarked(o, l))]
        front == IF Busy(h) = {} THEN Highest(least) ELSE Lowest(least, Busy(h))
    IN  Level([l \in Lanes |-> IF h[l] > 0 THEN w[l] ELSE Max(w[l], front - Worth(l, Credit))])

\* The same with a rule broken.  NotClamped: who wakes keeps the credit of the time
\* in which it had no work.  NotReset: so does who is the first to wake.  FrontOfAll:
\* lanes without work have a part in the front.
Keeps(h) == Fault = "NotClamped" \/ (Fault = "NotReset" /\ Busy(h) = {})
BrokenSeat(w, h, l) ==
    IF Keeps(h) THEN w
    ELSE IF Fault = "FrontOfAll" /\ Busy(h) # {} THEN [w EXCEPT ![l] = Max(@, Mean(w, Lanes))]
    ELSE Seated(w, h, l)
Broken(w, h, d, o) ==
    IF Keeps(h) \/ Fault = "FrontOfAll" THEN Level(w) ELSE Normal(w, h, d, o)

Init ==
    /\ v = [l \in Lanes |-> 0] /\ ref = v
    /\ head = [l \in Lanes |-> 0]
    /\ held = [l \in Lanes |-> 0]
    /\ open = [l \in Lanes |-> [c \in Costs |-> 0]]
    /\ free = Supply
    /\ spent = [l \in Lanes |-> 0]
    /\ gap = [p \in Pairs |-> 0]

Counted(units) == IF Finite THEN units ELSE 0

Both(h, p) == h[p[1]] > 0 /\ h[p[2]] > 0

\* A lane without work gives back what it holds, and its virtual service with it.
GivesBack(l) == IF Fault = "KeepsWhatItHolds" THEN 0 ELSE held[l]

\* A lane's work changes; one that had none is seated.
SetBacklog(l, c) ==
    /\ c # head[l]
    /\ head[l] = 0 => IsWhole(v, head) /\ IsWhole(ref, head)
    /\ head' = [head EXCEPT ![l] = c]
    /\ LET back == IF c = 0 THEN GivesBack(l) ELSE 0
           wakes == head[l] = 0
           less(w) == [w EXCEPT ![l] = @ - Worth(l, back)]
       IN  /\ held' = [held EXCEPT ![l] = @ - back]
           /\ free' = free + Counted(back)
           /\ v' = Broken(IF wakes THEN BrokenSeat(v, head, l) ELSE less(v), head', held', open)
           /\ ref' = Normal(IF wakes THEN Seated(ref, head, l) ELSE less(ref), head', held', open)
    /\ gap' = [p \in Pairs |-> IF ~Both(head', p) THEN 0 ELSE IF Both(head, p) THEN gap[p] ELSE Apart(ref', p)]
    /\ UNCHANGED <<open, spent>>

Ask(l) == head[l] - held[l]
Ready == {l \in Busy(head) : Ask(l) <= 0}
Eligible(l) == v[l] * Weights(Busy(head)) <= Service(v, Busy(head))
Deadline(l) == v[l] + Worth(l, Ask(l))

\* Who holds what its next call costs, or else the eligible lane of the earliest
\* deadline; the first name, if both are.
Turn == IF Ready # {} THEN CHOOSE l \in Ready : \A o \in Ready : l <= o
        ELSE CHOOSE l \in Busy(head) :
            IF Fault = "DeadlinesIgnored" THEN \A o \in Busy(head) : l <= o
            ELSE /\ Eligible(l)
                 /\ \A o \in Busy(head) : Eligible(o) =>
                        Deadline(l) < Deadline(o) \/ (Deadline(l) = Deadline(o) /\ l <= o)

Open == Sum([l \in Lanes |-> Sum(open[l], Costs)], Lanes)

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
\* began, or than the largest call at the smaller weight, whatever others do.  Who
\* wakes begins at most Credit behind.
PairIsBounded == \A p \in Pairs : Both(head, p) =>
    Apart(ref, p) <= Max(gap[p], Max(Worth(p[1], MaxCost), Worth(p[2], MaxCost)))

\* While a lane has work, somebody has the turn.
WorkIsConserved == Busy(head) # {} => \E l \in Busy(head) : Turn = l

\* What was minted is at the root, held, earmarked or spent.
SupplyIsConserved == Finite =>
    Supply = free + Sum([l \in Lanes |-> held[l] + Earmarked(open, l) + spent[l]], Lanes)

\* A lane without work holds nothing that another could use.
IdleHoldsNothing == \A l \in Lanes : head[l] = 0 => held[l] = 0

\* What the calls in flight earmarked is within what may be in flight.
CallsAreBounded == Open <= MaxOpen

\* A lane that has work is served sooner or later, if calls are charged something.
EveryShareLaneIsServed == \A l \in Lanes :
    []<>(head[l] = 0) \/ []<><<\E c \in Costs : open'[l][c] > open[l][c]>>_vars
=============================================================================
