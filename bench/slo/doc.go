// Package slo reads the terms of a service-level objective and judges figures by
// them.
//
// An objective is a list such as
//
//	p99<=20ms,p99.9<=50ms,mean<=5ms,throughput>=45k/s,rejected<=0.1%,failed<=0.1%,fairness<=2%
//
// that is met if every term is. A term without data behind it is missed: a run
// that rejects everything has no latency, not a good one.
//
// The package computes no figure itself; it is told them as [Figures].
package slo
