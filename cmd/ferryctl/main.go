// Command ferryctl tunes batchers: it runs the real kernels of package ferry
// under synthetic or recorded load and reports what each setting costs.
//
// It is the only part of the module that touches the process it runs in:
// arguments, environment, standard streams, signals, exit codes. What it prints
// where is said in messages.go, what its exit codes mean in exit.go.
package main

import "os"

func main() {
	if len(os.Args) == 2 && os.Args[1] == guardArgument {
		guard(os.Stdin, os.Stdout, os.Stderr)
		return
	}
	os.Exit(execute(processEnviron()))
}
