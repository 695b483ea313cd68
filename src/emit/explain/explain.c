/*
 * explain: what binds the peak, for people: what is alive there and until when,
 * what binds next, whether the order or the placement is to blame, and what
 * would lower it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/explain/explain.h"

#include <assert.h>
#include <string.h>

#include "emit/columns.h"
#include "emit/peak.h"
#include "emit/report.h"
#include "emit/rows.h"

enum {
	SHOWN = 10, /* tensors of the peak that are explained */
};

/* ------------------------------------------------------------- text */

/* "step 7 (conv2)" */
void mp_emit_explain_step(
	struct sink *sink, const struct schedule *s, uint32_t step)
{
	const char *op = mp_schedule_op_name(s, step);

	assert(step <= s->problem.n_steps);
	mp_sink_print(sink, "step %lld",
		(long long)mp_problem_time(&s->problem, step));
	if (!op)
		return;
	mp_sink_text(sink, " (");
	mp_sink_plain(sink, op, REPORT_NAME);
	mp_sink_text(sink, ")");
}

void mp_emit_explain_less(struct sink *sink, uint64_t now, uint64_t then)
{
	assert(then <= now);
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
	mp_emit_report_tensor(sink, s, alias->root);
	mp_sink_text(sink, ", ");
}

void mp_emit_explain_birth(struct sink *sink, const struct uses *uses,
	const struct schedule *s, uint32_t tensor)
{
	assert(tensor < s->graph->n_tensors);
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

	assert(tensor < s->graph->n_tensors);
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

static void tensor(struct sink *cells, const struct uses *uses,
	const struct schedule *s, const struct alive *alive)
{
	mp_emit_columns_number(cells, alive->size);
	mp_sink_percent(cells, alive->size, s->problem.listed_min);
	mp_sink_text(cells, " %\t");
	mp_emit_columns_number(
		cells, mp_problem_uses_without(s, alive->tensor).load);
	mp_emit_report_life(cells, s, alive->tensor);
	mp_sink_text(cells, "\t");
	mp_sink_plain(cells,
		mp_graph_tensor_label(&s->graph->tensors[alive->tensor]),
		REPORT_NAME);
	mp_sink_text(cells, "\n");
	if (s->graph->n_ops == 0)
		return;
	/* Below the tensor's name. */
	mp_sink_text(cells, "\t\t\t\t");
	mp_emit_explain_birth(cells, uses, s, alive->tensor);
	mp_sink_text(cells, ", ");
	mp_emit_explain_ending(cells, uses, s, alive->tensor);
	mp_sink_text(cells, "\n");
}

static void next_bottleneck(
	struct sink *sink, const struct schedule *s, uint32_t largest)
{
	struct bottleneck next = mp_problem_uses_without(s, largest);
	bool less = next.load < s->problem.listed_min;

	mp_emit_report_label(sink, "next");
	mp_sink_text(sink, less ? "without " : "even without ");
	mp_emit_report_tensor(sink, s, largest);
	mp_sink_text(sink, ", ");
	mp_emit_explain_step(sink, s, next.step);
	mp_sink_text(sink, less ? " binds: " : " has the same load\n");
	if (!less)
		return;
	mp_emit_explain_less(sink, s->problem.listed_min, next.load);
	mp_sink_text(sink, "\n");
}

static void peak_title(struct sink *sink, const struct schedule *s, uint32_t n)
{
	uint32_t peaks = 0;

	for (uint32_t k = 0; k < s->problem.n_steps; k++)
		peaks += s->problem.load[k] == s->problem.listed_min;
	mp_sink_text(sink, "\npeak at ");
	mp_emit_explain_step(sink, s, s->problem.peak_step);
	mp_sink_print(sink, ": %u tensor%s, ", n, n == 1 ? "" : "s");
	mp_sink_bytes(sink, s->problem.listed_min);
	if (peaks > 1)
		mp_sink_print(sink, "; %u steps have this load", peaks);
	mp_sink_text(sink, "\n\n");
}

static void peak(struct sink *sink, const struct uses *uses,
	const struct schedule *s, const struct alive *alive, uint32_t n)
{
	/* Two columns of one width, as wide as the title of one. */
	uint32_t width = (uint32_t)num_max(
		mp_text_digits(s->problem.listed_min), strlen("without it"));
	const struct column columns[] = {{2, width, false}, {2, 7, false},
		{2, width, false}, {2, 0, true}, {2, 0, true}};
	struct sink cells = mp_emit_columns_begin(sink);

	assert(n > 0);
	peak_title(sink, s, n);
	mp_sink_text(&cells, "bytes\tshare\twithout it\talive\ttensor\n");
	for (uint32_t i = 0; i < n && i < SHOWN; i++)
		tensor(&cells, uses, s, &alive[i]);
	mp_emit_columns_print(sink, &cells, columns, countof(columns));
	mp_emit_report_rest(sink, alive, n, SHOWN);
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
