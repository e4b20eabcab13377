---- MODULE PerKey_TTrace_1796087915 ----
EXTENDS PerKey_TEConstants, Sequences, TLCExt, PerKey, Toolbox, Naturals, TLC

_expression ==
    LET PerKey_TEExpression == INSTANCE PerKey_TEExpression
    IN PerKey_TEExpression!expression
----

_trace ==
    LET PerKey_TETrace == INSTANCE PerKey_TETrace
    IN PerKey_TETrace!trace
----

_inv ==
    ~(
        TLCGet("level") = Len(_TETrace)
        /\
        stage = ((c1 :> "calling" @@ c2 :> "lost" @@ c3 :> "idle"))
        /\
        calls = ((k1 :> <<[direct |-> TRUE, freed |-> FALSE, who |-> {c1}, phase |-> "running"]>> @@ k2 :> <<>>))
        /\
        line = (<<>>)
        /\
        busy = ((k1 :> TRUE @@ k2 :> FALSE))
        /\
        ask = ((c1 :> <<>> @@ c2 :> <<>> @@ c3 :> <<>>))
        /\
        closed = (TRUE)
        /\
        room = (<<>>)
    )
----

_init ==
    /\ room = _TETrace[1].room
    /\ line = _TETrace[1].line
    /\ stage = _TETrace[1].stage
    /\ closed = _TETrace[1].closed
    /\ calls = _TETrace[1].calls
    /\ busy = _TETrace[1].busy
    /\ ask = _TETrace[1].ask
----

_next ==
    /\ \E i,j \in DOMAIN _TETrace:
        /\ \/ /\ j = i + 1
              /\ i = TLCGet("level")
        /\ room  = _TETrace[i].room
        /\ room' = _TETrace[j].room
        /\ line  = _TETrace[i].line
        /\ line' = _TETrace[j].line
        /\ stage  = _TETrace[i].stage
        /\ stage' = _TETrace[j].stage
        /\ closed  = _TETrace[i].closed
        /\ closed' = _TETrace[j].closed
        /\ calls  = _TETrace[i].calls
        /\ calls' = _TETrace[j].calls
        /\ busy  = _TETrace[i].busy
        /\ busy' = _TETrace[j].busy
        /\ ask  = _TETrace[i].ask
        /\ ask' = _TETrace[j].ask

\* Uncomment the ASSUME below to write the states of the error trace
\* to the given file in Json format. Note that you can pass any tuple
\* to `JsonSerialize`. For example, a sub-sequence of _TETrace.
    \* ASSUME
    \*     LET J == INSTANCE Json
    \*         IN J!JsonSerialize("PerKey_TTrace_1796087915.json", _TETrace)

=============================================================================

 Note that you can extract this module `PerKey_TEExpression`
  to a dedicated file to reuse `expression` (the module in the 
  dedicated `PerKey_TEExpression.tla` file takes precedence 
  over the module `PerKey_TEExpression` below).

---- MODULE PerKey_TEExpression ----
EXTENDS PerKey_TEConstants, Sequences, TLCExt, PerKey, Toolbox, Naturals, TLC

expression == 
    [
        \* To hide variables of the `PerKey` spec from the error trace,
        \* remove the variables below.  The trace will be written in the order
        \* of the fields of this record.
        room |-> room
        ,line |-> line
        ,stage |-> stage
        ,closed |-> closed
        ,calls |-> calls
        ,busy |-> busy
        ,ask |-> ask
        
        \* Put additional constant-, state-, and action-level expressions here:
        \* ,_stateNumber |-> _TEPosition
        \* ,_roomUnchanged |-> room = room'
        
        \* Format the `room` variable as Json value.
        \* ,_roomJson |->
        \*     LET J == INSTANCE Json
        \*     IN J!ToJson(room)
        
        \* Lastly, you may build expressions over arbitrary sets of states by
        \* leveraging the _TETrace operator.  For example, this is how to
        \* count the number of times a spec variable changed up to the current
        \* state in the trace.
        \* ,_roomModCount |->
        \*     LET F[s \in DOMAIN _TETrace] ==
        \*         IF s = 1 THEN 0
        \*         ELSE IF _TETrace[s].room # _TETrace[s-1].room
        \*             THEN 1 + F[s-1] ELSE F[s-1]
        \*     IN F[_TEPosition - 1]
    ]

