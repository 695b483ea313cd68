/*
 * csv: MiniMalloc's columns and an offset. A CSV input comes out as it went in,
 * row for row, with the offset behind; any other input becomes one row a
 * tensor. Of tensors that share bytes the rows are what is kept how long, so
 * that no two rows that overlap are fine. Of branches they would be, so these
 * are refused; what else has no column is lost with a warning.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/text.h"
#include "emit/rows.h"
#include "emit/tied.h"

static bool has_rows(const struct problem *p)
{
	if (!p->csv_header)
		return false;
	for (uint32_t i = 0; i < p->n_items; i++)
		if (!p->items[i].row)
			return false;
	return true;
}

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

static void row_with_offset(
	struct sink *sink, const struct plan *plan, const struct item *item)
{
	mp_sink_text(sink, item->row);
	place(sink, plan, item->buffer, mp_plan_offset(plan, item));
}

static void built_row(struct sink *sink, const struct plan *plan,
	const struct item *item, struct tied *tied)
{
	const struct problem *p = plan->problem;

	if (item->id && item->id_is_number)
		mp_sink_text(sink, item->id);
	else
		mp_sink_cell(sink,
			item->id ? item->id : mp_problem_item_label(item));
	mp_sink_text(sink, ",");
	mp_sink_i64(sink, mp_problem_time(p, item->start));
	mp_sink_text(sink, ",");
	mp_sink_i64(sink, mp_problem_time(p, item->end));
	mp_sink_text(sink, ",");
	mp_sink_u64(sink, item->size);
	if (p->ties.n_gaps > 0)
		mp_emit_gaps_cell(sink, p, tied);
	place(sink, plan, item->buffer, mp_plan_offset(plan, item));
}

/* ---------------------------------------------------------- aliases */

/* The steps of the list in which the bytes of a part are needed. */
struct kept {
	uint32_t start, end;
};

static void keep(
	const struct problem *p, const struct item *item, struct kept *kept)
{
	const struct buffer *buffer = &p->buffers[item->buffer];

	for (uint32_t i = buffer->first_part;
		i < buffer->first_part + buffer->n_parts; i++) {
		const struct part *part = &p->parts[i];

		if (item->base + item->size <= part->base ||
			part->base + part->size <= item->base)
			continue;
		if (kept[i].start > item->start)
			kept[i].start = item->start;
		if (kept[i].end < item->end)
			kept[i].end = item->end;
	}
}

/* Of each part. Where streams run beside each other a part lasts for as long as
 * somebody may still need it: in rows of others, which last as listed, that
 * would overlap what surely comes behind it. */
static const struct kept *list_kept(
	const struct problem *p, const uint8_t *roles, struct arena *arena)
{
	struct kept *kept = NEW(arena, struct kept, p->n_parts);

	for (uint32_t i = 0; kept && i < p->n_parts; i++)
		kept[i] = p->n_streams > 1 ? (struct kept){UINT32_MAX, 0}
					   : (struct kept){p->parts[i].start,
						     p->parts[i].end};
	for (uint32_t i = 0; kept && p->n_streams > 1 && i < p->n_items; i++)
		if (roles[i] != TIED_NOT && p->items[i].buffer != NONE)
			keep(p, &p->items[i], kept);
	return kept;
}

/* Bytes of a tensor that has aliases: as long as any of them needs these. */
static void part_row(struct sink *sink, const struct plan *plan,
	const struct item *root, const struct part *part,
	const struct kept *kept, struct arena *scratch)
{
	const struct problem *p = plan->problem;
	const char *id = root->id ? root->id : mp_problem_item_label(root);
	uint64_t low = num_max(part->base, root->base);
	uint64_t high =
		num_min(part->base + part->size, root->base + root->size);

	if (low >= high)
		return;
	mp_sink_cell(sink,
		mp_arena_print(scratch, "%s[%llu:%llu]@%u", id,
			(unsigned long long)(low - root->base),
			(unsigned long long)(high - root->base), kept->start));
	mp_sink_text(sink, ",");
	mp_sink_i64(sink, mp_problem_time(p, kept->start));
	mp_sink_text(sink, ",");
	mp_sink_i64(sink, mp_problem_time(p, kept->end));
	mp_sink_text(sink, ",");
	mp_sink_u64(sink, high - low);
	if (p->ties.n_gaps > 0)
		mp_sink_text(sink, ",");
	place(sink, plan, part->buffer, plan->offsets[part->buffer] + low);
}

