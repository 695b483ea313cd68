/*
 * Which changes would lower the theoretical minimum: candidates are measured,
 * and the best of each kind are kept.
 *
 * SPDX-License-Identifier: MIT
 */
#include "advise/advise.h"

static bool is_fixed(const struct graph *graph)
{
	for (uint32_t t = 0; t < graph->n_tensors; t++)
		if (graph->tensors[t].pinned)
			return true;
	return graph->n_ops == 0;
}

/* Less than a thousandth is not worth a line. */
static bool helps(const struct problem *problem, uint64_t peak)
{
	uint64_t least = problem->theoretical_min;

	return peak < least && least - peak >= least / 1000;
}

/* Behind n others, lowest peak first; of equal ones, the one that was found
 * first. */
static void insert(struct advice *at, uint32_t n, const struct advice *advice)
{
	for (; n > 0 && at[n - 1].peak > advice->peak; n--)
		at[n] = at[n - 1];
	at[n] = *advice;
}

/* Measures each candidate and keeps those of its kind that help, lowest peak
 * first; of equal ones, the one that was found first. */
static bool measure(const struct schedule *schedule, bool inplace,
	const struct watch *watch, struct advice *at, uint32_t *n,
	struct arena *arena, struct error *e)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < *n; i++) {
		struct advice advice = at[i];

		mp_watch_tell(watch, 0);
		if (!mp_advise_variant_measure(
			    schedule, inplace, &advice, arena, e))
			return false;
		if (helps(&schedule->problem, advice.peak))
			insert(at, kept++, &advice);
	}
	*n = kept;
	return true;
}

/* The kind with the best next candidate; one turn is one of each kind. */
static uint32_t next_kind(
	const struct candidates *c, const uint32_t *taken, uint32_t turn)
{
	uint32_t best = N_ADVICE;

	for (uint32_t kind = 0; kind < N_ADVICE; kind++)
		if (taken[kind] == turn && turn < c->n[kind] &&
			(best == N_ADVICE || c->at[kind][turn].peak <
						     c->at[best][turn].peak))
			best = kind;
	return best;
}

static bool is_told(
	const struct advice *told, uint32_t n, const struct advice *advice)
{
	for (uint32_t i = 0; i < n; i++)
		if (told[i].kind == advice->kind && told[i].op == advice->op &&
			told[i].kind != ADVICE_SWAP)
			return true;
	return false;
}

/* The best of each kind, then the second best, as far as there is room. */
static void choose(
	const struct candidates *c, struct advice *advice, uint32_t *n)
{
	uint32_t taken[N_ADVICE] = {0}, kind;

	*n = 0;
	for (uint32_t turn = 0; turn < CANDIDATES_MOST; turn++)
		while (*n < ADVICE_MOST &&
			(kind = next_kind(c, taken, turn)) != N_ADVICE) {
			taken[kind]++;
			if (!is_told(advice, *n, &c->at[kind][turn]))
				insert(advice, (*n)++, &c->at[kind][turn]);
		}
}

bool mp_advise(const struct schedule *schedule, bool inplace,
	const struct watch *watch, struct advice *advice, uint32_t *n,
	struct arena *arena, struct error *e)
{
	struct candidates candidates;

	*n = 0;
	if (is_fixed(schedule->graph) || schedule->problem.theoretical_min == 0)
		return true;
	if (!mp_advise_candidates_find(schedule, &candidates, arena))
		return false;
	for (uint32_t kind = 0; kind < N_ADVICE; kind++)
		if (!measure(schedule, inplace, watch, candidates.at[kind],
			    &candidates.n[kind], arena, e))
			return false;
	choose(&candidates, advice, n);
	return true;
}
