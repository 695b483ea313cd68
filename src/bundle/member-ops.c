/*
 * The ops of the members, with all that refers to tensors and ops counted
 * through. A loop becomes the reads that it makes for its next iteration.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle/inside.h"

#include <string.h>

/* The tensors of the list that are in the arena. */
static bool map_tensors(const struct join_work *w, const struct joined *member,
	const struct ids *from, struct ids *ids)
{
	uint32_t *list = NEW(w->arena, uint32_t, from->n), kept = 0;

	if (!list)
		return false;
	for (uint32_t i = 0; i < from->n; i++)
		if (member->tensor[from->at[i]] != NONE)
			list[kept++] = member->tensor[from->at[i]];
	*ids = (struct ids){list, kept};
	return true;
}

static bool map_ops(const struct join_work *w, const struct joined *member,
	const struct ids *from, struct ids *ids)
{
	uint32_t *list = NEW(w->arena, uint32_t, from->n);

	if (!list)
		return false;
	for (uint32_t i = 0; i < from->n; i++)
		list[i] = member->first_op + from->at[i];
	*ids = (struct ids){list, from->n};
	return true;
}

static bool check_equal(const struct join_work *w, const struct joined *member,
	uint32_t output, uint32_t input)
{
	const struct graph *graph = member->plan->schedule->graph;
	const struct tensor *out = &graph->tensors[output];
	const struct tensor *in = &graph->tensors[input];

	return mp_graph_tensor_rounded(graph, out) ==
		       mp_graph_tensor_rounded(graph, in) ||
	       mp_fail(w->error, MEMPLAN_EUSAGE,
		       "%s: tensor '%.80s' takes over the bytes of '%.80s', "
		       "which has another size: not among streams; plan with "
		       "the option inplace set to equal",
		       member->place, mp_graph_tensor_label(out),
		       mp_graph_tensor_label(in));
}

/* Disjoint steps do not say that two tensors are one buffer, and where streams
 * run beside each other, the two would conflict. */
static bool add_pair(const struct join_work *w, const struct joined *member,
	uint32_t output, uint32_t input, struct inplace_pair *pairs,
	struct op *op)
{
	if (!mp_bundle_joined_takes_over(member, output, input))
		return true;
	pairs[op->n_inplace++] = (struct inplace_pair){
		member->tensor[output], member->tensor[input]};
	return w->n_streams <= 1 || check_equal(w, member, output, input);
}

static bool add_pairs(const struct join_work *w, const struct joined *member,
	const struct op *step, struct op *op)
{
	struct inplace_pair *pairs;

	pairs = NEW(w->arena, struct inplace_pair,
		(size_t)step->outputs.n * step->inputs.n);
	if (!pairs)
		return false;
	op->inplace = pairs;
	for (uint32_t o = 0; o < step->outputs.n; o++)
		for (uint32_t i = 0; i < step->inputs.n; i++)
			if (!add_pair(w, member, step->outputs.at[o],
				    step->inputs.at[i], pairs, op))
				return false;
	return true;
}

/* What the ops of a graph with loops read, also for the next iteration. */
static bool find_reads(const struct join_work *w, const struct graph *graph,
	struct lists *reads)
{
	if (!mp_lists_init(reads, graph->n_ops, w->arena))
		return false;
	for (uint32_t t = 0; t < graph->n_tensors; t++) {
		struct ids readers =
			mp_graph_readers(graph, &graph->tensors[t]);

		for (uint32_t i = 0; i < readers.n; i++)
			mp_lists_count(reads, readers.at[i], 1);
	}
	if (!mp_lists_ready(reads, graph->n_ops, w->arena))
		return false;
	for (uint32_t t = 0; t < graph->n_tensors; t++) {
		struct ids readers =
			mp_graph_readers(graph, &graph->tensors[t]);

		for (uint32_t i = 0; i < readers.n; i++)
			mp_lists_add(reads, readers.at[i], t);
	}
	return true;
}

