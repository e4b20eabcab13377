package export

import (
	"bytes"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"pgregory.net/rapid"

	"ferryctl/bench"
)

var update = flag.Bool("update", false, "write the golden files anew")

func text(t *testing.T, format string, r *bench.Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, format, r); err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	return b.String()
}

var samples = map[string]func() *bench.Result{"full": full, "empty": empty, "naninf": naninf, "hostile": hostile}

func TestFormsMatchTheirGoldenFiles(t *testing.T) {
	for name, make := range samples {
		for _, format := range Formats {
			if format == "html" { // most of it is a library; forms_test.go looks into it
				continue
			}
			t.Run(name+"/"+format, func(t *testing.T) {
				got := text(t, format, make())
				path := filepath.Join("testdata", name+"."+format)
				if *update {
					if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if got != string(want) {
					t.Errorf("%s differs; run go test ./bench/export -update and read the change. First:\n%s", path, firstChange(got, string(want)))
				}
			})
		}
	}
}

// firstChange returns the first line in which two texts differ, both ways.
func firstChange(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(a), len(b)) {
		x, y := "(nothing)", "(nothing)"
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			return fmt.Sprintf("line %d is  %.300s\nnot      %.300s", i+1, x, y)
		}
	}
	return "nothing"
}

func TestAResultReadsBackAsItWas(t *testing.T) {
	for name, make := range samples {
		want := make()
		got, err := Read(strings.NewReader(text(t, "json", want)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		// What is not UTF-8 becomes the replacement character, once.
		again, first := text(t, "json", got), strings.ReplaceAll(text(t, "json", want), `\ufffd`, "\ufffd")
		if again != first {
			t.Errorf("%s: written again it differs", name)
		}
		if name != "hostile" && !reflect.DeepEqual(compact(t, got), compact(t, want)) { // JSON repairs invalid UTF-8
			t.Errorf("%s: read %+v\nwant %+v", name, got, want)
		}
	}
}

// compact returns r with its settings' JSON in one spelling.
func compact(t *testing.T, r *bench.Result) *bench.Result {
	t.Helper()
	for i, s := range r.Settings {
		r.Settings[i].Value = []byte(s.Text())
	}
	return r
}

func TestFiguresReadBackToTheSameBits(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := rapid.Float64().Draw(rt, "v")
		r := empty()
		r.Rates.Offered = bench.Some(v)
		var b bytes.Buffer
		if err := Write(&b, "json", r); err != nil {
			rt.Fatal(err)
		}
		got, err := Read(&b)
		if err != nil {
			rt.Fatal(err)
		}
		want := bench.Some(v) // missing if v is no number
		if x, ok := got.Rates.Offered.Get(); ok != want.Known() || ok && math.Float64bits(x) != math.Float64bits(v) {
			rt.Fatalf("%v came back as %v", v, got.Rates.Offered)
		}
	})
}

func TestReadRefusesWhatIsNoResult(t *testing.T) {
	whole := text(t, "json", full())
	for name, in := range map[string]struct{ text, want string }{
		"empty":          {"", "empty"},
		"cut off":        {whole[:len(whole)/2], "cut off"},
		"two results":    {whole + whole, "follows"},
		"another schema": {`{"schema":"ferryctl.result/v2"}`, `want "ferryctl.result/v1"`},
		"no schema":      {`{}`, "schema"},
		"not JSON":       {"bench hotkeys", "not JSON"},
		"wrong type":     {`{"schema":"ferryctl.result/v1","counts":{"offered":-1}}`, "offered"},
		"pointer":        {"version https://git-lfs.github.com/spec/v1\n", "not JSON"},
	} {
		if _, err := Read(strings.NewReader(in.text)); err == nil || !strings.Contains(err.Error(), in.want) {
			t.Errorf("%s: error is %v, want one that says %q", name, err, in.want)
		}
	}
}

func TestAnUnknownFormatIsRefusedWithTheOnesThereAre(t *testing.T) {
	err := Write(&bytes.Buffer{}, "tabel", full())
	if err == nil || !strings.Contains(err.Error(), "table, json, csv, hlog, hgrm") {
		t.Errorf("error is %v", err)
	}
}

func TestNothingInATableMovesTheCursorOrTheMargin(t *testing.T) {
	for name, make := range samples {
		for i, line := range strings.Split(text(t, "table", make()), "\n") {
			if n := columns(line); n > width {
				t.Errorf("%s: line %d has %d columns: %s", name, i+1, n, line)
			}
			for _, r := range line {
				if !unicode.IsPrint(r) {
					t.Errorf("%s: line %d holds %U: %q", name, i+1, r, line)
				}
			}
			if strings.TrimRight(line, " ") != line {
				t.Errorf("%s: line %d ends in spaces: %q", name, i+1, line)
			}
		}
	}
}

