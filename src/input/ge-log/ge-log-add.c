/*
 * The list of tensors that GE's log sets: each once, with the target of
 * references, without the areas of batches.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/ge-log/ge-log.h"

#include <assert.h>

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

/* The target of a reference: the tensor set right before it in the log. */
static uint32_t referred(const struct ge_log *log, const struct ge_tensor *t)
{
	const struct ge_tensor *before = log->tensors + log->n - (log->n > 0);

	if (!t->reference || log->n == 0 || before->timeless ||
		before->offset != t->offset || before->memory != t->memory)
		return NONE;
	return before->of != NONE ? before->of : log->n - 1;
}

/* A tensor that is set twice with different values belongs to two plans. */
bool mp_input_ge_add(struct ge_log *log, const struct ge_tensor *tensor)
{
	uint32_t twin = mp_names_add(&log->names, tensor->id, log->n);

	if (twin != NONE)
		return is_same(&log->tensors[twin], tensor) ||
		       fail_twin(log, tensor, &log->tensors[twin]);
	assert(tensor->begin <= tensor->last);
	log->tensors[log->n] = *tensor;
	log->tensors[log->n].of = referred(log, tensor);
	log->n++;
	return true;
}

/* Each batch has an area, which GE logs as a workspace of the first node in it;
 * the tensors in the area follow, one level deeper. */
static bool is_area(const struct ge_tensor *a, const struct ge_tensor *next)
{
	return next && a->scratch && a->label != NONE && a->plain == a->size &&
	       next->label == a->label && next->memory == a->memory &&
	       next->offset == a->offset && next->level == a->level + 1 &&
	       next->begin == a->begin;
}

bool mp_input_ge_add_pending(struct ge_log *log, const struct ge_tensor *next)
{
	struct ge_tensor tensor = log->pending;

	log->pending.id = NULL;
	return !tensor.id || is_area(&tensor, next) ||
	       mp_input_ge_add(log, &tensor);
}
