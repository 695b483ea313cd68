/*
 * Programs of ExecuTorch (.pte): FlatBuffers with the mark ET12;
 * docs/formats/pte.md. A program has a plan of its own: memories, offsets, and
 * instructions in their order.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/pte/pte.h"

#include <string.h>

#include "input/places.h"
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
		alignment =
			mp_input_places_align(alignment, p->tensors[i].offset);
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

/* ----------------------------------------------------------- reader */

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
	/* ExecuTorch gives a view the place of its base. */
	return set_pools(&p) && fill_tensors(&p) &&
	       mp_input_places_alias(graph, arena, e) &&
	       mp_input_places_keep_order(graph, arena);
}
