/*
 * The comparison as Markdown, for a comment on a change. Names of tensors stand
 * in code spans, made harmless by mp_sink_code().
 *
 * SPDX-License-Identifier: MIT
 */
#include "compare/compare.h"

#include <inttypes.h>

enum {
	SHOWN = 20,
	NAME = 80, /* characters */
};

static void size_cells(struct sink *sink, uint64_t before, uint64_t after)
{
	mp_sink_print(sink, " | %" PRIu64 " | %" PRIu64 " | ", before, after);
	mp_compare_sink_change(sink, before, after);
	mp_sink_text(sink, " |\n");
}

static void size_row(
	struct sink *sink, const char *label, uint64_t before, uint64_t after)
{
	mp_sink_print(sink, "| %s", label);
	size_cells(sink, before, after);
}

static void pool_rows(struct sink *sink, const struct comparison *c)
{
	for (uint32_t i = 0; i < c->n_pools; i++) {
		const struct compared_pool *pool = &c->pools[i];

		mp_sink_text(sink, "| ");
		mp_sink_code(sink, pool->name, NAME);
		size_cells(sink, pool->old ? pool->old->size : 0,
			pool->new ? pool->new->size : 0);
	}
}

static void peak_place(struct sink *sink, const struct plan *plan)
{
	const struct schedule *s = plan->schedule;
	const char *op = mp_compare_peak_op(plan);

	mp_sink_print(sink, "%s %" PRId64, mp_problem_axis(&s->problem),
		mp_problem_time(&s->problem, s->problem.peak_step));
	if (op && *op) {
		mp_sink_text(sink, ", ");
		mp_sink_code(sink, op, NAME);
	}
}

static void tensors(struct sink *sink, const struct comparison *c,
	const char *title, const struct changes *changes)
{
	if (changes->n == 0)
		return;
	mp_sink_print(sink,
		"\n**%s: %u**\n\n| tensor | old | new | change |\n"
		"|---|---:|---:|---:|\n",
		title, changes->n);
	for (uint32_t i = 0; i < changes->n && i < SHOWN; i++) {
		const struct change *change = &changes->at[i];

		mp_sink_text(sink, "| ");
		mp_sink_code(sink,
			mp_graph_tensor_label(
				mp_compare_change_tensor(c, change)),
			NAME);
		size_cells(sink, change->before, change->after);
	}
	if (changes->n > SHOWN)
		mp_sink_print(sink, "\nand %u more\n", changes->n - SHOWN);
}

void mp_compare_markdown(const struct comparison *c, struct sink *sink)
{
	mp_sink_text(sink, "### ");
	mp_sink_code(sink, c->new->problem->name, NAME);
	mp_sink_text(sink, ": ");
	mp_compare_headline(c, sink);
	mp_sink_print(sink,
		"\n\n| bytes | %s | %s | change |\n|---|---:|---:|---:|\n",
		mp_compare_old(c), mp_compare_new(c));
	size_row(sink, "arena", c->old->arena_size, c->new->arena_size);
	pool_rows(sink, c);
	size_row(sink, "theoretical minimum", c->old->problem->theoretical_min,
		c->new->problem->theoretical_min);
	size_row(sink, "lower bound", c->old->lower_bound, c->new->lower_bound);
	if (mp_compare_has_banks(c))
		size_row(sink, "bank cost", c->old->banks.cost,
			c->new->banks.cost);
	mp_sink_text(sink, "| ratio | ");
	mp_sink_ratio(
		sink, c->old->arena_size, c->old->problem->theoretical_min, 3);
	mp_sink_text(sink, " | ");
	mp_sink_ratio(
		sink, c->new->arena_size, c->new->problem->theoretical_min, 3);
	mp_sink_text(sink, " | |\n| peak | ");
	peak_place(sink, c->old);
	mp_sink_text(sink, " | ");
	peak_place(sink, c->new);
	mp_sink_text(sink, c->peak_moved ? " | moved |\n" : " | |\n");
	tensors(sink, c, "Bytes at the peak", &c->peak);
	tensors(sink, c, "Added", &c->kinds[CHANGE_ADDED]);
	tensors(sink, c, "Removed", &c->kinds[CHANGE_REMOVED]);
	tensors(sink, c, "Resized", &c->kinds[CHANGE_RESIZED]);
	if (c->kinds[CHANGE_MOVED].n == 0)
		return;
	mp_sink_print(sink, "\n**Moved: %u**", c->kinds[CHANGE_MOVED].n);
	if (mp_compare_elsewhere(c))
		mp_sink_print(sink, ", %u of them to another pool",
			mp_compare_elsewhere(c));
	mp_sink_text(sink, "\n");
}
