package units_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"ferryctl/workload/units"
)

func TestCallGivesNameArgumentsAndPositions(t *testing.T) {
	for text, want := range map[string]struct {
		name string
		args []units.Arg
	}{
		"poisson":                        {"poisson", nil},
		" constant ( ) ":                 {"constant", nil},
		"uniform(1, 10k)":                {"uniform", []units.Arg{{"", "1", 8}, {"", "10k", 11}}},
		"pareto( min = 4KiB ,alpha=1.2)": {"pareto", []units.Arg{{"min", "4KiB", 8}, {"alpha", "1.2", 20}}},
		"synthetic(base=1ms,dist=lognormal(sigma=0.5,x=2),errors=0%)": {"synthetic", []units.Arg{
			{"base", "1ms", 10}, {"dist", "lognormal(sigma=0.5,x=2)", 19}, {"errors", "0%", 49},
		}},
		"f(g(a=1))": {"f", []units.Arg{{"", "g(a=1)", 2}}},
	} {
		name, args, err := units.Call(text)
		if err != nil || name != want.name || !reflect.DeepEqual(args, want.args) {
			t.Errorf("%q gives %q %v, %v; want %q %v", text, name, args, err, want.name, want.args)
		}
	}
}

func TestCallSaysWhereItStops(t *testing.T) {
	for text, want := range map[string]struct {
		pos int
		msg string
	}{
		"":                        {0, "want a name"},
		"Poisson":                 {0, "want a name"},
		"f(a=1":                   {5, "closing parenthesis"},
		"f(a=1))":                 {6, "nothing after"},
		"f(a=1) x":                {6, "nothing after"},
		"f(a=1,)":                 {6, "want a value"},
		"f(,a=1)":                 {2, "want a value"},
		"f(a=)":                   {2, "want a value"},
		"f(=1)":                   {2, "not a name"},
		"f(A=1)":                  {2, "not a name"},
		"f(a=1,b=2,a=3)":          {10, "a is given twice"},
		strings.Repeat("x", 5000): {4096, "longer than"},
	} {
		_, _, err := units.Call(text)
		var syntax *units.SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%.20q gives %v, want a SyntaxError", text, err)
		} else if syntax.Pos != want.pos || !strings.Contains(err.Error(), want.msg) {
			t.Errorf("%.20q: position %d, %q; want position %d, %q", text, syntax.Pos, err, want.pos, want.msg)
		}
	}
}

func TestBindReportsEveryFaultAtOnce(t *testing.T) {
	var low, high string
	bind := func(text string) error {
		low, high = "", ""
		name, args, err := units.Call(text)
		if err != nil {
			t.Fatal(err)
		}
		return units.Bind(name, args,
			units.Param{Name: "min", Set: func(s string) error { low = s; return nil }},
			units.Param{Name: "max", Set: func(s string) error {
				if high = s; s == "bad" {
					return errors.New("refused")
				}
				return nil
			}, Optional: true})
	}
	for _, text := range []string{"u(min=1,max=2)", "u(max=2,min=1)", "u(1,2)", "u(1,max=2)"} {
		if err := bind(text); err != nil || low != "1" || high != "2" {
			t.Errorf("%s binds %q, %q, %v", text, low, high, err)
		}
	}
	if err := bind("u(1)"); err != nil || low != "1" || high != "" {
		t.Errorf("the optional argument is missed: %v", err)
	}
	for text, wants := range map[string][]string{
		"u(mim=1,max=bad)": {`unknown argument "mim", did you mean min`, "u: max: refused", "min is missing: want u(min=…, max=…)"},
		"u(max=1,2)":       {"has no name but follows one that has", "min is missing"},
		"u(1,2,3)":         {"one argument too many"},
		"u(1,min=2)":       {"min is given twice"},
		"u":                {"min is missing"},
	} {
		err := bind(text)
		for _, want := range wants {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v; want %q in it", text, err, want)
			}
		}
	}
}

func TestNearestForgivesASlipAndNotMore(t *testing.T) {
	words := []string{"batch_size", "batch_weight", "keys", "rate"}
	for word, want := range map[string]string{
		"batch_sise": "batch_size", "batchweight": "batch_weight", "key": "keys", "rat": "rate", "zzz": "", "keys": "keys",
	} {
		if got := units.Nearest(word, words); got != want {
			t.Errorf("nearest to %q is %q, want %q", word, got, want)
		}
	}
}

func FuzzCallNeverPanics(f *testing.F) {
	for _, s := range []string{"f(a=1,b=g(2))", "a(\fa=0)", "f((", "))((", "f(=,=)", "f"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		name, args, err := units.Call(s)
		if err != nil {
			return
		}
		parts := make([]string, len(args))
		for i, a := range args {
			if parts[i] = a.Value; a.Key != "" {
				parts[i] = a.Key + "=" + a.Value
			}
			if !strings.HasPrefix(s[a.Pos:], a.Key) {
				t.Errorf("%q: %q is not at %d", s, a.Key, a.Pos)
			}
		}
		again, args2, err := units.Call(name + "(" + strings.Join(parts, ",") + ")")
		if err != nil || again != name || len(args2) != len(args) {
			t.Errorf("%q is not read back: %v", s, err)
		}
	})
}
