/*
 * In-place pairs: the output takes over the bytes of the input at the step at
 * which the input ends. The two become parts of one buffer, the input before
 * the output.
 *
 * At the step itself both need the bytes, which count once, in the larger of
 * the two: either the input ends before the step, or the output begins behind
 * it. So a tensor that lives for this step only may have no step left.
 *
 * Of the pairs of an op that are permitted those are taken that save most bytes
 * at its step, unless the caller leaves some apart.
 *
 * SPDX-License-Identifier: MIT
 */
#include "lifetime/inside.h"

#include <assert.h>

#include "base/lists.h"

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

/* A tensor that took over from another branch would be alive whichever branch
 * runs. */
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
	struct ids readers = mp_graph_readers(s->graph, in);

	if (in->producer != NONE &&
		!mp_schedule_before(s->schedule, in->producer, op))
		return in->producer;
	for (uint32_t i = 0; i < readers.n; i++)
		if (readers.at[i] != op &&
			!mp_schedule_before(s->schedule, readers.at[i], op))
			return readers.at[i];
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

/* The op must read the input, which must be there at this step and end with it,
 * and the output must begin here. A tensor that outlives the run does not end
 * at its last step. */
static enum inplace_verdict judge_times(const struct sharing *s,
	const struct inplace_pair *pair, uint32_t step, uint32_t *other)
{
	const struct tensor *out = &s->graph->tensors[pair->output];
	const struct stay *in = &s->stay[pair->input];

	if (mp_graph_tensor_to_end(&s->graph->tensors[pair->input]))
		return INPLACE_KEPT;
	if (mp_graph_loop_needs(s->graph, s->order[step], pair->input))
		return INPLACE_LOOP;
	if (in->end > step + 1) {
		*other = s->order[in->end - 1];
		return INPLACE_READ_LATER;
	}
	if (in->start > step || in->end <= step ||
		!mp_lists_contain(mp_graph_readers(s->graph,
					  &s->graph->tensors[pair->input]),
			s->order[step]))
		return INPLACE_NEW;
	return s->stay[pair->output].start == step &&
			       out->producer == s->order[step] &&
			       !mp_graph_tensor_from_start(out)
		       ? INPLACE_SHARED
		       : INPLACE_OLD;
}

/* May the output take over the bytes of the input at this step, if no other
 * pair is taken? */
static enum inplace_verdict judge(const struct sharing *s,
	const struct inplace_pair *pair, uint32_t step, uint32_t *other)
{
	enum inplace_verdict verdict = judge_pair(s, pair, other);

	if (verdict == INPLACE_SHARED)
		verdict = judge_times(s, pair, step, other);
	return verdict == INPLACE_SHARED
		       ? judge_streams(s, pair, s->order[step], other)
		       : verdict;
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
	       !mp_graph_loop_needs(s->graph, s->order[step], pair->input) &&
	       judge_streams(s, pair, s->order[step], &other) == INPLACE_SHARED;
}

static void take_over(
	struct sharing *s, const struct inplace_pair *pair, uint32_t step)
{
	s->taken_by[pair->input] = pair->output;
	s->takes_from[pair->output] = pair->input;
	s->follows[pair->output] = true;
	if (s->stay[pair->input].end == s->stay[pair->output].start)
		return;
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

/* -------------------------------------------------------------- ops */

/* What a plan that is read back has taken over stays so, whatever is wanted. */
static uint8_t permit(const struct sharing *s, const struct inplace_pair *pair,
	bool wanted, uint32_t step, struct inplace_outcome *outcome)
{
	uint8_t verdict = outcome->verdict;

	if (wanted)
		verdict = (uint8_t)judge(s, pair, step, &outcome->other);
	if (verdict == INPLACE_SHARED || !has_taken_over(s, pair, step))
		return verdict;
	outcome->other = NONE;
	return INPLACE_SHARED;
}

/* Lists the pairs that may share, in the sequence of the outcomes. */
static uint32_t permit_pairs(struct sharing *s, bool wanted, uint32_t step,
	struct inplace_outcome *outcomes)
{
	const struct op *op = &s->graph->ops[s->order[step]];
	uint32_t n = 0;

