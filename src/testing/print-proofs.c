/*
 * print-proofs FIRST N FOLDER: plans random problems of up to eight buffers, of
 * N seeds, and writes FOLDER/0.json and FOLDER/0.proof and so on: a plan of a
 * tensor for each buffer, and its proof. No plan may be called optimal that
 * brute force undercuts, and memplan's own check must take each proof. Prints
 * of each problem: kinds, buffers, arena, lower bound, its kind, proved bound,
 * least arena by brute force. Exit 1 if something said is false.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/sink-text.h"
#include "problem/bound.h"
#include "proof/proof.h"
#include "testing/planning.h"
#include "testing/random-problem.h"
#include "testing/seeds.h"

/* What the problems have, and its name in the table. */
static const struct kind {
	const char *name;
	struct random_shape shape;
} kinds[] = {
	{"alignments", {.buffers = 8, .aligned = true}},
	{"alignments", {.buffers = 8, .aligned = true, .size = 5}},
	{"gaps", {.buffers = 8, .gaps = true, .aligned = true}},
	{"gaps-groups", {.buffers = 6, .parts = true}},
	{"gaps-groups-alignments",
		{.buffers = 6, .parts = true, .aligned = true}},
	{"pins", {.buffers = 8, .fixed = true, .aligned = true}},
	{"pins-gaps-groups",
		{.buffers = 6, .fixed = true, .parts = true, .aligned = true}},
	{"streams", {.buffers = 8, .streams = 3, .steps = 12}},
	{"streams-gaps-groups", {.buffers = 5,
					.streams = 2,
					.steps = 10,
					.parts = true,
					.aligned = true}},
	{"apart", {.buffers = 7, .apart = true, .aligned = true}},
	{"branches", {.buffers = 8, .choices = true, .aligned = true}},
	{"nested-branches", {.buffers = 8,
				    .choices = true,
				    .nested = true,
				    .aligned = true}},
	{"streams-branches",
		{.buffers = 6, .streams = 2, .steps = 8, .choices = true}},
	{"streams-nested-branches", {.buffers = 6,
					    .streams = 2,
					    .steps = 8,
					    .choices = true,
					    .nested = true}},
	{"all", {.buffers = 5,
			.streams = 2,
			.steps = 8,
			.parts = true,
			.aligned = true,
			.fixed = true,
			.apart = true}},
};

enum {
	N_KINDS = sizeof(kinds) / sizeof(*kinds),
};

struct trial {
	struct error *error;
	struct arena *arena;
	struct problem problem;
	struct graph graph; /* a tensor for each buffer */
	struct schedule schedule;
	struct job job;
	struct plan plan;
	uint64_t least; /* by brute force */
	bool exact;	/* no plan is smaller than that */
};

/* Adds up the branches of all buffers, as if one pool held them all. */
static bool weigh_branches(struct trial *t)
{
	struct problem whole = t->problem;
	uint32_t *all = NEW(t->arena, uint32_t, whole.n_buffers);

	for (uint32_t i = 0; all && i < whole.n_buffers; i++)
		all[i] = i;
	return all && mp_problem_subproblem(&whole, all, whole.n_buffers,
			      whole.alignment, &t->problem, t->arena, t->error);
}

static bool make_problem(struct trial *t, uint64_t seed)
{
	struct problem *p = &t->problem;

	if (!mp_testing_random_problem(
		    seed, &kinds[seed % N_KINDS].shape, p, t->arena))
		return false;
	if (mp_problem_is_given(p)) /* that is a plan, not a problem */
		p->buffers[0].offset = NO_OFFSET;
	t->least = mp_testing_brute_height(p, &t->exact, t->arena);
	if (p->n_streams <= 1)
		return true;
	return p->choice ? weigh_branches(t)
			 : mp_problem_antichain(p, t->arena);
}

