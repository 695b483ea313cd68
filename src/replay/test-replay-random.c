/*
 * Replay against the verifier: random plans of several streams, valid ones and
 * ones that are bent. Whatever the verifier calls an overlap, replay has to
 * notice on the host; what the verifier passes, replay may not accuse. They
 * share no code.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "memplan/replay.h"
#include "street/test-trial.h"
#include "testing/random.h"

enum {
	PLANS = 150, /* unless MEMPLAN_PROBLEMS says another */
	MOST_TENSORS = 80,
	MOST_OPS = 20,
	UNIT = 64,
	TEXT = 1 << 15,
};

/* The handle's plan, as replay wants it. */
struct played {
	struct memplan_tensor tensors[MOST_TENSORS];
	struct memplan_op ops[MOST_OPS];
	struct memplan_pool pools[PLAY_SPACES];
	struct memplan_gap gaps[MOST_TENSORS];
	struct memplan_choice choices[PLAY_CHOICES + 1];
	struct memplan_replay_plan plan;
};

static void gather(memplan *m, struct played *p)
{
	struct memplan_memory memory;
	uint64_t n_steps = 0;

	p->plan = (struct memplan_replay_plan){.tensors = p->tensors,
		.ops = p->ops,
		.gaps = p->gaps,
		.choices = p->choices,
		.pools = p->pools};
	while (memplan_tensor_at(m, p->plan.n_tensors,
		&p->tensors[p->plan.n_tensors], sizeof(*p->tensors)))
		cr_assert_lt(++p->plan.n_tensors, MOST_TENSORS);
	while (memplan_op_at(
		m, p->plan.n_ops, &p->ops[p->plan.n_ops], sizeof(*p->ops)))
		cr_assert_lt(++p->plan.n_ops, MOST_OPS);
	while (memplan_gap_at(
		m, p->plan.n_gaps, &p->gaps[p->plan.n_gaps], sizeof(*p->gaps)))
		cr_assert_lt(++p->plan.n_gaps, MOST_TENSORS);
	while (memplan_choice_at(m, p->plan.n_choices + 1,
		&p->choices[p->plan.n_choices], sizeof(*p->choices)))
		cr_assert_leq(++p->plan.n_choices, PLAY_CHOICES);
	for (; memplan_memory_at(m, p->plan.n_pools, &memory, sizeof(memory));
		p->plan.n_pools++)
		p->pools[p->plan.n_pools] =
			(struct memplan_pool){memory.size, memory.align};
	memplan_number(m, "steps", &n_steps);
	p->plan.n_steps = (uint32_t)n_steps;
}

static struct memplan_replay_result result;

static enum memplan_status play(
	const char *name, const struct played *p, uint64_t seed)
{
	struct memplan_replay_options options = {.repeat = 1,
		.seed = seed,
		.poison = seed % 2 == 1,
		.orders = 2};
	struct memplan_device device;
	enum memplan_status status;

	cr_assert_eq(memplan_device_open(&device, name, NULL), 0);
	status = memplan_replay(&device, &p->plan, &options, &result);
	cr_assert_neq(status, MEMPLAN_EIO, "%s", device.text);
	memplan_device_close(&device);
	return status;
}

/* ----------------------------------------------------------- graphs */

struct text {
	char at[TEXT];
	size_t n;
};

#define SAY(text, ...)                                                         \
	((text)->n += (size_t)snprintf(                                        \
		 (text)->at + (text)->n, TEXT - (text)->n, __VA_ARGS__))

static void say_ids(
	struct text *text, uint64_t *random, uint32_t n, uint32_t most)
{
	for (uint32_t i = 0; i < most; i++)
		SAY(text, "%s%u", i > 0 ? ", " : "",
			mp_testing_below(random, n));
}

/* Ops on streams, each reading what some others wrote or the caller did. Of
 * one stream: as if there were no others. */
