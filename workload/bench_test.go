// What an item costs. Only figures of one run compare; 0 allocs/op is a promise.

package workload_test

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ferryctl/workload"
)

// BenchmarkNext says what one item costs, by kind of sequence.
func BenchmarkNext(b *testing.B) {
	rate := workload.Rate{PerSecond: 200_000}
	lognormal, _ := workload.ParseWeights("lognormal(median=4KiB,sigma=1)")
	pareto, _ := workload.ParseWeights("pareto(min=1KiB,alpha=1.5)")
	uniform, _ := workload.ParseWeights("uniform(1,100)")
	bursty, _ := workload.ParseArrivals("bursty(factor=4,on=1s,off=9s)")
	for _, bench := range []struct {
		name string
		spec workload.Spec
	}{
		{"poisson/uniform", workload.Spec{Rate: rate, Keys: 1000}},
		{"poisson/zipf=0.5", workload.Spec{Rate: rate, Keys: 100_000, KeySkew: 0.5}},
		{"poisson/zipf=1", workload.Spec{Rate: rate, Keys: 100_000, KeySkew: 1}},
		{"poisson/zipf=1.1", workload.Spec{Rate: rate, Keys: 100_000, KeySkew: 1.1}},
		{"poisson/zipf=1.1/keys=1e8", workload.Spec{Rate: rate, Keys: 1e8, KeySkew: 1.1}},
		{"poisson/zipf=2", workload.Spec{Rate: rate, Keys: 100_000, KeySkew: 2}},
		{"constant/zipf=1.1", workload.Spec{Rate: rate, Keys: 100_000, KeySkew: 1.1, Arrivals: workload.Arrivals{Kind: workload.Constant}}},
		{"bursty/zipf=1.1", workload.Spec{Rate: rate, Keys: 100_000, KeySkew: 1.1, Arrivals: bursty}},
		{"ramp/zipf=1.1", workload.Spec{Rate: workload.Rate{Ramp: workload.Ramp{From: 1000, To: 80_000, Over: 1e12}}, Keys: 100_000, KeySkew: 1.1}},
		{"max/zipf=1.1", workload.Spec{Rate: workload.Rate{Max: true}, Keys: 100_000, KeySkew: 1.1}},
		{"max/weights=uniform", workload.Spec{Rate: workload.Rate{Max: true}, Keys: 1, Weights: uniform}},
		{"max/weights=lognormal", workload.Spec{Rate: workload.Rate{Max: true}, Keys: 1, Weights: lognormal}},
		{"max/weights=pareto", workload.Spec{Rate: workload.Rate{Max: true}, Keys: 1, Weights: pareto}},
		{"max/lanes=3", workload.Spec{Rate: workload.Rate{Max: true}, Keys: 1, Lanes: []workload.LaneFraction{{"a", 1}, {"b", 2}, {"c", 3}}}},
		{"poisson/lane_rates=3", workload.Spec{Keys: 1, LaneRates: []workload.LaneRate{{"a", rate}, {"b", rate}, {"c", rate}}}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			src := open(b, bench.spec)
			b.ReportAllocs()
			var it workload.Item
			for b.Loop() {
				if !src.Next(&it) {
					b.Fatal("the sequence ended")
				}
			}
		})
	}
}

// BenchmarkTrace says what reading one row costs, of a file with a million.
func BenchmarkTrace(b *testing.B) {
	for _, quote := range []string{"", "\""} {
		b.Run(fmt.Sprintf("quoted=%v", quote != ""), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "t.csv")
			file, err := os.Create(path)
			if err != nil {
				b.Fatal(err)
			}
			text := []byte(workload.TraceHeader + "\n")
			for i := range 1_000_000 {
				text = fmt.Appendf(text, "%d,%sblock-%x%s,%d,tenant%d\n", i*7, quote, uint64(i)*0x9e3779b9, quote, i%65536, i/10%7)
			}
			_, err = file.Write(text)
			if err := errors.Join(err, file.Close()); err != nil {
				b.Fatal(err)
			}
			spec := workload.Spec{Arrivals: workload.Arrivals{Kind: workload.FromTrace}, Trace: path, Speed: 1}
			src := open(b, spec)
			var it workload.Item
			b.ReportAllocs()
			b.SetBytes(int64(len(text) / 1_000_000))
			for b.Loop() {
				if src.Next(&it) {
					continue
				}
				if err := errors.Join(src.Err(), src.Close()); err != nil {
					b.Fatal(err)
				}
				src = open(b, spec)
			}
		})
	}
}

func open(b *testing.B, s workload.Spec) workload.Source {
	b.Helper()
	src, err := workload.New(s)
	if err != nil {
		b.Fatal(err)
	}
	return src
}

// BenchmarkEncodingCSV is the peer of BenchmarkTrace: it only cuts rows of the
// same form into fields.
func BenchmarkEncodingCSV(b *testing.B) {
	r := csv.NewReader(&endless{row: []byte("7000000,block-9e3779b9,65536,tenant3\n")})
	r.ReuseRecord = true
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Read(); err != nil {
			b.Fatal(err)
		}
	}
}

// endless repeats a row for ever.
type endless struct {
	row []byte
	at  int
}

func (e *endless) Read(p []byte) (n int, err error) {
	for n < len(p) {
		k := copy(p[n:], e.row[e.at:])
		n += k
		e.at = (e.at + k) % len(e.row)
	}
	return n, nil
}