func TestACSVIsOneRowWithNoFormula(t *testing.T) {
	for name, make := range samples {
		got := text(t, "csv", make())
		rows, err := csv.NewReader(strings.NewReader(got)).ReadAll()
		if err != nil || len(rows) != 2 || len(rows[0]) != len(rows[1]) {
			t.Fatalf("%s: %d rows, %v", name, len(rows), err)
		}
		seen := map[string]bool{}
		for i, cell := range rows[1] {
			if head := rows[0][i]; seen[head] || head == "" {
				t.Errorf("%s: column %q is there twice", name, head)
			} else {
				seen[head] = true
			}
			if strings.Contains("NaN Inf +Inf -Inf null", cell) && cell != "" {
				t.Errorf("%s: %s is %q", name, rows[0][i], cell)
			}
			if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
				t.Errorf("%s: %s is a formula: %q", name, rows[0][i], cell)
			}
		}
		if !strings.HasSuffix(got, "\r\n") {
			t.Errorf("%s: lines do not end in CR LF", name)
		}
	}
}

func TestMissingFiguresAreEmptyInCSVAndZeroesAreZero(t *testing.T) {
	rows, err := csv.NewReader(strings.NewReader(text(t, "csv", empty()))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string {
		for i, head := range rows[0] {
			if head == name {
				return rows[1][i]
			}
		}
		t.Fatalf("no column %s", name)
		return ""
	}
	if at("sojourn_p99_ns") != "" || at("throughput_per_s") != "" || at("done") != "0" || at("sojourn_count") != "0" {
		t.Errorf("p99 %q, throughput %q, done %q, count %q", at("sojourn_p99_ns"), at("throughput_per_s"), at("done"), at("sojourn_count"))
	}
}

func TestAnIntervalLogReadsBackInTheUsualReader(t *testing.T) {
	for name, make := range samples {
		r := make()
		in := hdr.NewHistogramLogReader(strings.NewReader(text(t, "hlog", r)))
		var untagged, lanes int64
		lines := 0
		for {
			h, err := in.NextIntervalHistogram()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if h == nil {
				break
			}
			lines++
			switch {
			case h.Tag() == "":
				untagged += h.TotalCount()
				if at := h.StartTimeMs(); at < r.Environment.Started.UnixMilli() {
					t.Errorf("%s: an interval starts at %d ms, before the run", name, at)
				}
			case strings.HasPrefix(h.Tag(), "lane:"):
				lanes += h.TotalCount()
			case h.Tag() != "wait" && h.Tag() != "service":
				t.Errorf("%s: unknown tag %q", name, h.Tag())
			}
		}
		var want, wantLanes uint64
		for _, i := range r.Intervals {
			if i.Histogram != "" {
				want += uint64(intervalCount(t, i.Histogram))
			}
		}
		for _, l := range r.Lanes {
			wantLanes += l.Sojourn.Count
		}
		if uint64(untagged) != want || uint64(lanes) != wantLanes {
			t.Errorf("%s: read %d and %d values in %d lines, want %d and %d", name, untagged, lanes, lines, want, wantLanes)
		}
	}
}

// TestTagsTellLanesApart: what a tag cannot hold must not make two names one.
func TestTagsTellLanesApart(t *testing.T) {
	names := []string{"", "a b", "a_b", "a,b", "a%20b", "a\u202eb", "a\u2066b", "a\tb", "a\nb", "日本", "日,本", "_", "%"}
	by := map[string]string{}
	for _, name := range names {
		got := tag(name)
		if other, twice := by[got]; twice {
			t.Errorf("%q and %q have the same tag %q", name, other, got)
		}
		by[got] = name
		if strings.ContainsAny(got, ", \t\n\u202e\u2066") {
			t.Errorf("the tag %q of %q holds what tags may not", got, name)
		}
		if plainly, err := url.PathUnescape(got); err != nil || plainly != name {
			t.Errorf("the tag %q reads back as %q, %v; want %q", got, plainly, err, name)
		}
	}
	if got := tag("acme/interactive"); got != "acme/interactive" {
		t.Errorf("a plain name has the tag %q", got)
	}
}

func intervalCount(t *testing.T, histogram string) int64 {
	t.Helper()
	h, err := hdr.Decode([]byte(histogram))
	if err != nil {
		t.Fatal(err)
	}
	return h.TotalCount()
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errPipe }

var errPipe = errors.New("broken pipe")

func TestAWritersErrorIsReported(t *testing.T) {
	for _, format := range Formats {
		if err := Write(brokenPipe{}, format, full()); !errors.Is(err, errPipe) {
			t.Errorf("%s: error is %v, want the writer's", format, err)
		}
	}
}
