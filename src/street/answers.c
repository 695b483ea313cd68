/*
 * What a caller may ask of a handle once the street has been walked.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <string.h>

#include "base/names.h"
#include "compare/compare.h"
#include "gate/gate.h"
#include "simulate/simulate.h"

static const struct emitter *emitter_of(const char *format)
{
	const struct emitter *row = mp_emit_find(format);

	return row ? row : mp_emit_for(format);
}

/* Who has the edges written is told how many there are. */
static bool count_reuse(memplan *m, const struct emitter *row)
{
	return m->results.reuse || !m->has_plan ||
	       strncmp(row->name, "reuse", strlen("reuse")) != 0 ||
	       mp_street_count_reuse(m);
}

/* What an emitter warned of is kept. */
static void set_back(struct error *e, const struct error *verdict)
{
	e->code = verdict->code;
	memcpy(e->text, verdict->text, sizeof(e->text));
	e->line = verdict->line;
	e->column = verdict->column;
}

/* A plan that misses its capacity is still worth writing; only an emitter's own
 * failure counts here, so the verdict is set aside while it runs. */
/* Is there a plan, and one that the format may say? */
static bool may_write(memplan *m, const char *format, const struct emitter *row)
{
	if (!row)
		return mp_fail(&m->error, MEMPLAN_EUSAGE,
			"unknown output format '%s'", format);
	if (m->unverified)
		return mp_fail(&m->error, MEMPLAN_EUSAGE,
			"a plan that was not verified is not written");
	if (!m->results.schedule || (!m->results.plan && !row->planless))
		return false;
	if (row->one_pool && m->results.schedule->problem.pools)
		return mp_fail(&m->error, MEMPLAN_EUSAGE,
			"%s: several pools cannot be written as %s, which has "
			"room for one memory",
			m->graph.name, row->name);
	return true;
}

enum memplan_status memplan_write(
	memplan *m, const char *format, const void **bytes, size_t *length)
{
	const struct emitter *row = emitter_of(format);
	struct error verdict = m->error;
	struct arena_mark mark;
	enum memplan_status status;

	if (!may_write(m, format, row))
		return m->error.code ? m->error.code : MEMPLAN_EUSAGE;
	m->error.code = MEMPLAN_OK;
	m->sink.length = 0;
	if (!count_reuse(m, row))
		return m->error.code;
	mark = mp_arena_mark(&m->arena);
	row->run(&m->results, &m->sink, &m->arena, &m->error);
	status = m->error.code;
	mp_arena_rewind(&m->arena, mark);
	if (status == MEMPLAN_OK)
		set_back(&m->error, &verdict);
	*bytes = m->sink.bytes;
	*length = m->sink.length;
	return status;
}

/* The plan that an input carries, and the one that was made of the same. */
static bool is_own(const memplan *before, const memplan *after)
{
	return strcmp(before->graph.place, after->graph.place) == 0 &&
	       strcmp(before->plan.planner, "given") == 0 &&
	       strcmp(after->plan.planner, "given") != 0;
}

enum memplan_status memplan_compare(const memplan *before, memplan *after,
	const char *report, const void **bytes, size_t *length)
{
	const struct comparison_report *row = mp_compare_report(report);
	struct arena_mark mark = mp_arena_mark(&after->arena);
	struct error *e = &after->error;
	struct comparison comparison;

	if (!row)
		return mp_fail(e, MEMPLAN_EUSAGE, "unknown comparison '%s'",
			       report),
		       e->code;
	if (!before->has_plan || !after->has_plan)
		return mp_fail(e, MEMPLAN_EUSAGE,
			       "nothing to compare: no plan"),
		       e->code;
	after->sink.length = 0;
	if (mp_compare(&before->plan, &after->plan, &comparison, &after->arena,
		    e)) {
		comparison.own = is_own(before, after);
		row->run(&comparison, &after->sink);
	}
	mp_arena_rewind(&after->arena, mark);
	*bytes = after->sink.bytes;
	*length = after->sink.length;
	return e->code;
}

int memplan_has_format(const char *format)
{
	return emitter_of(format) != NULL;
}

/* What was planned or surveyed, else what was read; NULL: nothing yet. */
static const struct graph *graph_of(const memplan *m)
{
	if (m->results.schedule)
		return m->results.schedule->graph;
	return m->has_graph ? &m->graph : NULL;
}

int memplan_number(const memplan *m, const char *name, uint64_t *value)
{
	static const struct graph no_graph;
	static const struct schedule no_schedule;
	const struct graph *graph = graph_of(m);
	const struct graph *g = graph ? graph : &no_graph;
	bool known = m->results.schedule != NULL;
	const struct schedule *s = known ? m->results.schedule : &no_schedule;
	const struct problem *p = &s->problem;
	const struct reuse_sums *reuse = m->results.reuse;
	const struct byte_range states = m->has_plan
						 ? mp_plan_states(&m->plan)
						 : (struct byte_range){0, 0};
	const struct {
		const char *name;
		uint64_t value;
		bool known;
	} numbers[] = {
		{"ops", g->n_ops, graph},
		{"tensors", g->n_tensors, graph},
		{"alignment", g->alignment, graph},
		{"graphs", g->bundle.n, graph},
		{"streams", g->n_streams, graph},
		{"padding", g->margins.padding, graph},
		{"buffers", p->n_buffers, known},
		{"steps", p->n_steps, known},
		{"theoretical_min", p->theoretical_min, known},
		{"peak_step", p->peak_step, known},
		{"total_size", p->total_size, known},
		{"lower_bound_order", s->order_bound.bytes,
			s->order_bound.bytes != 0},
		{"arena_size", m->plan.arena_size, m->has_plan},
		{"lower_bound", m->plan.lower_bound, m->has_plan},
		{"base_alignment", m->has_plan ? mp_plan_base_alignment(p) : 0,
			m->has_plan},
		{"optimal", m->plan.arena_size == m->plan.lower_bound,
			m->has_plan},
		{"cut_short", m->plan.cut_short, m->has_plan},
		{"reuse_edges", reuse ? reuse->edges : 0, reuse != NULL},
		{"states_offset", states.offset, states.size > 0},
		{"states_size", states.size, states.size > 0},
	};

	for (size_t i = 0; i < countof(numbers); i++)
		if (numbers[i].known && strcmp(numbers[i].name, name) == 0) {
			*value = numbers[i].value;
			return 1;
		}
	return 0;
}

