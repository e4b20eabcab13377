------------------------------- MODULE PerKey -------------------------------
(***************************************************************************)
(* The perkey kernel: a lane per key, at most one call of a key out at a   *)
(* time.  The room is lanes.Lanes, the actions around it are the critical  *)
(* sections of package ferry; an action has the name of the Go method that *)
(* it stands for.                                                          *)
(*                                                                         *)
(* A caller is a slot that is used again and again: it comes with an input *)
(* of any key, weight and rank, and is idle again once it has its answer   *)
(* and nobody holds its input any more.  How a call ends (an answer, an    *)
(* error, a panic, a Goexit) makes no difference to who is answered, so    *)
(* there is one End.                                                       *)
(*                                                                         *)
(* Time is the age of the inputs that wait, in ticks, up to MaxBatchDelay, *)
(* at which an input makes its lane due.  Flush makes what waits as old.   *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANTS
    Callers, Keys, Weights, Ranks,
    MaxBatchSize, MaxBatchWeight, MaxBatchDelay,  \* the delay in ticks
    MaxInFlight, MaxQueued, MaxQueuedWeight,
    Never,     \* TRUE: MaxBatchDelay is never, and 1 stands for "flushed"
    Direct, Flushes, Closes,
    Fault      \* the rule that a negative configuration breaks, or "none"

VARIABLES
    stage,     \* caller -> where it is
    ask,       \* caller -> what it has in hand while "checked", else NoAsk
    room,      \* the inputs that wait, in the order of arrival
    line,      \* the ready line: keys, first come, first served
    busy,      \* key -> the room holds its lane busy
    calls,     \* key -> sequence of calls that are out
    closed

vars == <<stage, ask, room, line, busy, calls, closed>>

NoAsk == <<>>

Range(s) == {s[i] : i \in 1..Len(s)}
Remove(s, x) == SelectSeq(s, LAMBDA y : y # x)

RECURSIVE Sum(_)
Sum(s) == IF s = <<>> THEN 0 ELSE Head(s).weight + Sum(Tail(s))

-----------------------------------------------------------------------------
(* What the room decides, as functions of what waits.                      *)

Lane(r, k) == SelectSeq(r, LAMBDA i : i.key = k)

Full(s) == Len(s) >= MaxBatchSize \/ Sum(s) >= MaxBatchWeight

\* The delay counts from the oldest input, whatever its rank.
Due(s) == LET i == IF Fault = "DeadlineFromNewest" THEN s[Len(s)] ELSE Head(s)
          IN  i.age = MaxBatchDelay

IsReady(s) == s # <<>> /\ (Full(s) \/ Due(s))

\* Stable order by rank: ties in the order of arrival.
Before(s, i, j) == s[i].rank < s[j].rank \/ (s[i].rank = s[j].rank /\ i < j)
Ordered(s) == [n \in 1..Len(s) |->
    s[CHOOSE i \in 1..Len(s) : Cardinality({j \in 1..Len(s) : Before(s, j, i)}) = n - 1]]

Fits(s, n) == Len(SubSeq(s, 1, n)) <= MaxBatchSize /\ Sum(SubSeq(s, 1, n)) <= MaxBatchWeight

\* The longest prefix within the bounds, never empty.
NextBatch(s) == LET o == Ordered(s)
                    n == CHOOSE n \in 1..Len(o) :
                            /\ n = 1 \/ Fits(o, n)
                            /\ \A m \in (n+1)..Len(o) : ~Fits(o, m)
                IN  SubSeq(o, 1, n)

\* The lanes that are not in line and ought to be, the oldest input first.
Oldest(r, k) == CHOOSE i \in 1..Len(r) : r[i].key = k /\ \A j \in 1..(i-1) : r[j].key # k

RECURSIVE LineUp(_, _, _)
LineUp(l, r, b) ==
    LET new == {k \in Keys : ~b[k] /\ IsReady(Lane(r, k)) /\ k \notin Range(l)}
    IN  IF new = {} THEN l
        ELSE LET k == CHOOSE k \in new : \A o \in new : Oldest(r, k) <= Oldest(r, o)
             IN  LineUp(IF Fault = "FrontOfTheLine" THEN <<k>> \o l ELSE Append(l, k), r, b)

\* The line after a transition: who is no longer ready steps out, who is now
\* ready joins at the back.
Settled(l, r, b) ==
    LineUp(SelectSeq(l, LAMBDA k : ~b[k] /\ IsReady(Lane(r, k))), r, b)

Batches == {<<k, n>> \in Keys \X (1..2) : n <= Len(calls[k]) /\ ~calls[k][n].direct}
SlotFree == Cardinality({p \in Batches : ~calls[p[1]][p[2]].freed}) < MaxInFlight

-----------------------------------------------------------------------------
Init ==
    /\ stage = [c \in Callers |-> "idle"]
    /\ ask = [c \in Callers |-> NoAsk]
    /\ room = <<>> /\ line = <<>>
    /\ busy = [k \in Keys |-> FALSE]
    /\ calls = [k \in Keys |-> <<>>]
    /\ closed = FALSE

Call(who, direct) == [phase |-> IF direct THEN "running" ELSE "out",
                      direct |-> direct, freed |-> FALSE, who |-> who]

Idle(k) == ~busy[k] /\ Lane(room, k) = <<>>

\* A caller whose key is idle runs its own call.
Claim(c, k) ==
    /\ Direct /\ MaxBatchDelay = 0 /\ Idle(k)
    /\ stage' = [stage EXCEPT ![c] = "calling"]
    /\ busy' = [busy EXCEPT ![k] = TRUE]
    /\ calls' = [calls EXCEPT ![k] = Append(@, Call({c}, TRUE))]
    /\ UNCHANGED <<room, line>>

\* An input that finds the room full, or the batcher closed, is answered at once
\* and changes nothing: such steps are left out.
Enter(c, k, w, r) ==
    /\ ~(Direct /\ MaxBatchDelay = 0 /\ Idle(k))
    /\ Fault # "AdmitPastBound" =>
         /\ Len(room) < MaxQueued
         /\ Sum(room) + w <= MaxQueuedWeight
    /\ stage' = [stage EXCEPT ![c] = "waiting"]
    /\ room' = Append(room, [caller |-> c, key |-> k, weight |-> w, rank |-> r,
                             age |-> IF MaxBatchDelay = 0 THEN MaxBatchDelay ELSE 0])
    /\ line' = Settled(line, room', busy)
    /\ UNCHANGED <<busy, calls>>

