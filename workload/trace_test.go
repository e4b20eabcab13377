package workload_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"ferryctl/workload"
)

const header = workload.TraceHeader + "\n"

// traceSpec replays the text as a file.
func traceSpec(t testing.TB, text string) workload.Spec {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return workload.Spec{Arrivals: workload.Arrivals{Kind: workload.FromTrace}, Trace: path, Speed: 1}
}

// readAll takes every item of the sequence, and the error that ended it.
func readAll(s workload.Spec) (items []workload.Item, lanes []string, err error) {
	src, err := workload.New(s)
	if err != nil {
		return nil, nil, err
	}
	var it workload.Item
	for src.Next(&it) {
		items = append(items, it)
	}
	return items, src.Lanes(), errors.Join(src.Err(), src.Close())
}

// show writes items as offset/weight/lane, and equal keys as equal letters.
func show(items []workload.Item, lanes []string) string {
	letters := map[uint64]byte{}
	var b strings.Builder
	for i, it := range items {
		if int(it.Index) != i {
			return fmt.Sprintf("item %d has the index %d", i, it.Index)
		}
		if _, ok := letters[it.Key]; !ok {
			letters[it.Key] = byte('A' + len(letters))
		}
		fmt.Fprintf(&b, "%v/%c/%d/%s ", it.At, letters[it.Key], it.Weight, lanes[it.Lane])
	}
	return strings.TrimSpace(b.String())
}

func TestTraceReadsWhatItsFormAllows(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"plain":            {header + "0,a,1,gold\n5,b,2,free\n5,a,0,gold\n", "0s/A/1/gold 5µs/B/2/free 5µs/A/0/gold"},
		"first offset":     {header + "100,a,1,\n103,a,1,\n", "0s/A/1/ 3µs/A/1/"},
		"crlf":             {"offset_us,key,weight,lane\r\n0,a,1,x\r\n1,a,1,x", "0s/A/1/x 1µs/A/1/x"},
		"no last newline":  {header + "0,a,1,x\n1,b,7,x", "0s/A/1/x 1µs/B/7/x"},
		"byte order mark":  {"\ufeff" + header + "0,a,1,x\n", "0s/A/1/x"},
		"quotes":           {header + "0,\"a,b\",1,\"say \"\"hi\"\"\"\n1,\"a,b\",1,x\n2,\"c\",\"3\",x\n", `0s/A/1/say "hi" 1µs/A/1/x 2µs/B/3/x`},
		"quoted header":    {"\"offset_us\",\"key\",\"weight\",\"lane\"\n0,a,1,x\n", "0s/A/1/x"},
		"odd keys":         {header + "0,q:q:1:8WT/+=,1,x\n0,ключ,1,x\n0, a ,1,x\n0,a,1,x\n", "0s/A/1/x 0s/B/1/x 0s/C/1/x 0s/D/1/x"},
		"untagged":         {header + "0,a,1,\n1,a,1,", "0s/A/1/ 1µs/A/1/"},
		"whole last lane":  {header + "0,a,1,x\n1,a,1,xy\n2,a,1,x", "0s/A/1/x 1µs/A/1/xy 2µs/A/1/x"},
		"largest":          {header + "9223372036854775,a,4611686018427387904,x\n", "0s/A/4611686018427387904/x"},
		"one row, no more": {header + "7,a,1,x", "0s/A/1/x"},
	} {
		items, lanes, err := readAll(traceSpec(t, c.text))
		if got := show(items, lanes); err != nil || got != c.want {
			t.Errorf("%s: got %s, %v; want %s", name, got, err, c.want)
		}
	}
}

