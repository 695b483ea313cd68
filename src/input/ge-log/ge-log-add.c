/*
 * The list of what GE's log sets: each once, references with what they refer
 * to, areas of batches not at all.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/ge-log/ge-log.h"

static bool is_same(const struct ge_tensor *a, const struct ge_tensor *b)
{
	return a->offset == b->offset && a->size == b->size &&
	       a->begin == b->begin && a->last == b->last &&
	       a->memory == b->memory && a->reference == b->reference;
}

static bool fail_twin(const struct ge_log *log, const struct ge_tensor *tensor,
	const struct ge_tensor *twin)
{
	return mp_fail(log->error, MEMPLAN_EINPUT,
		"%s:%u: '%.60s' is set again, and otherwise than by line %u: "
		"is it the log of two runs? keep the lines of one",
		log->lines.file, tensor->line, tensor->id, twin->line);
}

/* A reference follows, in the log, the tensor whose block it is in. */
static uint32_t referred(const struct ge_log *log, const struct ge_tensor *t)
{
	const struct ge_tensor *before = log->tensors + log->n - (log->n > 0);

	if (!t->reference || log->n == 0 || before->timeless ||
		before->offset != t->offset || before->memory != t->memory)
		return NONE;
	return before->of != NONE ? before->of : log->n - 1;
}

/* Set twice alike is once; set twice and not alike is two plans. */
bool mp_input_ge_add(struct ge_log *log, const struct ge_tensor *tensor)
{
	uint32_t twin = mp_names_add(&log->names, tensor->id, log->n);

	if (twin != NONE)
		return is_same(&log->tensors[twin], tensor) ||
		       fail_twin(log, tensor, &log->tensors[twin]);
	log->tensors[log->n] = *tensor;
	log->tensors[log->n].of = referred(log, tensor);
	log->n++;
	return true;
}

/* Batches get an area each, which GE logs as a workspace of the first node that
 * lies in it; what lies in it follows, one level deeper. */
static bool is_area(const struct ge_tensor *a, const struct ge_tensor *next)
{
	return next && a->scratch && a->label != NONE && a->plain == a->size &&
	       next->label == a->label && next->memory == a->memory &&
	       next->offset == a->offset && next->level == a->level + 1 &&
	       next->begin == a->begin;
}

/* Adds what the line before set, now that the next one is known. */
bool mp_input_ge_add_pending(struct ge_log *log, const struct ge_tensor *next)
{
	struct ge_tensor tensor = log->pending;

	log->pending.id = NULL;
	return !tensor.id || is_area(&tensor, next) ||
	       mp_input_ge_add(log, &tensor);
}
