/*
 * Sorting with the same result everywhere: values, indices by keys, and
 * comparison functions for qsort(). qsort() is not stable: the last key of a
 * comparison must differ between any two elements, or equal elements must be
 * alike.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BASE_SORT_H
#define MP_BASE_SORT_H

#include <stdint.h>

struct threads;

/* Ascending. */
void mp_sort_u32(uint32_t *values, uint32_t n);
void mp_sort_u64(uint64_t *values, uint32_t n);

/* Ascending and without repetition. Returns how many values stay. */
uint32_t mp_sort_unique_u32(uint32_t *values, uint32_t n);
uint32_t mp_sort_unique_u64(uint64_t *values, uint32_t n);

/* Sorts n indices by ascending key[index] in linear time. Equal keys keep their
 * order: to sort by several keys, sort by the last key first. The scratch has
 * room for n indices too. */
void mp_sort_radix(
	uint32_t *indices, uint32_t *scratch, uint32_t n, const uint64_t *key);

/* As mp_sort_radix(), in halves where many indices meet an idle thread. */
void mp_sort_radix_shared(struct threads *threads, uint32_t *indices,
	uint32_t *scratch, uint32_t n, const uint64_t *key);

/* Compares a key of the left element with that of the right one, for qsort():
 * less than 0 if the left element comes first, 0 if the keys are equal. Swap
 * the two keys to sort descending. */
static inline int mp_sort_compare(uint64_t left, uint64_t right)
{
	return (left > right) - (left < right);
}

/* By a first key and, where that is equal, by a second one. */
static inline int mp_sort_compare_two(
	uint64_t left, uint64_t right, uint64_t left_2, uint64_t right_2)
{
	return left != right ? mp_sort_compare(left, right)
			     : mp_sort_compare(left_2, right_2);
}

/* By three keys. */
static inline int mp_sort_compare_three(uint64_t left, uint64_t right,
	uint64_t left_2, uint64_t right_2, uint64_t left_3, uint64_t right_3)
{
	return left != right
		       ? mp_sort_compare(left, right)
		       : mp_sort_compare_two(left_2, right_2, left_3, right_3);
}

#endif
