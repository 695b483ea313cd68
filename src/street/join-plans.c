/*
 * The public face of bundles: handles that hold plans are joined to one that
 * walks the street with what they found.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <string.h>

#include "bundle/bundle-pools.h"
#include "bundle/member-order.h"
#include "bundle/member.h"
#include "lifetime/lifetime.h"
#include "verify/verify.h"

/* A handle that was joined; they stay the caller's. */
struct joined_handle {
	const memplan *part;
	const char *name;
	struct joined_handle *next;
};

static bool check_name(memplan *m, const struct joined_handle *last)
{
	for (const struct joined_handle *h = m->joined; h != last; h = h->next)
		if (strcmp(h->name, last->name) == 0)
			return mp_fail(&m->error, MEMPLAN_EINPUT,
				"%s: the graph is called '%.80s', as is that "
				"of %s: their symbols would clash",
				last->part->graph.place, last->name,
				h->part->graph.place);
	return true;
}

/* Sizes of all must be rounded alike. */
static bool check_rounding(memplan *m, const memplan *part)
{
	const struct graph *first = &m->joined->part->graph;
	const struct graph *graph = &part->graph;

	if (graph->alignment != first->alignment)
		return mp_fail(&m->error, MEMPLAN_EUSAGE,
			"%s: planned with an alignment of %llu, %s with %llu: "
			"the greatest must do for all",
			graph->place, (unsigned long long)graph->alignment,
			first->place, (unsigned long long)first->alignment);
	return graph->margins.padding == first->margins.padding ||
	       mp_fail(&m->error, MEMPLAN_EUSAGE,
		       "%s: padded by %u bytes, %s by %u: give both the same "
		       "target",
		       graph->place, graph->margins.padding, first->place,
		       first->margins.padding);
}

static bool join(memplan *m, const memplan *part, const char *name)
{
	struct joined_handle *h = NEW(&m->arena, struct joined_handle, 1);
	struct joined_handle **last = &m->joined;

	if (!h)
		return false;
	if (!part->has_plan || part->unverified || part == m)
		return mp_fail(&m->error, MEMPLAN_EUSAGE,
			"only what holds a verified plan can be joined");
	h->part = part;
	h->name = mp_bundle_name(name ? name : part->graph.name, &m->arena);
	if (!h->name)
		return false;
	while (*last)
		last = &(*last)->next;
	*last = h;
	m->n_joined++;
	m->has_graph = false;
	return check_name(m, h) && check_rounding(m, part);
}

enum memplan_status memplan_join(
	memplan *m, const memplan *part, const char *name)
{
	if (m->error.code == MEMPLAN_OK)
		join(m, part, name);
	return m->error.code;
}

/* -------------------------------------------------------- the graph */

static const char *bundle_name(memplan *m)
{
	const char *name = m->joined->name;

	if (m->options.name[0])
		return mp_arena_text(
			&m->arena, m->options.name, strlen(m->options.name));
	if (m->n_joined == 1) /* two macros of one name would clash */
		return mp_arena_print(&m->arena, "%s bundle", name);
	for (const struct joined_handle *h = m->joined->next; name && h;
		h = h->next)
		name = mp_arena_print(&m->arena, "%s+%s", name, h->name);
	return name;
}

static struct joined *list_parts(memplan *m)
{
	struct joined *parts = NEW(&m->arena, struct joined, m->n_joined);
	uint32_t i = 0;

	for (const struct joined_handle *h = m->joined; parts && h;
		h = h->next, i++)
		parts[i] = (struct joined){.plan = &h->part->plan,
			.name = h->name,
			.place = h->part->graph.place,
			.from_plan = h->part->graph.claims.present};
	return parts;
}

/* ----------------------------------------------------------- places */

/* What follows from the bodies' own problem is true of the whole as long as
 * they hold no more together than planning them did. Several memories have each
 * a bound of their own. */
static bool claim(
	memplan *m, const struct bodies *bodies, const struct job *job)
{
	struct claims *claims = &m->graph.claims;

	claims->planner =
		mp_arena_text(&m->arena, job->winner, strlen(job->winner));
	claims->arena_size = job->height;
	claims->lower_bound =
		bodies->exact && !job->spaces.at ? job->lower_bound : 0;
	claims->bound_kind = mp_problem_bound_name(job->bound_kind);
	return claims->planner != NULL;
}

