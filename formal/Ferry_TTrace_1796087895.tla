---- MODULE Ferry_TTrace_1796087895 ----
EXTENDS Ferry, Sequences, TLCExt, Ferry_TEConstants, Toolbox, Naturals, TLC

_expression ==
    LET Ferry_TEExpression == INSTANCE Ferry_TEExpression
    IN Ferry_TEExpression!expression
----

_trace ==
    LET Ferry_TETrace == INSTANCE Ferry_TETrace
    IN Ferry_TETrace!trace
----

_inv ==
    ~(
        TLCGet("level") = Len(_TETrace)
        /\
        slots = (0)
        /\
        stage = ((c1 :> "waiting" @@ c2 :> "waiting" @@ c3 :> "waiting"))
        /\
        calls = (<<[phase |-> "none", who |-> {}, freed |-> FALSE], [phase |-> "none", who |-> {}, freed |-> FALSE], [phase |-> "none", who |-> {}, freed |-> FALSE]>>)
        /\
        ask = ((c1 :> 0 @@ c2 :> 0 @@ c3 :> 0))
        /\
        closed = (FALSE)
        /\
        room = (<<[weight |-> 1, age |-> 0, caller |-> c1], [weight |-> 1, age |-> 0, caller |-> c2], [weight |-> 1, age |-> 0, caller |-> c3]>>)
    )
----

_init ==
    /\ room = _TETrace[1].room
    /\ slots = _TETrace[1].slots
    /\ stage = _TETrace[1].stage
    /\ closed = _TETrace[1].closed
    /\ calls = _TETrace[1].calls
    /\ ask = _TETrace[1].ask
----

_next ==
    /\ \E i,j \in DOMAIN _TETrace:
        /\ \/ /\ j = i + 1
              /\ i = TLCGet("level")
        /\ room  = _TETrace[i].room
        /\ room' = _TETrace[j].room
        /\ slots  = _TETrace[i].slots
        /\ slots' = _TETrace[j].slots
        /\ stage  = _TETrace[i].stage
        /\ stage' = _TETrace[j].stage
        /\ closed  = _TETrace[i].closed
        /\ closed' = _TETrace[j].closed
        /\ calls  = _TETrace[i].calls
        /\ calls' = _TETrace[j].calls
        /\ ask  = _TETrace[i].ask
        /\ ask' = _TETrace[j].ask

\* Uncomment the ASSUME below to write the states of the error trace
\* to the given file in Json format. Note that you can pass any tuple
\* to `JsonSerialize`. For example, a sub-sequence of _TETrace.
    \* ASSUME
    \*     LET J == INSTANCE Json
    \*         IN J!JsonSerialize("Ferry_TTrace_1796087895.json", _TETrace)

=============================================================================

 Note that you can extract this module `Ferry_TEExpression`
  to a dedicated file to reuse `expression` (the module in the 
  dedicated `Ferry_TEExpression.tla` file takes precedence 
  over the module `Ferry_TEExpression` below).

---- MODULE Ferry_TEExpression ----
EXTENDS Ferry, Sequences, TLCExt, Ferry_TEConstants, Toolbox, Naturals, TLC

expression == 
    [
        \* To hide variables of the `Ferry` spec from the error trace,
        \* remove the variables below.  The trace will be written in the order
        \* of the fields of this record.
        room |-> room
        ,slots |-> slots
        ,stage |-> stage
        ,closed |-> closed
        ,calls |-> calls
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
\*---- MODULE Ferry_TETrace ----
\*EXTENDS Ferry, IOUtils, Ferry_TEConstants, TLC
\*
\*trace == IODeserialize("Ferry_TTrace_1796087895.bin", TRUE)
\*
\*=============================================================================
\*

---- MODULE Ferry_TETrace ----
EXTENDS Ferry, Ferry_TEConstants, TLC

trace == 
    <<
    ([slots |-> 0,stage |-> (c1 :> "idle" @@ c2 :> "idle" @@ c3 :> "idle"),calls |-> <<[phase |-> "none", who |-> {}, freed |-> FALSE], [phase |-> "none", who |-> {}, freed |-> FALSE], [phase |-> "none", who |-> {}, freed |-> FALSE]>>,ask |-> (c1 :> 0 @@ c2 :> 0 @@ c3 :> 0),closed |-> FALSE,room |-> <<>>]),
    ([slots |-> 0,stage |-> (c1 :> "waiting" @@ c2 :> "idle" @@ c3 :> "idle"),calls |-> <<[phase |-> "none", who |-> {}, freed |-> FALSE], [phase |-> "none", who |-> {}, freed |-> FALSE], [phase |-> "none", who |-> {}, freed |-> FALSE]>>,ask |-> (c1 :> 0 @@ c2 :> 0 @@ c3 :> 0),closed |-> FALSE,room |-> <<[weight |-> 1, age |-> 0, caller |-> c1]>>]),
    ([slots |-> 0,stage |-> (c1 :> "waiting" @@ c2 :> "waiting" @@ c3 :> "idle"),calls |-> <<[phase |-> "none", who |-> {}, freed |-> FALSE], [phase |-> "none", who |-> {}, freed |-> FALSE], [phase |-> "none", who |-> {}, freed |-> FALSE]>>,ask |-> (c1 :> 0 @@ c2 :> 0 @@ c3 :> 0),closed |-> FALSE,room |-> <<[weight |-> 1, age |-> 0, caller |-> c1], [weight |-> 1, age |-> 0, caller |-> c2]>>]),
    ([slots |-> 0,stage |-> (c1 :> "waiting" @@ c2 :> "waiting" @@ c3 :> "waiting"),calls |-> <<[phase |-> "none", who |-> {}, freed |-> FALSE], [phase |-> "none", who |-> {}, freed |-> FALSE], [phase |-> "none", who |-> {}, freed |-> FALSE]>>,ask |-> (c1 :> 0 @@ c2 :> 0 @@ c3 :> 0),closed |-> FALSE,room |-> <<[weight |-> 1, age |-> 0, caller |-> c1], [weight |-> 1, age |-> 0, caller |-> c2], [weight |-> 1, age |-> 0, caller |-> c3]>>])
    >>
----


=============================================================================

---- MODULE Ferry_TEConstants ----
EXTENDS Ferry

CONSTANTS c1, c2, c3

=============================================================================

---- CONFIG Ferry_TTrace_1796087895 ----
CONSTANTS
    Callers = { c1 , c2 , c3 }
    Weights = { 1 }
    MaxBatchSize = 2
    MaxBatchWeight = 99
    MaxBatchDelay = 0
    MaxInFlight = 2
    MaxQueued = 2
    MaxQueuedWeight = 99
    Never = FALSE
    Flushes = FALSE
    Closes = TRUE
    Fault = "AdmitPastBound"
    c1 = c1
    c2 = c2
    c3 = c3

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
\* Generated on Tue Dec 01 01:18:17 UTC 2026