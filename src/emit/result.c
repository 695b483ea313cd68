/*
 * result: the numbers of a plan as one JSON object, what --json prints. Sizes
 * are integers of bytes; what is not known is null.
 *
 * answer: the same for a store: with a small picture of the load, and without
 * the time that planning took, so that it is the same on every machine.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "emit/inside.h"
#include "emit/json-text.h"
#include "emit/rows.h"

enum {
	SPANS = 64 /* of the steps, in an answer */
};

static void planned(struct sink *sink, const struct results *results)
{
	const struct plan *plan = results->plan;
	const struct schedule *s = plan->schedule;
	bool claimed = s->order_bound_claimed && !results->confirmed;

	mp_emit_json_text(sink, JSON_LINE, "planner",
		s->graph->bundle.n > 0 ? mp_plan_planner(plan) : plan->planner);
	JSON_NUMBERS(sink, JSON_LINE, {"arena_size", plan->arena_size},
		{"theoretical_min", s->problem.theoretical_min});
	if (s->problem.n_streams > 1)
		JSON_NUMBERS(sink, JSON_LINE, {"streams", s->problem.n_streams},
			{"theoretical_min_listed", s->problem.listed_min});
	mp_emit_json_number(sink, JSON_LINE, "lower_bound", plan->lower_bound);
	mp_emit_json_text(sink, JSON_LINE, "bound_kind",
		mp_problem_bound_name(plan->bound_kind));
	if (plan->bound_kind == BOUND_SEARCH)
		mp_emit_json_number(
			sink, JSON_LINE, "bound_steps", plan->bound_steps);
	mp_emit_json_number(
		sink, JSON_LINE, "lower_bound_order", s->order_bound.bytes);
	mp_emit_json_text(sink, JSON_LINE, "lower_bound_order_kind",
		claimed ? "claim" : s->order_bound.kind);
	if (s->least_peak)
		mp_emit_json_number(
			sink, JSON_LINE, "least_peak", s->least_peak);
	mp_emit_json_key(sink, JSON_LINE, "ratio");
	mp_sink_ratio(sink, plan->arena_size, s->problem.theoretical_min, 9);
	if (plan->pairs_bound > 0)
		mp_emit_json_number(
			sink, JSON_LINE, "pairs_bound", plan->pairs_bound);
	mp_emit_json_bool(sink, JSON_LINE, "optimal", mp_plan_is_optimal(plan));
	mp_emit_json_claim(sink, JSON_LINE, plan);
}

static void pools(
	struct sink *sink, const struct plan *plan, struct arena *scratch)
{
	const struct spaces *spaces = &plan->spaces;

	if (!spaces->at)
		return;
	mp_emit_json_pools(sink, plan, false);
	JSON_NUMBERS(sink, JSON_LINE, {"spilled", spaces->n_spilled},
		{"spilled_bytes", spaces->spilled},
		{"spilled_traffic", spaces->traffic});
	mp_emit_spilled_json(sink, plan, scratch);
}

static void detours(struct sink *sink, const struct detour_sums *sums)
{
	if (!sums)
		return;
	mp_emit_json_number(sink, JSON_LINE, "budget", sums->budget);
	mp_emit_json_text(sink, JSON_LINE, "copy_mode", sums->copy_mode);
	JSON_NUMBERS(sink, JSON_LINE, {"written", sums->n_written},
		{"written_bytes", sums->written}, {"read", sums->n_read},
		{"read_bytes", sums->read}, {"recomputed", sums->n_recomputed},
		{"run_nanoseconds", sums->after},
		{"run_nanoseconds_before", sums->before});
}

static void cost(struct sink *sink, const struct plan *plan)
{
	if (plan->schedule->graph->ties.n_costs == 0)
		return;
	JSON_NUMBERS(sink, JSON_LINE, {"reuse_cost", plan->reuse_cost},
		{"reuse_cost_bound", plan->reuse_cost_bound},
		{"reuse_cost_pairs", plan->n_paid});
	if (plan->claimed_cost_bound > 0)
		mp_emit_json_number(sink, JSON_LINE, "reuse_cost_claimed",
			plan->claimed_cost_bound);
}

