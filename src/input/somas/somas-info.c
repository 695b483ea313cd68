/*
 * SOMAS's dumps of its model: tensors, nodes and the tensors that they use,
 * tensors with the same bytes, contiguous lists, and the order of streams.
 * somas_tensor_offset is the dump with offsets. See docs/formats/somas.md.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "input/rows.h"
#include "input/somas/somas-dump.h"

/* A control tensor orders nodes and has no bytes. */
struct control {
	uint64_t id;
	uint32_t node;
};

struct info {
	struct somas somas;
	struct control *ends, *begins; /* nodes that wait for one, and that give
					  it */
	uint32_t n_ends, n_begins;
	struct somas_union *unions;
	uint32_t n_unions;
	struct somas_lists lists;
	bool in_collective; /* the current node is a collective */
	bool has_total;
	uint64_t total;
};

/* ------------------------------------------------ cells, references */

enum reference {
	REF_TENSOR,
	REF_CONTROL,
	REF_PARAMETER,
};

/* The line should have `what`; always false. */
static bool cut_off(const struct info *info, const char *what)
{
	return mp_input_lines_fail(&info->somas.lines,
		"the line is cut off or not what it should be: %s", what);
}

/* Takes a cell like "#512S": bytes. */
static bool take_size(struct text *line, uint64_t *size)
{
	struct text cell = mp_input_lines_cut(line, '\t');

	return mp_input_lines_take(&cell, "#") &&
	       mp_input_lines_take_number(&cell, NUM_MAX_BYTES, size) &&
	       mp_input_lines_is(cell, "S");
}

static bool read_lifelong(struct text cell, enum somas_lifelong *lifelong)
{
	static const char *const names[N_LIFELONG] = {"LifeLongNone",
		"LifeLongGraphAll", "LifeLongGraphStart", "LifeLongGraphEnd"};
	uint64_t all;

	/* Releases up to 2021 have 1 for a tensor that lives throughout. */
	if (mp_input_lines_number(cell, 1, &all)) {
		*lifelong = all ? LIFELONG_ALL : LIFELONG_NONE;
		return true;
	}
	for (int i = 0; i < N_LIFELONG; i++) {
		*lifelong = (enum somas_lifelong)i;
		if (mp_input_lines_is(cell, names[i]))
			return true;
	}
	return false;
}

/* Takes "%3T", "%3CT" or "%3P" and the separator after it. */
static bool take_reference(struct info *info, struct text *list,
	enum reference *kind, uint64_t *id)
{
	if (!mp_input_lines_take(list, "%") ||
		!mp_input_lines_take_number(list, SOMAS_MOST, id))
		return cut_off(info, "a list of tensors like %3T");
	if (mp_input_lines_take(list, "CT"))
		*kind = REF_CONTROL;
	else if (mp_input_lines_take(list, "T"))
		*kind = REF_TENSOR;
	else if (mp_input_lines_take(list, "P"))
		*kind = REF_PARAMETER;
	else
		return cut_off(info, "T, CT or P behind an id");
	while (mp_input_lines_take(list, ",") || mp_input_lines_take(list, " "))
		;
	return true;
}

/* ---------------------------------------------------------- tensors */

/* "%3T	#1024S	#1000S	&512	Common	LifeLongNone	1	4	name" */
static bool read_tensor(struct info *info, struct text line)
{
	struct somas_tensor read = {0}, *tensor;
	struct text cell;
	uint64_t id, end;

	if (!mp_input_lines_take_number(&line, SOMAS_MOST, &id))
		return cut_off(info, "% and the id of a tensor");
	if (mp_input_lines_take(&line, "CT\t") ||
		mp_input_lines_take(&line, "P\t"))
		return true;
	if (!mp_input_lines_take(&line, "T\t"))
		return cut_off(info, "T behind the id of a tensor");
	if (!take_size(&line, &read.size) || !take_size(&line, &read.original))
		return cut_off(info, "sizes like #512S, of at most 2^62");
	cell = mp_input_lines_cut(&line, '\t');
	if (!mp_input_lines_take(&cell, "&") ||
		!mp_input_lines_number(cell, NUM_MAX_BYTES, &read.offset))
		return cut_off(info, "an offset like &512, of at most 2^62");
	if (line.at < line.end && *line.at == '&')
		mp_input_lines_cut(&line, '\t'); /* the address, up to 2021 */
	mp_input_lines_cut(&line, '\t'); /* the type says nothing more */
	if (!read_lifelong(mp_input_lines_cut(&line, '\t'), &read.lifelong))
		return cut_off(info, "LifeLongNone, -GraphAll, -GraphStart or "
				     "-GraphEnd");
	tensor = mp_input_somas_list_tensor(&info->somas, id);
	if (!tensor)
		return false;
	tensor->size = read.size;
	tensor->original = read.original;
	tensor->offset = read.offset;
	tensor->lifelong = read.lifelong;
	return num_add(read.offset, read.size, &end) ||
	       mp_input_lines_fail(
		       &info->somas.lines, "offset and size exceed 2^62");
}

/* ------------------------------------------------------------ nodes */

