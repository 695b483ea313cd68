/*
 * Sorting what is nearly in order: by merging the rising runs that are there.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BASE_RUN_SORT_H
#define MP_BASE_RUN_SORT_H

#include <stdint.h>

/* Sorts n values, smallest first, in a time that is linear if they are one run
 * and grows with the logarithm of the number of runs. The scratch has room for
 * n values too. */
void mp_runs_sort(uint32_t *values, uint32_t *scratch, uint32_t n);

#endif
