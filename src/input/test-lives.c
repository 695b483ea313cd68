/*
 * Lifetimes that GE's log leaves open: the result against a definition by brute
 * force, on random plans.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include "input/testing.h"

enum {
	MOST_DRAWN = 12
};

struct drawn {
	uint32_t memory, offset, size, begin, least, last, reused;
};

static size_t print_drawn(
	char *text, size_t room, struct drawn *all, uint32_t n, uint64_t *state)
{
	size_t length = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct drawn *t = &all[i];

		t->memory = mp_testing_below(state, 2);
		t->offset = 512 * mp_testing_below(state, 7);
		t->size = 512 * (1 + mp_testing_below(state, 3));
		t->begin = mp_testing_below(state, 9);
		t->least = t->begin + mp_testing_below(state, 4);
		t->last = t->least;
		if (mp_testing_below(state, 2))
			t->last += mp_testing_below(state, 5);
		t->reused = mp_testing_below(state, 4) > 0;
		length += (size_t)snprintf(text + length, room - length,
			"[IMAS]Set g name[n%u] output[0] offset to [%u] "
			"streamid[%u] memtype[%u] realsize[%u] life time "
			"begin[%u] life time end[%u--%u] child[0:%u:0:0:1] "
			"isref[0]\n",
			i, t->offset, i, t->memory, t->size, t->begin, t->least,
			t->last, t->reused);
	}
	return length;
}

static bool bytes_meet(const struct drawn *a, const struct drawn *b)
{
	return a != b && a->memory == b->memory &&
	       a->offset < b->offset + b->size &&
	       b->offset < a->offset + a->size;
}

/* A tensor ends where the next one has its bytes, if that is after its least
 * end. */
static uint32_t last_of(
	const struct drawn *all, uint32_t n, const struct drawn *t)
{
	uint32_t last = t->last;

	for (uint32_t i = 0; i < n; i++)
		if (bytes_meet(t, &all[i]) && all[i].begin > t->least &&
			all[i].begin <= last)
			last = all[i].begin - 1;
	return last;
}

static bool is_lone(const struct drawn *all, uint32_t n, const struct drawn *t)
{
	for (uint32_t i = 0; i < n; i++)
		if (bytes_meet(t, &all[i]))
			return false;
	return !t->reused;
}

Test(ge_log, lifetimes_follow_from_the_plan)
{
	uint64_t state = 88172645;
	unsigned cut = 0, lone = 0;
	char text[MOST_DRAWN * 200], id[16];

	for (uint32_t i = 0; i < 300; i++) {
		struct drawn all[MOST_DRAWN];
		uint32_t n = 2 + mp_testing_below(&state, MOST_DRAWN - 1),
			 end = 0;
		struct run run;

		print_drawn(text, sizeof(text), all, n, &state);
		read_text(&run, text);
		for (uint32_t k = 0; k < n; k++)
			end = (uint32_t)num_max(
				end, last_of(all, n, &all[k]) + 1);
		for (uint32_t k = 0; k < n; k++) {
			uint32_t last = last_of(all, n, &all[k]);

			snprintf(id, sizeof(id), "n%u:0", k);
			cut += last < all[k].last;
			lone += is_lone(all, n, &all[k]);
			if (is_lone(all, n, &all[k]))
				expect_life(&run, id, 0, end);
			else
				expect_life(&run, id, all[k].begin, last + 1);
		}
		run_close(&run);
	}
	cr_expect(cut > 50 && lone > 50, "%u cut, %u lone", cut, lone);
}
