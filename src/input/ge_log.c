/*
 * The lines that GE, Ascend's graph engine, logs for every output and workspace
 * that it has placed, picked out of whatever else a log holds. The format is
 * that of SetOffsetSize() and its neighbours in block_mem_assigner.cc and
 * graph_mem_assigner.cc; docs/formats/ge-log.md says which releases were read.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/ge_log.h"

#include <string.h>

#include "input/rows.h"

static const char MARK[] = "[IMAS]";

/* --------------------------------------------------------------- agreement */

/* All lines must say the same; how tells what a user can do about it. */
static bool agree(struct ge_log *log, struct ge_label *label, struct text text,
	const char *what, const char *how)
{
	if (label->line == 0)
		*label = (struct ge_label){text, log->lines.number};
	return mp_lines_same(label->text, text) ||
	       mp_lines_fail(&log->lines,
		       "%s '%.*s', but line %u has '%.*s': one plan is read "
		       "at a time; keep the lines of one, %s",
		       what, mp_lines_shown(text), text.at, label->line,
		       mp_lines_shown(label->text), label->text.at, how);
}

static bool agree_all(struct ge_log *log, struct text name, struct text rest)
{
	struct text field;

	if (!agree(log, &log->graph, name, "graph", "as grep ' NAME ' does"))
		return false;
	if (mp_ge_find(rest, "memtype", &field) &&
		!agree(log, &log->memory, field, "memory type",
			"as grep 'memtype.N.' does"))
		return false;
	if (mp_ge_find(rest, "batch", &field) && field.at < field.end &&
		!agree(log, &log->batch, field, "batch label",
			"as grep -e 'batch..' -e 'batch.LABEL.' does"))
		return false;
	if (!mp_ge_find(rest, "streamid", &field) &&
		!mp_ge_find(rest, "stream_id", &field))
		return true;
	if (log->stream.line == 0)
		log->stream = (struct ge_label){field, log->lines.number};
	log->several_streams |= !mp_lines_same(log->stream.text, field);
	return true;
}

/* ------------------------------------------------------------------ tensors */

static bool read_offset(const struct ge_log *log, const struct ge_place *place,
	struct ge_tensor *tensor)
{
	uint64_t end;

	if (!mp_lines_number(place->offset, NUM_MAX_BYTES, &tensor->offset))
		return mp_lines_fail(&log->lines,
			"offset '%.*s' must be an integer from 0 to 2^62",
			mp_lines_shown(place->offset), place->offset.at);
	return num_add(tensor->offset, tensor->size, &end) ||
	       mp_lines_fail(&log->lines, "offset and size exceed 2^62");
}

static bool read_life(
	const struct ge_log *log, struct text rest, struct ge_tensor *tensor)
{
	if (!mp_ge_id(log, rest, "life time begin", false, &tensor->begin) ||
		!mp_ge_id(log, rest, "life time end", true, &tensor->last))
		return false;
	return tensor->begin <= tensor->last ||
	       mp_lines_fail(&log->lines,
		       "'%.60s' ends at %llu, before it begins at %llu",
		       tensor->id, (unsigned long long)tensor->last,
		       (unsigned long long)tensor->begin);
}

static bool is_same(const struct ge_tensor *a, const struct ge_tensor *b)
{
	return a->offset == b->offset && a->size == b->size &&
	       a->begin == b->begin && a->last == b->last &&
	       a->reference == b->reference;
}

/* Set twice alike is once; set twice and not alike is two plans. */
static bool add(struct ge_log *log, const struct ge_tensor *tensor)
{
	uint32_t twin = mp_names_add(&log->names, tensor->id, log->n);

	if (twin == NONE) {
		log->tensors[log->n++] = *tensor;
		return true;
	}
	return is_same(&log->tensors[twin], tensor) ||
	       mp_lines_fail(&log->lines,
		       "'%.60s' is set again, and otherwise than by line %u: "
		       "is it the log of two runs? cut it to one",
		       tensor->id, log->tensors[twin].line);
}

/* "[IMAS]Set ...": a tensor with its place and its life. */
static bool read_set(struct ge_log *log, struct text line)
{
	struct ge_tensor tensor = {.line = log->lines.number};
	struct ge_place place;
	struct text field;

	if (!mp_ge_split(line, &place))
		return mp_lines_fail(&log->lines,
			"the line is cut off: name, offset to [N] and the "
			"rest must follow");
	tensor.id = mp_ge_name(log, &place);
	if (!tensor.id || !agree_all(log, place.graph, place.rest) ||
		!mp_ge_size(log, place.rest, &tensor.size) ||
		!read_offset(log, &place, &tensor) ||
		!read_life(log, place.rest, &tensor))
		return false;
	if (mp_ge_find(place.rest, "noalignsize", &field) &&
		!mp_ge_number(log, place.rest, "noalignsize", NUM_MAX_BYTES,
			&tensor.plain))
		return false;
	if (!mp_ge_find(place.rest, "isref", &field))
		return mp_lines_fail(&log->lines,
			"the line is cut off: no 'isref[...]' in it");
	tensor.reference = mp_ge_is(field, "1");
	return add(log, &tensor);
}

