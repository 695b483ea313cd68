/*
 * The public functions of memplan/gate.h: reads budgets from a file and judges
 * planned handles by them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "memplan/gate.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "gate/gate.h"
#include "graph/target.h"
#include "street/street.h"

struct memplan_gate {
	struct error error;
	struct arena arena;
	struct sink sink;
	struct gate gate;
	bool has_budgets; /* the budgets have been read */
};

memplan_gate *memplan_gate_new(void)
{
	memplan_gate *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->arena.error = &g->error;
	g->sink.error = &g->error;
	return g;
}

void memplan_gate_free(memplan_gate *g)
{
	if (!g)
		return;
	mp_sink_free(&g->sink);
	mp_arena_free(&g->arena);
	free(g);
}

enum memplan_status memplan_gate_read(
	memplan_gate *g, const char *name, const void *bytes, size_t length)
{
	struct input_file file = {name, bytes, length};

	assert(name && (bytes || length == 0));
	mp_street_call(&g->sink);
	if (g->has_budgets)
		mp_fail(&g->error, MEMPLAN_EUSAGE, "%s: the gate has budgets",
			name);
	else
		g->has_budgets =
			mp_gate_read(&file, &g->gate, &g->arena, &g->error);
	return g->error.code;
}

int memplan_gate_row(const memplan_gate *g, uint32_t i,
	struct memplan_budget *row, size_t size)
{
	const struct budget *budget;
	struct memplan_budget own;

	if (!g->has_budgets || i >= g->gate.n_budgets)
		return 0;
	budget = &g->gate.budgets[i];
	own = (struct memplan_budget){
		budget->graph, budget->batch, budget->target, budget->baseline};
	mp_street_give(row, size, &own, sizeof(own));
	return 1;
}

static struct budget *budget_of(const memplan_gate *g, uint32_t i)
{
	assert(g->has_budgets && i < g->gate.n_budgets);
	return &g->gate.budgets[i];
}

int memplan_gate_option(const memplan_gate *g, uint32_t i, uint32_t k,
	const char **name, const char **value)
{
	const struct budget *budget = budget_of(g, i);

	assert(name && value);
	if (k >= budget->n_options)
		return 0;
	*name = budget->options[k].name;
	*value = budget->options[k].value;
	return 1;
}

enum memplan_status memplan_gate_set(
	const memplan_gate *g, uint32_t i, memplan *m)
{
	const struct budget *budget = budget_of(g, i);
	enum memplan_status status = MEMPLAN_OK;

	if (budget->target && mp_graph_target_find(budget->target))
		status = memplan_set(m, "target", budget->target);
	for (uint32_t k = 0; k < budget->n_options && status == MEMPLAN_OK; k++)
		status = memplan_set(
			m, budget->options[k].name, budget->options[k].value);
	return status;
}

/* Says the first limit that fails; the reports have all. */
static enum memplan_status judge(
	memplan_gate *g, struct budget *budget, const memplan *baseline)
{
	struct arena_mark mark = mp_arena_mark(&g->arena);
	uint32_t kind = 0;
	const char *title, *message;

	mp_street_call(&g->sink);
	budget->has_baseline =
		baseline &&
		memplan_number(baseline, "arena_size", &budget->baseline_size);
	mp_gate_judge(budget);
	while (kind < N_VERDICTS && budget->verdicts[kind].level < LEVEL_FAIL)
		kind++;
	if (kind == N_VERDICTS)
		return MEMPLAN_OK;
	title = mp_gate_title(budget, &g->arena);
	message = mp_gate_message(budget, kind, &g->arena);
	if (g->error.code == MEMPLAN_OK)
		mp_fail(&g->error, MEMPLAN_NO, "%s: %s", title, message);
	mp_arena_rewind(&g->arena, mark);
	return g->error.code;
}

enum memplan_status memplan_gate_judge(
	memplan_gate *g, uint32_t i, const memplan *m, const memplan *baseline)
{
	struct budget *budget = budget_of(g, i);

	budget->planned =
		memplan_number(m, "arena_size", &budget->arena_size) &&
		memplan_number(
			m, "theoretical_min", &budget->theoretical_min) &&
		memplan_number(m, "lower_bound", &budget->lower_bound);
	return judge(g, budget, baseline);
}

enum memplan_status memplan_gate_judge_sizes(memplan_gate *g, uint32_t i,
	uint64_t arena_size, uint64_t theoretical_min, uint64_t lower_bound,
	const memplan *baseline)
{
	struct budget *budget = budget_of(g, i);

	budget->planned = true;
	budget->arena_size = arena_size;
	budget->theoretical_min = theoretical_min;
	budget->lower_bound = lower_bound;
	return judge(g, budget, baseline);
}

void memplan_gate_miss(memplan_gate *g, uint32_t i, const char *why)
{
	budget_of(g, i)->error = mp_arena_text(&g->arena, why, strlen(why));
}

static bool write(memplan_gate *g, const char *report)
{
	const struct gate_report *row = mp_gate_report(report);
	struct arena_mark mark = mp_arena_mark(&g->arena);

	if (!row)
		return mp_street_tables_check("gate-reports",
			"report of the gate", report, &g->error);
	if (!g->has_budgets)
		return mp_fail(&g->error, MEMPLAN_NO, "there are no budgets");
	row->run(&g->gate, &g->sink, &g->arena);
	mp_arena_rewind(&g->arena, mark);
	return g->error.code == MEMPLAN_OK;
}

enum memplan_status memplan_gate_write(
	memplan_gate *g, const char *report, const void **bytes, size_t *length)
{
	assert(report && bytes && length);
	mp_street_call(&g->sink);
	write(g, report);
	return mp_street_give_bytes(&g->sink, bytes, length);
}

const char *memplan_gate_error(const memplan_gate *g)
{
	return g->error.text;
}

void memplan_gate_error_place(
	const memplan_gate *g, uint32_t *line, uint32_t *column)
{
	assert(line && column);
	*line = g->error.line;
	*column = g->error.column;
}