	for (uint32_t i = 0; i < op->n_inplace + op->n_unequal; i++) {
		const struct inplace_pair *pair = &op->inplace[i];
		struct inplace_outcome *outcome = &outcomes[i];

		outcome->verdict = permit(
			s, pair, wanted && i < op->n_inplace, step, outcome);
		if (outcome->verdict != INPLACE_SHARED)
			continue;
		if (s->left && s->left[outcome - s->schedule->inplace]) {
			outcome->verdict = INPLACE_LEFT;
			continue;
		}
		s->permitted[n++] =
			(struct shared_pair){pair->output, pair->input, false,
				num_min(rounded(s, pair->output),
					rounded(s, pair->input))};
	}
	return n;
}

/* Another pair has the input's bytes, or gives the output others. */
static void name_other(const struct sharing *s, struct inplace_outcome *outcome)
{
	outcome->other = s->taken_by[outcome->input];
	outcome->verdict = INPLACE_TAKEN;
	if (outcome->other != NONE)
		return;
	outcome->other = s->takes_from[outcome->output];
	outcome->verdict = INPLACE_TAKES;
	assert(outcome->other != NONE);
}

static void decide_op(struct sharing *s, bool wanted, uint32_t step,
	struct inplace_outcome *outcomes)
{
	const struct op *op = &s->graph->ops[s->order[step]];
	uint32_t n = permit_pairs(s, wanted, step, outcomes), k = 0;

	mp_graph_match_pairs(&s->matcher, s->permitted, n);
	for (uint32_t i = 0; k < n; i++)
		if (outcomes[i].verdict == INPLACE_SHARED &&
			s->permitted[k++].taken)
			take_over(s, &op->inplace[i], step);
	for (uint32_t i = 0; i < op->n_inplace + op->n_unequal; i++)
		if (outcomes[i].verdict == INPLACE_SHARED &&
			s->takes_from[outcomes[i].output] != outcomes[i].input)
			name_other(s, &outcomes[i]);
}

/* A matching of greatest weight makes each load least, but of several branches
 * at one step the heaviest counts. */
static bool is_open(const struct sharing *s)
{
	if (s->matcher.missed)
		return true;
	for (uint32_t i = 0; s->branch && i < s->schedule->n_inplace; i++)
		if (s->schedule->inplace[i].verdict == INPLACE_TAKEN ||
			s->schedule->inplace[i].verdict == INPLACE_TAKES)
			return true;
	return false;
}

static void list_op(const struct sharing *s, bool wanted, uint32_t step,
	struct inplace_outcome *outcomes)
{
	const struct op *op = &s->graph->ops[s->order[step]];

	for (uint32_t i = 0; i < op->n_inplace + op->n_unequal; i++)
		outcomes[i] = (struct inplace_outcome){s->order[step],
			op->inplace[i].output, op->inplace[i].input, NONE,
			wanted ? INPLACE_UNEQUAL : INPLACE_OFF};
}

static bool prepare(struct sharing *s, struct inplace_outcome **outcomes)
{
	uint32_t n = s->graph->n_tensors, most = 0;

	for (uint32_t i = 0; i < s->graph->n_ops; i++)
		most = (uint32_t)num_max(
			most, s->graph->ops[i].n_inplace +
				      s->graph->ops[i].n_unequal);
	s->permitted = NEW(s->scratch, struct shared_pair, most);
	*outcomes =
		NEW(s->arena, struct inplace_outcome, s->schedule->n_inplace);
	s->schedule->inplace = *outcomes;
	s->takes_from = NEW(s->scratch, uint32_t, n);
	if (!*outcomes || !s->takes_from || !s->permitted ||
		!mp_graph_matcher_init(&s->matcher, n, s->scratch))
		return false;
	for (uint32_t t = 0; t < n; t++)
		s->takes_from[t] = NONE;
	return mark_apart(s) && mp_graph_ties_number_branches(&s->graph->ties,
					n, &s->branch, s->scratch);
}

static bool check_steps(const struct sharing *s)
{
	for (uint32_t t = 0; t < s->graph->n_tensors; t++)
		if (!s->follows[t] && s->taken_by[t] == NONE &&
			!mp_lifetime_has_step(s, t))
			return false;
	return true;
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
		return check_steps(s);
	if (!prepare(s, &outcomes))
		return false;
	for (uint32_t step = 0; step < graph->n_ops; step++) {
		const struct op *op = &graph->ops[s->order[step]];

		list_op(s, wanted, step, outcomes);
		decide_op(s, wanted, step, outcomes);
		outcomes += op->n_inplace + op->n_unequal;
	}
	s->schedule->pairs_open = is_open(s);
	return check_steps(s);
}
