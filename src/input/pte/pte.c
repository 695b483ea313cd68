/*
 * Programs of ExecuTorch (.pte): FlatBuffers with the mark ET12;
 * docs/formats/pte.md. A program has a plan of its own: memories, offsets, and
 * instructions in their order.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/pte/pte.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "input/rows.h"

enum {
	ALIGNMENT = 16, /* of ExecuTorch's planner, unless it was told another
			 */
};

bool mp_input_pte_recognise(const struct input_file *file)
{
	return mp_input_flat_has_mark(file, "ET12");
}

/* ------------------------------------------------------------ plans */

/* The method that was asked for, else the first. */
static bool choose_plan(
	struct pte *p, const struct flat_table *root, const char *wanted)
{
	struct flat_vector plans;
	struct flat_table plan;
	const char *name;
	bool found = false;

	if (!mp_input_flat_vector(&p->flat, root, PROGRAM_PLANS, 4, &plans))
		return false;
	for (uint32_t i = 0; i < plans.n && !found; i++) {
		if (!mp_input_flat_item(&p->flat, &plans, i, &plan) ||
			!mp_input_flat_text(
				&p->flat, &plan, PLAN_NAME, &name, p->arena))
			return false;
		found = !wanted || (name && strcmp(name, wanted) == 0);
	}
	if (!found)
		return mp_input_flat_fail(&p->flat, root->at,
			"the program has no method '%.60s'",
			wanted ? wanted : "forward");
	p->plan = plan;
	if (!wanted && plans.n > 1)
		mp_warn(p->error,
			"%s: the first of %u methods, '%.60s'; --graph names "
			"another",
			p->graph->place, plans.n, name ? name : "");
	return true;
}

/* ---------------------------------------------------------- tensors */

/* The power of two, up to 16, that all offsets are multiples of. */
static uint64_t common_alignment(const struct pte *p)
{
	uint64_t alignment = ALIGNMENT;

	for (uint32_t i = 0; i < p->n_tensors; i++)
		while (p->tensors[i].offset % alignment != 0)
			alignment /= 2;
	return alignment;
}

/* Tensors that no instruction names have no lifetime, and are left out. */
static void drop_unnamed(struct pte *p)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n_tensors; i++)
		if (p->tensors[i].first != NONE)
			p->tensors[n++] = p->tensors[i];
	p->n_tensors = n;
}

static bool set_pools(struct pte *p)
{
	uint32_t n = p->sizes.n > 0 ? p->sizes.n - 1 : 0;
	struct memory_pool *pools;

	if (n > MOST_POOLS)
		return mp_input_flat_fail(&p->flat, p->sizes.at,
			"the program has %u memories: at most %d are read", n,
			MOST_POOLS);
	if (n < 2)
		return true;
	pools = NEW(p->arena, struct memory_pool, n);
	if (!pools)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		pools[i] = (struct memory_pool){
			.name = mp_arena_print(p->arena, "mem%u", i + 1),
			.capacity = NO_CAPACITY,
			.alignment = p->graph->alignment};
		if (!pools[i].name)
			return false;
	}
	return mp_input_pools_set(p->graph, pools, n, p->arena);
}

static bool fill_tensors(struct pte *p)
{
	struct graph *graph = p->graph;

	graph->tensors = NEW(p->arena, struct tensor, p->n_tensors);
	graph->n_tensors = p->n_tensors;
	if (!graph->tensors)
		return false;
	for (uint32_t i = 0; i < p->n_tensors; i++) {
		const struct pte_tensor *from = &p->tensors[i];
		struct tensor *tensor = &graph->tensors[i];

		*tensor = (struct tensor){
			.id = mp_arena_u64(p->arena, from->value),
			.id_is_number = true,
			.size = from->size,
			.offset = from->offset,
			.start = from->first,
			.end = from->last + 1,
			.producer = NONE,
			.pools = (uint16_t)(graph->n_pools ? from->memory : 0),
			.kind = from->kind,
			.pinned = true,
			.placed = true};
		if (!tensor->id)
			return false;
	}
	return true;
}

/* ---------------------------------------------------------- aliases */

