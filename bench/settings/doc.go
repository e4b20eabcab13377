// Package settings holds every knob of a run in one table: its name, flag,
// section in a profile, form, default and bounds. Flags, environment variables,
// profiles, outputs and screens all read this table, so that a knob has one name
// and one meaning everywhere.
//
// # Precedence
//
// A value is set together with its source, and the source has a rank: "flag …"
// outranks "env …", which outranks a place in a profile such as
// "hotkeys.yaml:12:5", which outranks "default". For one knob the highest rank
// wins, whatever the order in which values are set; of equal ranks the last.
//
// Some knobs exclude each other, such as rate and clients. Between two ranks the
// higher one wins there too: with --clients on the command line, a profile's
// rate is replaced, which [Settings.Replaced] reports. Given at the same rank
// they are a conflict, which [Settings.Validate] reports. Some pairs have a
// side that is never replaced, because dropping it would turn the run into
// another one: a profile's trace stays, and --keys or --rate on top of it is a
// conflict. The table of these rules is in conflicts.go.
//
// The package knows neither the kernels nor the runner.
package settings
