/*
 * csv: MiniMalloc's columns and an offset. A CSV input comes out as it went in,
 * row for row, with the offset behind; any other input becomes one row a
 * tensor. Of tensors that share bytes the rows are what is kept how long, so
 * that no two rows overlap. Of branches that are there at one step they would,
 * so these are refused; what else has no column is lost with a warning.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <stdlib.h>

#include "base/sink-text.h"
#include "base/sort.h"
#include "base/threads.h"
#include "emit/inside.h"
#include "emit/rows.h"

enum {
	AHEAD = 16, /* rows of which the times are on their way from memory:
		       they stand in any order of time */
	LEAST_PART = 50000, /* rows for a thread */
	MOST_PARTS = 4	    /* all but the first are copied */
};

/* Where the bytes lie: the pool, if there are several, and the offset. */
static void place(struct sink *sink, const struct plan *plan, uint32_t buffer,
	uint64_t offset)
{
	mp_sink_text(sink, ",");
	if (plan->spaces.at) {
		if (buffer != NONE)
			mp_sink_cell(sink,
				plan->spaces.at[plan->spaces.of[buffer]].name);
		mp_sink_text(sink, ",");
	}
	mp_sink_u64(sink, offset);
	mp_sink_text(sink, "\n");
}

static const char *place_header(const struct plan *plan)
{
	return plan->spaces.at ? ",pool,offset\n" : ",offset\n";
}

static void life_and_size(struct sink *sink, const struct schedule *s,
	uint32_t start, uint32_t end, uint64_t size)
{
	assert(start <= end);
	mp_sink_text(sink, ",");
	mp_sink_i64(sink, mp_problem_time(&s->problem, start));
	mp_sink_text(sink, ",");
	mp_sink_i64(sink, mp_problem_time(&s->problem, end));
	mp_sink_text(sink, ",");
	mp_sink_u64(sink, size);
}

static void built_row(
	struct sink *sink, const struct plan *plan, struct tied *tied)
{
	const struct schedule *s = plan->schedule;
	const struct tensor *tensor = &s->graph->tensors[tied->tensor];
	const struct stay stay = mp_schedule_stay(s, tied->tensor);

	/* A smaller output of the last step in an input's place: the row of the
	 * input has that step, and rows of no steps are not read. */
	if (stay.start == stay.end)
		return;
	if (tensor->id && tensor->id_is_number)
		mp_sink_text(sink, tensor->id);
	else
		mp_sink_cell(sink, tensor->id ? tensor->id
					      : mp_graph_tensor_label(tensor));
	life_and_size(sink, s, stay.start, stay.end, tensor->size);
	if (s->graph->ties.n_gaps > 0)
		mp_emit_gaps_cell(sink, s, tied);
	place(sink, plan, stay.buffer, mp_plan_offset(plan, tied->tensor));
}

/* ---------------------------------------------------------- aliases */

/* The steps of the list in which the bytes of a part are needed. */
struct kept {
	uint32_t start, end;
};

static void keep(const struct schedule *s, uint32_t t, struct kept *kept)
{
	const struct stay *stay = &s->stay[t];
	uint64_t size = s->graph->tensors[t].size;
	const struct buffer *buffer = &s->problem.buffers[stay->buffer];

	assert(stay->buffer != NONE);
	for (uint32_t i = buffer->first_part;
		i < buffer->first_part + buffer->n_parts; i++) {
		const struct part *part = &s->problem.parts[i];

		if (stay->base + size <= part->base ||
			part->base + part->size <= stay->base)
			continue;
		if (kept[i].start > stay->start)
			kept[i].start = stay->start;
		if (kept[i].end < stay->end)
			kept[i].end = stay->end;
	}
}

/* Of each part. Where streams run beside each other a part lasts for as long as
 * anything may still need it: in rows of others, which last as listed, that
 * would overlap what surely comes behind it. */
static const struct kept *list_kept(
	const struct schedule *s, const uint8_t *roles, struct arena *arena)
{
	struct kept *kept = NEW(arena, struct kept, s->problem.n_parts);

	for (uint32_t i = 0; kept && i < s->problem.n_parts; i++) {
		struct part part = mp_problem_part(&s->problem, i);

		kept[i] = s->problem.n_streams > 1
				  ? (struct kept){UINT32_MAX, 0}
				  : (struct kept){part.start, part.end};
	}
	for (uint32_t i = 0;
		kept && s->problem.n_streams > 1 && i < s->graph->n_tensors;
		i++)
		if (roles[i] != TIED_NOT && s->stay[i].buffer != NONE)
			keep(s, i, kept);
	return kept;
}

