/*
 * explain --pair: why two tensors cannot share bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/explain/explain.h"

#include <assert.h>

/* Of one of several that have the same bytes, also what reports call these. */
static void life(struct sink *sink, const struct labels *labels,
	const struct uses *uses, uint32_t tensor)
{
	const struct schedule *s = labels->schedule;

	mp_sink_print(sink, "  %s", mp_emit_tensor(s, tensor).text);
	if (mp_emit_labels_several(labels, tensor))
		mp_sink_print(
			sink, " of %s", mp_emit_called(labels, tensor).text);
	mp_sink_print(sink, ": %s, alive %s, ",
		mp_emit_bytes(s->graph->tensors[tensor].size).text,
		mp_emit_life(s, tensor).text);
	mp_emit_explain_birth(sink, uses, s, tensor);
	mp_sink_text(sink, ", ");
	mp_emit_explain_ending(sink, uses, s, tensor);
	mp_sink_text(sink, "\n");
}

/* The readers of the one that is born first, from the other's birth on. */
static void culprits(struct sink *sink, const struct schedule *s,
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
		if (named++ == 0)
			mp_sink_print(sink, "; %s is still read at ",
				mp_emit_tensor(s, first).text);
		else
			mp_sink_text(sink, ", ");
		mp_sink_text(sink, mp_emit_step(s, uses->steps[i]).text);
	}
	if (more)
		mp_sink_print(sink, " and %u more", more);
}

static void overlap(struct sink *sink, const struct schedule *s,
	const struct uses *uses, uint32_t first, uint32_t second)
{
	uint32_t start = s->stay[second].start, end = s->stay[first].end;

	if (s->stay[second].end < end)
		end = s->stay[second].end;
	mp_sink_print(sink,
		"  they cannot share: both are alive in steps %s. %s needs "
		"its bytes from %s on, where %s is alive",
		mp_emit_steps(s, start, end).text,
		mp_emit_tensor(s, second).text, mp_emit_step(s, start).text,
		mp_emit_tensor(s, first).text);
	culprits(sink, s, uses, first, start);
	mp_sink_text(sink, "\n");
}

/* Do their bytes overlap in this plan? */
static bool share(const struct plan *plan, uint32_t a, uint32_t b)
{
	const struct tensor *tensors = plan->schedule->graph->tensors;
	uint64_t x = mp_plan_offset(plan, a), y = mp_plan_offset(plan, b);

	return mp_plan_space(plan, a) == mp_plan_space(plan, b) &&
	       x < y + tensors[b].size && y < x + tensors[a].size;
}

static void in_this_plan(
	struct sink *sink, const struct plan *plan, uint32_t a, uint32_t b)
{
	const struct schedule *s = plan->schedule;
	uint32_t in_a = mp_plan_space(plan, a), in_b = mp_plan_space(plan, b);

	if (in_a != in_b)
		mp_sink_print(sink, "; in this plan %s lies in %s, %s in %s\n",
			mp_emit_tensor(s, a).text,
			mp_emit_quoted(plan->spaces.at[in_a].name).text,
			mp_emit_tensor(s, b).text,
			mp_emit_quoted(plan->spaces.at[in_b].name).text);
	else
		mp_sink_print(sink, "; in this plan they %s\n",
			share(plan, a, b) ? "do" : "do not");
}

static uint32_t root_of(const struct schedule *s, uint32_t tensor)
{
	const struct tensor_alias *alias =
		mp_graph_ties_alias(&s->graph->ties, tensor);

	return alias ? alias->root : tensor;
}

/* Two tensors of one buffer, and the bytes that they have in common, if any. */
static void together(
	struct sink *sink, const struct schedule *s, uint32_t a, uint32_t b)
{
	const struct tensor *tensors = s->graph->tensors;
	uint64_t x = s->stay[a].base, y = s->stay[b].base;
	uint64_t low = num_max(x, y);
	uint64_t high = num_min(x + tensors[a].size, y + tensors[b].size);