enum role {
	ROLE_READS,
	ROLE_WRITES,
	ROLE_WAITS,
	ROLE_GIVES,
	ROLE_STREAM,
	ROLE_SCRATCH,
	N_ROLES_OF_NODE,
};

static bool add_reference(struct info *info, uint32_t node, enum role role,
	enum reference kind, uint64_t id)
{
	uint32_t tensor;

	assert(info->n_begins < info->somas.room &&
		info->n_ends < info->somas.room);
	if (kind == REF_PARAMETER)
		return true;
	if (kind == REF_CONTROL && role == ROLE_GIVES)
		info->begins[info->n_begins++] = (struct control){id, node};
	else if (kind == REF_CONTROL)
		info->ends[info->n_ends++] = (struct control){id, node};
	if (kind == REF_CONTROL)
		return true;
	if (!mp_input_somas_known(&info->somas, id, &tensor))
		return false;
	mp_input_somas_use(&info->somas, node, tensor, role != ROLE_READS);
	if (info->in_collective && role != ROLE_SCRATCH)
		info->lists.guessed[info->lists.n_guessed++] =
			(struct somas_member){tensor, 2 * node + (role > 0)};
	return true;
}

static bool read_role(
	struct info *info, uint32_t node, enum role role, struct text list)
{
	enum reference kind;
	uint64_t id;

	if (role == ROLE_STREAM)
		return (mp_input_lines_take(&list, "@") &&
			       mp_input_lines_number(list, SOMAS_MOST,
				       &info->somas.nodes[node].stream)) ||
		       cut_off(info, "a stream like streamID[@0]");
	while (list.at < list.end)
		if (!take_reference(info, &list, &kind, &id) ||
			!add_reference(info, node, role, kind, id))
			return false;
	return true;
}

/* "inputs[%1T, ]	outputs[...]	...	streamID[@0]" */
static bool read_roles(struct info *info, uint32_t node, struct text line)
{
	static const char *const keys[N_ROLES_OF_NODE] = {"inputs[", "outputs[",
		"ctrl_inputs[", "ctrl_outputs[", "streamID[", "workspace["};
	bool has_stream = false;

	while (line.at < line.end) {
		struct text cell = mp_input_lines_cut(&line, '\t');
		int role = ROLE_READS;

		while (role < N_ROLES_OF_NODE &&
			!mp_input_lines_take(&cell, keys[role]))
			role++;
		if (role == N_ROLES_OF_NODE)
			return cut_off(info, "lists like inputs[...]");
		if (cell.at == cell.end || *--cell.end != ']')
			return cut_off(info, "] behind a list");
		has_stream |= role == ROLE_STREAM;
		if (!read_role(info, node, (enum role)role, cell))
			return false;
	}
	return has_stream || cut_off(info, "streamID[@N] of a node");
}

/* "$2	conv	0	inputs[...] ..." */
static bool read_node(struct info *info, struct text line)
{
	struct somas *s = &info->somas;
	struct text name, kind;
	uint64_t id;
	uint32_t node;

	if (!mp_input_lines_take_number(&line, SOMAS_MOST, &id) ||
		!mp_input_lines_take(&line, "\t"))
		return cut_off(info, "$ and the id of a node");
	node = mp_input_somas_node(s, id);
	if (node == NONE)
		return false;
	if (s->nodes[node].line != 0)
		return mp_input_lines_fail(&s->lines,
			"node %llu is listed in line %u too",
			(unsigned long long)id, s->nodes[node].line);
	s->nodes[node].line = s->lines.number;
	name = mp_input_lines_cut(&line, '\t');
	s->nodes[node].name =
		mp_input_lines_copy(&s->lines, "name", name, s->arena);
	kind = mp_input_lines_cut(&line, '\t');
	info->in_collective = mp_input_lines_is(kind, "1");
	return s->nodes[node].name && read_roles(info, node, line);
}

/* ------------------------------------------------- unions and lists */

static void add_union(struct info *info, uint32_t first, uint32_t next)
{
	assert(info->n_unions < info->somas.room);
	info->unions[info->n_unions++] =
		(struct somas_union){first, next, info->somas.lines.number};
	mp_input_somas_unite(&info->somas, first, next);
}

static bool read_tie(struct info *info, struct text line, bool contiguous)
{
	struct somas *s = &info->somas;
	uint32_t first = NONE, tensor = NONE;
	enum reference kind;
	uint64_t id = 0;

	mp_input_lines_skip_blanks(&line);
	mp_input_lines_take(&line, "[");
	if (line.at < line.end && line.end[-1] == ']')
		line.end--;
	s->n_lists += contiguous;
	while (line.at < line.end) {
		if (!take_reference(info, &line, &kind, &id) ||
			!mp_input_somas_known(&info->somas, id, &tensor))
			return false;
		if (contiguous)
			mp_input_somas_list(s, &info->lists, tensor);
		else if (first == NONE)
			first = tensor;
		else
			add_union(info, first, tensor);
	}
	return true;
}

