/*
 * Relations of tensors become relations of buffers: which two are to be apart,
 * and which are of exclusive branches.
 *
 * SPDX-License-Identifier: MIT
 */
#include "lifetime/inside.h"

/* ------------------------------------------------------------ apart */

static bool contradicts(const struct sharing *s, const struct tensor_pair *p)
{
	return mp_fail(s->error, MEMPLAN_EINPUT,
		"%s: tensors '%.80s' and '%.80s' are to be apart, but are "
		"bytes of one buffer",
		s->graph->place,
		mp_graph_tensor_label(&s->graph->tensors[p->a]),
		mp_graph_tensor_label(&s->graph->tensors[p->b]));
}

/* Do two tensors of one buffer share a byte? Members of a group do not, nor do
 * neighbouring slices. */
static bool share_bytes(const struct sharing *s, uint32_t a, uint32_t b)
{
	const struct tensor *tensors = s->graph->tensors;
	uint64_t low = s->stay[a].base, other = s->stay[b].base;

	return low < other + tensors[b].size && other < low + tensors[a].size;
}

/* An output never takes over from a tensor that it is to be apart from, so two
 * tensors of one buffer are tied by the input. */
static bool list_pairs(
	const struct sharing *s, struct tensor_pair *pairs, uint32_t *n)
{
	const struct ties *ties = &s->graph->ties;

	*n = 0;
	for (uint32_t i = 0; i < ties->n_apart; i++) {
		const struct tensor_pair *pair = &ties->apart[i];
		uint32_t a = s->stay[pair->a].buffer;
		uint32_t b = s->stay[pair->b].buffer;

		if (a == b && a != NONE && share_bytes(s, pair->a, pair->b))
			return contradicts(s, pair);
		if (a == NONE || b == NONE || a == b)
			continue;
		pairs[(*n)++] = (struct tensor_pair){a, b};
	}
	return true;
}

static bool fill_apart(struct sharing *s)
{
	uint32_t n = s->graph->ties.n_apart;
	struct tensor_pair *pairs = NEW(s->scratch, struct tensor_pair, n);

	return pairs && list_pairs(s, pairs, &n) &&
	       mp_problem_keep_apart(
		       s->problem, pairs, n, s->arena, s->scratch);
}

/* --------------------------------------------------------- branches */

/* If no buffer is of a branch, the problem has no choices. */
static void keep_choices(
	struct problem *p, const uint32_t *choice, const uint32_t *branch)
{
	for (uint32_t i = 0; i < p->n_buffers; i++)
		if (choice[i] != NONE) {
			p->choice = choice;
			p->branch = branch;
		}
	if (!p->choice)
		p->n_choices = 0;
}

static void count_tensors(const struct sharing *s, uint32_t *count)
{
	for (uint32_t t = 0; t < s->graph->n_tensors; t++)
		if (s->stay[t].buffer != NONE)
			count[s->stay[t].buffer]++;
}

/* A buffer gets the branch of its first tensor that has one. chosen counts its
 * tensors of that branch. */
static void choose(
	struct sharing *s, uint32_t *choice, uint32_t *branch, uint32_t *chosen)
{
	const struct ties *ties = &s->graph->ties;
	struct problem *p = s->problem;

	for (uint32_t i = 0; i < ties->n_branches; i++) {
		const struct tensor_branch *at = &ties->branches[i];
		uint32_t buffer = s->stay[at->tensor].buffer;

		if (buffer == NONE ||
			mp_schedule_outlives(s->schedule, at->tensor))
			continue;
		if (chosen[buffer] == 0) {
			choice[buffer] = at->choice;
			branch[buffer] = at->branch;
		}
		chosen[buffer] += choice[buffer] == at->choice &&
				  branch[buffer] == at->branch;
		if (at->choice >= p->n_choices)
			p->n_choices = at->choice + 1;
	}
}

/* A buffer is of a branch if all of its tensors are. */
static bool fill_branches(struct sharing *s)
{
	struct problem *p = s->problem;
	uint32_t *choice = NEW(s->arena, uint32_t, p->n_buffers);
	uint32_t *branch = NEW(s->arena, uint32_t, p->n_buffers);
	uint32_t *count = NEW(s->scratch, uint32_t, p->n_buffers);
	uint32_t *chosen = NEW(s->scratch, uint32_t, p->n_buffers);

	if (!choice || !branch || !count || !chosen)
		return false;
	count_tensors(s, count);
	choose(s, choice, branch, chosen);
	for (uint32_t i = 0; i < p->n_buffers; i++)
		if (count[i] == 0 || chosen[i] != count[i])
			choice[i] = NONE;
	keep_choices(p, choice, branch);
	return true;
}

bool mp_lifetime_relations_fill(struct sharing *s)
{
	const struct ties *ties = &s->graph->ties;

	return (ties->n_apart == 0 || fill_apart(s)) &&
	       (ties->n_branches == 0 || fill_branches(s));
}
