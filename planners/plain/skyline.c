/*
 * Making and clearing a skyline: see skyline.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/skyline.h"

#include <string.h>

bool mp_planner_skyline_init(
	struct skyline *skyline, uint32_t n_sections, struct arena *arena)
{
	assert(n_sections > 0 && n_sections < UINT32_MAX);
	*skyline = (struct skyline){.n_sections = n_sections};
	skyline->floor = NEW(arena, int64_t, n_sections);
	if (!skyline->floor ||
		!bits_init(&skyline->starts, n_sections + 1, arena))
		return false;
	mp_planner_skyline_clear(skyline);
	return true;
}

void mp_planner_skyline_clear(struct skyline *skyline)
{
	struct bits *starts = &skyline->starts;
	size_t words = starts->n;

	for (uint32_t k = 0; k < starts->n_levels; k++) {
		words = words / BITS_WORD + 1;
		memset(starts->level[k], 0, sizeof(uint64_t) * words);
	}
	bits_add(starts, 0);
	bits_add(starts, skyline->n_sections);
	skyline->floor[0] = 0;
}
