package main

import "io"

// asciiFor are stand-ins as wide as what they stand for, so columns keep their places.
var asciiFor = map[rune]byte{
	'µ': 'u', '–': '-', '—': '-', '…': '~', '’': '\'',
	'█': '#', '▉': '#', '▊': '#', '▋': '#', '▌': '=', '▍': '-', '▎': '-', '▏': '.',
	'▇': '#', '▆': '#', '▅': '=', '▄': '=', '▃': '-', '▂': '_', '▁': '_',
}

// An asciiWriter writes text for a terminal or a font that knows ASCII alone.
// What has no stand-in becomes a question mark.
type asciiWriter struct{ w io.Writer }

func (a asciiWriter) Write(text []byte) (int, error) {
	plain := make([]byte, 0, len(text))
	for _, r := range string(text) {
		switch stand, ok := asciiFor[r]; {
		case r < 0x80:
			plain = append(plain, byte(r))
		case ok:
			plain = append(plain, stand)
		default:
			plain = append(plain, '?')
		}
	}
	_, err := a.w.Write(plain)
	return len(text), err
}
