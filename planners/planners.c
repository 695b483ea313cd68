/*
 * The tables of planners and peers, and finding rows of both.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/planner.h"

#include <string.h>

#include "planners/any/greedy.h"
#include "planners/peers/rows.h"
#include "planners/plain/mend.h"
#include "planners/rows.h"

/* No two rows have the function and the variant in common. */
enum {
#define ROW(name, summary, run, variant, in_auto) ROW_##run##_##variant,
#include "planners/planners.def"
#undef ROW
	N_ROWS
};

_Static_assert(N_ROWS <= 64, "a set of planners is 64 bits");

const struct planner mp_planners[] = {
#define ROW(name, summary, run, variant, in_auto)                              \
	{name, summary, run, variant, in_auto,                                 \
		(uint64_t)1 << ROW_##run##_##variant},
#include "planners/planners.def"
#undef ROW
};

const uint32_t mp_n_planners = countof(mp_planners);

const struct planner mp_peers[] = {
#define ROW(...) {__VA_ARGS__, 0},
#include "planners/peers/peers.def"
#undef ROW
};

const uint32_t mp_n_peers = countof(mp_peers);

static const struct planner *find_in(
	const struct planner *rows, uint32_t n, const char *name)
{
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	return NULL;
}

const struct planner *mp_planner_find_own(const char *name)
{
	return find_in(mp_planners, mp_n_planners, name);
}

const struct planner *mp_planner_find(const char *name)
{
	const struct planner *own = mp_planner_find_own(name);

	return own ? own : find_in(mp_peers, mp_n_peers, name);
}

const char *mp_planner_left_out(const char *name)
{
#ifndef HAVE_GLPK
	if (strcmp(name, "ilp") == 0)
		return "it needs GLPK; where libglpk-dev is installed, "
		       "'meson configure BUILD -Dilp=enabled' and ninja add it";
#endif
	(void)name;
	return NULL;
}
