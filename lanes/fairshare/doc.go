// Package fairshare divides service between share lanes by weight: who may run
// next, and who was owed what.
//
// Two questions are kept apart. Who has consumed is told by counters that only
// grow. Who may consume next is told by entitlement, which is conserved like
// money: it is minted at the root of a tree, granted edge by edge to a leaf (a
// share lane), and spent there. No entitlement means "not now", never "no". The
// rule that decides who is granted next is EEVDF (earliest eligible virtual
// deadline first; Stoica & Abdel-Wahab 1995), in exact arithmetic.
//
// The package reads no clock, starts no goroutine and draws nothing at random.
// A service unit is what the caller makes it: an input, a byte, a microsecond.
//
// # The protocol
//
// A [Node] is what a batcher asks. Under its own lock, it
//
//  1. declares what each share lane could dispatch now, whenever that changes:
//     [Node.SetBacklog] with the units of all its dispatchable batches and the
//     cost of the next one. A batch that is not yet full or due doesn't count.
//  2. asks for the [Node.Turn] when a slot is free. The answer holds the units
//     for that lane's next batch.
//  3. takes the batch of that lane, and reserves its cost: [Node.Reserve].
//  4. declares the lane's new backlog, and goes back to 2 for the next slot.
//  5. settles when the batch is over, also if it failed: [Node.Complete] with
//     the units it used, or [Node.Cancel] if it never ran. Then 2 again.
//
// Every lane with dispatchable work is to be declared before asking: the order
// of asking must not decide. A lane whose worker never comes for its turn is
// declared idle and the next one has the turn. A call that bypasses the backlog
// asks [Node.Claim]. Untagged work (the handle [Untagged], the name "") is free
// at every step and touches nothing.
//
// # Fairness
//
// A lane that is idle lends its share and does not save it: when it comes back
// it is level with the others. Ties go by the bytes of the names.
// [Node.Bounds] says how far a lane may be from its share, and a [Meter] how far
// it was.
package fairshare
