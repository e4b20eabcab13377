// What the values of knobs mean: the help topic that bench --help points to.

package main

import (
	"io"

	"github.com/spf13/cobra"
)

const valuesText = `How the values of knobs are written, in flags, variables and profiles alike.

Numbers
  N           a whole number, also 10k, 1.5M, 2G, 1T (powers of 1000)
  weights     the same, also 512B, 4KiB, 1MiB, 1GiB, 1TiB (powers of 1024); a
              weight has no unit of its own: bytes, rows, tokens
  DURATION    with its unit: 250ns, 20us, 1.5ms, 2s, 5m, 1h, 1m30s, 0s
  RATE        per second, with /s: 500/s, 50k/s, 1.2M/s
  PERCENT     with its sign: 5%, 0.1%
  unlimited   for batch_size, batch_weight, in_flight, queue and queue_weight
  never       for batch_delay: full batches only; the rest leaves at the end

Rate (--rate, --lane-rate)
  50k/s                     arrivals per second, on average
  max                       as fast as the machine can; --rate only
  ramp:1k/s..80k/s/60s      from, to, over how long; it stays there afterwards

Arrivals (--arrivals)
  poisson                   independent arrivals
  constant                  equal gaps
  bursty(factor=4,on=1s,off=9s)
                            poisson that switches between two rates: factor
                            times the rate asked for while on, for times of
                            mean on, and less while off, for times of mean off,
                            so that the mean is kept; factor is 1 to (on+off)/on
  trace                     as recorded, with --trace

Weights (--weights)
  1, 4KiB, constant(4KiB)   every item weighs the same
  uniform(min=1,max=100)    each whole number in between is equally likely
  lognormal(median=4KiB,sigma=1)
                            median times e^(sigma z), z standard normal: half of
                            the items weigh less than median; sigma is that of
                            the logarithm, the mean is median e^(sigma^2/2)
  pareto(min=1KiB,alpha=1.5)
                            min times u^(-1/alpha), u uniform on (0,1): the
                            smaller alpha, the heavier the heaviest; the mean is
                            min alpha/(alpha-1), none for alpha <= 1
  Weights are whole and at least 1.

Keys and lanes
  --key-skew 1.1            Zipf exponent: key k comes k^-1.1 times as often as
                            the first; 0 is uniform
  --lanes gold=0.2,free=0.8 parts of the items, which add up to 1 or 100%

Backend (--backend 'synthetic(base=1ms,per_item=20us)')
  base        DURATION, of every call                                 default 0s
  per_item    DURATION, for each input of the batch                   default 0s
  per_weight  DURATION, for each unit of its weight                   default 0s
              a call takes base + per_item n + per_weight w on average
  dist        how it scatters around that mean: fixed, exponential or
              lognormal(sigma=0.5)                                 default fixed
  jitter      0 to 1, or PERCENT: spreads each time evenly by so much
              of itself either way                                     default 0
  concurrency how many calls it serves at once, the others wait in it;
              0 is no limit                                            default 0
  errors      PERCENT of the calls that fail, after their time        default 0%
  or model:FILE, a cost model that ferryctl calibrate fitted to real calls

Run
  --warmup 5%, --warmup 2s  a part of the run, or a time
  --trace load.csv          CSV with the header offset_us,key,weight,lane; also
                            as gzip or Zstandard. It is replayed whole and
                            without warm-up, unless --duration, --items or
                            --warmup says otherwise; --speed 10 divides its
                            offsets by 10

Several values (ferryctl sweep)
  1,8,64      each of them; values that hold commas themselves (lane_rate,
              lanes, trace) are separated by semicolons
  1..256:x2   times 2 from one to the next, up to 256
  1..16:+5    plus 5: 1, 6, 11, 16; with the values' unit: 0s..4ms:+1ms
  0.5ms..20ms:log:8, 1ms..9ms:lin:5
              so many values, by equal ratios or by equal steps
  1,8..64:x2,unlimited
              ranges in a list
  0.5ms..20ms, 0.5ms..20ms:log
              anything in between, for --sample

SLO (--slo 'p99<=20ms,rejected<=0.1%')
  p50, p99, p99.9, mean, max  of the sojourn            DURATION
  throughput                  items done per second     RATE
  rejected, failed            part of the items offered PERCENT
  with <=, <, >= or >. A term without data behind it is missed.
`

// newValues is the help topic `ferryctl help values`.
func newValues(env *environ) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "values",
		Short: "how the values of knobs are written, and what they mean",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(env.stdout, valuesText)
			return err
		},
	}
	cmd.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		_, _ = io.WriteString(cmd.OutOrStdout(), valuesText) // the writer keeps its error
	})
	return cmd
}
