/*
 * explain: what binds the peak, for people: what is alive there and until when,
 * what binds next, whether the order or the placement is to blame, and what
 * would lower it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/explain/explain.h"

#include <stdio.h>
#include <string.h>

#include "emit/peak.h"
#include "emit/report.h"
#include "emit/rows.h"

enum {
	SHOWN = 10, /* tensors of the peak that are explained */
};

struct widths {
	uint32_t bytes, alive;
};

/* ------------------------------------------------------------- text */

/* "step 7 (conv2)" */
void mp_emit_explain_step(
	struct sink *sink, const struct schedule *s, uint32_t step)
{
	const char *op = mp_schedule_op_name(s, step);

	mp_sink_print(sink, "step %lld",
		(long long)mp_problem_time(&s->problem, step));
	if (!op)
		return;
	mp_sink_text(sink, " (");
	mp_sink_plain(sink, op, REPORT_NAME);
	mp_sink_text(sink, ")");
}

void mp_emit_explain_name(
	struct sink *sink, const struct schedule *s, uint32_t tensor)
{
	mp_sink_text(sink, "'");
	mp_sink_plain(sink, mp_graph_tensor_label(&s->graph->tensors[tensor]),
		REPORT_NAME);
	mp_sink_text(sink, "'");
}

void mp_emit_explain_less(struct sink *sink, uint64_t now, uint64_t then)
{
	mp_sink_bytes(sink, then);
	mp_sink_text(sink, ", ");
	mp_sink_percent(sink, now - then, now);
	mp_sink_text(sink, " % less");
}

static void bytes_of(
	struct sink *sink, const struct schedule *s, uint32_t tensor)
{
	const struct tensor_alias *alias =
		mp_graph_ties_alias(&s->graph->ties, tensor);

	if (!alias)
		return;
	mp_sink_text(sink, "bytes of ");
	mp_emit_explain_name(sink, s, alias->root);
	mp_sink_text(sink, ", ");
}

void mp_emit_explain_birth(struct sink *sink, const struct uses *uses,
	const struct schedule *s, uint32_t tensor)
{
	bytes_of(sink, s, tensor);
	if (uses->born[tensor] == NONE) {
		mp_sink_text(sink, s->graph->n_ops
					   ? "there from the start"
					   : "no op is known to make it");
		return;
	}
	mp_sink_text(sink, "made at ");
	mp_emit_explain_step(sink, s, uses->born[tensor]);
}

static bool has_views(const struct schedule *s, uint32_t tensor)
{
	for (uint32_t i = 0; i < s->graph->ties.n_aliases; i++)
		if (s->graph->ties.aliases[i].root == tensor)
			return true;
	return false;
}

void mp_emit_explain_ending(struct sink *sink, const struct uses *uses,
	const struct schedule *s, uint32_t tensor)
{
	struct ending ending = mp_problem_uses_ending(uses, s, tensor);

	switch (ending.reason) {
	case ALIVE_FOR_READER:
		mp_sink_text(sink, "kept for ");
		mp_emit_explain_step(sink, s, ending.step);
		break;
	case ALIVE_TO_END:
		mp_sink_text(sink, "kept to the end: ");
		mp_sink_text(sink,
			mp_graph_kind_name(s->graph->tensors[tensor].kind));
		break;
	case ALIVE_TAKEN_OVER:
		mp_sink_text(sink, "written over in place at ");
		mp_emit_explain_step(sink, s, ending.step);
		break;
	case ALIVE_UNREAD:
		mp_sink_text(sink, has_views(s, tensor) ? "kept for its views"
							: "read by nobody");
		break;
	case ALIVE_AS_SAID:
		mp_sink_text(sink, s->graph->n_ops
					   ? "kept on: the input says so"
					   : "the input fixes its lifetime");
		break;
	}
}

/* ------------------------------------------------------------- peak */

static uint32_t lifetime(
	const struct schedule *s, const struct stay *stay, char *text, size_t n)
{
	return (uint32_t)snprintf(text, n, "[%lld, %lld)",
		(long long)mp_problem_time(&s->problem, stay->start),
		(long long)mp_problem_time(&s->problem, stay->end));
}

