/*
 * In-place pairs: the output takes over the bytes of the input at the step at
 * which the input ends. The two become parts of one buffer, the input before
 * the output.
 *
 * SPDX-License-Identifier: MIT
 */
#include "lifetime/inside.h"

static enum inplace_verdict judge_tensor(const struct sharing *s, uint32_t t)
{
	const struct tensor *tensor = &s->graph->tensors[t];

	if (tensor->external)
		return INPLACE_EXTERNAL;
	if (tensor->size == 0)
		return INPLACE_EMPTY;
	if (tensor->pinned && !s->graph->was_plan)
		return INPLACE_FIXED;
	if (s->unions && s->union_of[t] != NONE)
		return INPLACE_TIED;
	return s->apart && s->apart[t] ? INPLACE_APART : INPLACE_SHARED;
}

static bool of_one_branch(const struct sharing *s, uint32_t a, uint32_t b)
{
	return !s->branch || s->branch[a] == s->branch[b];
}

static bool is_settled(const struct sharing *s, uint32_t t)
{
	const struct tensor *tensor = &s->graph->tensors[t];

	return mp_lifetime_takes_bytes(tensor) && tensor->pinned &&
	       tensor->placed && (!s->unions || s->union_of[t] == NONE);
}

/* Tensors at different fixed offsets cannot share bytes. */
static bool placed_alike(const struct tensor *a, const struct tensor *b)
{
	return a->placed == b->placed && a->offset == b->offset;
}

static uint64_t rounded(const struct sharing *s, uint32_t t)
{
	return mp_graph_tensor_rounded(s->graph, &s->graph->tensors[t]);
}

/* With several streams the order of the list is no order of execution. Returns
 * another op that uses the input and does not happen before this op; NONE:
 * there is none. */
static uint32_t not_before(
	const struct sharing *s, const struct inplace_pair *pair, uint32_t op)
{
	const struct tensor *in = &s->graph->tensors[pair->input];

	if (in->producer != NONE &&
		!mp_schedule_before(s->schedule, in->producer, op))
		return in->producer;
	for (uint32_t i = 0; i < in->readers.n; i++)
		if (in->readers.at[i] != op &&
			!mp_schedule_before(s->schedule, in->readers.at[i], op))
			return in->readers.at[i];
	return NONE;
}

static enum inplace_verdict judge_streams(const struct sharing *s,
	const struct inplace_pair *pair, uint32_t op, uint32_t *other)
{
	if (!mp_lifetime_has_streams(s))
		return INPLACE_SHARED;
	*other = not_before(s, pair, op);
	if (*other != NONE)
		return INPLACE_STREAMS;
	return rounded(s, pair->input) == rounded(s, pair->output)
		       ? INPLACE_SHARED
		       : INPLACE_SIZES;
}

/* Rules that do not depend on time. Sets other to the tensor that the verdict
 * names. */
static enum inplace_verdict judge_pair(const struct sharing *s,
	const struct inplace_pair *pair, uint32_t *other)
{
	const struct tensor *in = &s->graph->tensors[pair->input];
	const struct tensor *out = &s->graph->tensors[pair->output];
	enum inplace_verdict verdict;

	*other = pair->input;
	verdict = judge_tensor(s, *other);
	if (verdict == INPLACE_SHARED) {
		*other = pair->output;
		verdict = judge_tensor(s, *other);
	}
	if (verdict != INPLACE_SHARED)
		return verdict;
	*other = NONE;
	if (!placed_alike(in, out))
		return INPLACE_OFFSETS;
	if (in->pools != out->pools)
		return INPLACE_POOLS;
	return of_one_branch(s, pair->input, pair->output) ? INPLACE_SHARED
							   : INPLACE_BRANCHES;
}

/* The input must begin before this step and end with it, and the output must
 * begin here. A tensor that outlives the run does not end at its last step. */
