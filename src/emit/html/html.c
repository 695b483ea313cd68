/*
 * html: the plan as one page that draws itself. The page is src/emit/html,
 * joined at build time; here its data are written: columns of numbers, so that
 * 50,000 tensors take few megabytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/html/html.h"

#include "base/names.h"
#include "emit/json-text.h"
#include "emit/rows.h"
#include "problem/uses.h"

struct page {
	const struct plan *plan;
	const struct problem *problem;
	struct sink *sink;
	uint32_t *shown;  /* items that hold bytes */
	uint32_t *number; /* of an item among these, or NONE */
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
	mp_emit_json_key(page->sink, ",\n", key);
	mp_sink_text(page->sink, "[");
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
};

static uint64_t cell(
	const struct page *page, const struct item *item, enum column column)
{
	switch (column) {
	case SIZE:
		return item->size;
	case OFFSET:
		return mp_plan_offset(page->plan, item);
	case START:
		return item->start;
	case LIFE:
		return item->end - item->start;
	case KIND:
		return item->kind;
	case POOL:
		return mp_plan_space(page->plan, item);
	}
	return 0;
}

static void numbers(
	const struct page *page, const char *key, enum column column)
{
	open(page, key);
	for (uint32_t i = 0; i < page->n_shown; i++) {
		comma(page, i);
		mp_sink_u64(page->sink,
			cell(page, &page->problem->items[page->shown[i]],
				column));
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
	const struct problem *p = page->problem;
	const char *last = NULL;

	open(page, "names");
	for (uint32_t i = 0; i < page->n_shown; i++) {
		comma(page, i);
		folded(page, &last,
			mp_problem_item_label(&p->items[page->shown[i]]));
	}
	mp_sink_text(page->sink, "]");
}

static void ops(const struct page *page)
{
	const struct problem *p = page->problem;
	const char *last = NULL;

	open(page, "ops");
	for (uint32_t k = 0; k < p->n_ops; k++) {
		comma(page, k);
		folded(page, &last, p->ops[p->order[k]].name);
	}
	mp_sink_text(page->sink, "]");
}

/* Steps that make the tensors; -1: none does. */
static void made(const struct page *page, const struct uses *uses)
{
	open(page, "made");
	for (uint32_t i = 0; i < page->n_shown; i++) {
		uint32_t step = uses->born[page->shown[i]];

		comma(page, i);
		mp_sink_i64(page->sink, step == NONE ? -1 : (int64_t)step);
	}
	mp_sink_text(page->sink, "]");
}

/* Types are few: each once, and for every step which. */
static bool types(const struct page *page, struct arena *scratch)
{
	const struct problem *p = page->problem;
	uint32_t *which = NEW(scratch, uint32_t, p->n_ops), n = 0;
	struct names known;

	if (!which || !mp_names_init(&known, p->n_ops, scratch))
		return false;
	open(page, "type_names");
	for (uint32_t k = 0; k < p->n_ops; k++) {
		const char *type = p->ops[p->order[k]].type;

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
	for (uint32_t k = 0; k < p->n_ops; k++) {
		comma(page, k);
		mp_sink_u64(page->sink, which[k]);
	}
	mp_sink_text(page->sink, "]");
	return true;
}

static void reads(const struct page *page)
{
	const struct problem *p = page->problem;

	open(page, "reads");
	for (uint32_t k = 0; k < p->n_ops; k++) {
		const struct step *op = &p->ops[p->order[k]];
		const char *between = "";

		comma(page, k);
		mp_sink_text(page->sink, "[");
		for (uint32_t i = 0; i < op->n_inputs; i++) {
			if (page->number[op->inputs[i]] == NONE)
				continue;
			mp_sink_text(page->sink, between);
			mp_sink_u64(page->sink, page->number[op->inputs[i]]);
			between = ",";
		}
		mp_sink_text(page->sink, "]");
	}
	mp_sink_text(page->sink, "]");
}

static void times(const struct page *page)
{
	const struct problem *p = page->problem;

	if (!p->times)
		return;
	open(page, "times");
	for (uint32_t k = 0; k <= p->n_steps; k++) {
		comma(page, k);
		mp_sink_i64(page->sink, p->times[k]);
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
	if (space->capacity != NO_CAPACITY)
		mp_emit_json_number(
			page->sink, ", ", "capacity", space->capacity);
	mp_emit_json_number(page->sink, ", ", "alignment", space->alignment);
	mp_emit_json_number(
		page->sink, ", ", "theoretical_min", space->theoretical_min);
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
	const struct problem *p = page->problem;

	mp_sink_text(page->sink, "{\"format\": \"memplan.report\"");
	mp_emit_json_number(page->sink, ",\n", "version", 1);
	text(page, "name", p->name);
	text(page, "planner", plan->planner);
	text(page, "order", p->order_name);
	mp_emit_json_number(page->sink, ",\n", "arena_size", plan->arena_size);
	mp_emit_json_number(
		page->sink, ",\n", "theoretical_min", p->theoretical_min);
	mp_emit_json_number(
		page->sink, ",\n", "lower_bound", plan->lower_bound);
	mp_emit_json_number(page->sink, ",\n", "total_size", p->total_size);
	mp_emit_json_number(page->sink, ",\n", "alignment", p->alignment);
	mp_emit_json_number(page->sink, ",\n", "steps", p->n_steps);
}

static void data(const struct page *page, const struct uses *uses)
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
	made(page, uses);
	ops(page);
	reads(page);
}

static void number_items(struct page *page)
{
	const struct problem *p = page->problem;

	for (uint32_t i = 0; i < p->n_items; i++) {
		page->number[i] = NONE;
		if (p->items[i].buffer == NONE || p->items[i].external)
			continue;
		page->number[i] = page->n_shown;
		page->shown[page->n_shown++] = i;
	}
}

bool mp_emit_html(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e)
{
	const struct problem *p = plan->problem;
	struct page page = {.plan = plan, .problem = p, .sink = sink};
	struct uses uses;

	page.shown = NEW(scratch, uint32_t, p->n_items);
	page.number = NEW(scratch, uint32_t, p->n_items);
	if (!page.shown || !page.number ||
		!mp_problem_uses_init(&uses, p, scratch))
		return false;
	number_items(&page);
	mp_sink_write(sink, mp_html_before, mp_html_before_length);
	data(&page, &uses);
	if (!types(&page, scratch))
		return false;
	mp_sink_text(sink, "}");
	mp_sink_write(sink, mp_html_behind, mp_html_behind_length);
	return e->code == MEMPLAN_OK;
}
