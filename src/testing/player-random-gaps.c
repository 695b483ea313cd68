/*
 * Lifetimes that the input fixes, and gaps in them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/player-random.h"

static void pause_tensor(
	struct maker *m, struct play_tensor *t, uint32_t from, uint32_t to)
{
	if (to <= from || to <= t->start || from >= t->end ||
		from <= t->start || to >= t->end)
		return;
	t->pause = from;
	t->resume = to;
	if (t->size == 0 || mp_testing_make_one_in(m, 2))
		return;
	t->low = mp_testing_make_below(m, (uint32_t)t->size);
	t->high = t->low + 1 +
		  mp_testing_make_below(m, (uint32_t)(t->size - t->low));
}

static bool is_used_at(const struct play *play, uint32_t i, uint32_t step)
{
	const struct play_op *o = &play->ops[step];

	return (o->inputs | o->outputs) & PLAY_BIT(i);
}

/* As long as ops need it, and sometimes longer; with a gap where none does. */
static void pin_tensor(struct maker *m, uint32_t i)
{
	struct play *play = m->play;
	struct play_tensor *t = &play->tensors[i];

	t->pinned = true;
	t->start = play->n_steps;
	for (uint32_t step = 0; step < play->n_steps; step++) {
		if (!is_used_at(play, i, step))
			continue;
		if (t->start > step)
			t->start = step;
		t->end = step + 1;
	}
	if (t->start > 0 && mp_testing_make_one_in(m, 3))
		t->start--;
	if (t->end < play->n_steps && mp_testing_make_one_in(m, 3))
		t->end++;
}

static void find_pause(struct maker *m, uint32_t i)
{
	const struct play *play = m->play;
	struct play_tensor *t = &m->play->tensors[i];
	uint32_t from = t->start + 1, to;

	while (from < t->end && is_used_at(play, i, from))
		from++;
	for (to = from; to < t->end && !is_used_at(play, i, to); to++)
		;
	pause_tensor(m, t, from, to);
}

void mp_testing_make_pin_some(struct maker *m)
{
	struct play *play = m->play;

	for (uint32_t i = 0; i < play->n_listed; i++) {
		const struct play_tensor *t = &play->tensors[i];

		if (t->kind != KIND_ACTIVATION || t->lifelong ||
			(m->of_any & PLAY_BIT(i)) ||
			!mp_testing_make_one_in(m, 2))
			continue;
		pin_tensor(m, i);
		find_pause(m, i);
	}
}

void mp_testing_make_pause_some(struct maker *m)
{
	struct play *play = m->play;

	for (uint32_t i = 0; i < play->n_listed; i++) {
		struct play_tensor *t = &play->tensors[i];
		uint32_t from = t->start + 1 + mp_testing_make_below(m, 3);

		if (!(m->of_any & PLAY_BIT(i)) && mp_testing_make_one_in(m, 2))
			pause_tensor(m, t, from,
				from + 1 + mp_testing_make_below(m, 3));
	}
}
