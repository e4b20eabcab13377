// The shape of a tree as its owner writes it: a list of paths and weights.

package fairshare

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Share gives a path its weight. "acme/interactive" is a share lane, a leaf
// of the group "acme". "acme/", with the slash at its end, is the group itself;
// a group that is given no weight has weight 1.
type Share struct {
	Path   string
	Weight Weight
}

// ParseShares reads a list such as "gold=3,free=1,acme/=2,acme/interactive=2.5".
// It reports every fault at once.
func ParseShares(list string) ([]Share, error) {
	var shares []Share
	var errs []error
	for _, part := range strings.Split(list, ",") {
		part = strings.TrimSpace(part)
		path, weight, ok := strings.Cut(part, "=")
		if !ok {
			errs = append(errs, fmt.Errorf("share %q has no weight; write it as lane=weight, such as gold=3", part))
			continue
		}
		w, err := ParseWeight(weight)
		if err != nil {
			errs = append(errs, fmt.Errorf("share %q: %w", path, err))
			continue
		}
		shares = append(shares, Share{path, w})
	}
	_, err := plan(shares)
	return shares, errors.Join(append(errs, err)...)
}

// FormatShares writes shares as [ParseShares] reads them.
func FormatShares(shares []Share) string {
	parts := make([]string, len(shares))
	for i, s := range shares {
		parts[i] = s.Path + "=" + s.Weight.String()
	}
	return strings.Join(parts, ",")
}

// A branch is a group or a leaf of a planned tree. branches[0] is the root and
// every other follows its parent; siblings stand in the order of their bytes.
type branch struct {
	path     string // without a slash at its end; "" for the root
	parent   int32
	weight   Weight
	children []int32 // none for a leaf
	scaled   []uint64
}

// plan turns shares into a tree, or says all that is wrong with them.
func plan(shares []Share) ([]branch, error) {
	var errs []error
	weights := make(map[string]Weight) // by path, a group's with its slash
	groups := make(map[string]bool)    // every group, with its slash
	for _, s := range shares {
		if err := checkPath(s.Path); err != nil {
			errs = append(errs, err)
			continue
		}
		if s.Weight.IsZero() {
			errs = append(errs, fmt.Errorf("share %q has no weight; give more than 0 and at most %d", s.Path, MaxWeight))
			continue
		}
		if _, twice := weights[s.Path]; twice {
			errs = append(errs, fmt.Errorf("share %q is given twice; keep one", s.Path))
			continue
		}
		weights[s.Path] = s.Weight
		for i, c := range s.Path[:len(s.Path)-1] {
			if c == '/' {
				groups[s.Path[:i+1]] = true
			}
		}
	}
	var paths []string
	for path := range weights {
		switch {
		case strings.HasSuffix(path, "/") && !groups[path]:
			errs = append(errs, fmt.Errorf("group %q has no lanes; add one, such as %sdefault=1", path, path))
		case groups[path+"/"]:
			errs = append(errs, fmt.Errorf("share %q is both a lane and a group; write %s/=weight for the group's weight, or give the lane a name below it", path, path))
		case !strings.HasSuffix(path, "/"):
			paths = append(paths, path)
		}
	}
	for path := range groups {
		paths = append(paths, path)
	}
	if len(paths) == 0 && len(errs) == 0 {
		errs = append(errs, errors.New("there are no shares; give at least one, such as gold=3"))
	}
	if len(errs) > 0 {
		slices.SortFunc(errs, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
		return nil, errors.Join(errs...)
	}
	return grow(paths, weights)
}

// grow builds the tree of sound paths.
func grow(paths []string, weights map[string]Weight) ([]branch, error) {
	slices.SortFunc(paths, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(strings.TrimSuffix(a, "/"), "/"), strings.Count(strings.TrimSuffix(b, "/"), "/")), cmp.Compare(strings.TrimSuffix(a, "/"), strings.TrimSuffix(b, "/")))
	})
	branches := []branch{{weight: One}}
	at := map[string]int32{"": 0}
	for _, path := range paths {
		name := strings.TrimSuffix(path, "/")
		w, ok := weights[path]
		if !ok {
			w = One
		}
		above := name[:max(strings.LastIndexByte(name, '/'), 0)]
		i := int32(len(branches))
		at[name] = i
		branches = append(branches, branch{path: name, parent: at[above], weight: w})
		branches[at[above]].children = append(branches[at[above]].children, i)
	}
	var errs []error
	for i := range branches {
		b := &branches[i]
		if b.children == nil {
			continue
		}
		list := make([]Weight, len(b.children))
		for j, c := range b.children {
			list[j] = branches[c].weight
		}
		var err error
		if _, b.scaled, err = scale(list); err != nil {
			errs = append(errs, fmt.Errorf("the weights in group %q %w", b.path+"/", err))
		}
	}
	return branches, errors.Join(errs...)
}

// checkPath refuses what can't name a lane or a group.
func checkPath(path string) error {
	name := strings.TrimSuffix(path, "/")
	if name == "" {
		return fmt.Errorf("share %q has no name; the root needs no share: untagged work is free", path)
	}
	for _, segment := range strings.Split(name, "/") {
		if segment == "" {
			return fmt.Errorf("share %q has an empty segment; write it as group/lane", path)
		}
	}
	if !utf8.ValidString(name) {
		return fmt.Errorf("share %q is not valid UTF-8; write its name in it", path)
	}
	for _, c := range []byte(name) {
		if c <= ' ' || c == 0x7f || c == ',' || c == '=' {
			return fmt.Errorf("share %q holds the character %q; use letters, digits and punctuation other than , and =", path, c)
		}
	}
	return nil
}
