// Package publishscheduler lets the comparison reach Google Pub/Sub's
// PublishScheduler, the batcher behind its ordering keys, which is internal to
// its module: hence this module's path. It is only ever replaced by its folder.
package publishscheduler

import (
	"time"

	"cloud.google.com/go/pubsub/internal/scheduler"
)

// Scheduler is the PublishScheduler.
type Scheduler = scheduler.PublishScheduler

// New returns a scheduler with this many workers that hands batches of up to
// size items of one key to handle.
func New(workers, size int, handle func(items any)) *Scheduler {
	s := scheduler.NewPublishScheduler(workers, handle)
	s.DelayThreshold = time.Nanosecond
	s.BundleCountThreshold = size
	s.BufferedByteLimit = 1 << 30
	return s
}
