/*
 * Copy modes by hand and by their invariants, and what swapping makes of a
 * problem.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <string.h>

#include "simulate/simulate.h"
#include "testing/random.h"

enum {
	SEEDS = 300,
	STEPS = 40,
	MAPS = 12,
};

#define MS UINT64_C(1000000)

/* ---------------------------------------------------------- by hand */

/* Seven steps of 6 ms, four of them forward; 1000 bytes take 10 ms. Used last
 * by steps 1, 2, 3, 3, and again by 6, 5, 4, 4. */
static uint64_t run_chain(const char *mode, struct copy *copies)
{
	static const uint64_t cost[7] = {
		6 * MS, 6 * MS, 6 * MS, 6 * MS, 6 * MS, 6 * MS, 6 * MS};
	struct error error = {0};
	struct arena arena = {.error = &error};
	struct copies c = {.n_steps = 7,
		.forward_end = 4,
		.write_rate = 100000,
		.read_rate = 100000,
		.cost = cost,
		.n = 4,
		.at = copies};
	uint64_t time = 0;

	copies[0] = (struct copy){1000, 0, 1, 6, 0, 0};
	copies[1] = (struct copy){1000, 1, 2, 5, 0, 0};
	copies[2] = (struct copy){1000, 2, 3, 4, 0, 0};
	copies[3] = (struct copy){100, 3, 3, 4, 0, 0};
	cr_assert(mp_simulate_copies_init(&c, &arena));
	for (uint32_t i = 0; i < mp_n_copy_modes; i++)
		if (strcmp(mp_copy_modes[i].name, mode) == 0)
			time = mp_copy_modes[i].run(&c);
	mp_arena_free(&arena);
	return time;
}

static void expect(const char *mode, uint64_t time, const uint32_t *out,
	const uint32_t *in)
{
	struct copy copies[4];

	cr_expect(run_chain(mode, copies) == time * MS, "%s", mode);
	for (uint32_t i = 0; i < 4; i++) {
		cr_expect(copies[i].out_step == out[i], "%s: %u out at %u",
			mode, i, copies[i].out_step);
		cr_expect(copies[i].in_step == in[i], "%s: %u in at %u", mode,
			i, copies[i].in_step);
	}
}

Test(swap, modes_by_hand)
{
	/* 42 of compute, 31 of writes, 31 of reads. */
	expect("sync", 104, (uint32_t[]){1, 2, 3, 3}, (uint32_t[]){6, 5, 4, 4});
	/* 6 6 10 10, then 11 out and 11 in, then 10 10 6. */
	expect("semi", 80, (uint32_t[]){2, 3, 3, 3}, (uint32_t[]){5, 4, 4, 4});
	/* Writes end at 22, 32, 42, 43, reads at 54, 64, 74. */
	expect("async", 80, (uint32_t[]){3, 3, 3, 3}, (uint32_t[]){5, 4, 4, 4});
	/* In theory the last read begins at 30 or before, the one before it at
	 * 24: both with the first op. */
	expect("async-late", 80, (uint32_t[]){3, 3, 3, 3},
		(uint32_t[]){4, 4, 4, 4});
}

Test(swap, time_of_a_copy)
{
	cr_assert(num_copy_time(104094472, 23381507) / MS == 4452);
	cr_assert(num_copy_time(0, 1) == 0);
	cr_assert(num_copy_time(3, 2) == UINT64_C(1500000000));
	cr_assert(num_copy_time(UINT64_C(1) << 40, UINT64_C(1) << 40) ==
		  UINT64_C(1000000000));
	cr_assert(num_copy_time((UINT64_C(1) << 60) - 1, UINT64_C(1) << 60) <=
		  UINT64_C(1000000000));
}

/* ------------------------------------------------------- invariants */

struct random_copies {
	uint64_t cost[STEPS];
	struct copy at[MAPS];
};

static struct copies make_copies(struct random_copies *r, uint64_t seed)
{
	uint64_t state = seed;
	struct copies c = {.cost = r->cost, .at = r->at};

	c.n_steps = 2 + (uint32_t)mp_testing_below(&state, STEPS - 2);
	c.forward_end = 1 + (uint32_t)mp_testing_below(&state, c.n_steps - 1);
	c.write_rate = 1 + mp_testing_below(&state, 100000);
	c.read_rate = 1 + mp_testing_below(&state, 100000);
	for (uint32_t k = 0; k < c.n_steps; k++)
		r->cost[k] = mp_testing_below(&state, 20 * MS);
	for (uint32_t k = 0; k < c.forward_end && c.n < MAPS; k++) {
		if (mp_testing_below(&state, 3) == 0)
			continue;
		r->at[c.n] = (struct copy){.buffer = c.n, .last_use = k};
		r->at[c.n].bytes = mp_testing_below(&state, 1000);
		r->at[c.n].next_use =
			c.forward_end + (uint32_t)mp_testing_below(&state,
						c.n_steps - c.forward_end);
		c.n++;
	}
	return c;
}

static uint64_t total(const struct copies *c, bool with_copies)
{
	uint64_t sum = 0;

	for (uint32_t k = 0; k < c->n_steps; k++)
		sum += c->cost[k];
	for (uint32_t i = 0; with_copies && i < c->n; i++)
		sum += num_copy_time(c->at[i].bytes, c->write_rate) +
		       num_copy_time(c->at[i].bytes, c->read_rate);
	return sum;
}

