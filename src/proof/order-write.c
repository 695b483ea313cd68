/*
 * Writes a proof of a bound on all orders: flows for its members, or a list of
 * sets of ops. A bound that cannot be proved so is left out, with a warning.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <string.h>

#include "base/sink-text.h"
#include "order/order.h"
#include "order/search/certify.h"
#include "order/search/every-order.h"
#include "proof/inside.h"

struct writer {
	const struct graph *graph;
	const struct order_bound *claim;
	const uint32_t *number; /* of a tensor */
	struct sink *sink;
	struct arena *scratch;
};

static void write_problem(const struct writer *w)
{
	mp_proof_order_problem(
		w->graph, w->claim, w->number, w->sink, w->scratch);
	mp_sink_print(w->sink, "bound %" PRIu64 "\n", w->claim->bytes);
}

/* ------------------------------------------------------------ flows */

static void write_head(const struct writer *w)
{
	const struct ids *ops = &w->claim->ops;

	write_problem(w);
	mp_sink_text(w->sink, w->claim->first ? "first" : "last");
	mp_proof_list(w->sink, ops->at, ops->n);
}

static bool write_member(
	void *context, uint32_t member, const struct certificate *flow)
{
	const struct writer *w = context;

	if (!flow->arcs)
		return true; /* it cannot be that member */
	mp_sink_print(w->sink, "member %u\n", w->claim->ops.at[member]);
	return mp_proof_paths(w->graph, w->number, flow, w->sink, w->scratch);
}

/* Takes back what it wrote if a member refutes the claim. */
static void write_flows(struct writer *w)
{
	struct error doubt = {0};
	size_t before = w->sink->length;

	write_head(w);
	if (mp_order_certify_members(
		    w->graph, w->claim, write_member, w, w->scratch, &doubt))
		mp_sink_text(w->sink, "end\n");
	else
		w->sink->length = before;
}

/* ------------------------------------------------------------- sets */

static void write_sets(const struct writer *w)
{
	enum replay_outcome outcome;
	struct order_sets sets;
	bool group = false;

	if (!mp_order_replay(w->graph, w->claim, &outcome, &sets, w->scratch) ||
		outcome != REPLAY_REFUTED)
		return;
	write_problem(w);
	mp_sink_text(w->sink, "sets");
	for (uint32_t i = 1; i < sets.n; i++) {
		const struct order_set *set = &sets.at[i];
		bool begins = i == 1 || set->from != i - 1 ||
			      (!set[-1].on_way && (group || set->on_way));

		group = begins ? set->on_way : group;
		if (begins)
			mp_sink_print(w->sink, "\n%s %u",
				group ? "group" : "after", set->from);
		mp_sink_print(w->sink, " %u", set->op);
	}
	mp_sink_text(w->sink, "\nend\n");
}

static void write_bound(
	const struct schedule *s, struct sink *sink, struct arena *scratch)
{
	struct writer w = {.graph = s->graph,
		.claim = &s->order_bound,
		.sink = sink,
		.scratch = scratch};
	uint32_t n;

	w.number = mp_proof_number_tensors(s->graph, &n, scratch);
	if (w.number && w.claim->ops.n > 0 &&
		strcmp(w.claim->kind, ORDER_BOUND_FEW) != 0)
		write_flows(&w);
	else if (w.number)
		write_sets(&w);
}

void mp_proof_write_order(
	const struct schedule *s, struct sink *sink, struct arena *scratch)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	size_t before = sink->length;

	if (s->order_bound.bytes == 0)
		return;
	if (s->graph->n_ops > 0 && mp_order_fold_is_exact(s->graph))
		write_bound(s, sink, scratch);
	if (sink->length == before)
		mp_warn(sink->error,
			"the proof shows no bound on all orders; that of "
			"%" PRIu64 " is a claim",
			s->order_bound.bytes);
	mp_arena_rewind(scratch, mark);
}
