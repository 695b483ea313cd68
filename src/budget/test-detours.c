/*
 * Choices against all choices on small problems; rewritten graphs compute what
 * they computed before, in no more memory than was promised.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <string.h>

#include "budget/budget.h"
#include "budget/test-run.h"
#include "lifetime/lifetime.h"

enum {
	SEEDS = 400,
	RESTS = 12,	 /* of a problem that is searched */
	SEARCHED = 6000, /* problems */
};

/* ------------------------------------------------------- exhaustive */

struct rest {
	uint32_t tensor, last, next;
};

/* False: too many to try all. */
static bool list_rests(const struct run *r, struct rest *rests, uint32_t *n)
{
	*n = 0;
	for (uint32_t t = 0; t < r->graph.n_tensors; t++) {
		uint32_t last = NONE;

		if (r->schedule->stay[t].buffer == NONE ||
			r->graph.tensors[t].kind != KIND_ACTIVATION)
			continue;
		for (uint32_t k = 0; k < r->problem.n_steps; k++) {
			if (!mp_graph_op_uses(&r->graph.ops[r->order[k]], t))
				continue;
			if (last != NONE && k > last + 1) {
				if (*n == RESTS)
					return false;
				rests[(*n)++] = (struct rest){t, last, k};
			}
			last = k;
		}
	}
	return true;
}

static uint64_t peak_without(
	const struct run *r, const struct rest *rests, uint32_t n, uint32_t set)
{
	uint64_t peak = 0;

	for (uint32_t k = 0; k < r->problem.n_steps; k++) {
		uint64_t load = r->problem.load[k];

		for (uint32_t i = 0; i < n; i++)
			if (set >> i & 1 && rests[i].last < k &&
				k < rests[i].next)
				load -= r->graph.tensors[rests[i].tensor].size;
		peak = load > peak ? load : peak;
	}
	return peak;
}

/* In nanoseconds: 1000 a byte out, once a tensor, and 500 a byte in. */
static uint64_t time_of(
	const struct run *r, const struct rest *rests, uint32_t n, uint32_t set)
{
	uint64_t time = 0;
	uint32_t before = NONE;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t size = r->graph.tensors[rests[i].tensor].size;

		if (!(set >> i & 1))
			continue;
		time += rests[i].tensor == before ? 500 * size : 1500 * size;
		before = rests[i].tensor;
	}
	return time;
}

static uint64_t least_time(const struct run *r, const struct rest *rests,
	uint32_t n, uint64_t target)
{
	uint64_t least = UINT64_MAX;

	for (uint32_t set = 0; set < UINT32_C(1) << n; set++) {
		uint64_t time = time_of(r, rests, n, set);

		if (time < least && peak_without(r, rests, n, set) <= target)
			least = time;
	}
	return least;
}

/* Found wherever there is a choice, and the fastest of all. */
Test(detours, against_all_choices)
{
	uint32_t n_tried = 0;

	for (uint64_t seed = 1; seed <= SEARCHED; seed++) {
		struct rest rests[RESTS];
		struct budget_job job;
		struct run r;
		uint64_t target, least;
		uint32_t n;

		mp_run_make(&r, seed, 12, false);
		if (r.graph.alignment != 1 || !list_rests(&r, rests, &n) ||
			n == 0) {
			mp_arena_free(&r.arena);
			continue;
		}
		target = r.problem.theoretical_min * (60 + seed % 40) / 100;
		least = least_time(&r, rests, n, target);
		job = mp_run_choose(&r, DETOUR_SYNC, false, target);
		cr_assert((job.reached <= target) == (least != UINT64_MAX),
			"seed %llu: %llu, least %llu, target %llu, %u rests, "
			"%u detours",
			(unsigned long long)seed,
			(unsigned long long)job.reached,
			(unsigned long long)peak_without(
				&r, rests, n, (UINT32_C(1) << n) - 1),
			(unsigned long long)target, n, job.n_detours);
		if (least != UINT64_MAX) {
			cr_assert(job.nanoseconds - job.before == least,
				"seed %llu: %llu ns, least %llu",
				(unsigned long long)seed,
				(unsigned long long)(job.nanoseconds -
						     job.before),
				(unsigned long long)least);
			n_tried++;
		} else {
			cr_assert(
				job.reached == peak_without(&r, rests, n,
						       (UINT32_C(1) << n) - 1));
		}
		mp_arena_free(&r.arena);
	}
	cr_assert(n_tried > 1000);
}