/* Bytes of a tensor that has aliases: as long as any of them needs these. */
static void part_row(struct sink *sink, const struct plan *plan, uint32_t t,
	const struct part *part, const struct kept *kept, struct arena *scratch)
{
	const struct schedule *s = plan->schedule;
	const struct tensor *root = &s->graph->tensors[t];
	const char *id = root->id ? root->id : mp_graph_tensor_label(root);
	uint64_t base = s->stay[t].base, low = num_max(part->base, base);
	uint64_t high = num_min(part->base + part->size, base + root->size);

	assert(part->buffer == s->stay[t].buffer);
	if (low >= high)
		return;
	mp_sink_cell(
		sink, mp_arena_print(scratch, "%s[%llu:%llu]@%u", id,
			      (unsigned long long)(low - base),
			      (unsigned long long)(high - base), kept->start));
	life_and_size(sink, s, kept->start, kept->end, high - low);
	if (s->graph->ties.n_gaps > 0)
		mp_sink_text(sink, ",");
	place(sink, plan, part->buffer, plan->offsets[part->buffer] + low);
}

/* Of the parts of its buffer, those that are its own: there may be others'
 * beside them, as of states. */
static void part_rows(struct sink *sink, const struct plan *plan, uint32_t root,
	const struct kept *kept, struct arena *scratch)
{
	const struct schedule *s = plan->schedule;
	const struct buffer *buffer = &s->problem.buffers[s->stay[root].buffer];

	for (uint32_t i = 0; i < buffer->n_parts; i++) {
		struct arena_mark mark = mp_arena_mark(scratch);
		uint32_t part = buffer->first_part + i;

		part_row(sink, plan, root, &s->problem.parts[part], &kept[part],
			scratch);
		mp_arena_rewind(scratch, mark);
	}
}

/* ------------------------------------------------------------- rows */

static void rows(
	struct sink *sink, const struct plan *plan, struct arena *scratch)
{
	const struct schedule *s = plan->schedule;
	const uint8_t *roles = mp_emit_tied_roles(s, scratch);
	const struct kept *kept = roles ? list_kept(s, roles, scratch) : NULL;
	struct tied tied = {0};

	mp_sink_text(sink, s->graph->ties.n_gaps > 0
				   ? "id,lower,upper,size,gaps"
				   : "id,lower,upper,size");
	mp_sink_text(sink, place_header(plan));
	for (; kept && tied.tensor < s->graph->n_tensors; tied.tensor++) {
		uint32_t buffer = mp_schedule_stay(s, tied.tensor).buffer;
		enum tied_role role =
			buffer != NONE ? roles[tied.tensor] : TIED_NOT;

		if (s->graph->tensors[tied.tensor].external ||
			role == TIED_ALIAS)
			continue;
		if (role == TIED_ROOT)
			part_rows(sink, plan, tied.tensor, kept, scratch);
		else
			built_row(sink, plan, &tied);
	}
}

/* Rows of a part of the tensors, each part to a sink of its own. */
struct row_parts {
	const struct plan *plan;
	struct sink sinks[MOST_PARTS];
	struct error errors[MOST_PARTS];
	uint32_t n;
};

static bool write_part(void *context, uint32_t part)
{
	struct row_parts *parts = context;
	const struct plan *plan = parts->plan;
	const struct schedule *s = plan->schedule;
	struct sink *sink = &parts->sinks[part];
	const int64_t *times = s->graph->times;
	uint64_t n = s->graph->n_tensors;
	uint32_t end = (uint32_t)(n * (part + 1) / parts->n);

	for (uint32_t i = (uint32_t)(n * part / parts->n); i < end; i++) {
		const struct tensor *tensor = &s->graph->tensors[i];
		const char **rows = s->graph->csv_rows;

		if (times && i + AHEAD < end) {
			__builtin_prefetch(&times[tensor[AHEAD].start]);
			__builtin_prefetch(&times[tensor[AHEAD].end]);
		}
		mp_sink_text(sink, rows && rows[i] ? rows[i] : tensor->id);
		if (!rows || !rows[i])
			life_and_size(sink, s, tensor->start, tensor->end,
				tensor->size);
		place(sink, plan, mp_schedule_stay(s, i).buffer,
			mp_plan_offset(plan, i));
	}
	return false;
}

static void join_part(struct sink *sink, struct sink *part)
{
	if (part->error->code != MEMPLAN_OK)
		mp_fail(sink->error, part->error->code, "%s",
			part->error->text);
	mp_sink_write(sink, part->bytes, part->length);
	mp_sink_free(part);
}

/* The first part goes on in the sink itself. A limit of memory is for one. */
static void rows_as_read(
	struct sink *sink, const struct plan *plan, struct threads *threads)
{
	const struct graph *graph = plan->schedule->graph;
	struct row_parts parts = {.plan = plan, .n = 1};

