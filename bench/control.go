// Knobs that are turned while a run goes on. A change is checked like the
// settings of a new run, takes effect in the kernel or in the generator, and
// begins a segment; see segments.go.

package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ferryctl/bench/settings"
	"ferryctl/ferry"
	"ferryctl/workload"
)

// liveKnobs are the knobs that a screen shows and that Set turns, in order.
var liveKnobs = []string{"batch_size", "batch_weight", "batch_delay", "in_flight", "queue", "queue_weight", "rate", "share"}

// turnedBy is the source of values that Set was given.
const turnedBy = "flag live"

// errRunOver says that there is nothing left to turn knobs of.
var errRunOver = errors.New("the run offers nothing any more")

// A control turns the knobs of one run.
type control struct {
	e     *engine
	cuts  chan cutOrder // to the watch
	knobs atomic.Pointer[[]LiveKnob]
	last  atomic.Pointer[Segment] // the segment that runs, and
	count atomic.Int64            // its number

	mu     sync.Mutex
	asked  settings.Settings
	kernel ferry.Settings // as asked
	turned bool           // a rate was changed
}

// A cutOrder asks the watch to begin a segment.
type cutOrder struct {
	changed []Setting
	done    chan struct{}
}

// newControl returns the control of a run that is about to begin.
func newControl(e *engine, asked settings.Settings) *control {
	c := &control{e: e, cuts: make(chan cutOrder), asked: asked, kernel: e.plan.kernel}
	c.publish()
	c.last.Store(&Segment{})
	c.count.Store(1)
	return c
}

// Set gives a knob a value from now on, and begins a segment with it. The error
// says what would be right; then nothing has changed. It returns once the change
// has taken effect, within a second or so.
func (l *Live) Set(knob, text string) error {
	c := l.orders.Load()
	if c == nil {
		return errors.New("this run's knobs cannot be turned")
	}
	return c.set(knob, text)
}

func (c *control) set(knob, text string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(liveKnobs, knob) {
		return fmt.Errorf("%s cannot be changed while a run goes on: want one of %s", knob, strings.Join(liveKnobs, ", "))
	}
	if c.e.ctx.Err() != nil {
		return errRunOver
	}
	if why := fixed(c.e, c.asked, knob); why != "" {
		return errors.New(why)
	}
	next := c.asked
	if err := next.Set(knob, text, turnedBy); err != nil {
		return unsourced(err)
	}
	if err := next.Validate(); err != nil {
		return unsourced(err)
	}
	if next.Get(knob) == c.asked.Get(knob) {
		return nil
	}
	switch knob {
	case "rate":
		if err := c.retime(next.Rate); err != nil {
			return err
		}
		c.turned = true
	case "share":
		if err := c.reweigh(c.asked.Share, next.Share); err != nil {
			return err
		}
		c.kernel.Shares = planOf(next).kernel.Shares
	default:
		kernel := planOf(next).kernel
		if err := c.e.ferry.Reconfigure(kernel.PerKeyConfig); err != nil {
			return err
		}
		c.kernel = kernel
	}
	c.asked = next
	c.publish()
	return c.cut(knob)
}

// cut lets the watch begin a segment.
func (c *control) cut(knob string) error {
	o := cutOrder{done: make(chan struct{})}
	for _, v := range c.asked.Values() {
		if v.Knob != knob {
			continue
		}
		value, err := json.Marshal(v.JSON)
		if err != nil { // numbers and strings only
			value, _ = json.Marshal(v.Text)
		}
		o.changed = append(o.changed, Setting{Knob: knob, Value: value})
	}
	select {
	case c.cuts <- o:
		<-o.done
		return nil
	case <-c.e.watch.done:
		return errRunOver
	}
}

// retime tells the generator to go on at another rate, and waits until it does.
func (c *control) retime(r workload.Rate) error {
	if r.Max || r.IsRamp() {
		return fmt.Errorf("rate %s: want a steady rate such as 50k/s to go on with", r)
	}
	o := &rateOrder{perSecond: r.PerSecond, done: make(chan error, 1)}
	c.e.front.order.Store(o)
	select {
	case err := <-o.done:
		return err
	case <-c.e.ctx.Done():
		return errRunOver
	}
}

// A rateOrder asks the generator for another rate.
type rateOrder struct {
	perSecond float64
	done      chan error // buffered, 1
}

// heed follows an order that came in. The item in hand is due when the new rate
// says; it is the first that does not keep to the old one.
func (e *engine) heed(it *workload.Item, now time.Duration) {
	o := e.front.order.Swap(nil)
	if o == nil {
		return
	}
	source, ok := e.source.(workload.Retimer)
	if !ok {
		o.done <- errors.New("this load's rate cannot be changed")
		return
	}
	at, err := source.Retime(min(now, it.At), it.At, o.perSecond)
	if err == nil {
		it.At = at
	}
	o.done <- err
}

// fixed says why a knob cannot be turned now, or "".
func fixed(e *engine, s settings.Settings, knob string) string {
	if e.sim != nil {
		return "a run in virtual time is over before a knob is turned"
	}
	switch {
	case knob == "share" && len(s.Share) == 0:
		return "no share lane has a share: that takes a run of its own"
	case knob != "rate":
		return ""
	case s.Clients > 0:
		return "a closed loop has clients and no rate"
	case len(s.LaneRate) > 0:
		return "the load has a rate for each share lane"
	case s.Trace != "":
		return "the trace says when its items arrive"
	case s.Rate.Max:
		return "rate max has no schedule to change"
	case s.Rate.IsRamp(), s.Arrivals.Kind == workload.Bursty:
		return "only a steady rate can be changed while a run goes on"
	}
	return ""
}

// publish makes the knobs' present values seen.
func (c *control) publish() {
	knobs := make([]LiveKnob, 0, len(liveKnobs))
	for _, name := range liveKnobs {
		if name == "share" && len(c.asked.Share) == 0 {
			continue // there is nobody to weigh
		}
		knobs = append(knobs, LiveKnob{Name: name, Value: c.asked.Get(name), Fixed: fixed(c.e, c.asked, name)})
	}
	c.knobs.Store(&knobs)
}

// unsourced drops the source from the messages of an error: everybody knows who
// has just turned the knob.
func unsourced(err error) error {
	text := strings.ReplaceAll(err.Error(), turnedBy+": ", "")
	text = strings.ReplaceAll(text, " ("+turnedBy+")", "")
	return errors.New(strings.ReplaceAll(text, "\n", "; "))
}
