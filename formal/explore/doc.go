// Explore drives the real waiting rooms (lanes.Queue, lanes.Lanes) and the real
// fair-share tree (lanes/fairshare.Node) through every interleaving of callers,
// workers and time of a small instance, and holds every state and every step to
// the invariants of the TLA+ models in formal/, by the same names.
//
//	go run ./formal/explore -list                          the instances
//	go run ./formal/explore -instance perkey-2keys-3callers
//	go run ./formal/explore -all                           all of them; exits 1 if one fails
//	go run ./formal/explore -instance NAME -recheck        do not trust the merging of states
//
// Callers, workers and the clock are a model of the shell in package ferry (see
// world.go); the room is the code that the library runs. Two paths that lead to
// states with the same key (see key.go) are explored once. Sequence numbers and
// times in a key are relative, so an instance in which callers come again for
// ever still has finitely many states. What breaks a rule is printed as the
// shortest trace that does, in the language of the scripts in lanes/testdata.
package main
