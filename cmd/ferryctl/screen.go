package main

import (
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// A screen is stderr with at most one live line at its bottom, which is redrawn
// in place. It uses a carriage return and blanks alone, so it needs no terminal
// that knows more than that. Its methods may be called from several goroutines.
type screen struct {
	mu    sync.Mutex
	w     io.Writer
	drawn int    // runes of the live line that is on the screen now
	put   *aside // where messages go while the whole screen is a picture; nil otherwise
}

// Write writes a message above the live line, which the next draw brings back.
func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.put != nil {
		return s.put.Write(p)
	}
	s.erase()
	return s.w.Write(p)
}

// layAside keeps messages until takeBack: somebody else draws now.
func (s *screen) layAside(put *aside) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	s.put = put
}

// takeBack prints what was said meanwhile.
func (s *screen) takeBack() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put.drain(s.w)
	s.put = nil
}

// draw shows line as the live line, cut to fit a screen of the given width; 0 is
// a width that can't be told. The last column stays free: some terminals wrap
// when it is written.
func (s *screen) draw(line string, width int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.w.(*relay); s.put != nil || ok && r.behind() {
		return // what is not taken is not to be followed by news of it
	}
	if width <= 0 {
		width = 80
	}
	runes := []rune(line)
	line = string(runes[:min(len(runes), max(width-1, 0))])
	n := utf8.RuneCountInString(line)
	blanks := strings.Repeat(" ", max(s.drawn-n, 0))
	_, _ = io.WriteString(s.w, "\r"+line+blanks+strings.Repeat("\b", len(blanks))) // nobody to tell
	s.drawn = n
}

// clear removes the live line.
func (s *screen) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
}

func (s *screen) erase() {
	if s.drawn > 0 {
		_, _ = io.WriteString(s.w, "\r"+strings.Repeat(" ", s.drawn)+"\r") // nobody to tell
		s.drawn = 0
	}
}
