package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"ferryctl/bench/export"
)

// TestRecordedTracesAreReplayedWhole replays recorded loads through PerKey with
// a weight bound, in a second or two. It runs where FERRYCTL_TRACES names the
// folder that holds them.
func TestRecordedTracesAreReplayedWhole(t *testing.T) {
	dir := os.Getenv("FERRYCTL_TRACES")
	if dir == "" {
		t.Skip("FERRYCTL_TRACES names no folder of traces")
	}
	tests := []struct {
		file, speed, batchWeight string
	}{
		{"azure_llm_conv.csv", "2500", "16k"},
		{"meta_block_1.csv", "30", "16MiB"},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			path := filepath.Join(dir, tt.file)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			rows := uint64(bytes.Count(text, []byte("\n")) - 1) // less the heading
			out := ferryctl(t, nil, "bench", "--trace", path, "--speed", tt.speed, "--batch-weight", tt.batchWeight,
				"--backend", "synthetic(base=200us,per_item=20us)", "-o", "json")
			r, err := export.Read(bytes.NewReader([]byte(out)))
			if err != nil {
				t.Fatal(err)
			}
			c := r.Counts
			if !r.Complete || c.Offered != rows || r.Items != rows {
				t.Errorf("complete %v, offered %d, items %d; want all of %d rows", r.Complete, c.Offered, r.Items, rows)
			}
			if sum := c.Done + c.Rejected + c.Failed + c.Cancelled + c.Unsent + c.InFlightAtEnd; sum != c.Offered || c.Done == 0 {
				t.Errorf("the counts don't add up: %+v", c)
			}
			if lanes := len(r.Lanes); lanes == 0 {
				t.Error("the share lanes of the trace are missing")
			}
		})
	}
}