/* ---------------------------------------------------------- rewrite */

static uint64_t mix(uint64_t a, uint64_t b)
{
	a = (a ^ b) * UINT64_C(0x9e3779b97f4a7c15);
	return a ^ (a >> 29);
}

/* Symbolic execution: a tensor is a hash of what its op read. */
static uint64_t hash_inputs(const struct op *op, const uint64_t *values)
{
	uint64_t hash = 1;

	for (uint32_t i = 0; i < op->inputs.n; i++)
		hash = mix(hash, values[op->inputs.at[i]]);
	return hash;
}

static bool is(const struct op *op, const char *type)
{
	return op->type && strcmp(op->type, type) == 0;
}

static void write_outputs(const struct op *op, uint64_t read, uint64_t *values)
{
	for (uint32_t i = 0; i < op->outputs.n; i++)
		values[op->outputs.at[i]] = mix(read, i);
}

/* Copies pass values on; an op that runs again makes what its producer made.
 * False: this op is one of the input's. */
static bool run_added(const struct op *op, uint64_t *values)
{
	if (is(op, "swap-out") || is(op, "swap-in"))
		values[op->outputs.at[0]] = values[op->inputs.at[0]];
	else if (is(op, "recompute"))
		write_outputs(op, hash_inputs(op, values), values);
	else
		return false;
	return true;
}

/* Every op of the input reads what it read before. */
static void check_values(const struct run *r, const struct graph *rewritten)
{
	struct arena arena = {.error = &(struct error){0}};
	uint64_t *old = NEW(&arena, uint64_t, r->graph.n_tensors);
	uint64_t *new = NEW(&arena, uint64_t, rewritten->n_tensors);
	uint32_t k = 0;

	for (uint32_t i = 0; i < rewritten->n_ops; i++) {
		const struct op *op = &rewritten->ops[i], *was;
		uint64_t read;

		if (run_added(op, new))
			continue;
		cr_assert(k < r->graph.n_ops);
		was = &r->graph.ops[r->order[k++]];
		read = hash_inputs(op, new);
		cr_assert(read == hash_inputs(was, old),
			"op %u reads something else", k - 1);
		write_outputs(op, read, new);
		write_outputs(was, read, old);
	}
	cr_assert(k == r->graph.n_ops);
	mp_arena_free(&arena);
}

static void check_rewrite(
	uint64_t seed, enum detour_mode mode, bool recompute, bool inplace)
{
	struct lifetime_options options = {.inplace = inplace};
	struct graph rewritten;
	const struct schedule *schedule;
	struct budget_job job;
	struct run r;
	uint32_t *order;

	mp_run_make(&r, seed, 24, inplace);
	job = mp_run_choose(&r, mode, recompute,
		r.problem.theoretical_min * (50 + seed % 50) / 100);
	cr_assert(mp_budget_rewrite_detours(&r.graph, r.order, job.detours,
			  job.n_detours, false, &rewritten, &r.arena, &r.error),
		"seed %llu: %s", (unsigned long long)seed, r.error.text);
	check_values(&r, &rewritten);
	order = NEW(&r.arena, uint32_t, rewritten.n_ops);
	for (uint32_t i = 0; i < rewritten.n_ops; i++)
		order[i] = i;
	schedule = mp_lifetime(&rewritten, order, &options, &r.arena, &r.error);
	cr_assert(schedule);
	cr_assert(schedule->problem.theoretical_min <= job.reached,
		"seed %llu: %llu for %llu", (unsigned long long)seed,
		(unsigned long long)schedule->problem.theoretical_min,
		(unsigned long long)job.reached);
	cr_assert(job.nanoseconds >= job.before);
	mp_arena_free(&r.arena);
}

Test(detours, rewritten_graphs_compute_the_same)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		bool inplace = seed % 2 == 0;

		check_rewrite(seed, DETOUR_SYNC, false, inplace);
		check_rewrite(seed, DETOUR_SEMI, false, inplace);
		check_rewrite(seed, DETOUR_ASYNC, false, inplace);
		check_rewrite(seed, DETOUR_SYNC, true, inplace);
		check_rewrite(seed, DETOUR_ASYNC, true, inplace);
		check_rewrite(seed, DETOUR_NONE, true, inplace);
	}
}

