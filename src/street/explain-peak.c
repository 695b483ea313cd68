/*
 * Explains a plan: a run, and then what another order would need, what would
 * lower the peak, and why two tensors can or cannot share bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>
#include <string.h>

#include "advise/advise.h"

/* The item of that name, or id where no name is like that; NONE. */
static uint32_t find_item(const struct problem *p, const char *name)
{
	for (uint32_t i = 0; i < p->n_items; i++)
		if (p->items[i].name && strcmp(p->items[i].name, name) == 0)
			return i;
	for (uint32_t i = 0; i < p->n_items; i++)
		if (p->items[i].id && strcmp(p->items[i].id, name) == 0)
			return i;
	return NONE;
}

static bool find_pair(memplan *m, const char *a, const char *b)
{
	const char *names[] = {a, b};

	for (uint32_t i = 0; i < countof(names); i++) {
		if (!names[i])
			return true;
		m->plan.pair[i] = find_item(&m->problem, names[i]);
		if (m->plan.pair[i] == NONE)
			return mp_fail(&m->error, MEMPLAN_EUSAGE,
				"%s: no tensor is called '%.80s'",
				m->problem.name, names[i]);
	}
	if (m->plan.pair[0] != m->plan.pair[1])
		return true;
	return mp_fail(&m->error, MEMPLAN_EUSAGE,
		"%s: a pair is two tensors, not '%.80s' twice", m->problem.name,
		a);
}

/* What order auto would need, and what it proves of all orders. */
static bool survey_auto(memplan *m, const struct run *run)
{
	m->plan.orders = NEW(&m->run, struct order_result, 1);
	if (!m->plan.orders || !mp_street_survey(m, run, mp_order_find("auto"),
				       m->plan.orders))
		return false;
	m->plan.n_orders = 1;
	return true;
}

static bool advise(memplan *m, const struct graph *graph)
{
	struct watch watch = mp_street_enter(m, "looking for advice", NULL);
	struct advice *advice = NEW(&m->run, struct advice, ADVICE_MOST);

	if (!advice ||
		!mp_advise(graph, &m->problem, m->options.inplace, &watch,
			advice, &m->plan.n_advice, &m->run, &m->error))
		return false;
	m->plan.advice = advice;
	return true;
}

/* A plan read back has an order and lifetimes of its own. A plan within a
 * budget is one of another graph than the input's. */
static bool explain(memplan *m, const char *a, const char *b)
{
	struct run run = mp_street_begin(m);
	bool has_order;

	if (!mp_street_walk(m, &run) || !find_pair(m, a, b))
		return false;
	if (m->plan.detours)
		return true;
	assert(run.graph == m->planned);
	has_order = run.graph->claims.order || run.graph->n_ops == 0;
	return (has_order || survey_auto(m, &run)) && advise(m, run.graph);
}

enum memplan_status memplan_explain(memplan *m, const char *a, const char *b)
{
	explain(m, a, b);
	return mp_street_end(m);
}
