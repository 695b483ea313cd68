/*
 * Text dumps of XLA: a buffer assignment, NAME-buffer-assignment.txt, and the
 * lifetimes of its values, NAME-live-range.txt; docs/formats/xla.md. Read is
 * the memory of temporaries: what it needs is decided by how values are packed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/xla/xla.h"

#include <assert.h>
#include <string.h>

#include "base/names.h"
#include "input/lines.h"
#include "input/rows.h"

struct life {
	uint32_t start, end; /* in steps, [start, end) */
};

struct xla {
	struct text_lines lines; /* of the file at hand */
	const char *live_range;	 /* name of that file */
	struct names names;	 /* of values, as in it, with {} */
	struct life *lives;	 /* of values */
	bool *listed;		 /* of values: an allocation has it */
	uint32_t n_lives;
	struct xla_parts parts;
	uint64_t size;	 /* of the allocation at hand */
	bool is_temp;	 /* it has temporaries */
	bool is_new;	 /* and no value so far */
	uint64_t number; /* its number */
	struct arena *arena, *scratch;
};

bool mp_input_xla_recognise(const struct input_file *file)
{
	struct text text = mp_input_lines(file, NULL).rest;

	return mp_input_lines_take(&text, "BufferAssignment:");
}

/* Cuts at the last separator. False: there is none. */
static bool cut_last(struct text *text, char separator, struct text *tail)
{
	const char *at = text->end;

	while (at > text->at && at[-1] != separator)
		at--;
	if (at == text->at)
		return false;
	*tail = (struct text){at, text->end};
	text->end = at - 1;
	return true;
}

/* -------------------------------------------------------- lifetimes */

/* "3:mix": a step and what runs there. */
static bool read_instruction(struct xla *x, struct text line)
{
	struct text place = mp_input_lines_cut(&line, ':');
	struct op *op = &x->parts.ops[x->parts.n_ops];
	uint64_t step;

	if (!mp_input_lines_number(place, NONE, &step) ||
		step != x->parts.n_ops)
		return mp_input_lines_fail(&x->lines,
			"'%.*s' must be step %u, as instructions are numbered "
			"in their order",
			mp_input_lines_shown(place), place.at, x->parts.n_ops);
	op->name =
		mp_input_lines_copy(&x->lines, "instruction", line, x->arena);
	x->parts.n_ops++;
	return op->name != NULL;
}

/* "mix{}:4-5": a value, its first and its last step. What outlives the last
 * instruction is alive there. */
static bool read_life(struct xla *x, struct text line)
{
	struct text range, last;
	const char *name;
	uint64_t from, to;

	if (!cut_last(&line, ':', &range) || !cut_last(&range, '-', &last) ||
		!mp_input_lines_number(range, NONE, &from) ||
		!mp_input_lines_number(last, NONE, &to) || from > to ||
		from >= x->parts.n_ops || to > x->parts.n_ops)
		return mp_input_lines_fail(&x->lines,
			"'%.*s' must be a value and its first and last step, "
			"as mix{}:4-5, of %u",
			mp_input_lines_shown(line), line.at, x->parts.n_ops);
	name = mp_input_lines_copy(&x->lines, "value", line, x->scratch);
	if (!name)
		return false;
	if (mp_names_add(&x->names, name, x->n_lives) != NONE)
		return mp_input_lines_fail(
			&x->lines, "value '%.80s' is listed twice", name);
	x->lives[x->n_lives++] = (struct life){
		(uint32_t)from, (uint32_t)num_min(to + 1, x->parts.n_ops)};
	return true;
}

static bool read_lives(
	struct xla *x, const struct input_file *file, struct error *e)
{
	bool (*read)(struct xla * x, struct text line) = NULL;
	struct text line;
	uint32_t n;

	x->lines = mp_input_lines(file, e);
	x->live_range = file->name;
	n = mp_input_lines_count(x->lines.rest, "\n    ");
	x->parts.ops = NEW(x->arena, struct op, n);
	x->lives = NEW(x->scratch, struct life, n);
	x->listed = NEW(x->scratch, bool, n);
	if (!x->parts.ops || !x->lives || !x->listed ||
		!mp_names_init(&x->names, n, x->scratch))
		return false;
	while (mp_input_lines_next(&x->lines, &line)) {
		if (mp_input_lines_take(&line, "    ")) {
			if (read && !read(x, line))
				return false;
		} else if (mp_input_lines_is(line, "  InstructionSequence:")) {
			read = read_instruction;
		} else {
			read = mp_input_lines_is(line, "  BufferLiveRange:")
				       ? read_life
				       : NULL;
		}
	}
	return x->n_lives > 0 ||
	       mp_fail(e, MEMPLAN_EINPUT, "%s: it has no live ranges of XLA's",
		       file->name);
}

/* ------------------------------------------------------ allocations */

/* "allocation 2: size 9216, preallocated-temp:" */
static bool read_allocation(struct xla *x, struct text line)
{
	struct text number = mp_input_lines_cut(&line, ':'), size;

	if (!mp_input_lines_number(number, NUM_MAX_BYTES, &x->number) ||
		!mp_input_lines_take(&line, " size "))
		return mp_input_lines_fail(&x->lines,
			"'%.*s' must be a number, and a size behind it",
			mp_input_lines_shown(number), number.at);
	size = mp_input_lines_cut(&line, ',');
	if (!mp_input_lines_number(size, NUM_MAX_BYTES, &x->size))
		return mp_input_lines_fail(&x->lines,
			"size '%.*s' must be an integer up to 2^62",
			mp_input_lines_shown(size), size.at);
	x->is_temp = mp_input_lines_find(line, "preallocated-temp") != NULL;
	x->is_new = true;
	return true;
}

