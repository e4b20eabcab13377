// The result of one run: the JSON document of schema ferryctl.result/v1, field
// by field. Names and units are a promise to other programs; a field may be
// added, never renamed or given another unit.

package bench

import "time"

// Schema names the document that a [Result] is written as.
const Schema = "ferryctl.result/v1"

// A Result is what one run measured.
//
// Counts, Latency and Split are over the items whose scheduled arrival lies in
// the measured window; Batches over the batches whose call started in it.
type Result struct {
	Schema       string      `json:"schema"`        // always [Schema]
	Complete     bool        `json:"complete"`      // false when the run was stopped before its end
	Clock        string      `json:"clock"`         // "real", "virtual" or "both"; with both the figures are the real ones, beside Model
	Profile      string      `json:"profile"`       // name of the profile, "" if none
	Seed         uint64      `json:"seed"`          // the seed of every random draw
	SeedDrawn    bool        `json:"seed_drawn"`    // true when the seed was not asked for
	WorkloadHash string      `json:"workload_hash"` // 16 hex digits over every item taken, warm-up included
	Items        uint64      `json:"workload_items"`
	Settings     Settings    `json:"settings"`
	Environment  Environment `json:"environment"`
	Window       Window      `json:"window"`
	Counts       Counts      `json:"counts"`
	Rates        Rates       `json:"rates"`
	Latency      Latencies   `json:"latency"`
	Split        Split       `json:"split"`
	Batches      Batches     `json:"batches"`
	Room         Room        `json:"room"`
	Lanes        []Lane      `json:"lanes"`
	Fairness     Fairness    `json:"fairness"`
	Intervals    []Interval  `json:"intervals"`
	Measurement  Measurement `json:"measurement"`
	SLO          []SLO       `json:"slo"`
	Histograms   Histograms  `json:"histograms"`
	Interactive  bool        `json:"interactive,omitempty"` // knobs were turned while it ran: Settings are those at its start
	Segments     []Segment   `json:"segments,omitempty"`    // with Interactive: its parts between the changes
	CostModel    *CostModel  `json:"cost_model,omitempty"`  // the calibrated model that decided how long calls take, if one did
	Model        *Model      `json:"model,omitempty"`       // with --clock both: how far a run in virtual time is from this one
	Warnings     []string    `json:"warnings"`              // what a reader of the figures should know; never a reason to distrust them
}

// Environment says where and when the run was made. What is not known, and what a
// run in virtual time does not depend on, is the zero value here and null in the
// document.
type Environment struct {
	Go         string    `json:"go"`
	OS         string    `json:"os"`
	Arch       string    `json:"arch"`
	CPUs       int       `json:"cpus"`
	GOMAXPROCS int       `json:"gomaxprocs"`
	CPUModel   string    `json:"cpu_model"`
	Version    string    `json:"version"`
	Commit     string    `json:"commit"`
	Started    time.Time `json:"started"`
	Ended      time.Time `json:"ended"`
}

// Window is how long each phase lasted.
type Window struct {
	Warmup   Num `json:"warmup_s"`
	Measured Num `json:"measured_s"`
	Drain    Num `json:"drain_s"`
}

// Counts says what became of every item whose scheduled arrival lies in the
// window. Offered is always the sum of Done, Rejected, Failed, Cancelled,
// Unsent and InFlightAtEnd; each is counted by itself and the sum is checked.
type Counts struct {
	Offered       uint64 `json:"offered"`
	Done          uint64 `json:"done"`
	Rejected      uint64 `json:"rejected"`
	Failed        uint64 `json:"failed"`
	Cancelled     uint64 `json:"cancelled"`
	Unsent        uint64 `json:"unsent"` // scheduled but never handed to the kernel
	Late          uint64 `json:"late"`   // handed over more than 1 ms after schedule; counted in one of the others too
	InFlightAtEnd uint64 `json:"in_flight_at_end"`
	LateMaxNS     Num    `json:"late_max_ns"` // the latest hand-over, late or not; missing without a schedule
}

// Rates are over the window's length.
type Rates struct {
	Offered     Num `json:"offered_per_s"`
	Throughput  Num `json:"throughput_per_s"` // completions inside the window
	Batches     Num `json:"batches_per_s"`
	Rejected    Num `json:"rejected_ratio"`        // of offered
	CountBound  Num `json:"rejected_count_bound"`  // items turned away because the room held its count
	WeightBound Num `json:"rejected_weight_bound"` // items turned away because the room held its weight
	PartBound   Num `json:"rejected_part_bound"`   // of both, those for which there was room, but not for their share lane (room_policy)
}

