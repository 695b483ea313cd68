/*
 * show: what is in a graph, for people: counts and sizes, who is alive at the
 * peak, and what each row of the order table makes of it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/peak.h"
#include "emit/report.h"
#include "emit/rows.h"

enum {
	SHOWN = 20, /* tensors of the peak that are listed */
};

/* -------------------------------------------------------------------- peak */

static void peak_title(struct sink *sink, const struct problem *p, uint32_t n)
{
	const struct step *op = mp_peak_op(p);

	mp_sink_print(sink, "\npeak at step %lld",
		(long long)mp_problem_time(p, p->peak_step));
	if (op && (op->name[0] || op->type)) {
		mp_sink_text(sink, ", op ");
		mp_sink_plain(
			sink, op->name[0] ? op->name : op->type, REPORT_NAME);
	}
	mp_sink_print(sink, ": %u tensors, ", n);
	mp_sink_bytes(sink, p->theoretical_min);
	mp_sink_text(sink, "\n");
}

static void percent(struct sink *sink, uint64_t a, uint64_t b)
{
	mp_report_pad(sink, 3, a == b ? 3 : a >= b / 10 ? 2 : 1);
	mp_sink_percent(sink, a, b);
	mp_sink_text(sink, " %");
}

static void peak_line(struct sink *sink, const struct problem *p,
	const struct alive *alive, uint64_t sum, uint32_t width)
{
	const struct item *item = &p->items[alive->item];

	mp_sink_text(sink, "  ");
	mp_report_pad(sink, width, mp_text_digits(alive->size));
	mp_sink_u64(sink, alive->size);
	mp_sink_text(sink, "  ");
	percent(sink, alive->size, p->theoretical_min);
	mp_sink_text(sink, "  ");
	percent(sink, sum, p->theoretical_min);
	mp_sink_text(sink, "  ");
	mp_sink_plain(sink, mp_item_label(item), REPORT_NAME);
	mp_sink_print(sink, ", alive in [%lld, %lld)",
		(long long)mp_problem_time(p, item->start),
		(long long)mp_problem_time(p, item->end));
	if (item->kind != ITEM_ACTIVATION)
		mp_sink_print(sink, ", %s", mp_text_kind(item->kind));
	mp_sink_text(sink, "\n");
}

static bool peak(
	struct sink *sink, const struct problem *p, struct arena *scratch)
{
	uint32_t n, width;
	struct alive *alive = mp_peak_alive(p, &n, scratch);
	uint64_t sum = 0, rest = 0;

	if (!alive)
		return false;
	if (n == 0)
		return true;
	peak_title(sink, p, n);
	width = mp_text_digits(alive[0].size);
	width = width < 5 ? 5 : width;
	mp_report_pad(sink, width - 3, 0);
	mp_sink_text(sink, "bytes    share      sum  tensor\n");
	for (uint32_t i = 0; i < n && i < SHOWN; i++) {
		sum += alive[i].size;
		peak_line(sink, p, &alive[i], sum, width);
	}
	for (uint32_t i = SHOWN; i < n; i++)
		rest += alive[i].size;
	if (n > SHOWN) {
		mp_sink_print(sink, "  and %u more, ", n - SHOWN);
		mp_sink_bytes(sink, rest);
		mp_sink_text(sink, "\n");
	}
	return true;
}

/* ------------------------------------------------------------------ orders */

static uint64_t best_bound(const struct plan *plan)
{
	uint64_t bound = 0;

	for (uint32_t i = 0; i < plan->n_orders; i++)
		bound = num_max(bound, plan->orders[i].lower_bound);
	return bound;
}

static uint32_t widest_peak(const struct plan *plan)
{
	uint32_t width = 7;

	for (uint32_t i = 0; i < plan->n_orders; i++)
		if (mp_text_digits(plan->orders[i].peak) > width)
			width = mp_text_digits(plan->orders[i].peak);
	return width;
}

static void order_line(struct sink *sink, const struct order_result *order,
	uint64_t bound, uint32_t width)
{
	mp_sink_print(sink, "  %-12s  ", order->name);
	mp_report_pad(sink, width, mp_text_digits(order->peak));
	mp_sink_u64(sink, order->peak);
	mp_sink_text(sink, "  ");
	if (bound)
		mp_sink_ratio(sink, order->peak, bound, 3);
	else
		mp_sink_text(sink, "    -");
	mp_sink_print(sink, "  %9u  ", order->moved);
	mp_sink_seconds(sink, order->seconds);
	mp_sink_text(sink, "\n");
}

static void orders(struct sink *sink, const struct plan *plan)
{
	uint64_t bound = best_bound(plan);
	uint32_t width = widest_peak(plan);

	if (plan->n_orders == 0)
		return;
	mp_sink_text(sink, "\n  order         ");
	mp_report_pad(sink, width, 7);
	mp_sink_text(sink, "minimum  ratio  ops moved  seconds\n");
	for (uint32_t i = 0; i < plan->n_orders; i++)
		order_line(sink, &plan->orders[i], bound, width);
	if (bound) {
		mp_sink_text(sink, "  no order needs less than ");
		mp_sink_bytes(sink, bound);
		mp_sink_text(sink, "\n");
	}
}

bool mp_emit_show(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e)
{
	const struct problem *p = plan->problem;

	mp_report_head(sink, p);
	mp_report_size(sink, "no reuse", p->total_size, p);
	mp_sink_text(sink, "\n");
	mp_report_size(sink, "minimum", p->theoretical_min, p);
	mp_sink_text(sink, "\n");
	if (!peak(sink, p, scratch))
		return false;
	orders(sink, plan);
	return e->code == MEMPLAN_OK;
}
