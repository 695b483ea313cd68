/*
 * Runs: consecutive lines place tensors next to each other, for a collective or
 * for a concatenation without copies.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/ge-log/ge-log.h"

#include <assert.h>

/* Does the tensor lie right after the last one of the run, with or without GE's
 * padding? */
static bool follows(const struct ge_log *log, const struct ge_run *run,
	const struct ge_tensor *tensor)
{
	uint32_t last = log->members[run->first + run->n - 1];
	const struct ge_tensor *before = &log->tensors[last];
	uint64_t end = before->offset + before->size;

	assert(run->n > 0);
	return before->memory == tensor->memory && before->size > 0 &&
	       before->unpadded == tensor->unpadded &&
	       (tensor->offset == end ||
		       tensor->offset == num_up(end, GE_GRAIN));
}

void mp_input_ge_join_run(struct ge_log *log, struct text kind, uint32_t tensor)
{
	struct ge_tensor *t = &log->tensors[tensor];
	struct ge_run *run = &log->runs[log->n_runs - (log->n_runs > 0)];
	bool next = log->run_kind.at &&
		    mp_input_lines_same(log->run_kind, kind) &&
		    follows(log, run, t);

	log->run_kind = kind;
	if (t->run != NONE) {
		/* Newer releases repeat lines; else it is in two runs. */
		log->runs[t->run].broken |= next && t->run + 1 != log->n_runs;
		log->run_kind.at = NULL;
		return;
	}
	if (!next)
		log->runs[log->n_runs++] =
			(struct ge_run){.first = log->n_members};
	run = &log->runs[log->n_runs - 1];
	log->members[log->n_members++] = tensor;
	assert(run->first + run->n < log->n_members);
	run->n++;
	t->run = log->n_runs - 1;
}

static void time_run(struct ge_log *log, const struct ge_run *run)
{
	struct ge_tensor life = {.begin = UINT64_MAX};

	for (uint32_t i = 0; i < run->n; i++) {
		const struct ge_tensor *t =
			&log->tensors[log->members[run->first + i]];

		if (t->timeless)
			continue;
		life.begin = num_min(life.begin, t->begin);
		life.last = num_max(life.last, t->last);
	}
	for (uint32_t i = 0; i < run->n && life.begin < UINT64_MAX; i++) {
		struct ge_tensor *t =
			&log->tensors[log->members[run->first + i]];

		if (!t->timeless)
			continue;
		t->timeless = false;
		t->begin = life.begin;
		t->last = t->least = life.last;
	}
}

void mp_input_ge_time_runs(struct ge_log *log)
{
	for (uint32_t r = 0; r < log->n_runs; r++)
		time_run(log, &log->runs[r]);
}

/* ----------------------------------------------------------- groups */

/* Are the tensors laid out as a group of memplan: each after the one before? */
static bool is_group(const struct graph *graph, const uint32_t *at, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		const struct tensor *a = &graph->tensors[at[i - 1]];
		const struct tensor *b = &graph->tensors[at[i]];
		uint64_t align = b->align ? b->align : graph->alignment;
		uint64_t end = a->offset + num_up(a->size, graph->alignment);

		if (at[i - 1] == at[i] || num_up(end, align) != b->offset)
			return false;
	}
	return n > 1;
}

/* The members of a run in the graph, without those merged into others. */
static uint32_t map_run(const struct ge_log *log, const struct ge_run *run,
	const uint32_t *map, uint32_t *at)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < run->n; i++) {
		uint32_t t = log->members[run->first + i];

		if (!log->tensors[t].gone)
			at[n++] = map[t];
	}
	return n;
}

bool mp_input_ge_group_runs(
	struct ge_log *log, const uint32_t *map, struct graph *graph)
{
	struct tensor_group *groups =
		NEW(log->arena, struct tensor_group, log->n_runs);
	uint32_t *at = NEW(log->arena, uint32_t, log->n_members);

	if (!groups || !at)
		return false;
	graph->ties.groups = groups;
	for (uint32_t r = 0; r < log->n_runs; r++) {
		const struct ge_run *run = &log->runs[r];
		uint32_t n = map_run(log, run, map, at);

		if (run->broken || n != run->n || !is_group(graph, at, n))
			continue;
		for (uint32_t i = 0; i < run->n; i++)
			log->tensors[log->members[run->first + i]].adjacent =
				false;
		groups[graph->ties.n_groups++].members = (struct ids){at, n};
		at += n;
	}
	return true;
}
