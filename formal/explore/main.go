package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// request is what the flags ask.
type request struct {
	instance, fault, config    string
	trace, room                string
	all, list, faults, recheck bool
}

func main() {
	var r request
	flag.StringVar(&r.instance, "instance", "", "the instance to go through; see -list")
	flag.StringVar(&r.fault, "fault", "", "go through the instance on which this fault must show, such as PerKey-ReleaseEarly")
	flag.StringVar(&r.config, "config", "", "print the TLC configuration of this instance or fault")
	flag.StringVar(&r.trace, "trace", "", "check that the trace in this file is a behaviour of the model")
	flag.StringVar(&r.room, "room", "", "the room that the trace is of; see -list")
	flag.BoolVar(&r.all, "all", false, "go through all instances")
	flag.BoolVar(&r.list, "list", false, "list the instances, the faults, and the rooms whose traces can be checked")
	flag.BoolVar(&r.faults, "faults", false, "have every fault caught, in programs that have it built in")
	flag.BoolVar(&r.recheck, "recheck", false, "look into every merge of states, and not at progress")
	flag.Parse()
	if err := r.work(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "explore: error:", err)
		os.Exit(1)
	}
}

// work does what the flags ask.
func (r request) work(out io.Writer) error {
	switch {
	case r.list:
		for _, in := range instances() {
			fmt.Fprintln(out, in.name)
		}
		for _, in := range trees() {
			fmt.Fprintln(out, in.name)
		}
		for _, f := range faults() {
			fmt.Fprintf(out, "fault %s: %s\n", f.id(), f.what)
		}
		for _, in := range traced() {
			fmt.Fprintf(out, "room %s, for traces: %s\n", in.name, strings.TrimPrefix(in.header(), "room "))
		}
		return nil
	case r.trace != "":
		return r.check(out)
	case r.faults:
		return catchAll(out)
	case r.all:
		var failed []error
		for _, in := range instances() {
			failed = append(failed, one(out, &in, r.recheck))
		}
		for _, in := range trees() {
			failed = append(failed, in.show(out))
		}
		return errors.Join(failed...)
	case r.config != "":
		text, err := configOf(r.config)
		fmt.Fprint(out, text)
		return err
	case r.fault != "":
		for _, f := range faults() {
			if f.id() == r.fault {
				return f.show(out, r.recheck)
			}
		}
		return fmt.Errorf("there is no fault %q; -list names them", r.fault)
	}
	if in, ok := findTree(r.instance); ok {
		return in.show(out)
	}
	in, ok := find(r.instance)
	if !ok {
		return fmt.Errorf("there is no instance %q; -list names them", r.instance)
	}
	return one(out, &in, r.recheck)
}

// configOf returns the TLC configuration of an instance or a fault.
func configOf(name string) (string, error) {
	if in, ok := find(name); ok && in.modelled() {
		return in.tlc(nil), nil
	}
	if in, ok := findTree(name); ok {
		return in.tlc(nil), nil
	}
	for _, f := range faults() {
		if f.id() == name && f.modelled() {
			return f.config(), nil
		}
	}
	return "", fmt.Errorf("there is no model of %q; -list names the instances and the faults", name)
}

// one goes through an instance and prints what that came to.
func one(out io.Writer, in *instance, recheck bool) error {
	began := time.Now()
	r := explore(in, recheck)
	fmt.Fprintf(out, "%v  %6.2fs\n", &r, time.Since(began).Seconds())
	if recheck {
		fmt.Fprintf(out, "%d merges looked into\n", r.merged)
	}
	if r.fault == "" {
		return nil
	}
	r.explain(out)
	return fmt.Errorf("instance %s breaks a rule", in.name)
}

// explain prints the shortest trace to what is wrong, as a script.
func (r *report) explain(out io.Writer) {
	fmt.Fprintf(out, "\n%s\n\n", r.fault)
	r.in.script(out, r.fault, r.trace)
	if r.cycle != nil {
		fmt.Fprintln(out, "\nand then, for ever:")
		for _, a := range r.cycle {
			fmt.Fprintf(out, "     %v\n", a)
		}
	}
}
