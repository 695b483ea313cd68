/* SPDX-License-Identifier: MIT */
#include "problem/chains.h"

#include "base/search.h"
#include "base/sort.h"

struct search {
	const struct schedule *s;
	struct chains *chains;
	uint64_t *reach; /* of a part: the highest byte that its buffer has in
			    parts up to this one, for these ascend by base */
	uint32_t *born;	 /* tensors as they are born; of those of one step first
			    what is taken over in it */
};

/* ---------------------------------------------------------- sorting */

static bool sort_by_birth(struct search *search, struct arena *arena)
{
	const struct stay *stay = search->s->stay;
	uint32_t n = search->s->graph->n_tensors;
	uint64_t *birth = NEW(arena, uint64_t, n);
	uint32_t *spare = NEW(arena, uint32_t, n);

	search->born = NEW(arena, uint32_t, n);
	if (!birth || !spare || !search->born)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		search->born[i] = i;
		birth[i] = 2 * (uint64_t)stay[i].start +
			   (stay[i].start < stay[i].end);
	}
	mp_sort_radix(search->born, spare, n, birth);
	return true;
}

static bool find_reach(struct search *search, struct arena *arena)
{
	const struct problem *p = &search->s->problem;

	search->reach = NEW(arena, uint64_t, p->n_parts);
	for (uint32_t k = 0; search->reach && k < p->n_parts; k++) {
		const struct part *part = &p->parts[k];
		bool first = k == p->buffers[part->buffer].first_part;

		search->reach[k] = num_max(part->base + part->size,
			first ? 0 : search->reach[k - 1]);
	}
	return search->reach != NULL;
}

/* ----------------------------------------------------------- chains */

static void add(struct chain *chain, const struct schedule *s, uint32_t tensor)
{
	if (chain->n++ == 0)
		chain->first = tensor;
	chain->last = tensor;
	if (chain->longest == NONE ||
		s->stay[tensor].end >= s->stay[chain->longest].end)
		chain->longest = tensor;
	if (chain->kind == KIND_ACTIVATION)
		chain->kind = s->graph->tensors[tensor].kind;
}

/* Parts are rounded outwards. */
static bool covers(
	const struct schedule *s, uint32_t tensor, const struct part *part)
{
	uint64_t low = s->stay[tensor].base;
	uint64_t high = low + s->graph->tensors[tensor].size +
			s->problem.margins.padding;

	return (low & ~(s->problem.alignment - 1)) <= part->base &&
	       num_up(high, s->problem.alignment) >= part->base + part->size;
}

static void join(struct search *search, uint32_t tensor)
{
	const struct schedule *s = search->s;
	const struct problem *p = &s->problem;
	const struct stay *stay = &s->stay[tensor];
	const struct buffer *buffer = &p->buffers[stay->buffer];
	uint64_t end = stay->base + s->graph->tensors[tensor].size;
	uint32_t n = 0, *home = &search->chains->home[tensor];
	uint32_t k = buffer->first_part +
		     mp_search_u64(search->reach + buffer->first_part,
			     buffer->n_parts, stay->base + 1);

	for (; k < buffer->first_part + buffer->n_parts &&
		p->parts[k].base < end;
		k++) {
		if (!mp_schedule_needs(s, tensor, &p->parts[k]))
			continue;
		add(&search->chains->of[k], s, tensor);
		if (n++ == 0)
			*home = k;
	}
	search->chains->fills[tensor] =
		n == 1 && covers(s, tensor, &p->parts[*home]);
}

static bool list_members(struct search *search, struct arena *arena)
{
	struct chains *chains = search->chains;
	uint32_t n = search->s->graph->n_tensors;
	uint32_t n_parts = search->s->problem.n_parts;

	if (!mp_lists_init(&chains->members, n_parts, arena))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (chains->home[i] != NONE)
			mp_lists_count(&chains->members, chains->home[i], 1);
	if (!mp_lists_ready(&chains->members, n_parts, arena))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t tensor = search->born[i];

		if (chains->home[tensor] != NONE)
			mp_lists_add(
				&chains->members, chains->home[tensor], tensor);
	}
	return true;
}

bool mp_problem_chains_find(
	struct chains *chains, const struct schedule *s, struct arena *arena)
{
	struct search search = {.s = s, .chains = chains};
	uint32_t n = s->graph->n_tensors;

	chains->of = NEW(arena, struct chain, s->problem.n_parts);
	chains->home = NEW(arena, uint32_t, n);
	chains->fills = NEW(arena, bool, n);
	if (!chains->of || !chains->home || !chains->fills ||
		!sort_by_birth(&search, arena) || !find_reach(&search, arena))
		return false;
	for (uint32_t k = 0; k < s->problem.n_parts; k++)
		chains->of[k] =
			(struct chain){NONE, NONE, NONE, 0, KIND_ACTIVATION};
	for (uint32_t i = 0; i < n; i++) {
		uint32_t tensor = search.born[i];

		chains->home[tensor] = NONE;
		if (s->stay[tensor].buffer != NONE)
			join(&search, tensor);
	}
	return list_members(&search, arena);
}