Admit(c, k, w, r) ==
    /\ Fault # "ClosedCheckApart"
    /\ stage[c] = "idle" /\ ~closed
    /\ Claim(c, k) \/ Enter(c, k, w, r)
    /\ UNCHANGED <<ask, closed>>

\* Fault ClosedCheckApart: the look at closed is a step of its own.
Check(c, k, w, r) ==
    /\ Fault = "ClosedCheckApart"
    /\ stage[c] = "idle" /\ ~closed
    /\ stage' = [stage EXCEPT ![c] = "checked"]
    /\ ask' = [ask EXCEPT ![c] = <<k, w, r>>]
    /\ UNCHANGED <<room, line, busy, calls, closed>>

AdmitUnchecked(c) ==
    /\ stage[c] = "checked"
    /\ \/ Claim(c, ask[c][1])
       \/ Enter(c, ask[c][1], ask[c][2], ask[c][3])
    /\ ask' = [ask EXCEPT ![c] = NoAsk]
    /\ UNCHANGED closed

\* A caller that waits gives up: its input leaves the room at once.
Withdraw(c) ==
    /\ stage[c] = "waiting"
    /\ stage' = [stage EXCEPT ![c] = "idle"]
    /\ room' = SelectSeq(room, LAMBDA i : i.caller # c)
    /\ line' = Settled(line, room', busy)
    /\ UNCHANGED <<ask, busy, calls, closed>>

\* A caller gives up whose input is out, or was turned out by Close: it has its
\* answer, and whoever holds the input lets go of it later.  (A direct call is
\* cancelled with its caller, who still waits for it to end: no step here.)
GiveUp(c) ==
    /\ stage[c] \in {"taken", "drained"}
    /\ stage' = [stage EXCEPT ![c] = "gone"]
    /\ UNCHANGED <<ask, room, line, busy, calls, closed>>

