/*
 * Logs of GE, Ascend's graph engine: the lines that it writes for every output
 * and workspace that it has placed, among other lines. The format is that of
 * SetOffsetSize() and related functions in block_mem_assigner.cc and
 * graph_mem_assigner.cc; docs/formats/ge-log.md says of which releases.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/ge-log/ge-log.h"

#include <assert.h>
#include <string.h>

#include "input/rows.h"

static const char MARK[] = "[IMAS]";

/* ------------------------------------------------------------- list */

static bool is_same(const struct ge_tensor *a, const struct ge_tensor *b)
{
	return a->offset == b->offset && a->size == b->size &&
	       a->begin == b->begin && a->last == b->last &&
	       a->memory == b->memory && a->reference == b->reference;
}

static bool fail_twin(const struct ge_log *log, const struct ge_tensor *tensor,
	const struct ge_tensor *twin)
{
	return mp_fail(log->error, MEMPLAN_EINPUT,
		"%s:%u: '%.60s' is set again, and otherwise than by line %u: "
		"is it the log of two runs? keep the lines of one",
		log->lines.file, tensor->line, tensor->id, twin->line);
}

/* The target of a reference: the tensor set right before it in the log. */
static uint32_t referred(const struct ge_log *log, const struct ge_tensor *t)
{
	const struct ge_tensor *before = log->tensors + log->n - (log->n > 0);

	if (!t->reference || log->n == 0 || before->timeless ||
		before->offset != t->offset || before->memory != t->memory)
		return NONE;
	return before->of != NONE ? before->of : log->n - 1;
}

/* A tensor that is set twice with different values belongs to two plans. */
static bool add_tensor(struct ge_log *log, const struct ge_tensor *tensor)
{
	uint32_t twin = mp_names_add(&log->names, tensor->id, log->n);

	if (twin != NONE)
		return is_same(&log->tensors[twin], tensor) ||
		       fail_twin(log, tensor, &log->tensors[twin]);
	assert(tensor->begin <= tensor->last);
	log->tensors[log->n] = *tensor;
	log->tensors[log->n].of = referred(log, tensor);
	log->n++;
	return true;
}

/* Each batch has an area, which GE logs as a workspace of the first node in it;
 * the tensors in the area follow, one level deeper. */
static bool is_area(const struct ge_tensor *a, const struct ge_tensor *next)
{
	return next && a->scratch && a->label != NONE && a->plain == a->size &&
	       next->label == a->label && next->memory == a->memory &&
	       next->offset == a->offset && next->level == a->level + 1 &&
	       next->begin == a->begin;
}

/* Adds the tensor of the last line. `next` is that of the current one, or NULL.
 */
static bool add_pending(struct ge_log *log, const struct ge_tensor *next)
{
	struct ge_tensor tensor = log->pending;

	log->pending.id = NULL;
	return !tensor.id || is_area(&tensor, next) || add_tensor(log, &tensor);
}

/* ----------------------------------------------------------- labels */

static bool fail_too_many(const struct ge_log *log, const char *what)
{
	return mp_input_lines_fail(
		&log->lines, "more than %d %s", GE_MOST_LABELS, what);
}

/* Reads memory type, label of the batch, and stream, each if the line has it.
 */
static bool read_labels(
	struct ge_log *log, struct text rest, struct ge_tensor *tensor)
{
	struct text field;
	uint32_t at;

	if (mp_input_ge_find(rest, "memtype", &field)) {
		at = mp_input_ge_word(&log->memories, field);
		if (at == NONE)
			return mp_input_lines_fail(&log->lines,
				"more than %d memory types", MOST_POOLS);
		tensor->memory = (uint8_t)at;
	}
	if (mp_input_ge_find(rest, "batch", &field) && field.at < field.end) {
		tensor->label = mp_input_ge_word(&log->labels, field);
		if (tensor->label == NONE)
			return fail_too_many(log, "labels of batches");
	}
	if (!mp_input_ge_find(rest, "streamid", &field) &&
		!mp_input_ge_find(rest, "stream_id", &field))
		return true;
	if (!log->stream.at)
		log->stream = field;
	log->several_streams |= !mp_input_lines_same(log->stream, field);
	return true;
}

/* ---------------------------------------------------------- tensors */

static bool read_offset(const struct ge_log *log, const struct ge_place *place,
	struct ge_tensor *tensor)
{
	uint64_t end;

	if (!mp_input_lines_number(
		    place->offset, NUM_MAX_BYTES, &tensor->offset))
		return mp_input_lines_fail(&log->lines,
			"offset '%.*s' must be an integer from 0 to 2^62",
			mp_input_lines_shown(place->offset), place->offset.at);
	return num_add(tensor->offset, tensor->size, &end) ||
	       mp_input_lines_fail(&log->lines, "offset and size exceed 2^62");
}

