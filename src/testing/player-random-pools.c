/*
 * Several memories in a random graph: one that takes what it is given, others
 * that are small or cut into blocks. What is bytes of one buffer is so in one
 * memory, and only some of it says in which.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/player-random.h"

enum {
	LARGE = 1024, /* holds every buffer, and every fixed offset */
};

static bool has_fixed(const struct play *play)
{
	for (uint32_t i = 0; i < play->n_listed; i++)
		if (play->tensors[i].placed)
			return true;
	return false;
}

/* Fixed offsets are multiples of 64. */
static void draw_alignment(struct maker *m, struct play_pool *pool)
{
	pool->alignment = m->play->alignment << mp_testing_make_below(m, 2);
	if (pool->alignment > 64 && has_fixed(m->play))
		pool->alignment = 64;
}

/* Follows from the seed itself, so that all else stays what it is. */
static void add_banks(struct play *play, uint64_t seed)
{
	for (uint32_t i = 0; i < play->n_pools; i++) {
		play->pools[i].n_banks = (seed / 13 + i) % 4;
		play->pools[i].bank_size = 5 + seed / 17 % 40;
	}
}

static void draw_pools(struct maker *m)
{
	struct play *play = m->play;
	uint32_t unlimited;

	play->n_pools = 2 + mp_testing_make_below(m, PLAY_POOLS - 1);
	unlimited = mp_testing_make_one_in(m, 2)
			    ? play->n_pools - 1
			    : mp_testing_make_below(m, play->n_pools);
	for (uint32_t i = 0; i < play->n_pools; i++) {
		struct play_pool *pool = &play->pools[i];
		uint64_t small = 16 + 16 * mp_testing_make_below(m, 12);

		draw_alignment(m, pool);
		if (i == unlimited)
			continue;
		if (mp_testing_make_one_in(m, 3)) {
			pool->chunk = LARGE;
			pool->capacity =
				2 * LARGE * mp_testing_make_below(m, 2);
		} else {
			pool->capacity =
				mp_testing_make_one_in(m, 4)
					? LARGE
					: num_up(small, pool->alignment);
		}
	}
}

/* One place, and a large one. */
static bool is_whole(const struct play_pool *pool)
{
	return pool->chunk == 0 &&
	       (pool->capacity == 0 || pool->capacity == LARGE);
}

static uint32_t draw_whole(struct maker *m)
{
	uint32_t i;

	do
		i = mp_testing_make_below(m, m->play->n_pools);
	while (!is_whole(&m->play->pools[i]));
	return i;
}

static bool is_unlimited(const struct play_pool *pool)
{
	return pool->capacity == 0;
}

/* ------------------------------------------------------------ lists */

static void name_all(const struct play *play, struct play_tensor *t)
{
	t->n_pools = play->n_pools;
	for (uint32_t i = 0; i < play->n_pools; i++)
		t->pools[i] = i;
}

/* Some of them in some sequence; mostly one has no limit. */
static void name_some(struct maker *m, struct play_tensor *t)
{
	uint32_t n = 1 + mp_testing_make_below(m, m->play->n_pools);
	bool unlimited = false;

	name_all(m->play, t);
	for (uint32_t i = m->play->n_pools; i-- > 1;) {
		uint32_t k = mp_testing_make_below(m, i + 1),
			 other = t->pools[k];

		t->pools[k] = t->pools[i];
		t->pools[i] = other;
	}
	for (uint32_t i = 0; i < n; i++)
		unlimited |= is_unlimited(&m->play->pools[t->pools[i]]);
	if (unlimited || mp_testing_make_one_in(m, 8))
		t->n_pools = n;
	for (unlimited = false, n = 0; n < t->n_pools; n++)
		unlimited |= is_unlimited(&m->play->pools[t->pools[n]]);
	m->play->tight |= !unlimited;
	t->names_pools = true;
}

static void copy_list(const struct play_tensor *from, struct play_tensor *to)
{
	to->n_pools = from->n_pools;
	for (uint32_t i = 0; i < from->n_pools; i++)
		to->pools[i] = from->pools[i];
}

static bool are_one(const struct play *play, uint32_t a, uint32_t b)
{
	const struct play_tensor *x =
		&play->tensors[mp_testing_player_root(play, a)];
	const struct play_tensor *y =
		&play->tensors[mp_testing_player_root(play, b)];

	return x == y || (x->group != NONE && x->group == y->group);
}

/* The first tensor of the buffer that this tensor is in. */
static void find_classes(const struct play *play, uint32_t *class)
{
	for (uint32_t i = 0; i < play->n_listed; i++)
		for (class[i] = 0; !are_one(play, i, class[i]);)
			class[i]++;
}

static struct play_tensor *draw_list(
	struct maker *m, const uint32_t *class, uint32_t number)
{
	struct play_tensor *first = NULL, *placed = NULL, *t;

	for (uint32_t i = 0; i < m->play->n_listed; i++) {
		t = &m->play->tensors[i];
		if (class[i] != number || !mp_testing_player_takes_bytes(t))
			continue;
		first = first ? first : t;
		placed = t->placed ? t : placed;
	}
	if (placed) {
		placed->n_pools = 1;
		placed->pools[0] = draw_whole(m);
		placed->names_pools = true;
		m->play->tight |=
			!is_unlimited(&m->play->pools[placed->pools[0]]);
		return placed;
	}
	if (first && mp_testing_make_one_in(m, 2))
		name_some(m, first);
	else if (first)
		name_all(m->play, first);
	return first;
}

static void name_pools(struct maker *m, const uint32_t *class, uint32_t number)
{
	const struct play_tensor *first = draw_list(m, class, number);

	for (uint32_t i = number; i < m->play->n_listed; i++) {
		struct play_tensor *t = &m->play->tensors[i];

		if (class[i] != number || t == first || !first || t->external)
			continue;
		copy_list(first, t);
		t->names_pools = first->names_pools &&
				 (t->placed || mp_testing_make_one_in(m, 2));
	}
}

void mp_testing_player_add_pools(struct play *play, uint64_t seed)
{
	struct maker maker = {.play = play, .state = ~seed}, *m = &maker;
	uint32_t class[PLAY_TENSORS] = {0};

	draw_pools(m);
	add_banks(play, seed);
	find_classes(play, class);
	for (uint32_t i = 0; i < play->n_listed; i++)
		if (class[i] == i)
			name_pools(m, class, i);
	for (uint32_t i = play->n_listed; i < play->n_tensors; i++) {
		if (mp_testing_make_one_in(m, 2))
			name_some(m, &play->tensors[i]);
		else
			name_all(play, &play->tensors[i]);
	}
	for (uint32_t i = 0; i < play->n_ranges; i++)
		play->range_pools[i] = draw_whole(m);
}
