/*
 * Claims derived again: members by their certificates, a few ops in every
 * order, and without ops all orders.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/search/certify.h"

#include <string.h>

#include "base/sink-text.h"
#include "order/search/every-order.h"
#include "order/search/inside.h"

static bool has_ops(const struct graph *graph, const struct order_bound *claim,
	struct error *e)
{
	for (uint32_t i = 0; i < claim->ops.n; i++)
		if (claim->ops.at[i] >= graph->n_ops)
			return mp_fail(e, MEMPLAN_NO,
				"%s: the bound of the order speaks of ops that "
				"the graph does not have",
				graph->place);
	return true;
}

bool mp_order_certify_members(const struct graph *graph,
	const struct order_bound *claim, certificate_fn *see, void *context,
	struct arena *arena, struct error *e)
{
	struct arena_mark mark = mp_arena_mark(arena);
	struct view view;
	struct cut cut;
	bool fine = has_ops(graph, claim, e) &&
		    mp_order_view_init(&view, graph, claim->inplace, arena) &&
		    mp_order_cut_init(&cut, &view, true, arena);

	for (uint32_t i = 0; fine && i < claim->ops.n; i++) {
		struct arena_mark member = mp_arena_mark(arena);
		struct order_moment moment = mp_order_moment_of(claim, i);
		struct certificate flow;

		fine = mp_order_certify(&cut, &moment, &flow, arena) &&
		       mp_order_certificate_check(
			       graph, &moment, &flow, arena, e) &&
		       (!see || see(context, i, &flow));
		mp_arena_rewind(arena, member);
	}
	mp_arena_rewind(arena, mark);
	return fine;
}

/* Is some tensor alive at fixed steps? The search again leaves these out. */
static bool has_fixed_steps(const struct graph *graph)
{
	for (uint32_t t = 0; t < graph->n_tensors; t++) {
		const struct tensor *tensor = &graph->tensors[t];

		if (!tensor->external && tensor->size > 0 &&
			(tensor->pinned ||
				(tensor->producer == NONE &&
					mp_graph_readers(graph, tensor).n ==
						0)))
			return true;
	}
	return false;
}

/* A bound that names no ops is by search. */
static bool search_again(const struct graph *graph,
	const struct order_bound *claim, bool *confirmed, struct arena *arena,
	struct error *e)
{
	enum replay_outcome outcome;

	if (!mp_order_replay(graph, claim, &outcome, NULL, arena))
		return false;
	*confirmed = outcome == REPLAY_REFUTED;
	return outcome != REPLAY_FOUND || claim->inplace ||
	       has_fixed_steps(graph) ||
	       mp_fail(e, MEMPLAN_NO,
		       "%s: bound of the order: it claims %llu byte%s, and an "
		       "order takes less",
		       graph->place, (unsigned long long)claim->bytes,
		       mp_text_plural(claim->bytes));
}

bool mp_order_certify_claim(const struct graph *graph,
	const struct order_bound *claim, bool *confirmed, struct arena *arena,
	struct error *e)
{
	*confirmed = false;
	if (claim->bytes == 0 || !mp_order_fold_is_exact(graph))
		return true;
	if (claim->ops.n == 0)
		return search_again(graph, claim, confirmed, arena, e);
	if (claim->kind && strcmp(claim->kind, ORDER_BOUND_FEW) == 0)
		return has_ops(graph, claim, e) &&
		       mp_order_certify_few(graph, claim, confirmed, arena, e);
	*confirmed =
		mp_order_certify_members(graph, claim, NULL, NULL, arena, e);
	return *confirmed;
}