func TestTraceRefusesWithFileAndLine(t *testing.T) {
	good := header + "0,a,1,x\n10,b,1,y\n"
	for name, c := range map[string]struct {
		text string
		line int
		msg  string
	}{
		"empty file":        {"", 0, "is empty: want the header offset_us,key,weight,lane"},
		"header only":       {header, 1, "no rows behind its header"},
		"no header":         {"0,a,1,x\n", 1, "has no header"},
		"other header":      {"TIMESTAMP,ContextTokens,GeneratedTokens\n", 1, `the header is "TIMESTAMP,ContextTokens,GeneratedTokens": want offset_us`},
		"other order":       {"key,offset_us,weight,lane\n", 1, "in this order"},
		"more columns":      {"offset_us,key,weight,lane,ttl\n0,a,1,x,5\n", 1, "(5 columns)"},
		"lfs pointer":       {"version https://git-lfs.github.com/spec/v1\noid sha256:4b\nsize 5\n", 1, "is a Git LFS pointer, not data"},
		"repeated header":   {good + header, 4, "the header stands here again"},
		"few fields":        {good + "11,a,1\n12,a,1,x\n", 4, "has 3 fields: want 4"},
		"many fields":       {good + "11,a,1,x,y\n", 4, "has 5 fields: want 4"},
		"blank line":        {good + "\n11,a,1,x\n", 4, "is an empty line"},
		"cut row":           {good + "11,a,1", 4, "as if it were cut off"},
		"cut lane":          {header + "0,a,1,conv\n1,a,1,co", 3, `lane "co" is new and begins like "conv"`},
		"cut before lane":   {header + "0,a,1,conv\n1,a,1,", 3, `lane "" is new`},
		"fraction":          {good + "11.5,a,1,x\n", 4, `offset_us "11.5" is not a whole number`},
		"negative offset":   {good + "-1,a,1,x\n", 4, `offset_us "-1" is negative`},
		"negative weight":   {good + "11,a,-5,x\n", 4, `weight "-5" is negative`},
		"no offset":         {good + ",a,1,x\n", 4, "offset_us is empty"},
		"no weight":         {good + "11,a,,x\n", 4, "weight is empty"},
		"spaces":            {good + " 11,a,1,x\n", 4, "digits only"},
		"exponent":          {good + "1e9,a,1,x\n", 4, "digits only"},
		"offset overflow":   {good + "9223372036854776,a,1,x\n", 4, "too large: want at most 9223372036854775"},
		"long overflow":     {good + "99999999999999999999999999,a,1,x\n", 4, "too large"},
		"weight overflow":   {good + "11,a,4611686018427387905,x\n", 4, "too large: want at most 4611686018427387904"},
		"backwards":         {good + "9,a,1,x\n", 4, "offset_us 9 is less than 10 before it"},
		"first backwards":   {header + "5,a,1,x\n4,a,1,x\n", 3, "offset_us 4 is less than 5"},
		"no key":            {good + "11,,1,x\n", 4, "the key is empty"},
		"quoted empty key":  {good + "11,\"\",1,x\n", 4, "the key is empty"},
		"open quote":        {good + "11,\"a,1,x\n12,a,1,x\n", 4, "not closed on its line"},
		"quote inside":      {good + "11,a\"b,1,x\n", 4, "a quote inside the field"},
		"text behind quote": {good + "11,\"a\"b,1,x\n", 4, "text behind a closing quote"},
		"binary":            {good + "11,a\x00,1,x\n", 4, "is binary"},
		"utf-16":            {"\xff\xfeo\x00f\x00", 1, "is binary or UTF-16"},
		"long line":         {good + "11," + strings.Repeat("k", workload.MaxTraceLine) + ",1,x\n", 4, "longer than 65536 bytes"},
		"no newline at all": {strings.Repeat("k", 1<<20), 1, "longer than 65536 bytes"},
		"long lane":         {good + "11,a,1," + strings.Repeat("l", 257) + "\n", 4, "want at most 256"},
		"control in lane":   {good + "11,a,1,x\x1b[2J\n", 4, "control characters"},
		"broken utf-8":      {good + "11,a,1,\xff\n", 4, "broken UTF-8"},
		"carriage returns":  {"offset_us,key,weight,lane\r0,a,1,x\r", 1, "the header is"},
		"gzip that is none": {"\x1f\x8bnothing", 0, "begins like gzip"},
		"too many lanes":    {header + manyLanes(workload.MaxLanes+1), workload.MaxLanes + 2, "one too many: want at most 10000"},
	} {
		s := traceSpec(t, c.text)
		items, _, err := readAll(s)
		var where *workload.TraceError
		switch {
		case !errors.As(err, &where):
			t.Errorf("%s: %d items and %v, want a TraceError", name, len(items), err)
		case where.Path != s.Trace || name != "empty file" && where.Line != c.line || !strings.Contains(err.Error(), c.msg):
			t.Errorf("%s: got %.200q, want line %d and %q", name, err, c.line, c.msg)
		case name != "empty file" && c.line > 0 && !strings.HasPrefix(err.Error(), fmt.Sprintf("%s:%d: ", s.Trace, c.line)):
			t.Errorf("%s: %.200q does not begin with file:line", name, err)
		}
	}
}

func manyLanes(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d,k,1,lane%d\n", i, i)
	}
	return b.String()
}

