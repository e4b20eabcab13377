//go:build race

package tune

// raceEnabled says that the race detector makes each run many times as long.
const raceEnabled = true
