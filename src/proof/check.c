/*
 * Reads a proof and replays it. The problems are not taken from the file: they
 * must be those at hand.
 *
 * SPDX-License-Identifier: MIT
 */

#include "proof/inside.h"

struct reader {
	struct problem problem;
	struct proof_text text;
	uint64_t bound;
	struct arena *scratch;
};

/* -------------------------------------------------------- witnesses */

struct sum {
	uint64_t bytes, rounding, align;
};

/* Reads at most so many parts or buffers below a limit, in ascending order. */
static bool read_ids(struct reader *r, uint32_t most, uint32_t limit,
	uint32_t *ids, uint32_t *n)
{
	for (*n = 0; mp_proof_skip(&r->text, " "); ++*n)
		if (*n == most || !mp_proof_index(&r->text, limit, &ids[*n]) ||
			(*n > 0 && ids[*n] <= ids[*n - 1]))
			return mp_proof_malformed(&r->text,
				"what it lists is not in ascending order");
	return true;
}

static bool add_part(struct reader *r, uint32_t i, struct sum *sum)
{
	const struct problem *p = &r->problem;
	const struct part *part = &p->parts[i];
	uint64_t size;

	if (p->buffers[part->buffer].align % sum->align != 0 ||
		part->base % sum->align != 0)
		return mp_proof_refuse(
			&r->text, "a part need not be aligned so");
	size = num_up(part->size, sum->align);
	sum->rounding = num_max(sum->rounding, size - part->size);
	return num_add(sum->bytes, size, &sum->bytes) ||
	       mp_proof_refuse(&r->text, "sizes sum to more than 2^62");
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

static bool has_bytes(
	const struct problem *p, uint32_t part, const struct part *of)
{
	return p->parts[part].base == of->base &&
	       p->parts[part].size == of->size;
}

/* Do parts with the same bytes of their buffers conflict? */
static bool exclude(const struct problem *p, uint32_t a, uint32_t b)
{
	const struct part *x = &p->parts[a], *y = &p->parts[b];
	struct buffer one = p->buffers[x->buffer], two = p->buffers[y->buffer];

	if (x->buffer == y->buffer || mp_problem_conflict(p, a, b))
		return mp_problem_conflict(p, a, b);
	for (uint32_t i = 0; i < one.n_parts; i++)
		for (uint32_t k = 0; k < two.n_parts; k++)
			if (has_bytes(p, one.first_part + i, x) &&
				has_bytes(p, two.first_part + k, y) &&
				mp_problem_conflict(p, one.first_part + i,
					two.first_part + k))
				return true;
	return false;
}

static bool check_pairs(struct reader *r, const uint32_t *parts, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < i; k++)
			if (!exclude(&r->problem, parts[k], parts[i]))
				return mp_proof_refuse(&r->text,
					"two parts are not alive together");
	return true;
}

/* Each part but the highest lies below one that begins at a multiple. */
static bool check_parts(struct reader *r)
{
	uint32_t *parts = NEW(r->scratch, uint32_t, r->problem.n_parts), n = 0;
	struct sum sum = {0};

	if (!parts)
		return false;
	if (!mp_proof_number(&r->text, &sum.align) || !num_is_pow2(sum.align))
		return mp_proof_malformed(&r->text, "an alignment is missing");
	if (!read_ids(r, r->problem.n_parts, r->problem.n_parts, parts, &n))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (!add_part(r, parts[i], &sum))
			return false;
	if (!share_step(&r->problem, parts, n) && !check_pairs(r, parts, n))
		return false;
	return sum.bytes - sum.rounding >= r->bound ||
	       mp_proof_refuse(&r->text, "the parts are less than the bound");
}

static bool check_pile(struct reader *r)
{
	uint32_t parts[PROOF_MOST_PILE], n;
	uint64_t bytes;

	if (r->problem.total_size > NUM_MAX_BYTES / 2)
		return mp_proof_refuse(&r->text, "the problem is too large");
	return read_ids(r, PROOF_MOST_PILE, r->problem.n_parts, parts, &n) &&
	       (n > 0 || mp_proof_malformed(&r->text, "a pile is empty")) &&
	       check_pairs(r, parts, n) &&
	       mp_proof_pile_bytes(&r->problem, parts, n, &bytes, r->scratch) &&
	       (bytes >= r->bound || mp_proof_refuse(&r->text,
					     "the parts fit below the bound"));
}

