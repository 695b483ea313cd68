/*
 * html: the plan as one page that draws itself. The page is src/emit/html,
 * joined at build time; here its data are written: columns of numbers, so that
 * 50,000 tensors take few megabytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/html/html.h"

#include <assert.h>

#include "base/names.h"
#include "emit/json-text.h"
#include "emit/rows.h"
#include "problem/uses.h"

struct page {
	const struct plan *plan;
	const struct schedule *schedule;
	struct uses uses;
	struct sink *sink;
	uint32_t *shown;  /* tensors that hold bytes */
	uint32_t *number; /* of a tensor among these, or NONE */
	uint32_t n_shown;
	const char *last; /* of names, the one before */
	/* Types are few: each once, and for every step which. */
	const char **types;
	uint32_t *type, n_types;
};

/* ------------------------------------------------------------ names */

/* What stands for itself in a script element as well as in JSON. */
static bool is_plain(uint32_t point)
{
	return point >= ' ' && point < 0x7f && point != '"' && point != '\\' &&
	       point != '<' && point != '>' && point != '&';
}

static void escape(struct sink *sink, uint32_t point)
{
	if (point < 0x10000)
		mp_sink_print(sink, "\\u%04x", point);
	else
		mp_sink_print(sink, "\\u%04x\\u%04x",
			0xd800 + ((point - 0x10000) >> 10),
			0xdc00 + (point & 0x3ff));
}

static void name(struct sink *sink, const char *text)
{
	const char *start = text;
	uint32_t point;

	mp_sink_text(sink, "\"");
	for (;;) {
		const char *at = text;

		point = mp_text_next(&text);
		if (is_plain(point))
			continue;
		mp_sink_write(sink, start, (size_t)(at - start));
		if (point == 0)
			break;
		escape(sink, point);
		start = text;
	}
	mp_sink_text(sink, "\"");
}

/* ---------------------------------------------------------- columns */

/* An array of n cells, of which each is written by a function. */
static void column(struct page *page, const char *key, uint32_t n,
	void (*write)(struct page *page, uint32_t i))
{
	mp_emit_json_open(page->sink, ",\n", key);
	for (uint32_t i = 0; i < n; i++) {
		if (i > 0)
			mp_sink_text(page->sink, i % 1000 ? "," : ",\n");
		write(page, i);
	}
	mp_sink_text(page->sink, "]");
}

static const struct tensor *tensor_at(const struct page *page, uint32_t i)
{
	assert(i < page->n_shown);
	return &page->schedule->graph->tensors[page->shown[i]];
}

static const struct op *op_at(const struct page *page, uint32_t step)
{
	assert(step < page->schedule->graph->n_ops);
	return &page->schedule->graph->ops[page->schedule->order[step]];
}

static void size(struct page *page, uint32_t i)
{
	mp_sink_u64(page->sink, tensor_at(page, i)->size);
}

static void offset(struct page *page, uint32_t i)
{
	mp_sink_u64(page->sink, mp_plan_offset(page->plan, page->shown[i]));
}

static void start(struct page *page, uint32_t i)
{
	mp_sink_u64(page->sink, page->schedule->stay[page->shown[i]].start);
}

static void life(struct page *page, uint32_t i)
{
	const struct stay *stay = &page->schedule->stay[page->shown[i]];

	mp_sink_u64(page->sink, stay->end - stay->start);
}

static void kind(struct page *page, uint32_t i)
{
	mp_sink_u64(page->sink, tensor_at(page, i)->kind);
}

static void pool_of(struct page *page, uint32_t i)
{
	mp_sink_u64(page->sink, mp_plan_space(page->plan, page->shown[i]));
}

/* The step; -1: no op makes it. */
static void made(struct page *page, uint32_t i)
{
	uint32_t born = page->uses.born[page->shown[i]];

	mp_sink_i64(page->sink, born == NONE ? -1 : (int64_t)born);
}

/* Characters of both that stand for themselves and are the same in front. */
static uint32_t common(const char *a, const char *b)
{
	uint32_t n = 0;

	while (a[n] == b[n] && a[n] > 0 && is_plain((uint32_t)a[n]))
		n++;
	return n;
}

/* A list of names: how much of the one before, and what follows. */
static void folded(struct page *page, uint32_t i, const char *text)
{
	uint32_t shared = i > 0 ? common(page->last, text) : 0;

	mp_sink_u64(page->sink, shared);
	mp_sink_text(page->sink, ",");
	name(page->sink, text + shared);
	page->last = text;
}

static void tensor_name(struct page *page, uint32_t i)
{
	folded(page, i, mp_graph_tensor_label(tensor_at(page, i)));
}

static void op_name(struct page *page, uint32_t step)
{
	folded(page, step, op_at(page, step)->name);
}

