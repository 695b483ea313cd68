/*
 * inherit: a buffer takes the place of one of its size that has died, wherever
 * the load allows that nothing else is there in between. What repeats, as the
 * micro-batches of a pipeline do, becomes a few chains that live long; auto
 * plans these. The bytes that are lost between two of a chain are lost where
 * the load is low, so that the least arena of the chains may be no larger.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/rows.h"

#include <assert.h>
#include <string.h>

#include "base/sort.h"
#include "planners/plain/packing.h"

enum {
	PAIRS = 6,	   /* pairs that are looked at for each buffer */
	LOOKS_A_STEP = 30, /* looks at sections in 100 ns */
	RATIO_BITS = 20,   /* of a gap over two lifetimes, as a part */
	MOST_GAP = 256,	   /* sections between two of a pair */
	WORTH_IT = 2	   /* buffers for each chain */
};

/* An item that takes the place of another. */
struct size_pair {
	uint32_t from, to;
};

struct inherit {
	struct job *job;
	struct packing packing;
	int64_t limit;	   /* of loads, units */
	uint32_t *by_size; /* items; of one size, by start */
	struct size_pair *pairs;
	uint64_t *key; /* of a pair: small gaps between long lives first */
	uint32_t *order, *spare, n_pairs;
	uint32_t *next; /* of an item in its chain; NONE */
	bool *is_next;
	uint32_t n_chains;
	uint64_t looks;
};

/* ------------------------------------------------------------ pairs */

static const struct buffer *buffer_of(const struct inherit *h, uint32_t item)
{
	return &h->packing.problem->buffers[h->packing.buffer[item]];
}

/* Items of one size that are born when the one at place k dies, or later. */
static void add_pairs(struct inherit *h, uint32_t k)
{
	const struct packing *p = &h->packing;
	uint32_t from = h->by_size[k], low = k + 1, high = p->n_items;
	const struct buffer *a = buffer_of(h, from), *b;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		uint32_t i = h->by_size[middle];

		if (p->size[i] == p->size[from] && p->start[i] < p->end[from])
			low = middle + 1;
		else
			high = middle;
	}
	for (uint32_t n = 0; n < PAIRS && low < p->n_items; n++, low++) {
		uint32_t to = h->by_size[low];

		if (p->size[to] != p->size[from])
			break;
		b = buffer_of(h, to);
		h->key[h->n_pairs] =
			((uint64_t)(b->start - a->end) << RATIO_BITS) /
			(a->end - a->start + b->end - b->start);
		h->order[h->n_pairs] = h->n_pairs;
		h->pairs[h->n_pairs++] = (struct size_pair){from, to};
	}
}

static void find_pairs(struct inherit *h)
{
	const struct packing *p = &h->packing;

	for (uint32_t i = 0; i < p->n_items; i++) {
		h->by_size[i] = i;
		h->key[i] = (uint64_t)p->size[i];
	}
	mp_sort_radix(h->by_size, h->spare, p->n_items, h->key);
	for (uint32_t k = 0; k < p->n_items; k++)
		add_pairs(h, k);
	mp_sort_radix(h->order, h->spare, h->n_pairs, h->key);
}

/* ----------------------------------------------------------- chains */

/* Is there room for the item between the two, at each of a few sections? */
static bool has_room(struct inherit *h, struct size_pair pair)
{
	const struct packing *p = &h->packing;
	uint32_t s = p->end[pair.from], end = p->start[pair.to];

	if (end - s > MOST_GAP)
		return false;
	while (s < end && p->load[s] + p->size[pair.from] <= h->limit)
		s++;
	h->looks += s - p->end[pair.from] + 1;
	return s == end;
}

static void join(struct inherit *h, struct size_pair pair)
{
	struct packing *p = &h->packing;

	for (uint32_t s = p->end[pair.from]; s < p->start[pair.to]; s++)
		p->load[s] += p->size[pair.from];
	h->next[pair.from] = pair.to;
	h->is_next[pair.to] = true;
	h->n_chains--;
}

