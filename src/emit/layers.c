/*
 * The layers of a graph, for colours: what the names of its ops say of where
 * they stand, or else their types.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/names.h"
#include "emit/inside.h"

static const char separators[] = "/.";

/* Characters that all names have in front, back to the last separator. */
static size_t common_front(const struct graph *graph)
{
	const char *first = graph->ops[0].name;
	size_t n = strlen(first);

	for (uint32_t i = 1; i < graph->n_ops; i++)
		for (size_t k = 0; k < n; k++)
			if (graph->ops[i].name[k] != first[k])
				n = k;
	while (n > 0 && !strchr(separators, first[n - 1]))
		n--;
	return n;
}

/* "layer_3" of "model/layer_3/norm/add", if all names begin with "model/":
 * where it begins and how many characters it has; 0: nothing follows it. */
static size_t path_of(const struct op *op, size_t front, const char **path)
{
	size_t length;

	*path = op->name + front;
	*path += strspn(*path, separators);
	length = strcspn(*path, separators);
	return (*path)[length] == '\0' ? 0 : length;
}

/* Does some name say more than all names do? */
static bool has_paths(const struct graph *graph, size_t front)
{
	const char *path;

	for (uint32_t i = 0; i < graph->n_ops; i++)
		if (path_of(&graph->ops[i], front, &path) > 0)
			return true;
	return false;
}

/* NULL: memory is out. */
static const char *name_of(
	const struct op *op, bool paths, size_t front, struct arena *arena)
{
	const char *path;
	size_t length = paths ? path_of(op, front, &path) : 0;

	if (length > 0)
		return mp_arena_text(arena, path, length);
	if (op->type)
		return op->type;
	return paths ? "others" : op->name;
}

static void set_tensors(
	struct layers *layers, const struct ids *tensors, uint32_t layer)
{
	for (uint32_t i = 0; i < tensors->n; i++)
		layers->of_tensor[tensors->at[i]] = layer;
}

static void add_op(struct layers *layers, struct names *known,
	const struct graph *graph, uint32_t i, const char *name)
{
	const struct op *op = &graph->ops[i];
	uint32_t layer = mp_names_add(known, name, layers->n);

	if (layer == NONE) {
		layer = layers->n++;
		layers->names[layer] = name;
	}
	layers->of_op[i] = layer;
	set_tensors(layers, &op->outputs, layer);
	set_tensors(layers, &op->temporaries, layer);
}

/* ---------------------------------------------------------- colours */

static void sum_bytes(
	const struct layers *layers, const struct schedule *s, uint64_t *bytes)
{
	for (uint32_t i = 0; i < s->graph->n_tensors; i++)
		if (layers->of_tensor[i] != NONE && s->stay[i].buffer != NONE)
			bytes[layers->of_tensor[i]] +=
				s->graph->tensors[i].size;
}

static void share_colours(struct layers *layers)
{
	uint32_t n = layers->n < LAYER_COLOURS ? layers->n : LAYER_COLOURS;

	layers->n_colours = n;
	for (uint32_t i = 0; i < layers->n; i++)
		layers->colour[i] = (uint8_t)((uint64_t)i * n / layers->n);
}

/* Of equal ones the first to run. */
static uint32_t largest(const struct layers *layers, const uint64_t *bytes)
{
	uint32_t best = NONE;

	for (uint32_t i = 0; i < layers->n; i++)
		if (layers->colour[i] == LAYER_COLOURS &&
			(best == NONE || bytes[i] > bytes[best]))
			best = i;
	return best;
}

static void pick_colours(struct layers *layers, const uint64_t *bytes)
{
	for (uint32_t i = 0; i < layers->n; i++)
		layers->colour[i] = LAYER_COLOURS;
	while (layers->n_colours < LAYER_COLOURS &&
		layers->n_colours < layers->n) {
		uint32_t i = largest(layers, bytes);

		layers->colour[i] = (uint8_t)layers->n_colours++;
	}
}

/* Neither a number nor a character of several bytes is cut. */
static bool is_digit_or_tail(char c)
{
	return (c >= '0' && c <= '9') || (unsigned char)c >= 0x80;
}

/* "layer_0 - 11", with a dash: of the second name what differs, and its whole
 * number. NULL: memory is out. */
static const char *range_of(
	const char *first, const char *last, struct arena *arena)
{
	size_t shared = 0;

	if (first == last)
		return first;
	while (first[shared] && first[shared] == last[shared])
		shared++;
	while (shared > 0 && is_digit_or_tail(last[shared - 1]))
		shared--;
	return mp_arena_print(
		arena, "%s \342\200\223 %s", first, last + shared);
}

static bool label_colours(struct layers *layers, struct arena *arena)
{
	const char *first[LAYER_COLOURS + 1] = {NULL};
	const char *last[LAYER_COLOURS + 1] = {NULL};

	for (uint32_t i = 0; i < layers->n; i++) {
		uint32_t colour = layers->colour[i];

		last[colour] = layers->names[i];
		if (!first[colour])
			first[colour] = layers->names[i];
	}
	for (uint32_t c = 0; c < layers->n_colours; c++) {
		layers->labels[c] = range_of(first[c], last[c], arena);
		if (!layers->labels[c])
			return false;
	}
	return true;
}

bool mp_emit_layers_find(
	struct layers *layers, const struct schedule *s, struct arena *arena)
{
	const struct graph *graph = s->graph;
	size_t front = graph->n_ops > 0 ? common_front(graph) : 0;
	uint64_t *bytes = NEW(arena, uint64_t, graph->n_ops);
	struct names known;

	*layers =
		(struct layers){.names = NEW(arena, const char *, graph->n_ops),
			.of_op = NEW(arena, uint32_t, graph->n_ops),
			.of_tensor = NEW(arena, uint32_t, graph->n_tensors),
			.colour = NEW(arena, uint8_t, graph->n_ops),
			.types = !has_paths(graph, front)};
	if (!bytes || !layers->names || !layers->of_op || !layers->of_tensor ||
		!layers->colour || !mp_names_init(&known, graph->n_ops, arena))
		return false;
	for (uint32_t i = 0; i < graph->n_tensors; i++)
		layers->of_tensor[i] = NONE;
	for (uint32_t k = 0; k < graph->n_ops; k++) {
		const struct op *op = &graph->ops[s->order[k]];
		const char *name = name_of(op, !layers->types, front, arena);

		if (!name)
			return false;
		add_op(layers, &known, graph, s->order[k], name);
	}
	sum_bytes(layers, s, bytes);
	if (layers->types)
		pick_colours(layers, bytes);
	else
		share_colours(layers);
	return label_colours(layers, arena);
}
