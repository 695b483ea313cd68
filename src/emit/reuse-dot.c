/*
 * reuse-dot: which tensor overwrites which, as a graph for Graphviz. Grey edges
 * follow from the graph's own, black ones from the order of a stream, dashed
 * ones from lifetimes alone; red ones cross streams, and bold red ones are
 * hazards.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "base/sink-text.h"
#include "emit/rows.h"
#include "problem/reuse-edges.h"

enum {
	NAME = 40 /* characters of a name */
};

/* Graphviz reads entities in labels: what is more than a letter becomes one. */
static void name(struct sink *sink, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789 _.-/:";
	uint32_t point = 0;

	for (uint32_t i = 0; i < NAME && (point = mp_text_next(&text)); i++) {
		char letter = (char)point;

		if (point < 0x80 && strchr(plain, letter))
			mp_sink_write(sink, &letter, 1);
		else if (mp_text_is_unprintable(point))
			mp_sink_text(sink, "?");
		else
			mp_sink_print(sink, "&#%u;", point);
	}
	if (point && mp_text_next(&text))
		mp_sink_text(sink, "...");
}

static const char *look(const struct reuse *reuse)
{
	if (reuse->order == REUSE_HAZARD)
		return "color=red, style=bold";
	if (reuse->crosses)
		return "color=red";
	switch (reuse->order) {
	case REUSE_EDGES:
		return "color=gray";
	case REUSE_LIFETIMES:
		return "style=dashed";
	case REUSE_STREAMS:
	case REUSE_HAZARD:
		break;
	}
	return "color=black";
}

static void node(struct sink *sink, const struct plan *plan, uint32_t index)
{
	const struct tensor *tensor = &plan->schedule->graph->tensors[index];
	unsigned long long low = mp_plan_offset(plan, index);

	assert(index < plan->schedule->graph->n_tensors);
	mp_sink_print(sink, "  t%u [label=\"", index);
	name(sink, mp_graph_tensor_label(tensor));
	mp_sink_print(sink, "\\n[%llu, %llu)\"];\n", low,
		low + (unsigned long long)tensor->size);
}

static void nodes_of(struct sink *sink, const struct plan *plan,
	const bool *wanted, uint32_t space)
{
	for (uint32_t i = 0; i < plan->schedule->graph->n_tensors; i++)
		if (wanted[i] && mp_plan_space(plan, i) == space)
			node(sink, plan, i);
}

/* A box around what lies in one pool; of a pool without any none. */
static void cluster(struct sink *sink, const struct plan *plan,
	const bool *wanted, uint32_t space)
{
	assert(space < plan->spaces.n && plan->spaces.at);
	mp_sink_print(sink, "  subgraph cluster_%u {\n  label=\"", space);
	name(sink, plan->spaces.at[space].name);
	mp_sink_text(sink, "\";\n");
	nodes_of(sink, plan, wanted, space);
	mp_sink_text(sink, "  }\n");
}

static bool nodes(struct sink *sink, const struct plan *plan,
	const struct reuses *reuses, struct arena *scratch)
{
	bool *wanted = NEW(scratch, bool, plan->schedule->graph->n_tensors);
	bool *has = NEW(scratch, bool, mp_plan_memories(plan));

	if (!wanted || !has)
		return false;
	for (uint32_t i = 0; i < reuses->n; i++) {
		wanted[reuses->at[i].old] = wanted[reuses->at[i].next] = true;
		has[reuses->at[i].space] = true;
	}
	if (!plan->spaces.at)
		nodes_of(sink, plan, wanted, 0);
	for (uint32_t i = 0; i < plan->spaces.n; i++)
		if (has[i])
			cluster(sink, plan, wanted, i);
	return true;
}

/* Which ops must have run before which. */
static void sequence(
	struct sink *sink, const struct schedule *s, const struct reuse *reuse)
{
	if (reuse->n_last == 0 || reuse->first == NONE)
		return;
	mp_sink_text(sink, "\\n");
	for (uint32_t i = 0; i < reuse->n_last; i++) {
		mp_sink_text(sink, i > 0 ? ", " : "");
		name(sink, s->graph->ops[s->order[reuse->last[i]]].name);
	}
	mp_sink_text(sink, " before ");
	name(sink, s->graph->ops[s->order[reuse->first]].name);
}

static void edge(
	struct sink *sink, const struct schedule *s, const struct reuse *reuse)
{
	assert(reuse->bytes > 0 && reuse->old != reuse->next);
	mp_sink_print(sink, "  t%u -> t%u [%s, label=\"%llu bytes", reuse->old,
		reuse->next, look(reuse), (unsigned long long)reuse->bytes);
	sequence(sink, s, reuse);
	if (reuse->order == REUSE_HAZARD)
		mp_sink_text(sink, "\\nhazard");
	mp_sink_text(sink, "\"];\n");
}

void mp_emit_reuse_dot(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	const struct plan *plan = results->plan;
	struct reuses reuses;

	if (!mp_problem_reuse_find(plan, &reuses, scratch) ||
		!mp_problem_reuse_search(&reuses, scratch))
		return;
	mp_sink_text(sink, "digraph reuse {\n  rankdir=LR;\n"
			   "  node [shape=box];\n");
	if (!nodes(sink, plan, &reuses, scratch))
		return;
	for (uint32_t i = 0; i < reuses.n; i++)
		edge(sink, plan->schedule, &reuses.at[i]);
	mp_sink_text(sink, "}\n");
}