static void check_steps(const struct copies *c)
{
	uint32_t out = 0, in = c->forward_end;

	for (uint32_t i = 0; i < c->n; i++) {
		const struct copy *written = &c->at[i], *read;

		read = &c->at[c->in[i]];
		cr_assert(written->out_step >= written->last_use);
		cr_assert(written->out_step < c->forward_end);
		cr_assert(read->in_step >= c->forward_end);
		cr_assert(read->in_step <= read->next_use);
		cr_assert(written->out_step >= out && read->in_step >= in);
		out = written->out_step;
		in = read->in_step;
	}
}

/* No mode is faster than compute or slower than waiting for every copy. */
Test(swap, modes_keep_their_invariants)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++)
		for (uint32_t i = 0; i < mp_n_copy_modes; i++) {
			struct error error = {0};
			struct arena arena = {.error = &error};
			struct random_copies r;
			struct copies c = make_copies(&r, seed);
			uint64_t time;

			cr_assert(mp_simulate_copies_init(&c, &arena));
			time = mp_copy_modes[i].run(&c);
			cr_assert(time >= total(&c, false));
			cr_assert(time <= total(&c, true));
			cr_assert(i > 0 || time == total(&c, true));
			check_steps(&c);
			mp_arena_free(&arena);
		}
}

/* ---------------------------------------------------------- problem */

/* One op that makes a map, some that do not, one that reads it. */
struct tiny {
	struct tensor tensors[2];
	struct op ops[5];
	struct graph graph;
	struct stay stay[2];
	struct buffer buffers[2];
	struct part parts[2];
	struct schedule schedule;
};

static const uint32_t tiny_order[] = {0, 1, 2, 3, 4};
static const uint32_t first[] = {0}, second[] = {1};

static void make_ops(struct op *ops)
{
	ops[0] = (struct op){.name = "a", .outputs = {first, 1}};
	ops[1] = (struct op){.name = "nll_loss"};
	ops[2] = (struct op){
		.name = "nll_loss_backward", .outputs = {second, 1}};
	ops[3] = (struct op){.name = "b"};
	ops[4] = (struct op){.name = "c", .inputs = {first, 1}};
}

static void make_tiny(struct tiny *t, struct arena *arena)
{
	struct error error = {0};
	static const uint32_t ends[] = {5, 3};

	memset(t, 0, sizeof(*t));
	for (uint32_t i = 0; i < 2; i++) {
		t->tensors[i] = (struct tensor){.size = 6 + i};
		t->stay[i] = (struct stay){.buffer = i};
		t->buffers[i] =
			(struct buffer){8, 8, NO_OFFSET, i * 2, ends[i], i, 1};
		t->parts[i] = (struct part){0, 8, i * 2, ends[i], i};
	}
	make_ops(t->ops);
	t->graph = (struct graph){.name = "tiny",
		.alignment = 8,
		.n_ops = 5,
		.n_tensors = 2,
		.ops = t->ops,
		.tensors = t->tensors};
	t->schedule = (struct schedule){.graph = &t->graph,
		.order = tiny_order,
		.stay = t->stay,
		.problem = {.name = "tiny",
			.alignment = 8,
			.n_buffers = 2,
			.n_parts = 2,
			.n_steps = 5,
			.n_streams = 1,
			.buffers = t->buffers,
			.parts = t->parts}};
	cr_assert(mp_problem_measure(&t->schedule.problem, arena, &error));
}

Test(swap, a_map_leaves_room_between_its_uses)
{
	struct error error = {0};
	struct arena arena = {.error = &error};
	struct tiny t;
	struct copies c = {.write_rate = 1, .read_rate = 1};
	struct problem pieces;
	struct requests from, r;
	bool sure;

	make_tiny(&t, &arena);
	cr_assert(t.schedule.problem.theoretical_min == 16);
	c.forward_end =
		mp_simulate_swap_forward_end(&t.schedule, &sure, &arena);
	cr_assert(sure && c.forward_end == 2);
	cr_assert(mp_simulate_requests_init(
		&from, &t.schedule, BY_LIFETIME, &arena));
	cr_assert(
		mp_simulate_swap_maps(&t.schedule, &from, &c, &arena, &error));
	cr_assert(c.n == 1 && c.at[0].buffer == 0 && c.at[0].bytes == 6);
	cr_assert(c.at[0].last_use == 0 && c.at[0].next_use == 4);
	mp_copy_modes[0].run(&c);
	cr_assert(mp_simulate_swap_problem(
		&t.schedule.problem, &c, &pieces, &arena, &error));
	cr_assert(pieces.n_buffers == 3 && pieces.theoretical_min == 8);
	cr_assert(mp_simulate_swap_requests(&from, &c, &r, &arena));
	cr_assert(r.n_requests == 3 && r.first[5] == 6);
	cr_assert(memcmp(r.events, (uint32_t[]){0, 1, 2, 3, 0, 1}, 24) == 0);
	mp_arena_free(&arena);
}

Test(swap, without_a_loss_the_fullest_rest_is_taken)
{
	struct error error = {0};
	struct arena arena = {.error = &error};
	struct tiny t;
	bool sure;

	make_tiny(&t, &arena);
	t.ops[1].name = "x";
	cr_assert(
		mp_simulate_swap_forward_end(&t.schedule, &sure, &arena) == 1);
	cr_assert(!sure);
	mp_arena_free(&arena);
}
