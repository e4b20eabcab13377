// Package archtest holds the shape of the module: which package may import
// which, and which packages may know a clock, a goroutine or the process they
// run in.
//
// [Rules] is the map, one row a package tree. [CheckFile] judges one parsed file
// by one row and [CheckTree] walks a whole module. Both only read; the package's
// test is what fails. Nothing else in the module imports this package.
//
// The rules bind the files that ship. A package's own tests may use test
// libraries, goroutines and clocks as they please; only the ban on importing
// cmd and tui binds them too.
package archtest
