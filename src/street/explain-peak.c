/*
 * Explains a plan: what another order would need, what would lower the peak,
 * and which two tensors are asked about.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <string.h>

#include "advise/advise.h"

/* The tensor of that name, or id where no name is like that; NONE. */
static uint32_t find_tensor(const struct graph *graph, const char *name)
{
	const struct tensor *tensors = graph->tensors;

	for (uint32_t t = 0; t < graph->n_tensors; t++)
		if (tensors[t].name && strcmp(tensors[t].name, name) == 0)
			return t;
	for (uint32_t t = 0; t < graph->n_tensors; t++)
		if (tensors[t].id && strcmp(tensors[t].id, name) == 0)
			return t;
	return NONE;
}

static bool find_pair(memplan *m, const char *a, const char *b)
{
	const char *names[] = {a, b};

	for (uint32_t i = 0; i < countof(names); i++) {
		if (!names[i])
			return true;
		m->results.pair[i] =
			find_tensor(m->plan.schedule->graph, names[i]);
		if (m->results.pair[i] == NONE)
			return mp_fail(&m->error, MEMPLAN_EUSAGE,
				"%s: no tensor is called '%.80s'",
				m->graph.name, names[i]);
	}
	if (m->results.pair[0] != m->results.pair[1])
		return true;
	return mp_fail(&m->error, MEMPLAN_EUSAGE,
		"%s: a pair is two tensors, not '%.80s' twice", m->graph.name,
		a);
}

/* What order auto would need, and what it proves of all orders. */
static bool survey_auto(memplan *m)
{
	m->results.orders = NEW(&m->arena, struct order_result, 1);
	if (!m->results.orders ||
		!mp_street_survey(m, mp_order_find("auto"), m->results.orders))
		return false;
	m->results.n_orders = 1;
	return true;
}

static bool advise(memplan *m)
{
	struct watch watch = mp_street_enter(m, "looking for advice", NULL);
	struct advice *advice = NEW(&m->arena, struct advice, ADVICE_MOST);

	if (!advice ||
		!mp_advise(m->plan.schedule, m->options.inplace, &watch, advice,
			&m->results.n_advice, &m->arena, &m->error))
		return false;
	m->results.advice = advice;
	return true;
}

/* A plan read back has an order and lifetimes of its own. A plan within a
 * budget is one of another graph than the input's. */
static bool explain(memplan *m, const char *a, const char *b)
{
	bool has_order;

	if (!mp_street_walk(m) || !find_pair(m, a, b))
		return false;
	if (m->results.detours)
		return true;
	has_order = m->graph.claims.order || m->graph.n_ops == 0;
	return (has_order || survey_auto(m)) && advise(m);
}

enum memplan_status memplan_explain(memplan *m, const char *a, const char *b)
{
	if (m->error.code == MEMPLAN_OK)
		explain(m, a, b);
	return m->error.code;
}
