/*
 * Nodes, tensors and uses of a dump, by id.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/somas/somas-dump.h"

#include <assert.h>

#include "input/document/build.h"

/* Counts references: each follows a blank or begins with a percent sign. */
static uint64_t count_references(struct text_lines lines)
{
	struct text line;
	uint64_t n = 0;

	while (mp_input_lines_next(&lines, &line)) {
		n += 2;
		for (const char *c = line.at; c < line.end; c++)
			n += *c == ' ' || *c == '\t' || *c == '%';
	}
	return n;
}

bool mp_input_somas_open(struct somas *s, const struct input *input,
	struct arena *arena, struct arena *scratch, struct error *e)
{
	uint64_t n;

	*s = (struct somas){
		.lines = mp_input_lines(&input->files[ROLE_MAIN], e),
		.arena = arena,
		.scratch = scratch,
		.error = e};
	n = count_references(s->lines);
	if (n > NONE / 4)
		return mp_fail(e, MEMPLAN_EINPUT, "%s: the file is too large",
			s->lines.file);
	s->room = (uint32_t)n;
	s->nodes = NEW(scratch, struct somas_node, n);
	s->tensors = NEW(scratch, struct somas_tensor, n);
	s->uses = NEW(scratch, struct somas_use, n);
	s->waits = NEW(scratch, struct somas_wait, n);
	s->groups = NEW(scratch, struct somas_wait, n);
	s->members = NEW(scratch, struct somas_member, n);
	return s->nodes && s->tensors && s->uses && s->waits && s->groups &&
	       s->members && mp_names_init(&s->node_ids, s->room, scratch) &&
	       mp_names_init(&s->tensor_ids, s->room, scratch);
}

uint32_t mp_input_somas_node(struct somas *s, uint64_t id)
{
	char text[DECIMAL_TEXT];
	uint32_t index =
		mp_names_find(&s->node_ids, mp_input_decimal(id, text));
	const char *copy;

	if (index != NONE)
		return index;
	copy = mp_input_decimal_copy(id, s->scratch);
	if (!copy)
		return NONE;
	assert(s->n_nodes < s->room);
	index = s->n_nodes++;
	s->nodes[index] = (struct somas_node){.id = id};
	mp_names_add(&s->node_ids, copy, index);
	return index;
}

uint32_t mp_input_somas_find(const struct somas *s, uint64_t id)
{
	char text[DECIMAL_TEXT];

	return mp_names_find(&s->tensor_ids, mp_input_decimal(id, text));
}

uint32_t mp_input_somas_tensor(struct somas *s, uint64_t id)
{
	uint32_t index = mp_input_somas_find(s, id);
	const char *copy;

	if (index != NONE)
		return index;
	copy = mp_input_decimal_copy(id, s->arena);
	if (!copy)
		return NONE;
	assert(s->n_tensors < s->room);
	index = s->n_tensors++;
	s->tensors[index] =
		(struct somas_tensor){.id = id, .text = copy, .same_as = index};
	mp_names_add(&s->tensor_ids, copy, index);
	return index;
}

void mp_input_somas_use(
	struct somas *s, uint32_t node, uint32_t tensor, bool writes)
{
	assert(s->n_uses < s->room && node < s->n_nodes &&
		tensor < s->n_tensors);
	s->uses[s->n_uses++] =
		(struct somas_use){node, tensor, s->lines.number, writes};
}

/* Union-find with path halving. */
uint32_t mp_input_somas_root(struct somas *s, uint32_t tensor)
{
	struct somas_tensor *t = s->tensors;

	assert(tensor < s->n_tensors);
	while (t[tensor].same_as != tensor) {
		t[tensor].same_as = t[t[tensor].same_as].same_as;
		tensor = t[tensor].same_as;
	}
	return tensor;
}

void mp_input_somas_unite(struct somas *s, uint32_t a, uint32_t b)
{
	a = mp_input_somas_root(s, a);
	b = mp_input_somas_root(s, b);
	if (a < b)
		s->tensors[b].same_as = a;
	else
		s->tensors[a].same_as = b;
}