/* By place, then by the step from which on they live. */
static int by_place(const void *left, const void *right)
{
	const struct tensor *a = *(struct tensor *const *)left;
	const struct tensor *b = *(struct tensor *const *)right;

	if (a->pools != b->pools || a->offset != b->offset)
		return mp_sort_compare_two(
			a->pools, b->pools, a->offset, b->offset);
	return mp_sort_compare_two(
		a->start, b->start, (uintptr_t)a, (uintptr_t)b);
}

/* The tensors from one to another lie at one place, each alive with one before
 * it: the others are aliases of the largest. */
static void make_aliases(struct pte *p, struct tensor *const *from,
	struct tensor *const *to, struct tensor_alias *of)
{
	struct tensor *root = *from;

	for (struct tensor *const *at = from; at < to; at++)
		if ((*at)->size > root->size)
			root = *at;
	for (struct tensor *const *at = from; at < to; at++) {
		uint32_t i = (uint32_t)(*at - p->graph->tensors);
		uint32_t whole = (uint32_t)(root - p->graph->tensors);

		if (*at == root)
			continue;
		(*at)->placed = false;
		of[i] = (struct tensor_alias){
			.tensor = i, .of = whole, .root = whole};
	}
}

static bool list_aliases(struct pte *p, const struct tensor_alias *of)
{
	struct ties *ties = &p->graph->ties;
	struct tensor_alias *aliases =
		NEW(p->arena, struct tensor_alias, p->n_tensors);

	if (!aliases)
		return false;
	for (uint32_t i = 0; i < p->n_tensors; i++)
		if (!p->graph->tensors[i].placed)
			aliases[ties->n_aliases++] = of[i];
	ties->aliases = aliases;
	if (ties->n_aliases > 0)
		mp_warn(p->error,
			"%s: %u tensor%s the place of another one that is "
			"alive too, and taken for bytes of it",
			p->graph->place, ties->n_aliases,
			ties->n_aliases == 1 ? " has" : "s have");
	return true;
}

/* ExecuTorch gives a view the place of its base, and does not say which. */
static bool find_aliases(struct pte *p)
{
	struct tensor **order = NEW(p->arena, struct tensor *, p->n_tensors);
	struct tensor_alias *of =
		NEW(p->arena, struct tensor_alias, p->n_tensors);
	uint32_t first = 0, end = 0;

	if (!order || !of)
		return false;
	for (uint32_t i = 0; i < p->n_tensors; i++)
		order[i] = &p->graph->tensors[i];
	if (p->n_tensors > 0)
		qsort(order, p->n_tensors, sizeof(struct tensor *), by_place);
	for (uint32_t i = 0; i < p->n_tensors; i++) {
		const struct tensor *tensor = order[i], *one = order[first];

		if (tensor->pools != one->pools ||
			tensor->offset != one->offset || tensor->start >= end) {
			make_aliases(p, order + first, order + i, of);
			first = i;
			end = 0;
		}
		end = tensor->end > end ? tensor->end : end;
	}
	make_aliases(p, order + first, order + p->n_tensors, of);
	return list_aliases(p, of);
}

/* ----------------------------------------------------------- reader */

/* Instructions run in their order. */
static bool keep_order(struct pte *p)
{
	uint32_t *ops = NEW(p->arena, uint32_t, p->n_steps);
	struct ids *keep = NEW(p->arena, struct ids, 1);

	if (!ops || !keep)
		return false;
	for (uint32_t i = 0; i < p->n_steps; i++)
		ops[i] = i;
	*keep = (struct ids){ops, p->n_steps};
	p->graph->constraints.keep = keep;
	p->graph->constraints.n_keep = 1;
	return true;
}

bool mp_input_pte_read(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e)
{
	struct pte p = {.graph = graph, .arena = arena, .error = e};
	struct flat_table root;

	if (!mp_input_flat_open(&p.flat, &input->files[ROLE_MAIN], &root, e) ||
		!choose_plan(&p, &root, input->graph) ||
		!mp_input_pte_read_values(&p) || !mp_input_pte_read_lives(&p))
		return false;
	drop_unnamed(&p);
	if (p.n_tensors == 0)
		return mp_input_flat_fail(
			&p.flat, p.plan.at, "the program places no tensor");
	graph->alignment =
		input->alignment ? input->alignment : common_alignment(&p);
	graph->note = "a program does not say what its instructions read and "
		      "write: a tensor lives from the first to the last one "
		      "that names it";
	return set_pools(&p) && fill_tensors(&p) && find_aliases(&p) &&
	       keep_order(&p);
}
