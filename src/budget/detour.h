/*
 * Detours: what a budget does with a tensor between two uses, so that its bytes
 * are free in the meantime.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BUDGET_DETOUR_H
#define MP_BUDGET_DETOUR_H

#include <stdbool.h>
#include <stdint.h>

/* How a detour of a tensor is paid for. */
enum detour_mode {
	DETOUR_NONE,  /* no copies: only recomputing, if that is allowed */
	DETOUR_SYNC,  /* compute waits for every copy */
	DETOUR_SEMI,  /* copies run beside the op behind, or before */
	DETOUR_ASYNC, /* copies run beside compute, in one queue */
};

enum {
	DETOUR_OPS = 24, /* that run again for one tensor, at most */
};

/* Their names, as options spell them. */
extern const char *const mp_detour_modes[DETOUR_ASYNC + 1];

/* A tensor that is not in the arena for a while. */
struct detour {
	uint32_t tensor;
	uint32_t last_use, next_use; /* steps */
	uint32_t out_step;	     /* its bytes are free behind this step */
	uint32_t in_step;	     /* and its own again before this one */
	bool recompute;	     /* its op runs again; else it is copied back */
	bool written;	     /* it is copied out, for the first time */
	const uint32_t *ops; /* those that run again, its own last */
	uint32_t n_ops;
};

#endif
