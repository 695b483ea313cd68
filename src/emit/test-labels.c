/*
 * What things are called, on random graphs with every feature: each part after
 * the tensors that need it, looked for one by one, and each tensor so that it
 * is found.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/labels.h"

#include <criterion/criterion.h>
#include <string.h>

#include "street/street.h"
#include "testing/player.h"
#include "testing/sample-plan.h"

enum {
	GRAPHS = 2000,
};

/* Was a born before b? */
static bool is_earlier(const struct schedule *s, uint32_t a, uint32_t b)
{
	const struct stay *x = &s->stay[a], *y = &s->stay[b];
	bool x_empty = x->start == x->end, y_empty = y->start == y->end;

	if (x->start != y->start)
		return x->start < y->start;
	return x_empty != y_empty ? x_empty : a < b;
}

static struct chain chain_of(const struct schedule *s, uint32_t k)
{
	const struct part *part = &s->problem.parts[k];
	struct chain chain = {NONE, NONE, NONE, 0, KIND_ACTIVATION};

	for (uint32_t t = 0; t < s->graph->n_tensors; t++) {
		if (s->stay[t].buffer != part->buffer ||
			!mp_schedule_needs(s, t, part))
			continue;
		chain.n++;
		if (chain.first == NONE || is_earlier(s, t, chain.first))
			chain.first = t;
		if (chain.last == NONE || is_earlier(s, chain.last, t))
			chain.last = t;
	}
	return chain;
}

static void check_parts(const struct labels *labels, uint64_t seed)
{
	const struct schedule *s = labels->schedule;

	for (uint32_t k = 0; k < s->problem.n_parts; k++) {
		struct chain wanted = chain_of(s, k);
		struct chain chain = labels->chains.of[k];

		cr_assert(chain.first == wanted.first &&
				  chain.last == wanted.last &&
				  chain.n == wanted.n,
			"seed %llu, part %u", (unsigned long long)seed, k);
		cr_assert_eq(labels->of_part[k] != NULL, chain.n > 0);
	}
}

/* A tensor has the name of what it fills, and that has its bytes and steps. */
static uint32_t check_tensors(const struct labels *labels)
{
	const struct schedule *s = labels->schedule;
	uint32_t n_several = 0, start, end;

	for (uint32_t t = 0; t < s->graph->n_tensors; t++) {
		uint32_t home = labels->chains.home[t];

		cr_assert_eq(home == NONE, s->stay[t].buffer == NONE);
		mp_emit_labels_life(labels, t, &start, &end);
		cr_assert(start <= s->stay[t].start && s->stay[t].end <= end);
		if (!mp_emit_labels_several(labels, t))
			continue;
		n_several++;
		cr_assert_eq(labels->of_tensor[t], labels->of_part[home]);
		cr_assert(mp_schedule_needs(s, t, &s->problem.parts[home]));
	}
	return n_several;
}

Test(labels, name_what_tensors_share)
{
	static struct play play;
	static char text[PLAY_JSON];
	uint32_t n_several = 0;

	for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
		memplan *m = memplan_new();
		struct error e = {0};
		struct arena arena = {.error = &e};
		struct labels labels;

		mp_testing_player_random(&play, seed);
		mp_testing_player_print(&play, text);
		memplan_set(m, "steps", "2000");
		memplan_input(m, "graph", "g", text, strlen(text));
		cr_assert_eq(
			memplan_plan(m), MEMPLAN_OK, "%s", memplan_error(m));
		cr_assert(
			mp_emit_labels_find(&labels, m->plan.schedule, &arena));
		check_parts(&labels, seed);
		n_several += check_tensors(&labels);
		mp_arena_free(&arena);
		memplan_free(m);
	}
	cr_assert_gt(n_several, GRAPHS);
}

/* ------------------------------------------------------- plan files */

/* Both of one graph, in an arena that the caller frees. */
static void find_labels(struct labels *labels, memplan *m, struct arena *arena)
{
	cr_assert_eq(memplan_plan(m), MEMPLAN_OK, "%s", memplan_error(m));
	cr_assert(mp_emit_labels_find(labels, m->plan.schedule, arena));
}

static void read_plan(memplan *again, memplan *m)
{
	const void *bytes;
	size_t length;

	cr_assert_eq(memplan_write(m, "plan", &bytes, &length), MEMPLAN_OK);
	memplan_input(again, "graph", "p", bytes, length);
}