// Latencies are the times of the items that were done, and of no others.
type Latencies struct {
	Sojourn  Latency `json:"sojourn"`  // scheduled arrival to end of service
	Wait     Latency `json:"wait"`     // scheduled arrival to start of service
	Service  Latency `json:"service"`  // the call
	Delivery Latency `json:"delivery"` // end of service to the answer in the caller's hands; in none of the others
}

// A Latency summarises one time over one set of items: every figure here has
// the same Count behind it.
type Latency struct {
	Count    uint64   `json:"count"`
	Mean     Num      `json:"mean_ns"`
	Min      Num      `json:"min_ns"`
	Max      Num      `json:"max_ns"`
	P50      Num      `json:"p50_ns"`
	P90      Num      `json:"p90_ns"`
	P95      Num      `json:"p95_ns"`
	P99      Num      `json:"p99_ns"`
	P999     Num      `json:"p999_ns"`
	Overflow uint64   `json:"overflow"`        // values above the histogram's hour; counted in it as one hour
	TooFew   []string `json:"too_few_samples"` // the percentiles with fewer than [EnoughBeyond] samples beyond them
}

// Split is the mean time of a done item by cause. The five add up to the mean
// sojourn.
type Split struct {
	Count   uint64 `json:"count"`
	Lag     Num    `json:"lag_ns"`     // schedule lag, and hand-over between goroutines
	Forming Num    `json:"forming_ns"` // waiting for the batch to form
	Turn    Num    `json:"turn_ns"`    // waiting for its key's turn
	Slot    Num    `json:"slot_ns"`    // waiting for an in-flight slot
	Service Num    `json:"service_ns"`
}

// Batches describes the calls that started inside the window.
type Batches struct {
	Count uint64    `json:"count"`
	Size  BatchSize `json:"size"`
	Left  Left      `json:"left"`
}

// BatchSize is the distribution of the inputs in a batch.
type BatchSize struct {
	Mean     Num        `json:"mean"`
	P50      Num        `json:"p50"`
	P99      Num        `json:"p99"`
	Max      Num        `json:"max"`
	Counts   SizeCounts `json:"counts"`
	Overflow uint64     `json:"overflow"` // batches larger than the largest size counted by itself
}

// Left counts batches by why they left the room.
type Left struct {
	Size   uint64 `json:"size"`
	Weight uint64 `json:"weight"`
	Delay  uint64 `json:"delay"`
	Freed  uint64 `json:"freed"`
	Direct uint64 `json:"direct"`
	Close  uint64 `json:"close"`
}

// Room describes the waiting room over the window.
type Room struct {
	MeanQueued      Num `json:"mean_queued"`
	MaxQueued       Num `json:"max_queued"`
	MaxQueuedWeight Num `json:"max_queued_weight"`
	MaxInFlight     Num `json:"max_in_flight"`
}

// A Lane is one share lane's part of the run. Offered, Done, Rejected, Weight
// and Sojourn are over the items of the window.
//
// The others are of the window too, and missing without shares. They are in
// service units, of which an item costs one, and count at dispatch. What a share
// lane is owed is what a fluid server that divides every unit of service by the
// weights of those that have work would have given it, its debt or credit from
// the warm-up included. ServiceUnits, OwedUnits and ErrorRatio are as of the end
// of competition: the last instant of the window at which two share lanes or more
// had work.
type Lane struct {
	Lane           string  `json:"lane"`
	Share          Num     `json:"share"` // of the whole, while every share lane has work
	Offered        uint64  `json:"offered"`
	Done           uint64  `json:"done"`
	Rejected       uint64  `json:"rejected"`
	Weight         Num     `json:"weight"` // of the items done
	ServiceUnits   Num     `json:"service_units"`
	OwedUnits      Num     `json:"owed_units"`
	ErrorRatio     Num     `json:"error_ratio"`     // got less owed, as a part of what all share lanes got; missing if that is too little to tell
	MaxLagUnits    Num     `json:"max_lag_units"`   // the farthest behind at any instant
	MaxLeadUnits   Num     `json:"max_lead_units"`  // the farthest ahead
	BoundUnits     Num     `json:"bound_units"`     // of both, while the same share lanes have work; missing if a batch cost more than a quantum
	StarvedBatches Num     `json:"starved_batches"` // most batches of others that left in a row while it had work lined up
	Starved        Num     `json:"starved_ns"`      // longest time with work lined up in which none of its batches left
	Sojourn        Latency `json:"sojourn"`
	Histogram      string  `json:"histogram"` // of the sojourn, two digits, HdrHistogram V2 base64; "" if empty
}

