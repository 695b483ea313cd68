/*
 * What banks cost in a plan, from the graph, the places of its tensors and
 * nothing else: tensors that an op uses together, or that are alive together if
 * there are no ops, had better not touch the same bank of a pool.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <stdlib.h>

#include "base/sort.h"
#include "verify/inside.h"
#include "verify/verify.h"

/* A tensor that lies in a pool with banks. */
struct banked {
	uint32_t tensor, space;
	uint32_t start, end; /* in which steps it is alive; no ops */
};

/* The banks that it touches: those from `first` on, and those up to `last`; or
 * all. */
struct touch {
	uint64_t first, last, all;
};

struct banking {
	const struct plan *plan;
	struct problem branches; /* of tensors, as if they were buffers */
	uint32_t *listed;	 /* of a tensor: op + 1 that listed it last */
	struct banked *list;
	uint32_t n;
	struct verified_banks *sum;
	uint64_t by_pairs; /* what each of the pairs held so far forces */
	bool exclusive;	   /* a pair held so far is */
};

static const struct banks *banks_of(const struct plan *plan, uint32_t space)
{
	assert(plan->spaces.at);
	return &plan->problem->pools[plan->spaces.at[space].pool].banks;
}

static bool lies_in_banks(const struct plan *plan, uint32_t tensor)
{
	return plan->schedule->stay[tensor].buffer != NONE &&
	       banks_of(plan, mp_plan_space(plan, tensor))->count > 0;
}

/* ----------------------------------------------------------- a pair */

static struct touch touch_of(const struct plan *plan, const struct banked *b)
{
	const struct banks *banks = banks_of(plan, b->space);
	uint64_t low = mp_plan_offset(plan, b->tensor);
	uint64_t high = low + plan->schedule->graph->tensors[b->tensor].size;
	uint64_t from = low / banks->size, to = (high - 1) / banks->size;

	return (struct touch){from % banks->count, to % banks->count,
		to - from >= banks->count - 1};
}

/* How many banks below this one the touch has. */
static uint64_t below(const struct touch *t, uint64_t bank)
{
	uint64_t until_last = num_min(bank, t->last + 1);
	uint64_t from_first = bank > t->first ? bank - t->first : 0;

	if (t->all)
		return bank;
	if (t->first > t->last)
		return until_last + from_first;
	return until_last > t->first ? until_last - t->first : 0;
}

/* The banks of y in those of x, which are one run of banks or two. */
static uint64_t share(
	const struct touch *x, const struct touch *y, uint64_t count)
{
	if (x->all)
		return below(y, count);
	if (x->first <= x->last)
		return below(y, x->last + 1) - below(y, x->first);
	return below(y, x->last + 1) + below(y, count) - below(y, x->first);
}

/* The fewest banks that so many bytes touch. */
static uint64_t fewest(const struct banks *banks, uint64_t size)
{
	uint64_t n = size / banks->size + (size % banks->size > 0);

	return num_min(n, banks->count);
}

static void hold(
	struct banking *b, const struct banked *x, const struct banked *y)
{
	const struct tensor *tensors = b->plan->schedule->graph->tensors;
	const struct banks *banks = banks_of(b->plan, x->space);
	struct touch of_x, of_y;
	uint64_t shared, least;

	if (x->space != y->space)
		return;
	if (b->branches.choice &&
		mp_verify_exclusive(&b->branches, x->tensor, y->tensor)) {
		b->exclusive = true;
		return;
	}
	of_x = touch_of(b->plan, x);
	of_y = touch_of(b->plan, y);
	shared = share(&of_x, &of_y, banks->count);
	least = fewest(banks, tensors[x->tensor].size) +
		fewest(banks, tensors[y->tensor].size);
	b->sum->n_pairs++;
	b->sum->n_paid += shared > 0;
	b->sum->paid += shared;
	if (least > banks->count)
		b->by_pairs += least - banks->count;
}

/* --------------------------------------------------------- with ops */

static void list_ids(struct banking *b, const struct ids *tensors, uint32_t op)
{
	for (uint32_t i = 0; i < tensors->n; i++) {
		uint32_t t = tensors->at[i];

		if (b->listed[t] == op + 1 || !lies_in_banks(b->plan, t))
			continue;
		b->listed[t] = op + 1;
		b->list[b->n++] = (struct banked){
			.tensor = t, .space = mp_plan_space(b->plan, t)};
	}
}

/* What tensors cost that are used together and touch so many banks, each
 * counted as often as tensors touch it: the least where no bank is touched
 * twice more often than another. */
static uint64_t least_of(uint64_t touched, uint64_t count)
{
	uint64_t times = touched / count, more = touched % count;

	return more * times + count * (times * (times - (times > 0)) / 2);
}

/* How many banks the listed tensors of that space touch at least, each counted
 * as often as tensors touch it; 0 if an earlier one is of that space. */
static uint64_t touched_with(const struct banking *b, uint32_t x)
{
	const struct tensor *tensors = b->plan->schedule->graph->tensors;
	uint32_t space = b->list[x].space;
	uint64_t touched = 0;

	for (uint32_t y = 0; y < b->n; y++) {
		if (b->list[y].space != space)
			continue;
		if (y < x)
			return 0;
		touched += fewest(banks_of(b->plan, space),
			tensors[b->list[y].tensor].size);
	}
	return touched;
}

