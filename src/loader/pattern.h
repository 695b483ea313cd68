/*
 * The patterns of memplan/device.h in memory of the host.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_LOADER_PATTERN_H
#define MP_LOADER_PATTERN_H

#include "memplan/device.h"

/* Writes the pattern, which begins with its first word. */
void mp_pattern_fill(void *bytes, uint64_t size, uint64_t key);

/* Adds the words that differ to the finding, which keeps the first one and its
 * place. */
void mp_pattern_compare(const void *bytes, uint64_t size, uint64_t key,
	struct memplan_finding *finding);

#endif