// Fairness sums the share lanes up. It is missing throughout without shares.
type Fairness struct {
	WorstLane       string `json:"worst_lane"`        // of the largest error ratio, either way
	WorstErrorRatio Num    `json:"worst_error_ratio"` // its size
	MaxLagUnits     Num    `json:"max_lag_units"`     // the farthest that any share lane was behind at any instant
	BoundUnits      Num    `json:"bound_units"`       // that share lane's bound
	Jain            Num    `json:"jain"`              // index of Jain over got by owed: 1 if all share lanes got the same part of theirs
	Note            string `json:"note"`              // why there is no error ratio; "" if there is, or if there are no shares
}

// An Interval is a slice of the run. Offered and Unsent count by scheduled
// arrival, everything else by when it ended, so that items of the window that
// end in the drain fall into intervals after the window. Over all intervals the
// counts add up to those of the run.
type Interval struct {
	Start     Num    `json:"t_s"` // from the start of the window
	Length    Num    `json:"length_s"`
	Offered   uint64 `json:"offered"`
	Done      uint64 `json:"done"`
	Rejected  uint64 `json:"rejected"`
	Failed    uint64 `json:"failed"`
	Unsent    uint64 `json:"unsent"`
	Late      uint64 `json:"late"`
	Mean      Num    `json:"mean_ns"`
	P50       Num    `json:"p50_ns"`
	P99       Num    `json:"p99_ns"`
	Max       Num    `json:"max_ns"`
	Queued    Num    `json:"queued"`    // at the interval's end; by the real clock up to 0.1 s after it
	InFlight  Num    `json:"in_flight"` // at the same moment
	Histogram string `json:"histogram"` // of the sojourn, HdrHistogram V2 base64; "" if empty
}

// Measurement says how far the figures can be trusted, and why.
type Measurement struct {
	Verdict          Verdict  `json:"verdict"`
	Reasons          []string `json:"reasons"`         // worst first
	InvalidReasons   int      `json:"invalid_reasons"` // how many of Reasons, from the first, make it INVALID
	GeneratorCeiling Num      `json:"generator_ceiling_per_s"`
	GeneratorLoad    Num      `json:"generator_load_ratio"` // offered per second over the ceiling
	GCMaxPause       Num      `json:"gc_max_pause_ns"`      // upper bound of the longest pause inside the window
	GCPaused         Num      `json:"gc_paused_ns"`         // upper bound of all pauses inside the window together
	GCCount          Num      `json:"gc_count"`
	LittlesLawGap    Num      `json:"littles_law_gap_ratio"`
	QueuedByTime     Num      `json:"littles_law_queued_by_time"`  // mean queue, integrated by the kernel
	QueuedByItems    Num      `json:"littles_law_queued_by_items"` // mean queue, from the items' own waits
	ServiceAsked     Num      `json:"backend_service_asked_mean_ns"`
	ServiceActual    Num      `json:"backend_service_actual_mean_ns"`
	BackendWaited    Num      `json:"backend_waited_mean_ns"` // a call's wait inside the backend for its concurrency, in the service besides ServiceActual
	Callers          Num      `json:"callers"`                // most goroutines that were inside the kernel's Do at once
}

// An SLO is one term of the service-level objective and whether it was met. A
// term without samples is missed.
type SLO struct {
	Term  string `json:"term"`
	Value Num    `json:"value"` // in Unit; missing if nothing was measured
	Unit  string `json:"unit"`  // "ns", "per_s" or "ratio"
	OK    bool   `json:"ok"`
	Note  string `json:"note"` // why there is no value, or why it should be doubted
}

// Histograms are HdrHistogram V2 base64, over the same items as Latencies. They
// keep three digits; exact extremes and means are in Latencies. Each is "" if
// it is empty.
type Histograms struct {
	Sojourn string `json:"sojourn"`
	Wait    string `json:"wait"`
	Service string `json:"service"`
}
