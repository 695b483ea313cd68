/*
 * The comparison for people at a terminal.
 *
 * SPDX-License-Identifier: MIT
 */
#include "compare/compare.h"

#include "emit/report.h"

enum {
	SHOWN = 10,	/* tensors of one kind */
	SIZE = 16,	/* width of a column of bytes */
	POOL_NAME = 11, /* of that of their names */
};

static uint32_t change_digits(uint64_t before, uint64_t after)
{
	uint64_t by = after > before ? after - before : before - after;

	return mp_text_digits(by) + (by > 0);
}

static void size_cell(struct sink *sink, uint64_t bytes)
{
	mp_emit_report_pad(sink, SIZE, mp_text_digits(bytes));
	mp_sink_u64(sink, bytes);
}

static void change_cell(struct sink *sink, uint64_t before, uint64_t after)
{
	mp_emit_report_pad(sink, SIZE, change_digits(before, after));
	mp_compare_sink_change(sink, before, after);
}

static void size_line(
	struct sink *sink, const char *label, uint64_t before, uint64_t after)
{
	mp_emit_report_label(sink, label);
	size_cell(sink, before);
	size_cell(sink, after);
	change_cell(sink, before, after);
	mp_sink_text(sink, "\n");
}

/* What each of several memories takes. */
static void pool_lines(struct sink *sink, const struct comparison *c)
{
	static const struct space none;

	for (uint32_t i = 0; i < c->n_pools; i++) {
		const struct compared_pool *pool = &c->pools[i];
		const struct space *old = pool->old ? pool->old : &none;
		const struct space *new = pool->new ? pool->new : &none;

		mp_sink_text(sink, "    ");
		mp_emit_report_pad(sink, POOL_NAME,
			mp_sink_plain(sink, pool->name, POOL_NAME));
		size_cell(sink, old->size);
		size_cell(sink, new->size);
		change_cell(sink, old->size, new->size);
		mp_sink_text(sink, "\n");
	}
}

static void ratio_line(struct sink *sink, const struct comparison *c)
{
	const struct plan *plans[] = {c->old, c->new};

	mp_emit_report_label(sink, "ratio");
	for (uint32_t i = 0; i < countof(plans); i++) {
		uint64_t arena = plans[i]->arena_size;
		uint64_t least = plans[i]->problem->theoretical_min;
		uint64_t whole = least ? arena / least : 1;

		/* Three decimals may round up to one more digit: then the
		 * column is one wider, no more. */
		mp_emit_report_pad(sink, SIZE - 4, mp_text_digits(whole));
		mp_sink_ratio(sink, arena, least, 3);
	}
	mp_sink_text(sink, "\n");
}

static void peak_place(struct sink *sink, const struct plan *plan)
{
	const struct schedule *s = plan->schedule;
	const char *op = mp_compare_peak_op(plan);

	mp_sink_text(sink, "step ");
	mp_sink_i64(sink, mp_problem_time(&s->problem, s->problem.peak_step));
	if (!op || !*op)
		return;
	mp_sink_text(sink, " '");
	mp_sink_plain(sink, op, REPORT_NAME);
	mp_sink_text(sink, "'");
}

static void peak_line(struct sink *sink, const struct comparison *c)
{
	mp_emit_report_label(sink, "peak");
	if (c->peak_moved) {
		mp_sink_text(sink, "moved from ");
		peak_place(sink, c->old);
		mp_sink_text(sink, " to ");
	} else {
		mp_sink_text(sink, "stays at ");
	}
	peak_place(sink, c->new);
	mp_sink_text(sink, "\n");
}

