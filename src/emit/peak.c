/*
 * Every byte that is needed at a step is counted for one tensor: for the
 * largest that is alive and has it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/emit.h"

#include <assert.h>
#include <stdlib.h>

#include "base/search.h"
#include "base/sort.h"
#include "emit/inside.h"

static int largest_first(const void *a, const void *b)
{
	const struct alive *x = a, *y = b;

	return mp_sort_compare_two(y->size, x->size, x->tensor, y->tensor);
}

/* ----------------------------------------------------------- claims */

/* A tensor that is alive, and its bytes in its buffer, rounded outwards. */
struct claim {
	uint64_t low, high, size;
	uint32_t buffer, tensor;
};

/* Bytes of a buffer from one edge of claims or parts to the next. */
struct stretch {
	uint32_t tensor; /* that they are counted for; NONE: none yet */
	uint32_t next;	 /* itself, or one behind that may still have none */
	bool needed;
};

struct owners {
	const struct schedule *schedule;
	uint32_t step;
	const uint32_t *keepers;
	struct claim *claims; /* by buffer, largest tensor first */
	uint32_t n_claims;
	uint64_t *edges;	   /* of the buffer at hand, ascending */
	struct stretch *stretches; /* behind each edge */
	uint32_t n_stretches;
	uint64_t *bytes; /* of a tensor */
};

static int by_buffer(const void *a, const void *b)
{
	const struct claim *x = a, *y = b;

	return mp_sort_compare_three(
		x->buffer, y->buffer, y->size, x->size, x->tensor, y->tensor);
}

static void list_claims(struct owners *o)
{
	const struct schedule *s = o->schedule;

	for (uint32_t i = 0; i < s->graph->n_tensors; i++) {
		const struct tensor *tensor = &s->graph->tensors[i];
		const struct stay *stay = &s->stay[i];
		uint64_t end =
			stay->base + tensor->size + s->problem.margins.padding;

		if (stay->buffer == NONE || o->step < stay->start ||
			o->step >= stay->end)
			continue;
		o->claims[o->n_claims++] =
			(struct claim){stay->base & ~(s->problem.alignment - 1),
				num_up(end, s->problem.alignment), tensor->size,
				stay->buffer, i};
	}
	if (o->n_claims > 0)
		qsort(o->claims, o->n_claims, sizeof(*o->claims), by_buffer);
}

/* -------------------------------------------------------- stretches */

static uint32_t stretch_at(const struct owners *o, uint64_t low)
{
	return mp_search_u64(o->edges, o->n_stretches, low);
}

static bool is_needed(const struct owners *o, const struct part *part)
{
	return part->start <= o->step && o->step < part->end;
}

static void cut(struct owners *o, const struct buffer *buffer,
	const struct claim *claims, uint32_t n)
{
	const struct part *parts =
		o->schedule->problem.parts + buffer->first_part;
	uint32_t k = 0;

	for (uint32_t i = 0; i < n; i++) {
		o->edges[k++] = claims[i].low;
		o->edges[k++] = claims[i].high;
	}
	for (uint32_t i = 0; i < buffer->n_parts; i++)
		if (is_needed(o, &parts[i])) {
			o->edges[k++] = parts[i].base;
			o->edges[k++] = parts[i].base + parts[i].size;
		}
	o->n_stretches = mp_sort_unique_u64(o->edges, k);
	for (uint32_t i = 0; i < o->n_stretches; i++)
		o->stretches[i] = (struct stretch){NONE, i, false};
}

/* What parts need, and the tensor that keeps it if none that is alive does. */
static void mark_needed(struct owners *o, const struct buffer *buffer)
{
	for (uint32_t k = buffer->first_part;
		k < buffer->first_part + buffer->n_parts; k++) {
		const struct part *part = &o->schedule->problem.parts[k];
		uint32_t i;

		if (!is_needed(o, part))
			continue;
		for (i = stretch_at(o, part->base);
			o->edges[i] < part->base + part->size; i++) {
			o->stretches[i].needed = true;
			o->stretches[i].tensor = o->keepers[k];
		}
	}
}

