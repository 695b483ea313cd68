/* SPDX-License-Identifier: MIT */
#include "problem/buffer-uses.h"

#include "problem/schedule.h"

static void measure(const struct schedule *s, struct buffer_use *uses)
{
	uint32_t padding = s->graph->margins.padding;

	for (uint32_t t = 0; t < s->graph->n_tensors; t++) {
		const struct stay *stay = &s->stay[t];

		if (stay->buffer == NONE)
			continue;
		uses[stay->buffer].bytes = num_max(uses[stay->buffer].bytes,
			stay->base + s->graph->tensors[t].size + padding);
	}
}

/* An op uses some tensors so many times each: it makes them, or reads them if
 * made is NULL. */
static void use(const struct schedule *s, struct buffer_use *uses,
	const struct ids *tensors, uint32_t times, uint32_t *made,
	uint32_t step)
{
	for (uint32_t i = 0; i < tensors->n; i++) {
		uint32_t buffer = s->stay[tensors->at[i]].buffer;

		if (buffer == NONE)
			continue;
		uses[buffer].count += times;
		if (made && uses[buffer].made == 0)
			uses[buffer].made = ++*made;
		if (!made && s->problem.buffers[buffer].end == step + 1)
			uses[buffer].read = i;
	}
}

static void run_ops(const struct schedule *s, struct buffer_use *uses)
{
	uint32_t made = 0;

	for (uint32_t k = 0; k < s->graph->n_ops; k++) {
		const struct op *op = mp_schedule_op(s, k);

		use(s, uses, &op->outputs, 1, &made, k);
		use(s, uses, &op->temporaries, 2, &made, k);
		use(s, uses, &op->inputs, 1, NULL, k);
	}
}

/* Of all buffers of the schedule, or as many of a problem without one. */
static struct buffer_use *use_all(
	const struct schedule *s, uint32_t n, struct arena *arena)
{
	struct buffer_use *uses = NEW(arena, struct buffer_use, n);

	for (uint32_t i = 0; uses && i < n; i++)
		uses[i].read = NONE;
	if (!uses || !s)
		return uses;
	measure(s, uses);
	run_ops(s, uses);
	return uses;
}

bool mp_problem_buffer_uses(
	const struct problem *p, struct buffer_uses *uses, struct arena *arena)
{
	const struct schedule *s = p->schedule;
	uint32_t n = s ? s->problem.n_buffers : p->n_buffers;
	struct buffer_use *all = use_all(s, n, arena), *own = all;

	if (p->whole && all)
		own = NEW(arena, struct buffer_use, p->n_buffers);
	for (uint32_t i = 0; p->whole && own && i < p->n_buffers; i++)
		own[i] = all[p->whole[i]];
	*uses = (struct buffer_uses){own, s ? s->graph->n_ops : 0};
	return own != NULL;
}