static void say_graph(
	struct text *text, uint64_t seed, uint32_t n_ops, int one_stream)
{
	static const char *const kinds[] = {
		"activation", "activation", "activation", "output", "state"};
	uint64_t random = seed;
	uint32_t n_streams = 2 + mp_testing_below(&random, 3), n = 2;

	text->n = 0;
	SAY(text,
		"{\"format\": \"memplan.graph\", \"version\": 1, "
		"\"alignment\": "
		"%d, \"ops\": [",
		UNIT);
	for (uint32_t i = 0; i < n_ops; i++, n++) {
		uint32_t stream = mp_testing_below(&random, n_streams);

		SAY(text,
			"%s{\"name\": \"op%u\", \"stream\": %u, \"inputs\": [",
			i > 0 ? ", " : "", i, one_stream ? 0 : stream * 100);
		say_ids(text, &random, n,
			mp_testing_below(&random, n < 3 ? n + 1 : 3));
		SAY(text, "], \"outputs\": [%u]", n);
		if (mp_testing_one_in(&random, 3))
			SAY(text, ", \"temporaries\": [%d]", UNIT);
		if (i > 0 && mp_testing_one_in(&random, 5))
			SAY(text, ", \"after\": [%u]",
				mp_testing_below(&random, i));
		SAY(text, "}");
	}
	SAY(text, "], \"tensors\": [");
	for (uint32_t t = 0; t < n; t++) {
		SAY(text, "%s{\"id\": %u, \"kind\": \"%s\"", t > 0 ? ", " : "",
			t,
			t < 2 ? "input"
			      : kinds[mp_testing_below(
					&random, t > n - 3 ? 4 : 5)]);
		SAY(text, ", \"size\": %u}",
			UNIT * (1 + mp_testing_below(&random, 8)));
	}
	SAY(text, "]}");
}

static memplan *plan_graph(const struct text *graph)
{
	memplan *m = memplan_new();

	memplan_set(m, "steps", "500");
	memplan_input(m, "graph", "g.json", graph->at, graph->n);
	cr_assert_eq(memplan_plan(m), MEMPLAN_OK, "%s\n%s", memplan_error(m),
		graph->at);
	return m;
}

/* --------------------------------------------------------- verdicts */

static void say_waits(struct text *out, const struct memplan_op *op)
{
	SAY(out, ", \"stream\": %u, \"after\": [", op->stream);
	for (uint32_t i = 0; i < op->n_after; i++)
		SAY(out, "%s%u", i > 0 ? ", " : "", op->after[i]);
	SAY(out, "]");
}

/* The plan as text, with these offsets. The plan of one stream gets the streams
 * and waits of another. */
static void rewrite(memplan *m, const struct played *p,
	const struct played *streams, struct text *out)
{
	const void *bytes;
	size_t length;
	const char *from, *at;
	uint32_t tensor = 0, op = 0;

	cr_assert_eq(memplan_write(m, "plan", &bytes, &length), MEMPLAN_OK);
	out->n = 0;
	for (from = bytes; *from && from < (const char *)bytes + length;
		from = at) {
		at = strchr(from, '\n') + 1;
		if (strncmp(from, "    {\"id\": ", 11) == 0) {
			const char *offset = strstr(from, "\"offset\": ") + 10;

			SAY(out, "%.*s%llu", (int)(offset - from), from,
				(unsigned long long)p->tensors[tensor++]
					.offset);
			from = offset + strspn(offset, "0123456789");
		} else if (streams &&
			   strncmp(from, "    {\"name\": ", 13) == 0) {
			const char *comma = strchr(from, ',');

			SAY(out, "%.*s", (int)(comma - from), from);
			say_waits(out, &streams->ops[op++]);
			from = comma;
		}
		SAY(out, "%.*s", (int)(at - from), from);
	}
}

/* What the verifier says of the text: OK, NO for an overlap, anything else for
 * what replay cannot see. */
