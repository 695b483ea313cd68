/*
 * Where tensors rest between two uses, and what it would cost to use that.
 *
 * SPDX-License-Identifier: MIT
 */
#include "budget/inside.h"

#include <assert.h>

struct finder {
	const struct budget_job *job;
	const struct schedule *schedule;
	struct candidate *at;
	uint32_t n;
	uint32_t *place; /* of an op: its step */
	uint32_t *last;	 /* of a tensor: step of its last use so far, or NONE */
};

/* A tensor that shares bytes in place leaves alone: its bytes are its own
 * from when it takes them over until it is taken over. */
static bool may_leave(const struct finder *c, uint32_t tensor)
{
	const struct schedule *s = c->schedule;
	const struct tensor *t = &s->graph->tensors[tensor];
	const struct stay *stay = &s->stay[tensor];

	return t->kind == KIND_ACTIVATION && stay->buffer != NONE &&
	       s->problem.buffers[stay->buffer].offset == NO_OFFSET &&
	       !(c->job->tied && c->job->tied[tensor]);
}

/* What takes over from a larger tensor does so behind its op; without a use
 * behind that it would not take over. */
static bool may_recompute(
	const struct finder *c, uint32_t tensor, uint32_t last)
{
	const struct schedule *s = c->schedule;
	const struct tensor *t = &s->graph->tensors[tensor];
	const struct stay *stay = &s->stay[tensor];

	return t->producer != NONE &&
	       (stay->start == c->place[t->producer] || last >= stay->start);
}

static struct candidate *add(
	struct finder *c, uint32_t tensor, uint32_t last, uint32_t next)
{
	const struct schedule *s = c->schedule;
	struct candidate *made = &c->at[c->n++];

	assert(last + 1 < next);
	*made = (struct candidate){.size = mp_graph_tensor_rounded(s->graph,
					   &s->graph->tensors[tensor])};
	made->detour = (struct detour){.tensor = tensor,
		.last_use = last,
		.next_use = next,
		.out_step = last,
		.in_step = next};
	return made;
}

static bool add_again(struct finder *c, uint32_t tensor, uint32_t last,
	uint32_t next, const struct chain *chain)
{
	struct candidate *made = add(c, tensor, last, next);
	struct arena *arena = c->job->arena;

	made->detour.recompute = true;
	made->detour.ops = mp_arena_copy(
		arena, chain->ops, chain->n_ops, sizeof(*chain->ops));
	made->detour.n_ops = chain->n_ops;
	made->inputs = mp_arena_copy(
		arena, chain->inputs, chain->n_inputs, sizeof(*chain->inputs));
	made->n_inputs = chain->n_inputs;
	made->again = chain->nanoseconds;
	made->need = chain->need;
	return made->detour.ops && made->inputs;
}

static bool add_rest(
	struct finder *c, uint32_t tensor, uint32_t last, uint32_t next)
{
	bool again = c->job->recompute && may_recompute(c, tensor, last);
	uint64_t bytes = c->schedule->graph->tensors[tensor].size;
	struct candidate *copy;
	struct chain chain;

	if (c->job->mode != DETOUR_NONE) {
		copy = add(c, tensor, last, next);
		copy->write = num_copy_time(bytes, c->job->write_rate);
		copy->read = num_copy_time(bytes, c->job->read_rate);
	}
	for (uint32_t depth = 0; again && depth <= CHAIN_DEPTH; depth++)
		if (mp_budget_recompute_find(c->schedule, c->place,
			    c->job->tied, tensor, next, depth, &chain) &&
			!add_again(c, tensor, last, next, &chain))
			return false;
	return true;
}

static bool use(struct finder *c, const struct ids *tensors, uint32_t step)
{
	for (uint32_t i = 0; i < tensors->n; i++) {
		uint32_t tensor = tensors->at[i];
		uint32_t *last = &c->last[tensor];

		if (!may_leave(c, tensor))
			continue;
		if (*last != NONE && *last + 1 < step &&
			!add_rest(c, tensor, *last, step))
			return false;
		*last = step;
	}
	return true;
}

bool mp_budget_rests_find(
	const struct budget_job *job, struct candidate **rests, uint32_t *n)
{
	const struct schedule *s = job->schedule;
	struct arena *arena = job->arena;
	size_t ways = job->recompute ? CHAIN_DEPTH + 2 : 1;
	struct finder f = {.job = job, .schedule = s};
	size_t n_reads = 0;

	for (uint32_t i = 0; i < s->graph->n_ops; i++)
		n_reads += s->graph->ops[i].inputs.n;
	/* A rest ends with a read, and there are several ways to use it. */
	f.at = NEW(arena, struct candidate, n_reads * ways);
	f.place = NEW(arena, uint32_t, s->graph->n_ops);
	f.last = NEW(arena, uint32_t, s->graph->n_tensors);
	if (!f.at || !f.place || !f.last)
		return false;
	for (uint32_t k = 0; k < s->graph->n_ops; k++)
		f.place[s->order[k]] = k;
	for (uint32_t i = 0; i < s->graph->n_tensors; i++)
		f.last[i] = NONE;
	for (uint32_t k = 0; k < s->graph->n_ops; k++) {
		const struct op *op = &s->graph->ops[s->order[k]];

		if (!use(&f, &op->inputs, k) || !use(&f, &op->outputs, k))
			return false;
	}
	*rests = f.at;
	*n = f.n;
	return true;
}
