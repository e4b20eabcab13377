-------------------------------- MODULE Ferry --------------------------------
(***************************************************************************)
(* The make and keyed kernels: one bounded line, first come, first served, *)
(* and up to MaxInFlight batches out at once.  The room is lanes.Queue,    *)
(* the actions around it are the critical sections of package ferry; an    *)
(* action has the name of the Go method that it stands for.                *)
(*                                                                         *)
(* Callers, time and the end of a call are as in PerKey.tla.               *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANTS
    Callers, Weights,
    MaxBatchSize, MaxBatchWeight, MaxBatchDelay,  \* the delay in ticks
    MaxInFlight, MaxQueued, MaxQueuedWeight,
    Never,     \* TRUE: MaxBatchDelay is never, and 1 stands for "flushed"
    Flushes, Closes,
    Fault      \* the rule that a negative configuration breaks, or "none"

VARIABLES
    stage,     \* caller -> where it is
    ask,       \* caller -> the weight it has in hand while "checked", else 0
    room,      \* the inputs that wait, in the order of arrival
    slots,     \* how many batches the room holds to be out
    calls,     \* worker -> what it has in hand
    closed

vars == <<stage, ask, room, slots, calls, closed>>

\* A room that is one too lax can have one batch more out.
Workers == 1..(MaxInFlight + 1)
None == [phase |-> "none", who |-> {}, freed |-> FALSE]

RECURSIVE Sum(_)
Sum(s) == IF s = <<>> THEN 0 ELSE Head(s).weight + Sum(Tail(s))

-----------------------------------------------------------------------------
(* What the room decides, as functions of what waits.                      *)

Full(s) == Len(s) >= MaxBatchSize \/ Sum(s) >= MaxBatchWeight
\* The delay counts from the oldest input.
Due(s) == LET i == IF Fault = "DeadlineFromNewest" THEN s[Len(s)] ELSE Head(s)
          IN  i.age = MaxBatchDelay
IsReady(s) == s # <<>> /\ (Full(s) \/ Due(s))

Fits(s, n) == n <= MaxBatchSize /\ Sum(SubSeq(s, 1, n)) <= MaxBatchWeight
\* How long the longest prefix within the bounds is; it is never empty.
BatchSize(s) == CHOOSE n \in 1..Len(s) : (n = 1 \/ Fits(s, n)) /\ \A m \in (n+1)..Len(s) : ~Fits(s, m)

-----------------------------------------------------------------------------
Init ==
    /\ stage = [c \in Callers |-> "idle"]
    /\ ask = [c \in Callers |-> 0]
    /\ room = <<>>
    /\ slots = 0
    /\ calls = [w \in Workers |-> None]
    /\ closed = FALSE

\* An input that finds the room full, or the batcher closed, is answered at once
\* and changes nothing: such steps are left out.
Enter(c, weight) ==
    /\ Fault # "AdmitPastBound" =>
         /\ Len(room) < MaxQueued
         /\ Sum(room) + weight <= MaxQueuedWeight
    /\ stage' = [stage EXCEPT ![c] = "waiting"]
    /\ room' = Append(room, [caller |-> c, weight |-> weight,
                             age |-> IF MaxBatchDelay = 0 THEN MaxBatchDelay ELSE 0])
    /\ UNCHANGED <<slots, calls, closed>>

Admit(c, weight) ==
    /\ Fault # "ClosedCheckApart"
    /\ stage[c] = "idle" /\ ~closed
    /\ Enter(c, weight)
    /\ UNCHANGED ask

\* Fault ClosedCheckApart: the look at closed is a step of its own.
Check(c, weight) ==
    /\ Fault = "ClosedCheckApart"
    /\ stage[c] = "idle" /\ ~closed
    /\ stage' = [stage EXCEPT ![c] = "checked"]
    /\ ask' = [ask EXCEPT ![c] = weight]
    /\ UNCHANGED <<room, slots, calls, closed>>

