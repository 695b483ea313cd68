/*
 * What bounds the orders of a graph, as text: the bytes of tensors, which ops
 * they are alive between, which ops wait for each other.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "base/sink-text.h"
#include "order/search/certificate.h"
#include "proof/inside.h"

uint32_t *mp_proof_number_tensors(
	const struct graph *graph, uint32_t *n, struct arena *arena)
{
	uint32_t *number = NEW(arena, uint32_t, graph->n_tensors);

	*n = 0;
	for (uint32_t t = 0; number && t < graph->n_tensors; t++) {
		const struct tensor *tensor = &graph->tensors[t];

		number[t] =
			tensor->external || tensor->size == 0 ? NONE : (*n)++;
	}
	return number;
}

static bool has_bytes(const struct graph *graph, uint32_t t)
{
	return mp_order_certificate_bytes(graph, &graph->tensors[t]) > 0;
}

static void write_tensor(struct sink *sink, const struct graph *graph,
	uint32_t t, uint32_t number)
{
	const struct tensor *tensor = &graph->tensors[t];
	struct ids readers = mp_graph_readers(graph, tensor);

	mp_sink_print(sink, "tensor %u %" PRIu64, number,
		mp_order_certificate_bytes(graph, tensor));
	if (mp_order_certificate_is_given(tensor))
		mp_sink_text(sink, " -1");
	else
		mp_sink_print(sink, " %u", tensor->producer);
	mp_sink_print(sink, " %d", mp_order_certificate_is_kept(tensor));
	for (uint32_t i = 0; i < readers.n; i++)
		mp_sink_print(sink, " %u", readers.at[i]);
	if (readers.n == 0 && tensor->producer != NONE &&
		mp_order_certificate_uses(graph, tensor, tensor->producer))
		mp_sink_print(sink, " %u", tensor->producer);
	mp_sink_text(sink, "\n");
}

static void write_pairs(struct sink *sink, const struct graph *graph,
	const struct order_bound *claim, uint32_t op, const uint32_t *number)
{
	const struct op *at = &graph->ops[op];

	for (uint32_t i = 0; i < at->n_inplace; i++) {
		const struct inplace_pair *pair = &at->inplace[i];

		if (mp_order_certificate_is_pair(graph, claim, op, pair))
			mp_sink_print(sink, "pair %u %u\n",
				number[pair->output], number[pair->input]);
	}
}

/* The ops that an op waits for, though no tensor above says so. shown: scratch,
 * the op + 1 for which a tensor of an op was seen last. */
static void write_waits(struct sink *sink, const struct graph *graph,
	uint32_t op, uint32_t *shown)
{
	const struct op *at = &graph->ops[op];
	uint32_t n = 0;

	for (uint32_t i = 0; i < at->inputs.n; i++) {
		uint32_t t = at->inputs.at[i];

		if (has_bytes(graph, t) &&
			!mp_order_certificate_is_given(&graph->tensors[t]))
			shown[graph->tensors[t].producer] = op + 1;
	}
	for (uint32_t i = 0; i < at->before.n; i++) {
		if (shown[at->before.at[i]] == op + 1)
			continue;
		if (n++ == 0)
			mp_sink_print(sink, "wait %u", op);
		mp_sink_print(sink, " %u", at->before.at[i]);
	}
	if (n > 0)
		mp_sink_text(sink, "\n");
}

void mp_proof_order_problem(const struct graph *graph,
	const struct order_bound *claim, const uint32_t *number,
	struct sink *sink, struct arena *scratch)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	uint32_t *shown = NEW(scratch, uint32_t, graph->n_ops);

	mp_sink_print(sink, "order %u\n", graph->n_ops);
	for (uint32_t t = 0; t < graph->n_tensors; t++)
		if (has_bytes(graph, t))
			write_tensor(sink, graph, t, number[t]);
	for (uint32_t op = 0; op < graph->n_ops; op++)
		write_pairs(sink, graph, claim, op, number);
	for (uint32_t op = 0; shown && op < graph->n_ops; op++)
		write_waits(sink, graph, op, shown);
	mp_sink_text(sink, "end\n");
	mp_arena_rewind(scratch, mark);
}
