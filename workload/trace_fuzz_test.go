package workload

import (
	"errors"
	"strings"
	"testing"
)

// FuzzTraceIsReadOrRefused feeds any bytes to the reader. It must end with sound
// items or with a fault that names the line, and must not read more rows than
// the text has lines.
func FuzzTraceIsReadOrRefused(f *testing.F) {
	for _, rows := range []string{
		"0,a,1,x\n", "5,\"a,\"\"b\",0,x\r\n5,b,7,", "0,a,1,x\n\n", "1,a,1,x\n0,a,1,x\n", "0,,1,x\n", "0,a,1\n", TraceHeader,
		"9223372036854775,a,4611686018427387904,x", "0,\"a\n", "0,a\"b,1,x", "-1,a,1,x",
	} {
		f.Add([]byte(TraceHeader+"\n"+rows), 1.0)
	}
	f.Add([]byte("\ufeff"+TraceHeader+"\r\n0,a,1,x"), 0.5)
	f.Add([]byte("version https://git-lfs.github.com/spec/v1\n"), 3.0)
	f.Add([]byte("\x1f\x8b\x08\x00"), 1.0)
	f.Add([]byte("\x28\xb5\x2f\xfd\x00\x00"), 1.0)
	f.Fuzz(func(t *testing.T, text []byte, speed float64) {
		s := Spec{Arrivals: Arrivals{Kind: FromTrace}, Trace: "t.csv", Speed: speed}
		if s.Validate() != nil {
			return
		}
		src, err := newTrace(s, strings.NewReader(string(text)), nil)
		var last, it Item
		n := 0
		if err == nil {
			for src.Next(&it) {
				if it.At < last.At || it.Weight < 0 || it.Weight > MaxWeight || it.Index != uint64(n) {
					t.Fatalf("item %d is %+v after %+v", n, it, last)
				}
				if name := src.Lanes()[it.Lane]; len(name) > MaxLaneName {
					t.Fatalf("a lane's name has %d bytes", len(name))
				}
				last = it
				n++
			}
			err = src.Err()
			src.release()
		}
		var where *TraceError
		if err != nil && (!errors.As(err, &where) || where.Path != "t.csv" || !strings.Contains(err.Error(), "t.csv:")) {
			t.Errorf("the fault %q does not name its file", err)
		}
		packed := strings.HasPrefix(string(text), "\x1f\x8b") || strings.HasPrefix(string(text), "\x28\xb5\x2f\xfd")
		if lines := strings.Count(string(text), "\n"); n > lines && !packed {
			t.Errorf("%d items in %d lines", n, lines+1)
		}
	})
}
