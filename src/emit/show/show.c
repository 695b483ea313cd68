/*
 * show: what is in a graph, for people: counts and sizes, what is alive at the
 * peak, and what each row of the order table makes of it.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "emit/inplace-report.h"
#include "emit/peak.h"
#include "emit/report.h"
#include "emit/rows.h"
#include "emit/show/show-pools.h"
#include "emit/show/written.h"

enum {
	SHOWN = 20,    /* tensors of the peak that are listed */
	LIFETIME = 48, /* room for two times */
};

/* Characters of the widest cell of a column. */
struct widths {
	uint32_t size, lifetime;
};

/* ------------------------------------------------------------- peak */

static void peak_title(struct sink *sink, const struct schedule *s, uint32_t n)
{
	const char *op = mp_schedule_op_name(s, s->problem.peak_step);

	mp_sink_print(sink, "\npeak at step %lld",
		(long long)mp_problem_time(&s->problem, s->problem.peak_step));
	if (op) {
		mp_sink_text(sink, ", op ");
		mp_sink_plain(sink, op, REPORT_NAME);
	}
	mp_sink_print(sink, ": %u tensors, ", n);
	mp_sink_bytes(sink, s->problem.listed_min);
	mp_sink_text(sink, "\n");
}

static void percent(struct sink *sink, uint64_t a, uint64_t b)
{
	mp_emit_report_pad(sink, 3, a == b ? 3 : a >= b / 10 ? 2 : 1);
	mp_sink_percent(sink, a, b);
	mp_sink_text(sink, " %");
}

/* "[3, 7)". Returns the number of characters. */
static uint32_t lifetime(
	const struct schedule *s, const struct stay *stay, char *text)
{
	return (uint32_t)snprintf(text, LIFETIME, "[%lld, %lld)",
		(long long)mp_problem_time(&s->problem, stay->start),
		(long long)mp_problem_time(&s->problem, stay->end));
}

/* An alias keeps bytes of another tensor. */
static void kept_root(
	struct sink *sink, const struct schedule *s, uint32_t tensor)
{
	const struct tensor_alias *alias =
		mp_graph_ties_alias(&s->graph->ties, tensor);

	if (!alias)
		return;
	mp_sink_text(sink, ", keeps bytes of ");
	mp_sink_plain(sink,
		mp_graph_tensor_label(&s->graph->tensors[alias->root]),
		REPORT_NAME);
}

static void peak_line(struct sink *sink, const struct schedule *s,
	const struct alive *alive, uint64_t sum, const struct widths *widths)
{
	const struct tensor *tensor = &s->graph->tensors[alive->tensor];
	char text[LIFETIME];
	uint32_t length = lifetime(s, &s->stay[alive->tensor], text);

	mp_sink_text(sink, "  ");
	mp_emit_report_pad(sink, widths->size, mp_text_digits(alive->size));
	mp_sink_u64(sink, alive->size);
	mp_sink_text(sink, "  ");
	percent(sink, alive->size, s->problem.listed_min);
	mp_sink_text(sink, "  ");
	percent(sink, sum, s->problem.listed_min);
	mp_sink_text(sink, "  ");
	mp_sink_text(sink, text);
	mp_emit_report_pad(sink, widths->lifetime + 2, length);
	mp_sink_plain(sink, mp_graph_tensor_label(tensor), REPORT_NAME);
	if (tensor->kind != KIND_ACTIVATION)
		mp_sink_print(sink, " (%s)", mp_graph_kind_name(tensor->kind));
	kept_root(sink, s, alive->tensor);
	mp_sink_text(sink, "\n");
}

