/*
 * Models of TensorFlow Lite may leave offsets to TFLM, which finds them when it
 * starts. To check such a model, memplan finds some around those that it has;
 * to plan it as it is, memplan does what TFLM does.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

/* How many tensors need an offset, and how many of these have one. */
static void count_offsets(
	const struct graph *graph, uint32_t *needed, uint32_t *given)
{
	*needed = *given = 0;
	for (uint32_t t = 0; t < graph->n_tensors; t++) {
		const struct tensor *tensor = &graph->tensors[t];
		bool needs = !tensor->external && tensor->size > 0 &&
			     !mp_graph_ties_alias(&graph->ties, t);

		*needed += needs;
		*given += needs && tensor->placed;
	}
}

bool mp_street_complete_model(memplan *m, struct run *run)
{
	const struct graph *graph = run->graph;
	uint32_t needed, given;

	count_offsets(graph, &needed, &given);
	if (!graph->tflite || given == needed)
		return true;
	if (given == 0)
		return mp_fail(&m->error, MEMPLAN_EINPUT,
			"%s: the model has no offsets to check: memplan plan "
			"makes them",
			graph->place);
	mp_warn(&m->error,
		"%s: %u of %u tensors have no offset in the model: checked "
		"with places that memplan found around the others",
		graph->place, needed - given, needed);
	run->planner = mp_planner_find("auto");
	return true;
}

bool mp_street_plan_like_tflm(memplan *m, struct run *run)
{
	struct graph *copy;
	uint32_t needed, given;

	if (run->planner != mp_planner_find("given") || m->joined)
		return true;
	if (!mp_street_load(m, run))
		return false;
	count_offsets(run->graph, &needed, &given);
	if (!run->graph->tflite || given == needed)
		return true;
	copy = mp_street_copy_graph(m, run->graph);
	if (!copy)
		return false;
	for (uint32_t i = 0; i < copy->n_ops; i++)
		copy->ops[i].n_inplace = copy->ops[i].n_unequal = 0;
	mp_warn(&m->error,
		"%s: %u of %u tensors have no offset in the model: placed as "
		"TFLM does when it starts, by planner 'tflm-greedy'",
		copy->place, needed - given, needed);
	run->graph = copy;
	run->planner = mp_planner_find("tflm-greedy");
	return true;
}
