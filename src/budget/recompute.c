/* SPDX-License-Identifier: MIT */
#include "budget/recompute.h"

struct search {
	const struct problem *problem;
	const uint32_t *place;
	const bool *tied;
	uint32_t step, depth;
	struct chain *chain;
	uint32_t level[DETOUR_OPS]; /* of an op: how many rest on the way */
	bool reached;		    /* an op of the depth asked for */
};

static bool lists(const uint32_t *at, uint32_t n, uint32_t one)
{
	for (uint32_t i = 0; i < n; i++)
		if (at[i] == one)
			return true;
	return false;
}

static bool may_remake(const struct search *s, uint32_t item)
{
	const struct item *t = &s->problem->items[item];

	return t->kind == ITEM_ACTIVATION && t->producer != NONE &&
	       s->problem->ops[t->producer].n_outputs == 1 &&
	       !(s->tied && s->tied[item]);
}

static bool add_op(struct search *s, uint32_t op, uint32_t level)
{
	struct chain *c = s->chain;

	if (lists(c->ops, c->n_ops, op))
		return true;
	if (c->n_ops == DETOUR_OPS)
		return false;
	s->reached |= level == s->depth;
	s->level[c->n_ops] = level;
	c->ops[c->n_ops++] = op;
	return true;
}

static bool add_input(struct search *s, uint32_t item, uint32_t level)
{
	const struct problem *p = s->problem;
	const struct item *t = &p->items[item];
	const struct step *at = &p->ops[p->order[s->step]];
	struct chain *c = s->chain;
	bool alive = t->end > s->step;

	if (t->buffer == NONE || lists(c->ops, c->n_ops, t->producer))
		return true; /* outside, or empty, or made by then */
	if (s->tied && s->tied[item])
		return false; /* another may write its bytes */
	if (!alive)
		return may_remake(s, item) && add_op(s, t->producer, level);
	if (level < s->depth && may_remake(s, item) &&
		!lists(at->inputs, at->n_inputs, item))
		return add_op(s, t->producer, level + 1);
	if (lists(c->inputs, c->n_inputs, item))
		return true;
	if (c->n_inputs == CHAIN_INPUTS)
		return false;
	c->inputs[c->n_inputs++] = item;
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
	const struct problem *p, const uint32_t *items, uint32_t n)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t buffer = p->items[items[i]].buffer;

		if (buffer != NONE)
			bytes += p->buffers[buffer].size;
	}
	return bytes;
}

static bool is_read_from(const struct search *s, uint32_t from, uint32_t item)
{
	const struct chain *c = s->chain;

	for (uint32_t i = from; i < c->n_ops; i++) {
		const struct step *op = &s->problem->ops[c->ops[i]];

		if (lists(op->inputs, op->n_inputs, item))
			return true;
	}
	return false;
}

/* While one of the ops runs: what it writes and scratches, and what others made
 * that it or a later one reads. The last one writes the item itself. */
static uint64_t need_of(const struct search *s, uint32_t which)
{
	const struct problem *p = s->problem;
	const struct chain *c = s->chain;
	const struct step *op = &p->ops[c->ops[which]];
	uint64_t need = bytes_of(p, op->temporaries, op->n_temporaries);

	for (uint32_t i = 0; i < which; i++) {
		const struct step *other = &p->ops[c->ops[i]];

		if (is_read_from(s, which, other->outputs[0]))
			need += bytes_of(p, other->outputs, 1);
	}
	if (which + 1 < c->n_ops)
		need += bytes_of(p, op->outputs, 1);
	return need;
}

static void measure(struct search *s)
{
	struct chain *c = s->chain;

	c->nanoseconds = c->need = 0;
	for (uint32_t i = 0; i < c->n_ops; i++) {
		c->nanoseconds += s->problem->ops[c->ops[i]].cost_us * 1000;
		c->need = num_max(c->need, need_of(s, i));
	}
}

bool mp_budget_recompute_find(const struct problem *problem,
	const uint32_t *place, const bool *tied, uint32_t item, uint32_t step,
	uint32_t depth, struct chain *chain)
{
	struct search s = {.problem = problem,
		.place = place,
		.tied = tied,
		.step = step,
		.depth = depth,
		.chain = chain};

	chain->n_ops = chain->n_inputs = 0;
	if (!may_remake(&s, item) ||
		!add_op(&s, problem->items[item].producer, 0))
		return false;
	for (uint32_t i = 0; i < chain->n_ops; i++) {
		const struct step *op = &problem->ops[chain->ops[i]];

		for (uint32_t j = 0; j < op->n_inputs; j++)
			if (!add_input(&s, op->inputs[j], s.level[i]))
				return false;
	}
	sort_ops(&s);
	measure(&s);
	return s.reached;
}
