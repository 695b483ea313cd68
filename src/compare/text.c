/*
 * The comparison for people at a terminal.
 *
 * SPDX-License-Identifier: MIT
 */
#include "compare/compare.h"

#include <assert.h>
#include <inttypes.h>

#include "emit/report.h"

enum {
	SHOWN = 10,	/* tensors of one kind */
	SIZE = 16,	/* width of a column of bytes */
	POOL_NAME = 11, /* characters of a pool's name */
};

static void size_cells(struct sink *cells, uint64_t before, uint64_t after)
{
	mp_sink_print(cells, "%" PRIu64 "\t%" PRIu64 "\t", before, after);
	mp_compare_sink_change(cells, before, after);
	mp_sink_text(cells, "\n");
}

static void size_row(
	struct sink *cells, const char *label, uint64_t before, uint64_t after)
{
	mp_sink_print(cells, "%s\t", label);
	size_cells(cells, before, after);
}

/* What each of several memories takes. */
static void pool_rows(struct sink *cells, const struct comparison *c)
{
	for (uint32_t i = 0; i < c->n_pools; i++) {
		const struct compared_pool *pool = &c->pools[i];

		assert(pool->old || pool->new);
		mp_sink_text(cells, "  ");
		mp_sink_plain(cells, pool->name, POOL_NAME);
		mp_sink_text(cells, "\t");
		size_cells(cells, pool->old ? pool->old->size : 0,
			pool->new ? pool->new->size : 0);
	}
}

static void sizes(struct sink *sink, const struct comparison *c)
{
	static const struct column columns[] = {{2, 13, true}, {0, SIZE, false},
		{0, SIZE, false}, {0, SIZE, false}};
	const struct problem *old = c->old->problem, *new = c->new->problem;
	struct sink cells = mp_emit_columns_begin(sink);

	mp_sink_print(&cells, "\t%s\t%s\tchange\n", mp_compare_old(c),
		mp_compare_new(c));
	size_row(&cells, "arena", c->old->arena_size, c->new->arena_size);
	pool_rows(&cells, c);
	size_row(&cells, "minimum", old->theoretical_min, new->theoretical_min);
	size_row(&cells, "lower bound", c->old->lower_bound,
		c->new->lower_bound);
	if (mp_compare_has_banks(c))
		size_row(&cells, "bank cost", c->old->banks.cost,
			c->new->banks.cost);
	size_row(&cells, "no reuse", old->total_size, new->total_size);
	size_row(&cells, "tensors", c->old->schedule->graph->n_tensors,
		c->new->schedule->graph->n_tensors);
	mp_sink_text(&cells, "ratio\t");
	mp_sink_ratio(&cells, c->old->arena_size, old->theoretical_min, 3);
	mp_sink_text(&cells, "\t");
	mp_sink_ratio(&cells, c->new->arena_size, new->theoretical_min, 3);
	mp_sink_text(&cells, "\n");
	mp_emit_columns_print(sink, &cells, columns, countof(columns));
}

static void peak_place(struct sink *sink, const struct plan *plan)
{
	const struct problem *p = plan->problem;
	const char *op = mp_compare_peak_op(plan);
	bool named = op && *op;

	mp_sink_print(sink, "%s %" PRId64 "%s%s", mp_problem_axis(p),
		mp_problem_time(p, p->peak_step), named ? " " : "",
		named ? mp_emit_quoted(op).text : "");
}

static void peak_line(struct sink *sink, const struct comparison *c)
{
	mp_sink_print(sink, "  peak         %s",
		c->peak_moved ? "moved from " : "stays at ");
	if (c->peak_moved) {
		peak_place(sink, c->old);
		mp_sink_text(sink, " to ");
	}
	peak_place(sink, c->new);
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

static void tensors(struct sink *sink, const struct comparison *c,
	const struct changes *changes, bool at_peak)
{
	static const struct column columns[] = {{0, SIZE, false}, {2, 0, true}};
	struct sink cells = mp_emit_columns_begin(sink);

	for (uint32_t i = 0; i < changes->n && i < SHOWN; i++) {
		const struct change *change = &changes->at[i];

		mp_compare_sink_change(&cells, change->before, change->after);
		mp_sink_print(&cells, "\t%s",
			mp_emit_plain(
				mp_graph_tensor_label(
					mp_compare_change_tensor(c, change)))
				.text);
		if (at_peak)
			mp_sink_print(&cells, " (%s)", reason(c, change));
		else if (change->old != NONE && change->new != NONE)
			mp_sink_print(&cells, ": %" PRIu64 " to %" PRIu64,
				change->before, change->after);
		mp_sink_text(&cells, "\n");
	}
	mp_emit_columns_print(sink, &cells, columns, countof(columns));
	if (changes->n > SHOWN)
		mp_sink_print(sink, "  and %u more\n", changes->n - SHOWN);
}

/* Of those that moved only the sum counts: many do when one is added. */
static void kinds(struct sink *sink, const struct comparison *c)
{
	for (uint32_t k = 0; k < N_CHANGE_KINDS; k++) {
		const struct changes *changes = &c->kinds[k];
		uint32_t elsewhere =
			k == CHANGE_MOVED ? mp_compare_elsewhere(c) : 0;

		if (changes->n == 0)
			continue;
		mp_sink_print(sink, "\n%u tensor%s %s", changes->n,
			mp_text_plural(changes->n), mp_compare_change_name(k));
		if (k == CHANGE_MOVED)
			mp_sink_print(sink, ", %s",
				mp_emit_bytes(mp_compare_moved(c)).text);
		if (elsewhere > 0)
			mp_sink_print(sink, ", %u of them to another pool",
				elsewhere);
		mp_sink_text(sink, "\n");
		if (k != CHANGE_MOVED)
			tensors(sink, c, changes, false);
	}
}

void mp_compare_text(const struct comparison *c, struct sink *sink)
{
	mp_sink_print(sink,
		"%s: ", mp_emit_plain(c->new->schedule->graph->name).text);
	mp_compare_headline(c, sink);
	mp_sink_text(sink, "\n");
	sizes(sink, c);
	peak_line(sink, c);
	if (c->peak.n > 0) {
		mp_sink_text(sink, "\nat the peak, in bytes\n");
		tensors(sink, c, &c->peak, true);
	}
	kinds(sink, c);
}