=============================================================================



Parsing and semantic processing can take forever if the trace below is long.
 In this case, it is advised to uncomment the module below to deserialize the
 trace from a generated binary file.

\*
\*---- MODULE PerKey_TETrace ----
\*EXTENDS PerKey_TEConstants, IOUtils, PerKey, TLC
\*
\*trace == IODeserialize("PerKey_TTrace_1796087915.bin", TRUE)
\*
\*=============================================================================
\*

---- MODULE PerKey_TETrace ----
EXTENDS PerKey_TEConstants, PerKey, TLC

trace == 
    <<
    ([stage |-> (c1 :> "idle" @@ c2 :> "idle" @@ c3 :> "idle"),calls |-> (k1 :> <<>> @@ k2 :> <<>>),line |-> <<>>,busy |-> (k1 :> FALSE @@ k2 :> FALSE),ask |-> (c1 :> <<>> @@ c2 :> <<>> @@ c3 :> <<>>),closed |-> FALSE,room |-> <<>>]),
    ([stage |-> (c1 :> "calling" @@ c2 :> "idle" @@ c3 :> "idle"),calls |-> (k1 :> <<[direct |-> TRUE, freed |-> FALSE, who |-> {c1}, phase |-> "running"]>> @@ k2 :> <<>>),line |-> <<>>,busy |-> (k1 :> TRUE @@ k2 :> FALSE),ask |-> (c1 :> <<>> @@ c2 :> <<>> @@ c3 :> <<>>),closed |-> FALSE,room |-> <<>>]),
    ([stage |-> (c1 :> "calling" @@ c2 :> "waiting" @@ c3 :> "idle"),calls |-> (k1 :> <<[direct |-> TRUE, freed |-> FALSE, who |-> {c1}, phase |-> "running"]>> @@ k2 :> <<>>),line |-> <<>>,busy |-> (k1 :> TRUE @@ k2 :> FALSE),ask |-> (c1 :> <<>> @@ c2 :> <<>> @@ c3 :> <<>>),closed |-> FALSE,room |-> <<[weight |-> 1, key |-> k1, age |-> 0, rank |-> 0, caller |-> c2]>>]),
    ([stage |-> (c1 :> "calling" @@ c2 :> "lost" @@ c3 :> "idle"),calls |-> (k1 :> <<[direct |-> TRUE, freed |-> FALSE, who |-> {c1}, phase |-> "running"]>> @@ k2 :> <<>>),line |-> <<>>,busy |-> (k1 :> TRUE @@ k2 :> FALSE),ask |-> (c1 :> <<>> @@ c2 :> <<>> @@ c3 :> <<>>),closed |-> TRUE,room |-> <<>>])
    >>
----


=============================================================================

---- MODULE PerKey_TEConstants ----
EXTENDS PerKey

CONSTANTS c1, c2, c3, k1, k2

=============================================================================

---- CONFIG PerKey_TTrace_1796087915 ----
CONSTANTS
    Callers = { c1 , c2 , c3 }
    Keys = { k1 , k2 }
    Ranks = { 0 }
    Direct = TRUE
    Weights = { 1 }
    MaxBatchSize = 2
    MaxBatchWeight = 99
    MaxBatchDelay = 0
    MaxInFlight = 1
    MaxQueued = 2
    MaxQueuedWeight = 99
    Never = FALSE
    Flushes = FALSE
    Closes = TRUE
    Fault = "DropEntries"
    c2 = c2
    k2 = k2
    c1 = c1
    c3 = c3
    k1 = k1

INVARIANT
    _inv

CHECK_DEADLOCK
    \* CHECK_DEADLOCK off because of PROPERTY or INVARIANT above.
    FALSE

INIT
    _init

NEXT
    _next

CONSTANT
    _TETrace <- _trace

ALIAS
    _expression
=============================================================================
\* Generated on Tue Dec 01 01:18:37 UTC 2026