/* The first stretch from this one on that no claim has had. */
static uint32_t skip(struct owners *o, uint32_t i)
{
	uint32_t end = i, next;

	while (o->stretches[end].next != end)
		end = o->stretches[end].next;
	for (; i != end; i = next) {
		next = o->stretches[i].next;
		o->stretches[i].next = end;
	}
	return end;
}

/* Bytes that several tensors have are those of the largest. */
static void paint(struct owners *o, const struct claim *claim)
{
	uint32_t i = skip(o, stretch_at(o, claim->low));

	assert(claim->low <= claim->high);
	for (; o->edges[i] < claim->high; i = skip(o, i)) {
		if (o->stretches[i].needed)
			o->stretches[i].tensor = claim->tensor;
		o->stretches[i].next = i + 1;
	}
}

/* Guards in front of a group are its first member's, others are of the tensor
 * that lies before them. */
static uint32_t owner_of(const struct owners *o, uint32_t i)
{
	const struct stretch *at = &o->stretches[i];

	assert(i < o->n_stretches);
	if (at->tensor != NONE)
		return at->tensor;
	if (i > 0 && at[-1].tensor != NONE)
		return at[-1].tensor;
	return i + 1 < o->n_stretches ? at[1].tensor : NONE;
}

static void count_bytes(struct owners *o)
{
	for (uint32_t i = 0; i + 1 < o->n_stretches; i++) {
		uint32_t owner = owner_of(o, i);

		assert(o->edges[i] < o->edges[i + 1]);
		if (o->stretches[i].needed && owner != NONE)
			o->bytes[owner] += o->edges[i + 1] - o->edges[i];
	}
}

static bool find_bytes(struct owners *o, struct arena *arena)
{
	const struct schedule *s = o->schedule;
	size_t edges = 2 * ((size_t)s->graph->n_tensors + s->problem.n_parts);
	uint32_t n;

	o->keepers = mp_emit_tied_keepers(s, arena);
	o->claims = NEW(arena, struct claim, s->graph->n_tensors);
	o->edges = NEW(arena, uint64_t, edges);
	o->stretches = NEW(arena, struct stretch, edges);
	o->bytes = NEW(arena, uint64_t, s->graph->n_tensors);
	if (!o->keepers || !o->claims || !o->edges || !o->stretches ||
		!o->bytes)
		return false;
	list_claims(o);
	/* Of a buffer without claims what keeps it lives before or later. */
	for (uint32_t i = 0, b = 0; b < s->problem.n_buffers; b++, i += n) {
		const struct buffer *buffer = &s->problem.buffers[b];

		for (n = 0;
			i + n < o->n_claims && o->claims[i + n].buffer == b;)
			n++;
		cut(o, buffer, &o->claims[i], n);
		mark_needed(o, buffer);
		for (uint32_t k = 0; k < n; k++)
			paint(o, &o->claims[i + k]);
		count_bytes(o);
	}
	return true;
}

/* ----------------------------------------------------------- result */

struct alive *mp_emit_peak_alive(const struct schedule *s, uint32_t step,
	uint32_t *n, struct arena *arena)
{
	struct alive *alive = NEW(arena, struct alive, s->graph->n_tensors);
	struct owners o = {.schedule = s, .step = step};

	assert(step <= s->problem.n_steps);
	*n = 0;
	if (!alive || !find_bytes(&o, arena))
		return NULL;
	for (uint32_t i = 0; i < s->graph->n_tensors; i++)
		if (o.bytes[i] > 0)
			alive[(*n)++] = (struct alive){o.bytes[i], i};
	if (*n > 0)
		qsort(alive, *n, sizeof(*alive), largest_first);
	return alive;
}