static bool add_op(struct join_work *w, const struct joined *member,
	const struct op *step, struct ids inputs, struct op *op)
{
	/* Where all run on one stream, its number says nothing. */
	op->stream = member->first_stream;
	if (member->n_streams > 1)
		op->stream += step->stream;
	op->cost_us = step->cost_us;
	if (step->type) {
		op->type =
			mp_arena_text(w->arena, step->type, strlen(step->type));
		if (!op->type)
			return false;
	}
	return (op->name = mp_bundle_join_name(w, member, step->name)) !=
		       NULL &&
	       map_tensors(w, member, &inputs, &op->inputs) &&
	       map_tensors(w, member, &step->outputs, &op->outputs) &&
	       map_tensors(w, member, &step->temporaries, &op->temporaries) &&
	       (member->n_streams <= 1 ||
		       map_ops(w, member, &step->before, &op->after)) &&
	       add_pairs(w, member, step, op);
}

/* A step of a graph without ops. */
static bool add_step(
	struct join_work *w, const struct joined *member, uint32_t step)
{
	struct op *op = &w->graph->ops[member->first_op + step];

	op->stream = member->first_stream;
	op->name = mp_arena_print(w->arena, "%s/%lld", member->name,
		(long long)mp_problem_time(member->plan->problem, step));
	w->ops[member->first_op + step] = member->first_op + step;
	return op->name != NULL;
}

bool mp_bundle_join_ops(struct join_work *w, const struct joined *member)
{
	const struct schedule *s = member->plan->schedule;
	bool loops = s->graph->n_loops > 0;
	struct lists reads;

	if (loops && !find_reads(w, s->graph, &reads))
		return false;
	for (uint32_t i = 0; i < member->n_ops; i++) {
		if (s->graph->n_ops == 0) {
			if (!add_step(w, member, i))
				return false;
			continue;
		}
		w->ops[member->first_op + i] = member->first_op + s->order[i];
		if (!add_op(w, member, &s->graph->ops[i],
			    loops ? mp_lists_at(&reads, i)
				  : s->graph->ops[i].inputs,
			    &w->graph->ops[member->first_op + i]))
			return false;
	}
	return true;
}

/* --------------------------------------------------------- barriers */

/* The first or the last op of each stream of a member, in the order in which it
 * was planned; NONE: none. */
static void ends_of(const struct join_work *w, const struct joined *member,
	bool last, uint32_t *ends)
{
	for (uint32_t k = 0; k < w->n_streams; k++)
		ends[k] = NONE;
	for (uint32_t i = 0; i < member->n_ops; i++) {
		uint32_t op = w->ops[member->first_op + i];
		uint32_t *end = &ends[w->graph->ops[op].stream];

		if (last || *end == NONE)
			*end = op;
	}
}

static bool wait_for(
	const struct join_work *w, struct op *op, const uint32_t *last)
{
	uint32_t *list =
		NEW(w->arena, uint32_t, (size_t)op->after.n + w->n_streams);
	uint32_t n = op->after.n;

	if (!list)
		return false;
	if (n > 0)
		memcpy(list, op->after.at, n * sizeof(*list));
	for (uint32_t k = 0; k < w->n_streams; k++)
		if (last[k] != NONE)
			list[n++] = last[k];
	op->after = (struct ids){list, n};
	return true;
}

bool mp_bundle_join_barriers(struct join_work *w)
{
	uint32_t *first = NEW(w->arena, uint32_t, w->n_streams);
	uint32_t *last = NEW(w->arena, uint32_t, w->n_streams);
	const struct joined *before = NULL;

	if (!first || !last)
		return false;
	for (uint32_t i = 0; i < w->n; i++) {
		if (w->members[i].n_ops == 0)
			continue;
		if (before) {
			ends_of(w, before, true, last);
			ends_of(w, &w->members[i], false, first);
		}
		for (uint32_t k = 0; before && k < w->n_streams; k++)
			if (first[k] != NONE &&
				!wait_for(w, &w->graph->ops[first[k]], last))
				return false;
		before = &w->members[i];
	}
	return true;
}