/* ------------------------------------------------------- refutation */

/* The numbers of the line: 2 * pair + the part that is tried below first. */
static bool read_nodes(struct reader *r, uint32_t *nodes, uint32_t *n)
{
	uint64_t value;

	for (*n = 0; mp_proof_skip(&r->text, " "); (*n)++) {
		if (!mp_proof_number(&r->text, &value) || value >= UINT32_MAX)
			return mp_proof_malformed(
				&r->text, "a pair is missing");
		nodes[*n] = (uint32_t)value;
	}
	return true;
}

static bool check_refutation(struct reader *r, struct ids among)
{
	struct domains domains;
	size_t length = (size_t)(r->text.end - r->text.at);
	uint32_t *nodes = NEW(r->scratch, uint32_t, length / 2), n = 0;
	bool refuted = false;

	if (r->bound == 0)
		return mp_proof_refuse(
			&r->text, "no arena is smaller than 0 bytes");
	if (!nodes || !mp_proof_domains_init(&domains, &r->problem, among,
			      r->bound - 1, r->scratch))
		return r->scratch->error->code == MEMPLAN_OK
			       ? mp_proof_refuse(
					 &r->text, "the problem is too large")
			       : false;
	if (!read_nodes(r, nodes, &n) || !mp_proof_domains_narrow(&domains) ||
		!mp_proof_replay(&domains, nodes, n, &refuted, r->scratch))
		return false;
	return refuted || mp_proof_refuse(&r->text,
				  "an arena that is smaller is not refuted");
}

/* A refutation of some buffers is one of all. */
static bool check_among(struct reader *r)
{
	uint32_t most = r->problem.n_buffers, n = 0;
	uint32_t *buffers = NEW(r->scratch, uint32_t, most);

	if (!buffers || !read_ids(r, most, most, buffers, &n))
		return false;
	return mp_proof_skip(&r->text, "\nrefute")
		       ? check_refutation(r, (struct ids){buffers, n})
		       : mp_proof_malformed(&r->text, "there is no refutation");
}

/* ------------------------------------------------------------ proof */

static bool check_problem(struct reader *r)
{
	struct sink problem = {.error = r->text.error};

	mp_proof_problem(&r->problem, &problem, r->scratch);
	return mp_proof_same(&r->text, &problem,
		"the proof is of another problem than this plan shows; the "
		"graph may show more");
}

static bool check_body(struct reader *r)
{
	if (mp_proof_skip(&r->text, "parts "))
		return check_parts(r);
	if (mp_proof_skip(&r->text, "pile"))
		return check_pile(r);
	if (mp_proof_skip(&r->text, "refute"))
		return check_refutation(r, (struct ids){0});
	if (mp_proof_skip(&r->text, "among"))
		return check_among(r);
	return mp_proof_malformed(&r->text, "it has no body");
}

static bool check_memory(struct reader *r)
{
	if (!check_problem(r))
		return false;
	if (!mp_proof_skip(&r->text, "bound ") ||
		!mp_proof_number(&r->text, &r->bound) ||
		!mp_proof_skip(&r->text, "\n"))
		return mp_proof_malformed(&r->text, "there is no bound");
	return check_body(r) &&
	       (mp_proof_skip(&r->text, "\nend\n") ||
		       mp_proof_malformed(&r->text, "a problem does not end"));
}

static bool check(struct reader *r, const struct problem *whole,
	const struct spaces *spaces, uint64_t *bounds)
{
	uint32_t n = spaces ? spaces->n : 1;

	if (!mp_proof_begin(&r->text))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		struct arena_mark mark = mp_arena_mark(r->scratch);

		if (!mp_proof_memory(
			    whole, spaces, i, &r->problem, NULL, r->scratch) ||
			!check_memory(r))
			return false;
		bounds[i] = r->bound;
		mp_arena_rewind(r->scratch, mark);
	}
	return r->text.at == r->text.end || mp_proof_skip(&r->text, "order ") ||
	       mp_proof_malformed(&r->text, "it does not end as one");
}

bool mp_proof_check(const struct problem *problem, const struct spaces *spaces,
	const char *name, const char *text, size_t length, uint64_t *bounds,
	struct arena *scratch)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	struct reader r = {.text = {name, text, text + length, scratch->error},
		.scratch = scratch};
	bool fine = check(&r, problem, spaces, bounds);

	mp_arena_rewind(scratch, mark);
	return fine;
}
