// Where and when a run was made.

package bench

import (
	"encoding/json"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// EnvironmentHere describes this machine, and the program by its version, from now.
func EnvironmentHere(version string) Environment { return environment(version) }

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

// MarshalJSON writes what is not known as null, never as 0 or an empty text.
// Reading needs no counterpart: null leaves a field as it is.
func (e Environment) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Go         *string    `json:"go"`
		OS         *string    `json:"os"`
		Arch       *string    `json:"arch"`
		CPUs       *int       `json:"cpus"`
		GOMAXPROCS *int       `json:"gomaxprocs"`
		CPUModel   *string    `json:"cpu_model"`
		Version    *string    `json:"version"`
		Commit     *string    `json:"commit"`
		Started    *time.Time `json:"started"`
		Ended      *time.Time `json:"ended"`
	}{
		orNull(e.Go), orNull(e.OS), orNull(e.Arch), orNull(e.CPUs), orNull(e.GOMAXPROCS), orNull(e.CPUModel),
		orNull(e.Version), orNull(e.Commit), orNull(e.Started), orNull(e.Ended),
	})
}

// orNull returns nil for a zero value.
func orNull[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
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
