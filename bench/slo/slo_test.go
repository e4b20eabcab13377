package slo_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"ferryctl/bench/slo"
)

func TestObjectivesAreReadAndWrittenBack(t *testing.T) {
	const ms = 1e6
	for text, want := range map[string]struct {
		terms     []slo.Term
		canonical string
	}{
		"p99<=20ms": {[]slo.Term{{slo.Percentile, 99, slo.AtMost, 20 * ms}}, "p99<=20ms"},
		" p999 < 1500us , p9 >= 1ns ": {
			[]slo.Term{{slo.Percentile, 99.9, slo.Below, 1.5 * ms}, {slo.Percentile, 9, slo.AtLeast, 1}}, "p99.9<1.5ms,p9>=1ns",
		},
		"p99.99<=1s,p9995<=2s,p50<=1ms,p90<=1ms,p95<=1ms": {
			[]slo.Term{
				{slo.Percentile, 99.99, slo.AtMost, 1000 * ms},
				{slo.Percentile, 99.95, slo.AtMost, 2000 * ms},
				{slo.Percentile, 50, slo.AtMost, ms},
				{slo.Percentile, 90, slo.AtMost, ms},
				{slo.Percentile, 95, slo.AtMost, ms},
			}, "p99.99<=1s,p99.95<=2s,p50<=1ms,p90<=1ms,p95<=1ms",
		},
		"mean<=5ms,max<1m,throughput>=45k/s,rejected<=0.1%,failed<=0%": {
			[]slo.Term{
				{slo.Mean, 0, slo.AtMost, 5 * ms},
				{slo.Max, 0, slo.Below, 60_000 * ms},
				{slo.Throughput, 0, slo.AtLeast, 45_000},
				{slo.Rejected, 0, slo.AtMost, 0.001},
				{slo.Failed, 0, slo.AtMost, 0},
			}, "mean<=5ms,max<1m,throughput>=45k/s,rejected<=0.1%,failed<=0%",
		},
		"fairness<=2%":   {[]slo.Term{{slo.Fairness, 0, slo.AtMost, 0.02}}, "fairness<=2%"},
		"rejected<=40 %": {[]slo.Term{{slo.Rejected, 0, slo.AtMost, 0.4}}, "rejected<=40%"},
		"p99<=20ms,p99>=1ms,rejected>0%": {
			[]slo.Term{{slo.Percentile, 99, slo.AtMost, 20 * ms}, {slo.Percentile, 99, slo.AtLeast, ms}, {slo.Rejected, 0, slo.Above, 0}},
			"p99<=20ms,p99>=1ms,rejected>0%",
		},
	} {
		got, err := slo.Parse(text)
		if err != nil || !reflect.DeepEqual(got, want.terms) {
			t.Errorf("%q is read as %v, %v; want %v", text, got, err, want.terms)
			continue
		}
		if written := slo.Format(got); written != want.canonical {
			t.Errorf("%q is written %q, want %q", text, written, want.canonical)
		}
		if again, err := slo.Parse(want.canonical); err != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("%q is read back as %v, %v", want.canonical, again, err)
		}
	}
}