static void reads(struct page *page, uint32_t step)
{
	const struct ids *inputs = &op_at(page, step)->inputs;
	const char *between = "";

	mp_sink_text(page->sink, "[");
	for (uint32_t i = 0; i < inputs->n; i++) {
		if (page->number[inputs->at[i]] == NONE)
			continue;
		mp_sink_text(page->sink, between);
		mp_sink_u64(page->sink, page->number[inputs->at[i]]);
		between = ",";
	}
	mp_sink_text(page->sink, "]");
}

static void time_at(struct page *page, uint32_t step)
{
	mp_sink_i64(page->sink, page->schedule->problem.times[step]);
}

static void type_name(struct page *page, uint32_t i)
{
	name(page->sink, page->types[i]);
}

static void type(struct page *page, uint32_t step)
{
	mp_sink_u64(page->sink, page->type[step]);
}

/* ------------------------------------------------------------- page */

static void text(const struct page *page, const char *key, const char *value)
{
	mp_emit_json_key(page->sink, ",\n", key);
	name(page->sink, value ? value : "");
}

static void pool(struct page *page, uint32_t i)
{
	const struct space *space = &page->plan->spaces.at[i];

	mp_sink_text(page->sink, "{\"name\": ");
	name(page->sink, space->name);
	mp_emit_json_number(page->sink, ", ", "size", space->size);
	mp_emit_json_capacity(page->sink, space->capacity);
	JSON_NUMBERS(page->sink, ", ", {"alignment", space->alignment},
		{"theoretical_min", space->theoretical_min});
	mp_sink_text(page->sink, "}");
}

static void head(const struct page *page)
{
	const struct plan *plan = page->plan;
	const struct schedule *s = page->schedule;

	mp_sink_text(page->sink, "{\"format\": \"memplan.report\"");
	mp_emit_json_number(page->sink, ",\n", "version", 1);
	text(page, "name", s->graph->name);
	text(page, "planner", plan->planner);
	text(page, "order", s->order_name);
	JSON_NUMBERS(page->sink, ",\n", {"arena_size", plan->arena_size},
		{"theoretical_min", s->problem.theoretical_min},
		{"lower_bound", plan->lower_bound},
		{"total_size", s->problem.total_size},
		{"alignment", s->problem.alignment},
		{"steps", s->problem.n_steps});
}

static void data(struct page *page)
{
	const struct schedule *s = page->schedule;
	uint32_t n = page->n_shown, n_ops = s->graph->n_ops;

	head(page);
	if (s->problem.times)
		column(page, "times", s->problem.n_steps + 1, time_at);
	column(page, "names", n, tensor_name);
	column(page, "sizes", n, size);
	column(page, "offsets", n, offset);
	column(page, "starts", n, start);
	column(page, "lives", n, life);
	column(page, "kinds", n, kind);
	if (page->plan->spaces.at) {
		/* What memories there are, and in which each tensor lies. */
		column(page, "pools", page->plan->spaces.n, pool);
		column(page, "pool", n, pool_of);
	}
	column(page, "made", n, made);
	column(page, "ops", n_ops, op_name);
	column(page, "reads", n_ops, reads);
	column(page, "type_names", page->n_types, type_name);
	column(page, "types", n_ops, type);
	mp_sink_text(page->sink, "}");
}

static bool find_types(struct page *page, struct arena *scratch)
{
	uint32_t n_ops = page->schedule->graph->n_ops;
	struct names known;

	page->types = NEW(scratch, const char *, n_ops);
	page->type = NEW(scratch, uint32_t, n_ops);
	if (!page->types || !page->type ||
		!mp_names_init(&known, n_ops, scratch))
		return false;
	for (uint32_t k = 0; k < n_ops; k++) {
		const char *own = op_at(page, k)->type;

		own = own ? own : "";
		page->type[k] = mp_names_add(&known, own, page->n_types);
		if (page->type[k] != NONE)
			continue;
		page->type[k] = page->n_types;
		page->types[page->n_types++] = own;
	}
	return true;
}

static void number_tensors(struct page *page)
{
	const struct schedule *s = page->schedule;

	for (uint32_t i = 0; i < s->graph->n_tensors; i++) {
		page->number[i] = NONE;
		if (s->stay[i].buffer == NONE || s->graph->tensors[i].external)
			continue;
		page->number[i] = page->n_shown;
		page->shown[page->n_shown++] = i;
	}
}

void mp_emit_html(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	const struct plan *plan = results->plan;
	const struct schedule *s = plan->schedule;
	struct page page = {.plan = plan, .schedule = s, .sink = sink};

	page.shown = NEW(scratch, uint32_t, s->graph->n_tensors);
	page.number = NEW(scratch, uint32_t, s->graph->n_tensors);
	if (!page.shown || !page.number ||
		!mp_problem_uses_init(&page.uses, s, scratch) ||
		!find_types(&page, scratch))
		return;
	number_tensors(&page);
	mp_sink_write(sink, mp_html_before, mp_html_before_length);
	data(&page);
	mp_sink_write(sink, mp_html_behind, mp_html_behind_length);
}