AdmitUnchecked(c) ==
    /\ stage[c] = "checked"
    /\ Enter(c, ask[c])
    /\ ask' = [ask EXCEPT ![c] = 0]

\* A caller that waits gives up: its input leaves the room at once.
Withdraw(c) ==
    /\ stage[c] = "waiting"
    /\ stage' = [stage EXCEPT ![c] = "idle"]
    /\ room' = SelectSeq(room, LAMBDA i : i.caller # c)
    /\ UNCHANGED <<ask, slots, calls, closed>>

\* A caller gives up whose input is out, or was turned out by Close: it has its
\* answer, and whoever holds the input lets go of it later.
GiveUp(c) ==
    /\ stage[c] \in {"taken", "drained"}
    /\ stage' = [stage EXCEPT ![c] = "gone"]
    /\ UNCHANGED <<ask, room, slots, calls, closed>>

\* The first idle worker takes the next batch.
Take ==
    /\ IsReady(room) /\ slots < MaxInFlight
    /\ LET n == BatchSize(room)
           who == {room[i].caller : i \in 1..n}
           free == {v \in Workers : calls[v].phase = "none"}
           w == CHOOSE v \in free : \A u \in free : v <= u
       IN  /\ free # {}
           /\ stage' = [c \in Callers |-> IF c \in who THEN "taken" ELSE stage[c]]
           /\ room' = SubSeq(room, n + 1, Len(room))
           /\ calls' = [calls EXCEPT ![w] = [phase |-> "out", who |-> who, freed |-> Fault = "ReleaseEarly"]]
    /\ slots' = IF Fault = "ReleaseEarly" THEN slots ELSE slots + 1
    /\ UNCHANGED <<ask, closed>>

\* Before the call, those who gave up are left out; nobody left, no call.
Run(w) ==
    LET live == {c \in calls[w].who : stage[c] # "gone"}
    IN  /\ calls[w].phase = "out"
        /\ stage' = [c \in Callers |-> IF c \in calls[w].who \ live THEN "idle" ELSE stage[c]]
        /\ calls' = [calls EXCEPT ![w].who = live,
                                  ![w].phase = IF live = {} THEN "ended" ELSE "running"]
        /\ UNCHANGED <<ask, room, slots, closed>>

End(w) ==
    /\ calls[w].phase = "running"
    /\ calls' = [calls EXCEPT ![w].phase = "ended"]
    /\ UNCHANGED <<stage, ask, room, slots, closed>>

\* A caller of a batch is told.  Fault StrandOnEnd: the call's end takes its worker
\* along, and nobody is.
Settle(w, c) ==
    /\ Fault # "StrandOnEnd"
    /\ calls[w].phase = "ended" /\ c \in calls[w].who
    /\ stage' = [stage EXCEPT ![c] = "idle"]
    /\ calls' = [calls EXCEPT ![w].who = @ \ {c}]
    /\ UNCHANGED <<ask, room, slots, closed>>

\* The slot is given back once the call is over.
Release(w) ==
    /\ calls[w].phase = "ended" /\ calls[w].who = {}
    /\ calls' = [calls EXCEPT ![w] = None]
    /\ slots' = IF calls[w].freed THEN slots ELSE slots - 1
    /\ UNCHANGED <<stage, ask, room, closed>>

Aged(r, by) == [i \in 1..Len(r) |-> [r[i] EXCEPT !.age = IF @ + by > MaxBatchDelay THEN MaxBatchDelay ELSE @ + by]]
Young == \E i \in 1..Len(room) : room[i].age < MaxBatchDelay

Tick ==
    /\ ~Never /\ Young
    /\ room' = Aged(room, 1)
    /\ UNCHANGED <<stage, ask, slots, calls, closed>>

Flush ==
    /\ Flushes /\ Young
    /\ room' = Aged(room, MaxBatchDelay)
    /\ UNCHANGED <<stage, ask, slots, calls, closed>>

