/*
 * Memory of the devices, which is the host's. Released blocks are not used
 * again soon, so that work that comes too late is seen.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_LOADER_STAND_IN_LIVE_BLOCKS_H
#define MP_LOADER_STAND_IN_LIVE_BLOCKS_H

#include <stddef.h>

/* A block of a device, `skew` bytes behind a multiple of the alignment. It may
 * be used once it is ready. NULL: memory is out. */
void *take_block(
	int device, size_t size, size_t align, size_t skew, int is_ready);

/* False: no block begins there. */
int make_ready(const void *at);
int give_block(const void *at);

/* Gives back all blocks of a device. */
void give_blocks(int device);
int has_blocks(int device);

/* Do these bytes lie in one block of the device that may be used? */
int is_usable(const void *at, size_t size, int device);

#endif
