/*
 * verdict: what memplan check confirmed. Sizes are exact, with a rounded unit
 * behind them.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "emit/inside.h"
#include "emit/report.h"
#include "emit/rows.h"

/* Each kind of bound, and whether the check has just derived it again. */
static void print_bound(const struct plan *plan, struct sink *sink)
{
	const struct schedule *schedule = plan->schedule;

	mp_sink_print(sink, "  lower bound          %s",
		mp_emit_bytes(plan->lower_bound).text);
	if (plan->bound_kind == BOUND_PROOF)
		mp_sink_text(sink, ", the proof was replayed\n");
	else if (plan->bound_kind == BOUND_SEARCH && !plan->spaces.at)
		mp_sink_text(sink, ", derived again: all that is smaller was "
				   "refuted\n");
	else if (plan->bound_kind == BOUND_PIN)
		mp_sink_print(
			sink, ", derived again: fixed offsets or alignment\n");
	else if (plan->bound_kind == BOUND_CLIQUE && !plan->spaces.at)
		mp_sink_print(sink,
			", derived again: %u tensor%s that never share a "
			"byte\n",
			plan->clique.n, mp_text_plural(plan->clique.n));
	else if (plan->spaces.at)
		mp_sink_print(sink, ", derived again, pool by pool\n");
	else if (mp_problem_over_timings(&schedule->problem))
		mp_sink_print(sink,
			", derived again: %u part%s that may be alive "
			"together\n",
			schedule->problem.n_antichain,
			mp_text_plural(schedule->problem.n_antichain));
	else if (schedule->problem.n_steps > 0)
		mp_sink_print(sink,
			", derived again: what is alive at %s %lld\n",
			mp_problem_axis(&schedule->problem),
			(long long)mp_problem_time(&schedule->problem,
				schedule->problem.peak_step));
	else
		mp_sink_print(sink, "\n");
}

static struct piece plain_kind(const char *kind)
{
	return mp_emit_plain(kind ? kind : "unknown");
}

/* Two kinds of claims: of a search, which no one can follow without a proof
 * file, and of offsets that the graph fixed. */
static void print_claim(const struct plan *plan, struct sink *sink)
{
	if (plan->claimed_bound > 0)
		mp_sink_print(sink,
			"  claimed bound        %s, kind %s, not derived "
			"again\n",
			mp_emit_bytes(plan->claimed_bound).text,
			plain_kind(plan->claimed_kind).text);
}

/* A sum that was added up again, beside what the plan says is the least. */
static void print_sum(struct sink *sink, const char *label, uint64_t cost,
	uint64_t bound, uint64_t claimed)
{
	mp_sink_print(sink,
		"  %-20s %" PRIu64 " (added up again), at least %" PRIu64,
		label, cost, bound);
	if (claimed > 0)
		mp_sink_print(sink, " (claimed: %" PRIu64 ")", claimed);
	mp_sink_text(sink, "\n");
}

static void print_costs(const struct plan *plan, struct sink *sink)
{
	if (plan->schedule->graph->ties.n_costs > 0)
		print_sum(sink, "reuse cost", plan->reuse_cost,
			plan->reuse_cost_bound, plan->claimed_cost_bound);
	if (mp_emit_has_banks(plan->schedule))
		print_sum(sink, "bank cost", plan->banks.cost,
			plan->banks.bound, plan->banks.claimed);
}

static void print_order_bound(const struct results *results, struct sink *sink)
{
	const struct schedule *s = results->schedule;

	if (!s->order_bound.bytes)
		return;
	mp_sink_print(sink, "  any order            %s",
		mp_emit_bytes(s->order_bound.bytes).text);
	if (results->replayed)
		mp_sink_text(sink, ", the proof was replayed\n");
	else if (results->confirmed && s->order_bound.ops.n == 0)
		mp_sink_text(sink, ", all orders were searched again\n");
	else if (results->confirmed)
		mp_sink_print(sink, ", derived again: %s of %u\n",
			s->order_bound.kind, s->order_bound.ops.n);
	else
		mp_sink_print(sink, ", claimed, kind %s, not derived again\n",
			plain_kind(s->order_bound.kind).text);
}

void mp_emit_verdict(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	const struct plan *plan = results->plan;
	const struct schedule *schedule = plan->schedule;

	(void)scratch;
	mp_sink_print(sink,
		"%s: valid\n  checked              %u tensor%s in %u buffer%s "
		"over %u step%s, no overlap\n  arena                %s\n"
		"  theoretical minimum  %s\n",
		mp_emit_plain(schedule->graph->name).text,
		schedule->graph->n_tensors,
		mp_text_plural(schedule->graph->n_tensors),
		schedule->problem.n_buffers,
		mp_text_plural(schedule->problem.n_buffers),
		schedule->problem.n_steps,
		mp_text_plural(schedule->problem.n_steps),
		mp_emit_bytes(plan->arena_size).text,
		mp_emit_bytes(schedule->problem.theoretical_min).text);
	for (uint32_t i = 0; i < plan->spaces.n; i++) {
		const struct space *space = &plan->spaces.at[i];

		mp_sink_print(sink, "  in pool %s: %s",
			mp_emit_plain(space->name).text,
			mp_emit_bytes(space->size).text);
		if (space->capacity != NO_CAPACITY)
			mp_sink_print(sink, " of %s",
				mp_emit_bytes(space->capacity).text);
		mp_sink_text(sink, "\n");
	}
	print_bound(plan, sink);
	print_claim(plan, sink);
	print_costs(plan, sink);
	print_order_bound(results, sink);
	mp_emit_buckets_verdict(sink, plan);
	if (plan->pairs_bound > 0)
		mp_sink_print(sink, "  other pairs          %s or more\n",
			mp_emit_bytes(plan->pairs_bound).text);
	mp_sink_print(sink, "  optimal              %s\n",
		mp_plan_is_optimal(plan) ? "yes, proved"
		: plan->claimed_bound == plan->arena_size
			? "as claimed, not proved"
			: "not proved");
}
