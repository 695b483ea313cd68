/*
 * In-place pairs of a plan that is read back, and its offsets, which are
 * dropped to plan it again. The plan's lifetimes were shortened where outputs
 * took over the bytes of inputs. Only the offsets show which outputs did.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graph/graph.h"

#include <assert.h>
#include <string.h>

struct takeovers {
	const struct graph *graph;
	const uint32_t *branch; /* of a tensor; NULL: there are none */
};

/* The op reads the input and makes the output, yet the input ends where the
 * output begins, at the same offset. An output of another branch may just lie
 * there. */
static bool took_over(const struct takeovers *t, uint32_t out, uint32_t in)
{
	const struct tensor *output = &t->graph->tensors[out];
	const struct tensor *input = &t->graph->tensors[in];

	if (t->branch && t->branch[out] != t->branch[in])
		return false;
	return output->placed && input->placed && output->pinned &&
	       input->pinned && output->size > 0 && input->size > 0 &&
	       output->offset == input->offset &&
	       output->pools == input->pools && output->start == input->end;
}

/* Makes the lifetimes of an input and the output that took it over overlap, as
 * both hold the bytes while the op runs. */
static void lengthen_lifetime(
	const struct graph *graph, struct tensor *output, struct tensor *input)
{
	if (mp_graph_tensor_rounded(graph, output) >=
		mp_graph_tensor_rounded(graph, input))
		input->end++;
	else
		output->start--;
	assert(input->start < input->end && output->start < output->end);
}

static bool init(
	struct takeovers *t, const struct graph *graph, struct arena *arena)
{
	uint32_t *branch;
	bool fine = mp_graph_ties_number_branches(
		&graph->ties, graph->n_tensors, &branch, arena);

	*t = (struct takeovers){graph, branch};
	return fine;
}

/* One output takes over an input. */
static bool is_taken(
	const struct takeovers *t, const struct op *op, uint32_t input)
{
	for (uint32_t i = 0; i < op->n_inplace; i++)
		if (op->inplace[i].input == input &&
			took_over(t, op->inplace[i].output, input))
			return true;
	return false;
}

static bool add_pair(
	struct op *op, uint32_t output, uint32_t input, struct arena *arena)
{
	uint32_t n = op->n_inplace + op->n_unequal;
	struct inplace_pair *pairs =
		NEW(arena, struct inplace_pair, (size_t)n + 1);

	if (!pairs)
		return false;
	pairs[0] = (struct inplace_pair){output, input};
	if (n > 0)
		memcpy(pairs + 1, op->inplace, n * sizeof(*pairs));
	op->inplace = pairs;
	op->n_inplace++;
	return true;
}

static bool find_pairs(
	const struct takeovers *t, struct op *op, struct arena *arena)
{
	for (uint32_t o = 0; o < op->outputs.n; o++)
		for (uint32_t i = 0; i < op->inputs.n; i++) {
			uint32_t out = op->outputs.at[o];
			uint32_t in = op->inputs.at[i];

			if (took_over(t, out, in) && !is_taken(t, op, in) &&
				!add_pair(op, out, in, arena))
				return false;
		}
	return true;
}

bool mp_graph_find_pairs(struct graph *graph, struct arena *arena)
{
	struct takeovers t;

	assert(graph->claims.present);
	if (!init(&t, graph, arena))
		return false;
	for (uint32_t i = 0; i < graph->n_ops; i++)
		if (!find_pairs(&t, &graph->ops[i], arena))
			return false;
	return true;
}

/* The pairs that a plan has are those that it took. */
static void lengthen_lifetimes(
	struct graph *graph, const struct op *op, const struct takeovers *t)
{
	for (uint32_t i = 0; i < op->n_inplace; i++) {
		struct inplace_pair pair = op->inplace[i];

		if (took_over(t, pair.output, pair.input))
			lengthen_lifetime(graph, &graph->tensors[pair.output],
				&graph->tensors[pair.input]);
	}
}

bool mp_graph_forget_offsets(struct graph *graph, struct arena *arena)
{
	struct takeovers t;

	graph->was_plan = graph->claims.present;
	if (!init(&t, graph, arena))
		return false;
	for (uint32_t i = 0; graph->was_plan && i < graph->n_ops; i++)
		lengthen_lifetimes(graph, &graph->ops[i], &t);
	graph->claims = (struct claims){.order = graph->claims.order,
		.ops = graph->claims.ops,
		.order_bound = graph->claims.order_bound};
	graph->solution = NULL;
	graph->n_buckets = 0;
	for (uint32_t i = 0; i < graph->n_tensors; i++)
		graph->tensors[i].placed = false;
	return true;
}
