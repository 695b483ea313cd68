/*
 * tflm-offline: the offsets of a plan as TensorFlow Lite for Microcontrollers
 * takes them out of a model's metadata: little-endian numbers of 32 bits, which
 * are a version, the number of subgraphs, the number of tensors of all
 * subgraphs, and for each tensor its offset, or -1 for "place it yourself".
 * docs/formats/tflite.md.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/tflite/tflm-offline.h"

#include <assert.h>

#include "base/bytes.h"
#include "base/sink-text.h"
#include "emit/rows.h"
#include "graph/tflite-file.h"

enum {
	VERSION = 1,
	HEAD = 3,	 /* numbers in front of the offsets */
	TFLM_ALIGN = 16, /* of TFLM's arena */
};

uint64_t mp_emit_tflm_size(const struct plan *plan)
{
	return 4 * ((uint64_t)HEAD + plan->schedule->graph->tflite->n_tensors);
}

/* TFLM runs the ops as the model lists them. */
bool mp_emit_tflm_check(const struct plan *plan, struct error *e)
{
	const struct graph *graph = plan->schedule->graph;

	if (plan->schedule->reordered)
		return mp_fail(e, MEMPLAN_EUSAGE,
			"%s: the plan is for another order of the ops than the "
			"model's, which TFLM keeps: plan with --order keep",
			graph->name);
	if (graph->alignment % TFLM_ALIGN != 0)
		return mp_fail(e, MEMPLAN_EUSAGE,
			"%s: TFLM wants offsets that are multiples of %d, and "
			"these are aligned to %llu",
			graph->name, TFLM_ALIGN,
			(unsigned long long)graph->alignment);
	return plan->arena_size <= INT32_MAX ||
	       mp_fail(e, MEMPLAN_NO,
		       "%s: TFLM addresses at most %d bytes, and the arena has "
		       "%llu",
		       graph->name, INT32_MAX,
		       (unsigned long long)plan->arena_size);
}

/* The number of a tensor in the model: its id. */
static uint32_t number_of(const struct graph *graph, uint32_t tensor)
{
	const char *id = graph->tensors[tensor].id;
	uint64_t number = 0;
	bool is_number = mp_bytes_digits(&id, NONE - 1, &number);

	assert(is_number && number < graph->tflite->n_tensors);
	(void)is_number;
	return (uint32_t)number;
}

/* TFLM would give a variable with an offset a lifetime that ends at its last
 * reader, though its bytes must last to the next run. */
static bool has_offset(const struct schedule *s, uint32_t tensor)
{
	return s->stay[tensor].buffer != NONE &&
	       s->graph->tensors[tensor].size > 0 &&
	       s->graph->tensors[tensor].kind != KIND_STATE;
}

static void warn_of_states(const struct schedule *s, struct error *e)
{
	uint32_t n = 0;

	for (uint32_t t = 0; t < s->graph->n_tensors; t++)
		n += s->graph->tensors[t].kind == KIND_STATE &&
		     s->stay[t].buffer != NONE;
	if (n > 0)
		mp_warn(e,
			"%s: %u variable%s no offset: TFLM would not keep the "
			"bytes from run to run",
			s->graph->name, n, n == 1 ? " gets" : "s get");
}

static void warn_of_folded(const struct graph *graph, struct error *e)
{
	uint32_t n = graph->tflite->n_folded;

	if (n > 0)
		mp_warn(e,
			"%s: %u tensor%s of dequantised weights %s left to "
			"TFLM, which makes them in every run: plan with "
			"--constants keep or --target tflm",
			graph->name, n, mp_text_plural(n),
			n == 1 ? "is" : "are");
}

/* See struct tflite_file. */
static void vacate(
	const struct graph *graph, uint32_t *entries, struct error *e)
{
	const struct ids *vacant = &graph->tflite->vacant;
	uint32_t n = 0;

	for (uint32_t i = 0; i < vacant->n; i++) {
		n += entries[vacant->at[i]] != UINT32_MAX;
		entries[vacant->at[i]] = UINT32_MAX;
	}
	if (n > 0)
		mp_warn(e,
			"%s: %u tensor%s left to TFLM, which would take the "
			"offset%s for those of variables in other subgraphs",
			graph->name, n, n == 1 ? " is" : "s are",
			mp_text_plural(n));
}

void mp_emit_tflm_offsets(
	const struct plan *plan, struct sink *sink, struct arena *scratch)
{
	const struct schedule *s = plan->schedule;
	const struct tflite_file *file = s->graph->tflite;
	uint32_t *entries = NEW(scratch, uint32_t, file->n_tensors);

	if (!entries)
		return;
	for (uint32_t i = 0; i < file->n_tensors; i++)
		entries[i] = UINT32_MAX;
	for (uint32_t t = 0; t < s->graph->n_tensors; t++)
		if (has_offset(s, t))
			entries[number_of(s->graph, t)] =
				(uint32_t)mp_plan_offset(plan, t);
	warn_of_states(s, scratch->error);
	warn_of_folded(s->graph, scratch->error);
	vacate(s->graph, entries, scratch->error);
	mp_sink_le(sink, VERSION, 4);
	mp_sink_le(sink, file->n_subgraphs, 4);
	mp_sink_le(sink, file->n_tensors, 4);
	for (uint32_t i = 0; i < file->n_tensors; i++)
		mp_sink_le(sink, entries[i], 4);
}

void mp_emit_tflm_offline(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	if (mp_emit_tflm_check(results->plan, scratch->error))
		mp_emit_tflm_offsets(results->plan, sink, scratch);
}
