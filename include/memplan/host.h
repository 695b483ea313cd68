/*
 * Aligned memory of the host for one pool of a plan: one allocation, however
 * many tensors. Works for the pools of tables (memplan/loader.h) and for those
 * of generated headers.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MEMPLAN_HOST_H
#define MEMPLAN_HOST_H

#include "memplan/loader.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A block for the pool: NULL if memory is out or the pool is larger than the
 * address space. A pool of size 0 gets a block too. */
void *memplan_host_allocate(const struct memplan_pool *pool);

/* Frees such a block. NULL is allowed. */
void memplan_host_free(void *block);

#ifdef __cplusplus
}
#endif

#endif
