/*
 * Does the handle's plan fit? If not, what is known of that.
 *
 * SPDX-License-Identifier: MIT
 */
#include "handle.h"

#include "witness.h"

/* What was asked for, or the most that the target can address. */
static uint64_t capacity_of(const memplan *m)
{
	const char *name = m->graph.margins.target;
	const struct target *target = name ? mp_target_find(name) : NULL;

	return target && target->limit && m->graph.n_pools == 0
		       ? num_min(m->options.capacity, target->limit)
		       : m->options.capacity;
}

bool mp_street_fits(memplan *m)
{
	uint64_t capacity = capacity_of(m);
	char witness[256] = "";

	if (m->has_plan && m->plan.arena_size <= capacity)
		return true;
	if (m->misfit != MISFIT_NONE)
		return mp_fail(&m->error,
			m->misfit == MISFIT_PROVED ? MEMPLAN_NO
						   : MEMPLAN_EBUDGET,
			"%s: %s", m->problem.name, m->misfit_why);
	if (m->has_plan)
		mp_witness(&m->problem, capacity, witness, sizeof(witness));
	if (m->least_bound > capacity)
		return mp_fail(&m->error, MEMPLAN_NO,
			"%s: no plan fits %llu bytes: at least %llu are needed"
			"%s",
			m->problem.name, (unsigned long long)capacity,
			(unsigned long long)m->least_bound, witness);
	if (capacity == UINT64_MAX && mp_problem_has_fixed(&m->problem))
		return mp_fail(&m->error, MEMPLAN_EBUDGET,
			"%s: planner '%s' found no plan: it takes no fixed "
			"offsets, or the budget is spent",
			m->problem.name, m->options.planner);
	if (capacity == UINT64_MAX)
		return mp_fail(&m->error, MEMPLAN_EBUDGET,
			"%s: the budget is spent and no plan was found",
			m->problem.name);
	return mp_fail(&m->error, MEMPLAN_EBUDGET,
		"%s: no plan of at most %llu bytes was found, and none was "
		"ruled out",
		m->problem.name, (unsigned long long)capacity);
}
