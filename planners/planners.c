/*
 * The table of memplan's own planners, and finding rows of both tables.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/planner.h"

#include <string.h>

#include "planners/any/greedy.h"
#include "planners/rows.h"

const struct planner mp_planners[] = {
	{"auto", "the best of all rows within the budget", mp_planner_auto_run,
		0, false},
	{"search", "exact, by lowest plateaus: proves what it finds",
		mp_planner_search_run, 0, false},
	{"dive", "fills the lowest plateau first, by several ranks",
		mp_planner_dive_run, 0, true},
	{"local", "dives that learn from where they fail", mp_planner_local_run,
		0, false},
	{"eject", "lower and lower; what is in the way is placed again",
		mp_planner_eject_run, 0, false},
	{"orient", "exact, by which part lies above which: small problems",
		mp_planner_orient_run, 0, false},
	{"climb", "hill climb over the placing order", mp_planner_climb_run, 0,
		false},
	{"linear", "one tensor behind the other: no reuse",
		mp_planner_linear_run, 0, false},
	{"online-best", "in order of birth, smallest gap that fits",
		mp_planner_greedy_run, ONLINE_BEST, true},
	{"greedy-size", "large first, lowest gap", mp_planner_greedy_run,
		GREEDY_SIZE, true},
	{"greedy-size-best", "large first, smallest gap that fits",
		mp_planner_greedy_run, GREEDY_SIZE_BEST, true},
	{"greedy-area", "large size x lifetime first, lowest gap",
		mp_planner_greedy_run, GREEDY_AREA, true},
	{"greedy-lifetime", "long-lived first, lowest gap",
		mp_planner_greedy_run, GREEDY_LIFETIME, true},
	{"greedy-lifetime-best", "long-lived first, smallest gap",
		mp_planner_greedy_run, GREEDY_LIFETIME_BEST, false},
	{"greedy-conflicts", "alive with many others first, lowest gap",
		mp_planner_greedy_run, GREEDY_CONFLICTS, true},
	{"greedy-conflicts-best", "alive with many others first, smallest gap",
		mp_planner_greedy_run, GREEDY_CONFLICTS_BEST, false},
	{"greedy-urgency",
		"alive at high loads first, then long-lived, lowest gap",
		mp_planner_greedy_run, GREEDY_URGENCY, true},
	{"greedy-breadth", "alive at high loads first, then large, lowest gap",
		mp_planner_greedy_run, GREEDY_BREADTH, true},
	{"greedy-breadth-best",
		"alive at high loads first, then large, smallest gap",
		mp_planner_greedy_run, GREEDY_BREADTH_BEST, true},
#ifdef HAVE_GLPK
	{"ilp", "GLPK on an integer linear program; small problems only",
		mp_planner_ilp_run, 0, false},
#endif
	{"given", "the offsets that the input fixes, as they are",
		mp_planner_given_run, 0, false},
};

const uint32_t mp_n_planners = countof(mp_planners);

const struct planner *mp_planner_at(uint32_t i)
{
	if (i < mp_n_planners)
		return &mp_planners[i];
	i -= mp_n_planners;
	return i < mp_n_peers ? &mp_peers[i] : NULL;
}

const struct planner *mp_planner_find(const char *name)
{
	const struct planner *row;

	for (uint32_t i = 0; (row = mp_planner_at(i)); i++)
		if (strcmp(row->name, name) == 0)
			return row;
	return NULL;
}

const struct planner *mp_planner_find_own(const char *name)
{
	for (uint32_t i = 0; i < mp_n_planners; i++)
		if (strcmp(mp_planners[i].name, name) == 0)
			return &mp_planners[i];
	return NULL;
}

/* Rows that this build lacks for want of a package: the name, and why. */
static const struct left_out {
	const char *name, *why;
} left_out[] = {
#ifndef HAVE_GLPK
	{"ilp", "it needs GLPK, and 'meson configure -Dilp=enabled'"},
#endif
	{NULL, NULL},
};

const char *mp_planner_left_out(const char *name)
{
	for (const struct left_out *row = left_out; row->name; row++)
		if (strcmp(row->name, name) == 0)
			return row->why;
	return NULL;
}
