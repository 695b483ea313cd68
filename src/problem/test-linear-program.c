/*
 * The linear program of a problem against the verifier: offsets that it allows
 * are those of plans, on random graphs with everything at once.
 *
 * SPDX-License-Identifier: MIT
 */
#include "problem/linear-program.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "street/street.h"
#include "testing/player.h"
#include "testing/random.h"
#include "verify/verify.h"

enum {
	GRAPHS = 500,
	TRIES = 20, /* offsets a graph */
};

struct trial {
	struct play play;
	char text[PLAY_JSON];
	memplan *m;
	struct model model;
	uint64_t *offsets;
	int64_t *sums; /* of a row, without its order column */
	bool *may;     /* of a column: it may be 0; n_columns on: it may be 1 */
	uint64_t height;
};

/* ------------------------------------------------------------ trial */

static const struct problem *open_trial(struct trial *t, uint64_t seed)
{
	struct problem *p;

	mp_testing_player_random(&t->play, seed);
	mp_testing_player_print(&t->play, t->text);
	t->m = memplan_new();
	memplan_set(t->m, "steps", "2000");
	memplan_input(t->m, "graph", "g.json", t->text, strlen(t->text));
	cr_assert_eq(memplan_plan(t->m), MEMPLAN_OK, "%s\n%s",
		memplan_error(t->m), t->text);
	p = &t->m->problem;
	t->height = t->m->plan.arena_size;
	cr_assert(mp_problem_lp_init(
		&t->model, p, t->height, &t->m->arena, &t->m->error));
	t->offsets = NEW(&t->m->arena, uint64_t, p->n_buffers);
	t->sums = NEW(&t->m->arena, int64_t, t->model.n_rows);
	t->may = NEW(&t->m->arena, bool, 2 * t->model.n_columns);
	return p;
}

/* ------------------------------------------------------------ model */

static bool in_bounds(const struct trial *t)
{
	const struct problem *p = &t->m->problem;

	for (uint32_t i = 0; i < p->n_buffers; i++) {
		const struct model_column *c = &t->model.columns[1 + i];
		int64_t k = (int64_t)(t->offsets[i] / p->buffers[i].align);

		if (t->offsets[i] % p->buffers[i].align != 0 || k < c->lower ||
			k > c->upper)
			return false;
	}
	return true;
}

/* A row has one order column at most, its last. */
static bool hold_row(struct trial *t, const struct model_row *row)
{
	const struct problem *p = &t->m->problem;
	uint32_t order = 0;
	int64_t sum = 0, factor = 0;

	for (uint32_t i = 0; i < row->n_terms; i++) {
		const struct model_term *term =
			&t->model.terms[row->first_term + i];

		if (term->column == 0) {
			sum += term->factor * (int64_t)t->height;
		} else if (term->column <= p->n_buffers) {
			uint32_t b = term->column - 1;

			sum += term->factor *
			       (int64_t)(t->offsets[b] / p->buffers[b].align);
		} else {
			order = term->column;
			factor = term->factor;
		}
	}
	if (order == 0)
		return sum <= row->limit;
	t->may[order] &= sum <= row->limit;
	t->may[order + t->model.n_columns] &= sum + factor <= row->limit;
	return true;
}

/* Rows behind those of the pairs leave out plans that are as good as others. */
static bool model_allows(struct trial *t)
{
	const struct problem *p = &t->m->problem;
	uint32_t n = t->model.n_columns;

	memset(t->may, true, 2 * n * sizeof(*t->may));
	if (!in_bounds(t))
		return false;
	for (uint32_t i = 0; i < p->n_buffers + 2 * t->model.n_pairs; i++)
		if (!hold_row(t, &t->model.rows[i]))
			return false;
	for (uint32_t y = p->n_buffers + 1; y < n; y++)
		if (!t->may[y] && !t->may[y + n])
			return false;
	return true;
}

/* --------------------------------------------------------- verifier */

static bool is_plan(struct trial *t)
{
	struct error e = {0};

	return mp_verify(&t->m->problem, t->offsets, MEMPLAN_NO, &t->m->arena,
		       &e) &&
	       mp_plan_height(&t->m->problem, t->offsets) <= t->height;
}

/* The plan, with some buffers elsewhere. */
static void shake(struct trial *t, uint64_t *random)
{
	const struct problem *p = &t->m->problem;

	memcpy(t->offsets, t->m->plan.offsets,
		p->n_buffers * sizeof(*t->offsets));
	for (uint64_t n = mp_testing_below(random, 3);
		p->n_buffers > 0 && n > 0; n--) {
		uint32_t i = mp_testing_below(random, p->n_buffers);
		uint64_t room = t->height / p->buffers[i].align + 2;

		t->offsets[i] =
			mp_testing_below(random, room) * p->buffers[i].align;
	}
}

Test(model, allows_what_the_verifier_allows)
{
	static struct trial t;
	uint32_t plans = 0, others = 0;

	for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
		uint64_t random = seed;

		open_trial(&t, seed);
		for (uint32_t i = 0; i < TRIES; i++) {
			bool plan;

			shake(&t, &random);
			plan = is_plan(&t);
			plans += plan;
			others += !plan;
			cr_assert_eq(model_allows(&t), plan, "seed %llu\n%s",
				(unsigned long long)seed, t.text);
		}
		memplan_free(t.m);
	}
	cr_assert_gt(plans, GRAPHS * TRIES / 4, "%u", plans);
	cr_assert_gt(others, GRAPHS * TRIES / 4, "%u", others);
}

/* ------------------------------------------------------------ names */

static int by_text(const void *left, const void *right)
{
	const char *const *a = left, *const *b = right;

	return strcmp(*a, *b);
}

/* Every column of the program has a name of its own. */
static void expect_own_names(struct trial *t)
{
	static char text[1 << 20];
	static char *names[4096];
	const void *bytes;
	size_t length;
	uint32_t n = 0;
	char *at;

	cr_assert_eq(memplan_write(t->m, "lp", &bytes, &length), MEMPLAN_OK);
	cr_assert_lt(length, sizeof(text));
	memcpy(text, bytes, length);
	text[length] = '\0';
	at = strstr(text, "General\n") + strlen("General\n");
	for (at = strtok(at, " \n"); at && strcmp(at, "End") != 0;
		at = strtok(NULL, " \n"))
		if (strcmp(at, "Binary") != 0)
			names[n++] = at;
	cr_assert_eq(n + 1, t->model.n_columns);
	qsort(names, n, sizeof(*names), by_text);
	for (uint32_t i = 1; i < n; i++)
		cr_assert_str_neq(names[i - 1], names[i], "%s", t->text);
}

Test(model, has_a_name_for_every_column)
{
	static struct trial t;

	for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
		open_trial(&t, seed);
		expect_own_names(&t);
		memplan_free(t.m);
	}
}
