/*
 * Writes a proof: of each memory the problem, the bound and the body. Of the
 * bounds that show by themselves the greatest is taken; if the plan takes more,
 * all smaller arenas are refuted once more, in a way that can be told, or those
 * below a bound that a search found.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "base/sink-text.h"
#include "problem/bound.h"
#include "problem/branches.h"
#include "proof/inside.h"
#include "verify/verify.h"

/* ---------------------------------------------------------- witness */

/* The parts that add up to a verified bound. */
struct chosen {
	const struct problem *problem;
	const struct verified_bound *bound;
	struct branch_loads loads; /* of the step, if there are choices */
};

static bool is_alive(const struct chosen *c, uint32_t part)
{
	const struct part *at = &c->problem->parts[part];
	uint32_t step = c->bound->step;

	if (at->start > step || step >= at->end)
		return false;
	return c->bound->align <= 1 ||
	       (c->problem->buffers[at->buffer].align >= c->bound->align &&
		       at->base % c->bound->align == 0);
}

/* Of each choice the heaviest branch counts, of equal ones the first. */
static bool weigh_branches(struct chosen *c, struct arena *scratch)
{
	const struct problem *p = c->problem;

	if (!p->choice)
		return true;
	if (!mp_problem_branches_init(&c->loads, p, scratch))
		return false;
	for (uint32_t i = 0; i < p->n_parts; i++) {
		const struct part *part = &p->parts[i];

		if (is_alive(c, i) && mp_problem_branches_have(p, part->buffer))
			mp_problem_branches_add(
				&c->loads, part->buffer, part->size);
	}
	return true;
}

static bool counts(const struct chosen *c, uint32_t part)
{
	const struct problem *p = c->problem;
	uint32_t buffer = p->parts[part].buffer;

	if (!is_alive(c, part))
		return false;
	if (!mp_problem_branches_have(p, buffer))
		return true;
	return c->bound->align <= 1 &&
	       mp_problem_branches_take(&c->loads, buffer);
}

static bool write_parts(struct sink *sink, const struct problem *p,
	const struct verified_bound *bound, struct arena *scratch)
{
	struct chosen chosen = {.problem = p, .bound = bound};

	if (bound->step != NONE && !weigh_branches(&chosen, scratch))
		return false;
	mp_sink_print(sink, "parts %" PRIu64, bound->align);
	for (uint32_t i = 0; bound->step != NONE && i < p->n_parts; i++)
		if (counts(&chosen, i))
			mp_sink_print(sink, " %u", i);
	mp_proof_list(
		sink, p->antichain, bound->step == NONE ? p->n_antichain : 0);
	return true;
}

/* A buffer that does not fit refutes a smaller arena at once. */
static bool write_witness(struct sink *sink, const struct problem *p,
	const struct verified_bound *bound, struct arena *scratch)
{
	if (bound->kind != BOUND_PIN || bound->align > 1)
		return write_parts(sink, p, bound, scratch);
	mp_sink_text(sink, "refute\n");
	return true;
}

/* ------------------------------------------------------------ proof */

static const uint64_t most_work = 400000000; /* pairs looked at: seconds */

/* The greatest bound that shows by itself: that of the verifier, or a clique.
 */
static bool find_witness(const struct problem *p, const uint64_t *offsets,
	struct verified_bound *bound, struct lower_bound *found,
	struct arena *scratch)
{
	*found = (struct lower_bound){.kind = BOUND_LOAD};
	return mp_verify_bound(p, NULL, offsets, 0, bound, scratch) &&
	       (bound->bytes >= mp_plan_height(p, offsets) ||
		       mp_problem_bound(p, found, scratch));
}

/* Shows the size, or else what the plan claims, if more than the best that
 * shows by itself; the claim with the work that check has for it. shown: which;
 * 0: neither. */
static bool find_reason(const struct problem *p, uint64_t size, uint64_t claim,
	uint64_t best, struct reason *reason, uint64_t *shown,
	struct arena *scratch)
{
	const uint64_t bounds[] = {size, claim};
	const uint64_t work[] = {most_work, PROOF_LITTLE_WORK};
	bool found = false;

	*shown = 0;
	for (uint32_t i = 0; i < countof(bounds) && !found; i++) {
		if (bounds[i] <= best || (i > 0 && claim >= size))
			continue;
		if (!mp_proof_search(
			    p, bounds[i] - 1, work[i], reason, &found, scratch))
			return false;
		if (found)
			*shown = bounds[i];
	}
	return true;
}

static void write_reason(struct sink *sink, const struct reason *reason)
{
	const struct refutation *r = &reason->refutation;

	if (reason->n_pile > 0) {
		mp_sink_text(sink, "pile");
		mp_proof_list(sink, reason->pile, reason->n_pile);
		return;
	}
	if (r->among.at) {
		mp_sink_text(sink, "among");
		mp_proof_list(sink, r->among.at, r->among.n);
	}
	mp_sink_text(sink, "refute");
	mp_proof_list(sink, r->nodes, r->n);
}

/* Writes the bound of a memory, the greatest that can be shown, and why. */
static bool write_bound(const struct problem *p, const uint64_t *offsets,
	uint64_t claim, struct sink *sink, uint64_t *shown,
	struct arena *scratch)
{
	uint64_t best;
	struct verified_bound bound;
	struct lower_bound found;
	struct reason reason;
	bool clique;

	if (!find_witness(p, offsets, &bound, &found, scratch))
		return false;
	clique = found.kind == BOUND_CLIQUE && found.bytes > bound.bytes;
	best = clique ? found.bytes : bound.bytes;
	if (!find_reason(p, mp_plan_height(p, offsets), claim, best, &reason,
		    shown, scratch))
		return false;
	mp_sink_print(sink, "bound %" PRIu64 "\n", num_max(*shown, best));
	if (*shown > 0) {
		write_reason(sink, &reason);
	} else if (clique) {
		mp_sink_print(sink, "parts %" PRIu64, found.clique.align);
		mp_proof_list(
			sink, found.clique.parts.at, found.clique.parts.n);
	} else if (!write_witness(sink, p, &bound, scratch)) {
		return false;
	}
	mp_sink_text(sink, "end\n");
	*shown = num_max(*shown, best);
	return true;
}

void mp_proof_write(
	const struct plan *plan, struct sink *sink, struct arena *scratch)
{
	const struct spaces *spaces = plan->spaces.at ? &plan->spaces : NULL;
	uint64_t sum = 0;

	mp_sink_text(sink, "memplan.proof 1\n");
	for (uint32_t i = 0; i < mp_plan_memories(plan); i++) {
		struct arena_mark mark = mp_arena_mark(scratch);
		const uint64_t *offsets = plan->offsets;
		uint64_t shown;
		struct problem memory;

		if (!mp_proof_memory(plan->problem, spaces, i, &memory,
			    &offsets, scratch))
			return;
		mp_proof_problem(&memory, sink, scratch);
		if (!write_bound(&memory, offsets,
			    mp_plan_memory(plan, i).lower_bound, sink, &shown,
			    scratch))
			return;
		sum += shown;
		mp_arena_rewind(scratch, mark);
	}
	if (sum < plan->lower_bound)
		mp_warn(sink->error,
			"the proof shows a bound of %" PRIu64
			"; that of %" PRIu64 " is a claim",
			sum, plan->lower_bound);
	if (plan->schedule)
		mp_proof_write_order(plan->schedule, sink, scratch);
}
