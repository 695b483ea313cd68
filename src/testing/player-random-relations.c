/*
 * Groups, fixed offsets, pairs apart, reserved ranges and branches.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/player-random.h"

static bool is_free(const struct maker *m, uint32_t i)
{
	const struct play_tensor *t = &m->play->tensors[i];

	return !(m->of_any & PLAY_BIT(i)) && t->group == NONE && !t->placed &&
	       t->kind != KIND_WEIGHT;
}

static void make_group(struct maker *m)
{
	struct play *play = m->play;
	struct play_group *group = &play->groups[play->n_groups];
	uint32_t first = NONE, last = NONE,
		 wanted = 2 + mp_testing_make_below(m, 2);

	for (uint32_t n = 0; n < 20 && group->n < wanted; n++) {
		uint32_t i = mp_testing_make_below(m, play->n_listed);

		if (!is_free(m, i))
			continue;
		play->tensors[i].group = play->n_groups;
		group->members[group->n++] = i;
		if (play->tensors[i].size == 0)
			continue;
		first = first == NONE ? i : first;
		last = i;
	}
	if (group->n == 0)
		return;
	play->n_groups++;
	if (first == NONE || mp_testing_make_one_in(m, 2))
		return;
	play->tensors[first].before = mp_testing_make_below(m, 40);
	play->tensors[last].after = mp_testing_make_below(m, 40);
}

static void fix_some(struct maker *m)
{
	struct play *play = m->play;

	for (uint32_t i = 0; i < play->n_listed && m->n_fixed < 6; i++) {
		struct play_tensor *t = &play->tensors[i];

		if (t->of != NONE || t->group != NONE ||
			t->kind == KIND_WEIGHT || t->size == 0 ||
			!mp_testing_make_one_in(m, 6))
			continue;
		t->placed = true;
		t->fixed = 512 + 64 * m->n_fixed++;
	}
}

/* Says which tensors are external: an alias, if its root is. */
static void settle_places(struct maker *m)
{
	struct play *play = m->play;

	for (uint32_t i = 0; i < play->n_listed; i++) {
		struct play_tensor *t = &play->tensors[i];
		uint8_t policy = t->kind == KIND_INPUT	  ? play->inputs
				 : t->kind == KIND_OUTPUT ? play->outputs
							  : POLICY_INSIDE;

		t->external = t->kind == KIND_WEIGHT ||
			      (policy == POLICY_EXTERNAL && !t->placed &&
				      t->group == NONE && t->of == NONE);
	}
	for (uint32_t i = 0; i < play->n_listed; i++)
		play->tensors[i].external =
			play->tensors[mp_testing_player_root(play, i)].external;
}

/* True if the document makes the two tensors one buffer. */
static bool are_tied(const struct play *play, uint32_t a, uint32_t b)
{
	const struct play_tensor *x =
		&play->tensors[mp_testing_player_root(play, a)];
	const struct play_tensor *y =
		&play->tensors[mp_testing_player_root(play, b)];

	return x == y || (x->group != NONE && x->group == y->group) ||
	       (x->kind == KIND_STATE && y->kind == KIND_STATE);
}

static void make_pairs(struct maker *m)
{
	struct play *play = m->play;

	for (uint32_t n = mp_testing_make_below(m, PLAY_PAIRS + 1); n > 0;
		n--) {
		uint32_t a = mp_testing_make_below(m, play->n_listed);
		uint32_t b = mp_testing_make_below(m, play->n_listed);

		if (are_tied(play, a, b))
			continue;
		play->apart[play->n_pairs][0] = a;
		play->apart[play->n_pairs++][1] = b;
	}
}

static void make_ranges(struct maker *m)
{
	struct play *play = m->play;

	play->n_ranges = mp_testing_make_below(m, PLAY_RANGES + 1);
	for (uint32_t i = 0; i < play->n_ranges; i++) {
		play->ranges[i][0] = 256 * i + mp_testing_make_below(m, 128);
		play->ranges[i][1] = 1 + mp_testing_make_below(m, 100);
	}
}

/* Puts choices in branches of others, and tensors in branches, each with all of
 * its aliases. */
static void make_branches(struct maker *m)
{
	struct play *play = m->play;

	play->n_choices = 1 + mp_testing_make_below(m, PLAY_CHOICES);
	for (uint32_t c = 0; c < play->n_choices; c++) {
		play->sites[c][0] = mp_testing_make_below(m, c + 1);
		play->sites[c][1] = mp_testing_make_below(m, PLAY_BRANCHES);
		if (play->sites[c][0] == c)
			play->sites[c][0] = NONE;
	}
	for (uint32_t i = 0; i < play->n_listed; i++) {
		struct play_tensor *t = &play->tensors[i];

		if (t->of != NONE || !mp_testing_make_one_in(m, 2))
			continue;
		t->choice = mp_testing_make_below(m, play->n_choices);
		t->branch = mp_testing_make_below(m, PLAY_BRANCHES);
	}
	for (uint32_t i = 0; i < play->n_listed; i++) {
		struct play_tensor *t = &play->tensors[i];
		uint32_t root = mp_testing_player_root(play, i);

		t->choice = play->tensors[root].choice;
		t->branch = play->tensors[root].branch;
	}
}

void mp_testing_make_relate(struct maker *m, bool groups, bool relations)
{
	for (uint32_t n = groups ? PLAY_GROUPS : 0; n > 0; n--)
		make_group(m);
	if (m->fixed)
		fix_some(m);
	settle_places(m);
	if (relations) {
		make_pairs(m);
		make_ranges(m);
	}
	if (m->branches)
		make_branches(m);
}
