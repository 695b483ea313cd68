/*
 * Public functions in any sequence, on handles that are joined, read and
 * planned again: each says what is wrong, and none is asked for more than there
 * is.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "memplan/report.h"
#include "testing/player.h"
#include "testing/random.h"

enum {
	TRIALS = 60,
	CALLS = 60, /* of a trial */
	HANDLES = 3,
	GRAPHS = 2,
};

struct trial {
	memplan *handles[HANDLES];
	char graphs[GRAPHS][PLAY_JSON];
	char *plan; /* that one of them wrote; NULL: none yet */
	size_t n_plan;
	bool stale; /* parts were used since the whole, handle 0, has run */
	uint64_t random;
};

static uint32_t below(struct trial *t, uint32_t n)
{
	return mp_testing_below(&t->random, n);
}

/* ------------------------------------------------------------ calls */

static enum memplan_status set(struct trial *t, memplan *m)
{
	static const char *const options[][2] = {{"order", "auto"},
		{"order", "keep"}, {"capacity", "100"}, {"capacity", "1GiB"},
		{"budget", "700"}, {"inplace", "off"}, {"inplace", "on"},
		{"align", "64"}, {"target", "cuda"}, {"pools", "a=200,b"},
		{"planner", "given"}, {"planner", "auto"}, {"replan", "on"},
		{"replan", "off"}, {"together", "serial"},
		{"together", "concurrent"}, {"together", "buckets"},
		{"same-offsets", "0"}, {"same-offsets", "off"},
		{"minimise-reuse", "on"}, {"minimise-reuse", "off"},
		{"max-memory", "300KiB"}, {"max-memory", "1GiB"},
		{"dim", "a=1"}, {"dim", "off"}};
	uint32_t i = below(t, countof(options));

	return memplan_set(m, options[i][0], options[i][1]);
}

static enum memplan_status hand_in(struct trial *t, memplan *m)
{
	uint32_t i = below(t, GRAPHS + 2);

	if (i < GRAPHS)
		return memplan_input(m, "graph", "g.json", t->graphs[i],
			strlen(t->graphs[i]));
	if (!t->plan)
		return memplan_input(m, "graph", "odd.json", "{}", 2);
	return memplan_input(m, i == GRAPHS ? "graph" : "near", "plan.json",
		t->plan, t->n_plan);
}

/* What is joined is asked no more once its parts have changed. */
static bool may_ask(const struct trial *t, const memplan *m)
{
	return m != t->handles[0] || !t->stale;
}

static enum memplan_status run(struct trial *t, memplan *m, memplan *other)
{
	if (m == t->handles[0])
		t->stale = false;
	switch (below(t, 7)) {
	case 0:
		return memplan_check(m);
	case 1:
		return memplan_check_against(m, other);
	case 2:
		return memplan_survey(m);
	case 3:
		return memplan_simulate(m, 1);
	case 4:
		return memplan_simulate_swap(m);
	case 5:
		return below(t, 2) ? memplan_explain(m, NULL, NULL)
				   : memplan_explain(m, "0", "nix");
	default:
		return memplan_plan(m);
	}
}

static enum memplan_status call(struct trial *t, memplan *m, memplan *other)
{
	static const char *const names[] = {"a", "b", ".4", NULL};
	const void *bytes;
	size_t length;

	t->stale |= m != t->handles[0];
	switch (below(t, 8)) {
	case 0:
		return hand_in(t, m);
	case 1:
	case 2:
		return set(t, m);
	case 3:
		return memplan_read(m);
	case 4:
		if (!may_ask(t, m) || !may_ask(t, other))
			return run(t, m, other);
		return memplan_compare(other, m, "text", &bytes, &length);
	case 5: /* a part keeps what it was joined for: it joins none */
		if (m == t->handles[0])
			return memplan_join(
				m, other, names[below(t, countof(names))]);
		return run(t, m, other);
	default:
		return run(t, m, other);
	}
}

/* -------------------------------------------------------- questions */

static void ask(const memplan *m)
{
	struct memplan_tensor tensor;
	struct memplan_memory memory;
	struct memplan_choice choice;
	struct memplan_gap gap;
	struct memplan_op op;
	uint64_t number;
	uint32_t i = 0;

	while (memplan_tensor_at(m, i, &tensor, sizeof(tensor)))
		i++;
	if (memplan_op_at(m, 0, &op, sizeof(op)))
		cr_assert(op.name);
	memplan_memory_at(m, 0, &memory, sizeof(memory));
	memplan_choice_at(m, 1, &choice, sizeof(choice));
	memplan_gap_at(m, 0, &gap, sizeof(gap));
	memplan_text(m, "planner");
	if (memplan_number(m, "arena_size", &number))
		cr_assert(memplan_number(m, "tensors", &number) && number == i);
}

static void write(struct trial *t, memplan *m)
{
	const char *summary;
	const char *format = memplan_row("outputs", below(t, 40), &summary);
	const void *bytes;
	size_t length;

	if (!format || memplan_write(m, format, &bytes, &length) != MEMPLAN_OK)
		return;
	if (t->plan || strcmp(format, "plan") != 0)
		return;
	t->plan = malloc(length);
	cr_assert(t->plan);
	memcpy(t->plan, bytes, length);
	t->n_plan = length;
}

Test(calls, in_any_sequence)
{
	static struct trial t;
	static struct play play;
	uint64_t n = mp_testing_cases(TRIALS, 1);

	for (uint64_t seed = 1; seed <= n; seed++) {
		t = (struct trial){.random = seed};
		for (uint32_t i = 0; i < GRAPHS; i++) {
			mp_testing_player_random(&play, seed + i);
			mp_testing_player_print(&play, t.graphs[i]);
		}
		for (uint32_t i = 0; i < HANDLES; i++) {
			t.handles[i] = memplan_new();
			memplan_set(t.handles[i], "steps", "200");
		}
		for (uint32_t k = 0; k < CALLS; k++) {
			memplan *m = t.handles[below(&t, HANDLES)];
			memplan *other = t.handles[below(&t, HANDLES)];
			enum memplan_status status = call(&t, m, other);

			cr_assert_neq(status, MEMPLAN_EINTERNAL, "%llu: %s",
				(unsigned long long)seed, memplan_error(m));
			cr_assert_eq(status == MEMPLAN_OK,
				*memplan_error(m) == '\0', "%llu: %d, '%s'",
				(unsigned long long)seed, (int)status,
				memplan_error(m));
			if (!may_ask(&t, m))
				continue;
			ask(m);
			write(&t, m);
		}
		for (uint32_t i = 0; i < HANDLES; i++)
			memplan_free(t.handles[i]);
		free(t.plan);
	}
}