\* Close: in one step the room is closed and emptied.  Whom it turned out it
\* tells afterwards, one by one.
Drain ==
    /\ Closes /\ ~closed
    /\ closed' = TRUE
    /\ room' = <<>>
    /\ stage' = [c \in Callers |-> IF stage[c] # "waiting" THEN stage[c]
                                   ELSE IF Fault = "DropEntries" THEN "lost" ELSE "drained"]
    /\ UNCHANGED <<ask, slots, calls>>

Held(c) == \E w \in Workers : c \in calls[w].who

SettleDrained(c) ==
    /\ stage[c] = "drained" \/ (stage[c] = "gone" /\ ~Held(c))
    /\ stage' = [stage EXCEPT ![c] = "idle"]
    /\ UNCHANGED <<ask, room, slots, calls, closed>>

Next ==
    \/ \E c \in Callers, weight \in Weights : Admit(c, weight) \/ Check(c, weight)
    \/ \E c \in Callers : AdmitUnchecked(c) \/ Withdraw(c) \/ GiveUp(c) \/ SettleDrained(c)
    \/ \E w \in Workers : Run(w) \/ End(w) \/ Release(w) \/ \E c \in Callers : Settle(w, c)
    \/ Take \/ Tick \/ Flush \/ Drain

\* What workers, time and Close can do they do sooner or later; what callers can
\* do may never happen.
Fairness ==
    /\ WF_vars(Take) /\ WF_vars(Tick)
    /\ \A w \in Workers : WF_vars(Run(w)) /\ WF_vars(End(w)) /\ WF_vars(Release(w))
    /\ \A c \in Callers : WF_vars(SettleDrained(c)) /\ WF_vars(\E w \in Workers : Settle(w, c))

Spec == Init /\ [][Next]_vars /\ Fairness

-----------------------------------------------------------------------------
(* Invariants, by the names that the explorer gives them.                  *)

Places(c) == Cardinality({i \in 1..Len(room) : room[i].caller = c})
             + Cardinality({w \in Workers : c \in calls[w].who})

\* Every input that is owed an answer is in exactly one place, and no place
\* holds one that is owed none.
OneOwner == \A c \in Callers :
    /\ stage[c] \in {"waiting", "taken"} => Places(c) = 1
    /\ stage[c] \in {"idle", "checked", "drained"} => Places(c) = 0
    /\ stage[c] # "lost"

RoomIsBounded == Len(room) <= MaxQueued /\ Sum(room) <= MaxQueuedWeight
SlotsAreBounded == Cardinality({w \in Workers : calls[w].phase # "none"}) <= MaxInFlight
ClosedIsEmpty == closed => room = <<>>

\* A batch is ready exactly if the room is full to a batch's bounds or its oldest
\* input is due.
LineHoldsReady == IsReady(room) <=>
    room # <<>> /\ (Full(room) \/ Head(room).age = MaxBatchDelay)

\* What a batch leaves behind came after all that it took.
OrderIsKept == [][\A i, j \in 1..Len(room) :
    (/\ stage[room[i].caller] = "waiting" /\ stage'[room[i].caller] = "taken"
     /\ stage'[room[j].caller] = "waiting")
    => i < j]_vars

(* Liveness.                                                               *)

\* No caller is stranded: by load, close, cancellation, or the end of a call.
EveryInputIsAnswered == \A c \in Callers : stage[c] # "idle" ~> stage[c] = "idle"

LeavesRoom == \E i \in 1..Len(room) : stage'[room[i].caller] # "waiting"
\* A room that holds inputs loses one sooner or later.
EveryLaneIsTaken == []<>(room = <<>>) \/ []<><<LeavesRoom>>_vars

\* Close returns: once closed, nothing is out in the end.
CloseReturns == closed ~> (\A w \in Workers : calls[w] = None) /\ \A c \in Callers : stage[c] = "idle"

Symmetry == Permutations(Callers)
=============================================================================
