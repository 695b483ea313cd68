/*
 * Options that change the graph that was read.
 *
 * SPDX-License-Identifier: MIT
 */
#include "handle.h"

#include "policy.h"

static bool keep_equal_pairs(memplan *m, struct op *op)
{
	const struct tensor *tensors = m->graph.tensors;
	struct inplace_pair *pairs =
		NEW(&m->arena, struct inplace_pair, op->n_inplace);
	uint32_t n = 0;

	if (!pairs)
		return false;
	for (uint32_t i = 0; i < op->n_inplace; i++)
		if (mp_tensor_rounded(
			    &m->graph, &tensors[op->inplace[i].output]) ==
			mp_tensor_rounded(
				&m->graph, &tensors[op->inplace[i].input]))
			pairs[n++] = op->inplace[i];
	op->inplace = pairs;
	op->n_inplace = n;
	return true;
}

bool mp_apply_options(memplan *m)
{
	uint64_t align = m->options.align;

	if (align != 0 && align != m->graph.alignment) {
		m->graph.alignment = align;
		if (!mp_graph_link(&m->graph, &m->arena, &m->error))
			return false;
	}
	for (uint32_t i = 0; m->options.equal && i < m->graph.n_ops; i++)
		if (m->graph.ops[i].n_inplace > 0 &&
			!keep_equal_pairs(m, &m->graph.ops[i]))
			return false;
	return true;
}

bool mp_apply_policies(memplan *m)
{
	if (m->options.inputs != N_POLICIES)
		m->graph.inputs = m->options.inputs;
	if (m->options.outputs != N_POLICIES)
		m->graph.outputs = m->options.outputs;
	return mp_graph_apply_policies(&m->graph, &m->arena, &m->error);
}
