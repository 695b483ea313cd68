/*
 * Many more steps than usual never give a larger arena.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/prng.h"
#include "memplan/memplan.h"

enum {
	PIECES = 300,
	STEPS = 1 << 11, /* of the box, */
	BYTES = 1 << 24, /* and its height */
	TEXT = 1 << 14	 /* bytes of the input */
};

struct box {
	uint32_t from, to, low, high, pieces;
};

struct input {
	char text[TEXT];
	size_t length;
	uint64_t random;
	uint32_t n;
};

static uint32_t below(struct input *in, uint32_t n)
{
	return (uint32_t)(mp_prng(&in->random) % n);
}

/* Each loses up to a 50th of its bytes, and some a step at either end, so that
 * few lie as they were cut. */
static void put_piece(struct input *in, const struct box *box)
{
	uint32_t size = box->high - box->low;
	uint32_t from = box->from + (below(in, 8) == 0);
	uint32_t to = box->to - (below(in, 8) == 0);

	size -= below(in, size / 50 + 1);
	in->length += (size_t)snprintf(in->text + in->length, TEXT - in->length,
		"%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 "\n", in->n++,
		from, to, size);
}

/* Cuts the box in two, again and again. */
static void cut(struct input *in, struct box box)
{
	struct box rest = box;
	uint32_t part = 30 + below(in, 41);

	if (box.pieces == 1 || box.to - box.from < 4) {
		put_piece(in, &box);
		return;
	}
	box.pieces = 1 + (box.pieces - 2) * part / 100;
	rest.pieces -= box.pieces;
	if (below(in, 2))
		box.to = rest.from =
			box.from + (box.to - box.from) * part / 100;
	else
		box.high = rest.low =
			box.low +
			(uint32_t)((uint64_t)(box.high - box.low) * part / 100);
	cut(in, box);
	cut(in, rest);
}

static void make_input(struct input *in, uint64_t seed)
{
	*in = (struct input){.random = seed};
	in->length = (size_t)snprintf(in->text, TEXT, "id,lower,upper,size\n");
	cut(in, (struct box){0, STEPS, 0, BYTES, PIECES});
	cr_assert_lt(in->length, TEXT);
}

struct watched {
	memplan *m;
	uint64_t enough; /* bytes: stop at such a plan */
};

static void stop_there(
	void *context, const struct memplan_progress *progress, size_t size)
{
	const struct watched *w = context;

	(void)size;
	if (progress->arena_size > 0 && progress->arena_size <= w->enough)
		memplan_interrupt(w->m);
}

/* Plans, until there is a plan of so few bytes. */
static uint64_t plan(const struct input *in, const char *steps, uint64_t enough)
{
	memplan *m = memplan_new();
	struct watched watched = {m, enough};
	uint64_t size;

	if (steps)
		cr_assert_eq(memplan_set(m, "steps", steps), MEMPLAN_OK);
	memplan_on_progress(m, stop_there, &watched);
	cr_assert_eq(memplan_input(m, "graph", "a.csv", in->text, in->length),
		MEMPLAN_OK);
	cr_assert_eq(memplan_plan(m), MEMPLAN_OK, "%s", memplan_error(m));
	cr_assert(memplan_number(m, "arena_size", &size));
	memplan_free(m);
	return size;
}

/* All steps in one walk found 16,696,440 bytes, and the usual ones 16,695,910.
 */
Test(effort, of_four_times_the_steps_is_never_worse)
{
	struct input in;
	uint64_t usual;

	make_input(&in, 7);
	usual = plan(&in, NULL, 0);
	cr_assert_leq(plan(&in, "24000000", usual), usual);
}
