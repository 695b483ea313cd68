/*
 * Nodes, tensors and uses of a dump, by id; contiguous lists of dumps of the
 * model, the guards around them, and tensors that have the same bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/somas/somas-dump.h"

#include <assert.h>
#include <string.h>

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

/* The number of an id; a new id gets the next one, which moves on. NONE: memory
 * is out. */
static uint32_t number_of(struct names *names, uint64_t id, uint32_t *next,
	const char **text, struct arena *arena)
{
	char room[DECIMAL_TEXT];
	const char *digits = mp_input_decimal(id, room);
	uint32_t index = mp_names_find(names, digits);

	if (index != NONE)
		return index;
	*text = mp_arena_text(arena, digits, strlen(digits));
	if (!*text)
		return NONE;
	mp_names_add(names, *text, *next);
	return (*next)++;
}

uint32_t mp_input_somas_node(struct somas *s, uint64_t id)
{
	const char *text;
	uint32_t index =
		number_of(&s->node_ids, id, &s->n_nodes, &text, s->scratch);

	assert(s->n_nodes <= s->room);
	if (index != NONE)
		s->nodes[index].id = id;
	return index;
}

uint32_t mp_input_somas_find(const struct somas *s, uint64_t id)
{
	char text[DECIMAL_TEXT];

	return mp_names_find(&s->tensor_ids, mp_input_decimal(id, text));
}

uint32_t mp_input_somas_tensor(struct somas *s, uint64_t id)
{
	const char *text = NULL;
	uint32_t index =
		number_of(&s->tensor_ids, id, &s->n_tensors, &text, s->arena);

	assert(s->n_tensors <= s->room);
	if (index != NONE && text)
		s->tensors[index] = (struct somas_tensor){
			.id = id, .text = text, .same_as = index};
	return index;
}

struct somas_tensor *mp_input_somas_list_tensor(struct somas *s, uint64_t id)
{
	uint32_t index = mp_input_somas_tensor(s, id);
	struct somas_tensor *t;

	if (index == NONE)
		return NULL;
	t = &s->tensors[index];
	if (t->line != 0)
		return mp_input_lines_fail(&s->lines,
			       "tensor %s is listed in line %u too", t->text,
			       t->line),
		       NULL;
	t->line = s->lines.number;
	return t;
}

bool mp_input_somas_known(const struct somas *s, uint64_t id, uint32_t *tensor)
{
	*tensor = mp_input_somas_find(s, id);
	return *tensor != NONE ||
	       mp_input_lines_fail(&s->lines,
		       "no line above says what tensor %llu is",
		       (unsigned long long)id);
}

void mp_input_somas_add_member(struct somas *s, uint32_t tensor)
{
	assert(s->n_members < s->room);
	s->members[s->n_members++] = (struct somas_member){tensor, s->n_lists};
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

/* ------------------------------------------------------------ lists */

bool mp_input_somas_lists_open(struct somas_lists *lists, const struct somas *s)
{
	lists->all = NEW(s->scratch, struct somas_member, s->room);
	lists->guessed = NEW(s->scratch, struct somas_member, s->room);
	return lists->all && lists->guessed;
}

void mp_input_somas_list(
	struct somas *s, struct somas_lists *lists, uint32_t tensor)
{
	assert(lists->n < s->room);
	mp_input_somas_add_member(s, tensor);
	lists->all[lists->n++] = (struct somas_member){tensor, s->lines.number};
}

/* Releases up to 2021 print no lists. The inputs of a collective are one, and
 * its outputs. */
static void guess_lists(struct somas_lists *lists, struct somas *s)
{
	for (uint32_t i = 0; i < lists->n_guessed; i++) {
		const struct somas_member *m = &lists->guessed[i];

		s->n_lists += i == 0 || m[-1].list != m->list;
		mp_input_somas_add_member(s, m->tensor);
		lists->all[lists->n++] = *m;
	}
}

/* ----------------------------------------------------------- guards */

/* The size that SOMAS gives a tensor on Ascend, without guards. */
static uint64_t padded_size(uint64_t original)
{
	return (original + SOMAS_GRAIN + 31) / SOMAS_GRAIN * SOMAS_GRAIN;
}

/* The sizes of the first and the last tensor of a list include a guard. */
static void tell_guards(struct somas *s, uint32_t first, uint32_t last)
{
	struct somas_tensor *a = &s->tensors[first], *b = &s->tensors[last];
	uint64_t guards = first == last ? 2 * SOMAS_GUARD : SOMAS_GUARD;

	if (a->original == 0 || b->original == 0 || a->before || b->after ||
		a->size != padded_size(a->original) + guards ||
		b->size != padded_size(b->original) + guards)
		return;
	a->before = SOMAS_GUARD;
	a->size -= SOMAS_GUARD;
	b->after = SOMAS_GUARD;
	b->size -= SOMAS_GUARD;
}

void mp_input_somas_lists_close(struct somas_lists *lists, struct somas *s)
{
	uint32_t from = 0, to;

	if (!lists->told)
		guess_lists(lists, s);
	for (; from < lists->n; from = to) {
		for (to = from + 1; to < lists->n; to++)
			if (lists->all[to].list != lists->all[from].list)
				break;
		tell_guards(
			s, lists->all[from].tensor, lists->all[to - 1].tensor);
	}
}

/* ------------------------------------------------------- same bytes */

/* SOMAS moves the first tensor of a list behind its guard, but not the tensors
 * that have the same bytes. */
static bool lies_before_guard(
	const struct somas_tensor *a, const struct somas_tensor *b)
{
	return a->before > 0 && a->offset == b->offset + a->before;
}

bool mp_input_somas_join(
	struct somas *s, const struct somas_union *unions, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct somas_tensor *a = &s->tensors[unions[i].first];
		struct somas_tensor *b = &s->tensors[unions[i].next];

		if (a->size == 0 || b->size == 0 || a->offset == b->offset)
			continue;
		if (!lies_before_guard(a, b) && !lies_before_guard(b, a))
			return mp_fail(s->error, MEMPLAN_EINPUT,
				"%s:%u: tensors %s and %s have the same bytes, "
				"yet lie at %llu and %llu",
				s->lines.file, unions[i].line, a->text, b->text,
				(unsigned long long)a->offset,
				(unsigned long long)b->offset);
		a->offset = b->offset = num_max(a->offset, b->offset);
	}
	return true;
}