/* Of the parts of its buffer, those that are its own: there may be others'
 * beside them, as of states. */
static void part_rows(struct sink *sink, const struct plan *plan,
	const struct item *root, const struct kept *kept, struct arena *scratch)
{
	const struct problem *p = plan->problem;
	const struct buffer *buffer = &p->buffers[root->buffer];

	for (uint32_t i = 0; i < buffer->n_parts; i++) {
		struct arena_mark mark = mp_arena_mark(scratch);
		uint32_t part = buffer->first_part + i;

		part_row(sink, plan, root, &p->parts[part], &kept[part],
			scratch);
		mp_arena_rewind(scratch, mark);
	}
}

/* ------------------------------------------------------------- rows */

static void row_of(struct sink *sink, const struct plan *plan,
	struct tied *tied, const uint8_t *roles, const struct kept *kept,
	struct arena *scratch)
{
	const struct item *item = &plan->problem->items[tied->item];

	if (item->external ||
		(roles[tied->item] == TIED_ALIAS && item->buffer != NONE))
		return;
	if (roles[tied->item] == TIED_ROOT && item->buffer != NONE)
		part_rows(sink, plan, item, kept, scratch);
	else
		built_row(sink, plan, item, tied);
}

static bool rows(
	struct sink *sink, const struct plan *plan, struct arena *scratch)
{
	const struct problem *p = plan->problem;
	const uint8_t *roles = mp_emit_tied_roles(p, scratch);
	const struct kept *kept = roles ? list_kept(p, roles, scratch) : NULL;
	struct tied tied = {0};

	mp_sink_text(sink, p->ties.n_gaps > 0 ? "id,lower,upper,size,gaps"
					      : "id,lower,upper,size");
	mp_sink_text(sink, place_header(plan));
	for (; kept && tied.item < p->n_items; tied.item++)
		row_of(sink, plan, &tied, roles, kept, scratch);
	return kept != NULL;
}

static void rows_as_read(struct sink *sink, const struct plan *plan)
{
	const struct problem *p = plan->problem;

	mp_sink_text(sink, p->csv_header);
	mp_sink_text(sink, place_header(plan));
	for (uint32_t i = 0; i < p->n_items; i++)
		row_with_offset(sink, plan, &p->items[i]);
}

static bool refuse(const struct problem *p, const struct item *a,
	const struct item *b, struct error *e)
{
	return mp_fail(e, MEMPLAN_EUSAGE,
		"%s: CSV has no branches: '%.80s' and '%.80s' may have the "
		"same bytes at the same time",
		p->name, mp_problem_item_label(a), mp_problem_item_label(b));
}

/* Two branches of a choice, if any are left of what the input says. */
static bool check_branches(
	const struct problem *p, struct arena *scratch, struct error *e)
{
	const struct item **first =
		NEW(scratch, const struct item *, p->n_choices);

	if (!first)
		return false;
	for (uint32_t i = 0; p->choice && i < p->n_items; i++) {
		const struct item *item = &p->items[i], **of;

		if (item->buffer == NONE || p->choice[item->buffer] == NONE)
			continue;
		of = &first[p->choice[item->buffer]];
		if (!*of)
			*of = item;
		else if (mp_problem_exclusive(p, (*of)->buffer, item->buffer))
			return refuse(p, *of, item, e);
	}
	return true;
}

static void warn_of_losses(const struct problem *p, struct error *e)
{
	const struct {
		uint32_t n;
		const char *what;
	} losses[] = {
		{p->n_streams > 1 ? p->n_streams : 0, "streams"},
		{p->ties.n_apart, "pairs apart"},
		{p->ties.n_reserved, "reserved ranges"},
		{p->ties.n_groups, "groups"},
	};

	for (uint32_t i = 0; i < countof(losses); i++)
		if (losses[i].n > 0)
			mp_warn(e,
				"%s: CSV has no column for %s: its offsets "
				"keep to them, but who plans the file anew "
				"does not know them",
				p->name, losses[i].what);
}

bool mp_emit_csv(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e)
{
	const struct problem *p = plan->problem;

	if (has_rows(p)) {
		rows_as_read(sink, plan);
		return e->code == MEMPLAN_OK;
	}
	if (!check_branches(p, scratch, e))
		return false;
	warn_of_losses(p, e);
	return rows(sink, plan, scratch) && e->code == MEMPLAN_OK;
}
