package main

import (
	"bytes"
	"testing"
)

// TestTheTreeGivesTurnsAsTheModel goes through every declaration, turn and
// settlement of two share lanes.
func TestTheTreeGivesTurnsAsTheModel(t *testing.T) {
	for _, in := range trees() {
		t.Run(in.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			if err := in.show(&out); err != nil {
				t.Errorf("%v\n%s", err, &out)
			}
			agree(t, in.name, true, out.String())
		})
	}
}

// TestTheTreeGoesOnAsTheModelWhateverTheWay: where two ways lead to one state of the
// model and to two of the node, both nodes go on as the model does.
func TestTheTreeGoesOnAsTheModelWhateverTheWay(t *testing.T) {
	for _, in := range trees() {
		t.Run(in.name, func(t *testing.T) {
			t.Parallel()
			merged := in.explore().states
			in.apart = true
			if r := in.explore(); r.fault != "" || r.states < merged {
				t.Errorf("%d states, %d of the model: %s after %v", r.states, merged, r.fault, r.trace)
			} else {
				t.Logf("%d states of the node, %d of the model", r.states, merged)
			}
		})
	}
}
