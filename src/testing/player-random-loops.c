/*
 * Loops in a random graph, one behind or in another, and what they carry. They
 * are legal: nothing overwrites what the next iteration needs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/player-random.h"

enum {
	TRIES = 20,
};

static bool has(const struct play_loop *loop, uint32_t op)
{
	return mp_testing_player_has(loop, op);
}

static bool is_made_in(
	const struct play *play, const struct play_loop *loop, uint32_t i)
{
	return has(loop, mp_testing_player_maker(play, i));
}

/* ------------------------------------------------------------- nest */

/* Each inside the one before, or behind it. */
static void draw_loops(struct maker *m)
{
	struct play *play = m->play;
	uint32_t first = 0, last = play->n_ops - 1, around = NONE;
	uint32_t n = 1 + mp_testing_make_below(m, PLAY_LOOPS);

	for (; n > 0 && first <= last; n--) {
		struct play_loop *loop = &play->loops[play->n_loops++];
		uint32_t low =
			first + mp_testing_make_below(m, last - first + 1);
		uint32_t high = low + mp_testing_make_below(m, last - low + 1);

		*loop = (struct play_loop){low, high, around, {{0}}, 0};
		if (mp_testing_make_one_in(m, 2)) {
			around = play->n_loops - 1;
			first = low;
			last = high;
		} else {
			first = high + 1;
		}
	}
}

/* ---------------------------------------------------------- carried */

static bool is_read(
	const struct play *play, uint32_t i, uint32_t first, uint32_t last)
{
	for (uint32_t op = first; op <= last; op++)
		if (play->ops[op].inputs & PLAY_BIT(i))
			return true;
	return false;
}

/* Is it bytes of another tensor, or has it bytes of others? */
static bool is_tied(const struct play *play, uint32_t i)
{
	const struct play_tensor *t = &play->tensors[i];

	for (uint32_t k = 0; k < play->n_listed; k++)
		if (play->tensors[k].of == i)
			return true;
	return t->of != NONE || t->group != NONE;
}

/* Nothing is said of it that it could not keep as an alias. */
static bool may_be_alias(const struct play *play, uint32_t i)
{
	const struct play_tensor *t = &play->tensors[i];

	for (uint32_t k = 0; k < play->n_pairs; k++)
		if (play->apart[k][0] == i || play->apart[k][1] == i)
			return false;
	return !is_tied(play, i) && t->kind == KIND_ACTIVATION &&
	       !t->lifelong && !t->placed && !t->pinned && !t->external;
}

static bool is_in_pair(const struct play *play, uint32_t i)
{
	for (uint32_t k = 0; k < play->n_loops; k++)
		for (uint32_t c = 0; c < play->loops[k].n_carried; c++)
			if (play->loops[k].carried[c][0] == i ||
				play->loops[k].carried[c][1] == i)
				return true;
	return false;
}

/* It is read up to the op of the loop that writes over it, and not to the end,
 * unless it is a state. A loop around would need it again. */
static bool may_be_overwritten(const struct play *play,
	const struct play_loop *loop, uint32_t i, uint32_t by)
{
	const struct play_tensor *t = &play->tensors[i];
	uint32_t op = play->tensors[by].producer;

	return !is_tied(play, i) && !is_in_pair(play, i) &&
	       !is_in_pair(play, by) && t->size > 0 && !t->lifelong &&
	       !t->pinned && !t->external &&
	       (!t->to_end || t->kind == KIND_STATE) &&
	       !is_read(play, i, op + 1, play->n_ops - 1) &&
	       (loop->around == NONE ||
		       is_made_in(play, &play->loops[loop->around], i));
}

static void write_over(struct play *play, uint32_t in, uint32_t out)
{
	struct play_tensor *t = &play->tensors[out];

	t->of = in;
	t->at = 0;
	t->writes = true;
	t->align = 0;
	t->choice = play->tensors[in].choice;
	t->branch = play->tensors[in].branch;
}

static void carry(struct maker *m, struct play_loop *loop)
{
	struct play *play = m->play;
	uint32_t in = mp_testing_make_below(m, play->n_listed);
	uint32_t out = mp_testing_make_below(m, play->n_listed);
	const struct play_tensor *a = &play->tensors[in];
	struct play_tensor *b = &play->tensors[out];
	uint32_t op = mp_testing_player_maker(play, in);

	if (in == out || (op != NONE && op >= loop->first) ||
		(a->of != NONE && !a->writes) || b->producer == NONE ||
		b->producer > loop->last ||
		(b->of == in && !has(loop, b->producer)))
		return;
	for (uint32_t k = 0; k < loop->n_carried; k++)
		if (loop->carried[k][0] == in)
			return;
	if (a->size != b->size &&
		(a->size == 0 || b->size == 0 || is_tied(play, out) ||
			is_in_pair(play, out)))
		return;
	b->size = a->size;
	if (has(loop, b->producer) && may_be_alias(play, out) &&
		may_be_overwritten(play, loop, in, out) &&
		mp_testing_make_one_in(m, 2))
		write_over(play, in, out);
	loop->carried[loop->n_carried][0] = in;
	loop->carried[loop->n_carried++][1] = out;
}