	mp_sink_text(sink, graph->csv_header);
	mp_sink_text(sink, place_header(plan));
	if (sink->limit == 0)
		parts.n = mp_threads_for(threads,
			(uint32_t)num_min(
				graph->n_tensors / LEAST_PART + 1, MOST_PARTS));
	parts.sinks[0] = *sink;
	for (uint32_t i = 1; i < parts.n; i++)
		parts.sinks[i] = (struct sink){.error = &parts.errors[i]};
	mp_threads_run(threads, parts.n, write_part, &parts);
	*sink = parts.sinks[0];
	for (uint32_t i = 1; i < parts.n; i++)
		join_part(sink, &parts.sinks[i]);
}

/* A buffer that is in a branch, and the steps in which it is needed. */
struct branch_life {
	uint32_t buffer, start, end;
};

static int by_start(const void *left, const void *right)
{
	const struct branch_life *a = left, *b = right;

	return mp_sort_compare_two(a->start, b->start, a->buffer, b->buffer);
}

/* Ascending by start; returns how many there are. */
static uint32_t list_lives(const struct problem *p, struct branch_life *lives)
{
	uint32_t n = 0;

	for (uint32_t b = 0; b < p->n_buffers; b++) {
		const struct buffer *buffer = &p->buffers[b];
		struct branch_life life = {b, UINT32_MAX, 0};

		if (p->choice[b] == NONE)
			continue;
		for (uint32_t i = 0; i < buffer->n_parts; i++) {
			const struct part *part =
				&p->parts[buffer->first_part + i];

			if (life.start > part->start)
				life.start = part->start;
			if (life.end < part->end)
				life.end = part->end;
		}
		lives[n++] = life;
	}
	qsort(lives, n, sizeof(*lives), by_start);
	return n;
}

/* A buffer that no run has together with this one though both are needed at one
 * step; NONE: there is none so far. last is, of each choice, what ends last in
 * it. */
static uint32_t find_rival(const struct problem *p, struct branch_life *last,
	const struct branch_life *life)
{
	uint32_t choice = p->choice[life->buffer];

	for (; choice != NONE; choice = mp_problem_site(p, choice).choice) {
		struct branch_life *of = &last[choice];

		if (of->end > life->start &&
			mp_problem_exclusive(p, of->buffer, life->buffer))
			return of->buffer;
		if (of->end < life->end)
			*of = *life;
	}
	return NONE;
}

static const char *label_of(const struct schedule *s, uint32_t buffer)
{
	uint32_t t = 0;

	while (s->stay[t].buffer != buffer)
		t++;
	return mp_graph_tensor_label(&s->graph->tensors[t]);
}

/* Branches that are one behind the other in the list have rows as anything
 * else: they never are there together. */
static bool check_branches(const struct schedule *s, struct arena *scratch)
{
	const struct problem *p = &s->problem;
	struct branch_life *last =
		NEW(scratch, struct branch_life, p->n_choices);
	struct branch_life *lives =
		NEW(scratch, struct branch_life, p->n_buffers);
	uint32_t n, rival;

	if (!last || !lives)
		return false;
	n = p->choice ? list_lives(p, lives) : 0;
	for (uint32_t i = 0; i < n; i++) {
		rival = find_rival(p, last, &lives[i]);
		if (rival != NONE)
			return mp_fail(scratch->error, MEMPLAN_EUSAGE,
				"%s: CSV has no branches: '%.80s' and '%.80s' "
				"may have the same bytes at the same time",
				s->graph->name, label_of(s, rival),
				label_of(s, lives[i].buffer));
	}
	return true;
}

static void warn_of_losses(const struct schedule *s, struct error *e)
{
	const struct {
		uint32_t n;
		const char *what;
	} losses[] = {
		{s->problem.n_streams > 1 ? s->problem.n_streams : 0,
			"streams"},
		{s->graph->ties.n_apart, "pairs apart"},
		{s->graph->ties.n_costs, "costs of reuse"},
		{mp_emit_has_banks(s), "banks of pools"},
		{s->graph->ties.n_reserved, "reserved ranges"},
		{s->graph->ties.n_groups, "groups"},
	};

	for (uint32_t i = 0; i < countof(losses); i++)
		if (losses[i].n > 0)
			mp_warn(e,
				"%s: CSV has no column for %s: its offsets "
				"keep to them, but a new plan of the file "
				"does not",
				s->graph->name, losses[i].what);
}

void mp_emit_csv(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	const struct plan *plan = results->plan;
	const struct schedule *s = plan->schedule;

	if (s->graph->csv_header) {
		rows_as_read(sink, plan, scratch->threads);
	} else if (check_branches(s, scratch)) {
		warn_of_losses(s, scratch->error);
		rows(sink, plan, scratch);
	}
}