/* A pool for the first value of each allocation. */
static bool add_pool(struct xla *x)
{
	if (!x->is_new)
		return true;
	x->is_new = false;
	if (x->parts.n_pools == MOST_POOLS)
		return mp_input_lines_fail(&x->lines,
			"more than %d allocations of temporaries", MOST_POOLS);
	if (!mp_input_xla_add_pool(&x->parts, x->number, x->arena))
		return false;
	for (uint32_t i = 0; i + 1 < x->parts.n_pools; i++)
		if (strcmp(x->parts.pools[i].name,
			    x->parts.pools[x->parts.n_pools - 1].name) == 0)
			return mp_input_lines_fail(&x->lines,
				"there are two allocations %llu",
				(unsigned long long)x->number);
	return true;
}

/* The lifetime of a value: of "mix" it is that of mix{}. */
static uint32_t find_life(struct xla *x, struct text name)
{
	size_t length = (size_t)(name.end - name.at);
	char *key = NEW(x->scratch, char, length + 3);

	assert(length > 0);
	if (!key)
		return NONE;
	memcpy(key, name.at, length);
	if (key[length - 1] != '}')
		memcpy(key + length, "{}", sizeof("{}"));
	return mp_names_find(&x->names, key);
}

/* "(size=3072,offset=2048)" */
static bool read_place(struct xla *x, struct text place, struct tensor *tensor)
{
	uint64_t end;

	return mp_input_lines_take(&place, "(size=") &&
	       mp_input_lines_take_number(
		       &place, NUM_MAX_BYTES, &tensor->size) &&
	       mp_input_lines_take(&place, ",offset=") &&
	       mp_input_lines_take_number(
		       &place, NUM_MAX_BYTES, &tensor->offset) &&
	       mp_input_lines_take(&place, ")") &&
	       num_add(tensor->size, tensor->offset, &end) && end <= x->size;
}

/* "4 mix @0> (size=3072,offset=2048): f32[768]{0}". What a loop or a branch
 * makes of several values is "4 loop{0} (phi) @0>". */
static bool read_value(struct xla *x, struct text line)
{
	struct tensor *tensor = &x->parts.tensors[x->parts.n_tensors];
	struct text value = mp_input_lines_cut(&line, '>'), name;
	uint32_t life;

	mp_input_lines_cut(&value, ' ');
	name = mp_input_lines_cut(&value, ' ');
	mp_input_lines_skip_blanks(&line);
	*tensor = (struct tensor){
		.producer = NONE, .pinned = true, .placed = true};
	if (name.end == name.at || !read_place(x, line, tensor))
		return mp_input_lines_fail(&x->lines,
			"a value needs its place within the allocation, as "
			"<4 mix @0> (size=3072,offset=2048)");
	tensor->name = mp_input_lines_copy(&x->lines, "value", name, x->arena);
	tensor->id = tensor->name;
	life = find_life(x, name);
	if (!tensor->name || x->scratch->error->code != MEMPLAN_OK)
		return false;
	if (life == NONE || x->listed[life])
		return mp_input_lines_fail(&x->lines,
			life == NONE ? "%s has no live range of value '%.80s'"
				     : "%s has one live range of value '%.80s',"
				       " which is listed twice",
			x->live_range, tensor->name);
	x->listed[life] = true;
	tensor->start = x->lives[life].start;
	tensor->end = x->lives[life].end;
	x->parts.n_tensors++;
	if (!add_pool(x))
		return false;
	tensor->pools = (uint16_t)x->parts.n_pools;
	return true;
}

static bool read_assignment(
	struct xla *x, const struct input_file *file, struct error *e)
{
	struct text line;

	x->lines = mp_input_lines(file, e);
	x->parts.tensors = NEW(x->arena, struct tensor,
		mp_input_lines_count(x->lines.rest, "\n value: <"));
	if (!x->parts.tensors)
		return false;
	while (mp_input_lines_next(&x->lines, &line)) {
		if (mp_input_lines_take(&line, "allocation ")) {
			if (!read_allocation(x, line))
				return false;
		} else if (x->is_temp &&
			   mp_input_lines_take(&line, " value: <")) {
			if (!read_value(x, line))
				return false;
		}
	}
	return x->parts.n_tensors > 0 ||
	       mp_fail(e, MEMPLAN_EINPUT,
		       "%s: it has no allocation of temporaries", file->name);
}

bool mp_input_xla_read(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e)
{
	const struct input_file *lives = &input->files[ROLE_LIVE_RANGE];
	struct arena scratch = mp_arena_beside(arena);
	struct xla x = {.arena = arena, .scratch = &scratch};
	bool fine;

	if (!lives->name)
		return mp_fail(e, MEMPLAN_EUSAGE,
			"%s: the lifetimes are in XLA's other dump, "
			"NAME-live-range.txt: name it with live-range",
			input->files[ROLE_MAIN].name);
	fine = read_lives(&x, lives, e) &&
	       read_assignment(&x, &input->files[ROLE_MAIN], e) &&
	       mp_input_xla_fill(&x.parts, graph, input->alignment, arena, e);
	mp_arena_free(&scratch);
	return fine;
}
