/*
 * The column of gaps: a list, separated by blanks, of `lower-upper`, in which
 * the buffer needs no bytes, or `lower-upper@low:high`, in which it needs only
 * bytes [low, high).
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "input/csv/csv.h"

static bool fail_gaps(const struct csv *csv, const struct cell *cell)
{
	return mp_input_csv_fail_cell(csv, "gaps", cell,
		"a list like '2-5 7-9', or '2-5@0:64' where bytes 0 to 64 are "
		"needed in between");
}

/* Takes the number before a separator; its first byte may be a sign. */
static bool number_to(struct cell *cell, char separator, int64_t *value)
{
	struct cell number = *cell;
	const char *end;

	if (cell->at == cell->end)
		return false;
	end = memchr(
		cell->at + 1, separator, (size_t)(cell->end - cell->at - 1));
	if (!end)
		return false;
	number.end = end;
	cell->at = end + 1;
	return mp_input_csv_number(&number, value);
}

static bool read_window(struct cell *cell, struct lifetime_gap *gap)
{
	int64_t low, high;

	if (!number_to(cell, ':', &low) || !mp_input_csv_number(cell, &high) ||
		low < 0 || high <= low)
		return false;
	gap->low = (uint64_t)low;
	gap->high = (uint64_t)high;
	return true;
}

static bool read_gap(struct cell item, bool inclusive, struct lifetime_gap *gap,
	struct time_span *span)
{
	struct cell upper = item;
	const char *at = memchr(item.at, '@', (size_t)(item.end - item.at));

	if (at)
		upper.end = at;
	if (!number_to(&upper, '-', &span->start) ||
		!mp_input_csv_number(&upper, &span->end) ||
		(inclusive && span->end == INT64_MAX))
		return false;
	span->end += inclusive;
	item.at = at ? at + 1 : item.end;
	return !at || read_window(&item, gap);
}

bool mp_input_csv_gaps(
	struct csv *csv, const struct cell *cell, uint32_t tensor)
{
	uint32_t from = csv->gaps.n;
	struct cell item = *cell;
	const char *fault;

	assert(tensor < csv->n_lines);
	for (; item.at < cell->end; item.at = item.end + 1) {
		struct lifetime_gap gap = {.tensor = tensor};
		struct time_span span;

		item.end = memchr(item.at, ' ', (size_t)(cell->end - item.at));
		item.end = item.end ? item.end : cell->end;
		if (item.at == item.end)
			continue;
		if (!read_gap(item, csv->inclusive, &gap, &span))
			return fail_gaps(csv, cell);
		if (!mp_input_gap_list_add(&csv->gaps, &gap, &span, csv->arena))
			return false;
	}
	fault = mp_input_gap_list_fault(&csv->gaps, from, &csv->spans[tensor],
		csv->graph->tensors[tensor].size);
	return !fault ||
	       mp_fail(csv->error, MEMPLAN_EINPUT, "%s:%u: gaps '%.*s' %s",
		       csv->file, csv->line,
		       (int)(cell->end - cell->at > 40 ? 40
						       : cell->end - cell->at),
		       cell->at, fault);
}
