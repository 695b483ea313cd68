/*
 * Fuzz target that knows what a graph is: a random graph of everything, of
 * which the bytes change some fields. Each plan that memplan makes of it is
 * played in every interleaving.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/fuzz/fuzz.h"

#include <string.h>

#include "testing/player.h"

/* ---------------------------------------------------------- mutants */

/* Each changes one field of the tensor or op that an index names, by a value.
 */

static struct play_tensor *listed(struct play *play, uint32_t i)
{
	return &play->tensors[i % play->n_listed];
}

static struct play_op *op(struct play *play, uint32_t i)
{
	return &play->ops[i % play->n_ops];
}

static void set_size(struct play *play, uint32_t i, uint32_t value)
{
	play->tensors[i % play->n_tensors].size = value % 4096;
}

static void set_align(struct play *play, uint32_t i, uint32_t value)
{
	listed(play, i)->align = UINT64_C(1) << value % 12;
}

static void set_offset(struct play *play, uint32_t i, uint32_t value)
{
	struct play_tensor *t = listed(play, i);

	t->placed = value % 2 == 0;
	t->fixed = value / 2;
}

static void set_view(struct play *play, uint32_t i, uint32_t value)
{
	struct play_tensor *t = listed(play, i);

	if (t->of != NONE)
		t->at = value % (play->tensors[t->of].size + 1);
}

static void set_start(struct play *play, uint32_t i, uint32_t value)
{
	struct play_tensor *t = listed(play, i);

	t->start = value % play->n_steps;
	t->pause = t->resume = 0;
}

static void set_end(struct play *play, uint32_t i, uint32_t value)
{
	listed(play, i)->end = value % play->n_steps + 1;
}

/* The player wants a tensor to be alive in front of its gap. */
static void set_gap(struct play *play, uint32_t i, uint32_t value)
{
	struct play_tensor *t = listed(play, i);

	t->pause = t->start + 1 + value % 16;
	t->resume = t->pause + value / 16 % 16;
}

static void set_window(struct play *play, uint32_t i, uint32_t value)
{
	struct play_tensor *t = listed(play, i);

	t->low = value % 256 % (t->size + 1);
	t->high = value / 256 % (t->size + 1);
}

static void toggle_input(struct play *play, uint32_t i, uint32_t value)
{
	op(play, i)->inputs ^= PLAY_BIT(value % play->n_listed);
}

static void toggle_after(struct play *play, uint32_t i, uint32_t value)
{
	op(play, i)->after ^= 1u << value % play->n_ops;
}

static void set_stream(struct play *play, uint32_t i, uint32_t value)
{
	op(play, i)->stream = value % play->n_streams;
}

static void set_pair(struct play *play, uint32_t i, uint32_t value)
{
	if (play->n_pairs > 0)
		play->apart[i % play->n_pairs][value % 2] =
			value / 2 % play->n_listed;
}

static void set_range(struct play *play, uint32_t i, uint32_t value)
{
	if (play->n_ranges > 0)
		play->ranges[i % play->n_ranges][value % 2] = value / 2;
}

static void set_capacity(struct play *play, uint32_t i, uint32_t value)
{
	struct play_pool *pool;

	if (play->n_pools == 0)
		return;
	pool = &play->pools[i % play->n_pools];
	if (pool->chunk == 0)
		pool->capacity = value / pool->alignment * pool->alignment;
}

static void (*const mutants[])(struct play *, uint32_t, uint32_t) = {
	toggle_input, toggle_after, set_stream, set_size, set_align, set_offset,
	set_view, set_pair, set_range, set_capacity, set_start, set_end,
	set_gap, set_window};

enum {
	OF_OPS = 3,	  /* the first ones */
	OF_LIFETIMES = 4, /* the last ones */
};

static bool has_lifetimes(const struct play *play)
{
	for (uint32_t i = 0; i < play->n_tensors; i++)
		if (play->tensors[i].pinned)
			return true;
	return false;
}

/* Four bytes a mutant: what, where, and a value. The lifetimes of the document
 * and its ops must not contradict each other, so each are changed only where
 * there are none of the other. */
static void mutate(struct play *play, const uint8_t *bytes, size_t n)
{
	uint32_t first = has_lifetimes(play) ? OF_OPS : 0;
	uint32_t end = countof(mutants) - (play->has_ops ? OF_LIFETIMES : 0);

	for (; n >= 4; bytes += 4, n -= 4)
		mutants[first + bytes[0] % (end - first)](
			play, bytes[1], bytes[2] | (uint32_t)bytes[3] << 8);
}

/* ------------------------------------------------------------- play */

static void set_planner(memplan *m, uint64_t seed)
{
	static const char *const inplace[] = {"on", "off", "equal"};
	static const char *const rows[] = {"auto", "greedy-size", "linear",
		"dive", "search", "somas", "greedy-breadth"};

	memplan_set(m, "inplace", inplace[seed % countof(inplace)]);
	memplan_set(m, "planner", rows[seed / 3 % countof(rows)]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct play play;
	static char text[PLAY_JSON];
	struct input_file file = {"g.json", text, 0};
	uint64_t seed = 0;
	memplan *m;

	if (size < sizeof(seed))
		return 0;
	memcpy(&seed, data, sizeof(seed));
	mp_testing_player_random(&play, seed);
	if (seed >> 60 & 1)
		mp_testing_player_add_pools(&play, seed);
	mutate(&play, data + sizeof(seed), size - sizeof(seed));
	mp_testing_player_print(&play, text);
	file.length = strlen(text);
	m = mp_testing_fuzz_handle(&file);
	set_planner(m, seed >> 32);
	if (mp_testing_fuzz_is_fine(m, memplan_plan(m))) {
		mp_testing_fuzz_expect(mp_testing_player_take(&play, m) &&
					       mp_testing_player_run(&play),
			"%s\n%s", play.complaint, text);
	}
	memplan_free(m);
	return 0;
}