func TestTraceGivesTheRowsBeforeAFault(t *testing.T) {
	items, lanes, err := readAll(traceSpec(t, header+"0,a,1,x\n1,b,1,x\nbad\n2,c,1,x\n"))
	if got := show(items, lanes); got != "0s/A/1/x 1µs/B/1/x" || err == nil {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestTraceThatIsNoFileIsRefused(t *testing.T) {
	s := traceSpec(t, "")
	s.Trace = filepath.Dir(s.Trace)
	if _, err := workload.New(s); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("a directory: %v", err)
	}
	s.Trace = filepath.Join(s.Trace, "absent.csv")
	if _, err := workload.New(s); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

func TestSpeedDividesOffsets(t *testing.T) {
	text := header + "1000,a,1,x\n1001,a,1,x\n3000,a,1,x\n9223372036854775,a,1,x\n"
	for speed, want := range map[float64]string{
		1:     "0s 1µs 2ms 2562047h47m16.853775s",
		10:    "0s 100ns 200µs 256204h46m43.6853775s",
		3:     "0s 333ns 666.666µs 854015h55m45.617925s",
		0.5:   "0s 2µs 4ms too large at the speed 0.5",
		2.5:   "0s 400ns 800µs 1024819h6m54.741",
		1e300: "0s 0s 0s 0s",
	} {
		s := traceSpec(t, text)
		s.Speed = speed
		items, _, err := readAll(s)
		var got []string
		for _, it := range items {
			got = append(got, it.At.String())
		}
		if err != nil {
			got = append(got, err.Error())
		}
		parts := strings.SplitN(want, " ", 4)
		for i, part := range parts {
			if i >= len(got) || !strings.Contains(got[i], part) {
				t.Errorf("speed %v: got %v, want %s", speed, got, want)
				break
			}
		}
	}
}

func TestTraceStopsAtItsBounds(t *testing.T) {
	text := header + "100,a,1,x\n101,b,1,x\n102,c,1,x\nbad\n"
	s := traceSpec(t, text)
	s.Items = 3
	if items, lanes, err := readAll(s); err != nil || show(items, lanes) != "0s/A/1/x 1µs/B/1/x 2µs/C/1/x" {
		t.Errorf("3 items: %s, %v", show(items, lanes), err)
	}
	s = traceSpec(t, text)
	s.Duration = 2 * time.Microsecond
	if items, lanes, err := readAll(s); err != nil || show(items, lanes) != "0s/A/1/x 1µs/B/1/x" {
		t.Errorf("2us: %s, %v", show(items, lanes), err)
	}
}

func TestTraceWithoutItsOffsets(t *testing.T) {
	for name, change := range map[string]func(*workload.Spec){
		"closed loop": func(s *workload.Spec) { s.Closed = true },
		"rate max":    func(s *workload.Spec) { s.Rate.Max = true },
	} {
		s := traceSpec(t, header+"100,a,1,x\n105,b,1,x\n")
		change(&s)
		if items, lanes, err := readAll(s); err != nil || show(items, lanes) != "0s/A/1/x 0s/B/1/x" {
			t.Errorf("%s: %s, %v", name, show(items, lanes), err)
		}
	}
}

func TestLanesGrowWithoutMoving(t *testing.T) {
	src, err := workload.New(traceSpec(t, header+"0,a,1,x\n1,a,1,y\n2,a,1,z\n"))
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	before := src.Lanes()
	if len(before) != 1 || before[0] != "x" {
		t.Fatalf("before the first item: %q", before)
	}
	var it workload.Item
	for src.Next(&it) {
	}
	if got := strings.Join(src.Lanes(), ","); got != "x,y,z" || before[0] != "x" {
		t.Errorf("after the last item: %q, and the old slice %q", got, before)
	}
}

func TestCompressedTraceIsReadAsIfPlain(t *testing.T) {
	text := header + manyLanes(2000)
	plain, err := hashOf(traceSpec(t, text))
	if err != nil {
		t.Fatal(err)
	}
	var gz, zst bytes.Buffer
	w := gzip.NewWriter(&gz)
	z, err := zstd.NewWriter(&zst)
	if err != nil {
		t.Fatal(err)
	}
	_, e1 := w.Write([]byte(text))
	_, e2 := z.Write([]byte(text))
	if err := errors.Join(e1, e2, w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	for name, packed := range map[string][]byte{"gzip": gz.Bytes(), "zstd": zst.Bytes()} {
		if got, err := hashOf(traceSpec(t, string(packed))); err != nil || got != plain {
			t.Errorf("%s: hash %x, %v; want %x", name, got, err, plain)
		}
		_, err := hashOf(traceSpec(t, string(packed[:len(packed)*2/3])))
		if err == nil || !strings.Contains(err.Error(), "compressed data is cut off") {
			t.Errorf("%s, cut off: %v", name, err)
		}
	}
}

func hashOf(s workload.Spec) (uint64, error) {
	src, err := workload.New(s)
	if err != nil {
		return 0, err
	}
	var it workload.Item
	for src.Next(&it) {
	}
	return src.Hash(), errors.Join(src.Err(), src.Close())
}
