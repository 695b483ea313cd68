/*
 * What pictures, pages, reports and tables call things: nothing else makes a
 * name for a rectangle. A rectangle that several tensors have, as in place, is
 * called after the first and the last of them to be born: "conv1 … relu1".
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_EMIT_LABELS_H
#define MP_EMIT_LABELS_H

#include "problem/chains.h"

enum {
	LABEL_HALF = 60,		 /* characters of each of two names */
	LABEL_MOST = 2 * LABEL_HALF + 3, /* of both */
};

struct labels {
	const struct schedule *schedule;
	const char **of_part;	/* NULL: no tensor needs it */
	const char **of_tensor; /* that of the part that the tensor fills, else
				   its own name */
	struct chains chains;
};

/* False only if memory is out. */
bool mp_emit_labels_find(
	struct labels *labels, const struct schedule *s, struct arena *arena);

/* A label within its member of a bundle, which needs no name there. */
const char *mp_emit_labels_short(const struct schedule *s, const char *label);

/* Is the tensor one of several that its label names? */
bool mp_emit_labels_several(const struct labels *labels, uint32_t tensor);

/* The steps in which what the tensor's label names is alive. */
void mp_emit_labels_life(const struct labels *labels, uint32_t tensor,
	uint32_t *start, uint32_t *end);

#endif
