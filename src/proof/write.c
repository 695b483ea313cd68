/*
 * Writes a proof: the problem, its digest, and the body. Of the bounds that
 * show by themselves the greatest is taken; if the plan was found optimal by a
 * search, all smaller arenas are refuted once more, in a way that can be told.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "base/sha256.h"
#include "base/sink-text.h"
#include "proof/inside.h"
#include "verify/verify.h"

/* ---------------------------------------------------------- witness */

/* The parts that add up to a verified bound. */
struct chosen {
	const struct problem *problem;
	const struct verified_bound *bound;
	uint64_t *branches; /* of a buffer in a branch: bytes of that branch at
			       the step, kept at its first buffer */
	uint32_t *first;
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

static bool same_branch(const struct problem *p, uint32_t a, uint32_t b)
{
	return p->choice[a] == p->choice[b] && p->branch[a] == p->branch[b];
}

/* The bytes of a buffer's branch at the step. */
static uint64_t weight_of(const struct chosen *c, uint32_t buffer)
{
	uint64_t weight = 0;

	for (uint32_t i = 0; i < c->problem->n_parts; i++)
		if (is_alive(c, i) &&
			same_branch(c->problem, c->problem->parts[i].buffer,
				buffer))
			weight += c->problem->parts[i].size;
	return weight;
}

/* Is the branch of the buffer the first of the heaviest of its choice? */
static bool is_heaviest(const struct chosen *c, uint32_t buffer)
{
	const struct problem *p = c->problem;
	uint64_t own = weight_of(c, buffer);

	for (uint32_t i = 0; i < p->n_parts; i++) {
		uint32_t other = p->parts[i].buffer;
		uint64_t weight;

		if (!is_alive(c, i) || p->choice[other] != p->choice[buffer] ||
			p->branch[other] == p->branch[buffer])
			continue;
		weight = weight_of(c, other);
		if (weight > own ||
			(weight == own && p->branch[other] < p->branch[buffer]))
			return false;
	}
	return true;
}

static bool counts(const struct chosen *c, uint32_t part)
{
	const struct problem *p = c->problem;
	uint32_t buffer = p->parts[part].buffer;

	if (!is_alive(c, part))
		return false;
	if (!p->choice || p->choice[buffer] == NONE)
		return true;
	return c->bound->align <= 1 && is_heaviest(c, buffer);
}

static void write_parts(struct sink *sink, const struct problem *p,
	const struct verified_bound *bound)
{
	struct chosen chosen = {.problem = p, .bound = bound};

	mp_sink_print(sink, "parts %" PRIu64, bound->align);
	if (p->n_streams > 1)
		for (uint32_t i = 0; i < p->n_antichain; i++)
			mp_sink_print(sink, " %u", p->antichain[i]);
	for (uint32_t i = 0; p->n_streams <= 1 && i < p->n_parts; i++)
		if (counts(&chosen, i))
			mp_sink_print(sink, " %u", i);
	mp_sink_text(sink, "\n");
}

/* The buffer that ends there in every plan: it is fixed, or so large. */
static void write_buffer(
	struct sink *sink, const struct problem *p, uint64_t bytes)
{
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		uint64_t offset = p->buffers[i].offset;
		uint64_t size = p->buffers[i].size;

		if (size == bytes ||
			(offset != NO_OFFSET && offset + size == bytes)) {
			mp_sink_print(sink, "buffer %u\n", i);
			return;
		}
	}
}

static void write_witness(struct sink *sink, const struct problem *p,
	const struct verified_bound *bound)
{
	if (bound->kind == BOUND_PIN && bound->align <= 1)
		write_buffer(sink, p, bound->bytes);
	else
		write_parts(sink, p, bound);
}

/* ------------------------------------------------------- refutation */

static void write_refutation(struct sink *sink,
	const struct refutation *refutation, const struct domains *d)
{
	mp_sink_print(sink, "refute %u\n", refutation->n);
	for (uint32_t i = 0; i < refutation->n; i++) {
		uint32_t node = refutation->nodes[i];
		const struct order_pair *pair = &d->pairs[node / 2];

		mp_sink_print(sink, "%u %u\n", pair->part[node % 2],
			pair->part[1 - node % 2]);
	}
}

/* ------------------------------------------------------------ proof */

static void write_head(struct sink *sink, const struct plan *plan,
	uint64_t bound, struct arena *scratch)
{
	struct sink problem = {.error = sink->error, .limit = sink->limit};
	char digest[SHA256_TEXT];

	(void)scratch;
	mp_proof_problem(plan->problem, &problem);
	mp_sha256(problem.bytes, problem.length, digest);
	mp_sink_print(sink,
		"memplan.proof 1\nproblem %s\narena %" PRIu64 "\nbound %" PRIu64
		"\n",
		digest, plan->arena_size, bound);
	mp_sink_write(sink, problem.bytes, problem.length);
	mp_sink_free(&problem);
}

void mp_proof_write(
	const struct plan *plan, struct sink *sink, struct arena *scratch)
{
	struct verified_bound bound;
	struct refutation refutation;
	struct domains domains;
	bool found = false;

	if (!mp_verify_bound(
		    plan->problem, NULL, plan->offsets, 0, &bound, scratch))
		return;
	if (bound.bytes < plan->arena_size &&
		!mp_proof_refute(plan->problem, plan->arena_size - 1,
			&refutation, &domains, &found, scratch))
		return;
	write_head(sink, plan, found ? plan->arena_size : bound.bytes, scratch);
	if (found)
		write_refutation(sink, &refutation, &domains);
	else
		write_witness(sink, plan->problem, &bound);
	mp_sink_text(sink, "end\n");
}