/* Without padding, neighbours begin where the bytes before them end. */
static void shrink(struct ge_tensor *tensor, struct text rest, uint64_t size)
{
	struct text field;

	if (!mp_ge_find(rest, "nopadding", &field) &&
		!mp_ge_find(rest, "nopadding size", &field))
		return;
	if (mp_ge_is(field, "1"))
		tensor->size = size ? size : tensor->plain;
}

/* "[IMAS]Continuous input : Set ...": a tensor that was placed, or will never
 * be, is laid elsewhere; nothing is said of its life. */
static bool read_move(struct ge_log *log, struct text line)
{
	struct ge_tensor fresh = {.line = log->lines.number, .timeless = true};
	struct ge_tensor *tensor = &fresh;
	struct ge_place place;
	uint64_t size;
	uint32_t known;

	if (!mp_ge_split(line, &place))
		return mp_lines_fail(&log->lines,
			"the line is cut off: name and offset to [N] must "
			"follow");
	fresh.id = mp_ge_name(log, &place);
	if (!fresh.id || !agree_all(log, place.graph, place.rest) ||
		!mp_ge_size(log, place.rest, &size))
		return false;
	fresh.size = size;
	known = mp_names_find(&log->names, fresh.id);
	if (known != NONE)
		tensor = &log->tensors[known];
	tensor->adjacent = true;
	shrink(tensor, place.rest, size);
	return read_offset(log, &place, tensor) &&
	       (known != NONE || add(log, tensor));
}

/* "[IMAS]AfterAssignMemory : GRAPH memoffset[N], memtype[N], ...". */
static bool read_total(struct ge_log *log, struct text line)
{
	const char *end = mp_lines_find(line, " memoffset[");
	struct text field;

	if (!end)
		return true; /* the oldest releases name the graph alone */
	line.at = end;
	if (mp_ge_find(line, "memtype", &field) && log->memory.line &&
		!mp_lines_same(field, log->memory.text))
		return true;
	log->has_total = true;
	return mp_ge_number(log, line, "memoffset", NUM_MAX_BYTES, &log->total);
}

/* ------------------------------------------------------------------- reader */

/* What stands behind the mark. */
static bool read_entry(struct ge_log *log, struct text entry)
{
	const char *set;

	if (mp_lines_take(&entry, "Set "))
		return read_set(log, entry);
	if (mp_lines_take(&entry, "AfterAssignMemory : "))
		return read_total(log, entry);
	if (mp_lines_take(&entry, "SetAtomicCleanAttr"))
		return true;
	set = mp_lines_find(entry, ": Set ");
	if (!set)
		set = mp_lines_find(entry, ": set ");
	if (!set)
		return true;
	entry.at = set + strlen(": Set ");
	return read_move(log, entry);
}

/* A line may hold several entries. */
static bool read_line(struct ge_log *log, struct text line)
{
	const char *mark = mp_lines_find(line, MARK), *next;

	for (; mark; mark = next) {
		struct text entry = {mark + strlen(MARK), line.end};

		next = mp_lines_find(entry, MARK);
		if (next)
			entry.end = next;
		if (!read_entry(log, entry))
			return false;
	}
	return true;
}

static uint32_t count_marks(struct text text)
{
	uint32_t n = 0;

	while ((text.at = mp_lines_find(text, MARK)) && n < NONE / 4) {
		text.at += strlen(MARK);
		n++;
	}
	return n;
}

/* A table's header is none of ours, however long the table is. */
static bool looks_like_table(struct text line)
{
	return mp_lines_find(line, ",") && mp_lines_find(line, "size") &&
	       !mp_lines_find(line, "[");
}

bool mp_ge_log_recognise(const struct input_file *file)
{
	struct text_lines lines = {.at = file->bytes + mp_input_mark(file),
		.end = file->bytes + file->length};
	struct text text = {lines.at, lines.end}, line;

	if (!mp_lines_next(&lines, &line) || *line.at == '{' ||
		looks_like_table(line))
		return false;
	while ((text.at = mp_lines_find(text, MARK))) {
		text.at += strlen(MARK);
		if (mp_lines_take(&text, "Set ") ||
			mp_lines_take(&text, "AfterAssignMemory"))
			return true;
	}
	return false;
}

static bool read_all(
	struct ge_log *log, const struct input *input, struct graph *graph)
{
	uint32_t most =
		count_marks((struct text){log->lines.at, log->lines.end});
	struct text line;

	log->tensors = NEW(log->arena, struct ge_tensor, most);
	if (!log->tensors || !mp_names_init(&log->names, most, log->arena))
		return false;
	while (mp_lines_next(&log->lines, &line))
		if (!read_line(log, line))
			return false;
	if (log->n == 0)
		return mp_fail(log->error, MEMPLAN_EINPUT,
			"%s: no line '[IMAS]Set ...' in it: GE writes them "
			"at log level info",
			log->lines.file);
	return mp_ge_log_graph(log, input->alignment, graph);
}

bool mp_ge_log_read(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e)
{
	const struct input_file *file = &input->files[ROLE_MAIN];
	struct ge_log log = {.lines = {.file = file->name,
				     .at = file->bytes + mp_input_mark(file),
				     .end = file->bytes + file->length,
				     .error = e},
		.arena = arena,
		.error = e};

	return read_all(&log, input, graph);
}
