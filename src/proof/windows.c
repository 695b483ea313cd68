/*
 * A refutation of a few buffers is one of all. Where a claim is above the load
 * the steps around some window are to blame, mostly where the least is free: of
 * such windows the large buffers are refuted by themselves.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/search.h"
#include "base/sort.h"
#include "proof/inside.h"

enum {
	MOST_BUFFERS = 64, /* of a window */
	SMALL = 16	   /* times smaller than the largest one: left out */
};

static const uint32_t widths[] = {8, 10, 12}; /* sections */

/* The steps at which parts begin, ascending, and the load of all before each:
 * that of a window is a difference. */
struct sections {
	uint64_t *start, *load;
	uint32_t n;
};

static bool is_alive(const struct part *part, uint64_t from, uint64_t to)
{
	return part->start <= to && from < part->end;
}

static bool list_sections(
	struct sections *s, const struct problem *p, struct arena *arena)
{
	s->start = NEW(arena, uint64_t, p->n_parts);
	s->load = NEW(arena, uint64_t, (size_t)p->n_parts + 1);
	if (!s->start || !s->load)
		return false;
	for (uint32_t i = 0; i < p->n_parts; i++)
		s->start[i] = p->parts[i].start;
	s->n = mp_sort_unique_u64(s->start, p->n_parts);
	for (uint32_t i = 0; i < p->n_parts; i++) {
		const struct part *part = &p->parts[i];

		s->load[mp_search_u64(s->start, s->n, part->start)] +=
			part->size;
		s->load[mp_search_u64(s->start, s->n, part->end)] -= part->size;
	}
	for (uint32_t k = 0; k < 2; k++) /* changes, loads, sums of loads */
		for (uint32_t i = 1; i <= s->n; i++)
			s->load[i] += s->load[i - 1];
	return true;
}

/* The first section of the fullest window. */
static uint32_t find_fullest(const struct sections *s, uint32_t width)
{
	uint32_t fullest = 0;
	uint64_t most = 0;

	for (uint32_t i = 0; i + width <= s->n; i++) {
		uint64_t sum =
			s->load[i + width - 1] - (i > 0 ? s->load[i - 1] : 0);

		if (sum > most) {
			most = sum;
			fullest = i;
		}
	}
	return fullest;
}

/* The buffers of that window that are not small, ascending. n 0: too many. */
static bool list_buffers(const struct problem *p, uint64_t from, uint64_t to,
	struct ids *found, struct arena *arena)
{
	uint32_t *buffers = NEW(arena, uint32_t, MOST_BUFFERS), n = 0;
	uint64_t largest = 0;

	*found = (struct ids){buffers, 0};
	for (uint32_t i = 0; i < p->n_parts; i++)
		if (is_alive(&p->parts[i], from, to))
			largest = num_max(largest, p->parts[i].size);
	for (uint32_t i = 0; buffers && i < p->n_parts; i++) {
		const struct part *part = &p->parts[i];

		if (!is_alive(part, from, to) || part->size < largest / SMALL ||
			(n > 0 && buffers[n - 1] == part->buffer))
			continue;
		if (n == MOST_BUFFERS)
			return true;
		buffers[n++] = part->buffer;
	}
	found->n = n;
	return buffers != NULL;
}

static bool refute_window(const struct problem *problem, uint64_t from,
	uint64_t to, uint64_t size, uint64_t work,
	struct refutation *refutation, bool *found, struct arena *arena)
{
	struct ids buffers;

	*found = false;
	return list_buffers(problem, from, to, &buffers, arena) &&
	       (buffers.n == 0 || mp_proof_refute(problem, buffers, size, work,
					  refutation, found, arena));
}

/* Also without the first section of each window: what it says is mostly known
 * from the second one, and what dies there is left out. */
bool mp_proof_windows(const struct problem *problem, uint64_t size,
	uint64_t work, struct refutation *refutation, bool *found,
	struct arena *arena)
{
	struct sections s;

	*found = false;
	if (problem->n_streams > 1 || problem->n_parts == 0)
		return true;
	if (!list_sections(&s, problem, arena))
		return false;
	for (uint32_t i = 0; i < countof(widths) && widths[i] <= s.n; i++) {
		uint32_t first = find_fullest(&s, widths[i]);
		uint64_t last = s.start[first + widths[i] - 1];

		for (uint32_t k = 2; k-- > 0;) {
			struct arena_mark mark = mp_arena_mark(arena);

			if (!refute_window(problem, s.start[first + k], last,
				    size, work, refutation, found, arena))
				return false;
			if (*found)
				return true;
			mp_arena_rewind(arena, mark);
		}
	}
	return true;
}
