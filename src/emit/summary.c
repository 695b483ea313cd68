/*
 * summary: what was planned and proved, as a few aligned lines for people.
 * Sizes are exact, with a rounded unit behind them.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "emit/inside.h"
#include "emit/report.h"
#include "emit/rows.h"

enum {
	NANOSECONDS = 1000000, /* of a millisecond */
};

static const char *bound_reason(const struct plan *plan)
{
	if (plan->schedule->graph->bundle.n > 0 &&
		plan->bound_kind != BOUND_LOAD)
		return "proved for each of the graphs";
	switch (plan->bound_kind) {
	case BOUND_LOAD:
		return "alive at once";
	case BOUND_SEARCH:
		return "all that is smaller was searched";
	case BOUND_PIN:
		return "forced by fixed offsets or alignment";
	case BOUND_CLIQUE:
		return "tensors that never share a byte, two by two";
	case BOUND_PROOF:
		return "a proof file was replayed";
	case N_BOUNDS:
		break;
	}
	return "?";
}

static void sizes(struct sink *sink, const struct plan *plan)
{
	const struct schedule *s = plan->schedule;
	struct extent states = mp_plan_states(plan);
	uint64_t total = s->problem.total_size;

	mp_sink_print(sink, "  arena        %s\n",
		mp_emit_size(s, plan->arena_size).text);
	mp_emit_report_minimum(sink, s);
	mp_sink_print(sink, "  lower bound  %s, %s",
		mp_emit_size(s, plan->lower_bound).text, bound_reason(plan));
	if (plan->bound_kind == BOUND_SEARCH && plan->bound_steps > 0)
		mp_sink_print(sink, " in %" PRIu64 " step%s", plan->bound_steps,
			mp_text_plural(plan->bound_steps));
	mp_sink_text(sink, "\n");
	if (plan->claimed_bound > 0)
		mp_sink_print(sink,
			"  claimed      %s as lower bound, by the input, not "
			"proved\n",
			mp_emit_size(s, plan->claimed_bound).text);
	if (s->order_bound.bytes)
		mp_sink_print(sink, "  any order    %s or more%s\n",
			mp_emit_size(s, s->order_bound.bytes).text,
			s->order_bound_claimed
				? ", claimed by the input, not proved"
				: "");
	if (s->least_peak)
		mp_sink_print(sink,
			"  least peak   %s, of an order with a larger plan\n",
			mp_emit_size(s, s->least_peak).text);
	if (states.size > 0)
		mp_sink_print(sink,
			"  states       %s, kept between runs, at offset "
			"%" PRIu64 "\n",
			mp_emit_size(s, states.size).text, states.base);
	mp_sink_print(sink, "  no reuse     %s", mp_emit_size(s, total).text);
	if (total > plan->arena_size)
		mp_sink_print(sink, ", saving %s %%",
			mp_emit_percent(total - plan->arena_size, total).text);
	mp_sink_text(sink, "\n");
}

static void pool(struct sink *sink, const struct space *space)
{
	mp_sink_print(sink, "    %s: %s", mp_emit_plain(space->name).text,
		mp_emit_bytes(space->size).text);
	if (space->capacity != NO_CAPACITY)
		mp_sink_print(sink, " of %" PRIu64, space->capacity);
	mp_sink_print(sink, ", minimum %" PRIu64 ", %u buffer%s\n",
		space->theoretical_min, space->n_buffers,
		mp_text_plural(space->n_buffers));
}

/* A line for each of several memories; nothing for one. */
static void pools(struct sink *sink, const struct plan *plan)
{
	const struct spaces *spaces = &plan->spaces;

	if (!spaces->at)
		return;
	mp_sink_print(sink, "  pools        %u\n", spaces->n);
	for (uint32_t i = 0; i < spaces->n; i++)
		pool(sink, &spaces->at[i]);
	if (spaces->n_spilled > 0)
		mp_sink_print(sink,
			"  spilled      %u buffer%s, %s, used for %s of "
			"traffic\n",
			spaces->n_spilled, mp_text_plural(spaces->n_spilled),
			mp_emit_bytes(spaces->spilled).text,
			mp_emit_bytes(spaces->traffic).text);
}

static const char *verdict(const struct plan *plan)
{
	if (plan->claimed_bound == plan->arena_size && plan->arena_size > 0)
		return "optimal if the claimed bound is right";
	if (plan->pairs_bound > 0 && plan->arena_size == plan->lower_bound)
		return "optimal for this order and these in-place pairs";
	if (!mp_plan_is_optimal(plan))
		return "not proved optimal";
	if (plan->spaces.at)
		return "each pool optimal for what lies there";
	return plan->schedule->graph->n_ops > 0 ? "optimal for this order"
						: "optimal";
}

static void cost(struct sink *sink, const struct plan *plan)
{
	uint32_t n = plan->schedule->graph->ties.n_costs;

	if (n == 0)
		return;
	mp_sink_print(sink, "  reuse cost   %" PRIu64 ", of %u of %u pair%s",
		plan->reuse_cost, plan->n_paid, n, mp_text_plural(n));
	if (plan->reuse_cost == plan->reuse_cost_bound)
		mp_sink_text(sink, ", the least in so many bytes");
	else if (plan->reuse_cost_bound > 0)
		mp_sink_print(
			sink, ", at least %" PRIu64, plan->reuse_cost_bound);
	if (plan->claimed_cost_bound > 0)
		mp_sink_print(sink, "; the input claims at least %" PRIu64,
			plan->claimed_cost_bound);
	mp_sink_text(sink, "\n");
}