func TestBadObjectivesAreRefusedWithWhatWouldBeRight(t *testing.T) {
	for text, wants := range map[string][]string{
		"":                        {"empty: want terms such as p99<=20ms"},
		"  ":                      {"empty"},
		"p99<=20ms,":              {"a term is empty"},
		"p99":                     {`"p99" has no comparison: want <=, <, >= or >`},
		"p99=20ms":                {`unknown comparison: want <=, <, >= or >`},
		"p99==20ms":               {"unknown comparison"},
		"p99<<20ms":               {"unknown comparison"},
		"p99=<20ms":               {"unknown comparison"},
		"p99≤20ms":                {"unknown comparison"},
		"p99:20ms":                {"unknown comparison"},
		"p99<=":                   {"has no bound"},
		"<=20ms":                  {"no metric before its comparison"},
		"p99<=20":                 {"p99<=20: the bound 20 needs a unit, such as 20ms"},
		"p99<=20%":                {"p99<=20%"},
		"p99<=-1ms":               {"not a duration"},
		"p99<=NaN":                {"not a duration"},
		"p99<=25h":                {"25h is too long: want at most 24h"},
		"p99<=0s":                 {"p99<=0s: want a bound above 0"},
		"99<=20ms":                {`"99" is no metric, did you mean p99`},
		"99.9<=20ms":              {"did you mean p99.9"},
		"0.99<=20ms":              {`"0.99" is no metric, did you mean p99`},
		"0.999<=20ms":             {"did you mean p99.9"},
		"99%<=20ms":               {"did you mean p99"},
		"p0.99<=20ms":             {"p0.99 is a percentile below 1, did you mean p99: want p1 or more"},
		"p0.5<=20ms":              {"did you mean p50"},
		"p0<=20ms":                {"p0 is no metric"},
		"p00<=20ms":               {"p00 is below every sample"},
		"p100<=20ms":              {"did you mean max"},
		"p100.5<=20ms":            {"p100.5 is not below p100"},
		"p123<=20ms":              {"p123 is beyond p100: did you mean p12.3"},
		"p9.9.9<=20ms":            {"is no percentile"},
		"p99.99999999999999<=1ms": {"is no percentile"},
		"pfoo<=20ms":              {`unknown metric "pfoo"`},
		"P99<=20ms":               {`unknown metric "P99"`},
		"mena<=20ms":              {`unknown metric "mena"`, "mean"},
		"throughputs>=1k/s":       {"did you mean throughput"},
		"throughput>=45k":         {"throughput>=45k", "want 45k/s"},
		"throughput>=0/s":         {"want a bound above 0"},
		"rejected<=0.001":         {"want 0.001%"},
		"rejected<=101%":          {"at most 100%"},
		"rejected<0%":             {"rejected<0% never holds: want <="},
		"rejected>=0%":            {"rejected>=0% always holds"},
		"p99<=20ms,p99.0<=10ms":   {"p99<=20ms and p99<=10ms bound p99 twice from the same side"},
		"p99<=20ms,p99<10ms":      {"twice"},
		"p99<=20,mena<1s,rejected<=1,throughput>=1": {"20ms", "mena", "1%", "1/s"}, // all at once
		strings.Repeat("p99<=20ms,", 70):            {"terms are too many: want at most 64"},
		strings.Repeat("x", 500) + "<=1ms":          {"xxx..."},
	} {
		got, err := slo.Parse(text)
		if err == nil {
			t.Errorf("%q is read as %v", text, got)
			continue
		}
		for _, want := range wants {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%.60q is refused with\n%v\nwant %q in it", text, err, want)
			}
		}
		if len(err.Error()) > 700 {
			t.Errorf("%.60q: the refusal has %d bytes", text, len(err.Error()))
		}
	}
}

// figures of a run in which the percentile p is p milliseconds.
func figures() slo.Figures {
	return slo.Figures{
		Samples: 100_000, Percentile: func(p float64) float64 { return p * 1e6 },
		Mean: 40e6, Max: 150e6, Throughput: 50_000, Offered: 200_000, Rejected: 200, Failed: 0,
	}
}

func TestTermsAreJudgedByTheirOwnFigure(t *testing.T) {
	for text, want := range map[string]slo.Outcome{
		"p99<=99ms":             {Value: 99e6, Known: true, OK: true},
		"p99<99ms":              {Value: 99e6, Known: true, OK: false},
		"p99>=99ms":             {Value: 99e6, Known: true, OK: true},
		"p99>99ms":              {Value: 99e6, Known: true, OK: false},
		"p99.9<=99ms":           {Value: 99.9e6, Known: true, OK: false},
		"p50<=50ms":             {Value: 50e6, Known: true, OK: true},
		"mean<=39ms":            {Value: 40e6, Known: true, OK: false},
		"max<=150ms":            {Value: 150e6, Known: true, OK: true},
		"throughput>=50k/s":     {Value: 50_000, Known: true, OK: true},
		"throughput>=50.001k/s": {Value: 50_000, Known: true, OK: false},
		"rejected<=0.1%":        {Value: 0.001, Known: true, OK: true},
		"rejected<0.1%":         {Value: 0.001, Known: true, OK: false},
		"failed<=0%":            {Value: 0, Known: true, OK: true},
	} {
		terms, err := slo.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := terms[0].Evaluate(figures()); got != want {
			t.Errorf("%s gives %+v, want %+v", text, got, want)
		}
	}
}

