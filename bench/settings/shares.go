// The knobs of share lanes, and how they go with the load's.

package settings

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ferryctl/bench/slo"
	"ferryctl/lanes/fairshare"
	"ferryctl/workload"
	"ferryctl/workload/units"
)

// The room policies.
const (
	Guaranteed  = "guaranteed"
	Partitioned = "partitioned"
	Shared      = "shared"
)

// noShares is the value of share that gives nobody one; it takes away a
// profile's.
const noShares = "none"

func share() Knob {
	k := Knob{
		Name: "share", Section: "kernel", Form: "none|LANE=WEIGHT,…", Example: "gold=3,free=1",
		Doc: "weights by which share lanes divide the service; acme/batch=1 is a lane of the group acme, acme/=2 the group's own",
	}
	return of(k, func(s *Settings) *[]fairshare.Share { return &s.Share }, parseShares, fairshare.FormatShares)
}

func parseShares(text string) ([]fairshare.Share, error) {
	if text == noShares {
		return nil, nil
	}
	shares, err := fairshare.ParseShares(text)
	if err == nil && len(shares) > workload.MaxLanes {
		err = fmt.Errorf("%d shares are too many: want at most %d", len(shares), workload.MaxLanes)
	}
	return shares, err
}

func roomPolicy() Knob {
	k := word(Knob{
		Name: "room_policy", Section: "kernel", Default: Guaranteed, Example: Shared,
		Doc: "how share lanes divide the queue: each has its part and takes what others leave free, or its part alone, or all of it first come first served",
	}, func(s *Settings) *string { return &s.RoomPolicy }, []string{Guaranteed, Partitioned, Shared}, nil)
	get := k.get
	k.get = func(s *Settings) string {
		if len(s.Share) == 0 { // there is nobody to divide it
			return ""
		}
		return get(s)
	}
	return k
}

// shareFaults returns the faults in how the shares go with the load and the
// queue: every share lane that the load names needs one, and a place.
func (s Settings) shareFaults() (faults []error) {
	v := s.resolve()
	if len(s.Share) == 0 {
		_, said := v.inForce["share"]
		if policy := v.inForce["room_policy"]; policy.rank > 0 && !said {
			faults = append(faults, fmt.Errorf("%s: %s divides the queue between share lanes, and none has a share: want share, such as gold=3,free=1", s.label("room_policy"), policy.text))
		}
		for _, t := range s.SLO {
			if t.Metric == slo.Fairness {
				faults = append(faults, fmt.Errorf("%s: %s is about share lanes, and none has a share: want share, such as gold=3,free=1, or an objective without it", s.label("slo"), t))
			}
		}
		return faults
	}
	lanes := map[string]bool{}
	for _, x := range s.Share {
		if !strings.HasSuffix(x.Path, "/") {
			lanes[x.Path] = true
		}
	}
	if err := s.shareless(lanes); err != nil {
		faults = append(faults, err)
	}
	least := int64(len(lanes) + 1) // a place for each, and for what has no lane
	switch s.RoomPolicy {
	case Shared:
		return faults
	case Guaranteed:
		least *= 2
	}
	scant := func(knob string, bound int64) {
		if bound < least {
			faults = append(faults, fmt.Errorf("%s is less than the %d that %d share lanes need with room_policy %s: want more, or room_policy shared",
				s.say(knob), least, len(lanes), s.RoomPolicy))
		}
	}
	scant("queue", s.Queue)
	scant("queue_weight", s.QueueWeight)
	return faults
}

// shareless says which share lanes of the load have no share. A trace's are not
// known before it is read.
func (s Settings) shareless(shares map[string]bool) error {
	var load []string
	for _, l := range s.Lanes {
		load = append(load, l.Lane)
	}
	for _, l := range s.LaneRate {
		load = append(load, l.Lane)
	}
	if len(load) == 0 {
		if s.Trace != "" {
			return nil
		}
		return fmt.Errorf("%s: the load has no share lanes to divide the service between: want lanes or lane_rate, which say whose the items are, or share none", s.label("share"))
	}
	missing := slices.DeleteFunc(load, func(lane string) bool { return shares[lane] })
	if len(missing) == 0 {
		return nil
	}
	knob := "lanes"
	if len(s.LaneRate) > 0 {
		knob = "lane_rate"
	}
	return fmt.Errorf("%s: nothing for %s, which %s names: want %s", s.label("share"), quoted(missing), knob, wantShare(missing, shares))
}

// wantShare says what would be right for lanes without a share.
func wantShare(missing []string, shares map[string]bool) string {
	names := make([]string, 0, len(shares))
	for name := range shares {
		names = append(names, name)
	}
	slices.Sort(names)
	if len(missing) == 1 {
		if near := units.Nearest(missing[0], names); near != "" {
			return fmt.Sprintf("a share for it, or did you mean %s", near)
		}
		return "a share for it, such as " + missing[0] + "=1"
	}
	return "a share for each, such as " + missing[0] + "=1"
}

// mostQuoted is how many names of a list are worth reading.
const mostQuoted = 4

func quoted(names []string) string {
	texts := make([]string, 0, mostQuoted)
	for _, n := range names[:min(len(names), mostQuoted)] {
		texts = append(texts, fmt.Sprintf("%.64q", n))
	}
	text := strings.Join(texts, ", ")
	if more := len(names) - mostQuoted; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Reshared returns the weights on which two lists of shares differ, by their
// paths, or an error if they are not of the same lanes and groups: while a run goes on, weights change
// and share lanes do not.
func Reshared(from, to []fairshare.Share) ([]fairshare.Share, error) {
	type tree = map[string]fairshare.Weight
	read := func(list []fairshare.Share) tree {
		t := tree{}
		for _, s := range list {
			for i, c := range s.Path[:len(s.Path)-1] {
				if group := s.Path[:i+1]; c == '/' {
					if _, known := t[group]; !known {
						t[group] = fairshare.One
					}
				}
			}
			t[s.Path] = s.Weight
		}
		return t
	}
	old, next := read(from), read(to)
	same := len(old) == len(next)
	var changed []fairshare.Share
	for path, w := range next {
		was, known := old[path]
		same = same && known
		if w != was {
			changed = append(changed, fairshare.Share{Path: path, Weight: w})
		}
	}
	if !same {
		return nil, errors.New("share lanes cannot come or go while a run goes on: want other weights for " + quoted(lanesOf(from)))
	}
	slices.SortFunc(changed, func(a, b fairshare.Share) int { return strings.Compare(a.Path, b.Path) })
	return changed, nil
}

func lanesOf(shares []fairshare.Share) (names []string) {
	for _, s := range shares {
		names = append(names, s.Path)
	}
	return names
}
