package tune

import (
	"fmt"
	"slices"
	"testing"
)

func TestWhateverGivesTheLoadIsOffByAFifth(t *testing.T) {
	for _, tt := range []struct {
		knobs []string
		want  []string
	}{
		{[]string{"rate", "10k/s"}, []string{"rate 8k/s", "rate 12k/s"}},
		{[]string{"clients", "10"}, []string{"clients 8", "clients 12"}},
		{[]string{"lane_rate", "a=10/s,b=100/s"}, []string{"lane_rate a=8/s,b=80/s", "lane_rate a=12/s,b=120/s"}},
		{[]string{"rate", "10k/s", "key_skew", "1"}, []string{"rate 8k/s", "rate 12k/s", "key_skew 0.8", "key_skew 1.2"}},
	} {
		var got []string
		for _, x := range shifts(load{knobs: tt.knobs}.base(t)) {
			got = append(got, fmt.Sprintf("%s %s", x.knob, x.at.Get(x.knob)))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%v gives %v, want %v", tt.knobs, got, tt.want)
		}
	}
}
