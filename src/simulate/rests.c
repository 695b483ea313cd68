/* SPDX-License-Identifier: MIT */
#include "simulate/rests.h"

struct finder {
	const struct budget_job *job;
	const struct problem *problem;
	struct candidate *at;
	uint32_t n;
	uint32_t *alone; /* of a buffer: its only item; NONE: it has several */
};

static void find_single_items(struct finder *c, uint32_t *count)
{
	const struct problem *p = c->problem;

	for (uint32_t i = 0; i < p->n_buffers; i++)
		c->alone[i] = NONE;
	for (uint32_t i = 0; i < p->n_items; i++)
		if (p->items[i].buffer != NONE) {
			count[p->items[i].buffer]++;
			c->alone[p->items[i].buffer] = i;
		}
	for (uint32_t i = 0; i < p->n_buffers; i++)
		if (count[i] != 1)
			c->alone[i] = NONE;
}

static bool may_leave(const struct problem *p, uint32_t item)
{
	const struct item *t = &p->items[item];
	const struct buffer *b = &p->buffers[t->buffer];

	return t->kind == ITEM_ACTIVATION && b->offset == NO_OFFSET &&
	       b->n_parts == 1;
}

/* May the op run again before that step? All that it reads must be there. */
static bool may_recompute(
	const struct problem *p, const struct step *op, uint32_t step)
{
	if (op->n_outputs != 1)
		return false;
	for (uint32_t i = 0; i < op->n_inputs; i++) {
		const struct item *item = &p->items[op->inputs[i]];

		if (item->buffer != NONE && item->end <= step)
			return false;
	}
	return true;
}

static uint64_t scratch_of(const struct problem *p, const struct step *op)
{
	uint64_t scratch = 0;

	for (uint32_t i = 0; i < op->n_temporaries; i++) {
		uint32_t buffer = p->items[op->temporaries[i]].buffer;

		if (buffer != NONE)
			scratch += p->buffers[buffer].size;
	}
	return scratch;
}

static void add(struct finder *c, uint32_t item, uint32_t last, uint32_t next,
	bool recompute)
{
	const struct problem *p = c->problem;
	struct candidate *new = &c->at[c->n];

	*new = (struct candidate){
		.size = p->buffers[p->items[item].buffer].size,
		.op = p->items[item].producer};
	new->detour = (struct detour){.tensor = item,
		.last_use = last,
		.next_use = next,
		.out_step = last,
		.in_step = next,
		.recompute = recompute};
	if (recompute) {
		new->again = p->ops[new->op].cost_us * 1000;
		new->need = scratch_of(p, &p->ops[new->op]);
	} else {
		new->write =
			mp_copy_time(p->items[item].size, c->job->write_rate);
		new->read =
			mp_copy_time(p->items[item].size, c->job->read_rate);
	}
	c->n++;
}

static void add_rest(
	struct finder *c, uint32_t item, uint32_t last, uint32_t next)
{
	const struct problem *p = c->problem;
	uint32_t op = p->items[item].producer;

	if (c->job->mode != DETOUR_NONE)
		add(c, item, last, next, false);
	if (c->job->recompute && op != NONE &&
		may_recompute(p, &p->ops[op], next))
		add(c, item, last, next, true);
}

static void use(struct finder *c, uint32_t *last, const uint32_t *items,
	uint32_t n, uint32_t step)
{
	const struct problem *p = c->problem;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t buffer = p->items[items[i]].buffer;

		if (buffer == NONE || c->alone[buffer] == NONE ||
			!may_leave(p, items[i]))
			continue;
		if (last[buffer] != NONE && last[buffer] + 1 < step)
			add_rest(c, items[i], last[buffer], step);
		last[buffer] = step;
	}
}

static uint32_t count_reads(const struct problem *p)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n_ops; i++)
		n += p->ops[i].n_inputs;
	return n;
}

bool mp_rests_find(
	const struct budget_job *job, struct candidate **rests, uint32_t *n)
{
	const struct problem *p = job->problem;
	struct arena *arena = job->arena;
	struct finder f = {.job = job, .problem = p};
	uint32_t *last = NEW(arena, uint32_t, p->n_buffers);
	uint32_t *count = NEW(arena, uint32_t, p->n_buffers);

	/* A rest ends with a read, and there are two ways to use it. */
	f.at = NEW(arena, struct candidate, (size_t)count_reads(p) * 2);
	f.alone = NEW(arena, uint32_t, p->n_buffers);
	if (!f.at || !last || !count || !f.alone)
		return false;
	find_single_items(&f, count);
	for (uint32_t i = 0; i < p->n_buffers; i++)
		last[i] = NONE;
	for (uint32_t k = 0; k < p->n_ops; k++) {
		const struct step *op = &p->ops[p->order[k]];

		use(&f, last, op->inputs, op->n_inputs, k);
		use(&f, last, op->outputs, op->n_outputs, k);
	}
	*rests = f.at;
	*n = f.n;
	return true;
}