static void peak_lines(struct sink *sink, const struct schedule *s,
	const struct alive *alive, uint32_t n)
{
	struct widths widths = {5, 5};
	char text[LIFETIME];
	uint32_t length;
	uint64_t sum = 0;

	if (mp_text_digits(alive[0].size) > widths.size)
		widths.size = mp_text_digits(alive[0].size);
	for (uint32_t i = 0; i < n; i++) {
		length = lifetime(s, &s->stay[alive[i].tensor], text);
		if (length > widths.lifetime)
			widths.lifetime = length;
	}
	mp_emit_report_pad(sink, widths.size - 3, 0);
	mp_sink_text(sink, "bytes    share      sum  alive");
	mp_emit_report_pad(sink, widths.lifetime + 2, 5);
	mp_sink_text(sink, "tensor\n");
	for (uint32_t i = 0; i < n; i++) {
		sum += alive[i].size;
		peak_line(sink, s, &alive[i], sum, &widths);
	}
}

static bool peak(
	struct sink *sink, const struct schedule *s, struct arena *scratch)
{
	uint32_t n;
	struct alive *alive =
		mp_emit_peak_alive(s, s->problem.peak_step, &n, scratch);
	uint64_t rest = 0;

	if (!alive)
		return false;
	if (n == 0)
		return true;
	peak_title(sink, s, n);
	peak_lines(sink, s, alive, n < SHOWN ? n : SHOWN);
	for (uint32_t i = SHOWN; i < n; i++)
		rest += alive[i].size;
	if (n > SHOWN) {
		mp_sink_print(sink, "  and %u more, ", n - SHOWN);
		mp_sink_bytes(sink, rest);
		mp_sink_text(sink, "\n");
	}
	return true;
}

/* ----------------------------------------------------------- orders */

static uint64_t best_bound(const struct results *results)
{
	uint64_t bound = 0;

	for (uint32_t i = 0; i < results->n_orders; i++)
		bound = num_max(bound, results->orders[i].lower_bound);
	return bound;
}

struct order_widths {
	uint32_t name, peak;
};

static struct order_widths measure(const struct results *results)
{
	struct order_widths widths = {5, 7};

	for (uint32_t i = 0; i < results->n_orders; i++) {
		uint32_t name = (uint32_t)strlen(results->orders[i].name);
		uint32_t peak = mp_text_digits(results->orders[i].peak);

		widths.name = name > widths.name ? name : widths.name;
		widths.peak = peak > widths.peak ? peak : widths.peak;
	}
	return widths;
}

static void order_line(struct sink *sink, const struct order_result *order,
	uint64_t bound, const struct order_widths *widths)
{
	mp_sink_print(sink, "  %-*s  ", (int)widths->name, order->name);
	mp_emit_report_pad(sink, widths->peak, mp_text_digits(order->peak));
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

static void orders(struct sink *sink, const struct results *results)
{
	uint64_t bound = best_bound(results);
	struct order_widths widths = measure(results);

	if (results->n_orders == 0)
		return;
	mp_sink_print(sink, "\n  %-*s  ", (int)widths.name, "order");
	mp_emit_report_pad(sink, widths.peak, 7);
	mp_sink_text(sink, "minimum  ratio  ops moved  seconds\n");
	for (uint32_t i = 0; i < results->n_orders; i++)
		order_line(sink, &results->orders[i], bound, &widths);
	if (results->n_orders_left)
		mp_sink_print(sink,
			"  %u rows take longer and are left out: --orders "
			"measures them\n",
			results->n_orders_left);
	if (bound) {
		mp_sink_text(sink, "  no order needs less than ");
		mp_sink_bytes(sink, bound);
		mp_sink_text(sink, "\n");
	}
}

bool mp_emit_show(const struct results *results, struct sink *sink,
	struct arena *scratch, struct error *e)
{
	const struct schedule *s = results->schedule;

	mp_emit_report_head(sink, s);
	mp_emit_report_size(sink, "no reuse", s->problem.total_size, s);
	mp_sink_text(sink, "\n");
	mp_emit_report_minimum(sink, s);
	mp_sink_text(sink, "\n");
	if (!mp_emit_memories_text(sink, s, scratch) ||
		!peak(sink, s, scratch) ||
		!mp_emit_inplace_text(sink, s, scratch))
		return false;
	mp_emit_alias_writes_text(sink, s);
	orders(sink, results);
	return e->code == MEMPLAN_OK;
}