	assert(s->stay[a].buffer == s->stay[b].buffer);
	if (high <= low) {
		mp_sink_text(sink, "  they are of one buffer, which has other "
				   "bytes for each\n");
	} else if (root_of(s, a) != root_of(s, b)) {
		mp_sink_text(sink, "  they share: one is written over the "
				   "other in place\n");
	} else {
		mp_sink_print(sink, "  they share %s, as the input says\n",
			mp_emit_bytes(high - low).text);
	}
}

/* Is some byte of one needed while one of the other is? */
static bool conflict(const struct schedule *s, uint32_t a, uint32_t b)
{
	const struct problem *p = &s->problem;
	const struct buffer *x = &p->buffers[s->stay[a].buffer];
	const struct buffer *y = &p->buffers[s->stay[b].buffer];

	for (uint32_t i = x->first_part; i < x->first_part + x->n_parts; i++) {
		if (!mp_schedule_needs(s, a, &p->parts[i]))
			continue;
		for (uint32_t k = y->first_part; k < y->first_part + y->n_parts;
			k++)
			if (mp_schedule_needs(s, b, &p->parts[k]) &&
				mp_problem_conflict(p, i, k))
				return true;
	}
	return false;
}

/* Of what is neither tied together nor kept apart. */
static void times(struct sink *sink, const struct plan *plan,
	const struct uses *uses, uint32_t first, uint32_t second)
{
	const struct schedule *s = plan->schedule;
	bool meet = s->stay[second].start < s->stay[first].end;

	if (!conflict(s, first, second)) {
		mp_sink_text(sink,
			meet ? "  they can share: one has a gap where the "
			       "other is needed"
			     : "  they can share: no step has both alive");
		in_this_plan(sink, plan, first, second);
	} else if (meet && share(plan, first, second)) {
		mp_sink_text(sink, "  they share in this plan: one keeps only "
				   "some of its bytes in a gap\n");
	} else if (meet) {
		overlap(sink, s, uses, first, second);
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
	const struct schedule *s = plan->schedule;
	uint32_t a = s->stay[first].buffer, b = s->stay[second].buffer;

	assert(s->stay[first].start <= s->stay[second].start);
	if (a == NONE || b == NONE) {
		mp_sink_text(sink, "  one of them takes no bytes here\n");
	} else if (a == b) {
		together(sink, s, first, second);
	} else if (s->problem.apart && mp_problem_apart(&s->problem, a, b)) {
		mp_sink_text(sink, "  they cannot share: the input keeps them "
				   "apart\n");
	} else if (s->problem.choice &&
		   mp_problem_exclusive(&s->problem, a, b)) {
		mp_sink_text(sink, "  they can share: only one of their "
				   "branches runs");
		in_this_plan(sink, plan, first, second);
	} else {
		times(sink, plan, uses, first, second);
	}
}

/* Of pairs that the graph lists. */
static void costs(
	struct sink *sink, const struct plan *plan, uint32_t a, uint32_t b)
{
	const struct schedule *s = plan->schedule;
	const struct ties *ties = &s->graph->ties;
	bool paid = s->stay[a].buffer != NONE && s->stay[b].buffer != NONE &&
		    share(plan, a, b);

	for (uint32_t i = 0; i < ties->n_costs; i++) {
		const struct reuse_cost *c = &ties->costs[i];

		if ((c->a == a && c->b == b) || (c->a == b && c->b == a))
			mp_sink_print(sink,
				"  a byte that they share costs %llu, which "
				"this plan %s\n",
				(unsigned long long)c->cost,
				paid ? "pays" : "saves");
	}
}

void mp_emit_explain_pair(struct sink *sink, const struct results *results,
	const struct uses *uses, const struct labels *labels)
{
	const struct plan *plan = results->plan;
	const struct schedule *s = plan->schedule;
	uint32_t first = results->pair[0], second = results->pair[1], swap;

	assert(first != second);
	mp_sink_print(sink, "%s\n", mp_emit_plain(s->graph->name).text);
	life(sink, labels, uses, first);
	life(sink, labels, uses, second);
	if (s->stay[second].start < s->stay[first].start) {
		swap = first;
		first = second;
		second = swap;
	}
	verdict(sink, plan, uses, first, second);
	costs(sink, plan, first, second);
}