/* False: the budget is spent. */
static bool make_chains(struct inherit *h)
{
	h->n_chains = h->packing.n_items;
	for (uint32_t k = 0; k < h->n_pairs; k++) {
		struct size_pair pair = h->pairs[h->order[k]];

		if (h->next[pair.from] == NONE && !h->is_next[pair.to] &&
			has_room(h, pair))
			join(h, pair);
	}
	return mp_planner_job_step(
		h->job, (h->n_pairs + h->looks) / LOOKS_A_STEP + 1);
}

/* ------------------------------------------------------------- plan */

static void add_chain(
	const struct inherit *h, uint32_t item, struct problem *chains)
{
	struct buffer chain = *buffer_of(h, item);
	uint32_t last = item;

	while (h->next[last] != NONE)
		last = h->next[last];
	chain.end = buffer_of(h, last)->end;
	mp_planner_job_add_block(chains, chain);
}

static bool make_problem(const struct inherit *h, struct problem *chains)
{
	const struct problem *p = h->job->problem;
	struct arena *arena = h->job->arena;

	*chains = (struct problem){.name = p->name,
		.alignment = p->alignment,
		.n_steps = p->n_steps,
		.n_streams = p->n_streams,
		.buffers = NEW(arena, struct buffer, h->n_chains),
		.parts = NEW(arena, struct part, h->n_chains)};
	if (!chains->buffers || !chains->parts)
		return false;
	for (uint32_t i = 0; i < h->packing.n_items; i++)
		if (!h->is_next[i])
			add_chain(h, i, chains);
	assert(chains->n_buffers == h->n_chains);
	chains->first_reserved = chains->n_buffers;
	return mp_problem_measure(chains, arena, h->job->error);
}

static bool offer(const struct inherit *h, const struct job *own)
{
	struct job *job = h->job;
	uint64_t *offsets = NEW(job->arena, uint64_t, job->problem->n_buffers);
	uint32_t chain = 0;

	if (!offsets)
		return false;
	for (uint32_t i = 0; i < h->packing.n_items; i++) {
		if (h->is_next[i])
			continue;
		for (uint32_t k = i; k != NONE; k = h->next[k])
			offsets[h->packing.buffer[k]] = own->best[chain];
		chain++;
	}
	return mp_planner_job_offer(job, offsets);
}

/* -------------------------------------------------------------- row */

static bool inherit_init(struct inherit *h, struct job *job)
{
	struct arena *arena = job->arena;
	size_t n = job->problem->n_buffers;

	*h = (struct inherit){.job = job};
	if (!mp_planner_packing_init(&h->packing, job->problem, arena))
		return false;
	h->limit = (int64_t)(job->lower_bound / h->packing.unit);
	h->by_size = NEW(arena, uint32_t, n);
	h->pairs = NEW(arena, struct size_pair, PAIRS * n);
	h->key = NEW(arena, uint64_t, PAIRS * n);
	h->order = NEW(arena, uint32_t, PAIRS * n);
	h->spare = NEW(arena, uint32_t, PAIRS * n);
	h->next = NEW(arena, uint32_t, n);
	h->is_next = NEW(arena, bool, n);
	if (!h->by_size || !h->pairs || !h->key || !h->order || !h->spare ||
		!h->next || !h->is_next)
		return false;
	memset(h->next, 0xff, sizeof(*h->next) * n);
	return true;
}

enum outcome mp_planner_inherit_run(struct job *job, int variant)
{
	struct problem chains;
	struct inherit h;
	struct job own;
	bool few;

	(void)variant;
	if (!mp_planner_job_is_plain(job))
		return PLAN_GAVE_UP;
	if (!inherit_init(&h, job))
		return PLAN_FAILED;
	find_pairs(&h);
	few = make_chains(&h) && h.n_chains <= h.packing.n_items / WORTH_IT;
	/* By name it plans all the chains; auto has plans of its own. */
	if (!few && job->height != UINT64_MAX)
		return PLAN_GAVE_UP;
	own = *job;
	if (!make_problem(&h, &chains) ||
		!mp_planner_job_hand_on(
			job, &chains, mp_planner_auto_run, &own) ||
		!offer(&h, &own))
		return PLAN_FAILED;
	return mp_planner_job_outcome(job);
}
