/*
 * explain: what binds the peak, for people: what is alive there and until when,
 * what binds next, whether the order or the placement is to blame, and what
 * would lower it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/explain/explain.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "emit/rows.h"

enum {
	SHOWN = 10, /* tensors of the peak that are explained */
};

/* ------------------------------------------------------------- peak */

/* Of several tensors the birth of the first one and the end of the one that
 * lives longest. */
static void story(struct sink *cells, const struct uses *uses,
	const struct labels *labels, uint32_t tensor)
{
	struct chain chain = {tensor, tensor, tensor, 1, KIND_ACTIVATION};
	const struct schedule *s = labels->schedule;

	if (mp_emit_labels_several(labels, tensor))
		chain = labels->chains.of[labels->chains.home[tensor]];
	mp_emit_explain_birth(cells, uses, s, chain.first);
	if (chain.n > 1 && uses->born[chain.last] != NONE)
		mp_sink_print(cells, ", the last of %u tensors at %s", chain.n,
			mp_emit_step(s, uses->born[chain.last]).text);
	mp_sink_text(cells, ", ");
	mp_emit_explain_ending(cells, uses, s, chain.longest);
}

struct bottleneck mp_emit_explain_without(
	const struct labels *labels, uint32_t tensor)
{
	const struct schedule *s = labels->schedule;
	struct bottleneck most = {0, 0};
	const struct part *part;

	if (!mp_emit_labels_several(labels, tensor))
		return mp_problem_uses_without(s, tensor);
	part = &s->problem.parts[labels->chains.home[tensor]];
	for (uint32_t k = 0; k < s->problem.n_steps; k++) {
		bool alive = part->start <= k && k < part->end;
		uint64_t load = s->problem.load[k] - (alive ? part->size : 0);

		assert(load <= s->problem.load[k]);
		if (load > most.load)
			most = (struct bottleneck){load, k};
	}
	return most;
}

static void tensor(struct sink *cells, const struct uses *uses,
	const struct labels *labels, const struct alive *alive)
{
	const struct schedule *s = labels->schedule;

	mp_sink_print(cells, "%" PRIu64 "\t%s %%\t%" PRIu64 "\t%s\t%s\n",
		alive->size,
		mp_emit_percent(alive->size, s->problem.listed_min).text,
		mp_emit_explain_without(labels, alive->tensor).load,
		mp_emit_label_life(labels, alive->tensor).text,
		mp_emit_label(labels, alive->tensor).text);
	if (s->graph->n_ops == 0)
		return;
	/* Below the tensor's name. */
	mp_sink_text(cells, "\t\t\t\t");
	story(cells, uses, labels, alive->tensor);
	mp_sink_text(cells, "\n");
}

static void next_bottleneck(
	struct sink *sink, const struct labels *labels, uint32_t largest)
{
	struct bottleneck next = mp_emit_explain_without(labels, largest);
	const struct schedule *s = labels->schedule;
	bool less = next.load < s->problem.listed_min;

	mp_sink_print(sink, "  next         %s %s, %s %s",
		less ? "without" : "even without",
		mp_emit_called(labels, largest).text,
		mp_emit_step(s, next.step).text,
		less ? "binds: " : "has the same load");
	if (less)
		mp_emit_explain_less(sink, s->problem.listed_min, next.load);
	mp_sink_text(sink, "\n");
}

static void peak_title(struct sink *sink, const struct schedule *s, uint32_t n)
{
	uint32_t peaks = 0;

	for (uint32_t k = 0; k < s->problem.n_steps; k++)
		peaks += s->problem.load[k] == s->problem.listed_min;
	mp_sink_print(sink, "\npeak at %s: %u tensor%s, %s",
		mp_emit_step(s, s->problem.peak_step).text, n,
		mp_text_plural(n), mp_emit_bytes(s->problem.listed_min).text);
	if (peaks > 1)
		mp_sink_print(sink, "; %u steps have this load", peaks);
	mp_sink_text(sink, "\n\n");
}

static void peak(struct sink *sink, const struct uses *uses,
	const struct labels *labels, const struct alive *alive, uint32_t n)
{
	const struct schedule *s = labels->schedule;
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
		tensor(&cells, uses, labels, &alive[i]);
	mp_emit_columns_print(sink, &cells, columns, countof(columns));
	mp_emit_report_rest(sink, alive, n, SHOWN);
	mp_sink_text(sink, "\n");
	next_bottleneck(sink, labels, alive[0].tensor);
}

/* ---------------------------------------------- order and placement */

static void order(struct sink *sink, const struct results *results)
{
	uint64_t least = results->schedule->problem.theoretical_min;
	const struct order_result *other = results->orders;

	if (results->n_orders == 0)
		return;
	mp_sink_text(sink, "  order        ");
	if (other->peak < least) {
		mp_sink_print(sink, "--order %s needs ", other->name);
		mp_emit_explain_less(sink, least, other->peak);
	} else if (other->lower_bound >= least) {
		mp_sink_text(sink, "proved: no order needs less");
	} else {
		mp_sink_print(sink, "--order %s finds none that needs less",
			other->name);
	}
	if (other->lower_bound > 0 && other->lower_bound < least)
		mp_sink_print(sink, "; none needs less than %" PRIu64,
			other->lower_bound);
	mp_sink_text(sink, "\n");
}

/* Streams that run beside each other keep more alive than the list says. */
static void streams(struct sink *sink, const struct schedule *s)
{
	if (s->problem.n_streams > 1)
		mp_sink_print(sink,
			"  streams      %s may be alive at once, as %u streams "
			"run beside each other\n",
			mp_emit_bytes(s->problem.theoretical_min).text,
			s->problem.n_streams);
}

static void placement(struct sink *sink, const struct plan *plan)
{
	uint64_t lost = plan->arena_size - plan->problem->theoretical_min;

	mp_sink_print(sink, "  placement    arena %s: ",
		mp_emit_bytes(plan->arena_size).text);
	if (lost == 0) {
		mp_sink_text(sink, "nothing is lost to gaps\n");
		return;
	}
	mp_sink_print(sink, "%" PRIu64 " above the theoretical minimum", lost);
	if (plan->spaces.at)
		mp_sink_text(sink, ", in several pools");
	else if (mp_plan_is_optimal(plan))
		mp_sink_text(sink, ", which is proved necessary");
	mp_sink_text(sink, "\n");
}

void mp_emit_explain(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	const struct plan *plan = results->plan;
	const struct schedule *s = plan->schedule;
	struct uses uses;
	struct labels labels;
	uint32_t n;
	struct alive *alive =
		mp_emit_peak_alive(s, s->problem.peak_step, &n, scratch);

	if (!alive || !mp_problem_uses_init(&uses, s, scratch) ||
		!mp_emit_labels_find(&labels, s, scratch))
		return;
	if (results->pair[0] != results->pair[1]) {
		mp_emit_explain_pair(sink, results, &uses, &labels);
		return;
	}
	mp_emit_report_head(sink, s);
	if (n > 0)
		peak(sink, &uses, &labels, alive, n);
	streams(sink, s);
	order(sink, results);
	placement(sink, plan);
	mp_emit_explain_pools(sink, plan, &labels, scratch);
	mp_emit_explain_advice(sink, results);
}
