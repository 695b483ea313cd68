/*
 * The public face of bundles: handles that hold plans are joined to one that
 * walks the street with what they found.
 *
 * SPDX-License-Identifier: MIT
 */
#include "handle.h"

#include <string.h>

#include "bundle/join.h"
#include "bundle/member.h"
#include "bundle/order.h"

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
	h->name = mp_bundle_name(name ? name : part->problem.name, &m->arena);
	if (!h->name)
		return false;
	while (*last)
		last = &(*last)->next;
	*last = h;
	m->n_joined++;
	return check_name(m, h) && check_rounding(m, part);
}

enum memplan_status memplan_join(
	memplan *m, const memplan *part, const char *name)
{
	if (m->error.code == MEMPLAN_OK)
		join(m, part, name);
	return m->error.code;
}

/* ----------------------------------------------------------------- the graph
 */

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

bool mp_street_join(memplan *m)
{
	const struct graph *first = &m->joined->part->graph;
	struct joined *parts = list_parts(m);
	bool concurrent = m->options.concurrent;

	m->graph = (struct graph){.alignment = first->alignment,
		.margins = first->margins,
		.name = bundle_name(m)};
	m->graph.place = m->graph.name;
	for (const struct joined_handle *h = m->joined; h; h = h->next)
		m->graph.margins.base = (uint32_t)num_max(
			m->graph.margins.base, h->part->graph.margins.base);
	m->has_graph = parts && m->graph.name &&
		       mp_join_place(parts, m->n_joined, concurrent, &m->arena,
			       &m->error) &&
		       mp_join_graph(parts, m->n_joined, concurrent, &m->graph,
			       &m->arena, &m->error) &&
		       mp_graph_link(&m->graph, &m->arena, &m->error) &&
		       mp_bundle_check_order(&m->graph, &m->arena, &m->error);
	return m->has_graph;
}
