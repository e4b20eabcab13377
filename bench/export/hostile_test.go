// Files that nobody vouches for: whatever a result holds, every form of it is
// written or refused, and nothing falls over.

package export

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
)

// spoil replaces a random part of a JSON value.
func spoil(rng *rand.Rand, v any) any {
	wrong := []any{nil, -1.0, 1e300, 0.5, "", "x", "<script>", true, []any{}, map[string]any{}, []any{map[string]any{}}, 1e15}
	switch x := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(x))
		for k := range x {
			keys = append(keys, k)
		}
		if len(keys) == 0 {
			return wrong[rng.IntN(len(wrong))]
		}
		// Map order is chance of another kind: pick by the smallest of a hash.
		best := keys[0]
		for _, k := range keys {
			if k > best == (rng.IntN(2) == 0) {
				best = k
			}
		}
		x[best] = spoil(rng, x[best])
		return x
	case []any:
		if len(x) > 0 && rng.IntN(3) > 0 {
			i := rng.IntN(len(x))
			x[i] = spoil(rng, x[i])
			return x
		}
	}
	return wrong[rng.IntN(len(wrong))]
}

func TestNoFileMakesAFormFallOver(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	whole := text(t, "json", full())
	read := 0
	for range 1500 {
		var doc map[string]any
		if err := json.Unmarshal([]byte(whole), &doc); err != nil {
			t.Fatal(err)
		}
		for range 1 + rng.IntN(4) {
			spoil(rng, doc)
		}
		doc["schema"] = "ferryctl.result/v1"
		spoiled, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Read(bytes.NewReader(spoiled))
		if err != nil {
			continue // refused, which is as well
		}
		read++
		for _, format := range Formats {
			var b bytes.Buffer
			if err := Write(&b, format, r); err == nil && format == "html" && strings.Count(b.String(), "<script") != 2 {
				t.Errorf("a page has another script, from %s", spoiled)
			}
		}
	}
	if read < 100 {
		t.Errorf("only %d of 1500 files were read: the test tests little", read)
	}
}

func TestAResultThatContradictsItselfIsRefused(t *testing.T) {
	for name, change := range map[string]struct{ from, to, want string }{
		"another verdict": {`"verdict": "SUSPECT"`, `"verdict": "GREAT"`, "want VALID, SUSPECT or INVALID"},
		"a sum too large": {`"done": 299000`, `"done": 299001`, "do not add up"},
	} {
		forged := strings.Replace(text(t, "json", full()), change.from, change.to, 1)
		if _, err := Read(strings.NewReader(forged)); err == nil || !strings.Contains(err.Error(), change.want) {
			t.Errorf("%s: error is %v, want one that says %q", name, err, change.want)
		}
	}
}