func TestATermWithoutDataIsMissed(t *testing.T) {
	dead := slo.Figures{Offered: 100, Rejected: 100, Throughput: 0, Mean: math.NaN(), Max: math.NaN()}
	nothing := slo.Figures{Throughput: math.NaN()}
	odd := figures()
	odd.Mean, odd.Max, odd.Throughput = math.NaN(), math.Inf(1), math.Inf(-1)
	odd.Percentile = func(float64) float64 { return math.NaN() }
	for _, c := range []struct {
		f    slo.Figures
		text string
		note string
	}{
		{dead, "p99<=20ms", "no data: no item was done"},
		{dead, "p99>=20ms", "no data: no item was done"},
		{dead, "mean<=20ms", "no data: no item was done"},
		{dead, "max<=20ms", "no data: no item was done"},
		{nothing, "rejected<=1%", "no data: nothing was offered"},
		{nothing, "failed<=1%", "no data: nothing was offered"},
		{nothing, "throughput>=1/s", "no data: the figure was not measured"},
		{odd, "p99<=20ms", "no data: the figure was not measured"},
		{odd, "mean<=20ms", "no data: the figure was not measured"},
		{odd, "max>=20ms", "no data: the figure was not measured"},
		{odd, "throughput<=1/s", "no data: the figure was not measured"},
	} {
		terms, err := slo.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := terms[0].Evaluate(c.f); got != (slo.Outcome{Note: c.note}) {
			t.Errorf("%s gives %+v, want no value and %q", c.text, got, c.note)
		}
	}
	terms, err := slo.Parse("throughput>=1/s,rejected<=50%")
	if err != nil {
		t.Fatal(err)
	}
	for _, term := range terms { // these two do have data
		if got := term.Evaluate(dead); !got.Known || got.OK {
			t.Errorf("%s gives %+v, want known and missed", term, got)
		}
	}
	if got := (slo.Term{}).Evaluate(figures()); got.OK || got.Known {
		t.Errorf("the zero term gives %+v", got)
	}
}

func TestFewSamplesAreSaid(t *testing.T) {
	for _, c := range []struct {
		text    string
		samples uint64
		few     bool
	}{
		{"p99<=1s", 999, true},
		{"p99<=1s", 1000, false},
		{"p99.9<=1s", 9999, true},
		{"p99.9<=1s", 10_000, false},
		{"p1<=1s", 999, true},
		{"p50<=1s", 20, false},
		{"mean<=1s", 1, false},
	} {
		terms, err := slo.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		f := figures()
		f.Samples = c.samples
		got := terms[0].Evaluate(f)
		if !got.Known || !got.OK || strings.Contains(got.Note, "samples are few") != c.few {
			t.Errorf("%s with %d samples gives %+v", c.text, c.samples, got)
		}
	}
}

func TestValuesAreWrittenWithTheirUnit(t *testing.T) {
	for text, want := range map[string]string{"p99<=1s": "1.5ms", "throughput>=1/s": "1.5M/s", "rejected<=1%": "150000000%"} {
		terms, err := slo.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := terms[0].Format(1.5e6); got != want {
			t.Errorf("%s writes %s, want %s", text, got, want)
		}
	}
}

func TestEveryTermIsReadBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	ops := []slo.Op{slo.AtMost, slo.Below, slo.AtLeast, slo.Above}
	for range 5000 {
		want := slo.Term{Metric: slo.Metric(1 + rng.IntN(6)), Op: ops[rng.IntN(4)]}
		switch want.Metric.Unit() {
		case slo.PerSecond:
			want.Bound = rng.ExpFloat64() * 1e5
		case slo.Ratio:
			want.Bound = 1 - rng.Float64()
		default:
			want.Bound = float64(1 + rng.Int64N(int64(slo.MaxLatency))>>rng.IntN(40))
		}
		if want.Metric == slo.Percentile {
			want.Percent = float64(100+rng.IntN(9900)) / 100
		}
		got, err := slo.Parse(want.String())
		if err != nil || len(got) != 1 || got[0] != want {
			t.Fatalf("%s is read back as %v, %v", want, got, err)
		}
	}
}

func FuzzParseNeverPanicsAndReadsBackWhatItWrites(f *testing.F) {
	f.Add("p99<=20ms,p999<=1s,mean<1h,throughput>=45k/s,rejected<=0.1%")
	f.Add("p<=,<=≤,99")
	f.Fuzz(func(t *testing.T, text string) {
		terms, err := slo.Parse(text)
		if err != nil {
			return
		}
		again, err := slo.Parse(slo.Format(terms))
		if err != nil || !reflect.DeepEqual(again, terms) {
			t.Errorf("%q gives %s, which is read back as %v, %v", text, slo.Format(terms), again, err)
		}
	})
}
