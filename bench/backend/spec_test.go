package backend_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"ferryctl/bench/backend"
)

func TestSpecsAreRead(t *testing.T) {
	const ms, us = time.Millisecond, time.Microsecond
	for text, want := range map[string]backend.Spec{
		"synthetic":   {},
		"synthetic()": {},
		"synthetic(base=1ms,per_item=20us,per_weight=0s,dist=fixed,jitter=0,concurrency=0,errors=0%)": {Base: ms, PerItem: 20 * us},
		"synthetic( dist = exponential , base = 2ms )":                                                {Base: 2 * ms, Dist: backend.Dist{Shape: backend.Exponential}},
		"synthetic(dist=lognormal(sigma=0.5),base=1h)":                                                {Base: time.Hour, Dist: backend.Dist{Shape: backend.Lognormal, Sigma: 0.5}},
		"synthetic(dist=lognormal(2))":                                                                {Dist: backend.Dist{Shape: backend.Lognormal, Sigma: 2}},
		"synthetic(per_weight=3ns,jitter=10%,concurrency=1k,errors=100%)":                             {PerWeight: 3, Jitter: 0.1, Concurrency: 1000, Errors: 1},
		"synthetic(jitter=0.1)":                                                                       {Jitter: 0.1},
	} {
		want.Kind = backend.Synthetic
		if got, err := backend.ParseSpec(text); err != nil || got != want {
			t.Errorf("%s is read as %+v, %v; want %+v", text, got, err, want)
		}
	}
}

func TestBadSpecsAreRefusedWithWhatWouldBeRight(t *testing.T) {
	for text, wants := range map[string][]string{
		"":                                               {"want a name"},
		"sqlite:/var/x.db":                               {"the backend sqlite: is not available yet", "want synthetic("},
		"postgres:host=x":                                {"the backend postgres: is not available yet"},
		"http://x/":                                      {"the backend http: is not available yet"},
		"https://x/":                                     {"the backend https: is not available yet"},
		"synthethic(base=1ms)":                           {`unknown backend "synthethic": want synthetic(base=1ms`},
		"synthetic(base=1)":                              {"base", "without a unit"},
		"synthetic(base=61m)":                            {"base 1h1m0s is out of bounds: want 0s to 1h"},
		"synthetic(base=-1ms)":                           {"base"},
		"synthetic(jitter=1.5)":                          {"jitter 1.5 is out of bounds: want a fraction from 0 to 1, or 0% to 100%"},
		"synthetic(jitter=NaN)":                          {"jitter", "not a number"},
		"synthetic(errors=0.01)":                         {"errors", "want 0.01%"},
		"synthetic(errors=101%)":                         {"errors", "at most 100%"},
		"synthetic(concurrency=1.5)":                     {"concurrency", "not whole"},
		"synthetic(concurrency=2M)":                      {"concurrency 2000000 is out of bounds: want 1 to 1000000, or 0 for no limit"},
		"synthetic(concurrency=99T)":                     {"concurrency", "out of bounds"},
		"synthetic(dist=lognormal)":                      {"sigma is missing"},
		"synthetic(dist=lognormal(11))":                  {"sigma 11 is out of bounds: want 0 to 10"},
		"synthetic(dist=exponental)":                     {"did you mean exponential"},
		"synthetic(dist=uniform)":                        {`unknown distribution "uniform": want fixed, exponential or lognormal`},
		"synthetic(dist=fixed(1))":                       {"one argument too many"},
		"synthetic(per_itm=1ms)":                         {`unknown argument "per_itm", did you mean per_item`},
		"synthetic(base=1,per_item=2,errors=3,jitter=7)": {"base", "per_item", "errors", "jitter 7"}, // all at once
	} {
		got, err := backend.ParseSpec(text)
		if err == nil {
			t.Errorf("%s is read as %+v", text, got)
			continue
		}
		for _, want := range wants {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s is refused with\n%v\nwant %q in it", text, err, want)
			}
		}
	}
}

func TestSpecsAreWrittenInFullAndReadBack(t *testing.T) {
	spec, err := backend.ParseSpec("synthetic(base=1ms,per_item=20us)")
	const want = "synthetic(base=1ms,per_item=20us,per_weight=0s,dist=fixed,jitter=0,concurrency=0,errors=0%)"
	if err != nil || spec.String() != want {
		t.Errorf("got %s, %v; want %s", spec, err, want)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 5000 {
		want := randomSpec(rng)
		if got, err := backend.ParseSpec(want.String()); err != nil || got != want {
			t.Fatalf("%s is read back as %s, %v", want, got, err)
		}
	}
}

func randomSpec(rng *rand.Rand) backend.Spec {
	cost := func() time.Duration { return time.Duration(rng.Int64N(int64(backend.MaxCost)+1) >> rng.IntN(40)) }
	s := backend.Spec{
		Kind: backend.Synthetic, Base: cost(), PerItem: cost(), PerWeight: cost(),
		Dist: backend.Dist{Shape: backend.Shape(rng.IntN(3))}, Jitter: rng.Float64(), Errors: rng.Float64(),
		Concurrency: rng.IntN(backend.MaxConcurrency + 1),
	}
	if s.Dist.Shape == backend.Lognormal {
		s.Dist.Sigma = rng.Float64() * backend.MaxSigma
	}
	return s
}

func FuzzParseSpecNeverPanicsAndReadsBackWhatItWrites(f *testing.F) {
	f.Add("synthetic(base=1ms,per_item=20us,per_weight=0s,dist=lognormal(sigma=1),jitter=5%,concurrency=4,errors=0.1%)")
	f.Add("synthetic(dist=exponential(")
	f.Add("sqlite:x")
	f.Fuzz(func(t *testing.T, text string) {
		spec, err := backend.ParseSpec(text)
		if err != nil {
			return
		}
		if again, err := backend.ParseSpec(spec.String()); err != nil || again != spec {
			t.Errorf("%q gives %s, which is read back as %s, %v", text, spec, again, err)
		}
	})
}
