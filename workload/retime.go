// Changing a load's rate while it is read.

package workload

import (
	"errors"
	"time"
)

// A Retimer is a [Source] whose rate can be changed while it is read.
type Retimer interface {
	Source

	// Retime makes the items go on at another steady rate, in arrivals per
	// second, from an offset on. next is the offset of the item that was read
	// last, which is not before from; Retime returns its new one, and those that
	// follow keep to the new rate. The items themselves, and the chance in their
	// gaps, stay what they were; the source's hash is over the offsets as they
	// were read. Only a load with one steady rate can be retimed.
	Retime(from, next time.Duration, perSecond float64) (time.Duration, error)
}

func (s *synthetic) Retime(from, next time.Duration, perSecond float64) (time.Duration, error) {
	if s.timeless || s.lanes != nil || s.single.phases != nil || s.single.curve.over != 0 {
		return 0, errors.New("only a load with one steady rate can go on at another")
	}
	if err := (Rate{PerSecond: perSecond}).validate(); err != nil {
		return 0, err
	}
	return s.single.retime(from, next, perSecond), nil
}

// retime changes the rate from an offset on, and returns the new offset of the
// item given last.
func (p *process) retime(from, next time.Duration, perSecond float64) time.Duration {
	before := p.curve.expected(float64(from))
	expected := p.curve.expected(float64(next))
	p.curve = curve{to: perSecond / 1e9, period: 1e9 / perSecond, since: float64(from), before: before}
	p.last = max(from, time.Duration(p.curve.inverse(expected)))
	return p.last
}