static void tensor_line(struct sink *sink, const struct comparison *c,
	const struct change *change, enum change_kind kind)
{
	change_cell(sink, change->before, change->after);
	mp_sink_text(sink, "  ");
	mp_sink_plain(sink,
		mp_graph_tensor_label(mp_compare_change_tensor(c, change)),
		REPORT_NAME);
	if (kind == CHANGE_RESIZED) {
		mp_sink_text(sink, ": ");
		mp_sink_u64(sink, change->before);
		mp_sink_text(sink, " to ");
		mp_sink_u64(sink, change->after);
	}
	mp_sink_text(sink, "\n");
}

/* Why a tensor weighs more or less at the peak. */
static const char *reason(
	const struct comparison *c, const struct change *change)
{
	if (change->old == NONE)
		return "new";
	if (change->new == NONE)
		return "gone";
	if (change->before == 0)
		return "now alive there";
	if (change->after == 0)
		return "no longer alive there";
	return c->old->schedule->graph->tensors[change->old].size !=
			       c->new->schedule->graph->tensors[change->new]
				       .size
		       ? "resized"
		       : "with other guards, or bytes that it has alone";
}

static void more(struct sink *sink, uint32_t n)
{
	if (n > SHOWN)
		mp_sink_print(sink, "  and %u more\n", n - SHOWN);
}

static void peak_tensors(struct sink *sink, const struct comparison *c)
{
	if (c->peak.n == 0)
		return;
	mp_sink_text(sink, "\nat the peak, in bytes\n");
	for (uint32_t i = 0; i < c->peak.n && i < SHOWN; i++) {
		const struct change *change = &c->peak.at[i];

		change_cell(sink, change->before, change->after);
		mp_sink_text(sink, "  ");
		mp_sink_plain(sink,
			mp_graph_tensor_label(
				mp_compare_change_tensor(c, change)),
			REPORT_NAME);
		mp_sink_print(sink, " (%s)\n", reason(c, change));
	}
	more(sink, c->peak.n);
}

static void elsewhere(struct sink *sink, uint32_t n)
{
	if (n > 0)
		mp_sink_print(sink, ", %u of them to another pool", n);
	mp_sink_text(sink, "\n");
}

/* Of those that moved only the number counts: many do when one is added. */
static void kinds(struct sink *sink, const struct comparison *c)
{
	for (uint32_t k = 0; k < N_CHANGE_KINDS; k++) {
		const struct changes *changes = &c->kinds[k];

		if (changes->n == 0)
			continue;
		mp_sink_print(sink, "\n%u tensor%s %s", changes->n,
			changes->n == 1 ? "" : "s", mp_compare_change_name(k));
		if (k == CHANGE_MOVED) {
			elsewhere(sink, mp_compare_elsewhere(c));
			continue;
		}
		mp_sink_text(sink, "\n");
		for (uint32_t i = 0; i < changes->n && i < SHOWN; i++)
			tensor_line(sink, c, &changes->at[i], k);
		more(sink, changes->n);
	}
}

void mp_compare_text(const struct comparison *c, struct sink *sink)
{
	const struct plan *old = c->old, *new = c->new;

	mp_sink_plain(sink, new->schedule->graph->name, REPORT_NAME);
	mp_sink_text(sink, ": ");
	mp_compare_headline(c, sink);
	mp_sink_text(sink, "\n");
	mp_emit_report_label(sink, "");
	mp_sink_print(sink, "%*s%*s%*s\n", SIZE, mp_compare_old(c), SIZE,
		mp_compare_new(c), SIZE, "change");
	size_line(sink, "arena", old->arena_size, new->arena_size);
	pool_lines(sink, c);
	size_line(sink, "minimum", old->problem->theoretical_min,
		new->problem->theoretical_min);
	size_line(sink, "lower bound", old->lower_bound, new->lower_bound);
	size_line(sink, "no reuse", old->problem->total_size,
		new->problem->total_size);
	size_line(sink, "tensors", old->schedule->graph->n_tensors,
		new->schedule->graph->n_tensors);
	ratio_line(sink, c);
	peak_line(sink, c);
	peak_tensors(sink, c);
	kinds(sink, c);
}