/* Every second op on another stream, in the order of the list. */
static void spread(struct run *r)
{
	for (uint32_t i = 0; i < r->graph.n_ops; i++) {
		r->order[i] = i;
		r->graph.ops[i].stream = i % 2;
	}
	cr_assert(mp_graph_link(&r->graph, &r->arena, &r->error));
	mp_run_schedule(r, false);
}

/* On several streams too; there what is put in is waited for. */
Test(detours, streams_wait_for_copies)
{
	uint32_t n_copies = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		enum detour_mode mode = DETOUR_SYNC + seed / 2 % 3;
		bool beside = mode >= DETOUR_SEMI;
		struct graph rewritten;
		struct budget_job job;
		struct run r;

		mp_run_make(&r, seed, 24, false);
		spread(&r);
		job = mp_run_choose(&r, mode, seed % 2,
			r.problem.listed_min * (50 + seed % 50) / 100);
		cr_assert(mp_budget_rewrite_detours(&r.graph, r.order,
			job.detours, job.n_detours, beside, &rewritten,
			&r.arena, &r.error));
		check_values(&r, &rewritten);
		for (uint32_t i = 0; i + 1 < rewritten.n_ops; i++) {
			if (!is(&rewritten.ops[i], "swap-in"))
				continue;
			cr_assert(rewritten.ops[i].behind.n > 0);
			cr_assert_eq(rewritten.ops[i].stream >= 2, beside);
			n_copies++;
		}
		mp_arena_free(&r.arena);
	}
	cr_assert(n_copies > 100);
}

/* An output that may be a view of an input; false: there is none. */
static bool find_view(const struct run *r, struct tensor_alias *alias)
{
	const struct tensor *tensors = r->graph.tensors;

	for (uint32_t i = 0; i < r->graph.n_ops; i++) {
		const struct op *op = &r->graph.ops[i];

		if (op->inputs.n == 0 || op->outputs.n == 0)
			continue;
		*alias = (struct tensor_alias){
			.tensor = op->outputs.at[0], .of = op->inputs.at[0]};
		if (tensors[alias->tensor].size > 0 &&
			tensors[alias->tensor].size <= tensors[alias->of].size)
			return true;
	}
	return false;
}

static void check_tied(struct run *r, const struct tensor_alias *alias)
{
	struct graph rewritten;
	struct budget_job job;

	r->graph.ties.aliases = alias;
	r->graph.ties.n_aliases = 1;
	r->tied = NEW(&r->arena, bool, r->graph.n_tensors);
	r->tied[alias->tensor] = r->tied[alias->of] = true;
	mp_run_schedule(r, false);
	job = mp_run_choose(r, DETOUR_SYNC, true, 1);
	for (uint32_t i = 0; i < job.n_detours; i++) {
		cr_assert(!r->tied[job.detours[i].tensor]);
		for (uint32_t j = 0; j < job.detours[i].n_ops; j++)
			cr_assert(!r->tied[r->graph.ops[job.detours[i].ops[j]]
						   .outputs.at[0]]);
	}
	cr_assert(mp_budget_rewrite_detours(&r->graph, r->order, job.detours,
		job.n_detours, false, &rewritten, &r->arena, &r->error));
	cr_assert_eq(rewritten.ties.n_aliases, 1);
	cr_assert_eq(rewritten.tensors[rewritten.ties.aliases->tensor].name,
		r->graph.tensors[alias->tensor].name);
	cr_assert_eq(rewritten.tensors[rewritten.ties.aliases->of].name,
		r->graph.tensors[alias->of].name);
}

/* Neither they leave nor what makes them runs again; and they stay tied. */
Test(detours, tied_tensors_stay)
{
	uint32_t n = 0;

	for (uint64_t seed = 1; seed <= SEEDS / 4; seed++) {
		struct tensor_alias alias;
		struct run r;

		mp_run_make(&r, seed, 24, false);
		if (find_view(&r, &alias)) {
			check_tied(&r, &alias);
			n++;
		}
		mp_arena_free(&r.arena);
	}
	cr_assert(n > 20);
}
