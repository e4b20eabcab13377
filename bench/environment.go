// Where and when a run was made.

package bench

import (
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// environment describes this machine and program.
func environment(version string) Environment {
	e := Environment{
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), GOMAXPROCS: runtime.GOMAXPROCS(0),
		CPUModel: cpuModel(), Version: version, Started: time.Now().UTC().Round(0),
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				e.Commit = s.Value
			}
		}
	}
	return e
}

// anywhere keeps what a run in virtual time depends on: neither the machine nor
// the day.
func anywhere(e Environment) Environment {
	return Environment{Version: e.Version, Commit: e.Commit}
}

// cpuModel returns the processor's name where the system tells it in a file, ""
// elsewhere.
func cpuModel() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(info)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
