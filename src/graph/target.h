/*
 * Targets: alignment, padding and guards that a device or a runtime requires. A
 * row is a name for a set of numbers; --target takes them all at once.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_GRAPH_TARGET_H
#define MP_GRAPH_TARGET_H

#include <stdint.h>

/* The numbers of a target that a graph keeps beside its alignment. All zero: no
 * target. */
struct margins {
	const char *target; /* its name, or NULL */
	uint32_t padding;   /* bytes behind every tensor, before rounding */
	uint32_t base;	    /* the arena's base is aligned to this at least */
	uint32_t guard;	    /* bytes left free on both sides of a contiguous
			       group */
};

struct target {
	const char *name, *summary;
	uint32_t alignment; /* of offsets and sizes: a power of two */
	uint32_t limit;	    /* greatest arena that it can address; 0: any */
	struct margins margins;
};

extern const struct target mp_targets[];
extern const uint32_t mp_n_targets;

/* The row of that name, or NULL. */
const struct target *mp_graph_target_find(const char *name);

#endif