\* A worker takes the first batch of the first lane in line and marks it busy.
Take ==
    /\ line # <<>> /\ SlotFree
    /\ LET k == Head(line)
           batch == NextBatch(Lane(room, k))
           who == {batch[i].caller : i \in 1..Len(batch)}
           rest == SelectSeq(room, LAMBDA i : i.caller \notin who)
       IN  /\ stage' = [c \in Callers |-> IF c \in who THEN "taken" ELSE stage[c]]
           /\ room' = rest
           /\ busy' = [busy EXCEPT ![k] = Fault \notin {"NotMarkedBusy", "ReleaseEarly"}]
           /\ line' = Settled(Tail(line), rest, busy')
           /\ calls' = [calls EXCEPT ![k] = Append(@,
                [Call(who, FALSE) EXCEPT !.freed = Fault = "ReleaseEarly"])]
    /\ UNCHANGED <<ask, closed>>

Calls == {<<k, n>> \in Keys \X (1..2) : n <= Len(calls[k])}
Whole(k, n, c) == [calls EXCEPT ![k] = SubSeq(@, 1, n-1) \o c \o SubSeq(@, n+1, Len(@))]

\* Before the call, those who gave up are left out; nobody left, no call.
Run(k, n) ==
    LET call == calls[k][n]
        live == {c \in call.who : stage[c] # "gone"}
    IN  /\ call.phase = "out"
        /\ stage' = [c \in Callers |-> IF c \in call.who \ live THEN "idle" ELSE stage[c]]
        /\ calls' = Whole(k, n, <<[call EXCEPT !.who = live,
                                   !.phase = IF live = {} THEN "ended" ELSE "running"]>>)
        /\ UNCHANGED <<ask, room, line, busy, closed>>

End(k, n) ==
    /\ calls[k][n].phase = "running"
    /\ calls' = Whole(k, n, <<[calls[k][n] EXCEPT !.phase = "ended"]>>)
    /\ UNCHANGED <<stage, ask, room, line, busy, closed>>

\* A caller of a batch is told.  Fault StrandOnEnd: the call's end takes its worker
\* along, and nobody is.
Settle(k, n, c) ==
    LET call == calls[k][n]
    IN  /\ Fault # "StrandOnEnd"
        /\ call.phase = "ended" /\ ~call.direct /\ c \in call.who
        /\ stage' = [stage EXCEPT ![c] = "idle"]
        /\ calls' = Whole(k, n, <<[call EXCEPT !.who = @ \ {c}]>>)
        /\ UNCHANGED <<ask, room, line, busy, closed>>

\* The slot and the lane are given back once the call is over; a lane that still
\* holds inputs goes to the back of the line.
Release(k, n) ==
    LET call == calls[k][n]
    IN  /\ call.phase = "ended" /\ (call.direct \/ call.who = {})
        /\ stage' = [c \in Callers |-> IF c \in call.who THEN "idle" ELSE stage[c]]
        /\ calls' = Whole(k, n, <<>>)
        /\ busy' = IF call.freed THEN busy ELSE [busy EXCEPT ![k] = FALSE]
        /\ line' = IF Fault = "BackToTheFront" /\ IsReady(Lane(room, k))
                   THEN <<k>> \o line ELSE Settled(line, room, busy')
        /\ UNCHANGED <<ask, room, closed>>

Aged(r, by) == [i \in 1..Len(r) |-> [r[i] EXCEPT !.age = IF @ + by > MaxBatchDelay THEN MaxBatchDelay ELSE @ + by]]
Young == \E i \in 1..Len(room) : room[i].age < MaxBatchDelay

Tick ==
    /\ ~Never /\ Young
    /\ room' = Aged(room, 1)
    /\ line' = Settled(line, room', busy)
    /\ UNCHANGED <<stage, ask, busy, calls, closed>>

Flush ==
    /\ Flushes /\ Young
    /\ room' = Aged(room, MaxBatchDelay)
    /\ line' = Settled(line, room', busy)
    /\ UNCHANGED <<stage, ask, busy, calls, closed>>

\* Close: in one step the room is closed and emptied.  Whom it turned out it
\* tells afterwards, one by one.
Drain ==
    /\ Closes /\ ~closed
    /\ closed' = TRUE
    /\ room' = <<>> /\ line' = <<>>
    /\ stage' = [c \in Callers |-> IF stage[c] # "waiting" THEN stage[c]
                                   ELSE IF Fault = "DropEntries" THEN "lost" ELSE "drained"]
    /\ UNCHANGED <<ask, busy, calls>>

Held(c) == \E p \in Calls : c \in calls[p[1]][p[2]].who

SettleDrained(c) ==
    /\ stage[c] = "drained" \/ (stage[c] = "gone" /\ ~Held(c))
    /\ stage' = [stage EXCEPT ![c] = "idle"]
    /\ UNCHANGED <<ask, room, line, busy, calls, closed>>

