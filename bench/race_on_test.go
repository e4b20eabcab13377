//go:build race

package bench

// raceDetector says whether the race detector is on, under which sync.Pool
// drops a part of what is put into it.
const raceDetector = true
