// Package profiles reads run descriptions: YAML files, six of them built in.
//
// A profile sets knobs under the sections workload, kernel, backend, run and
// slo. The last word of a setting's path is the knob's name:
//
//	workload:
//	  rate: 20k/s
//	  keys: 10k
//	kernel:
//	  batch_size: 64
//	backend: synthetic(base=1ms,per_item=20us)
//	run:
//	  duration: 15s
//	slo: [p99<=20ms, rejected<=0.1%]
//
// Values are written as for the flags. What is left out keeps its default.
//
// Reading is strict. Unknown, repeated and misplaced keys, values of the wrong
// kind and out of bounds are errors, all reported at once as
// "file:line:column: what is wrong: what would be right". The YAML is a plain
// tree: anchors, aliases, tags and merge keys are refused, so that no file is
// larger than it looks, and so are files above [MaxSize].
//
// schema.json is the JSON Schema of the format, for editors. It is made from the
// table of knobs by go generate.
package profiles

//go:generate go test -run TestTheSchemaIsCurrent -update .