static struct widths measure(
	const struct schedule *s, const struct alive *alive, uint32_t n)
{
	struct widths widths = {10, 5};
	char text[64];
	uint32_t length = mp_text_digits(s->problem.listed_min);

	widths.bytes = length > widths.bytes ? length : widths.bytes;
	for (uint32_t i = 0; i < n; i++) {
		length = lifetime(
			s, &s->stay[alive[i].tensor], text, sizeof(text));
		widths.alive = length > widths.alive ? length : widths.alive;
	}
	return widths;
}

static void number(struct sink *sink, uint32_t width, uint64_t value)
{
	mp_emit_report_pad(sink, width + 2, mp_text_digits(value));
	mp_sink_u64(sink, value);
}

static void titles(struct sink *sink, const struct widths *widths)
{
	mp_emit_report_pad(sink, widths->bytes + 2, 5);
	mp_sink_text(sink, "bytes    share");
	mp_emit_report_pad(sink, widths->bytes + 2, 10);
	mp_sink_text(sink, "without it  alive");
	mp_emit_report_pad(sink, widths->alive + 2, 5);
	mp_sink_text(sink, "tensor\n");
}

/* A line below the tensor's name. */
static void life(struct sink *sink, const struct uses *uses,
	const struct schedule *s, uint32_t tensor, const struct widths *widths)
{
	mp_emit_report_pad(sink, 2 * widths->bytes + widths->alive + 17, 0);
	mp_emit_explain_birth(sink, uses, s, tensor);
	mp_sink_text(sink, ", ");
	mp_emit_explain_ending(sink, uses, s, tensor);
	mp_sink_text(sink, "\n");
}

static void tensor(struct sink *sink, const struct uses *uses,
	const struct schedule *s, const struct alive *alive,
	const struct widths *widths)
{
	struct bottleneck next = mp_problem_uses_without(s, alive->tensor);
	char text[64];

	lifetime(s, &s->stay[alive->tensor], text, sizeof(text));
	number(sink, widths->bytes, alive->size);
	mp_emit_report_pad(sink, 5,
		alive->size == s->problem.listed_min	    ? 3
		: alive->size >= s->problem.listed_min / 10 ? 2
							    : 1);
	mp_sink_percent(sink, alive->size, s->problem.listed_min);
	mp_sink_text(sink, " %");
	number(sink, widths->bytes, next.load);
	mp_sink_print(sink, "  %-*s  ", (int)widths->alive, text);
	mp_sink_plain(sink,
		mp_graph_tensor_label(&s->graph->tensors[alive->tensor]),
		REPORT_NAME);
	mp_sink_text(sink, "\n");
	if (s->graph->n_ops > 0)
		life(sink, uses, s, alive->tensor, widths);
}

static void next_bottleneck(
	struct sink *sink, const struct schedule *s, uint32_t largest)
{
	struct bottleneck next = mp_problem_uses_without(s, largest);
	bool less = next.load < s->problem.listed_min;

	mp_emit_report_label(sink, "next");
	mp_sink_text(sink, less ? "without " : "even without ");
	mp_emit_explain_name(sink, s, largest);
	mp_sink_text(sink, ", ");
	mp_emit_explain_step(sink, s, next.step);
	mp_sink_text(sink, less ? " binds: " : " has the same load\n");
	if (!less)
		return;
	mp_emit_explain_less(sink, s->problem.listed_min, next.load);
	mp_sink_text(sink, "\n");
}

static uint32_t count_peaks(const struct schedule *s)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < s->problem.n_steps; k++)
		n += s->problem.load[k] == s->problem.listed_min;
	return n;
}

static void peak_title(struct sink *sink, const struct schedule *s, uint32_t n)
{
	uint32_t peaks = count_peaks(s);

	mp_sink_text(sink, "\npeak at ");
	mp_emit_explain_step(sink, s, s->problem.peak_step);
	mp_sink_print(sink, ": %u tensor%s, ", n, n == 1 ? "" : "s");
	mp_sink_bytes(sink, s->problem.listed_min);
	if (peaks > 1)
		mp_sink_print(sink, "; %u steps have this load", peaks);
	mp_sink_text(sink, "\n\n");
}

