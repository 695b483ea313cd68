/* SPDX-License-Identifier: MIT */
#include "problem/uses.h"

static bool list_readers(
	struct uses *uses, const struct schedule *s, struct arena *arena)
{
	struct lists readers;

	if (!mp_lists_init(&readers, s->graph->n_tensors, arena))
		return false;
	for (uint32_t op = 0; op < s->graph->n_ops; op++)
		for (uint32_t i = 0; i < s->graph->ops[op].inputs.n; i++)
			mp_lists_count(
				&readers, s->graph->ops[op].inputs.at[i], 1);
	if (!mp_lists_ready(&readers, s->graph->n_tensors, arena))
		return false;
	for (uint32_t k = 0; k < s->graph->n_ops; k++) {
		const struct ids *inputs = &mp_schedule_op(s, k)->inputs;

		for (uint32_t i = 0; i < inputs->n; i++)
			mp_lists_add(&readers, inputs->at[i], k);
	}
	uses->first = readers.first;
	uses->steps = readers.links;
	return true;
}

bool mp_problem_uses_init(
	struct uses *uses, const struct schedule *s, struct arena *arena)
{
	const struct graph *graph = s->graph;

	uses->step = NEW(arena, uint32_t, graph->n_ops);
	uses->born = NEW(arena, uint32_t, graph->n_tensors);
	if (!uses->step || !uses->born || !list_readers(uses, s, arena))
		return false;
	for (uint32_t k = 0; k < graph->n_ops; k++)
		uses->step[s->order[k]] = k;
	for (uint32_t t = 0; t < graph->n_tensors; t++)
		uses->born[t] =
			graph->tensors[t].producer == NONE
				? NONE
				: uses->step[graph->tensors[t].producer];
	return true;
}

static bool outlives(const struct tensor *tensor)
{
	return tensor->kind == KIND_OUTPUT || tensor->kind == KIND_WEIGHT ||
	       tensor->kind == KIND_STATE;
}

struct ending mp_problem_uses_ending(
	const struct uses *uses, const struct schedule *s, uint32_t t)
{
	uint32_t end = s->stay[t].end, n = uses->first[t + 1] - uses->first[t];
	uint32_t last = n ? uses->steps[uses->first[t + 1] - 1] : NONE;

	if (outlives(&s->graph->tensors[t]) && end == s->problem.n_steps)
		return (struct ending){ALIVE_TO_END, end - 1};
	if (n > 0 && last + 1 == end)
		return (struct ending){ALIVE_FOR_READER, last};
	if (n > 0 && last == end)
		return (struct ending){ALIVE_TAKEN_OVER, last};
	if (n == 0 && uses->born[t] != NONE && end == uses->born[t] + 1)
		return (struct ending){ALIVE_UNREAD, uses->born[t]};
	return (struct ending){ALIVE_AS_SAID, end - 1};
}

/* The first or last member in the arena: it has the guards of that end. */
static uint32_t end_member(
	const struct schedule *s, const struct ids *members, bool last)
{
	for (uint32_t i = 0; i < members->n; i++) {
		uint32_t t = members->at[last ? members->n - 1 - i : i];

		if (s->stay[t].buffer != NONE)
			return t;
	}
	return NONE;
}

static uint64_t guards_of(const struct schedule *s, uint32_t t)
{
	const struct ties *ties = &s->graph->ties;
	uint64_t bytes = 0;

	for (uint32_t k = 0; k < ties->n_groups; k++) {
		const struct tensor_group *group = &ties->groups[k];

		if (end_member(s, &group->members, false) == t)
			bytes += num_up(group->before, s->graph->alignment);
		if (end_member(s, &group->members, true) == t)
			bytes += num_up(group->after, s->graph->alignment);
	}
	return bytes;
}

/* The bytes that a tensor needs at a step of its lifetime. Gaps ascend, and so
 * must the steps of the calls. */
static uint64_t needed_at(const struct ties *ties, uint32_t t, uint32_t step,
	uint32_t *gap, uint64_t size)
{
	const struct lifetime_gap *gaps = ties->gaps;

	while (*gap < ties->n_gaps &&
		(gaps[*gap].tensor < t ||
			(gaps[*gap].tensor == t && gaps[*gap].end <= step)))
		++*gap;
	if (*gap == ties->n_gaps || gaps[*gap].tensor != t ||
		step < gaps[*gap].start)
		return size;
	return gaps[*gap].high - gaps[*gap].low;
}

struct bottleneck mp_problem_uses_without(const struct schedule *s, uint32_t t)
{
	const struct stay *stay = &s->stay[t];
	struct bottleneck most = {0, 0};
	uint64_t size = 0, load;
	uint32_t gap = 0;

	if (stay->buffer != NONE)
		size = mp_graph_tensor_rounded(
			       s->graph, &s->graph->tensors[t]) +
		       guards_of(s, t);
	for (uint32_t k = 0; k < s->problem.n_steps; k++) {
		load = s->problem.load[k];
		if (stay->start <= k && k < stay->end)
			load -= needed_at(&s->graph->ties, t, k, &gap, size);
		if (load > most.load)
			most = (struct bottleneck){load, k};
	}
	return most;
}
