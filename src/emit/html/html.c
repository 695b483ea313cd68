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
#include "emit/inside.h"
#include "emit/json-text.h"
#include "emit/rows.h"
#include "emit/story.h"

struct page {
	const struct plan *plan;
	const struct schedule *schedule;
	struct uses uses;
	struct sink *sink;
	struct arena *scratch;
	struct labels labels;
	struct layers layers;
	struct ways ways;
	const struct body *loops;
	uint32_t *shown;  /* parts that tensors need: the rectangles */
	uint32_t *number; /* of a part among these, or NONE */
	uint32_t n_shown;
	uint32_t *several; /* rectangles that several tensors have */
	uint32_t n_several;
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

/* The same of numbers that repeat: each, and how often it comes. */
static void runs(struct page *page, const char *key, uint32_t n,
	int64_t (*value)(struct page *page, uint32_t i))
{
	uint32_t end;

	mp_emit_json_open(page->sink, ",\n", key);
	for (uint32_t i = 0; i < n; i = end) {
		int64_t first = value(page, i);

		for (end = i + 1; end < n && value(page, end) == first;)
			end++;
		mp_sink_text(page->sink, i == 0 ? "" : ",");
		mp_sink_i64(page->sink, first);
		mp_sink_print(page->sink, ",%u", end - i);
	}
	mp_sink_text(page->sink, "]");
}

static const struct part *part_at(const struct page *page, uint32_t i)
{
	assert(i < page->n_shown);
	return &page->schedule->problem.parts[page->shown[i]];
}

static const struct chain *chain_at(const struct page *page, uint32_t i)
{
	assert(i < page->n_shown);
	return &page->labels.chains.of[page->shown[i]];
}

static const struct op *op_at(const struct page *page, uint32_t step)
{
	assert(step < page->schedule->graph->n_ops);
	return &page->schedule->graph->ops[page->schedule->order[step]];
}

static void size(struct page *page, uint32_t i)
{
	mp_sink_u64(page->sink, part_at(page, i)->size);
}

static void offset(struct page *page, uint32_t i)
{
	const struct part *part = part_at(page, i);

	mp_sink_u64(page->sink, page->plan->offsets[part->buffer] + part->base);
}

static void start(struct page *page, uint32_t i)
{
	mp_sink_u64(page->sink, part_at(page, i)->start);
}

static void life(struct page *page, uint32_t i)
{
	const struct part *part = part_at(page, i);

	mp_sink_u64(page->sink, part->end - part->start);
}

static int64_t kind(struct page *page, uint32_t i)
{
	return chain_at(page, i)->kind;
}

static void pool_of(struct page *page, uint32_t i)
{
	mp_sink_u64(page->sink, mp_emit_lane_of(page->plan, part_at(page, i)));
}

/* The choice and the branch; 0: none. */
static void branch(struct page *page, uint32_t i)
{
	const struct problem *p = &page->schedule->problem;
	uint32_t buffer = part_at(page, i)->buffer;

	if (p->choice[buffer] == NONE)
		mp_sink_text(page->sink, "0");
	else
		mp_sink_print(page->sink, "[%u,%u]", p->choice[buffer],
			p->branch[buffer]);
}

/* The step; -1: no op makes it. */
static void made(struct page *page, uint32_t i)
{
	uint32_t born = page->uses.born[chain_at(page, i)->first];

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

static void label(struct page *page, uint32_t i)
{
	folded(page, i, page->labels.of_part[page->shown[i]]);
}

/* The rectangle, and the names of the tensors that have it. */
static void members(struct page *page, uint32_t i)
{
	uint32_t part = page->shown[page->several[i]];
	struct ids list = mp_lists_at(&page->labels.chains.members, part);

	mp_sink_text(page->sink, "[");
	mp_sink_u64(page->sink, page->several[i]);
	for (uint32_t k = 0; k < list.n; k++) {
		mp_sink_text(page->sink, ",");
		name(page->sink,
			mp_graph_tensor_label(
				&page->schedule->graph->tensors[list.at[k]]));
	}
	mp_sink_text(page->sink, "]");
}

static struct phrase end_of(struct page *page, uint32_t i)
{
	return mp_emit_story_end(
		&page->uses, page->schedule, chain_at(page, i)->longest);
}

/* What keeps it: an index into the phrases. */
static int64_t ends(struct page *page, uint32_t i)
{
	return end_of(page, i).what;
}

/* How far the step of that phrase lies before the last one: mostly 0; -1 where
 * it is the next. */
static int64_t early(struct page *page, uint32_t i)
{
	uint32_t step = end_of(page, i).step;

	return step == NONE ? 0 : (int64_t)part_at(page, i)->end - 1 - step;
}

/* The rectangle that leaves, the one that is back, and whether it was made
 * again. */
static void way(struct page *page, uint32_t i)
{
	const struct way *way = &page->ways.at[i];
	const uint32_t *home = page->labels.chains.home;

	mp_sink_print(page->sink, "[%u,%u,%u]", page->number[home[way->old]],
		page->number[home[way->back]], way->again);
}

/* Its steps, and the names of its first and last op. */
static void loop(struct page *page, uint32_t i)
{
	const struct graph *graph = page->schedule->graph;
	const struct body *body = &page->loops[i];

	mp_sink_print(page->sink, "[%u,%u,", body->start, body->end);
	name(page->sink, mp_graph_op_label(graph, graph->loops[i].first));
	mp_sink_text(page->sink, ",");
	name(page->sink, mp_graph_op_label(graph, graph->loops[i].last));
	mp_sink_text(page->sink, "]");
}

/* Of the layer of the op. */
static int64_t colour(struct page *page, uint32_t step)
{
	uint32_t op = page->schedule->order[step];

	return page->layers.colour[page->layers.of_op[op]];
}

static void load(struct page *page, uint32_t step)
{
	mp_sink_u64(page->sink, page->schedule->problem.load[step]);
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
		uint32_t home = page->labels.chains.home[inputs->at[i]];

		if (home == NONE)
			continue;
		mp_sink_text(page->sink, between);
		mp_sink_u64(page->sink, page->number[home]);
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
		{"steps", s->problem.n_steps}, {"tensors", s->graph->n_tensors},
		{"external", mp_graph_count_external(s->graph)},
		{"buffers", s->problem.n_buffers});
}

static void phrases(const struct page *page, const char *key,
	const char *const *texts, uint32_t n)
{
	mp_emit_json_open(page->sink, ",\n", key);
	for (uint32_t i = 0; i < n; i++) {
		mp_sink_text(page->sink, i > 0 ? ", " : "");
		name(page->sink, texts[i]);
	}
	mp_sink_text(page->sink, "]");
}

/* Do the rectangles at each step add up to its load? They do not where branches
 * exclude each other, or bytes are of no tensor. */
static bool is_load_of_rectangles(const struct page *page)
{
	const struct problem *p = &page->schedule->problem;
	uint64_t *load = NEW(page->scratch, uint64_t, p->n_steps + 1);

	if (!load)
		return false;
	for (uint32_t i = 0; i < page->n_shown; i++) {
		load[part_at(page, i)->start] += part_at(page, i)->size;
		load[part_at(page, i)->end] -= part_at(page, i)->size;
	}
	for (uint32_t k = 0; k < p->n_steps; k++) {
		if (load[k] != p->load[k])
			return false;
		load[k + 1] += load[k];
	}
	return true;
}

static void data(struct page *page)
{
	const struct schedule *s = page->schedule;
	uint32_t n = page->n_shown, n_ops = s->graph->n_ops;

	head(page);
	if (s->problem.times)
		column(page, "times", s->problem.n_steps + 1, time_at);
	column(page, "names", n, label);
	column(page, "several", page->n_several, members);
	column(page, "sizes", n, size);
	column(page, "offsets", n, offset);
	column(page, "starts", n, start);
	column(page, "lives", n, life);
	runs(page, "kinds", n, kind);
	if (page->plan->spaces.at) {
		/* What memories there are, and in which each tensor lies. */
		column(page, "pools", page->plan->spaces.n, pool);
		column(page, "pool", n, pool_of);
	}
	if (!is_load_of_rectangles(page))
		column(page, "load", s->problem.n_steps, load);
	phrases(page, "births", mp_emit_births, N_BIRTHS);
	phrases(page, "ends_as", mp_emit_story_ends, N_STORY_ENDS);
	runs(page, "ends", n, ends);
	runs(page, "early", n, early);
	column(page, "made", n, made);
	column(page, "ops", n_ops, op_name);
	column(page, "reads", n_ops, reads);
	column(page, "type_names", page->n_types, type_name);
	column(page, "types", n_ops, type);
	phrases(page, "layers", page->layers.labels, page->layers.n_colours);
	runs(page, "colours", n_ops, colour);
	column(page, "ways", page->ways.n, way);
	if (s->problem.choice)
		column(page, "branches", n, branch);
	if (s->graph->n_loops > 0)
		column(page, "loops", s->graph->n_loops, loop);
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

static void number_parts(struct page *page)
{
	for (uint32_t k = 0; k < page->schedule->problem.n_parts; k++) {
		page->number[k] = NONE;
		if (!page->labels.of_part[k])
			continue;
		page->number[k] = page->n_shown;
		if (page->labels.chains.of[k].n > 1)
			page->several[page->n_several++] = page->n_shown;
		page->shown[page->n_shown++] = k;
	}
}

/* One plan. */
static void write(
	const struct plan *plan, struct sink *sink, struct arena *scratch)
{
	const struct schedule *s = plan->schedule;
	struct page page = {
		.plan = plan, .schedule = s, .sink = sink, .scratch = scratch};

	page.shown = NEW(scratch, uint32_t, s->problem.n_parts);
	page.number = NEW(scratch, uint32_t, s->problem.n_parts);
	page.loops = mp_emit_loop_bodies(s, scratch);
	page.several = NEW(scratch, uint32_t, s->problem.n_parts);
	if (!page.shown || !page.number || !page.several || !page.loops ||
		!mp_problem_uses_init(&page.uses, s, scratch) ||
		!mp_emit_labels_find(&page.labels, s, scratch) ||
		!mp_emit_layers_find(&page.layers, s, scratch) ||
		!mp_emit_ways_find(
			&page.ways, s, &page.labels.chains, scratch) ||
		!find_types(&page, scratch))
		return;
	number_parts(&page);
	data(&page);
}

void mp_emit_html_pair(const struct plan *plan, const struct plan *second,
	struct sink *sink, struct arena *scratch)
{
	mp_sink_write(sink, mp_html_before, mp_html_before_length);
	write(plan, sink, scratch);
	mp_sink_write(sink, mp_html_between, mp_html_between_length);
	if (second)
		write(second, sink, scratch);
	else
		mp_sink_text(sink, "null");
	mp_sink_write(sink, mp_html_behind, mp_html_behind_length);
}

void mp_emit_html(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	mp_emit_html_pair(results->plan, NULL, sink, scratch);
}
