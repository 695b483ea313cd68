/*
 * Ops that run again, in a row, so that a tensor is made anew.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "budget/inside.h"

struct search {
	const struct schedule *schedule;
	const uint32_t *place;
	const bool *tied;
	uint32_t step, depth;
	struct chain *chain;
	uint32_t level[DETOUR_OPS]; /* of an op: how many rest on the way */
	bool reached;		    /* an op of the depth asked for */
};

static bool may_remake(const struct search *s, uint32_t tensor)
{
	const struct tensor *t = &s->schedule->graph->tensors[tensor];

	return t->kind == KIND_ACTIVATION && t->producer != NONE &&
	       s->schedule->graph->ops[t->producer].outputs.n == 1 &&
	       !(s->tied && s->tied[tensor]);
}

static bool add_op(struct search *s, uint32_t op, uint32_t level)
{
	struct chain *c = s->chain;

	if (mp_lists_has((struct ids){c->ops, c->n_ops}, op))
		return true;
	if (c->n_ops == DETOUR_OPS)
		return false;
	s->reached |= level == s->depth;
	s->level[c->n_ops] = level;
	c->ops[c->n_ops++] = op;
	return true;
}

static bool add_input(struct search *s, uint32_t tensor, uint32_t level)
{
	const struct schedule *schedule = s->schedule;
	const struct tensor *t = &schedule->graph->tensors[tensor];
	const struct stay *stay = &schedule->stay[tensor];
	const struct op *at = mp_schedule_op(schedule, s->step);
	struct chain *c = s->chain;
	bool alive = stay->end > s->step;

	if (mp_lists_has((struct ids){c->ops, c->n_ops}, t->producer))
		return true; /* made by then */
	if (s->tied && s->tied[tensor])
		return false; /* another may write its bytes */
	if (stay->buffer == NONE)
		return true; /* outside, or empty */
	if (!alive)
		return may_remake(s, tensor) && add_op(s, t->producer, level);
	if (level < s->depth && may_remake(s, tensor) &&
		!mp_lists_has(at->inputs, tensor))
		return add_op(s, t->producer, level + 1);
	if (mp_lists_has((struct ids){c->inputs, c->n_inputs}, tensor))
		return true;
	if (c->n_inputs == CHAIN_INPUTS)
		return false;
	c->inputs[c->n_inputs++] = tensor;
	return true;
}

/* Insertion; there are few. */
static void sort_ops(struct search *s)
{
	uint32_t *ops = s->chain->ops;

	for (uint32_t i = 1; i < s->chain->n_ops; i++)
		for (uint32_t j = i;
			j > 0 && s->place[ops[j]] < s->place[ops[j - 1]]; j--) {
			uint32_t op = ops[j];

			ops[j] = ops[j - 1];
			ops[j - 1] = op;
		}
}

static uint64_t bytes_of(
	const struct schedule *schedule, const struct ids *tensors)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < tensors->n; i++) {
		uint32_t buffer = schedule->stay[tensors->at[i]].buffer;

		if (buffer != NONE)
			bytes += schedule->problem.buffers[buffer].size;
	}
	return bytes;
}

static bool is_read_from(const struct search *s, uint32_t from, uint32_t tensor)
{
	const struct chain *c = s->chain;

	for (uint32_t i = from; i < c->n_ops; i++) {
		const struct op *op = &s->schedule->graph->ops[c->ops[i]];

		if (mp_lists_has(op->inputs, tensor))
			return true;
	}
	return false;
}

/* While one of the ops runs: what it writes and scratches, and what others made
 * that it or a later one reads. The last one writes the tensor itself. */
static uint64_t need_of(const struct search *s, uint32_t which)
{
	const struct schedule *schedule = s->schedule;
	const struct chain *c = s->chain;
	const struct op *op = &schedule->graph->ops[c->ops[which]];
	uint64_t need = bytes_of(schedule, &op->temporaries);

	for (uint32_t i = 0; i < which; i++) {
		const struct op *other = &schedule->graph->ops[c->ops[i]];

		if (is_read_from(s, which, other->outputs.at[0]))
			need += bytes_of(schedule, &other->outputs);
	}
	if (which + 1 < c->n_ops)
		need += bytes_of(schedule, &op->outputs);
	return need;
}

static void measure(struct search *s)
{
	struct chain *c = s->chain;

	c->nanoseconds = c->need = 0;
	for (uint32_t i = 0; i < c->n_ops; i++) {
		c->nanoseconds +=
			s->schedule->graph->ops[c->ops[i]].cost_us * 1000;
		c->need = num_max(c->need, need_of(s, i));
	}
}

bool mp_budget_recompute_find(const struct schedule *schedule,
	const uint32_t *place, const bool *tied, uint32_t tensor, uint32_t step,
	uint32_t depth, struct chain *chain)
{
	struct search s = {.schedule = schedule,
		.place = place,
		.tied = tied,
		.step = step,
		.depth = depth,
		.chain = chain};

	assert(depth <= CHAIN_DEPTH && step < schedule->problem.n_steps);
	chain->n_ops = chain->n_inputs = 0;
	if (!may_remake(&s, tensor) ||
		!add_op(&s, schedule->graph->tensors[tensor].producer, 0))
		return false;
	for (uint32_t i = 0; i < chain->n_ops; i++) {
		const struct op *op = &schedule->graph->ops[chain->ops[i]];

		for (uint32_t j = 0; j < op->inputs.n; j++)
			if (!add_input(&s, op->inputs.at[j], s.level[i]))
				return false;
	}
	sort_ops(&s);
	measure(&s);
	return s.reached;
}
