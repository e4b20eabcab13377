// A state's key: what tells it from others. Times are ages in ticks, no higher
// than what makes a batch due; of arrival numbers only the order is kept. This
// is the VIEW of the TLA+ models, so that both count the same states.

package main

import "bytes"

// naming is a way to rename callers and keys.
type naming struct {
	caller, back []entry // new name by old, and old by new
	key, keyBack []int8
}

// namings returns every way to rename the callers and keys of an instance, or
// only that in which all keep their names.
func (in *instance) namings() []naming {
	callers, keys := [][]int8{identity(in.caller)}, [][]int8{identity(in.keys)}
	if in.symmetric {
		callers, keys = permutations(in.caller), permutations(in.keys)
	}
	var list []naming
	for _, c := range callers {
		for _, k := range keys {
			list = append(list, naming{c, inverse(c), k, inverse(k)})
		}
	}
	return list
}

func identity(n int) []int8 {
	p := make([]int8, n)
	for i := range p {
		p[i] = int8(i)
	}
	return p
}

func permutations(n int) [][]int8 {
	if n == 0 {
		return [][]int8{nil}
	}
	var list [][]int8
	for _, p := range permutations(n - 1) {
		for at := range n {
			q := append(append(append([]int8(nil), p[:at]...), int8(n-1)), p[at:]...)
			list = append(list, q)
		}
	}
	return list
}

func inverse(p []int8) []int8 {
	q := make([]int8, len(p))
	for i, v := range p {
		q[v] = int8(i)
	}
	return q
}

// key returns the least of a state's keys under every naming.
func (w *world) key(v view, namings []naming) string {
	best := w.appendKey(nil, v, &namings[0])
	var b []byte
	for i := range namings[1:] {
		if b = w.appendKey(b[:0], v, &namings[1+i]); bytes.Compare(b, best) < 0 {
			best = append(best[:0], b...)
		}
	}
	return string(best)
}

func (w *world) appendKey(b []byte, v view, n *naming) []byte {
	flags := byte(0)
	if w.closed {
		flags = 1
	}
	b = append(b, flags)
	for _, old := range n.back {
		c := &w.callers[old]
		b = append(b, byte(c.stage))
		if c.stage == checked {
			b = append(b, byte(n.key[c.key]), byte(c.weight), byte(c.rank), byte(c.share))
		}
	}
	b = append(b, byte(len(w.queue)))
	for _, e := range w.queue {
		c := &w.callers[e]
		b = append(b, byte(n.caller[e]), byte(n.key[c.key]), byte(w.age(e)), byte(c.weight), byte(c.rank), byte(c.share))
	}
	if w.in.make {
		for i := range w.calls {
			b = w.calls[i].appendKey(b, n)
		}
		return w.room.appendKey(b)
	}
	for _, key := range n.keyBack {
		for i := range w.calls {
			if w.calls[i].key == key {
				b = w.calls[i].appendKey(b, n)
			}
		}
		b = append(b, 0xff)
	}
	for i, key := range v.line {
		b = append(b, byte(n.key[key]), byte(v.share[i]))
	}
	b = append(b, 0xff)
	return w.room.appendKey(b)
}

func (c *call) appendKey(b []byte, n *naming) []byte {
	flags := byte(c.phase)
	if c.direct {
		flags |= 8
	}
	if c.freed {
		flags |= 16
	}
	who := byte(0)
	for _, e := range c.who {
		who |= 1 << n.caller[e]
	}
	return append(b, flags, who)
}
