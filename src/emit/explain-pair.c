/*
 * explain --pair: why two tensors cannot share bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/explain.h"
#include "emit/report.h"

static void life(struct sink *sink, const struct plan *plan,
	const struct uses *uses, uint32_t item)
{
	const struct problem *p = plan->problem;
	const struct item *it = &p->items[item];

	mp_sink_text(sink, "  ");
	mp_explain_name(sink, p, item);
	mp_sink_text(sink, ": ");
	mp_sink_bytes(sink, it->size);
	mp_sink_print(sink, ", alive [%lld, %lld), ",
		(long long)mp_problem_time(p, it->start),
		(long long)mp_problem_time(p, it->end));
	mp_explain_birth(sink, uses, p, item);
	mp_sink_text(sink, ", ");
	mp_explain_stay(sink, uses, p, item);
	mp_sink_text(sink, "\n");
}

/* The readers of the one that is born first, from the other's birth on. */
static void culprits(struct sink *sink, const struct problem *p,
	const struct uses *uses, uint32_t first, uint32_t step)
{
	enum {
		NAMED = 8
	};
	uint32_t named = 0, more = 0;

	for (uint32_t i = uses->first[first]; i < uses->first[first + 1]; i++) {
		if (uses->steps[i] < step ||
			(i > uses->first[first] &&
				uses->steps[i] == uses->steps[i - 1]))
			continue;
		if (named == NAMED) {
			more++;
			continue;
		}
		mp_sink_text(sink, named++ ? ", " : "; still read at ");
		mp_explain_step(sink, p, uses->steps[i]);
	}
	if (more)
		mp_sink_print(sink, " and %u more", more);
}

static void overlap(struct sink *sink, const struct problem *p,
	const struct uses *uses, uint32_t first, uint32_t second)
{
	uint32_t start = p->items[second].start, end = p->items[first].end;

	if (p->items[second].end < end)
		end = p->items[second].end;
	mp_sink_text(sink, "  they cannot share: both are alive in steps ");
	mp_sink_print(sink, "[%lld, %lld). ",
		(long long)mp_problem_time(p, start),
		(long long)mp_problem_time(p, end));
	mp_explain_name(sink, p, second);
	mp_sink_text(sink, " needs its bytes from ");
	mp_explain_step(sink, p, start);
	mp_sink_text(sink, " on, where ");
	mp_explain_name(sink, p, first);
	mp_sink_text(sink, " is alive");
	culprits(sink, p, uses, first, start);
	mp_sink_text(sink, "\n");
}

/* Do their bytes overlap in this plan? */
static bool share(
	const struct plan *plan, const struct item *a, const struct item *b)
{
	uint64_t x = mp_plan_offset(plan, a), y = mp_plan_offset(plan, b);

	return mp_plan_space(plan, a) == mp_plan_space(plan, b) &&
	       x < y + b->size && y < x + a->size;
}

static void pools(struct sink *sink, const struct plan *plan,
	const struct item *a, const struct item *b)
{
	mp_sink_text(sink, "; in this plan ");
	mp_report_name(sink, mp_item_label(a));
	mp_sink_text(sink, " lies in ");
	mp_report_name(sink, plan->spaces.at[mp_plan_space(plan, a)].name);
	mp_sink_text(sink, ", ");
	mp_report_name(sink, mp_item_label(b));
	mp_sink_text(sink, " in ");
	mp_report_name(sink, plan->spaces.at[mp_plan_space(plan, b)].name);
	mp_sink_text(sink, "\n");
}

static void apart(struct sink *sink, const struct plan *plan,
	const struct item *a, const struct item *b)
{
	mp_sink_text(sink, "  they can share: no step has both alive");
	if (mp_plan_space(plan, a) != mp_plan_space(plan, b)) {
		pools(sink, plan, a, b);
		return;
	}
	if (a->buffer == b->buffer)
		mp_sink_text(sink, "; one is written over the other in place");
	else if (plan->offsets)
		mp_sink_text(sink, share(plan, a, b)
					   ? "; in this plan they do"
					   : "; in this plan they do not");
	mp_sink_text(sink, "\n");
}

void mp_explain_pair(
	struct sink *sink, const struct plan *plan, const struct uses *uses)
{
	const struct problem *p = plan->problem;
	uint32_t first = plan->pair[0], second = plan->pair[1], swap;

	if (first == second)
		return;
	mp_sink_text(sink, "\n");
	life(sink, plan, uses, first);
	life(sink, plan, uses, second);
	if (p->items[second].start < p->items[first].start) {
		swap = first;
		first = second;
		second = swap;
	}
	if (p->items[first].buffer == NONE || p->items[second].buffer == NONE)
		mp_sink_text(sink, "  one of them takes no bytes here\n");
	else if (p->items[second].start < p->items[first].end)
		overlap(sink, p, uses, first, second);
	else
		apart(sink, plan, &p->items[first], &p->items[second]);
}
