/*
 * Options that change the graph that was read.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include "graph/io-policy.h"

static bool is_equal(const memplan *m, const struct inplace_pair *pair)
{
	const struct tensor *tensors = m->graph.tensors;

	return mp_graph_tensor_rounded(&m->graph, &tensors[pair->output]) ==
	       mp_graph_tensor_rounded(&m->graph, &tensors[pair->input]);
}

/* The others stay known, behind those that count. */
static bool keep_equal_pairs(memplan *m, struct op *op)
{
	uint32_t n = op->n_inplace + op->n_unequal, front = 0, back = n;
	struct inplace_pair *pairs = NEW(&m->arena, struct inplace_pair, n);

	if (!pairs)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (is_equal(m, &op->inplace[i]))
			pairs[front++] = op->inplace[i];
		else
			pairs[--back] = op->inplace[i];
	op->inplace = pairs;
	op->n_inplace = front;
	op->n_unequal = n - front;
	return true;
}

/* No pool is aligned to less than the graph. */
static bool align_pools(memplan *m, uint64_t align)
{
	struct memory_pool *pools =
		NEW(&m->arena, struct memory_pool, m->graph.n_pools);

	for (uint32_t i = 0; pools && i < m->graph.n_pools; i++) {
		pools[i] = m->graph.pools[i];
		pools[i].alignment = num_max(pools[i].alignment, align);
		if ((pools[i].capacity != NO_CAPACITY &&
			    pools[i].capacity % align != 0) ||
			pools[i].chunk % align != 0)
			return mp_fail(&m->error, MEMPLAN_EINPUT,
				"%s: the size of pool '%.60s' is not a "
				"multiple of the alignment %llu",
				m->graph.place, pools[i].name,
				(unsigned long long)align);
	}
	m->graph.pools = m->graph.n_pools ? pools : NULL;
	return pools != NULL;
}

bool mp_street_apply_options(memplan *m)
{
	uint64_t align = m->options.align;

	if (align != 0 && align != m->graph.alignment) {
		m->graph.alignment = align;
		if (!align_pools(m, align) ||
			!mp_graph_link(&m->graph, &m->arena, &m->error))
			return false;
	}
	for (uint32_t i = 0; m->options.equal && i < m->graph.n_ops; i++)
		if (m->graph.ops[i].inplace &&
			!keep_equal_pairs(m, &m->graph.ops[i]))
			return false;
	return true;
}

bool mp_street_apply_policies(memplan *m)
{
	if (m->options.inputs != N_POLICIES)
		m->graph.inputs = m->options.inputs;
	if (m->options.outputs != N_POLICIES)
		m->graph.outputs = m->options.outputs;
	return mp_graph_apply_policies(&m->graph, &m->arena, &m->error);
}
