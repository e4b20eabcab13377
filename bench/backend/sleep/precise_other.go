// Platforms without a timerfd. Where the poller waits in nanoseconds (the BSDs
// and macOS) package time is precise already; Windows rounds to half a
// millisecond, which the caller's own measurement shows.

//go:build !linux

package sleep

import "errors"

func newPrecise() (Sleeper, error) {
	return nil, errors.New("sleep: no timerfd on this platform")
}
