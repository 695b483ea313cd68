/*
 * Says whether the handle's plan fits its capacity: the one that was asked for,
 * or the most that the target can address. If it does not, the error
 * says what is known: that no plan fits, or that none was found.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>
#include <stdio.h>

#include "base/sink-text.h"

/* What is known of the least capacity that there is a plan for. */
static const char *say_need(
	const memplan *m, uint64_t needed, char *text, size_t length)
{
	size_t used = (size_t)snprintf(text, length,
		": at least %llu are needed", (unsigned long long)needed);

	if (m->has_plan)
		snprintf(text + used, length - used,
			", and the smallest plan found takes %llu",
			(unsigned long long)m->plan.arena_size);
	return text;
}

/* Why pools do not fit. Where there is a plan, another order or other pairs do
 * not fit them, which says nothing of the plan. */
static enum misfit misfit_of(const memplan *m)
{
	return m->has_plan ? MISFIT_NONE : m->found.misfit;
}

/* True if a lower bound proves that no plan fits. */
static bool is_ruled_out(memplan *m, const struct run *run, uint64_t capacity)
{
	char witness[256] = "", need[128];

	if (misfit_of(m) == MISFIT_PROVED)
		return !mp_fail(&m->error, MEMPLAN_NO, "%s: %s",
			run->graph->name, m->found.misfit_why);
	if (misfit_of(m) != MISFIT_NONE || m->found.least_bound <= capacity)
		return false;
	if (m->has_plan)
		mp_problem_witness(
			m->plan.schedule, capacity, witness, sizeof(witness));
	return !mp_fail(&m->error, MEMPLAN_NO,
		"%s: no plan fits %llu byte%s%s%s", run->graph->name,
		(unsigned long long)capacity, mp_text_plural(capacity),
		say_need(m, m->found.least_bound, need, sizeof(need)), witness);
}

bool mp_street_fits(memplan *m, const struct run *run)
{
	const char *name = run->graph->name;
	const char *margins = run->graph->margins.target;
	const struct target *target =
		margins ? mp_graph_target_find(margins) : NULL;
	uint64_t capacity = run->capacity;
	char need[128];

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
	if (misfit_of(m) != MISFIT_NONE)
		return mp_fail(&m->error, MEMPLAN_EBUDGET, "%s: %s", name,
			m->found.misfit_why);
	if (capacity == UINT64_MAX)
		return mp_fail(&m->error, MEMPLAN_EBUDGET,
			"%s: the budget is spent and no plan was found", name);
	return mp_fail(&m->error, MEMPLAN_EBUDGET,
		"%s: no plan of at most %llu byte%s was found, and none was "
		"ruled out%s",
		name, (unsigned long long)capacity, mp_text_plural(capacity),
		say_need(m, m->found.least_bound, need, sizeof(need)));
}
