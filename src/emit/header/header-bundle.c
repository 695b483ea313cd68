/*
 * The header of a bundle: one arena, and for every graph what a header of its
 * own would have. Steps are those of the graph, from 0.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "base/sink-text.h"
#include "emit/header/header.h"

/* A member as if it were a plan of its own. */
struct view {
	struct header header;
	struct graph graph;
	struct schedule schedule;
	struct plan plan;
	struct extent shared, kept;
	uint32_t first_step;
};

/* ------------------------------------------------------------- view */

/* Behind "member/", if it begins so. */
static const char *own_name(const char *name, const char *member)
{
	size_t length = strlen(member);

	if (!name || strncmp(name, member, length) != 0 || name[length] != '/')
		return name;
	return name + length + 1;
}

static uint32_t own_step(uint32_t step, const struct view *view)
{
	if (step <= view->first_step)
		return 0;
	step -= view->first_step;
	return step < view->schedule.problem.n_steps
		       ? step
		       : view->schedule.problem.n_steps;
}

/* From that tensor of the whole on. */
static bool view_tensors(struct view *view, const struct schedule *whole,
	uint32_t first, struct arena *scratch)
{
	struct graph *graph = &view->graph;
	struct stay *stay = NEW(scratch, struct stay, graph->n_tensors);

	graph->tensors = NEW(scratch, struct tensor, graph->n_tensors);
	if (!graph->tensors || !stay)
		return false;
	for (uint32_t i = 0; i < graph->n_tensors; i++) {
		struct tensor *own = &graph->tensors[i];

		*own = whole->graph->tensors[first + i];
		own->name = own_name(own->name, graph->name);
		own->id = own_name(own->id, graph->name);
		stay[i] = whole->stay[first + i];
		stay[i].start = own_step(stay[i].start, view);
		stay[i].end = own_step(stay[i].end, view);
	}
	view->schedule.stay = stay;
	return true;
}

static bool view_member(struct view *view, const struct header *whole,
	uint32_t member, struct arena *scratch)
{
	const struct schedule *s = whole->schedule;
	const struct bundle_member *members = s->graph->bundle.members;
	uint32_t first_tensor = 0, first_step = 0;

	assert(member < s->graph->bundle.n);
	for (uint32_t i = 0; i < member; i++) {
		first_tensor += members[i].n_tensors;
		first_step += members[i].n_ops;
	}
	*view = (struct view){.graph = *s->graph,
		.schedule = *s,
		.plan = *whole->plan,
		.first_step = first_step};
	view->graph.name = members[member].name;
	view->graph.n_tensors = members[member].n_tensors;
	view->schedule.graph = &view->graph;
	view->schedule.problem.n_steps = members[member].n_ops;
	view->plan.problem = &view->schedule.problem;
	view->plan.schedule = &view->schedule;
	view->header = (struct header){.plan = &view->plan,
		.schedule = &view->schedule,
		.sink = whole->sink,
		.first_tensor = first_tensor,
		.names = whole->names,
		.changes = whole->changes};
	mp_plan_regions(whole->plan, member, &view->shared, &view->kept);
	return view_tensors(view, s, first_tensor, scratch) &&
	       mp_emit_header_prepare(&view->header, scratch);
}

/* ------------------------------------------------------------ names */

/* Could a macro of the one be a macro of the other? */
static bool may_clash(const char *a, const char *b)
{
	static const char *const words[] = {
		"_OFFSET_", "_SIZE_", "_TENSOR_", "_GRAPH_"};
	size_t length = strlen(a);

	if (strncmp(a, b, length) != 0)
		return false;
	if (b[length] == '\0')
		return true;
	for (size_t i = 0; i < countof(words); i++)
		if (strncmp(b + length, words[i], strlen(words[i]) - 1) == 0)
			return true;
	return false;
}

