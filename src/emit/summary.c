/*
 * summary: what was planned and proved, as a few aligned lines for people.
 * Sizes are exact, with a rounded unit behind them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/inside.h"
#include "emit/report.h"
#include "emit/rows.h"

static void how(struct sink *sink, const struct plan *plan)
{
	mp_emit_report_label(sink, "order");
	mp_sink_plain(sink, plan->schedule->order_name, REPORT_NAME);
	mp_sink_text(sink, "\n");
	mp_emit_report_label(sink, "planner");
	mp_sink_plain(sink,
		plan->schedule->graph->bundle.n > 0 ? mp_plan_planner(plan)
						    : plan->planner,
		REPORT_NAME);
	mp_sink_text(sink, "\n");
}

static const char *bound_reason(enum bound_kind kind)
{
	switch (kind) {
	case BOUND_LOAD:
		return "alive at once";
	case BOUND_SEARCH:
		return "all that is smaller was searched";
	case BOUND_PIN:
		return "forced by fixed offsets or alignment";
	case BOUND_CLAIM:
		return "claimed by the input, not checked";
	}
	return "?";
}

static void states(struct sink *sink, const struct plan *plan)
{
	struct extent region = mp_plan_states(plan);

	if (region.size == 0)
		return;
	mp_emit_report_size(sink, "states", region.size, plan->schedule);
	mp_sink_print(sink, ", kept between runs, at offset %llu\n",
		(unsigned long long)region.base);
}

static void sizes(struct sink *sink, const struct plan *plan)
{
	const struct schedule *s = plan->schedule;

	mp_emit_report_size(sink, "arena", plan->arena_size, s);
	mp_sink_text(sink, "\n");
	mp_emit_report_minimum(sink, s);
	mp_sink_text(sink, "\n");
	mp_emit_report_size(sink, "lower bound", plan->lower_bound, s);
	mp_sink_print(sink, ", %s", bound_reason(plan->bound_kind));
	if (plan->bound_kind == BOUND_SEARCH)
		mp_sink_print(sink, " in %llu steps",
			(unsigned long long)plan->bound_steps);
	mp_sink_text(sink, "\n");
	if (s->order_bound.bytes) {
		mp_emit_report_size(sink, "any order", s->order_bound.bytes, s);
		mp_sink_text(sink, " or more\n");
	}
	states(sink, plan);
	mp_emit_report_size(sink, "no reuse", s->problem.total_size, s);
	if (s->problem.total_size > plan->arena_size) {
		mp_sink_text(sink, ", saving ");
		mp_sink_percent(sink, s->problem.total_size - plan->arena_size,
			s->problem.total_size);
		mp_sink_text(sink, " %");
	}
	mp_sink_text(sink, "\n");
}

static const char *verdict(const struct plan *plan)
{
	if (plan->arena_size != plan->lower_bound)
		return "not proved optimal";
	if (plan->bound_kind == BOUND_CLAIM)
		return "optimal if the claimed bound is right";
	if (plan->spaces.at)
		return "each pool optimal for what lies there";
	return "optimal for this order";
}

static void reuse(struct sink *sink, const struct reuse_sums *sums)
{
	if (!sums)
		return;
	mp_emit_report_label(sink, "reuse edges");
	mp_sink_print(sink, "%u", sums->edges);
	if (sums->crossing)
		mp_sink_print(sink, ", %u across streams", sums->crossing);
	if (sums->hazards)
		mp_sink_print(sink, ", %u of them hazards", sums->hazards);
	if (sums->minimised)
		mp_sink_print(sink, ", before %u, at least %u", sums->before,
			sums->least);
	mp_sink_text(sink, "\n");
}

/* Only what a user would not expect: pairs that the graph asks for. */
static void inplace(struct sink *sink, const struct schedule *s)
{
	uint32_t apart = s->n_inplace - mp_emit_inplace_shared(s);

	if (apart == 0)
		return;
	mp_emit_report_label(sink, "in place");
	mp_sink_print(sink,
		"%u of %u pairs left apart: memplan show tells why\n", apart,
		s->n_inplace);
}

static void milliseconds(struct sink *sink, uint64_t nanoseconds)
{
	mp_sink_ratio(sink, nanoseconds, 1000000, 1);
}

static void detours(struct sink *sink, const struct detour_sums *sums)
{
	if (!sums)
		return;
	mp_emit_report_label(sink, "budget");
	mp_sink_bytes(sink, sums->budget);
	mp_sink_text(sink, "\n");
	mp_emit_report_label(sink, "swapped");
	mp_sink_print(sink, "%u out, ", sums->n_written);
	mp_sink_bytes(sink, sums->written);
	mp_sink_print(sink, "; %u in, ", sums->n_read);
	mp_sink_bytes(sink, sums->read);
	mp_sink_text(sink, "\n");
	mp_emit_report_label(sink, "recomputed");
	mp_sink_print(sink, "%u\n", sums->n_recomputed);
	mp_emit_report_label(sink, "run");
	milliseconds(sink, sums->before);
	mp_sink_text(sink, " to ");
	milliseconds(sink, sums->after);
	mp_sink_print(sink, " milliseconds, %s\n", sums->copy_mode);
}

bool mp_emit_summary(const struct results *results, struct sink *sink,
	struct arena *scratch, struct error *e)
{
	const struct plan *plan = results->plan;
	const struct schedule *s = plan->schedule;

	mp_emit_report_head(sink, s);
	mp_emit_bundle_text(sink, plan);
	how(sink, plan);
	sizes(sink, plan);
	mp_emit_report_label(sink, "ratio");
	mp_sink_ratio(sink, plan->arena_size, s->problem.theoretical_min, 3);
	mp_sink_print(sink, ", %s\n", verdict(plan));
	inplace(sink, s);
	reuse(sink, results->reuse);
	mp_emit_report_pools(sink, plan);
	if (!mp_emit_spilled_text(sink, plan, scratch))
		return false;
	detours(sink, results->detours);
	mp_emit_report_label(sink, "seconds");
	mp_sink_seconds(sink, plan->seconds);
	mp_sink_text(sink, plan->cut_short ? ", cut short\n" : "\n");
	return e->code == MEMPLAN_OK;
}