const char *memplan_text(const memplan *m, const char *name)
{
	if (!m->results.schedule)
		return NULL;
	if (strcmp(name, "name") == 0)
		return m->results.schedule->graph->name;
	if (strcmp(name, "order") == 0)
		return m->results.schedule->order_name;
	if (m->has_plan && strcmp(name, "planner") == 0)
		return m->plan.planner;
	if (m->has_plan && strcmp(name, "bound_kind") == 0)
		return mp_problem_bound_name(m->plan.bound_kind);
	return NULL;
}

/* As the planner sees it: a buffer is of a branch if all of it is. */
static void set_branch(
	const struct problem *p, uint32_t buffer, struct memplan_tensor *tensor)
{
	if (!p->choice || buffer == NONE || p->choice[buffer] == NONE)
		return;
	tensor->choice = p->choice[buffer] + 1;
	tensor->branch = p->branch[buffer];
}

int memplan_tensor_at(
	const memplan *m, uint32_t i, struct memplan_tensor *tensor)
{
	const struct schedule *s = m->plan.schedule;
	const struct tensor_alias *alias;
	const struct tensor *from;

	if (!m->has_plan || i >= s->graph->n_tensors)
		return 0;
	from = &s->graph->tensors[i];
	alias = mp_graph_ties_alias(&s->graph->ties, i);
	*tensor = (struct memplan_tensor){.id = from->id,
		.name = from->name,
		.offset = mp_plan_offset(&m->plan, i),
		.size = from->size,
		.start = s->stay[i].start,
		.end = s->stay[i].end,
		.external = from->external,
		.kind = from->kind,
		.is_alias = alias != NULL,
		.writes = alias && alias->writes,
		.alias_of = alias ? alias->of : i,
		.alias_offset = alias ? alias->offset : 0,
		.pool = mp_plan_space(&m->plan, i)};
	set_branch(&s->problem, s->stay[i].buffer, tensor);
	return 1;
}

int memplan_memory_at(
	const memplan *m, uint32_t i, struct memplan_memory *memory)
{
	struct space space;

	if (!m->has_plan || i >= mp_plan_memories(&m->plan))
		return 0;
	space = mp_plan_memory(&m->plan, i);
	*memory = (struct memplan_memory){space.name, space.size,
		space.base_alignment, space.capacity, space.theoretical_min};
	return 1;
}

int memplan_gap_at(const memplan *m, uint32_t i, struct memplan_gap *gap)
{
	const struct ties *ties;
	const struct lifetime_gap *from;

	if (!m->has_plan)
		return 0;
	ties = &m->plan.schedule->graph->ties;
	if (i >= ties->n_gaps)
		return 0;
	from = &ties->gaps[i];
	*gap = (struct memplan_gap){
		from->tensor, from->start, from->end, from->low, from->high};
	return 1;
}

int memplan_op_at(const memplan *m, uint32_t step, struct memplan_op *op)
{
	const struct schedule *s = m->plan.schedule;
	const struct op *from = m->has_plan ? mp_schedule_op(s, step) : NULL;

	if (!from)
		return 0;
	*op = (struct memplan_op){from->name, from->inputs.at, from->outputs.at,
		from->temporaries.at, from->inputs.n, from->outputs.n,
		from->temporaries.n, s->order[step], from->before.at,
		from->before.n, from->stream};
	return 1;
}

const char *memplan_error(const memplan *m)
{
	return m->error.code == MEMPLAN_OK ? "" : m->error.text;
}

void memplan_error_place(const memplan *m, uint32_t *line, uint32_t *column)
{
	*line = m->error.line;
	*column = m->error.column;
}

const char *memplan_warning(const memplan *m, uint32_t i)
{
	if (i >= m->error.n_warnings || i >= WARNINGS_KEPT)
		return NULL;
	return m->error.warnings[i];
}

const char *memplan_row(const char *table, uint32_t i, const char **summary)
{
#define ROW_OF(title, rows, n)                                                 \
	if (strcmp(table, title) == 0 && i < (n)) {                            \
		*summary = (rows)[i].summary;                                  \
		return (rows)[i].name;                                         \
	}
	ROW_OF("planners", mp_planners, mp_n_planners)
	ROW_OF("orders", mp_orders, mp_n_orders)
	ROW_OF("targets", mp_targets, mp_n_targets)
	ROW_OF("inputs", mp_readers, mp_n_readers)
	ROW_OF("outputs", mp_emitters, mp_n_emitters)
	ROW_OF("simulators", mp_simulators, mp_n_simulators)
	ROW_OF("comparisons", mp_comparison_reports, mp_n_comparison_reports)
	ROW_OF("gates", mp_gate_rows, (uint32_t)N_GATES)
	ROW_OF("gate-reports", mp_gate_reports, mp_n_gate_reports)
#undef ROW_OF
	return NULL;
}

uint32_t memplan_distance(const char *a, const char *b)
{
	return mp_names_distance(a, b, UINT32_MAX - 1);
}

const char *memplan_version(void)
{
	return MEMPLAN_VERSION;
}
