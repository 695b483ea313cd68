/*
 * csv: MiniMalloc's columns and an offset. A CSV input comes out as it went in,
 * row for row, with the offset behind; any other input becomes one row a
 * tensor.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "emit/rows.h"
#include "emit/text.h"

static bool has_rows(const struct problem *p)
{
	if (!p->csv_header)
		return false;
	for (uint32_t i = 0; i < p->n_items; i++)
		if (!p->items[i].row)
			return false;
	return true;
}

static void row_with_offset(
	struct sink *sink, const struct plan *plan, const struct item *item)
{
	mp_sink_text(sink, item->row);
	mp_sink_text(sink, ",");
	mp_sink_u64(sink, mp_plan_offset(plan, item));
	mp_sink_text(sink, "\n");
}

static void built_row(
	struct sink *sink, const struct plan *plan, const struct item *item)
{
	const struct problem *p = plan->problem;

	if (item->id && item->id_is_number)
		mp_sink_text(sink, item->id);
	else
		mp_sink_cell(sink, item->id ? item->id : mp_item_label(item));
	mp_sink_text(sink, ",");
	mp_sink_i64(sink, mp_problem_time(p, item->start));
	mp_sink_text(sink, ",");
	mp_sink_i64(sink, mp_problem_time(p, item->end));
	mp_sink_text(sink, ",");
	mp_sink_u64(sink, item->size);
	mp_sink_text(sink, ",");
	mp_sink_u64(sink, mp_plan_offset(plan, item));
	mp_sink_text(sink, "\n");
}

bool mp_emit_csv(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e)
{
	const struct problem *p = plan->problem;
	bool as_read = has_rows(p);

	(void)scratch;
	mp_sink_text(sink, as_read ? p->csv_header : "id,lower,upper,size");
	mp_sink_text(sink, ",offset\n");
	for (uint32_t i = 0; i < p->n_items; i++) {
		if (as_read)
			row_with_offset(sink, plan, &p->items[i]);
		else if (!p->items[i].external)
			built_row(sink, plan, &p->items[i]);
	}
	return e->code == MEMPLAN_OK;
}
