/* SPDX-License-Identifier: MIT */
#include "problem/uses.h"

/* Counts stand one place on, and filling moves them to where they serve. */
static void count(struct uses *uses, const struct problem *p)
{
	for (uint32_t op = 0; op < p->n_ops; op++)
		for (uint32_t i = 0; i < p->ops[op].n_inputs; i++)
			uses->first[p->ops[op].inputs[i] + 2]++;
	for (uint32_t i = 0; i < p->n_items; i++)
		uses->first[i + 2] += uses->first[i + 1];
}

static void fill(struct uses *uses, const struct problem *p)
{
	for (uint32_t k = 0; k < p->n_ops; k++) {
		const struct step *op = &p->ops[p->order[k]];

		for (uint32_t i = 0; i < op->n_inputs; i++)
			uses->steps[uses->first[op->inputs[i] + 1]++] = k;
		for (uint32_t i = 0; i < op->n_outputs; i++)
			uses->born[op->outputs[i]] = k;
		for (uint32_t i = 0; i < op->n_temporaries; i++)
			uses->born[op->temporaries[i]] = k;
	}
}

/* An alias that no op lists is there once the bytes of what it is of are. */
static bool fill_aliases(
	struct uses *uses, const struct problem *p, struct arena *arena)
{
	uint32_t *step = NEW(arena, uint32_t, p->n_ops);

	if (!step)
		return false;
	for (uint32_t k = 0; k < p->n_ops; k++)
		step[p->order[k]] = k;
	for (uint32_t i = 0; i < p->n_items; i++)
		if (uses->born[i] == NONE && p->items[i].producer < p->n_ops)
			uses->born[i] = step[p->items[i].producer];
	return true;
}

bool mp_problem_uses_init(
	struct uses *uses, const struct problem *p, struct arena *arena)
{
	uses->first = NEW(arena, uint32_t, (size_t)p->n_items + 2);
	uses->born = NEW(arena, uint32_t, p->n_items);
	if (!uses->first || !uses->born)
		return false;
	count(uses, p);
	uses->steps = NEW(arena, uint32_t, uses->first[p->n_items + 1]);
	if (!uses->steps)
		return false;
	for (uint32_t i = 0; i < p->n_items; i++)
		uses->born[i] = NONE;
	fill(uses, p);
	return fill_aliases(uses, p, arena);
}

static bool outlives(const struct item *item)
{
	return item->kind == ITEM_OUTPUT || item->kind == ITEM_WEIGHT ||
	       item->kind == ITEM_STATE;
}

struct stay mp_problem_uses_stay(
	const struct uses *uses, const struct problem *p, uint32_t i)
{
	const struct item *item = &p->items[i];
	uint32_t n = uses->first[i + 1] - uses->first[i];
	uint32_t last = n ? uses->steps[uses->first[i + 1] - 1] : NONE;

	if (outlives(item) && item->end == p->n_steps)
		return (struct stay){ALIVE_TO_END, item->end - 1};
	if (n > 0 && last + 1 == item->end)
		return (struct stay){ALIVE_FOR_READER, last};
	if (n > 0 && last == item->end)
		return (struct stay){ALIVE_TAKEN_OVER, last};
	if (n == 0 && uses->born[i] != NONE && item->end == uses->born[i] + 1)
		return (struct stay){ALIVE_UNREAD, uses->born[i]};
	return (struct stay){ALIVE_AS_SAID, item->end - 1};
}

/* The member that has the guards at one end of a group. */
static uint32_t end_member(
	const struct problem *p, const struct ids *members, bool last)
{
	for (uint32_t i = 0; i < members->n; i++) {
		uint32_t item = members->at[last ? members->n - 1 - i : i];

		if (p->items[item].buffer != NONE)
			return item;
	}
	return NONE;
}

static uint64_t guards_of(const struct problem *p, uint32_t i)
{
	uint64_t bytes = 0;

	for (uint32_t k = 0; k < p->ties.n_groups; k++) {
		const struct tensor_group *group = &p->ties.groups[k];

		if (end_member(p, &group->members, false) == i)
			bytes += num_up(group->before, p->alignment);
		if (end_member(p, &group->members, true) == i)
			bytes += num_up(group->after, p->alignment);
	}
	return bytes;
}

/* What an item needs at a step of its lifetime. Its gaps ascend, and so do the
 * steps that are asked for. */
static uint64_t needed_at(const struct problem *p, uint32_t i, uint32_t step,
	uint32_t *gap, uint64_t size)
{
	const struct lifetime_gap *gaps = p->ties.gaps;

	while (*gap < p->ties.n_gaps &&
		(gaps[*gap].tensor < i ||
			(gaps[*gap].tensor == i && gaps[*gap].end <= step)))
		++*gap;
	if (*gap == p->ties.n_gaps || gaps[*gap].tensor != i ||
		step < gaps[*gap].start)
		return size;
	return gaps[*gap].high - gaps[*gap].low;
}

struct bottleneck mp_problem_uses_without(const struct problem *p, uint32_t i)
{
	const struct item *item = &p->items[i];
	struct bottleneck most = {0, 0};
	uint64_t size = 0, load;
	uint32_t gap = 0;

	if (item->buffer != NONE)
		size = mp_problem_item_rounded(p, item) + guards_of(p, i);
	for (uint32_t k = 0; k < p->n_steps; k++) {
		load = p->load[k];
		if (item->start <= k && k < item->end)
			load -= needed_at(p, i, k, &gap, size);
		if (load > most.load)
			most = (struct bottleneck){load, k};
	}
	return most;
}

const char *mp_problem_uses_op(const struct problem *p, uint32_t step)
{
	const struct step *op;

	if (step >= p->n_ops)
		return NULL;
	op = &p->ops[p->order[step]];
	return op->name[0] ? op->name : op->type;
}
