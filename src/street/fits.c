/*
 * Says whether the handle's plan fits its capacity: the one that was asked for,
 * or the most that the target can address. If it does not, the error
 * says what is known: that no plan fits, or that none was found.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>

#include "base/sink-text.h"

/* True if a lower bound proves that no plan fits. */
static bool is_ruled_out(memplan *m, const struct run *run, uint64_t capacity)
{
	char witness[256] = "";

	if (m->found.misfit == MISFIT_PROVED)
		return !mp_fail(&m->error, MEMPLAN_NO, "%s: %s",
			run->graph->name, m->found.misfit_why);
	if (m->found.misfit != MISFIT_NONE || m->found.least_bound <= capacity)
		return false;
	if (m->has_plan)
		mp_problem_witness(
			m->plan.schedule, capacity, witness, sizeof(witness));
	return !mp_fail(&m->error, MEMPLAN_NO,
		"%s: no plan fits %llu byte%s: at least %llu are needed%s",
		run->graph->name, (unsigned long long)capacity,
		mp_text_plural(capacity),
		(unsigned long long)m->found.least_bound, witness);
}

bool mp_street_fits(memplan *m, const struct run *run)
{
	const char *name = run->graph->name;
	const char *margins = run->graph->margins.target;
	const struct target *target =
		margins ? mp_graph_target_find(margins) : NULL;
	uint64_t capacity = run->capacity;

	assert(name);
	if (target && target->limit && run->graph->n_pools == 0)
		capacity = num_min(capacity, target->limit);
	if (m->has_plan && m->plan.arena_size <= capacity)
		return true;
	if (is_ruled_out(m, run, capacity))
		return false;
	if (m->found.declined && !m->has_plan)
		return mp_fail(&m->error, MEMPLAN_EBUDGET,
			"%s: planner '%s' %s", name, run->planner->name,
			m->found.declined);
	if (m->found.misfit != MISFIT_NONE)
		return mp_fail(&m->error, MEMPLAN_EBUDGET, "%s: %s", name,
			m->found.misfit_why);
	if (capacity == UINT64_MAX)
		return mp_fail(&m->error, MEMPLAN_EBUDGET,
			"%s: the budget is spent and no plan was found", name);
	return mp_fail(&m->error, MEMPLAN_EBUDGET,
		"%s: no plan of at most %llu byte%s was found, and none was "
		"ruled out",
		name, (unsigned long long)capacity, mp_text_plural(capacity));
}