static void banks(struct sink *sink, const struct plan *plan)
{
	const struct bank_sums *banks = &plan->banks;

	if (!mp_emit_has_banks(plan->schedule))
		return;
	JSON_NUMBERS(sink, JSON_LINE, {"bank_cost", banks->cost},
		{"bank_cost_bound", banks->bound},
		{"bank_cost_pairs", banks->n_paid},
		{"bank_pairs", banks->n_pairs});
	if (banks->claimed > 0)
		mp_emit_json_number(
			sink, JSON_LINE, "bank_cost_claimed", banks->claimed);
}

static void reuse(struct sink *sink, const struct reuse_sums *sums)
{
	if (!sums)
		return;
	JSON_NUMBERS(sink, JSON_LINE, {"reuse_edges", sums->edges},
		{"reuse_edges_cross_stream", sums->crossing},
		{"reuse_hazards", sums->hazards});
	if (!sums->minimised)
		return;
	JSON_NUMBERS(sink, JSON_LINE, {"reuse_edges_before", sums->before},
		{"reuse_edges_lower_bound", sums->least});
}

static void near(struct sink *sink, const struct near_sums *sums)
{
	if (!sums)
		return;
	mp_emit_json_text(sink, JSON_LINE, "near", sums->plan);
	JSON_NUMBERS(sink, JSON_LINE, {"kept_tensors", sums->n_kept},
		{"kept_bytes", sums->kept}, {"moved_tensors", sums->n_moved},
		{"moved_bytes", sums->moved}, {"new_tensors", sums->n_new},
		{"moved_tensors_anew", sums->n_anew},
		{"moved_bytes_anew", sums->anew},
		{"arena_size_anew", sums->anew_arena});
}

static void numbers(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	const struct plan *plan = results->plan;
	const struct schedule *s = plan->schedule;
	struct extent states = mp_plan_states(plan);

	mp_emit_json_counts(sink, s);
	mp_emit_json_rounding(sink, s);
	mp_emit_json_text(sink, JSON_LINE, "order", s->order_name);
	planned(sink, results);
	pools(sink, plan, scratch);
	mp_emit_json_number(
		sink, JSON_LINE, "total_size", s->problem.total_size);
	mp_emit_json_step(
		sink, JSON_LINE, "peak_step", s, s->problem.peak_step);
	mp_emit_bundle_json(sink, plan);
	mp_emit_buckets_json(sink, plan, false);
	if (states.size > 0)
		JSON_NUMBERS(sink, JSON_LINE, {"states_offset", states.base},
			{"states_size", states.size});
	if (s->n_inplace > 0)
		JSON_NUMBERS(sink, JSON_LINE, {"inplace_pairs", s->n_inplace},
			{"inplace_shared", mp_emit_inplace_shared(s)});
	cost(sink, plan);
	banks(sink, plan);
	reuse(sink, results->reuse);
	near(sink, results->near);
	if (results->same && results->same->arena_apart != UINT64_MAX)
		mp_emit_json_number(sink, JSON_LINE, "arena_size_apart",
			results->same->arena_apart);
	detours(sink, results->detours);
	mp_emit_json_bool(sink, JSON_LINE, "cut_short", plan->cut_short);
}

void mp_emit_result(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	numbers(results, sink, scratch);
	mp_emit_json_key(sink, JSON_LINE, "seconds");
	mp_sink_seconds(sink, results->plan->seconds);
	mp_sink_text(sink, "\n}\n");
}

/* ----------------------------------------------------------- answer */

/* The greatest load of span i of n equal spans of the steps. */
static uint64_t greatest(const struct problem *p, uint32_t i, uint32_t n)
{
	uint32_t begin = (uint32_t)((uint64_t)p->n_steps * i / n);
	uint32_t end = (uint32_t)((uint64_t)p->n_steps * (i + 1) / n);
	uint64_t most = 0;

	assert(i < n && begin < end);
	for (uint32_t k = begin; k < end; k++)
		most = num_max(most, p->load[k]);
	return most;
}

void mp_emit_answer(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	const struct problem *p = &results->plan->schedule->problem;
	uint32_t n = p->n_steps < SPANS ? p->n_steps : SPANS;

	numbers(results, sink, scratch);
	mp_emit_json_open(sink, JSON_LINE, "loads");
	for (uint32_t i = 0; i < n; i++) {
		mp_sink_text(sink, i > 0 ? ", " : "");
		mp_sink_u64(sink, greatest(p, i, n));
	}
	mp_sink_text(sink, "]\n}\n");
}