static void rest(struct sink *sink, const struct alive *alive, uint32_t n)
{
	uint64_t sum = 0;

	for (uint32_t i = SHOWN; i < n; i++)
		sum += alive[i].size;
	if (n <= SHOWN)
		return;
	mp_sink_print(sink, "  and %u more, ", n - SHOWN);
	mp_sink_bytes(sink, sum);
	mp_sink_text(sink, "\n");
}

static void peak(struct sink *sink, const struct uses *uses,
	const struct schedule *s, const struct alive *alive, uint32_t n)
{
	uint32_t shown = n < SHOWN ? n : SHOWN;
	struct widths widths = measure(s, alive, shown);

	peak_title(sink, s, n);
	titles(sink, &widths);
	for (uint32_t i = 0; i < shown; i++)
		tensor(sink, uses, s, &alive[i], &widths);
	rest(sink, alive, n);
	mp_sink_text(sink, "\n");
	next_bottleneck(sink, s, alive[0].tensor);
}

/* ---------------------------------------------- order and placement */

static void order(struct sink *sink, const struct results *results)
{
	const struct schedule *s = results->schedule;
	const struct order_result *other = results->orders;

	if (results->n_orders == 0)
		return;
	mp_emit_report_label(sink, "order");
	if (other->peak < s->problem.theoretical_min) {
		mp_sink_print(sink, "--order %s needs ", other->name);
		mp_emit_explain_less(
			sink, s->problem.theoretical_min, other->peak);
	} else if (other->lower_bound >= s->problem.theoretical_min) {
		mp_sink_text(sink, "proved: no order needs less");
	} else {
		mp_sink_print(sink, "--order %s finds none that needs less",
			other->name);
	}
	if (other->lower_bound > 0 &&
		other->lower_bound < s->problem.theoretical_min) {
		mp_sink_text(sink, "; none needs less than ");
		mp_sink_u64(sink, other->lower_bound);
	}
	mp_sink_text(sink, "\n");
}

/* Streams that run beside each other keep more alive than the list says. */
static void streams(struct sink *sink, const struct schedule *s)
{
	if (s->problem.n_streams <= 1)
		return;
	mp_emit_report_label(sink, "streams");
	mp_sink_bytes(sink, s->problem.theoretical_min);
	mp_sink_print(sink,
		" may be alive at once, as %u streams run beside each other\n",
		s->problem.n_streams);
}

static void placement(struct sink *sink, const struct plan *plan)
{
	uint64_t least = plan->problem->theoretical_min;

	mp_emit_report_label(sink, "placement");
	mp_sink_text(sink, "arena ");
	mp_sink_bytes(sink, plan->arena_size);
	if (plan->arena_size == least) {
		mp_sink_text(sink, ": nothing is lost to gaps\n");
		return;
	}
	mp_sink_text(sink, ": ");
	mp_sink_u64(sink, plan->arena_size - least);
	mp_sink_text(sink, " above the theoretical minimum");
	if (plan->spaces.at)
		mp_sink_text(sink, ", in several pools\n");
	else
		mp_sink_text(sink, plan->arena_size == plan->lower_bound
					   ? ", which is proved necessary\n"
					   : "\n");
}

bool mp_emit_explain(const struct results *results, struct sink *sink,
	struct arena *scratch, struct error *e)
{
	const struct plan *plan = results->plan;
	const struct schedule *s = plan->schedule;
	struct uses uses;
	uint32_t n;
	struct alive *alive =
		mp_emit_peak_alive(s, s->problem.peak_step, &n, scratch);

	if (!alive || !mp_problem_uses_init(&uses, s, scratch))
		return false;
	mp_emit_report_head(sink, s);
	if (n > 0)
		peak(sink, &uses, s, alive, n);
	streams(sink, s);
	order(sink, results);
	placement(sink, plan);
	if (!mp_emit_explain_pools(sink, plan, scratch, e))
		return false;
	mp_emit_explain_pair(sink, results, &uses);
	mp_emit_explain_advice(sink, results);
	return e->code == MEMPLAN_OK;
}
