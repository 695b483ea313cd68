/*
 * Which tensors are used together, so that it costs something if they touch the
 * same bank: each two of an op; in a graph without ops, each two that are alive
 * together. Those of exclusive branches never are. Only tensors count that may
 * lie in a pool with banks.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "base/sort.h"
#include "lifetime/inside.h"

enum {
	MOST_BANK_PAIRS = 2000000 /* that are looked at */
};

struct pairing {
	struct sharing *sharing;
	uint32_t *seen;		/* of a tensor: op + 1 that had it last */
	struct ids list;	/* tensors, some of which are used together */
	uint32_t *room;		/* for these */
	uint32_t *first_gap;	/* of a tensor */
	struct problem tensors; /* choice and branch of a tensor, as if it were
				   a buffer */
	struct costly_pair *at; /* NULL: pairs are counted only */
	uint64_t n, looks;
};

/* Some pool with banks may hold it. */
static bool counts(const struct sharing *s, uint32_t tensor)
{
	const struct problem *p = s->problem;
	const struct pool_list *list;
	uint32_t buffer = s->stay[tensor].buffer;

	if (buffer == NONE)
		return false;
	list = &p->pool_lists[p->pool_list[buffer]];
	for (uint32_t i = 0; i < list->n; i++)
		if (p->pools[list->at[i]].banks.count > 0)
			return true;
	return false;
}

static void add_pair(struct pairing *work, uint32_t x, uint32_t y)
{
	const struct sharing *s = work->sharing;
	const struct tensor *tensors = s->graph->tensors;
	bool turned = s->stay[x].buffer > s->stay[y].buffer;
	uint32_t a = turned ? y : x, b = turned ? x : y;

	if (work->tensors.choice && mp_problem_exclusive(&work->tensors, a, b))
		return;
	if (work->at)
		work->at[work->n] = (struct costly_pair){.a = s->stay[a].buffer,
			.b = s->stay[b].buffer,
			.cost = 1,
			.of_a = {s->stay[a].base, tensors[a].size},
			.of_b = {s->stay[b].base, tensors[b].size}};
	work->n++;
}

/* --------------------------------------------------------- with ops */

static void list_tensors(
	struct pairing *work, const struct ids *tensors, uint32_t op)
{
	for (uint32_t i = 0; i < tensors->n; i++) {
		uint32_t t = tensors->at[i];

		if (work->seen[t] == op + 1 || !counts(work->sharing, t))
			continue;
		work->seen[t] = op + 1;
		work->room[work->list.n++] = t;
	}
}

static bool pair_ops(struct pairing *work)
{
	const struct graph *graph = work->sharing->graph;

	for (uint32_t t = 0; t < graph->n_tensors; t++)
		work->seen[t] = 0;
	for (uint32_t i = 0; i < graph->n_ops; i++) {
		const struct op *op = &graph->ops[i];
		struct ids *list = &work->list;

		list->n = 0;
		list_tensors(work, &op->inputs, i);
		list_tensors(work, &op->outputs, i);
		list_tensors(work, &op->temporaries, i);
		work->looks += (uint64_t)list->n * list->n / 2;
		if (work->looks > MOST_BANK_PAIRS)
			return false;
		for (uint32_t a = 0; a < list->n; a++)
			for (uint32_t b = a + 1; b < list->n; b++)
				add_pair(work, list->at[a], list->at[b]);
	}
	return true;
}

/* ------------------------------------------------------ without ops */

/* Goes on behind the whole gap that the step is in. False: it is in none. */
static bool skip_gap(
	struct pairing *work, uint32_t *gap, uint32_t end, uint32_t *step)
{
	const struct lifetime_gap *gaps = work->sharing->graph->ties.gaps;

	for (; *gap < end && gaps[*gap].end <= *step; ++*gap)
		work->looks++;
	if (*gap == end || gaps[*gap].start > *step ||
		gaps[*gap].low < gaps[*gap].high)
		return false;
	*step = gaps[*gap].end;
	return true;
}

static bool are_alive_together(struct pairing *work, uint32_t a, uint32_t b)
{
	const struct sharing *s = work->sharing;
	const struct stay *x = &s->stay[a], *y = &s->stay[b];
	uint32_t step = x->start > y->start ? x->start : y->start;
	uint32_t end = x->end < y->end ? x->end : y->end;
	uint32_t i = work->first_gap[a], k = work->first_gap[b];

	while (step < end &&
		(skip_gap(work, &i, work->first_gap[a + 1], &step) ||
			skip_gap(work, &k, work->first_gap[b + 1], &step)))
		;
	return step < end;
}

struct birth {
	uint32_t start, tensor;
};

static int by_birth(const void *left, const void *right)
{
	const struct birth *a = left, *b = right;

	return mp_sort_compare_two(a->start, b->start, a->tensor, b->tensor);
}

