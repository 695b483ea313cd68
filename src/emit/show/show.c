/*
 * show: what is in a graph, for people: counts and sizes, what is alive at the
 * peak, and what each row of the order table makes of it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/inside.h"

#include <assert.h>
#include <inttypes.h>

#include "emit/report.h"
#include "emit/rows.h"

enum {
	SHOWN = 20, /* tensors of the peak that are listed */
};

/* ------------------------------------------------------------- peak */

static void peak_title(struct sink *sink, const struct schedule *s, uint32_t n)
{
	const char *op = mp_schedule_op_name(s, s->problem.peak_step);

	mp_sink_print(sink, "\npeak at %s %" PRId64 "%s%s: %u tensor%s, %s\n",
		mp_problem_axis(&s->problem),
		mp_problem_time(&s->problem, s->problem.peak_step),
		op ? ", op " : "", mp_emit_plain(op ? op : "").text, n,
		mp_text_plural(n), mp_emit_bytes(s->problem.listed_min).text);
}

static void peak_lines(struct sink *sink, const struct labels *labels,
	const struct alive *alive, uint32_t n)
{
	static const struct column columns[] = {{2, 0, false}, {2, 7, false},
		{2, 7, false}, {2, 0, true}, {2, 0, true}};
	struct sink cells = mp_emit_columns_begin(sink);
	const struct schedule *s = labels->schedule;
	uint64_t sum = 0, all = s->problem.listed_min;

	mp_sink_text(&cells, "bytes\tshare\tsum\talive\ttensor\n");
	for (uint32_t i = 0; i < n; i++) {
		const struct tensor *tensor =
			&s->graph->tensors[alive[i].tensor];
		const struct tensor_alias *alias =
			mp_graph_ties_alias(&s->graph->ties, alive[i].tensor);

		assert(i == 0 || alive[i].size <= alive[i - 1].size);
		sum += alive[i].size;
		mp_sink_print(&cells, "%" PRIu64 "\t%s %%\t%s %%\t%s\t%s",
			alive[i].size, mp_emit_percent(alive[i].size, all).text,
			mp_emit_percent(sum, all).text,
			mp_emit_label_life(labels, alive[i].tensor).text,
			mp_emit_label(labels, alive[i].tensor).text);
		if (tensor->kind != KIND_ACTIVATION)
			mp_sink_print(&cells, " (%s)",
				mp_graph_kind_name(tensor->kind));
		if (alias && !mp_emit_labels_several(labels, alive[i].tensor))
			mp_sink_print(&cells, ", keeps bytes of %s",
				mp_emit_own(s, alias->root).text);
		mp_sink_text(&cells, "\n");
	}
	mp_emit_columns_print(sink, &cells, columns, countof(columns));
}

static void peak(
	struct sink *sink, const struct schedule *s, struct arena *scratch)
{
	struct labels labels;
	uint32_t n;
	struct alive *alive =
		mp_emit_peak_alive(s, s->problem.peak_step, &n, scratch);

	if (n == 0 || !mp_emit_labels_find(&labels, s, scratch))
		return;
	peak_title(sink, s, n);
	peak_lines(sink, &labels, alive, n < SHOWN ? n : SHOWN);
	mp_emit_report_rest(sink, alive, n, SHOWN);
}

/* ----------------------------------------------------------- orders */

static void orders(struct sink *sink, const struct results *results)
{
	uint64_t bound = 0;
	static const struct column columns[] = {{2, 0, true}, {2, 0, false},
		{2, 0, false}, {2, 0, false}, {2, 0, true}};
	struct sink cells = mp_emit_columns_begin(sink);

	if (results->n_orders == 0 || results->schedule->graph->n_ops == 0)
		return;
	for (uint32_t i = 0; i < results->n_orders; i++)
		bound = num_max(bound, results->orders[i].lower_bound);
	mp_sink_text(&cells, "order\tminimum\tratio\tops moved\tseconds\n");
	for (uint32_t i = 0; i < results->n_orders; i++) {
		const struct order_result *order = &results->orders[i];

		mp_sink_print(
			&cells, "%s\t%" PRIu64 "\t", order->name, order->peak);
		if (bound)
			mp_sink_ratio(&cells, order->peak, bound, 3);
		else
			mp_sink_text(&cells, "-");
		mp_sink_print(&cells, "\t%u\t", order->moved);
		mp_sink_seconds(&cells, order->seconds);
		mp_sink_text(&cells, "\n");
	}
	mp_sink_text(sink, "\n");
	mp_emit_columns_print(sink, &cells, columns, countof(columns));
	if (results->n_orders_left)
		mp_sink_print(sink,
			"  left out: %u row%s that would take longer; --orders "
			"measures all\n",
			results->n_orders_left,
			mp_text_plural(results->n_orders_left));
	if (bound)
		mp_sink_print(sink, "  no order needs less than %s\n",
			mp_emit_bytes(bound).text);
}

void mp_emit_show(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	const struct schedule *s = results->schedule;

	mp_emit_report_head(sink, s);
	if (s->graph->note)
		mp_sink_print(sink, "  note         %s\n", s->graph->note);
	if (s->graph->wanting) {
		mp_sink_text(sink, "  open         ");
		mp_sink_plain(sink, s->graph->wanting, UINT32_MAX);
		mp_sink_text(sink, "; these figures guess\n");
	}
	mp_sink_print(sink, "  no reuse     %s\n",
		mp_emit_size(s, s->problem.total_size).text);
	mp_emit_report_minimum(sink, s);
	mp_emit_memories_text(sink, s, scratch);
	peak(sink, s, scratch);
	mp_emit_inplace_text(sink, results, scratch);
	mp_emit_alias_writes_text(sink, s);
	mp_emit_loops_text(sink, s, scratch);
	orders(sink, results);
}
