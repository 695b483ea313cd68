/*
 * Live memory while an order runs. Every rule mirrors one of
 * src/lifetime/lifetime.c; test-view.c compares the two.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/view.h"

#include <assert.h>
#include <string.h>

bool mp_order_live_init(
	struct live *live, const struct view *view, struct arena *arena)
{
	*live = (struct live){0};
	live->left = NEW(arena, uint32_t, view->n_tensors);
	if (!live->left)
		return false;
	if (view->pairs) {
		live->born = NEW(arena, uint32_t, view->n_tensors);
		live->taken = NEW(arena, uint32_t, view->n_tensors);
		if (!live->born || !live->taken)
			return false;
	}
	mp_order_live_reset(live, view);
	return true;
}

void mp_order_live_reset(struct live *live, const struct view *view)
{
	for (uint32_t t = 0; t < view->n_tensors; t++)
		live->left[t] = view->users.first[t + 1] - view->users.first[t];
	live->now = view->always + view->at_start;
	live->step = 0;
	live->query = 0;
	if (!view->pairs)
		return;
	memset(live->born, 0, sizeof(*live->born) * view->n_tensors);
	memset(live->taken, 0, sizeof(*live->taken) * view->n_tensors);
}

/* Does the output take over the input's bytes? Then only the larger of the two
 * counts at this step: a larger output has the bytes from this step on, a
 * smaller one from the next. */
static bool takes_over(struct live *live, const struct view *view,
	const struct view_pair *pair)
{
	bool larger = view->size[pair->output] >= view->size[pair->input];

	if (live->left[pair->input] != 1 ||
		live->born[pair->input] >= live->step ||
		live->taken[pair->input] == live->query ||
		live->taken[pair->output] == live->query)
		return false;
	if (!larger && mp_order_view_is_brief(view, pair->output, live->step))
		return false;
	live->taken[pair->input] = live->query;
	live->taken[pair->output] = live->query;
	live->born[pair->output] = live->step + !larger;
	return true;
}

/* Bytes that in-place pairs save at the step. */
static uint64_t saved_inplace(
	struct live *live, const struct view *view, uint32_t op)
{
	struct ids outputs;
	uint64_t sum = 0;

	if (!view->pairs)
		return 0;
	outputs = mp_lists_at(&view->outputs, op);
	for (uint32_t i = 0; i < outputs.n; i++)
		live->born[outputs.at[i]] = live->step;
	live->query++;
	for (uint32_t i = view->first_pair[op]; i < view->first_pair[op + 1];
		i++)
		if (takes_over(live, view, &view->pairs[i]))
			sum += mp_order_view_shared(view, &view->pairs[i]);
	return sum;
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