static bool check_pair(
	const struct header *a, const struct header *b, struct error *e)
{
	if (!may_clash(a->prefix, b->prefix) &&
		!may_clash(b->prefix, a->prefix))
		return true;
	return mp_fail(e, MEMPLAN_EINPUT,
		"the symbols %s_... of '%.80s' and %s_... of '%.80s' would "
		"clash in one header",
		a->prefix, a->schedule->graph->name, b->prefix,
		b->schedule->graph->name);
}

static bool check_names(const struct header *whole, const struct view *views,
	uint32_t n, struct error *e)
{
	for (uint32_t i = 0; i < n; i++) {
		if (!check_pair(whole, &views[i].header, e))
			return false;
		for (uint32_t k = 0; k < i; k++)
			if (!check_pair(&views[k].header, &views[i].header, e))
				return false;
	}
	return true;
}

/* ---------------------------------------------------------- members */

static void print_member(const struct view *view)
{
	const struct header *h = &view->header;

	mp_sink_text(h->sink, "\n/* ---- ");
	mp_emit_header_comment(h->sink, view->graph.name);
	mp_sink_text(h->sink, " */\n");
	mp_emit_header_arena(h);
	mp_emit_header_define(h, "REGION_BASE", view->shared.base);
	mp_emit_header_define(h, "REGION_SIZE", view->shared.size);
	mp_emit_header_define(h, "KEPT_BASE", view->kept.base);
	mp_emit_header_define(h, "KEPT_SIZE", view->kept.size);
	mp_emit_header_define(h, "FIRST_STEP", view->first_step);
	mp_emit_header_define(h, "N_STEPS", view->schedule.problem.n_steps);
	mp_emit_header_define(h, "N_TENSORS", h->n);
	mp_emit_header_tensors(h);
	mp_emit_header_entries(h);
}

static const char graph_type[] =
	"\n#ifndef MEMPLAN_GRAPH\n"
	"#define MEMPLAN_GRAPH 1\n"
	"struct memplan_graph {\n"
	"\tconst struct memplan_entry *entries; /* its tensors */\n"
	"\tuint32_t n_entries, n_steps;\n"
	"\tuint64_t region_base, region_size; /* bytes while it runs */\n"
	"\tuint64_t kept_base, kept_size; /* bytes that it keeps */\n"
	"};\n"
	"#endif\n";

static void print_graph(const struct header *h)
{
	if (h->n > 0)
		mp_sink_print(h->sink, "\t{%s_entries, ", h->lower);
	else
		mp_sink_text(h->sink, "\t{0, ");
	mp_sink_print(h->sink,
		"%s_N_TENSORS, %s_N_STEPS,\n"
		"\t\t%s_REGION_BASE, %s_REGION_SIZE,\n"
		"\t\t%s_KEPT_BASE, %s_KEPT_SIZE},\n",
		h->prefix, h->prefix, h->prefix, h->prefix, h->prefix,
		h->prefix);
}

static void print_graphs(
	const struct header *whole, const struct view *views, uint32_t n)
{
	mp_sink_text(whole->sink, graph_type);
	mp_sink_print(whole->sink, "\nenum %s_graph {\n", whole->lower);
	for (uint32_t i = 0; i < n; i++)
		mp_sink_print(whole->sink, "\t%s_GRAPH_%s,\n", whole->prefix,
			views[i].header.prefix);
	mp_sink_print(whole->sink,
		"};\n\nstatic const struct memplan_graph "
		"%s_graphs[%s_N_GRAPHS] = {\n",
		whole->lower, whole->prefix);
	for (uint32_t i = 0; i < n; i++)
		print_graph(&views[i].header);
	mp_sink_text(whole->sink, "};\n");
}

void mp_emit_header_bundle(const struct header *whole, struct arena *scratch)
{
	uint32_t n = whole->schedule->graph->bundle.n;
	struct view *views = NEW(scratch, struct view, n);

	if (!views)
		return;
	for (uint32_t i = 0; i < n; i++)
		if (!view_member(&views[i], whole, i, scratch))
			return;
	if (!check_names(whole, views, n, scratch->error))
		return;
	for (uint32_t i = 0; i < n; i++)
		print_member(&views[i]);
	print_graphs(whole, views, n);
}
