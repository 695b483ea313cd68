/*
 * Live memory while an order runs. Every rule mirrors one of
 * src/lifetime/lifetime.c; test-view.c compares the two.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/view.h"

#include <assert.h>

static bool prepare_pairs(
	struct live *live, const struct view *view, struct arena *arena)
{
	uint32_t most = 0;

	for (uint32_t op = 0; op < view->n_ops; op++)
		most = (uint32_t)num_max(
			most, view->first_pair[op + 1] - view->first_pair[op]);
	live->permitted = NEW(arena, struct shared_pair, most);
	return live->permitted &&
	       mp_graph_matcher_init(&live->matcher, view->n_tensors, arena);
}

bool mp_order_live_init(
	struct live *live, const struct view *view, struct arena *arena)
{
	*live = (struct live){0};
	live->left = NEW(arena, uint32_t, view->n_tensors);
	if (!live->left)
		return false;
	if (view->pairs && !prepare_pairs(live, view, arena))
		return false;
	mp_order_live_reset(live, view);
	return true;
}

void mp_order_live_reset(struct live *live, const struct view *view)
{
	for (uint32_t t = 0; t < view->n_tensors; t++)
		live->left[t] = view->users.first[t + 1] - view->users.first[t];
	live->now = view->always + view->at_start;
	live->step = 0;
}

/* Bytes that in-place pairs save at the step. */
static uint64_t saved_inplace(
	struct live *live, const struct view *view, uint32_t op)
{
	uint32_t n = 0;

	if (!view->pairs)
		return 0;
	for (uint32_t i = view->first_pair[op]; i < view->first_pair[op + 1];
		i++) {
		const struct view_pair *pair = &view->pairs[i];

		if (live->left[pair->input] == 1)
			live->permitted[n++] = (struct shared_pair){
				pair->output, pair->input, false,
				mp_order_view_shared(view, pair)};
	}
	return n == 1 ? live->permitted[0].bytes
		      : mp_graph_match_pairs(
				&live->matcher, live->permitted, n);
}

uint64_t mp_order_live_cost(
	struct live *live, const struct view *view, uint32_t op)
{
	uint64_t cost =
		live->now + view->out[op] - saved_inplace(live, view, op);

	return view->pinned ? cost + view->pinned[live->step] : cost;
}

uint64_t mp_order_live_freed(
	const struct live *live, const struct view *view, uint32_t op)
{
	struct ids inputs = mp_lists_at(&view->inputs, op);
	uint64_t freed = 0;

	for (uint32_t i = 0; i < inputs.n; i++)
		if (live->left[inputs.at[i]] == 1)
			freed += view->size[inputs.at[i]];
	return freed;
}

uint64_t mp_order_live_run(
	struct live *live, const struct view *view, uint32_t op)
{
	struct ids inputs = mp_lists_at(&view->inputs, op);
	uint64_t cost = mp_order_live_cost(live, view, op);

	assert(live->step < view->n_ops);
	live->now += view->out[op] - view->dead[op];
	for (uint32_t i = 0; i < inputs.n; i++) {
		assert(live->left[inputs.at[i]] > 0);
		if (--live->left[inputs.at[i]] == 0)
			live->now -= view->size[inputs.at[i]];
	}
	live->step++;
	return cost;
}

uint64_t mp_order_view_profile(const struct view *view, const uint32_t *ops,
	struct live *live, uint64_t *costs)
{
	uint64_t peak = 0, cost;

	mp_order_live_reset(live, view);
	for (uint32_t i = 0; i < view->n_ops; i++) {
		cost = mp_order_live_run(live, view, ops[i]);
		peak = num_max(peak, cost);
		if (costs)
			costs[i] = cost;
	}
	return peak;
}