Next ==
    \/ \E c \in Callers, k \in Keys, w \in Weights, r \in Ranks : Admit(c, k, w, r) \/ Check(c, k, w, r)
    \/ \E c \in Callers : AdmitUnchecked(c) \/ Withdraw(c) \/ GiveUp(c) \/ SettleDrained(c)
    \/ \E p \in Calls : \/ Run(p[1], p[2]) \/ End(p[1], p[2]) \/ Release(p[1], p[2])
                        \/ \E c \in Callers : Settle(p[1], p[2], c)
    \/ Take \/ Tick \/ Flush \/ Drain

\* What workers, time and Close can do they do sooner or later; what callers can
\* do may never happen.
Fairness ==
    /\ WF_vars(Take) /\ WF_vars(Tick)
    /\ \A k \in Keys : /\ WF_vars(1 <= Len(calls[k]) /\ Run(k, 1))
                       /\ WF_vars(1 <= Len(calls[k]) /\ End(k, 1))
                       /\ WF_vars(1 <= Len(calls[k]) /\ Release(k, 1))
    /\ \A c \in Callers : /\ WF_vars(SettleDrained(c))
                          /\ WF_vars(\E k \in Keys : 1 <= Len(calls[k]) /\ Settle(k, 1, c))

Spec == Init /\ [][Next]_vars /\ Fairness

-----------------------------------------------------------------------------
(* Invariants.                                                             *)

Places(c) == Cardinality({i \in 1..Len(room) : room[i].caller = c})
             + Cardinality({p \in Calls : c \in calls[p[1]][p[2]].who})

\* Every input that is owed an answer is in exactly one place, and no place
\* holds one that is owed none.
OneOwner == \A c \in Callers :
    /\ stage[c] \in {"waiting", "taken", "calling"} => Places(c) = 1
    /\ stage[c] \in {"idle", "checked", "drained"} => Places(c) = 0
    /\ stage[c] # "lost"

RoomIsBounded == Len(room) <= MaxQueued /\ Sum(room) <= MaxQueuedWeight
SlotsAreBounded == Cardinality(Batches) <= MaxInFlight
OneCallPerKey == \A k \in Keys : Len(calls[k]) <= 1
ClosedIsEmpty == closed => room = <<>>

\* The line holds exactly the lanes that are full, or whose oldest input is due,
\* and have no call out, each once.
LineHoldsReady ==
    /\ \A i, j \in 1..Len(line) : line[i] = line[j] => i = j
    /\ Range(line) = {k \in Keys : /\ ~busy[k] /\ Lane(room, k) # <<>>
                                   /\ \/ Full(Lane(room, k))
                                      \/ Head(Lane(room, k)).age = MaxBatchDelay}

(* Properties of steps.                                                    *)

\* Lanes that stay in line keep their order; those that come line up behind.
Staying == SelectSeq(line, LAMBDA k : k \in Range(line') /\ ~(calls[k] # <<>> /\ calls'[k] = <<>>))
FirstComeFirstServed == [][SubSeq(line', 1, Len(Staying)) = Staying]_vars

\* What a batch leaves behind in its lane comes after all that it took.
OrderIsKept == [][\A i, j \in 1..Len(room) :
    (/\ room[i].key = room[j].key
     /\ stage[room[i].caller] = "waiting" /\ stage'[room[i].caller] = "taken"
     /\ stage'[room[j].caller] = "waiting")
    => Before(room, i, j)]_vars

(* Liveness.                                                               *)

\* No caller is stranded: by load, close, cancellation, or the end of a call.
EveryInputIsAnswered == \A c \in Callers : stage[c] # "idle" ~> stage[c] = "idle"

LeavesLane(k) == \E i \in 1..Len(room) : room[i].key = k /\ stage'[room[i].caller] # "waiting"
\* A lane that holds inputs loses one sooner or later: a busy key starves none.
EveryLaneIsTaken == \A k \in Keys : []<>(Lane(room, k) = <<>>) \/ []<><<LeavesLane(k)>>_vars

\* Close returns: once closed, nothing is out in the end.
CloseReturns == closed ~> (\A k \in Keys : calls[k] = <<>>) /\ \A c \in Callers : stage[c] = "idle"

Symmetry == Permutations(Callers) \cup Permutations(Keys)
=============================================================================
