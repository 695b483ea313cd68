/*
 * result: the numbers of a plan as one JSON object, what --json prints. Sizes
 * are integers of bytes; what is not known is null.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/rows.h"
#include "emit/text.h"

static void key(struct sink *sink, const char *name)
{
	mp_sink_text(sink, ",\n  \"");
	mp_sink_text(sink, name);
	mp_sink_text(sink, "\": ");
}

static void number(struct sink *sink, const char *name, uint64_t value)
{
	key(sink, name);
	mp_sink_u64(sink, value);
}

static void text(struct sink *sink, const char *name, const char *value)
{
	key(sink, name);
	if (value)
		mp_sink_json(sink, value);
	else
		mp_sink_text(sink, "null");
}

static void truth(struct sink *sink, const char *name, bool value)
{
	key(sink, name);
	mp_sink_text(sink, value ? "true" : "false");
}

static void planned(struct sink *sink, const struct plan *plan)
{
	const struct problem *p = plan->problem;

	text(sink, "planner", plan->planner);
	number(sink, "arena_size", plan->arena_size);
	number(sink, "theoretical_min", p->theoretical_min);
	number(sink, "lower_bound", plan->lower_bound);
	text(sink, "bound_kind", mp_bound_name(plan->bound_kind));
	number(sink, "lower_bound_order", p->order_bound);
	text(sink, "lower_bound_order_kind", p->order_bound_kind);
	key(sink, "ratio");
	mp_sink_ratio(sink, plan->arena_size, p->theoretical_min, 9);
	truth(sink, "optimal", plan->arena_size == plan->lower_bound);
}

bool mp_emit_result(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e)
{
	const struct problem *p = plan->problem;

	(void)scratch;
	mp_sink_text(sink, "{\n  \"name\": ");
	mp_sink_json(sink, p->name);
	number(sink, "ops", p->n_ops);
	number(sink, "tensors", p->n_items);
	number(sink, "buffers", p->n_buffers);
	number(sink, "alignment", p->alignment);
	text(sink, "order", p->order_name);
	planned(sink, plan);
	number(sink, "total_size", p->total_size);
	number(sink, "peak_step", p->peak_step);
	truth(sink, "cut_short", plan->cut_short);
	key(sink, "seconds");
	mp_sink_seconds(sink, plan->seconds);
	mp_sink_text(sink, "\n}\n");
	return e->code == MEMPLAN_OK;
}
