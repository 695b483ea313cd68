/*
 * A radix sort of which two threads do each pass, a half of the indices each;
 * of very many indices and long keys the first digit, then what is equal in it.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "base/radix.h"
#include "base/sort.h"
#include "base/threads.h"

enum {
	LEAST_SHARED = 50000, /* indices: fewer take less than threads do */
	PIECES = LOOP_MOST    /* of what is equal in the first digit */
};

struct halves {
	const uint64_t *key;
	uint32_t *from, *to;
	uint32_t n, shift, next;
	uint64_t differ[2];
	uint32_t count[2][RADIX_DIGITS];    /* digits of a half */
	uint32_t moved[2][2][RADIX_DIGITS]; /* of the next pass: those that a
					 half has moved to either half */
};

static uint32_t begin_of(const struct halves *h, uint32_t half)
{
	return (uint32_t)((uint64_t)h->n * half / 2);
}

static bool find_differ(void *context, uint32_t half)
{
	struct halves *h = context;
	uint32_t end = begin_of(h, half + 1);
	uint64_t differ = 0;

	for (uint32_t i = begin_of(h, half); i < end; i++)
		differ |= h->key[h->from[i]] ^ h->key[h->from[0]];
	h->differ[half] = differ;
	return false;
}

static bool count_half(void *context, uint32_t half)
{
	struct halves *h = context;
	uint32_t end = begin_of(h, half + 1);

	for (uint32_t i = begin_of(h, half); i < end; i++)
		h->count[half][radix_digit(
			h->key[h->from[i]], h->shift, RADIX_BITS)]++;
	return false;
}

/* Of equal digits those of the first half come first. */
static bool sort_half(void *context, uint32_t half)
{
	struct halves *h = context;
	uint32_t first[RADIX_DIGITS], sum = 0, end = begin_of(h, half + 1);
	uint32_t(*moved)[RADIX_DIGITS] = h->moved[half];

	for (uint32_t digit = 0; digit < RADIX_DIGITS; digit++) {
		first[digit] = sum + (half ? h->count[0][digit] : 0);
		sum += h->count[0][digit] + h->count[1][digit];
	}
	memset(moved, 0, sizeof(h->moved[half]));
	for (uint32_t i = begin_of(h, half); i < end; i++) {
		uint64_t value = h->key[h->from[i]];
		uint32_t place =
			first[radix_digit(value, h->shift, RADIX_BITS)]++;

		__builtin_prefetch(
			&h->key[h->from[i + RADIX_AHEAD < end ? i + RADIX_AHEAD
							      : i]]);
		h->to[place] = h->from[i];
		moved[place >= h->n / 2]
		     [radix_digit(value, h->next, RADIX_BITS)]++;
	}
	return false;
}

static void begin_halves(struct threads *threads, struct halves *h,
	uint32_t *indices, uint32_t *scratch, uint32_t n)
{
	*h = (struct halves){
		.key = h->key, .from = indices, .to = scratch, .n = n};
	mp_threads_run(threads, 2, find_differ, h);
	h->differ[0] |= h->differ[1];
}

/* They may have come to lie in the scratch. */
static void end_halves(const struct halves *h, uint32_t *indices)
{
	if (h->from != indices)
		memcpy(indices, h->from, sizeof(*indices) * h->n);
}

/* By the last digit first. */
static void sort_digits(struct threads *threads, struct halves *h)
{
	uint32_t *swap;

	h->shift = radix_next(h->differ[0], 0);
	if (h->shift < 64)
		mp_threads_run(threads, 2, count_half, h);
	while (h->shift < 64) {
		uint32_t next = radix_next(h->differ[0], h->shift + RADIX_BITS);

		h->next = next % 64;
		mp_threads_run(threads, 2, sort_half, h);
		for (uint32_t digit = 0; digit < RADIX_DIGITS; digit++)
			for (uint32_t to = 0; to < 2; to++)
				h->count[to][digit] = h->moved[0][to][digit] +
						      h->moved[1][to][digit];
		h->shift = next;
		swap = h->from;
		h->from = h->to;
		h->to = swap;
	}
}

/* What is equal in the first digit. */
struct places {
	const uint64_t *key;
	uint32_t *from, *to;
	uint32_t n;
	uint32_t begin[RADIX_DIGITS + 1];
};

/* A place is of the piece in which it begins. One that is for several threads
 * waits. */
static bool sort_piece(void *context, uint32_t piece)
{
	const struct places *s = context;
	uint64_t from = (uint64_t)s->n * piece / PIECES;
	uint64_t to = (uint64_t)s->n * (piece + 1) / PIECES;

	for (uint32_t digit = 0; digit < RADIX_DIGITS; digit++) {
		uint32_t begin = s->begin[digit];
		uint32_t n = s->begin[digit + 1] - begin;

		if (begin >= from && begin < to && n < LEAST_SHARED)
			mp_sort_radix(
				s->from + begin, s->to + begin, n, s->key);
	}
	return false;
}

/* As one thread does it. What is equal in the first digit of very many indices
 * is sorted by halves again. */
static void sort_top(struct threads *threads, struct halves *h)
{
	struct places s = {.key = h->key, .from = h->to, .to = h->from};

	h->shift = radix_top(h->differ[0]);
	mp_threads_run(threads, 2, count_half, h);
	mp_threads_run(threads, 2, sort_half, h);
	for (uint32_t digit = 0; digit < RADIX_DIGITS; digit++) {
		s.begin[digit] = s.n;
		s.n += h->count[0][digit] + h->count[1][digit];
	}
	s.begin[RADIX_DIGITS] = s.n;
	mp_threads_run(threads, PIECES, sort_piece, &s);
	for (uint32_t digit = 0; digit < RADIX_DIGITS; digit++) {
		uint32_t begin = s.begin[digit];
		uint32_t n = s.begin[digit + 1] - begin;

		if (n < LEAST_SHARED)
			continue;
		begin_halves(threads, h, s.from + begin, s.to + begin, n);
		sort_digits(threads, h);
		end_halves(h, s.from + begin);
	}
	memcpy(s.to, s.from, sizeof(*s.to) * s.n);
}

void mp_sort_radix_shared(struct threads *threads, uint32_t *indices,
	uint32_t *scratch, uint32_t n, const uint64_t *key)
{
	struct halves h = {.key = key};

	assert(indices != scratch || n == 0);
	if (n < LEAST_SHARED || !threads) {
		mp_sort_radix(indices, scratch, n, key);
		return;
	}
	begin_halves(threads, &h, indices, scratch, n);
	if (radix_is_long(n, h.differ[0])) {
		sort_top(threads, &h);
	} else {
		sort_digits(threads, &h);
		end_halves(&h, indices);
	}
}