static bool place_anew(
	memplan *m, const struct joined *parts, const struct schedule *whole)
{
	struct bodies bodies;
	struct job job;

	if (!mp_bundle_replan_fill(
		    &bodies, parts, m->n_joined, whole, &m->arena, &m->error) ||
		!mp_street_check_fixed(m, &bodies.schedule->problem) ||
		!mp_street_plan(m, &bodies.schedule->problem, 1, &job))
		return false;
	m->least_bound = job.lower_bound;
	if (job.height == UINT64_MAX)
		return mp_street_fits(m);
	mp_bundle_replan_settle(&bodies, whole, job.best, &m->graph);
	if (job.spaces.at && !mp_bundle_pools_settle(&bodies, whole,
				     &job.spaces, &m->graph, &m->arena))
		return false;
	return claim(m, &bodies, &job);
}

/* Is the whole a plan as it is? */
static bool is_plan(memplan *m, const struct problem *whole)
{
	struct arena scratch = mp_arena_beside(&m->arena);
	uint64_t *offsets = NEW(&scratch, uint64_t, whole->n_buffers);
	struct error quiet = {0};
	bool fine;

	for (uint32_t i = 0; offsets && i < whole->n_buffers; i++)
		offsets[i] = whole->buffers[i].offset;
	fine = offsets &&
	       mp_verify(whole, offsets, MEMPLAN_NO, &scratch, &quiet);
	mp_arena_free(&scratch);
	return fine;
}

/* Where graphs of several streams run in turn, a part of a buffer that is there
 * before all ops of its graph may be there before those of all; and nobody
 * counts on gaps among streams. */
static bool may_fail(const struct graph *graph)
{
	return graph->n_streams > 1 &&
	       (!graph->bundle.concurrent || graph->ties.n_gaps > 0);
}

/* Where what must not move has moved, or plans that were made by themselves do
 * not go together as they are, all is placed anew. */
static bool settle(memplan *m, const struct joined *parts)
{
	struct lifetime_options options = {.inplace = m->options.inplace};
	const struct graph *graph = &m->graph;
	const struct schedule *whole;
	bool holds = mp_bundle_join_holds(
		parts, m->n_joined, graph->bundle.concurrent, &graph->ties);

	if (holds && !may_fail(graph))
		return true;
	whole = mp_lifetime(
		graph, graph->claims.ops.at, &options, &m->arena, &m->error);
	if (!whole)
		return false;
	if (holds && is_plan(m, &whole->problem))
		return true;
	return m->error.code == MEMPLAN_OK && place_anew(m, parts, whole);
}

static double seconds_of_parts(const memplan *m)
{
	double sum = 0;

	for (const struct joined_handle *h = m->joined; h; h = h->next)
		sum += h->part->plan.seconds;
	return sum;
}

bool mp_street_join(memplan *m)
{
	const struct graph *first = &m->joined->part->graph;
	struct joined *parts = list_parts(m);
	bool concurrent = m->options.concurrent;
	double start = mp_planner_job_now();

	m->graph = (struct graph){.alignment = first->alignment,
		.margins = first->margins,
		.name = bundle_name(m)};
	m->graph.place = m->graph.name;
	for (const struct joined_handle *h = m->joined; h; h = h->next)
		m->graph.margins.base = (uint32_t)num_max(
			m->graph.margins.base, h->part->graph.margins.base);
	m->has_graph = parts && m->graph.name &&
		       mp_bundle_join_place(parts, m->n_joined, concurrent,
			       &m->arena, &m->error) &&
		       mp_bundle_join_graph(parts, m->n_joined, concurrent,
			       &m->graph, &m->arena, &m->error) &&
		       mp_graph_link(&m->graph, &m->arena, &m->error) &&
		       mp_bundle_check_order(&m->graph, &m->arena, &m->error) &&
		       settle(m, parts);
	m->joined_seconds = seconds_of_parts(m) + mp_planner_job_now() - start;
	return m->has_graph;
}
