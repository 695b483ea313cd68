/*
 * Reads a proof and replays it. The problem is not taken from the file: its
 * digest must be that of the problem at hand.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "base/sha256.h"
#include "proof/inside.h"

struct reader {
	const struct problem *problem;
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

	if (!take_number(r, &value) || value >= r->problem->n_parts)
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
	const struct problem *p = r->problem;
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
				    r->problem, parts[k], parts[i]))
				return refuse(
					r, "two parts are not alive together");
	return true;
}

/* Each part but the highest lies below one that begins at a multiple. */
static bool check_parts(struct reader *r)
{
	uint32_t *parts = NEW(r->scratch, uint32_t, r->problem->n_parts), n = 0;
	struct sum sum = {0};

	if (!parts)
		return false;
	if (!take_number(r, &sum.align) || !num_is_pow2(sum.align))
		return fail(r, "an alignment is missing");
	while (skip(r, " ")) {
		if (n == r->problem->n_parts || !take_part(r, &parts[n]) ||
			(n > 0 && parts[n] <= parts[n - 1]))
			return fail(r, "parts are not listed in ascending "
				       "order");
		if (!add_part(r, parts[n++], &sum))
			return false;
	}
	if (!share_step(r->problem, parts, n) && !check_pairs(r, parts, n))
		return false;
	return sum.bytes - sum.rounding >= r->bound ||
	       refuse(r, "the parts are less than the bound");
}

static bool check_buffer(struct reader *r)
{
	uint64_t buffer, bytes, fixed;

	if (!take_number(r, &buffer) || buffer >= r->problem->n_buffers)
		return fail(r, "there is no such buffer");
	bytes = r->problem->buffers[buffer].size;
	fixed = mp_proof_fixed(r->problem, (uint32_t)buffer);
	if (fixed != NO_OFFSET)
		bytes += fixed;
	return bytes >= r->bound ||
	       refuse(r, "the buffer ends below the bound");
}

/* ------------------------------------------------------- refutation */

/* The pair of two parts; n_pairs: they are none. Pairs are listed by their
 * first part, then the second. */
static uint32_t find_pair(const struct domains *d, uint32_t a, uint32_t b)
{
	uint32_t low = 0, high = d->n_pairs;

	while (low < high) {
		uint32_t i = low + (high - low) / 2;
		const uint32_t *part = d->pairs[i].part;

		if (part[0] < a || (part[0] == a && part[1] < b))
			low = i + 1;
		else
			high = i;
	}
	if (low < d->n_pairs && d->pairs[low].part[0] == a &&
		d->pairs[low].part[1] == b)
		return low;
	return d->n_pairs;
}

static bool read_node(struct reader *r, const struct domains *d, uint32_t *node)
{
	uint32_t below, above, pair;

	if (!take_part(r, &below) || !skip(r, " ") || !take_part(r, &above) ||
		!skip(r, "\n"))
		return fail(r, "a node is missing");
	pair = below < above ? find_pair(d, below, above)
			     : find_pair(d, above, below);
	*node = 2 * pair + (below > above);
	return pair < d->n_pairs ||
	       refuse(r, "two parts need not be above each other");
}

static bool check_refutation(struct reader *r)
{
	struct domains domains;
	uint32_t *nodes;
	uint64_t n;
	bool refuted = false;

	if (!take_number(r, &n) || !skip(r, "\n") ||
		n > (size_t)(r->end - r->at))
		return fail(r, "the number of nodes is missing");
	nodes = NEW(r->scratch, uint32_t, (size_t)n);
	if (!nodes || r->bound == 0 ||
		!mp_proof_domains_init(
			&domains, r->problem, r->bound - 1, r->scratch))
		return r->error->code == MEMPLAN_OK
			       ? refuse(r, "the problem is too large")
			       : false;
	for (uint32_t i = 0; i < n; i++)
		if (!read_node(r, &domains, &nodes[i]))
			return false;
	if (!mp_proof_domains_narrow(&domains) ||
		!mp_proof_replay(
			&domains, nodes, (uint32_t)n, &refuted, r->scratch))
		return false;
	return refuted || refuse(r, "an arena that is smaller is not refuted");
}

/* ------------------------------------------------------------ proof */

static bool check_digest(struct reader *r)
{
	struct sink problem = {.error = r->error};
	char digest[SHA256_TEXT];
	bool same;

	mp_proof_problem(r->problem, &problem);
	mp_sha256(problem.bytes, problem.length, digest);
	same = skip(r, digest) && skip(r, "\n");
	mp_sink_free(&problem);
	if (r->error->code != MEMPLAN_OK)
		return false;
	return same || mp_fail(r->error, MEMPLAN_NO,
			       "%s: the proof is of another problem than this "
			       "plan shows; the graph may show more",
			       r->name);
}

/* The text of the problem has a line for each fact, and ends with "end". */
static bool skip_problem(struct reader *r)
{
	while (r->at < r->end && !skip(r, "end\n")) {
		const char *line =
			memchr(r->at, '\n', (size_t)(r->end - r->at));

		r->at = line ? line + 1 : r->end;
	}
	return r->at < r->end;
}

static bool check_body(struct reader *r)
{
	if (skip(r, "parts "))
		return check_parts(r) &&
		       (skip(r, "\n") || fail(r, "a line does not end"));
	if (skip(r, "buffer "))
		return check_buffer(r) &&
		       (skip(r, "\n") || fail(r, "a line does not end"));
	if (skip(r, "refute "))
		return check_refutation(r);
	return fail(r, "it has no body");
}

static bool check(struct reader *r)
{
	uint64_t arena;

	if (!skip(r, "memplan.proof 1\nproblem "))
		return fail(r, "it does not begin as one");
	if (!check_digest(r))
		return false;
	if (!skip(r, "arena ") || !take_number(r, &arena) ||
		!skip(r, "\nbound ") || !take_number(r, &r->bound) ||
		!skip(r, "\n") || !skip_problem(r))
		return fail(r, "its head is not whole");
	if (!check_body(r))
		return false;
	return (skip(r, "end\n") && r->at == r->end) ||
	       fail(r, "it does not end as one");
}

bool mp_proof_check(const struct problem *problem, const char *name,
	const char *text, size_t length, uint64_t *bound, struct arena *scratch,
	struct error *e)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	struct reader r = {.problem = problem,
		.name = name,
		.at = text,
		.end = text + length,
		.scratch = scratch,
		.error = e};
	bool holds = check(&r);

	assert(!problem->pools);
	*bound = r.bound;
	mp_arena_rewind(scratch, mark);
	return holds;
}