static void banks(struct sink *sink, const struct plan *plan)
{
	const struct bank_sums *banks = &plan->banks;

	if (!mp_emit_has_banks(plan->schedule))
		return;
	mp_sink_print(sink,
		"  bank cost    %" PRIu64 ", of %" PRIu64 " of %" PRIu64
		" pair%s",
		banks->cost, banks->n_paid, banks->n_pairs,
		mp_text_plural(banks->n_pairs));
	if (banks->cost == banks->bound)
		mp_sink_text(sink, ", the least in so many bytes");
	else if (banks->bound > 0)
		mp_sink_print(sink, ", at least %" PRIu64, banks->bound);
	if (banks->claimed > 0)
		mp_sink_print(sink, "; the input claims at least %" PRIu64,
			banks->claimed);
	mp_sink_text(sink, "\n");
}

static void reuse(struct sink *sink, const struct reuse_sums *sums)
{
	if (!sums)
		return;
	mp_sink_print(sink, "  reuse edges  %u", sums->edges);
	if (sums->crossing)
		mp_sink_print(sink, ", %u across streams", sums->crossing);
	if (sums->hazards)
		mp_sink_print(sink, ", %u of them hazards", sums->hazards);
	if (sums->minimised)
		mp_sink_print(sink, ", before %u, at least %u", sums->before,
			sums->least);
	mp_sink_text(sink, "\n");
}

static void same(struct sink *sink, const struct same_sums *sums, uint64_t size)
{
	uint64_t more;

	if (!sums)
		return;
	more = num_max(size, sums->arena_apart) -
	       num_min(size, sums->arena_apart);
	mp_sink_print(sink, "  same offset  %u name%s, %u tensor%s",
		sums->n_sets, mp_text_plural(sums->n_sets), sums->n_tensors,
		mp_text_plural(sums->n_tensors));
	if (sums->arena_apart == size)
		mp_sink_text(sink, "; as many bytes as apart");
	else if (sums->arena_apart != UINT64_MAX)
		mp_sink_print(sink, "; %" PRIu64 " byte%s %s than apart", more,
			mp_text_plural(more),
			size > sums->arena_apart ? "more" : "less");
	mp_sink_text(sink, "\n");
}

static void near(struct sink *sink, const struct near_sums *sums)
{
	if (!sums)
		return;
	mp_sink_print(
		sink, "  near         %s\n", mp_emit_plain(sums->plan).text);
	mp_sink_print(sink, "  stay         %u tensor%s, %s; %u new\n",
		sums->n_kept, mp_text_plural(sums->n_kept),
		mp_emit_bytes(sums->kept).text, sums->n_new);
	mp_sink_print(sink,
		"  move         %u tensor%s, %s; planning anew %u, %s",
		sums->n_moved, mp_text_plural(sums->n_moved),
		mp_emit_bytes(sums->moved).text, sums->n_anew,
		mp_emit_bytes(sums->anew).text);
	mp_sink_text(sink, "\n");
}

static void detours(struct sink *sink, const struct detour_sums *sums)
{
	if (!sums)
		return;
	mp_sink_print(sink,
		"  budget       %s\n"
		"  swapped      %u out, %s; %u in, %s\n"
		"  recomputed   %u\n"
		"  run          ",
		mp_emit_bytes(sums->budget).text, sums->n_written,
		mp_emit_bytes(sums->written).text, sums->n_read,
		mp_emit_bytes(sums->read).text, sums->n_recomputed);
	mp_sink_ratio(sink, sums->before, NANOSECONDS, 1);
	mp_sink_text(sink, " to ");
	mp_sink_ratio(sink, sums->after, NANOSECONDS, 1);
	mp_sink_print(sink, " milliseconds, %s\n", sums->copy_mode);
}

void mp_emit_summary(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	const struct plan *plan = results->plan;
	const struct schedule *s = plan->schedule;
	uint32_t apart = s->n_inplace - mp_emit_inplace_shared(s);

	mp_emit_report_head(sink, s);
	mp_emit_bundle_text(sink, plan);
	mp_emit_buckets_text(sink, plan);
	if (s->graph->n_ops > 0)
		mp_sink_print(sink, "  order        %s\n",
			mp_emit_plain(s->order_name).text);
	mp_sink_print(sink, "  planner      %s\n",
		mp_emit_plain(s->graph->bundle.n > 0 ? mp_plan_planner(plan)
						     : plan->planner)
			.text);
	sizes(sink, plan);
	mp_sink_text(sink, "  ratio        ");
	mp_sink_ratio(sink, plan->arena_size, s->problem.theoretical_min, 3);
	mp_sink_print(sink, ", %s\n", verdict(plan));
	if (plan->pairs_bound > 0)
		mp_sink_print(sink, "  other pairs  %s or more\n",
			mp_emit_bytes(plan->pairs_bound).text);
	/* Only what a user would not expect: pairs that the graph asks for. */
	if (apart > 0)
		mp_sink_print(sink,
			"  in place     %u of %u pairs left apart: memplan "
			"show tells why\n",
			apart, s->n_inplace);
	cost(sink, plan);
	banks(sink, plan);
	reuse(sink, results->reuse);
	near(sink, results->near);
	same(sink, results->same, plan->arena_size);
	pools(sink, plan);
	mp_emit_spilled_text(sink, plan, scratch);
	detours(sink, results->detours);
	mp_sink_text(sink, "  planning     ");
	mp_sink_seconds(sink, plan->seconds);
	mp_sink_text(sink, plan->cut_short ? " s, cut short\n" : " s\n");
}
