/*
 * verdict: what memplan check confirmed.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "emit/report.h"
#include "emit/rows.h"

/* Each kind of bound, and whether the check has just derived it again. */
static void print_bound(const struct plan *plan, struct sink *sink)
{
	const struct problem *problem = plan->problem;

	mp_sink_print(
		sink, "  lower bound          %" PRIu64, plan->lower_bound);
	if (plan->bound_kind == BOUND_CLAIM)
		mp_sink_print(sink, " (claimed, kind %s; not derived again)\n",
			problem->claimed_bound_kind
				? problem->claimed_bound_kind
				: "unknown");
	else if (plan->bound_kind == BOUND_PIN)
		mp_sink_print(
			sink, " (derived again: fixed offsets or alignment)\n");
	else if (plan->spaces.at)
		mp_sink_print(sink, " (derived again, pool by pool)\n");
	else if (problem->n_streams > 1)
		mp_sink_print(sink,
			" (derived again: %u parts that may be alive "
			"together)\n",
			problem->n_crowd);
	else if (problem->n_steps > 0)
		mp_sink_print(sink,
			" (derived again: what is alive at step %lld)\n",
			(long long)mp_problem_time(
				problem, problem->peak_step));
	else
		mp_sink_print(sink, "\n");
}

static void print_order_bound(const struct problem *p, struct sink *sink)
{
	if (!p->order_bound)
		return;
	mp_sink_print(sink, "  any order            %" PRIu64, p->order_bound);
	if (p->order_bound_confirmed)
		mp_sink_print(sink, " (derived again: %s of %u)\n",
			p->order_bound_kind, p->n_order_bound_ops);
	else
		mp_sink_print(sink, " (claimed, kind %s; not derived again)\n",
			p->order_bound_kind ? p->order_bound_kind : "unknown");
}

static void print_pool(const struct space *space, struct sink *sink)
{
	mp_sink_text(sink, "  in pool ");
	mp_sink_plain(sink, space->name, REPORT_NAME);
	mp_sink_print(sink, ": %" PRIu64, space->size);
	if (space->capacity != NO_CAPACITY)
		mp_sink_print(sink, " of %" PRIu64, space->capacity);
	mp_sink_text(sink, "\n");
}

bool mp_emit_verdict(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e)
{
	const struct problem *problem = plan->problem;

	(void)scratch;
	mp_sink_print(sink, "%s: valid\n", problem->name);
	mp_sink_print(sink,
		"  checked              %u tensors in %u buffers over %u "
		"steps, "
		"no overlap\n",
		problem->n_items, problem->n_buffers, problem->n_steps);
	mp_sink_print(
		sink, "  arena                %" PRIu64 "\n", plan->arena_size);
	mp_sink_print(sink, "  theoretical minimum  %" PRIu64 "\n",
		problem->theoretical_min);
	for (uint32_t i = 0; i < plan->spaces.n; i++)
		print_pool(&plan->spaces.at[i], sink);
	print_bound(plan, sink);
	print_order_bound(problem, sink);
	mp_sink_print(sink, "  optimal              %s\n",
		plan->arena_size != plan->lower_bound ? "not proved"
		: plan->bound_kind == BOUND_CLAIM     ? "as claimed"
						      : "yes, proved");
	return e->code == MEMPLAN_OK;
}
