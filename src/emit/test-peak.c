/*
 * Random graphs with every feature: the tensors alive at the peak hold all
 * bytes that are needed there, and none twice.
 *
 * SPDX-License-Identifier: MIT
 */

#include <criterion/criterion.h>
#include <string.h>

#include "street/street.h"
#include "testing/player.h"

enum {
	GRAPHS = 2000,
};

/* No tensor has reserved bytes. */
static uint64_t reserved_bytes(const struct problem *p)
{
	uint64_t sum = 0;

	for (uint32_t i = p->first_reserved; i < p->n_buffers; i++)
		sum += p->buffers[i].size;
	return sum;
}

static uint64_t sum_of_rows(const struct schedule *s)
{
	struct error e = {0};
	struct arena arena = {.error = &e};
	uint32_t n;
	const struct alive *alive =
		mp_emit_peak_alive(s, s->problem.peak_step, &n, &arena);
	uint64_t sum = 0;

	cr_assert(alive);
	for (uint32_t i = 0; i < n; i++)
		sum += alive[i].size;
	mp_arena_free(&arena);
	return sum;
}

/* Where branches exclude each other the load is that of the heaviest, and the
 * rows are all; with streams, parts may live longer than their tensors. */
static bool is_exact(const struct problem *p)
{
	return p->schedule->graph->n_tensors > 0 && p->n_streams <= 1 &&
	       !p->choice;
}

Test(peak, rows_sum_to_the_load)
{
	static struct play play;
	static char text[PLAY_JSON];
	uint32_t n_exact = 0;

	for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
		memplan *m = memplan_new();
		const struct schedule *s;
		const struct problem *p;

		mp_testing_player_random(&play, seed);
		mp_testing_player_print(&play, text);
		memplan_set(m, "steps", "2000");
		memplan_input(m, "graph", "g", text, strlen(text));
		cr_assert_eq(
			memplan_plan(m), MEMPLAN_OK, "%s", memplan_error(m));
		s = m->plan.schedule;
		p = &s->problem;
		if (is_exact(p)) {
			cr_assert_eq(sum_of_rows(s) + reserved_bytes(p),
				p->listed_min, "seed %llu: %llu of %llu\n%s",
				(unsigned long long)seed,
				(unsigned long long)sum_of_rows(s),
				(unsigned long long)p->listed_min, text);
			n_exact++;
		}
		memplan_free(m);
	}
	cr_assert_gt(n_exact, GRAPHS / 10);
}
