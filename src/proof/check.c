/*
 * Reads a proof and replays it. The problems are not taken from the file: they
 * must be those at hand.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "proof/inside.h"

struct reader {
	struct problem problem;
	const char *name; /* of the file, for messages */
	const char *at, *end;
	uint64_t bound;
	struct arena *scratch;
	struct error *error;
};

static bool fail(struct reader *r, const char *what)
{
	return mp_fail(
		r->error, MEMPLAN_EINPUT, "%s: not a proof: %s", r->name, what);
}

static bool refuse(struct reader *r, const char *what)
{
	return mp_fail(
		r->error, MEMPLAN_NO, "%s: the proof fails: %s", r->name, what);
}

/* ------------------------------------------------------------- read */

static bool skip(struct reader *r, const char *text)
{
	size_t length = strlen(text);

	if ((size_t)(r->end - r->at) < length ||
		memcmp(r->at, text, length) != 0)
		return false;
	r->at += length;
	return true;
}

static bool take_number(struct reader *r, uint64_t *value)
{
	const char *start = r->at;

	for (*value = 0; r->at < r->end && *r->at >= '0' && *r->at <= '9';
		r->at++) {
		if (*value > NUM_MAX_BYTES / 10)
			return false;
		*value = *value * 10 + (uint64_t)(*r->at - '0');
	}
	return r->at > start;
}

static bool take_part(struct reader *r, uint32_t *part)
{
	uint64_t value;

	if (!take_number(r, &value) || value >= r->problem.n_parts)
		return false;
	*part = (uint32_t)value;
	return true;
}

/* -------------------------------------------------------- witnesses */

struct sum {
	uint64_t bytes, rounding, align;
};

static bool add_part(struct reader *r, uint32_t i, struct sum *sum)
{
	const struct problem *p = &r->problem;
	const struct part *part = &p->parts[i];
	uint64_t size;

	if (p->buffers[part->buffer].align % sum->align != 0 ||
		part->base % sum->align != 0)
		return refuse(r, "a part need not be aligned so");
	size = num_up(part->size, sum->align);
	sum->rounding = num_max(sum->rounding, size - part->size);
	return num_add(sum->bytes, size, &sum->bytes) ||
	       refuse(r, "sizes sum to more than 2^62");
}

/* Lifetimes of one stream that all have a step in common need no comparison of
 * pairs. */
static bool share_step(
	const struct problem *p, const uint32_t *parts, uint32_t n)
{
	uint32_t start = 0, end = UINT32_MAX;

	for (uint32_t i = 0; i < n; i++) {
		const struct part *part = &p->parts[parts[i]];

		start = part->start > start ? part->start : start;
		end = part->end < end ? part->end : end;
	}
	return p->n_streams <= 1 && !p->choice && start < end;
}

static bool check_pairs(struct reader *r, const uint32_t *parts, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < i; k++)
			if (!mp_problem_conflict(
				    &r->problem, parts[k], parts[i]))
				return refuse(
					r, "two parts are not alive together");
	return true;
}

/* Each part but the highest lies below one that begins at a multiple. */
static bool check_parts(struct reader *r)
{
	uint32_t *parts = NEW(r->scratch, uint32_t, r->problem.n_parts), n = 0;
	struct sum sum = {0};

	if (!parts)
		return false;
	if (!take_number(r, &sum.align) || !num_is_pow2(sum.align))
		return fail(r, "an alignment is missing");
	while (skip(r, " ")) {
		if (n == r->problem.n_parts || !take_part(r, &parts[n]) ||
			(n > 0 && parts[n] <= parts[n - 1]))
			return fail(r, "parts are not listed in ascending "
				       "order");
		if (!add_part(r, parts[n++], &sum))
			return false;
	}
	if (!share_step(&r->problem, parts, n) && !check_pairs(r, parts, n))
		return false;
	return sum.bytes - sum.rounding >= r->bound ||
	       refuse(r, "the parts are less than the bound");
}

/* ------------------------------------------------------- refutation */

/* The numbers of the line: 2 * pair + the part that is tried below first. */
static bool read_nodes(struct reader *r, uint32_t *nodes, uint32_t *n)
{
	uint64_t value;

	for (*n = 0; skip(r, " "); (*n)++) {
		if (!take_number(r, &value) || value >= UINT32_MAX)
			return fail(r, "a pair is missing");
		nodes[*n] = (uint32_t)value;
	}
	return true;
}

static bool check_refutation(struct reader *r)
{
	struct domains domains;
	size_t length = (size_t)(r->end - r->at);
	uint32_t *nodes = NEW(r->scratch, uint32_t, length / 2), n = 0;
	bool refuted = false;

	if (!nodes || r->bound == 0 ||
		!mp_proof_domains_init(
			&domains, &r->problem, r->bound - 1, r->scratch))
		return r->scratch->error->code == MEMPLAN_OK
			       ? refuse(r, "the problem is too large")
			       : false;
	if (!read_nodes(r, nodes, &n) || !mp_proof_domains_narrow(&domains) ||
		!mp_proof_replay(&domains, nodes, n, &refuted, r->scratch))
		return false;
	return refuted || refuse(r, "an arena that is smaller is not refuted");
}

/* ------------------------------------------------------------ proof */

/* The problem at hand, in the same words. */
static bool check_problem(struct reader *r)
{
	struct sink problem = {.error = r->error};
	bool same;

	mp_proof_problem(&r->problem, &problem, r->scratch);
	mp_sink_write(&problem, "", 1);
	same = r->error->code == MEMPLAN_OK && skip(r, problem.bytes);
	mp_sink_free(&problem);
	if (r->error->code != MEMPLAN_OK)
		return false;
	return same || mp_fail(r->error, MEMPLAN_NO,
			       "%s: the proof is of another problem than this "
			       "plan shows; the graph may show more",
			       r->name);
}

static bool check_body(struct reader *r)
{
	if (skip(r, "parts "))
		return check_parts(r);
	if (skip(r, "refute"))
		return check_refutation(r);
	return fail(r, "it has no body");
}

static bool check_memory(struct reader *r)
{
	if (!check_problem(r))
		return false;
	if (!skip(r, "bound ") || !take_number(r, &r->bound) || !skip(r, "\n"))
		return fail(r, "there is no bound");
	return check_body(r) &&
	       (skip(r, "\nend\n") || fail(r, "a problem does not end"));
}

static bool check(struct reader *r, const struct problem *whole,
	const struct spaces *spaces, uint64_t *bounds)
{
	uint32_t n = spaces ? spaces->n : 1;

	if (!skip(r, "memplan.proof 1\n"))
		return fail(r, "it does not begin as one");
	for (uint32_t i = 0; i < n; i++) {
		struct arena_mark mark = mp_arena_mark(r->scratch);

		if (!mp_proof_memory(
			    whole, spaces, i, &r->problem, NULL, r->scratch) ||
			!check_memory(r))
			return false;
		bounds[i] = r->bound;
		mp_arena_rewind(r->scratch, mark);
	}
	return r->at == r->end || fail(r, "it does not end as one");
}

bool mp_proof_check(const struct problem *problem, const struct spaces *spaces,
	const char *name, const char *text, size_t length, uint64_t *bounds,
	struct arena *scratch)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	struct reader r = {.name = name,
		.at = text,
		.end = text + length,
		.scratch = scratch,
		.error = scratch->error};
	bool fine = check(&r, problem, spaces, bounds);

	mp_arena_rewind(scratch, mark);
	return fine;
}