static bool read_life(
	const struct ge_log *log, struct text rest, struct ge_tensor *tensor)
{
	struct ge_ids begin, end;

	if (!mp_input_ge_ids(log, rest, "life time begin", &begin) ||
		!mp_input_ge_ids(log, rest, "life time end", &end))
		return false;
	tensor->begin = begin.first;
	tensor->last = end.greatest;
	tensor->least = num_max(end.least, begin.first);
	return tensor->begin <= tensor->last ||
	       mp_input_lines_fail(&log->lines,
		       "'%.60s' ends at %llu, before it begins at %llu",
		       tensor->id, (unsigned long long)tensor->last,
		       (unsigned long long)tensor->begin);
}

static const struct ge_tensor nothing = {
	.of = NONE, .run = NONE, .label = NONE};

/* Reads the part of the line after the name. */
static bool read_tensor(struct ge_log *log, const struct ge_place *place,
	struct ge_tensor *tensor)
{
	struct text field;

	if (!read_labels(log, place->rest, tensor) ||
		!mp_input_ge_size(log, place->rest, &tensor->size) ||
		!read_offset(log, place, tensor) ||
		!read_life(log, place->rest, tensor))
		return false;
	if (mp_input_ge_find(place->rest, "noalignsize", &field) &&
		!mp_input_ge_bytes(
			log, place->rest, "noalignsize", &tensor->plain))
		return false;
	if (!mp_input_ge_need(log, place->rest, "isref", &field))
		return false;
	tensor->reference = mp_input_lines_is(field, "1");
	tensor->scratch = mp_input_lines_is(place->kind, "workspace");
	mp_input_ge_flags(place->rest, tensor);
	return true;
}

/* "[IMAS]Set ...": a tensor with its offset and lifetime. */
static bool read_set(struct ge_log *log, struct text line)
{
	struct ge_tensor tensor = nothing;
	struct ge_place place;

	tensor.line = log->lines.number;
	if (!mp_input_ge_split(line, &place))
		return mp_input_lines_fail(&log->lines,
			"the line is cut off: name, offset to [N] and the "
			"rest must follow");
	if (!mp_input_ge_chosen(log, place.graph))
		return true;
	tensor.id = mp_input_ge_name(log, &place);
	if (!tensor.id || !read_tensor(log, &place, &tensor) ||
		!add_pending(log, &tensor))
		return false;
	log->pending = tensor;
	return true;
}

/* ------------------------------------------------------------ moves */

static bool is_unpadded(struct text rest)
{
	struct text field;

	return (mp_input_ge_find(rest, "nopadding", &field) ||
		       mp_input_ge_find(rest, "nopadding size", &field)) &&
	       mp_input_lines_is(field, "1");
}

/* A move may have a new size; without one, "nopadding" drops the padding. */
static void resize(struct ge_tensor *tensor, struct text rest, uint64_t size)
{
	if (size > 0)
		tensor->size = size;
	else if (is_unpadded(rest))
		tensor->size = tensor->plain;
}

static bool move_tensor(struct ge_log *log, const struct ge_place *place,
	struct ge_tensor *fresh, uint32_t *at)
{
	struct ge_tensor *tensor = fresh;
	uint64_t size;

	if (!mp_input_ge_size(log, place->rest, &size))
		return false;
	*at = mp_names_find(&log->names, fresh->id);
	if (*at != NONE)
		tensor = &log->tensors[*at];
	tensor->adjacent = true;
	resize(tensor, place->rest, size);
	if (!read_offset(log, place, tensor))
		return false;
	if (*at != NONE)
		return true;
	*at = log->n;
	return add_tensor(log, fresh);
}

/* "[IMAS]Continuous input : Set ...": moves a tensor, or sets one that no other
 * line sets. The line has no lifetime. */
static bool read_move(struct ge_log *log, struct text kind, struct text line)
{
	struct ge_tensor fresh = nothing;
	struct ge_place place;
	uint32_t at;

	fresh.line = log->lines.number;
	fresh.timeless = true;
	if (!mp_input_ge_split(line, &place))
		return mp_input_lines_fail(&log->lines,
			"the line is cut off: name and offset to [N] must "
			"follow");
	if (!mp_input_ge_chosen(log, place.graph))
		return true;
	fresh.id = mp_input_ge_name(log, &place);
	if (!fresh.id || !read_labels(log, place.rest, &fresh) ||
		!add_pending(log, NULL) ||
		!move_tensor(log, &place, &fresh, &at))
		return false;
	assert(at < log->n);
	log->tensors[at].unpadded = is_unpadded(place.rest);
	if (mp_input_lines_find(kind, "Continuous"))
		mp_input_ge_join_run(log, kind, at);
	else
		log->run_kind.at = NULL;
	return true;
}

