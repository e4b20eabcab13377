// A batcher with one share lane.

package ferry

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// One share lane alone is no reason to do anything differently.
func TestOneShareLaneIsAccountedForAndDividesNothing(t *testing.T) {
	for _, kernel := range []string{"make", "queued", "perkey"} {
		t.Run(kernel, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := new(tenants)
				x.build(t, kernel, settings(2, 0, 1, 8), Shares{Lanes: "a=3", Policy: RoomPartitioned})
				ctx, cancel := context.WithTimeout(t.Context(), 100*ms)
				defer cancel()
				x.load(ctx, 0, 4)
				x.load(ctx, 300, 4) // untagged
				time.Sleep(50*ms + ms/2)
				m := x.f.Shares()
				if len(m) != 1 || m[0].Share != "a" || m[0].Fraction != 1 || m[0].Spent == 0 || m[0].MaxLag != 0 {
					t.Errorf("its account is %+v", m)
				}
				if _, err := x.f.Do(t.Context(), 100); !errors.Is(err, ErrUnknownShare) {
					t.Errorf("another share lane: %v", err)
				}
				x.wg.Wait()
				if x.rej["a"]+x.rej[""] > 0 || x.done["a"] == 0 || x.done[""] == 0 {
					t.Errorf("done %v, rejected %v", x.done, x.rej)
				}
				x.f.Close()
			})
		})
	}
}
