/* SPDX-License-Identifier: MIT */
#include "adopt.h"

#include "names.h"

static bool index_tensors(
	const struct graph *plan, struct names *names, struct arena *arena)
{
	if (!mp_names_init(names, plan->n_tensors, arena))
		return false;
	for (uint32_t t = 0; t < plan->n_tensors; t++)
		if (plan->tensors[t].id)
			mp_names_add(names, plan->tensors[t].id, t);
	return true;
}

static bool adopt_tensor(struct tensor *tensor, const struct graph *plan,
	uint32_t match, struct error *e)
{
	const struct tensor *placed;

	if (match == NONE)
		return mp_fail(e, MEMPLAN_NO,
			"%s: no offset for tensor '%.80s' of the graph",
			plan->place, mp_tensor_label(tensor));
	placed = &plan->tensors[match];
	if (placed->size != tensor->size)
		return mp_fail(e, MEMPLAN_NO,
			"%s: tensor '%.80s' has %llu bytes, in the graph %llu",
			plan->place, mp_tensor_label(tensor),
			(unsigned long long)placed->size,
			(unsigned long long)tensor->size);
	if (!placed->placed)
		return mp_fail(e, MEMPLAN_NO,
			"%s: tensor '%.80s' has no offset", plan->place,
			mp_tensor_label(tensor));
	tensor->placed = true;
	tensor->offset = placed->offset;
	return true;
}

static bool adopt_tensors(struct graph *graph, const struct graph *plan,
	const struct names *names, bool *used, struct error *e)
{
	for (uint32_t t = 0; t < graph->n_tensors; t++) {
		struct tensor *tensor = &graph->tensors[t];
		uint32_t match = NONE;

		if (tensor->id)
			match = mp_names_find(names, tensor->id);
		if (tensor->external && match == NONE)
			continue;
		if (!adopt_tensor(tensor, plan, match, e))
			return false;
		used[match] = true;
	}
	for (uint32_t t = 0; t < plan->n_tensors; t++)
		if (!used[t])
			return mp_fail(e, MEMPLAN_NO,
				"%s: tensor '%.80s' is not in the graph",
				plan->place,
				mp_tensor_label(&plan->tensors[t]));
	return true;
}

static bool adopt_order(struct graph *graph, const struct graph *plan,
	struct arena *arena, struct error *e)
{
	const struct ids *ops = &plan->claims.ops;

	graph->claims = plan->claims;
	if (ops->n != graph->n_ops)
		return mp_fail(e, MEMPLAN_NO,
			"%s: /order/ops has %u ops, the graph %u", plan->place,
			ops->n, graph->n_ops);
	if (ops->n > 0 && !mp_graph_is_order(graph, ops->at, arena))
		return mp_fail(e, MEMPLAN_NO,
			"%s: /order/ops breaks a dependence of the graph",
			plan->place);
	return true;
}

/* Sizes would differ by more than a reader can see. */
static bool compare_margins(
	const struct graph *graph, const struct graph *plan, struct error *e)
{
	uint32_t wanted = graph->margins.padding, got = plan->margins.padding;
	const char *target = plan->margins.target;

	if (wanted == got)
		return true;
	return mp_fail(e, MEMPLAN_NO,
		"%s: /padding: the plan has %u bytes behind every tensor, the "
		"graph %u; '--target %.40s' says what both are for",
		plan->place, got, wanted, target ? target : "NAME");
}

bool mp_adopt(struct graph *graph, const struct graph *plan,
	struct arena *arena, struct error *e)
{
	struct names names;
	bool *used = NEW(arena, bool, plan->n_tensors);

	return used && compare_margins(graph, plan, e) &&
	       index_tensors(plan, &names, arena) &&
	       adopt_tensors(graph, plan, &names, used, e) &&
	       adopt_order(graph, plan, arena, e);
}
