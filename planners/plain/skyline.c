/*
 * The set of segment starts: see skyline.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/skyline.h"

#include <assert.h>
#include <string.h>

enum {
	WORD = 64
};

static uint32_t lowest_bit(uint64_t word)
{
#if defined(__GNUC__)
	return (uint32_t)__builtin_ctzll(word);
#else
	uint32_t bit = 0;

	for (; !(word & 1); word >>= 1)
		bit++;
	return bit;
#endif
}

static uint32_t highest_bit(uint64_t word)
{
#if defined(__GNUC__)
	return 63 - (uint32_t)__builtin_clzll(word);
#else
	uint32_t bit = 0;

	while (word >>= 1)
		bit++;
	return bit;
#endif
}

static size_t words_of(uint32_t n)
{
	return ((size_t)n + WORD - 1) / WORD;
}

bool mp_planner_skyline_init(
	struct skyline *skyline, uint32_t n_sections, struct arena *arena)
{
	uint32_t n = n_sections;

	assert(n_sections > 0);
	*skyline = (struct skyline){.n_sections = n_sections};
	do {
		n = (uint32_t)words_of(n);
		skyline->bits[skyline->n_levels] = NEW(arena, uint64_t, n);
		if (!skyline->bits[skyline->n_levels++])
			return false;
	} while (n > 1);
	skyline->floor = NEW(arena, int64_t, n_sections);
	if (!skyline->floor)
		return false;
	mp_planner_skyline_split(skyline, 0);
	return true;
}

void mp_planner_skyline_clear(struct skyline *skyline)
{
	uint32_t n = skyline->n_sections;

	for (uint32_t level = 0; level < skyline->n_levels; level++) {
		n = (uint32_t)words_of(n);
		memset(skyline->bits[level], 0, sizeof(uint64_t) * n);
	}
	mp_planner_skyline_split(skyline, 0);
	skyline->floor[0] = 0;
}

void mp_planner_skyline_split(struct skyline *skyline, uint32_t section)
{
	assert(section < skyline->n_sections);
	for (uint32_t level = 0; level < skyline->n_levels; level++) {
		uint64_t *word = &skyline->bits[level][section / WORD];
		bool was_empty = *word == 0;

		*word |= UINT64_C(1) << section % WORD;
		if (!was_empty)
			return;
		section /= WORD;
	}
}

void mp_planner_skyline_join(struct skyline *skyline, uint32_t section)
{
	assert(0 < section && section < skyline->n_sections);
	for (uint32_t level = 0; level < skyline->n_levels; level++) {
		uint64_t *word = &skyline->bits[level][section / WORD];

		*word &= ~(UINT64_C(1) << section % WORD);
		if (*word)
			return;
		section /= WORD;
	}
}

uint32_t mp_planner_skyline_segment(
	const struct skyline *skyline, uint32_t section)
{
	uint32_t level = 0;
	uint64_t word = skyline->bits[0][section / WORD]
			<< (WORD - 1 - section % WORD);

	if (word)
		return section - (WORD - 1 - highest_bit(word));
	/* Up to the first word with something before, and down its last. */
	for (;;) {
		section /= WORD;
		word = skyline->bits[++level][section / WORD] &
		       ((UINT64_C(1) << section % WORD) - 1);
		if (word)
			break;
	}
	section = section / WORD * WORD + highest_bit(word);
	while (level-- > 0)
		section = section * WORD +
			  highest_bit(skyline->bits[level][section]);
	return section;
}

uint32_t mp_planner_skyline_next(
	const struct skyline *skyline, uint32_t section)
{
	uint32_t level = 0;
	uint64_t word = skyline->bits[0][section / WORD] >> section % WORD >> 1;

	if (word)
		return section + 1 + lowest_bit(word);
	for (;;) {
		section /= WORD;
		if (++level == skyline->n_levels)
			return skyline->n_sections;
		word = skyline->bits[level][section / WORD] >> section % WORD >>
		       1;
		if (word)
			break;
	}
	section += 1 + lowest_bit(word);
	while (level-- > 0)
		section = section * WORD +
			  lowest_bit(skyline->bits[level][section]);
	return section;
}
