/*
 * explain --pair: why two tensors cannot share bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/explain/explain.h"

#include "emit/report.h"

static void life(struct sink *sink, const struct plan *plan,
	const struct uses *uses, uint32_t item)
{
	const struct problem *p = plan->problem;
	const struct item *it = &p->items[item];

	mp_sink_text(sink, "  ");
	mp_emit_explain_name(sink, p, item);
	mp_sink_text(sink, ": ");
	mp_sink_bytes(sink, it->size);
	mp_sink_print(sink, ", alive [%lld, %lld), ",
		(long long)mp_problem_time(p, it->start),
		(long long)mp_problem_time(p, it->end));
	mp_emit_explain_birth(sink, uses, p, item);
	mp_sink_text(sink, ", ");
	mp_emit_explain_stay(sink, uses, p, item);
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
		mp_emit_explain_step(sink, p, uses->steps[i]);
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
	mp_emit_explain_name(sink, p, second);
	mp_sink_text(sink, " needs its bytes from ");
	mp_emit_explain_step(sink, p, start);
	mp_sink_text(sink, " on, where ");
	mp_emit_explain_name(sink, p, first);
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
	mp_emit_report_name(sink, mp_problem_item_label(a));
	mp_sink_text(sink, " lies in ");
	mp_emit_report_name(sink, plan->spaces.at[mp_plan_space(plan, a)].name);
	mp_sink_text(sink, ", ");
	mp_emit_report_name(sink, mp_problem_item_label(b));
	mp_sink_text(sink, " in ");
	mp_emit_report_name(sink, plan->spaces.at[mp_plan_space(plan, b)].name);
	mp_sink_text(sink, "\n");
}

static void in_this_plan(struct sink *sink, const struct plan *plan,
	const struct item *a, const struct item *b)
{
	if (mp_plan_space(plan, a) != mp_plan_space(plan, b)) {
		pools(sink, plan, a, b);
		return;
	}
	if (plan->offsets)
		mp_sink_text(sink, share(plan, a, b)
					   ? "; in this plan they do"
					   : "; in this plan they do not");
	mp_sink_text(sink, "\n");
}

static uint32_t root_of(const struct problem *p, uint32_t item)
{
	const struct tensor_alias *alias = mp_graph_ties_alias(&p->ties, item);

	return alias ? alias->root : item;
}

/* Of one buffer; the bytes that they have in common, if any. */
static void together(
	struct sink *sink, const struct problem *p, uint32_t a, uint32_t b)
{
	const struct item *x = &p->items[a], *y = &p->items[b];
	uint64_t low = num_max(x->base, y->base);
	uint64_t high = num_min(x->base + x->size, y->base + y->size);

	if (high <= low) {
		mp_sink_text(sink, "  they are of one buffer, which has other "
				   "bytes for each\n");
	} else if (root_of(p, a) != root_of(p, b)) {
		mp_sink_text(sink, "  they share: one is written over the "
				   "other in place\n");
	} else {
		mp_sink_text(sink, "  they share ");
		mp_sink_bytes(sink, high - low);
		mp_sink_text(sink, ", as the input says\n");
	}
}

static bool are_apart(const struct problem *p, uint32_t a, uint32_t b)
{
	for (uint32_t i = p->apart ? p->first_apart[a] : 0;
		p->apart && i < p->first_apart[a + 1]; i++)
		if (p->apart[i] == b)
			return true;
	return false;
}

static bool exclude(const struct problem *p, uint32_t a, uint32_t b)
{
	return p->choice && p->choice[a] != NONE &&
	       p->choice[a] == p->choice[b] && p->branch[a] != p->branch[b];
}

/* Does the item need something of the part? */
static bool needs(const struct item *item, const struct part *part)
{
	return item->start < part->end && part->start < item->end &&
	       item->base < part->base + part->size &&
	       part->base < item->base + item->size;
}

/* Is some byte of one needed while one of the other is? */
static bool conflict(
	const struct problem *p, const struct item *a, const struct item *b)
{
	const struct buffer *x = &p->buffers[a->buffer];
	const struct buffer *y = &p->buffers[b->buffer];

	for (uint32_t i = x->first_part; i < x->first_part + x->n_parts; i++) {
		if (!needs(a, &p->parts[i]))
			continue;
		for (uint32_t k = y->first_part; k < y->first_part + y->n_parts;
			k++)
			if (needs(b, &p->parts[k]) &&
				mp_problem_conflict(p, i, k))
				return true;
	}
	return false;
}

/* Of what is neither tied together nor kept apart. */
static void times(struct sink *sink, const struct plan *plan,
	const struct uses *uses, uint32_t first, uint32_t second)
{
	const struct problem *p = plan->problem;
	const struct item *a = &p->items[first], *b = &p->items[second];
	bool meet = b->start < a->end;

	if (!conflict(p, a, b)) {
		mp_sink_text(sink,
			meet ? "  they can share: one has a gap where the "
			       "other is needed"
			     : "  they can share: no step has both alive");
		in_this_plan(sink, plan, a, b);
	} else if (meet && plan->offsets && share(plan, a, b)) {
		mp_sink_text(sink, "  they share in this plan: one keeps only "
				   "some of its bytes in a gap\n");
	} else if (meet) {
		overlap(sink, p, uses, first, second);
	} else {
		mp_sink_text(sink, "  they cannot share: on several streams, "
				   "neither is surely over before the other "
				   "begins\n");
	}
}

/* The second is born behind the first, or with it. */
static void verdict(struct sink *sink, const struct plan *plan,
	const struct uses *uses, uint32_t first, uint32_t second)
{
	const struct problem *p = plan->problem;
	const struct item *a = &p->items[first], *b = &p->items[second];

	if (a->buffer == NONE || b->buffer == NONE) {
		mp_sink_text(sink, "  one of them takes no bytes here\n");
	} else if (a->buffer == b->buffer) {
		together(sink, p, first, second);
	} else if (are_apart(p, a->buffer, b->buffer)) {
		mp_sink_text(sink, "  they cannot share: the input keeps them "
				   "apart\n");
	} else if (exclude(p, a->buffer, b->buffer)) {
		mp_sink_text(sink, "  they can share: only one of their "
				   "branches runs");
		in_this_plan(sink, plan, a, b);
	} else {
		times(sink, plan, uses, first, second);
	}
}

void mp_emit_explain_pair(
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
	verdict(sink, plan, uses, first, second);
}
