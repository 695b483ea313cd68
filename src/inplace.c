/*
 * In-place pairs: the output takes over the input's bytes at the very step
 * where the input dies, and the two become parts of one buffer, one behind the
 * other in time.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sharing.h"

static bool free_to_share(const struct sharing *s, uint32_t t)
{
	const struct tensor *tensor = &s->graph->tensors[t];

	return mp_takes_bytes(tensor) && !tensor->pinned &&
	       (!s->unions || s->union_of[t] == NONE) &&
	       (!s->apart || !s->apart[t]);
}

static bool of_one_branch(const struct sharing *s, uint32_t a, uint32_t b)
{
	return !s->branch || s->branch[a] == s->branch[b];
}

static bool is_settled(const struct sharing *s, uint32_t t)
{
	const struct tensor *tensor = &s->graph->tensors[t];

	return mp_takes_bytes(tensor) && tensor->pinned && tensor->placed &&
	       (!s->unions || s->union_of[t] == NONE);
}

/* Offsets that the input fixes decide by themselves who shares, and the pools
 * that may hold one must be those of the other. */
static bool placed_alike(const struct tensor *a, const struct tensor *b)
{
	return a->placed == b->placed && a->offset == b->offset &&
	       a->pools == b->pools;
}

static uint64_t rounded(const struct sharing *s, uint32_t t)
{
	return mp_tensor_rounded(s->graph, &s->graph->tensors[t]);
}

/* Where streams run beside each other, to be listed last is not to be last: all
 * other users must surely be done. And the two must be one part. */
static bool dies_for_sure(
	const struct sharing *s, const struct inplace_pair *pair, uint32_t op)
{
	const struct tensor *in = &s->graph->tensors[pair->input];

	if (in->producer != NONE &&
		!mp_streams_before(&s->streams, in->producer, op))
		return false;
	for (uint32_t i = 0; i < in->readers.n; i++)
		if (in->readers.at[i] != op &&
			!mp_streams_before(&s->streams, in->readers.at[i], op))
			return false;
	return rounded(s, pair->input) == rounded(s, pair->output);
}

/* May the output take the input's bytes at this step? The input must die here,
 * must have lived before, and neither may share at this op already. What must
 * outlive the run does not die at its last step. */
static bool may_take_over(
	const struct sharing *s, const struct inplace_pair *pair, uint32_t step)
{
	const struct tensor *in = &s->graph->tensors[pair->input];
	const struct tensor *out = &s->graph->tensors[pair->output];

	return pair->input != pair->output && free_to_share(s, pair->input) &&
	       free_to_share(s, pair->output) && placed_alike(in, out) &&
	       of_one_branch(s, pair->input, pair->output) &&
	       !mp_tensor_to_end(in) && s->span[pair->input].start < step &&
	       s->span[pair->input].end == step + 1 &&
	       s->span[pair->output].start == step &&
	       out->producer == s->order[step] &&
	       s->heir[pair->input] == NONE && !s->follows[pair->output] &&
	       (!mp_has_streams(s) || dies_for_sure(s, pair, s->order[step]));
}

/* A plan that is read back has the lifetimes as they were left when the output
 * took over. Only among streams does that not speak for itself. */
static bool has_taken_over(
	const struct sharing *s, const struct inplace_pair *pair, uint32_t step)
{
	const struct tensor *in = &s->graph->tensors[pair->input];
	const struct tensor *out = &s->graph->tensors[pair->output];

	return mp_has_streams(s) && pair->input != pair->output &&
	       is_settled(s, pair->input) && is_settled(s, pair->output) &&
	       placed_alike(in, out) && out->producer == s->order[step] &&
	       s->span[pair->input].end == step &&
	       s->span[pair->output].start == step &&
	       s->heir[pair->input] == NONE && !s->follows[pair->output] &&
	       dies_for_sure(s, pair, s->order[step]);
}

static void hand_over(struct sharing *s, const struct inplace_pair *pair)
{
	s->heir[pair->input] = pair->output;
	s->follows[pair->output] = true;
}

/* At the step itself both hold the bytes; counting them once, the larger of the
 * two has them. An output that would live for that step only stays apart. */
static void take_over(
	struct sharing *s, const struct inplace_pair *pair, uint32_t step)
{
	bool larger = rounded(s, pair->output) >= rounded(s, pair->input);

	if (!larger && s->span[pair->output].end == step + 1)
		return;
	hand_over(s, pair);
	if (larger)
		s->span[pair->input].end = step;
	else
		s->span[pair->output].start = step + 1;
}

/* What is to be apart from something shares with nobody: a pair further on
 * could make the two one buffer. */
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

/* What takes over from another branch would be there whichever runs. */
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

bool mp_share_in_place(struct sharing *s)
{
	const struct op *op;

	if (!mark_apart(s) || !number_branches(s))
		return false;
	for (uint32_t step = 0; step < s->graph->n_ops; step++) {
		op = &s->graph->ops[s->order[step]];
		for (uint32_t i = 0; i < op->n_inplace; i++)
			if (may_take_over(s, &op->inplace[i], step))
				take_over(s, &op->inplace[i], step);
			else if (has_taken_over(s, &op->inplace[i], step))
				hand_over(s, &op->inplace[i]);
	}
	return true;
}
