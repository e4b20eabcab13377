package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/color"
	"os"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"

	"ferryctl/bench"
	"ferryctl/bench/settings"
	"ferryctl/profiles"
	"ferryctl/tui"
)

// The terminal of the picture, and its cells in pixels.
const (
	shotColumns, shotLines = 120, 30
	cellWidth              = 8.4
	cellHeight             = 17
	margin                 = 12
)

// shotKnobs are what the command sets beside the profile, and more to see: a load that
// grows until keys have to wait, and an objective.
var shotKnobs = [][2]string{
	{"clock", "virtual"},
	{"seed", "42"},
	{"duration", "40s"},
	{"rate", "ramp:8k/s..30k/s/40s"},
	{"slo", "p99<=5ms,rejected<=0.1%"},
}

// TestTheScreenshotIsWhatTheProgramDraws: docs/screen.svg is the last picture of a
// run in virtual time, which is the same on every machine.
func TestTheScreenshotIsWhatTheProgramDraws(t *testing.T) {
	got, err := screenshot()
	if err != nil {
		t.Fatal(err)
	}
	const file = "../../docs/screen.svg"
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("docs/screen.svg is stale: go test ./cmd/ferryctl -run TestTheScreenshot -update draws it anew")
	}
}

// screenshot makes the run and draws its last picture.
func screenshot() ([]byte, error) {
	s, err := profiles.Load("hotkeys")
	if err != nil {
		return nil, err
	}
	for _, k := range shotKnobs {
		if err := s.Set(k[0], k[1], "flag --"+k[0]); err != nil {
			return nil, err
		}
	}
	live := &bench.Live{}
	if _, err := bench.Run(s, bench.Options{Live: live}); err != nil {
		return nil, err
	}
	frame := tui.Frame(tui.Options{
		Common: tui.Common{
			Title: "ferryctl bench", Profile: s.Profile, Seed: s.Seed, Virtual: s.Clock == settings.Virtual,
			Theme: tui.Theme{Colors: tui.Colors256},
		},
		Limits:   []tui.Limit{{Name: "p99<=5ms", Nanoseconds: 5e6}},
		Snapshot: live.Snapshot,
	}, shotColumns, shotLines)
	return drawShot(frame, shotCommand()), nil
}

// shotCommand is what shows the same.
func shotCommand() string {
	text := "ferryctl bench --profile hotkeys"
	for _, k := range shotKnobs {
		text += " --" + k[0] + " " + k[1]
	}
	return text
}

// drawShot turns a frame into a picture.
func drawShot(frame, title string) []byte {
	screen := vt.NewEmulator(shotColumns, shotLines)
	_, _ = screen.Write([]byte(strings.ReplaceAll(frame, "\n", "\r\n"))) // into memory
	var b bytes.Buffer
	w, h := shotColumns*cellWidth+2*margin, shotLines*cellHeight+2*margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14">`+"\n", w, h)
	b.WriteString("<title>")
	_ = xml.EscapeText(&b, []byte(title)) // into memory
	b.WriteString("</title>\n")
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="#16181d"/>`+"\n")
	for y := range shotLines {
		for x := 0; x < shotColumns; {
			cell := screen.CellAt(x, y)
			end := x
			var text strings.Builder
			for ; end < shotColumns; end++ {
				next := screen.CellAt(end, y)
				if !sameStyle(cell, next) {
					break
				}
				text.WriteString(contentOf(next))
			}
			writeRun(&b, x, y, text.String(), cell)
			x = end
		}
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

func contentOf(c *uv.Cell) string {
	if c == nil || c.Content == "" {
		return " "
	}
	return c.Content
}

func sameStyle(a, b *uv.Cell) bool {
	return styleOf(a) == styleOf(b)
}

// styleOf returns the attributes of a cell's text.
func styleOf(c *uv.Cell) string {
	fill, weight := "#d7dae0", ""
	if c != nil {
		if c.Style.Fg != nil {
			fill = hex(c.Style.Fg)
		}
		if c.Style.Attrs&uv.AttrBold != 0 {
			weight = ` font-weight="bold"`
		}
	}
	return `fill="` + fill + `"` + weight
}

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// writeRun writes text of one style. Its length is said, so that columns stand
// where they should in any font.
func writeRun(b *bytes.Buffer, x, y int, text string, c *uv.Cell) {
	trimmed := strings.TrimRight(text, " ")
	lead := len(trimmed) - len(strings.TrimLeft(trimmed, " "))
	x, trimmed = x+lead, trimmed[lead:]
	if trimmed == "" {
		return
	}
	n := len([]rune(trimmed))
	fmt.Fprintf(b, `<text x="%.1f" y="%d" %s textLength="%.1f" xml:space="preserve">`, margin+float64(x)*cellWidth, margin+y*cellHeight+13, styleOf(c), float64(n)*cellWidth)
	_ = xml.EscapeText(b, []byte(trimmed)) // into memory
	b.WriteString("</text>\n")
}