/* Lists those that count by their births. */
static bool list_births(struct pairing *work, struct arena *scratch)
{
	const struct sharing *s = work->sharing;
	struct birth *births = NEW(scratch, struct birth, s->graph->n_tensors);

	for (uint32_t t = 0; births && t < s->graph->n_tensors; t++)
		if (counts(s, t) && s->stay[t].start < s->stay[t].end)
			births[work->list.n++] =
				(struct birth){s->stay[t].start, t};
	if (!births)
		return false;
	qsort(births, work->list.n, sizeof(*births), by_birth);
	for (uint32_t i = 0; i < work->list.n; i++)
		work->room[i] = births[i].tensor;
	return true;
}

static bool find_gaps(struct pairing *work, struct arena *scratch)
{
	const struct graph *graph = work->sharing->graph;
	uint32_t n = graph->n_tensors;
	uint32_t *first = NEW(scratch, uint32_t, (size_t)n + 1);

	work->first_gap = first;
	for (uint32_t i = 0; first && i < graph->ties.n_gaps; i++)
		first[graph->ties.gaps[i].tensor + 1]++;
	for (uint32_t t = 0; first && t < n; t++)
		first[t + 1] += first[t];
	return first != NULL;
}

static bool pair_lives(struct pairing *work)
{
	const struct stay *stay = work->sharing->stay;
	struct ids list = work->list;

	for (uint32_t i = 0; i < list.n; i++)
		for (uint32_t k = i + 1;
			k < list.n &&
			stay[list.at[k]].start < stay[list.at[i]].end;
			k++) {
			if (++work->looks > MOST_BANK_PAIRS)
				return false;
			if (are_alive_together(work, list.at[i], list.at[k]))
				add_pair(work, list.at[i], list.at[k]);
		}
	return true;
}

/* ------------------------------------------------------------ stage */

static bool find_branches(struct pairing *work, struct arena *scratch)
{
	const struct graph *graph = work->sharing->graph;
	const struct ties *ties = &graph->ties;
	uint32_t n = graph->n_tensors;
	uint32_t *choice = NEW(scratch, uint32_t, n);
	uint32_t *branch = NEW(scratch, uint32_t, n);

	if (ties->n_branches == 0)
		return true;
	for (uint32_t t = 0; choice && t < n; t++)
		choice[t] = NONE;
	for (uint32_t i = 0; choice && branch && i < ties->n_branches; i++) {
		const struct tensor_branch *b = &ties->branches[i];

		if (mp_schedule_outlives(work->sharing->schedule, b->tensor))
			continue;
		choice[b->tensor] = b->choice;
		branch[b->tensor] = b->branch;
	}
	work->tensors = (struct problem){
		.choice = choice, .branch = branch, .sites = ties->sites};
	return choice && branch;
}

static bool pair_all(struct pairing *work)
{
	bool few;

	work->n = work->looks = 0;
	few = work->sharing->graph->n_ops > 0 ? pair_ops(work)
					      : pair_lives(work);
	return few || mp_fail(work->sharing->error, MEMPLAN_EINPUT,
			      "%s: more than %d pairs of tensors that are used "
			      "together may lie in pools with banks",
			      work->sharing->graph->place, MOST_BANK_PAIRS);
}

static int by_place(const void *left, const void *right)
{
	const struct costly_pair *a = left, *b = right;
	int order = mp_sort_compare_two(a->a, b->a, a->b, b->b);

	if (order == 0)
		order = mp_sort_compare_two(
			a->of_a.base, b->of_a.base, a->of_a.size, b->of_a.size);
	return order ? order
		     : mp_sort_compare_two(a->of_b.base, b->of_b.base,
			       a->of_b.size, b->of_b.size);
}

/* Pairs that several ops use cost so much more. */
static void merge(struct pairing *work, struct problem *p)
{
	uint32_t n = 0;

	qsort(work->at, work->n, sizeof(*work->at), by_place);
	for (uint64_t i = 0; i < work->n; i++)
		if (n > 0 && by_place(&work->at[n - 1], &work->at[i]) == 0)
			work->at[n - 1].cost++;
		else
			work->at[n++] = work->at[i];
	p->bank_costs = work->at;
	p->n_bank_costs = n;
}

bool mp_lifetime_bank_costs_fill(struct sharing *s)
{
	struct pairing work = {.sharing = s};
	struct arena *scratch = s->scratch;

	if (!mp_graph_has_banks(s->graph->pools, s->graph->n_pools))
		return true;
	work.seen = NEW(scratch, uint32_t, s->graph->n_tensors);
	work.room = NEW(scratch, uint32_t, s->graph->n_tensors);
	work.list.at = work.room;
	if (!work.seen || !work.room || !find_gaps(&work, scratch) ||
		!find_branches(&work, scratch) ||
		(s->graph->n_ops == 0 && !list_births(&work, scratch)) ||
		!pair_all(&work))
		return false;
	work.at = NEW(s->arena, struct costly_pair, work.n);
	if (!work.at || !pair_all(&work))
		return false;
	merge(&work, s->problem);
	return true;
}
