/*
 * Explains a plan: a run, then what another order would need, what would lower
 * the peak, and why two tensors can or cannot share bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>
#include <string.h>

#include "advise/advise.h"
#include "base/names.h"

/* The tensor with that name; if there is none, with that id; else NONE. */
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

static bool fail_unknown(memplan *m, const char *name)
{
	const char *nearest = NULL;
	/* A letter has nothing in common with what is as far as it is long. */
	uint32_t best = (uint32_t)num_min(4, strlen(name));

	for (uint32_t t = 0; t < m->planned->n_tensors; t++) {
		const char *other = m->planned->tensors[t].name;

		if (other && mp_names_is_nearer(other, name, &best))
			nearest = other;
	}
	return mp_fail(&m->error, MEMPLAN_EUSAGE,
		"%s: no tensor is called '%.80s'%s%.80s%s", m->planned->name,
		name, nearest ? "; did you mean '" : "", nearest ? nearest : "",
		nearest ? "'?" : "");
}

static bool find_pair(memplan *m, const char *a, const char *b)
{
	const char *names[] = {a, b};
	uint32_t pair[2];

	for (uint32_t i = 0; i < countof(names); i++) {
		if (!names[i])
			return true;
		pair[i] = find_tensor(m->planned, names[i]);
		if (pair[i] == NONE)
			return fail_unknown(m, names[i]);
	}
	if (pair[0] == pair[1])
		return mp_fail(&m->error, MEMPLAN_EUSAGE,
			"%s: a pair is two tensors, not '%.80s' twice",
			m->planned->name, a);
	memcpy(m->results.pair, pair, sizeof(pair));
	return true;
}

static bool advise(memplan *m)
{
	struct watch watch = mp_street_enter(m, "looking for advice", NULL);
	struct advice *advice = NEW(&m->run, struct advice, ADVICE_MOST);

	if (!advice ||
		!mp_advise(m->plan.schedule, m->options.inplace, &watch, advice,
			&m->results.n_advice, &m->run, &m->error))
		return false;
	m->results.advice = advice;
	return true;
}

/* A pair is a question of its own. Else, beside advice, the peak that order
 * `auto` reaches, and the bound that it proves on all orders. But a plan that
 * was read has its own order and lifetimes, and a plan within a budget belongs
 * to a rewritten graph. */
static bool explain(memplan *m, const char *a, const char *b)
{
	struct run run = mp_street_begin(m);
	struct results *results = &m->results;

	if (!mp_street_walk(m, &run) || !find_pair(m, a, b))
		return false;
	if (a || results->detours)
		return true;
	assert(run.graph == m->planned);
	if (run.graph->claims.order || run.graph->n_ops == 0)
		return advise(m);
	results->orders = NEW(&m->run, struct order_result, 1);
	if (!results->orders || !mp_street_survey(m, &run,
					mp_order_find("auto"), results->orders))
		return false;
	results->n_orders = 1;
	return advise(m);
}

enum memplan_status memplan_explain(memplan *m, const char *a, const char *b)
{
	explain(m, a, b);
	return mp_street_end(m);
}
