/*
 * The matching by augmenting paths of greatest gain, one pair more each time:
 * after each of them it is the best of its number of pairs (Edmonds and Karp,
 * Journal of the ACM 19(2), 1972). The longest paths are found as Bellman and
 * Ford do.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graph/pair-match.h"

#include "base/num.h"

enum {
	MOST_MATCHED = 64, /* pairs of an op; the work grows with the cube */
};

#define UNREACHED INT64_MIN

bool mp_graph_matcher_init(
	struct pair_matcher *m, uint32_t n_tensors, struct arena *arena)
{
	m->pair = NEW(arena, uint32_t, n_tensors);
	m->gain = NEW(arena, int64_t, n_tensors);
	m->via = NEW(arena, uint32_t, n_tensors);
	m->missed = false;
	return m->pair && m->gain && m->via;
}

static void forget(
	struct pair_matcher *m, const struct shared_pair *pairs, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		m->pair[pairs[i].output] = m->pair[pairs[i].input] = NONE;
}

/* Takes each pair that goes together with those before. Returns whether all
 * do. */
static bool take_as_listed(
	struct pair_matcher *m, const struct shared_pair *pairs, uint32_t n)
{
	bool all = true;

	for (uint32_t i = 0; i < n; i++) {
		const struct shared_pair *p = &pairs[i];

		if (m->pair[p->output] != NONE || m->pair[p->input] != NONE)
			all = false;
		else
			m->pair[p->output] = m->pair[p->input] = i;
	}
	return all;
}

/* A path goes from an output to an input by a pair that is not taken, and back
 * to an output by one that is. Returns whether pair i makes a longer one. */
static bool lengthen(
	struct pair_matcher *m, const struct shared_pair *pairs, uint32_t i)
{
	const struct shared_pair *p = &pairs[i];
	uint32_t now = m->pair[p->input];
	int64_t gain;

	if (m->pair[p->output] == i || m->gain[p->output] == UNREACHED)
		return false;
	gain = m->gain[p->output] + (int64_t)p->bytes;
	if (m->gain[p->input] >= gain)
		return false;
	m->gain[p->input] = gain;
	m->via[p->input] = i;
	if (now != NONE)
		m->gain[pairs[now].output] = gain - (int64_t)pairs[now].bytes;
	return true;
}

static void find_paths(
	struct pair_matcher *m, const struct shared_pair *pairs, uint32_t n)
{
	bool longer = true;

	for (uint32_t i = 0; i < n; i++) {
		bool is_free = m->pair[pairs[i].output] == NONE;

		m->gain[pairs[i].output] = is_free ? 0 : UNREACHED;
		m->gain[pairs[i].input] = UNREACHED;
	}
	while (longer) {
		longer = false;
		for (uint32_t i = 0; i < n; i++)
			longer |= lengthen(m, pairs, i);
	}
}

/* Takes the pairs of the path that ends at an input, instead of those that it
 * goes back by. */
static void take_path(
	struct pair_matcher *m, const struct shared_pair *pairs, uint32_t input)
{
	uint32_t before;

	do {
		uint32_t i = m->via[input];

		before = m->pair[pairs[i].output];
		m->pair[pairs[i].output] = m->pair[input] = i;
		if (before != NONE)
			input = pairs[before].input;
	} while (before != NONE);
}

/* One pair more; false: no more bytes can be saved. */
static bool augment(
	struct pair_matcher *m, const struct shared_pair *pairs, uint32_t n)
{
	uint32_t best = NONE;

	find_paths(m, pairs, n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t input = pairs[i].input;

		if (m->pair[input] == NONE && m->gain[input] > 0 &&
			(best == NONE || m->gain[input] > m->gain[best]))
			best = input;
	}
	if (best != NONE)
		take_path(m, pairs, best);
	return best != NONE;
}

uint64_t mp_graph_match_pairs(
	struct pair_matcher *m, struct shared_pair *pairs, uint32_t n)
{
	uint64_t sum = 0;

	forget(m, pairs, n);
	if (!take_as_listed(m, pairs, n)) {
		if (n <= MOST_MATCHED) {
			forget(m, pairs, n);
			while (augment(m, pairs, n))
				;
		} else {
			m->missed = true;
		}
	}
	for (uint32_t i = 0; i < n; i++) {
		pairs[i].taken = m->pair[pairs[i].output] == i;
		sum += pairs[i].taken ? pairs[i].bytes : 0;
	}
	return sum;
}
