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
	return m->plan.reuse || !m->has_plan ||
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
	if (!m->plan.problem)
		return false;
	if (row->one_pool && m->problem.pools)
		return mp_fail(&m->error, MEMPLAN_EUSAGE,
			"%s: several pools cannot be written as %s, which has "
			"room for one memory",
			m->problem.name, row->name);
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
	row->run(&m->plan, &m->sink, &m->arena, &m->error);
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
	return strcmp(mp_street_graph(before)->place,
		       mp_street_graph(after)->place) == 0 &&
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

int memplan_number(const memplan *m, const char *name, uint64_t *value)
{
	const struct problem *p = &m->problem;
	const struct graph *graph = mp_street_graph(m);
	const struct byte_range states = m->has_plan
						 ? mp_plan_states(&m->plan)
						 : (struct byte_range){0, 0};
	const struct {
		const char *name;
		uint64_t value;
		bool known;
	} numbers[] = {
		{"ops", graph ? graph->n_ops : 0, graph != NULL},
		{"tensors", graph ? graph->n_tensors : 0, graph != NULL},
		{"alignment", graph ? graph->alignment : 0, graph != NULL},
		{"graphs", graph ? graph->bundle.n : 0, graph != NULL},
		{"streams", graph ? graph->n_streams : 0, graph != NULL},
		{"padding", graph ? graph->margins.padding : 0, graph != NULL},
		{"buffers", p->n_buffers, m->plan.problem != NULL},
		{"steps", p->n_steps, m->plan.problem != NULL},
		{"theoretical_min", p->theoretical_min,
			m->plan.problem != NULL},
		{"peak_step", p->peak_step, m->plan.problem != NULL},
		{"total_size", p->total_size, m->plan.problem != NULL},
		{"lower_bound_order", p->order_bound, p->order_bound != 0},
		{"arena_size", m->plan.arena_size, m->has_plan},
		{"lower_bound", m->plan.lower_bound, m->has_plan},
		{"base_alignment", m->has_plan ? mp_plan_base_alignment(p) : 0,
			m->has_plan},
		{"optimal", m->plan.arena_size == m->plan.lower_bound,
			m->has_plan},
		{"cut_short", m->plan.cut_short, m->has_plan},
		{"reuse_edges", m->plan.reuse ? m->plan.reuse->edges : 0,
			m->plan.reuse != NULL},
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
	if (!m->plan.problem)
		return NULL;
	if (strcmp(name, "name") == 0)
		return m->problem.name;
	if (strcmp(name, "order") == 0)
		return m->problem.order_name;
	if (m->has_plan && strcmp(name, "planner") == 0)
		return m->plan.planner;
	if (m->has_plan && strcmp(name, "bound_kind") == 0)
		return mp_problem_bound_name(m->plan.bound_kind);
	return NULL;
}

/* As the planner sees it: a buffer is of a branch if all of it is. */
static void set_branch(const struct problem *p, const struct item *item,
	struct memplan_tensor *tensor)
{
	if (!p->choice || item->buffer == NONE ||
		p->choice[item->buffer] == NONE)
		return;
	tensor->choice = p->choice[item->buffer] + 1;
	tensor->branch = p->branch[item->buffer];
}

int memplan_tensor_at(
	const memplan *m, uint32_t i, struct memplan_tensor *tensor)
{
	const struct tensor_alias *alias;
	const struct item *item;

	if (!m->has_plan || i >= m->problem.n_items)
		return 0;
	item = &m->problem.items[i];
	alias = mp_graph_ties_alias(&m->problem.ties, i);
	*tensor = (struct memplan_tensor){.id = item->id,
		.name = item->name,
		.offset = mp_plan_offset(&m->plan, item),
		.size = item->size,
		.start = item->start,
		.end = item->end,
		.external = item->external,
		.kind = item->kind,
		.is_alias = alias != NULL,
		.writes = alias && alias->writes,
		.alias_of = alias ? alias->of : i,
		.alias_offset = alias ? alias->offset : 0,
		.pool = mp_plan_space(&m->plan, item)};
	set_branch(&m->problem, item, tensor);
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
	const struct lifetime_gap *from;

	if (!m->has_plan || i >= m->problem.ties.n_gaps)
		return 0;
	from = &m->problem.ties.gaps[i];
	*gap = (struct memplan_gap){
		from->tensor, from->start, from->end, from->low, from->high};
	return 1;
}

int memplan_op_at(const memplan *m, uint32_t step, struct memplan_op *op)
{
	const struct step *s;

	if (!m->has_plan || step >= m->problem.n_ops)
		return 0;
	s = &m->problem.ops[m->problem.order[step]];
	*op = (struct memplan_op){s->name, s->inputs, s->outputs,
		s->temporaries, s->n_inputs, s->n_outputs, s->n_temporaries,
		m->problem.order[step], s->after, s->n_after, s->stream};
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
	ROW_OF("peers", mp_peers, mp_n_peers)
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
