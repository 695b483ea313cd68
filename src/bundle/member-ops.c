/*
 * The ops of the parts, with all that refers to tensors and ops counted
 * through.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle/inside.h"

#include <string.h>

/* The items of the list that are in the arena. */
static bool map_items(const struct join_work *w, const struct joined *part,
	const uint32_t *items, uint32_t n, struct ids *ids)
{
	uint32_t *list = NEW(w->arena, uint32_t, n), kept = 0;

	if (!list)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (part->tensor[items[i]] != NONE)
			list[kept++] = part->tensor[items[i]];
	*ids = (struct ids){list, kept};
	return true;
}

static bool map_ops(const struct join_work *w, const struct joined *part,
	const uint32_t *ops, uint32_t n, struct ids *ids)
{
	uint32_t *list = NEW(w->arena, uint32_t, n);

	if (!list)
		return false;
	for (uint32_t i = 0; i < n; i++)
		list[i] = part->first_op + ops[i];
	*ids = (struct ids){list, n};
	return true;
}

static bool check_equal(const struct join_work *w, const struct joined *part,
	const struct item *output, const struct item *input)
{
	const struct problem *p = part->plan->problem;

	return mp_problem_item_rounded(p, output) ==
		       mp_problem_item_rounded(p, input) ||
	       mp_fail(w->error, MEMPLAN_EUSAGE,
		       "%s: tensor '%.80s' takes over the bytes of '%.80s', "
		       "which has another size: not among streams; plan with "
		       "the option inplace set to equal",
		       part->place, mp_problem_item_label(output),
		       mp_problem_item_label(input));
}

/* Where streams run beside each other, disjoint steps do not say that two
 * tensors are one buffer. */
static bool add_pair(const struct join_work *w, const struct joined *part,
	uint32_t output, uint32_t input, struct inplace_pair *pairs,
	struct op *op)
{
	const struct item *items = part->plan->problem->items;

	if (!mp_bundle_joined_takes_over(part, &items[output], &items[input]))
		return true;
	pairs[op->n_inplace++] = (struct inplace_pair){
		part->tensor[output], part->tensor[input]};
	return check_equal(w, part, &items[output], &items[input]);
}

static bool add_pairs(const struct join_work *w, const struct joined *part,
	const struct step *step, struct op *op)
{
	struct inplace_pair *pairs;

	if (w->n_streams <= 1)
		return true;
	pairs = NEW(w->arena, struct inplace_pair,
		(size_t)step->n_outputs * step->n_inputs);
	if (!pairs)
		return false;
	op->inplace = pairs;
	for (uint32_t o = 0; o < step->n_outputs; o++)
		for (uint32_t i = 0; i < step->n_inputs; i++)
			if (!add_pair(w, part, step->outputs[o],
				    step->inputs[i], pairs, op))
				return false;
	return true;
}

static bool add_op(struct join_work *w, const struct joined *part,
	const struct step *step, struct op *op)
{
	/* Where all run on one stream, its number says nothing. */
	op->stream = part->first_stream;
	if (part->n_streams > 1)
		op->stream += step->stream;
	op->cost_us = step->cost_us;
	if (step->type) {
		op->type =
			mp_arena_text(w->arena, step->type, strlen(step->type));
		if (!op->type)
			return false;
	}
	return (op->name = mp_bundle_join_name(w, part, step->name)) != NULL &&
	       map_items(w, part, step->inputs, step->n_inputs, &op->inputs) &&
	       map_items(
		       w, part, step->outputs, step->n_outputs, &op->outputs) &&
	       map_items(w, part, step->temporaries, step->n_temporaries,
		       &op->temporaries) &&
	       map_ops(w, part, step->after, step->n_after, &op->after) &&
	       add_pairs(w, part, step, op);
}

/* A step of a problem without ops. */
static bool add_step(
	struct join_work *w, const struct joined *part, uint32_t step)
{
	struct op *op = &w->graph->ops[part->first_op + step];

	op->stream = part->first_stream;
	op->name = mp_arena_print(w->arena, "%s/%lld", part->name,
		(long long)mp_problem_time(part->plan->problem, step));
	w->ops[part->first_op + step] = part->first_op + step;
	return op->name != NULL;
}

bool mp_bundle_join_ops(struct join_work *w, const struct joined *part)
{
	const struct problem *p = part->plan->problem;

	for (uint32_t i = 0; i < part->n_ops; i++) {
		if (p->n_ops == 0) {
			if (!add_step(w, part, i))
				return false;
			continue;
		}
		w->ops[part->first_op + i] = part->first_op + p->order[i];
		if (!add_op(w, part, &p->ops[i],
			    &w->graph->ops[part->first_op + i]))
			return false;
	}
	return true;
}

/* --------------------------------------------------------- barriers */

/* The first or the last op of each stream of a part, in the order in which it
 * was planned; NONE: none. */
static void ends_of(const struct join_work *w, const struct joined *part,
	bool last, uint32_t *ends)
{
	for (uint32_t k = 0; k < w->n_streams; k++)
		ends[k] = NONE;
	for (uint32_t i = 0; i < part->n_ops; i++) {
		uint32_t op = w->ops[part->first_op + i];
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
		if (w->parts[i].n_ops == 0)
			continue;
		if (before) {
			ends_of(w, before, true, last);
			ends_of(w, &w->parts[i], false, first);
		}
		for (uint32_t k = 0; before && k < w->n_streams; k++)
			if (first[k] != NONE &&
				!wait_for(w, &w->graph->ops[first[k]], last))
				return false;
		before = &w->parts[i];
	}
	return true;
}
