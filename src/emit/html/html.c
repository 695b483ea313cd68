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
};

/* ------------------------------------------------------------ names */

static void hexadecimal(struct sink *sink, uint32_t unit)
{
	static const char digits[] = "0123456789abcdef";
	char code[6] = "\\u";

	for (uint32_t i = 0; i < 4; i++)
		code[2 + i] = digits[unit >> (12 - 4 * i) & 15];
	mp_sink_write(sink, code, sizeof(code));
}

/* What stands for itself in a script element as well as in JSON. */
static bool is_plain(uint32_t point)
{
	return point >= ' ' && point < 0x7f && point != '"' && point != '\\' &&
	       point != '<' && point != '>' && point != '&';
}

static void escape(struct sink *sink, uint32_t point)
{
	if (point < 0x10000) {
		hexadecimal(sink, point);
		return;
	}
	hexadecimal(sink, 0xd800 + ((point - 0x10000) >> 10));
	hexadecimal(sink, 0xdc00 + (point & 0x3ff));
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

static void open(const struct page *page, const char *key)
{
	mp_emit_json_open(page->sink, ",\n", key);
}

static void comma(const struct page *page, uint32_t i)
{
	if (i > 0)
		mp_sink_text(page->sink, i % 1000 ? "," : ",\n");
}

enum column {
	SIZE,
	OFFSET,
	START,
	LIFE,
	KIND,
	POOL,
	MADE, /* step; -1: no op makes it */
};

static int64_t cell(const struct page *page, uint32_t t, enum column column)
{
	const struct tensor *tensor = &page->schedule->graph->tensors[t];
	const struct stay *stay = &page->schedule->stay[t];

	assert(t < page->schedule->graph->n_tensors);
	switch (column) {
	case SIZE:
		return (int64_t)tensor->size;
	case OFFSET:
		return (int64_t)mp_plan_offset(page->plan, t);
	case START:
		return stay->start;
	case LIFE:
		return stay->end - stay->start;
	case KIND:
		return tensor->kind;
	case POOL:
		return mp_plan_space(page->plan, t);
	case MADE:
		return page->uses.born[t] == NONE ? -1
						  : (int64_t)page->uses.born[t];
	}
	return 0;
}

static void numbers(
	const struct page *page, const char *key, enum column column)
{
	open(page, key);
	for (uint32_t i = 0; i < page->n_shown; i++) {
		comma(page, i);
		mp_sink_i64(page->sink, cell(page, page->shown[i], column));
	}
	mp_sink_text(page->sink, "]");
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
static void folded(const struct page *page, const char **last, const char *text)
{
	uint32_t shared = *last ? common(*last, text) : 0;

	mp_sink_u64(page->sink, shared);
	mp_sink_text(page->sink, ",");
	name(page->sink, text + shared);
	*last = text;
}

static void names(const struct page *page)
{
	const struct schedule *s = page->schedule;
	const char *last = NULL;

	open(page, "names");
	for (uint32_t i = 0; i < page->n_shown; i++) {
		comma(page, i);
		folded(page, &last,
			mp_graph_tensor_label(
				&s->graph->tensors[page->shown[i]]));
	}
	mp_sink_text(page->sink, "]");
}

static void ops(const struct page *page)
{
	const struct schedule *s = page->schedule;
	const char *last = NULL;

	open(page, "ops");
	for (uint32_t k = 0; k < s->graph->n_ops; k++) {
		comma(page, k);
		folded(page, &last, s->graph->ops[s->order[k]].name);
	}
	mp_sink_text(page->sink, "]");
}

/* Types are few: each once, and for every step which. */
static bool types(const struct page *page, struct arena *scratch)
{
	const struct schedule *s = page->schedule;
	uint32_t *which = NEW(scratch, uint32_t, s->graph->n_ops), n = 0;
	struct names known;

	if (!which || !mp_names_init(&known, s->graph->n_ops, scratch))
		return false;
	open(page, "type_names");
	for (uint32_t k = 0; k < s->graph->n_ops; k++) {
		const char *type = s->graph->ops[s->order[k]].type;

		type = type ? type : "";
		which[k] = mp_names_add(&known, type, n);
		if (which[k] != NONE)
			continue;
		comma(page, n);
		name(page->sink, type);
		which[k] = n++;
	}
	mp_sink_text(page->sink, "]");
	open(page, "types");
	for (uint32_t k = 0; k < s->graph->n_ops; k++) {
		comma(page, k);
		mp_sink_u64(page->sink, which[k]);
	}
	mp_sink_text(page->sink, "]");
	return true;
}

static void reads(const struct page *page)
{
	const struct schedule *s = page->schedule;

	open(page, "reads");
	for (uint32_t k = 0; k < s->graph->n_ops; k++) {
		const struct op *op = &s->graph->ops[s->order[k]];
		const char *between = "";

		comma(page, k);
		mp_sink_text(page->sink, "[");
		for (uint32_t i = 0; i < op->inputs.n; i++) {
			if (page->number[op->inputs.at[i]] == NONE)
				continue;
			mp_sink_text(page->sink, between);
			mp_sink_u64(page->sink, page->number[op->inputs.at[i]]);
			between = ",";
		}
		mp_sink_text(page->sink, "]");
	}
	mp_sink_text(page->sink, "]");
}

static void times(const struct page *page)
{
	const struct schedule *s = page->schedule;

	if (!s->problem.times)
		return;
	open(page, "times");
	for (uint32_t k = 0; k <= s->problem.n_steps; k++) {
		comma(page, k);
		mp_sink_i64(page->sink, s->problem.times[k]);
	}
	mp_sink_text(page->sink, "]");
}

/* ------------------------------------------------------------- page */

static void text(const struct page *page, const char *key, const char *value)
{
	mp_emit_json_key(page->sink, ",\n", key);
	name(page->sink, value ? value : "");
}

static void pool(const struct page *page, const struct space *space)
{
	mp_sink_text(page->sink, "{\"name\": ");
	name(page->sink, space->name);
	mp_emit_json_number(page->sink, ", ", "size", space->size);
	mp_emit_json_capacity(page->sink, space->capacity);
	JSON_NUMBERS(page->sink, ", ", {"alignment", space->alignment},
		{"theoretical_min", space->theoretical_min});
	mp_sink_text(page->sink, "}");
}

/* What several memories there are, and in which each tensor lies. */
static void pools(const struct page *page)
{
	const struct spaces *spaces = &page->plan->spaces;

	if (!spaces->at)
		return;
	open(page, "pools");
	for (uint32_t i = 0; i < spaces->n; i++) {
		comma(page, i);
		pool(page, &spaces->at[i]);
	}
	mp_sink_text(page->sink, "]");
	numbers(page, "pool", POOL);
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

static void data(const struct page *page)
{
	head(page);
	times(page);
	names(page);
	numbers(page, "sizes", SIZE);
	numbers(page, "offsets", OFFSET);
	numbers(page, "starts", START);
	numbers(page, "lives", LIFE);
	numbers(page, "kinds", KIND);
	pools(page);
	numbers(page, "made", MADE);
	ops(page);
	reads(page);
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
		!mp_problem_uses_init(&page.uses, s, scratch))
		return;
	number_tensors(&page);
	mp_sink_write(sink, mp_html_before, mp_html_before_length);
	data(&page);
	if (!types(&page, scratch))
		return;
	mp_sink_text(sink, "}");
	mp_sink_write(sink, mp_html_behind, mp_html_behind_length);
}
