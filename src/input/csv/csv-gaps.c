/*
 * The column of gaps: a list, separated by blanks, of `lower-upper`, in which
 * the buffer needs no bytes, or `lower-upper@low:high`, in which it needs only
 * bytes [low, high).
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "input/csv/csv.h"

static bool fail_gaps(const struct csv *csv, struct text cell)
{
	return mp_input_csv_fail_cell(csv, "gaps", cell,
		"a list like '2-5 7-9', or '2-5@0:64' where bytes 0 to 64 are "
		"needed in between");
}

static bool read_gap(struct text item, bool inclusive, struct lifetime_gap *gap,
	struct time_span *span)
{
	if (!mp_input_csv_take_number(&item, &span->start) ||
		!mp_input_lines_take(&item, "-") ||
		!mp_input_csv_take_number(&item, &span->end) ||
		(inclusive && span->end == INT64_MAX))
		return false;
	span->end += inclusive;
	if (item.at == item.end)
		return true;
	return mp_input_lines_take(&item, "@") &&
	       mp_input_lines_take_number(&item, INT64_MAX, &gap->low) &&
	       mp_input_lines_take(&item, ":") &&
	       mp_input_lines_number(item, INT64_MAX, &gap->high) &&
	       gap->low < gap->high;
}

bool mp_input_csv_gaps(struct csv *csv, struct text cell, uint32_t tensor)
{
	uint32_t from = csv->gaps.n;
	struct text rest = cell, item;
	const char *fault;

	assert(tensor < csv->n_lines);
	while (rest.at < rest.end) {
		struct lifetime_gap gap = {.tensor = tensor};
		struct time_span span;

		item = mp_input_lines_cut(&rest, ' ');
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
	       mp_input_lines_fail(&csv->lines, "gaps '%.*s' %s",
		       (int)num_min((uint64_t)(cell.end - cell.at), 40),
		       cell.at, fault);
}