/* The plan's tensor of the same id: a plan leaves external ones out. */
static uint32_t find_tensor(const struct graph *plan, const char *id)
{
	uint32_t t = 0;

	while (t < plan->n_tensors && strcmp(plan->tensors[t].id, id) != 0)
		t++;
	cr_assert_lt(t, plan->n_tensors, "no tensor '%s'", id);
	return t;
}

/* What shares bytes in place has the same label in both. Returns how many
 * pairs do. */
static uint32_t expect_same(
	const struct labels *graph, const struct labels *plan)
{
	const struct schedule *s = graph->schedule, *read = plan->schedule;
	uint32_t n = 0, n_read = 0;

	for (uint32_t i = 0; i < s->n_inplace; i++) {
		uint32_t t = s->inplace[i].output;

		if (s->inplace[i].verdict != INPLACE_SHARED)
			continue;
		cr_assert_str_eq(graph->of_tensor[t],
			plan->of_tensor[find_tensor(
				read->graph, s->graph->tensors[t].id)]);
		n++;
	}
	for (uint32_t i = 0; i < read->n_inplace; i++)
		n_read += read->inplace[i].verdict == INPLACE_SHARED;
	cr_assert_eq(n, n_read);
	return n;
}

/* A plan does not tell which lifetimes its graph fixed. */
static bool fixes_lifetimes(const struct play *play)
{
	for (uint32_t t = 0; t < play->n_tensors; t++)
		if (play->tensors[t].pinned)
			return true;
	return false;
}

Test(labels, are_those_of_the_graph_when_a_plan_is_read)
{
	static struct play play;
	static char text[PLAY_JSON];
	uint32_t n = 0;

	for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
		struct error e = {0};
		struct arena arena = {.error = &e};
		struct labels first, second;
		memplan *m, *again;

		mp_testing_player_random(&play, seed);
		if (fixes_lifetimes(&play))
			continue;
		m = memplan_new();
		again = memplan_new();
		mp_testing_player_print(&play, text);
		memplan_set(m, "steps", "2000");
		memplan_input(m, "graph", "g", text, strlen(text));
		find_labels(&first, m, &arena);
		read_plan(again, m);
		find_labels(&second, again, &arena);
		n += expect_same(&first, &second);
		mp_arena_free(&arena);
		memplan_free(again);
		memplan_free(m);
	}
	cr_assert_gt(n, GRAPHS / 60);
}

/* ---------------------------------------------------------- samples */

static struct sample s;
static struct labels labels;

/* Tensor b takes over from tensor a: they are one part. */
static void chain_up(uint32_t a, uint32_t b)
{
	struct stay *stay = s.schedule.stay;

	stay[b].start = stay[a].end;
	if (stay[b].end <= stay[b].start)
		stay[b].end = stay[b].start + 1;
	stay[b].buffer = stay[a].buffer;
	s.graph.tensors[b].size = s.graph.tensors[a].size;
	s.schedule.problem.parts[stay[a].buffer].end = stay[b].end;
}

Test(labels, have_the_first_name_and_the_last)
{
	uint32_t start, end;

	mp_testing_sample_chain(&s, 9);
	chain_up(2, 4);
	chain_up(4, 6);
	cr_assert(mp_emit_labels_find(&labels, &s.schedule, &s.arena));
	cr_assert_str_eq(labels.of_part[2], "tensor2 \u2026 tensor6");
	cr_assert_str_eq(labels.of_tensor[4], "tensor2 \u2026 tensor6");
	cr_assert_str_eq(labels.of_tensor[3], "tensor3");
	cr_assert_eq(mp_lists_at(&labels.chains.members, 2).n, 3);
	cr_assert_null(labels.of_part[4]);
	mp_emit_labels_life(&labels, 4, &start, &end);
	cr_assert(start == 2 && end == s.schedule.stay[6].end);
	mp_testing_sample_free(&s);
}

Test(labels, stay_short_whatever_the_names)
{
	static char most[LABEL_MOST * 4 + 1];

	mp_testing_sample_make(
		&s, mp_testing_sample_hostile, mp_testing_n_sample_hostile);
	chain_up(mp_testing_n_sample_hostile - 2,
		mp_testing_n_sample_hostile - 1);
	cr_assert(mp_emit_labels_find(&labels, &s.schedule, &s.arena));
	cr_assert_lt(strlen(labels.of_tensor[mp_testing_n_sample_hostile - 1]),
		sizeof(most));
	cr_assert(strstr(labels.of_tensor[mp_testing_n_sample_hostile - 1],
		"\u2026 \u2026 0"));
	mp_testing_sample_free(&s);
}
