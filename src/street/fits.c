/*
 * Does the handle's plan fit? If not, what is known of that.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include "problem/witness.h"

/* What was asked for, or the most that the target can address. */
static uint64_t capacity_of(const memplan *m)
{
	const char *name = m->graph.margins.target;
	const struct target *target = name ? mp_graph_target_find(name) : NULL;

	return target && target->limit && m->graph.n_pools == 0
		       ? num_min(m->options.capacity, target->limit)
		       : m->options.capacity;
}

/* That none fits, if it is proved. */
static bool is_ruled_out(memplan *m, uint64_t capacity)
{
	char witness[256] = "";

	if (m->misfit == MISFIT_PROVED)
		return !mp_fail(&m->error, MEMPLAN_NO, "%s: %s", m->graph.name,
			m->misfit_why);
	if (m->misfit != MISFIT_NONE || m->least_bound <= capacity)
		return false;
	if (m->has_plan)
		mp_problem_witness(
			m->plan.schedule, capacity, witness, sizeof(witness));
	return !mp_fail(&m->error, MEMPLAN_NO,
		"%s: no plan fits %llu bytes: at least %llu are needed%s",
		m->graph.name, (unsigned long long)capacity,
		(unsigned long long)m->least_bound, witness);
}

bool mp_street_fits(memplan *m)
{
	uint64_t capacity = capacity_of(m);
	const char *name = m->graph.name;

	if (m->has_plan && m->plan.arena_size <= capacity)
		return true;
	if (is_ruled_out(m, capacity))
		return false;
	if (m->declined && !m->has_plan)
		return mp_fail(&m->error, MEMPLAN_EBUDGET,
			"%s: planner '%s' %s", name, mp_street_planner(m),
			m->declined);
	if (m->misfit != MISFIT_NONE)
		return mp_fail(&m->error, MEMPLAN_EBUDGET, "%s: %s", name,
			m->misfit_why);
	if (capacity == UINT64_MAX)
		return mp_fail(&m->error, MEMPLAN_EBUDGET,
			"%s: the budget is spent and no plan was found", name);
	return mp_fail(&m->error, MEMPLAN_EBUDGET,
		"%s: no plan of at most %llu bytes was found, and none was "
		"ruled out",
		name, (unsigned long long)capacity);
}
