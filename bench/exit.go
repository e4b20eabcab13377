// What a result means for the exit status.

package bench

// Exit statuses that follow from a result. Those for a failed run, a usage error
// and a signal are the command's own.
const (
	ExitDone    = 0
	ExitMissed  = 3 // a term of the SLO was missed
	ExitInvalid = 4 // the measurement is invalid; whether the SLO was met cannot be told
)

// ExitStatus returns the exit status that the result asks for. signal is the
// status of the signal that stopped the run (130, 143, 129), or 0: whoever sent
// it knows better than the figures why the run ended.
func (r *Result) ExitStatus(signal int) int {
	switch {
	case signal != 0:
		return signal
	case r.Measurement.Verdict == Invalid:
		return ExitInvalid
	}
	for _, term := range r.SLO {
		if !term.OK {
			return ExitMissed
		}
	}
	return ExitDone
}