/* "[IMAS]AfterAssignMemory : GRAPH memoffset[N], memtype[N], ...". */
static bool read_total(struct ge_log *log, struct text line)
{
	const char *end = mp_input_lines_find(line, " memoffset[");
	struct text graph = {line.at, end};
	struct ge_total *total = &log->totals[log->n_totals];

	if (!end || log->n_totals == countof(log->totals))
		return true; /* the oldest releases name the graph alone */
	if (!log->graph.at || !mp_input_lines_same(log->graph, graph) ||
		(log->process.at && log->line_process.at &&
			!mp_input_lines_same(log->process, log->line_process)))
		return true;
	line.at = end;
	if (!mp_input_ge_find(line, "memtype", &total->memory) &&
		!mp_input_ge_find(line, "memory type", &total->memory))
		total->memory = (struct text){line.at, line.at};
	log->n_totals++;
	return mp_input_ge_bytes(log, line, "memoffset", &total->bytes);
}

/* ----------------------------------------------------------- reader */

/* Reads the text after a mark. */
static bool read_entry(struct ge_log *log, struct text entry)
{
	struct text kind = entry;
	const char *set;

	if (mp_input_lines_take(&entry, "Set "))
		return read_set(log, entry);
	if (mp_input_lines_take(&entry, "AfterAssignMemory : "))
		return read_total(log, entry);
	if (mp_input_lines_take(&entry, "SetAtomicCleanAttr"))
		return true;
	set = mp_input_lines_find(entry, ": Set ");
	if (!set)
		set = mp_input_lines_find(entry, ": set ");
	if (!set)
		return true;
	entry.at = set + strlen(": Set ");
	kind.end = set;
	return read_move(log, kind, entry);
}

/* Does GE begin with the next node that needs contiguous tensors? */
static bool begins_run(struct text line)
{
	return mp_input_lines_find(line, "Continuous]start for Current node") ||
	       mp_input_lines_find(line, " needs continuous output");
}

/* A line may hold several entries. */
static bool read_line(struct ge_log *log, struct text line)
{
	const char *mark = mp_input_lines_find(line, MARK), *next;

	if (!mark && log->run_kind.at && begins_run(line))
		log->run_kind.at = NULL;
	if (mark)
		mp_input_ge_find_process(log, (struct text){line.at, mark});
	for (; mark; mark = next) {
		struct text entry = {mark + strlen(MARK), line.end};

		next = mp_input_lines_find(entry, MARK);
		if (next)
			entry.end = next;
		if (!read_entry(log, entry))
			return false;
	}
	return true;
}

/* The header of a CSV table: such files are not searched. */
static bool looks_like_table(struct text line)
{
	return mp_input_lines_find(line, ",") &&
	       mp_input_lines_find(line, "size") &&
	       !mp_input_lines_find(line, "[");
}

bool mp_input_ge_log_recognise(const struct input_file *file)
{
	struct text_lines lines = mp_input_lines(file, NULL);
	struct text text = lines.rest, line;

	if (!mp_input_lines_next(&lines, &line) || *line.at == '{' ||
		looks_like_table(line))
		return false;
	while ((text.at = mp_input_lines_find(text, MARK))) {
		text.at += strlen(MARK);
		if (mp_input_lines_take(&text, "Set ") ||
			mp_input_lines_take(&text, "AfterAssignMemory"))
			return true;
	}
	return false;
}

static bool make_words(
	struct ge_words *words, uint32_t most, struct arena *arena)
{
	*words = (struct ge_words){
		.at = NEW(arena, struct text, most), .most = most};
	return words->at != NULL;
}

static bool make_room(struct ge_log *log)
{
	uint32_t most = mp_input_lines_count(log->lines.rest, MARK);

	log->tensors = NEW(log->arena, struct ge_tensor, most);
	log->members = NEW(log->arena, uint32_t, most);
	log->runs = NEW(log->arena, struct ge_run, most);
	return log->tensors && log->members && log->runs &&
	       make_words(&log->graphs, GE_MOST_LABELS, log->arena) &&
	       make_words(&log->memories, MOST_POOLS, log->arena) &&
	       make_words(&log->labels, GE_MOST_LABELS, log->arena) &&
	       mp_names_init(&log->names, most, log->arena);
}

bool mp_input_ge_log_read(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e)
{
	struct ge_log log = {
		.lines = mp_input_lines(&input->files[ROLE_MAIN], e),
		.wanted = input->graph,
		.arena = arena,
		.error = e};
	struct text line;

	if (!make_room(&log))
		return false;
	while (mp_input_lines_next(&log.lines, &line))
		if (!read_line(&log, line))
			return false;
	return add_pending(&log, NULL) && mp_input_ge_check_chosen(&log) &&
	       mp_input_ge_log_graph(&log, input->alignment, graph);
}