/* "stm0 stm1 " */
static bool read_streams(struct info *info, struct text line)
{
	struct somas *s = &info->somas;
	uint64_t before = UINT64_MAX, id;

	while (line.at < line.end) {
		if (!mp_input_lines_take(&line, "stm") ||
			!mp_input_lines_take_number(&line, SOMAS_MOST, &id) ||
			(line.at < line.end &&
				!mp_input_lines_take(&line, " ")))
			return cut_off(info, "streams like stm0 stm1");
		if (before != UINT64_MAX)
			s->groups[s->n_groups++] =
				(struct somas_wait){before, id};
		assert(s->n_groups < s->room);
		before = id;
	}
	return true;
}

/* ------------------------------------------------------------ lines */

static bool read_total(struct info *info, struct text line)
{
	info->has_total = true;
	return mp_input_lines_number(line, NUM_MAX_BYTES, &info->total) ||
	       cut_off(info, "the size behind 'Total Memory Size'");
}

/* Headings differ between releases; the lines below them do not. */
static bool read_line(struct info *info, struct text line)
{
	struct somas *s = &info->somas;

	if (mp_input_lines_take(&line, "%"))
		return read_tensor(info, line);
	if (mp_input_lines_take(&line, "$"))
		return read_node(info, line);
	if (mp_input_lines_take(&line, "union tensors:") ||
		mp_input_lines_take(&line, "refnode input-output:"))
		return read_tie(info, line, false);
	if (mp_input_lines_take(&line, "contiguous tensors:"))
		return read_tie(info, line, true);
	if (line.at < line.end && *line.at == 's' && line.end - line.at > 3 &&
		memcmp(line.at, "stm", 3) == 0)
		return read_streams(info, line);
	if (mp_input_lines_take(&line, "Total Memory Size after reused:"))
		return read_total(info, line);
	/* The lists of the model come first, then those that are planned. */
	if (mp_input_lines_take(&line, "All Processed Contiguous"))
		s->n_members = s->n_lists = 0;
	info->lists.told |= mp_input_lines_find(line, "Contiguous") != NULL;
	return true;
}

/* ------------------------------------------------------------ waits */

static int by_id(const void *left, const void *right)
{
	const struct control *a = left, *b = right;

	return mp_sort_compare_two(a->id, b->id, a->node, b->node);
}

static void join_controls(struct info *info)
{
	struct somas *s = &info->somas;
	uint32_t k = 0;

	qsort(info->begins, info->n_begins, sizeof(*info->begins), by_id);
	qsort(info->ends, info->n_ends, sizeof(*info->ends), by_id);
	for (uint32_t i = 0; i < info->n_ends; i++) {
		while (k < info->n_begins &&
			info->begins[k].id < info->ends[i].id)
			k++;
		if (k < info->n_begins &&
			info->begins[k].id == info->ends[i].id)
			s->waits[s->n_waits++] = (struct somas_wait){
				info->begins[k].node, info->ends[i].node};
	}
}

/* Before it has planned, SOMAS dumps zeros for offsets. */
static void mark_placed(struct info *info)
{
	struct somas *s = &info->somas;
	bool solved = info->total > 0;

	for (uint32_t i = 0; i < s->n_tensors; i++)
		solved |= !info->has_total && s->tensors[i].offset > 0;
	for (uint32_t i = 0; i < s->n_tensors; i++)
		s->tensors[i].placed = solved;
}

/* ----------------------------------------------------------- reader */

static bool read_all(
	struct info *info, const struct input *input, struct graph *graph)
{
	struct somas *s = &info->somas;
	struct text line;

	info->ends = NEW(s->scratch, struct control, s->room);
	info->begins = NEW(s->scratch, struct control, s->room);
	info->unions = NEW(s->scratch, struct somas_union, s->room);
	if (!info->ends || !info->begins || !info->unions ||
		!mp_input_somas_lists_open(&info->lists, s))
		return false;
	while (mp_input_lines_next(&s->lines, &line))
		if (!read_line(info, line))
			return false;
	if (s->n_nodes == 0 || s->n_tensors == 0)
		return mp_fail(s->error, MEMPLAN_EINPUT,
			"%s: no nodes or no tensors in it: is it cut off?",
			s->lines.file);
	join_controls(info);
	mark_placed(info);
	mp_input_somas_lists_close(&info->lists, s);
	return mp_input_somas_join(s, info->unions, info->n_unions) &&
	       mp_input_somas_graph(s, input->alignment, graph);
}

bool mp_input_somas_info_recognise(const struct input_file *file)
{
	struct text text = mp_input_lines(file, NULL).rest;

	while (text.at < text.end && (*text.at == '\n' || *text.at == '\r'))
		text.at++;
	return mp_input_lines_take(&text, "All Parameters:") ||
	       mp_input_lines_take(&text, "All Tensors:");
}

bool mp_input_somas_info_read(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e)
{
	struct arena scratch = mp_arena_beside(arena);
	struct info info = {0};
	bool fine =
		mp_input_somas_open(&info.somas, input, arena, &scratch, e) &&
		read_all(&info, input, graph);

	mp_arena_free(&scratch);
	return fine;
}
