/*
 * A run takes one branch of every choice. Which ones the rounds of the run
 * take: all pairs of branches meet in some round, unless there are too many.
 *
 * SPDX-License-Identifier: MIT
 */
#include "verify/run.h"

enum {
	MOST_ROUNDS = 64, /* of choices of branches */
};

/* ------------------------------------------------------------- flat */

static bool is_prime(uint32_t n)
{
	for (uint32_t i = 2; i * i <= n; i++)
		if (n % i == 0)
			return false;
	return n > 1;
}

/* Any two branches of two choices run together in some round (an orthogonal
 * array of strength two), unless there are too many. */
static uint32_t branch_in(uint32_t choice, uint32_t round, uint32_t prime)
{
	if (prime * prime > MOST_ROUNDS)
		return round;
	return (round / prime + round % prime * choice) % prime;
}

static uint32_t find_prime(const struct ties *ties)
{
	uint32_t prime = 2;

	for (uint32_t i = 0; i < ties->n_branches; i++) {
		const struct tensor_branch *b = &ties->branches[i];
		uint32_t most = b->choice > b->branch ? b->choice : b->branch;

		prime = most + 1 > prime ? most + 1 : prime;
	}
	while (!is_prime(prime))
		prime++;
	return prime;
}

/* ----------------------------------------------------------- nested */

/* A number that depends on both in no simple way. */
static uint32_t mix(uint32_t a, uint32_t b)
{
	uint64_t x = ((uint64_t)a << 32 | b) * UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
	return (uint32_t)(x >> 32);
}

/* Innermost branches rarely run by chance. So each round goes to a tensor,
 * through all branches around it; all other choices are random. */
static void choose_nested(struct run_check *r, uint32_t round)
{
	const struct ties *ties = &r->graph->ties;
	const struct tensor_branch *goal;
	struct choice_site at;

	for (uint32_t c = 0; c < ties->n_sites; c++)
		r->taken[c] = r->counts[c] ? mix(round, c) % r->counts[c] : 0;
	if (ties->n_branches == 0)
		return;
	goal = &ties->branches[(uint64_t)round * ties->n_branches /
			       MOST_ROUNDS];
	if (ties->n_branches < MOST_ROUNDS)
		goal = &ties->branches[round % ties->n_branches];
	at = (struct choice_site){goal->choice, goal->branch};
	for (; at.choice != NONE; at = ties->sites[at.choice])
		r->taken[at.choice] = at.branch;
}

/* Of each choice: one more than its last branch that has anything. */
static void count_branches(struct run_check *r)
{
	const struct ties *ties = &r->graph->ties;

	for (uint32_t i = 0; i < ties->n_branches; i++) {
		const struct tensor_branch *b = &ties->branches[i];

		if (r->counts[b->choice] <= b->branch)
			r->counts[b->choice] = b->branch + 1;
	}
	for (uint32_t i = 0; i < ties->n_sites; i++) {
		struct choice_site site = ties->sites[i];

		if (site.choice != NONE &&
			r->counts[site.choice] <= site.branch)
			r->counts[site.choice] = site.branch + 1;
	}
}

/* ------------------------------------------------------------- both */

bool mp_verify_run_branches(struct run_check *r)
{
	const struct ties *ties = &r->graph->ties;
	uint32_t n = r->graph->n_tensors;

	r->site = NEW(r->scratch, struct choice_site, n);
	r->n_choices = mp_graph_ties_choices(ties);
	r->taken = NEW(r->scratch, uint32_t, r->n_choices);
	r->counts = NEW(r->scratch, uint32_t, r->n_choices);
	if (!r->site || !r->taken || !r->counts)
		return false;
	for (uint32_t t = 0; t < n; t++)
		r->site[t].choice = NONE;
	for (uint32_t i = 0; i < ties->n_branches; i++) {
		const struct tensor_branch *b = &ties->branches[i];
		uint8_t kind = r->graph->tensors[b->tensor].kind;

		if (kind != KIND_STATE && kind != KIND_WEIGHT)
			r->site[b->tensor] =
				(struct choice_site){b->choice, b->branch};
	}
	count_branches(r);
	r->prime = find_prime(ties);
	return true;
}

uint32_t mp_verify_run_rounds(const struct run_check *r)
{
	uint32_t prime = r->prime;
	uint32_t rounds = prime > 7 ? prime : prime * prime;

	if (r->graph->ties.n_branches == 0)
		return 1;
	if (r->graph->ties.sites)
		return MOST_ROUNDS;
	return rounds < MOST_ROUNDS ? rounds : MOST_ROUNDS;
}

static bool runs(const struct run_check *r, struct choice_site at)
{
	const struct ties *ties = &r->graph->ties;

	while (at.choice != NONE && r->taken[at.choice] == at.branch)
		at = mp_graph_ties_site(ties, at.choice);
	return at.choice == NONE;
}

/* A name of what another branch would have written is not there either. */
void mp_verify_run_choose(struct run_check *r, uint32_t round)
{
	const struct graph *g = r->graph;

	if (g->ties.sites)
		choose_nested(r, round);
	else
		for (uint32_t c = 0; c < r->n_choices; c++)
			r->taken[c] = branch_in(c, round, r->prime);
	for (uint32_t t = 0; t < g->n_tensors; t++)
		r->alive[t] = mp_verify_run_takes_bytes(&g->tensors[t]) &&
			      runs(r, r->site[t]) &&
			      runs(r, r->site[r->writer[t]]);
}
