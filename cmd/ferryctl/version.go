package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// newVersion builds `ferryctl version`.
func newVersion(env *environ) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print version, commit and Go version",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(env.stdout, "ferryctl %s\ncommit   %s\ngo       %s %s/%s\n",
				version(env.build), commit(env.build), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

// version returns the module's version, "devel" if it was built from a work tree.
func version(build *debug.BuildInfo) string {
	if build == nil || build.Main.Version == "" || build.Main.Version == "(devel)" {
		return "devel"
	}
	return build.Main.Version
}

// commit returns what the binary was built from, "unknown" if it was not told.
func commit(build *debug.BuildInfo) string {
	if build == nil {
		return "unknown"
	}
	var revision, changed string
	for _, s := range build.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value
		case "vcs.modified":
			if s.Value == "true" {
				changed = " with local changes"
			}
		}
	}
	if revision == "" {
		return "unknown"
	}
	return revision + changed
}

// buildName is version and commit in one word, as a result records it.
func buildName(build *debug.BuildInfo) string {
	return version(build) + " (" + commit(build) + ")"
}
