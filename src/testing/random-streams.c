/* SPDX-License-Identifier: MIT */
#include "testing/random-streams.h"

#include <criterion/criterion.h>
#include <string.h>

#include "order/order.h"

uint32_t mp_testing_streams_below(struct crowd *f, uint32_t n)
{
	f->random = f->random * UINT64_C(6364136223846793005) + 1442695041;
	return (uint32_t)(f->random >> 33) % n;
}

/* ---------------------------------------------------------- a graph */

void mp_testing_streams_add(
	struct crowd *f, uint32_t op, enum crowd_list list, uint32_t value)
{
	struct ids *ids[] = {&f->ops[op].inputs, &f->ops[op].outputs,
		&f->ops[op].temporaries, &f->ops[op].after};

	f->lists[op][list][ids[list]->n++] = value;
	ids[list]->at = f->lists[op][list];
}

uint32_t mp_testing_streams_tensor(struct crowd *f, enum tensor_kind kind)
{
	uint32_t t = f->graph.n_tensors++;

	f->tensors[t] = (struct tensor){.name = "t",
		.size = 1 + mp_testing_streams_below(f, 9),
		.kind = (uint8_t)kind};
	return t;
}

/* Op i writes tensor i; some scratch follows. */
static void make_op(struct crowd *f, uint32_t i, bool inplace)
{
	struct op *op = &f->ops[i];

	op->name = "op";
	op->stream = mp_testing_streams_below(f, MOST_STREAMS);
	mp_testing_streams_add(f, i, CROWD_OUTPUTS,
		mp_testing_streams_tensor(f, mp_testing_streams_below(f, 12)
						     ? KIND_ACTIVATION
						     : KIND_OUTPUT));
	for (uint32_t k = 0; k < i; k++) {
		if (mp_testing_streams_below(f, 4) == 0)
			mp_testing_streams_add(f, i, CROWD_INPUTS, k);
		else if (mp_testing_streams_below(f, 8) == 0)
			mp_testing_streams_add(f, i, CROWD_AFTER, k);
	}
	if (inplace && op->inputs.n > 0) {
		f->pairs[i] = (struct inplace_pair){i, op->inputs.at[0]};
		op->inplace = &f->pairs[i];
		op->n_inplace = 1;
	}
}

static void make_graph(struct crowd *f, uint64_t seed, bool inplace)
{
	memset(f, 0, sizeof(*f));
	f->random = seed * 7919;
	f->arena.error = &f->error;
	f->graph = (struct graph){.name = "random",
		.place = "random",
		.alignment = 1,
		.n_ops = 2 + mp_testing_streams_below(f, MOST_OPS - 1),
		.ops = f->ops,
		.tensors = f->tensors};
	for (uint32_t i = 0; i < f->graph.n_ops; i++)
		make_op(f, i, inplace);
	for (uint32_t i = 0; i < f->graph.n_ops; i++)
		if (mp_testing_streams_below(f, 4) == 0)
			mp_testing_streams_add(f, i, CROWD_TEMPORARIES,
				mp_testing_streams_tensor(f, KIND_TEMPORARY));
}

static void close_before(struct crowd *f)
{
	uint32_t n = f->graph.n_ops;

	for (uint32_t b = 0; b < n; b++) {
		for (uint32_t i = 0; i < f->ops[b].inputs.n; i++)
			f->before[f->ops[b].inputs.at[i]][b] = true;
		for (uint32_t i = 0; i < f->ops[b].after.n; i++)
			f->before[f->ops[b].after.at[i]][b] = true;
		for (uint32_t a = 0; a < b; a++)
			if (f->ops[a].stream == f->ops[b].stream)
				f->before[a][b] = true;
	}
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t a = 0; a < n; a++)
			for (uint32_t b = 0; b < n; b++)
				f->before[a][b] |=
					f->before[a][k] && f->before[k][b];
}

void mp_testing_streams_begin(struct crowd *f, uint64_t seed, bool inplace)
{
	struct lifetime_options options = {.inplace = inplace};
	struct order_job job = {.graph = &f->graph,
		.inplace = inplace,
		.arena = &f->arena,
		.error = &f->error};

	make_graph(f, seed, inplace);
	close_before(f);
	cr_assert(mp_graph_link(&f->graph, &f->arena, &f->error), "%s",
		f->error.text);
	cr_assert(mp_order_find("keep")->run(&job, 0), "%s", f->error.text);
	f->order = job.alternatives[0];
	cr_assert(mp_lifetime(&f->graph, f->order, &options, &f->problem,
			  &f->arena, &f->error),
		"%s", f->error.text);
}

/* ------------------------------------------------------ brute force */

bool mp_testing_streams_uses(const struct crowd *f, uint32_t op, uint32_t t)
{
	const struct tensor *tensor = &f->tensors[t];

	if (tensor->producer == op)
		return true;
	for (uint32_t i = 0; i < tensor->readers.n; i++)
		if (tensor->readers.at[i] == op)
			return true;
	return false;
}

static bool precedes(const struct crowd *f, uint32_t a, uint32_t b)
{
	if (f->tensors[a].kind == KIND_OUTPUT)
		return false;
	for (uint32_t op = 0; op < f->graph.n_ops; op++)
		if (mp_testing_streams_uses(f, op, a) &&
			!f->before[op][f->tensors[b].producer])
			return false;
	return true;
}

bool mp_testing_streams_conflict(const struct crowd *f, uint32_t a, uint32_t b)
{
	return !precedes(f, a, b) && !precedes(f, b, a);
}