static enum inplace_verdict judge_times(const struct sharing *s,
	const struct inplace_pair *pair, uint32_t step, uint32_t *other)
{
	const struct stay *in = &s->stay[pair->input];

	if (mp_graph_tensor_to_end(&s->graph->tensors[pair->input]))
		return INPLACE_KEPT;
	if (in->end > step + 1) {
		*other = s->order[in->end - 1];
		return INPLACE_READ_LATER;
	}
	if (in->start >= step || in->end <= step)
		return INPLACE_NEW;
	return s->stay[pair->output].start == step &&
			       s->graph->tensors[pair->output].producer ==
				       s->order[step]
		       ? INPLACE_SHARED
		       : INPLACE_OLD;
}

/* Each tensor takes over at most one input, and at most one output takes its
 * bytes. */
static enum inplace_verdict judge_others(const struct sharing *s,
	const struct inplace_pair *pair, uint32_t *other)
{
	*other = s->taken_by[pair->input];
	if (*other != NONE)
		return INPLACE_TAKEN;
	*other = s->follows[pair->output] ? s->takes_from[pair->output] : NONE;
	return *other != NONE ? INPLACE_TAKES : INPLACE_SHARED;
}

/* At the step itself both tensors need the bytes, which count once, in the
 * larger of the two. A smaller output that lives for that step only would have
 * no step left, so it gets its own bytes. */
static enum inplace_verdict judge_rest(
	const struct sharing *s, const struct inplace_pair *pair, uint32_t step)
{
	return rounded(s, pair->output) < rounded(s, pair->input) &&
			       s->stay[pair->output].end == step + 1
		       ? INPLACE_BRIEF
		       : INPLACE_SHARED;
}

/* May the output take over the bytes of the input at this step? */
static enum inplace_verdict judge(const struct sharing *s,
	const struct inplace_pair *pair, uint32_t step, uint32_t *other)
{
	enum inplace_verdict verdict = judge_pair(s, pair, other);

	if (verdict == INPLACE_SHARED)
		verdict = judge_others(s, pair, other);
	if (verdict == INPLACE_SHARED)
		verdict = judge_times(s, pair, step, other);
	if (verdict == INPLACE_SHARED)
		verdict = judge_streams(s, pair, s->order[step], other);
	return verdict == INPLACE_SHARED ? judge_rest(s, pair, step) : verdict;
}

static bool is_apart(const struct sharing *s, const struct inplace_pair *pair)
{
	return s->apart && (s->apart[pair->input] || s->apart[pair->output]);
}

/* In a plan that is read back the input ends where the output begins. The two
 * are one buffer, as they were when the plan was made. */
static bool has_taken_over(
	const struct sharing *s, const struct inplace_pair *pair, uint32_t step)
{
	const struct tensor *in = &s->graph->tensors[pair->input];
	const struct tensor *out = &s->graph->tensors[pair->output];
	uint32_t other;

	return is_settled(s, pair->input) && is_settled(s, pair->output) &&
	       placed_alike(in, out) && in->pools == out->pools &&
	       !is_apart(s, pair) &&
	       of_one_branch(s, pair->input, pair->output) &&
	       s->stay[pair->input].end == s->stay[pair->output].start &&
	       s->stay[pair->input].end - step <= 1 &&
	       judge_others(s, pair, &other) == INPLACE_SHARED &&
	       judge_streams(s, pair, s->order[step], &other) == INPLACE_SHARED;
}

static void hand_over(struct sharing *s, const struct inplace_pair *pair)
{
	s->taken_by[pair->input] = pair->output;
	s->takes_from[pair->output] = pair->input;
	s->follows[pair->output] = true;
}

static void take_over(
	struct sharing *s, const struct inplace_pair *pair, uint32_t step)
{
	hand_over(s, pair);
	if (rounded(s, pair->output) >= rounded(s, pair->input))
		s->stay[pair->input].end = step;
	else
		s->stay[pair->output].start = step + 1;
}

