/*
 * summary: what was planned and proved, as a few aligned lines for people.
 * Sizes are exact, with a rounded unit behind them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/rows.h"
#include "emit/text.h"

enum {
	NAME_MOST = 60
};

static void label(struct sink *sink, const char *text)
{
	mp_sink_print(sink, "  %-13s", text);
}

/* The digits of all sizes end in one column, that of the largest. */
static void size_line(struct sink *sink, const char *text, uint64_t bytes,
	const struct problem *p)
{
	uint32_t width = mp_text_digits(p->total_size);

	label(sink, text);
	for (uint32_t i = mp_text_digits(bytes); i < width; i++)
		mp_sink_text(sink, " ");
	mp_sink_bytes(sink, bytes);
}

static void counts(struct sink *sink, const struct problem *p)
{
	uint32_t external = 0;

	for (uint32_t i = 0; i < p->n_items; i++)
		external += p->items[i].external;
	label(sink, "ops");
	mp_sink_print(sink, "%u\n", p->n_ops);
	label(sink, "tensors");
	mp_sink_print(sink, "%u", p->n_items);
	if (external)
		mp_sink_print(sink, ", %u of them external", external);
	mp_sink_text(sink, "\n");
	label(sink, "buffers");
	mp_sink_print(sink, "%u, aligned to ", p->n_buffers);
	mp_sink_unit(sink, p->alignment);
	mp_sink_text(sink, "\n");
}

static void how(struct sink *sink, const struct plan *plan)
{
	label(sink, "order");
	mp_sink_plain(sink, plan->problem->order_name, NAME_MOST);
	mp_sink_text(sink, "\n");
	label(sink, "planner");
	mp_sink_plain(sink, plan->planner, NAME_MOST);
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

static void sizes(struct sink *sink, const struct plan *plan)
{
	const struct problem *p = plan->problem;

	size_line(sink, "arena", plan->arena_size, p);
	mp_sink_text(sink, "\n");
	size_line(sink, "minimum", p->theoretical_min, p);
	mp_sink_print(sink, ", at step %lld\n",
		(long long)mp_problem_time(p, p->peak_step));
	size_line(sink, "lower bound", plan->lower_bound, p);
	mp_sink_print(sink, ", %s\n", bound_reason(plan->bound_kind));
	if (p->order_bound) {
		size_line(sink, "any order", p->order_bound, p);
		mp_sink_text(sink, " or more\n");
	}
	size_line(sink, "no reuse", p->total_size, p);
	if (p->total_size > plan->arena_size) {
		mp_sink_text(sink, ", saving ");
		mp_sink_percent(
			sink, p->total_size - plan->arena_size, p->total_size);
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
	return "optimal for this order";
}

bool mp_emit_summary(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e)
{
	const struct problem *p = plan->problem;

	(void)scratch;
	mp_sink_plain(sink, p->name, NAME_MOST);
	mp_sink_text(sink, "\n");
	counts(sink, p);
	how(sink, plan);
	sizes(sink, plan);
	label(sink, "ratio");
	mp_sink_ratio(sink, plan->arena_size, p->theoretical_min, 3);
	mp_sink_print(sink, ", %s\n", verdict(plan));
	label(sink, "seconds");
	mp_sink_seconds(sink, plan->seconds);
	mp_sink_text(sink, plan->cut_short ? ", cut short\n" : "\n");
	return e->code == MEMPLAN_OK;
}