/* What the listed tensors cost wherever they lie in their spaces. */
static uint64_t force(const struct banking *b)
{
	uint64_t sum = 0;

	for (uint32_t x = 0; x < b->n; x++)
		sum += least_of(touched_with(b, x),
			banks_of(b->plan, b->list[x].space)->count);
	return sum;
}

static void add_ops(struct banking *b)
{
	const struct graph *graph = b->plan->schedule->graph;

	for (uint32_t i = 0; i < graph->n_ops; i++) {
		b->n = 0;
		list_ids(b, &graph->ops[i].inputs, i);
		list_ids(b, &graph->ops[i].outputs, i);
		list_ids(b, &graph->ops[i].temporaries, i);
		b->by_pairs = 0;
		b->exclusive = false;
		for (uint32_t x = 0; x < b->n; x++)
			for (uint32_t y = 0; y < x; y++)
				hold(b, &b->list[x], &b->list[y]);
		b->sum->forced += b->exclusive ? b->by_pairs : force(b);
	}
}

/* ------------------------------------------------------ without ops */

static int by_start(const void *left, const void *right)
{
	const struct banked *a = left, *b = right;

	return mp_sort_compare_two(a->start, b->start, a->tensor, b->tensor);
}

/* The gap of the tensor that has the step, if none of its bytes count there;
 * else NULL. */
static const struct lifetime_gap *gap_at(
	const struct ties *ties, uint32_t tensor, uint32_t step)
{
	const struct lifetime_gap *gap = mp_graph_ties_gap(ties, tensor, step);

	return gap && gap->low == gap->high ? gap : NULL;
}

static bool meet(
	const struct ties *ties, const struct banked *x, const struct banked *y)
{
	uint32_t step = x->start > y->start ? x->start : y->start;
	uint32_t end = x->end < y->end ? x->end : y->end;

	while (step < end) {
		const struct lifetime_gap *gap = gap_at(ties, x->tensor, step);

		if (!gap)
			gap = gap_at(ties, y->tensor, step);
		if (!gap)
			return true;
		step = gap->end;
	}
	return false;
}

static void add_lives(struct banking *b)
{
	const struct schedule *s = b->plan->schedule;

	for (uint32_t t = 0; t < s->graph->n_tensors; t++)
		if (lies_in_banks(b->plan, t) &&
			s->stay[t].start < s->stay[t].end)
			b->list[b->n++] =
				(struct banked){t, mp_plan_space(b->plan, t),
					s->stay[t].start, s->stay[t].end};
	qsort(b->list, b->n, sizeof(*b->list), by_start);
	for (uint32_t x = 0; x < b->n; x++)
		for (uint32_t y = x + 1;
			y < b->n && b->list[y].start < b->list[x].end; y++)
			if (meet(&s->graph->ties, &b->list[x], &b->list[y]))
				hold(b, &b->list[x], &b->list[y]);
	b->sum->forced += b->by_pairs;
}

/* ------------------------------------------------------------ stage */

/* Whichever branch runs, it is there. */
static bool is_kept(const struct plan *plan, uint32_t tensor)
{
	enum tensor_kind kind = plan->schedule->graph->tensors[tensor].kind;

	return kind == KIND_WEIGHT || kind == KIND_STATE ||
	       plan->schedule->stay[tensor].throughout;
}

static bool list_branches(struct banking *b, struct arena *scratch)
{
	const struct graph *graph = b->plan->schedule->graph;
	const struct ties *ties = &graph->ties;
	uint32_t *choice = NEW(scratch, uint32_t, graph->n_tensors);
	uint32_t *branch = NEW(scratch, uint32_t, graph->n_tensors);

	if (!choice || !branch)
		return false;
	for (uint32_t t = 0; t < graph->n_tensors; t++)
		choice[t] = NONE;
	for (uint32_t i = 0; i < ties->n_branches; i++) {
		const struct tensor_branch *branched = &ties->branches[i];

		if (is_kept(b->plan, branched->tensor))
			continue;
		choice[branched->tensor] = branched->choice;
		branch[branched->tensor] = branched->branch;
	}
	if (ties->n_branches > 0)
		b->branches = (struct problem){.choice = choice,
			.branch = branch,
			.sites = ties->sites};
	return true;
}

bool mp_verify_banks(const struct plan *plan, struct verified_banks *sum,
	struct arena *scratch)
{
	const struct graph *graph = plan->schedule->graph;
	struct arena_mark mark = mp_arena_mark(scratch);
	struct banking b = {.plan = plan, .sum = sum};

	assert(plan->offsets);
	*sum = (struct verified_banks){0, 0, 0, 0};
	if (!plan->spaces.at ||
		!mp_graph_has_banks(graph->pools, graph->n_pools))
		return true;
	b.listed = NEW(scratch, uint32_t, graph->n_tensors);
	b.list = NEW(scratch, struct banked, graph->n_tensors);
	if (!b.listed || !b.list || !list_branches(&b, scratch))
		return false;
	if (graph->n_ops > 0)
		add_ops(&b);
	else
		add_lives(&b);
	mp_arena_rewind(scratch, mark);
	return true;
}
