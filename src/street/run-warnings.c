/*
 * Warnings at the end of a run.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <stdio.h>
#include <string.h>

/* Names planners that memory was out for, as many as fit the sentence. */
static void warn_of_starved(memplan *m)
{
	enum {
		NAMES = 256
	};
	uint64_t starved = m->found.starved;
	char names[NAMES] = "";
	size_t at = 0;

	for (uint32_t i = 0; i < mp_n_planners && at < NAMES; i++)
		if (starved >> i & 1)
			at += (size_t)snprintf(names + at, NAMES - at, "%s'%s'",
				at ? ", " : "", mp_planners[i].name);
	if (starved)
		mp_warn(&m->error,
			"out of memory for planner%s %s%s: with more the plan "
			"may be smaller",
			starved & (starved - 1) ? "s" : "", names,
			at < NAMES ? "" : "...");
}

/* An option that changes a search, where there was none: orders, budgets and
 * what moves buffers later take it too. NULL: none is given. */
static const char *idle_in_search(const memplan *m)
{
	const struct options *o = &m->options;

	if (!m->found.keeps || m->joined || m->near || o->minimise_reuse ||
		o->minimise_banks || o->budget > 0 ||
		strcmp(o->order, "keep") != 0)
		return NULL;
	if (o->steps_given)
		return o->by_effort ? "effort" : "steps";
	return o->seed != 1 ? "seed" : NULL;
}

/* True of a bundle with several graphs; buckets are planned as one graph is. */
static bool is_of_many(const memplan *m)
{
	return m->joined && !mp_street_has_buckets(m);
}

/* A graph that the bundle has planned, and so by its options; else the handle
 * itself. idle: those that have nothing to work on in all such graphs. */
static const memplan *find_planned(const memplan *m, unsigned *idle)
{
	const memplan *first = NULL;

	*idle = 0;
	if (!is_of_many(m))
		return m;
	for (const struct joined_handle *h = m->joined; h; h = h->next) {
		if (h->has_plan)
			continue;
		*idle = first ? *idle & h->member->found.idle
			      : h->member->found.idle;
		first = first ? first : h->member;
	}
	return first ? first : m;
}

/* Options that have nothing to work on. What graphs were given together is said
 * once, by the bundle, and only if no graph has work for it. */
static void warn_of_idle(memplan *m, const struct run *run)
{
	unsigned idle;
	const memplan *from = find_planned(m, &idle);
	const struct options *o = &from->options;
	const struct graph *g = run->graph;
	const char *in_search = idle_in_search(from);
	const struct {
		const char *option, *why;
		bool is_idle;
	} rows[] = {
		{in_search,
			"the offsets that are in it stay, unless replan or a "
			"planner is given",
			in_search},
		{"order", "the input has no ops",
			g->n_ops == 0 && !g->claims.ops.at &&
				strcmp(o->order, "keep") != 0},
		{"minimise-banks", "no pool has banks",
			o->minimise_banks &&
				!mp_graph_has_banks(g->pools, g->n_pools)},
		{"cross-stream-first", "all ops are on one stream",
			o->cross_stream_first && o->minimise_reuse &&
				g->n_streams <= 1},
	};

	for (unsigned i = 0; i < countof(rows); i++) {
		if (!is_of_many(m) && !run->unverified && rows[i].is_idle)
			idle |= 1u << i;
		if (run->caller == m && idle >> i & 1)
			mp_warn(&m->error,
				"%s: the option %s does nothing here: %s",
				g->place, rows[i].option, rows[i].why);
	}
	m->found.idle = idle;
}

void mp_street_warn(memplan *m, const struct run *run)
{
	warn_of_starved(m);
	warn_of_idle(m, run);
}
