/*
 * print-orders FIRST N FOLDER: finds orders of random graphs of up to 16 ops,
 * of N seeds, and writes FOLDER/0.json and FOLDER/0.proof and so on: a plan of
 * the order found, without places, and a proof of its bound. No bound may be
 * above the least peak by brute force, and memplan's own check must take each
 * proof. Of every second graph the bound is proved as if a search had found it.
 * Prints of each graph: kinds, ops, peak, bound, its kind, proved bound, least
 * peak by brute force. Exit 1 if something said is false.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/sink-text.h"
#include "order/order.h"
#include "problem/schedule.h"
#include "proof/proof.h"
#include "testing/random-graph.h"
#include "testing/seeds.h"

/* What the graphs have, and its name in the table. */
static const struct kind {
	const char *name;
	bool inplace;
	struct random_traits traits;
} kinds[] = {
	{"order", false, {.n_ops = 16, .shuffled = true}},
	{"order-all", false,
		{.n_ops = 12,
			.after = true,
			.kinds = true,
			.temporaries = true,
			.aligned = true,
			.pinned = true,
			.shuffled = true}},
	{"order-in-place", true,
		{.n_ops = 8,
			.after = true,
			.kinds = true,
			.temporaries = true,
			.inplace = true,
			.placed = true}},
};

enum {
	N_KINDS = sizeof(kinds) / sizeof(*kinds),
	STEPS = 1000000,
};

struct trial {
	struct error *error;
	struct arena *arena;
	struct graph graph;
	struct order_job job;
	struct schedule schedule;
	uint64_t least; /* by brute force */
};

static bool find_order(struct trial *t, uint64_t seed)
{
	const struct kind *kind = &kinds[seed % N_KINDS];
	const struct order_row *row = mp_order_find("search");

	t->job = (struct order_job){.graph = &t->graph,
		.inplace = kind->inplace,
		.steps = STEPS,
		.arena = t->arena,
		.error = t->error};
	if (!mp_testing_random_graph(
		    seed, &kind->traits, &t->graph, t->arena, t->error) ||
		!row->run(&t->job, row->variant) ||
		!mp_testing_random_least_peak(
			&t->graph, kind->inplace, &t->least, t->arena))
		return false;
	t->schedule = (struct schedule){.graph = &t->graph,
		.order = t->job.alternatives[0],
		.order_bound = t->job.bound};
	t->schedule.order_bound.inplace = kind->inplace;
	if (seed / N_KINDS % 2 == 1)
		t->schedule.order_bound.ops.n = 0;
	return true;
}

/* ------------------------------------------------------------- plan */

static void print_ids(struct sink *sink, const struct trial *t,
	const char *name, struct ids tensors)
{
	const char *between = "";

	mp_sink_print(sink, "\"%s\": [", name);
	for (uint32_t i = 0; i < tensors.n; i++) {
		if (t->graph.tensors[tensors.at[i]].external)
			continue;
		mp_sink_print(sink, "%s%u", between, tensors.at[i]);
		between = ", ";
	}
	mp_sink_text(sink, "]");
}

static void print_op(struct sink *sink, const struct trial *t, uint32_t op)
{
	const struct op *at = &t->graph.ops[op];

	mp_sink_print(sink, "%s\n    {\"name\": \"%u\", ", op ? "," : "", op);
	print_ids(sink, t, "inputs", at->inputs);
	mp_sink_text(sink, ", ");
	print_ids(sink, t, "outputs", at->outputs);
	mp_sink_text(sink, ", ");
	print_ids(sink, t, "temporaries", at->temporaries);
	mp_sink_text(sink, "}");
}

/* As a plan has it, as far as an order decides it. */
static void print_tensor(struct sink *sink, const struct trial *t,
	uint32_t index, const uint32_t *place, const char *between)
{
	const struct tensor *tensor = &t->graph.tensors[index];
	struct ids readers = mp_graph_readers(&t->graph, tensor);
	uint32_t start = 0, end = t->graph.n_ops;

	if (!mp_graph_tensor_from_start(tensor))
		start = place[tensor->producer];
	if (!mp_graph_tensor_to_end(tensor)) {
		end = start + 1;
		for (uint32_t i = 0; i < readers.n; i++)
			if (place[readers.at[i]] >= end)
				end = place[readers.at[i]] + 1;
	}
	mp_sink_print(sink,
		"%s\n    {\"id\": %u, \"offset\": 0, \"size\": %" PRIu64
		", \"start\": %u, \"end\": %u}",
		between, index, tensor->size, start, end);
}

static bool print_plan(struct trial *t, struct sink *sink)
{
	const char *between = "";
	uint32_t n = t->graph.n_ops;
	uint32_t *place = NEW(t->arena, uint32_t, n);

	mp_sink_print(sink,
		"{\n  \"arena_size\": %" PRIu64 ",\n  \"alignment\": %" PRIu64
		",\n  \"order\": {\"name\": \"search\", \"ops\": [",
		t->job.found, t->graph.alignment);
	for (uint32_t i = 0; place && i < n; i++) {
		mp_sink_print(
			sink, "%s%u", i ? ", " : "", t->schedule.order[i]);
		place[t->schedule.order[i]] = i;
	}
	mp_sink_text(sink, "]},\n  \"tensors\": [");
	for (uint32_t i = 0; place && i < t->graph.n_tensors; i++) {
		if (t->graph.tensors[i].external)
			continue;
		print_tensor(sink, t, i, place, between);
		between = ",";
	}
	mp_sink_text(sink, "\n  ],\n  \"ops\": [");
	for (uint32_t i = 0; i < n; i++)
		print_op(sink, t, i);
	mp_sink_text(sink, "\n  ]\n}\n");
	return place != NULL;
}

/* ------------------------------------------------------------ trial */

/* A peak of 0 needs no proof. */
static bool try_seed(
	uint64_t seed, const struct seed_place *place, struct arena *arena)
{
	struct trial trial = {.arena = arena, .error = arena->error},
		     *t = &trial;
	struct sink plan = {.error = t->error}, proof = {.error = t->error};
	uint64_t proved = 0;
	bool fine = find_order(t, seed) && print_plan(t, &plan);

	if (fine) {
		mp_sink_text(&proof, "memplan.proof 1\n");
		mp_proof_write_order(&t->schedule, &proof, t->arena);
		fine = mp_proof_check_order(&t->graph, t->job.inplace, "proof",
			       proof.bytes, proof.length, &proved, t->arena) &&
		       mp_testing_save(
			       place, "", ".json", plan.bytes, plan.length) &&
		       mp_testing_save(
			       place, "", ".proof", proof.bytes, proof.length);
	}
	fine = fine && t->error->code == MEMPLAN_OK &&
	       t->job.bound.bytes <= t->least && proved <= t->least &&
	       t->job.found >= t->least;
	if (!fine)
		fprintf(stderr, "seed %" PRIu64 ": false: %s\n", seed,
			t->error->text);
	printf("%s %u %" PRIu64 " %" PRIu64 " %s %" PRIu64 " %" PRIu64 "\n",
		kinds[seed % N_KINDS].name, t->graph.n_ops, t->job.found,
		t->job.bound.bytes,
		t->job.bound.kind ? t->job.bound.kind : "none", proved,
		t->least);
	mp_sink_free(&plan);
	mp_sink_free(&proof);
	return fine;
}

int main(int n, char **arguments)
{
	return mp_testing_seeds(n, arguments, try_seed);
}