/* Names the buffers, as a schedule of a graph without ops would. */
static bool make_schedule(struct trial *t)
{
	uint32_t n = t->problem.n_buffers;

	t->graph = (struct graph){
		.n_tensors = n, .tensors = NEW(t->arena, struct tensor, n)};
	t->schedule = (struct schedule){.graph = &t->graph,
		.problem = t->problem,
		.stay = NEW(t->arena, struct stay, n)};
	for (uint32_t i = 0; t->schedule.stay && i < n; i++)
		t->schedule.stay[i].buffer = i;
	t->problem.schedule = &t->schedule;
	return t->graph.tensors && t->schedule.stay;
}

static bool make_plan(struct trial *t)
{
	struct job *job = &t->job;
	struct lower_bound bound;

	*job = mp_testing_job(&t->problem, 20000, t->arena);
	if (!job->best || !mp_problem_bound(&t->problem, &bound, t->arena))
		return false;
	job->lower_bound = bound.bytes;
	job->bound_kind = bound.kind;
	if (mp_testing_plan(job, "auto") == PLAN_FAILED)
		return false;
	t->plan = (struct plan){.problem = &t->problem,
		.schedule = &t->schedule,
		.offsets = job->best,
		.arena_size = job->height,
		.lower_bound = num_min(job->lower_bound, job->height),
		.bound_kind = job->bound_kind};
	return true;
}

static void print_plan(const struct trial *t, struct sink *sink)
{
	mp_sink_print(sink,
		"{\n  \"arena_size\": %" PRIu64 ",\n  \"alignment\": %" PRIu64
		",\n  \"tensors\": [",
		t->plan.arena_size, t->problem.alignment);
	for (uint32_t i = 0; i < t->problem.n_buffers; i++) {
		const struct buffer *b = &t->problem.buffers[i];

		mp_sink_print(sink,
			"%s\n    {\"id\": %u, \"offset\": %" PRIu64
			", \"size\": %" PRIu64 ", \"start\": %u, \"end\": %u}",
			i ? "," : "", i, t->plan.offsets[i], b->size, b->start,
			b->end);
	}
	mp_sink_text(sink, "\n  ]\n}\n");
}

/* Is all that was said of the plan true? */
static bool is_true(const struct trial *t, uint64_t proved)
{
	bool optimal = t->plan.arena_size == t->plan.lower_bound;

	return t->plan.lower_bound <= t->least && proved <= t->least &&
	       (!optimal || t->plan.arena_size <= t->least) &&
	       (!t->exact || t->plan.arena_size >= t->least);
}

static bool try_seed(
	uint64_t seed, const struct seed_place *place, struct arena *arena)
{
	struct trial trial = {.arena = arena, .error = arena->error},
		     *t = &trial;
	struct sink plan = {.error = t->error}, proof = {.error = t->error};
	uint64_t proved = 0;
	bool fine = make_problem(t, seed) && make_schedule(t) && make_plan(t);

	if (fine) {
		print_plan(t, &plan);
		mp_proof_write(&t->plan, &proof, t->arena);
		fine = t->error->code == MEMPLAN_OK &&
		       mp_proof_check(&t->problem, NULL, "proof", proof.bytes,
			       proof.length, &proved, t->arena) &&
		       mp_testing_save(
			       place, "", ".json", plan.bytes, plan.length) &&
		       mp_testing_save(
			       place, "", ".proof", proof.bytes, proof.length);
	}
	if (!fine || !is_true(t, proved)) {
		fprintf(stderr, "seed %" PRIu64 ": false: %s\n", seed,
			t->error->text);
		fine = false;
	}
	printf("%s %u %" PRIu64 " %" PRIu64 " %s %" PRIu64 " %" PRIu64 "\n",
		kinds[seed % N_KINDS].name, t->problem.n_buffers,
		t->plan.arena_size, t->plan.lower_bound,
		mp_problem_bound_name(t->plan.bound_kind), proved, t->least);
	mp_sink_free(&plan);
	mp_sink_free(&proof);
	return fine;
}

int main(int n, char **arguments)
{
	return mp_testing_seeds(n, arguments, try_seed);
}
