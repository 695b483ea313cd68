/*
 * Sorting indices by keys: stable, linear in the number of indices, and with
 * the same result everywhere. Sorting by the last key first, then by the one
 * before it, sorts by several.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BASE_RADIX_SORT_H
#define MP_BASE_RADIX_SORT_H

#include <stdint.h>

/* Sorts n indices by ascending key[index]; equal keys keep their order. The
 * scratch has room for n indices too. */
void mp_radix_sort(
	uint32_t *indices, uint32_t *scratch, uint32_t n, const uint64_t *key);

#endif