static enum memplan_status verify(const struct text *text)
{
	memplan *m = memplan_new();
	enum memplan_status status;

	memplan_input(m, "graph", "p.json", text->at, text->n);
	status = memplan_check(m);
	if (status == MEMPLAN_NO && !strstr(memplan_error(m), "overlap"))
		status = MEMPLAN_EINPUT;
	memplan_free(m);
	return status;
}

static uint32_t n_bad, n_good;

static void compare(
	uint64_t seed, const struct text *text, const struct played *p)
{
	enum memplan_status said = verify(text), found = play("host", p, seed);

	n_bad += said == MEMPLAN_NO;
	n_good += said == MEMPLAN_OK;
	if (said == MEMPLAN_OK || said == MEMPLAN_NO)
		cr_assert_eq(found, said, "seed %llu: check %d, replay %d\n%s",
			(unsigned long long)seed, (int)said, (int)found,
			text->at);
}

/* One tensor moves down by one unit. */
static void bend_offset(memplan *m, struct played *p, uint64_t seed)
{
	static struct text text;
	uint64_t random = seed * 31 + 7;

	for (uint32_t i = 0; i < 100; i++) {
		struct memplan_tensor *t = &p->tensors[mp_testing_below(
			&random, p->plan.n_tensors)];

		if (t->offset < UNIT)
			continue;
		t->offset -= UNIT;
		rewrite(m, p, NULL, &text);
		compare(seed, &text, p);
		t->offset += UNIT;
		return;
	}
}

/* A plan that takes the streams for one. */
static void bend_streams(struct played *p, uint64_t seed, uint32_t n_ops)
{
	static struct text graph, text;
	static struct played one;
	memplan *m;

	say_graph(&graph, seed, n_ops, 1);
	m = plan_graph(&graph);
	gather(m, &one);
	rewrite(m, &one, p, &text);
	memcpy(one.ops, p->ops, sizeof(one.ops));
	compare(seed, &text, &one);
	memplan_free(m);
}

Test(replay_random, sees_what_the_verifier_sees)
{
	static struct text graph;
	static struct played p;
	uint64_t n = mp_testing_cases(PLANS, 1);

	for (uint64_t seed = 1; seed <= n; seed++) {
		uint32_t n_ops = 3 + (uint32_t)(seed % 15);
		memplan *m;

		say_graph(&graph, seed, n_ops, 0);
		m = plan_graph(&graph);
		gather(m, &p);
		cr_assert_eq(play("host", &p, seed), MEMPLAN_OK,
			"seed %llu\n%s", (unsigned long long)seed, graph.at);
		cr_assert(result.orders == 0 || result.late == n_ops);
		if (seed % 10 == 0)
			cr_assert_eq(play("cuda", &p, seed), MEMPLAN_OK,
				"seed %llu\n%s", (unsigned long long)seed,
				graph.at);
		bend_offset(m, &p, seed);
		bend_streams(&p, seed, n_ops);
		memplan_free(m);
	}
	fprintf(stderr,
		"%llu valid plans; of bent ones %u overlap and %u are valid\n",
		(unsigned long long)n, n_bad, n_good);
	cr_assert(n_bad > n && n_good > n / 30,
		"%u overlaps and %u valid ones of %llu", n_bad, n_good,
		(unsigned long long)n);
}

/* Views, states, pairs in place, groups, branches, pools, fixed lifetimes. */
Test(replay_random, accuses_no_plan_of_any_feature)
{
	static struct trial t;
	static struct played p;

	for (uint64_t seed = 1; seed <= mp_testing_cases(PLANS, 1); seed++) {
		if (mp_trial_plan(&t, seed)) {
			gather(t.m, &p);
			cr_assert_eq(play("host", &p, seed), MEMPLAN_OK,
				"seed %llu\n%s", (unsigned long long)seed,
				t.text);
		}
		memplan_free(t.m);
	}
}