/* A tensor that is to be apart from another one never shares in place: a later
 * pair could make the two one buffer. */
static bool mark_apart(struct sharing *s)
{
	const struct ties *ties = &s->graph->ties;

	if (ties->n_apart == 0)
		return true;
	s->apart = NEW(s->scratch, bool, s->graph->n_tensors);
	for (uint32_t i = 0; s->apart && i < ties->n_apart; i++) {
		s->apart[ties->apart[i].a] = true;
		s->apart[ties->apart[i].b] = true;
	}
	return s->apart != NULL;
}

static bool same_branch(
	const struct tensor_branch *a, const struct tensor_branch *b)
{
	return a->choice == b->choice && a->branch == b->branch;
}

/* Numbers the branches of all choices from 1. A tensor that took over from
 * another branch would be alive whichever branch runs. */
static bool number_branches(struct sharing *s)
{
	const struct ties *ties = &s->graph->ties;
	uint32_t number = 0;

	if (ties->n_branches == 0)
		return true;
	s->branch = NEW(s->scratch, uint32_t, s->graph->n_tensors);
	for (uint32_t i = 0; s->branch && i < ties->n_branches; i++) {
		number += i == 0 || !same_branch(&ties->branches[i],
					    &ties->branches[i - 1]);
		s->branch[ties->branches[i].tensor] = number;
	}
	return s->branch != NULL;
}

static uint8_t decide(struct sharing *s, const struct inplace_pair *pair,
	uint32_t step, uint32_t *other)
{
	enum inplace_verdict verdict = judge(s, pair, step, other);

	if (verdict == INPLACE_SHARED) {
		take_over(s, pair, step);
	} else if (has_taken_over(s, pair, step)) {
		hand_over(s, pair);
		verdict = INPLACE_SHARED;
	}
	return (uint8_t)verdict;
}

static void decide_op(struct sharing *s, bool wanted, uint32_t step,
	struct inplace_outcome *outcomes)
{
	const struct op *op = &s->graph->ops[s->order[step]];

	for (uint32_t i = 0; i < op->n_inplace + op->n_unequal; i++) {
		const struct inplace_pair *pair = &op->inplace[i];

		outcomes[i] = (struct inplace_outcome){s->order[step],
			pair->output, pair->input, NONE, INPLACE_OFF};
		if (!wanted)
			continue;
		outcomes[i].verdict = INPLACE_UNEQUAL;
		if (i < op->n_inplace)
			outcomes[i].verdict =
				decide(s, pair, step, &outcomes[i].other);
	}
}

static bool prepare(struct sharing *s, struct inplace_outcome **outcomes)
{
	uint32_t n = s->graph->n_tensors;

	*outcomes =
		NEW(s->arena, struct inplace_outcome, s->schedule->n_inplace);
	s->schedule->inplace = *outcomes;
	s->takes_from = NEW(s->scratch, uint32_t, n);
	if (!*outcomes || !s->takes_from)
		return false;
	for (uint32_t t = 0; t < n; t++)
		s->takes_from[t] = NONE;
	return mark_apart(s) && number_branches(s);
}

bool mp_lifetime_share_in_place(struct sharing *s, bool wanted)
{
	const struct graph *graph = s->graph;
	struct inplace_outcome *outcomes;
	uint32_t n = 0;

	for (uint32_t i = 0; i < graph->n_ops; i++)
		n += graph->ops[i].n_inplace + graph->ops[i].n_unequal;
	s->schedule->n_inplace = n;
	if (n == 0)
		return true;
	if (!prepare(s, &outcomes))
		return false;
	for (uint32_t step = 0; step < graph->n_ops; step++) {
		const struct op *op = &graph->ops[s->order[step]];

		decide_op(s, wanted, step, outcomes);
		outcomes += op->n_inplace + op->n_unequal;
	}
	return true;
}