/* ------------------------------------------------------------ legal */

/* Some op of the loop, or its end, finds the tensor as it was before. */
static bool is_needed_again(
	const struct play *play, const struct play_loop *loop, uint32_t i)
{
	if (is_made_in(play, loop, i))
		return play->tensors[i].from_start &&
		       play->tensors[i].of == NONE;
	for (const struct play_loop *l = play->loops;
		l < play->loops + play->n_loops; l++)
		for (uint32_t k = 0; has(loop, l->first) &&
				     has(loop, l->last) && k < l->n_carried;
			k++)
			if (l->carried[k][1] == i || l->carried[k][0] == i)
				return true;
	return is_read(play, i, loop->first, loop->last);
}

static bool is_carried_in_place(const struct play *play,
	const struct play_loop *loop, uint32_t old, uint32_t by)
{
	for (uint32_t k = 0; k < loop->n_carried; k++)
		if (loop->carried[k][0] == old && loop->carried[k][1] == by &&
			mp_testing_player_in_place(play, loop->carried[k]))
			return true;
	return false;
}

/* The writer changes bytes of the other tensor, before or in the loop, which
 * needs them. */
static bool spoils(const struct play *play, const struct play_loop *loop,
	uint32_t old, uint32_t by)
{
	const struct play_tensor *w = &play->tensors[by];

	return w->writes && w->producer <= loop->last &&
	       mp_testing_player_overlap(play, old, by) &&
	       !mp_testing_player_is_below(play, old, by);
}

/* What a loop hands on must be there at its end. */
static bool is_handed_on(const struct play_loop *loop, uint32_t i)
{
	for (uint32_t k = 0; k < loop->n_carried; k++)
		if (loop->carried[k][1] == i)
			return true;
	return false;
}

static bool is_legal(const struct play *play, const struct play_loop *loop)
{
	for (uint32_t old = 0; old < play->n_listed; old++)
		for (uint32_t by = 0; by < play->n_listed; by++)
			if (spoils(play, loop, old, by) &&
				(is_handed_on(loop, old) ||
					(is_needed_again(play, loop, old) &&
						!is_carried_in_place(
							play, loop, old, by))))
				return false;
	return true;
}

/* -------------------------------------------------------- lifetimes */

/* To the end of a loop that has the steps behind the first, or needs it. */
static bool must_reach(
	const struct play *play, const struct play_loop *loop, uint32_t i)
{
	const struct play_tensor *t = &play->tensors[i];

	return (!has(loop, t->start) && has(loop, t->end - 1)) ||
	       is_handed_on(loop, i) || is_needed_again(play, loop, i);
}

/* Fixed lifetimes begin in the loop that makes the tensor, and reach as far as
 * loops need. Those that were stretched have no gaps, and gaps are in one
 * iteration. */
static void stretch_lifetimes(struct play *play)
{
	for (uint32_t i = 0; i < play->n_listed; i++) {
		struct play_tensor *t = &play->tensors[i];
		uint32_t loop = mp_testing_player_loop(play, t->producer);
		bool again = false;

		if (!t->pinned)
			continue;
		if (mp_testing_player_loop(play, t->start) != loop)
			t->start = t->producer;
		for (uint32_t k = 0; k < play->n_loops; k++) {
			if (!must_reach(play, &play->loops[k], i))
				continue;
			again = true;
			if (t->end <= play->loops[k].last)
				t->end = play->loops[k].last + 1;
		}
		if (t->pause <= t->start || t->resume >= t->end || again ||
			mp_testing_player_loop(play, t->pause - 1) != loop ||
			mp_testing_player_loop(play, t->resume) != loop)
			t->pause = t->resume = 0;
	}
}

void mp_testing_player_add_loops(struct play *play, uint64_t seed)
{
	struct maker maker = {.play = play, .state = seed ^ 0x6c6f6f70};
	struct play before = *play;

	if (!play->has_ops)
		return;
	draw_loops(&maker);
	for (uint32_t n = 0; n < TRIES; n++) {
		struct play_loop *loop = &play->loops[mp_testing_make_below(
			&maker, play->n_loops)];

		if (loop->n_carried < PLAY_CARRIED)
			carry(&maker, loop);
	}
	for (uint32_t i = 0; i < play->n_loops; i++)
		if (!is_legal(play, &play->loops[i])) {
			*play = before;
			return;
		}
	stretch_lifetimes(play);
}
