/*
 * What a caller may ask of a handle after a run.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>
#include <string.h>

#include "compare/compare.h"
#include "street/tables.h"

/* ------------------------------------------------------------ files */

static const struct emitter *emitter_of(const char *format)
{
	const struct emitter *row = mp_emit_find(format);

	return row ? row : mp_emit_for(format);
}

static bool fail_unknown(memplan *m, const char *format)
{
	const char *nearest = mp_street_tables_nearest("outputs", format);

	return nearest ? mp_fail(&m->error, MEMPLAN_EUSAGE,
				 "'%s': no output format has this suffix; did "
				 "you mean '%s'?",
				 format, nearest)
		       : mp_fail(&m->error, MEMPLAN_EUSAGE,
				 "'%s': no output format has this suffix; "
				 "'memplan list outputs' names them",
				 format);
}

/* Is there a result that the format can write? */
static bool may_write(memplan *m, const struct emitter *row)
{
	if (m->unverified)
		return mp_fail(&m->error, MEMPLAN_NO,
			"a plan that was not verified is not written");
	if (!m->plan.problem)
		return mp_fail(
			&m->error, MEMPLAN_NO, "there is no result to write");
	if (row->one_pool && m->problem.pools)
		return mp_fail(&m->error, MEMPLAN_EUSAGE,
			"%s: several pools cannot be written as %s, which has "
			"room for one memory",
			m->problem.name, row->name);
	return true;
}

/* The formats of reuse need the edges, and their number can then be asked. */
static bool count_reuse(memplan *m, const struct emitter *row)
{
	return m->plan.reuse || !m->has_plan ||
	       strncmp(row->name, "reuse", strlen("reuse")) != 0 ||
	       mp_street_count_reuse(m);
}

/* Runs after mp_street_call(): the error is the emitter's own. */
static bool write(memplan *m, const char *format)
{
	const struct emitter *row = emitter_of(format);
	struct arena_mark mark;

	if (!row)
		return fail_unknown(m, format);
	if (!may_write(m, row) || !count_reuse(m, row))
		return false;
	mark = mp_arena_mark(&m->arena);
	row->run(&m->plan, &m->sink, &m->arena, &m->error);
	mp_arena_rewind(&m->arena, mark);
	return m->error.code == MEMPLAN_OK;
}

/* The bytes in the sink, unless the call has failed. */
static enum memplan_status give_bytes(
	const memplan *m, const void **bytes, size_t *length)
{
	bool fine = m->error.code == MEMPLAN_OK;

	*bytes = fine ? m->sink.bytes : NULL;
	*length = fine ? m->sink.length : 0;
	return m->error.code;
}

enum memplan_status memplan_write(
	memplan *m, const char *format, const void **bytes, size_t *length)
{
	assert(format && bytes && length);
	mp_street_call(m);
	m->sink.length = 0;
	write(m, format);
	return give_bytes(m, bytes, length);
}

/* ------------------------------------------------------- comparison */

/* The plan that an input carries, and the one that was made of the same. */
static bool is_own(const memplan *before, const memplan *after)
{
	return strcmp(mp_street_graph(before)->place,
		       mp_street_graph(after)->place) == 0 &&
	       strcmp(before->plan.planner, "given") == 0 &&
	       strcmp(after->plan.planner, "given") != 0;
}

static bool compare(const memplan *before, memplan *after, const char *report)
{
	const struct comparison_report *row = mp_compare_report(report);
	struct error *e = &after->error;
	struct comparison comparison;

	if (!row)
		return mp_street_tables_check(
			"comparisons", "comparison", report, e);
	if (!before->has_plan || !after->has_plan)
		return mp_fail(e, MEMPLAN_NO, "nothing to compare: no plan");
	if (!mp_compare(
		    &before->plan, &after->plan, &comparison, &after->arena, e))
		return false;
	comparison.own = is_own(before, after);
	row->run(&comparison, &after->sink);
	return true;
}

enum memplan_status memplan_compare(const memplan *before, memplan *after,
	const char *report, const void **bytes, size_t *length)
{
	struct arena_mark mark = mp_arena_mark(&after->arena);

	assert(before && report && bytes && length);
	mp_street_call(after);
	after->sink.length = 0;
	compare(before, after, report);
	mp_arena_rewind(&after->arena, mark);
	return give_bytes(after, bytes, length);
}

/* ---------------------------------------------------------- numbers */

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

/* ---------------------------------------------------------- structs */

/* Programs compare kinds with those of the binary table too. */
_Static_assert((int)MEMPLAN_KIND_ACTIVATION == (int)KIND_ACTIVATION &&
		       (int)MEMPLAN_KIND_INPUT == (int)KIND_INPUT &&
		       (int)MEMPLAN_KIND_OUTPUT == (int)KIND_OUTPUT &&
		       (int)MEMPLAN_KIND_WEIGHT == (int)KIND_WEIGHT &&
		       (int)MEMPLAN_KIND_STATE == (int)KIND_STATE &&
		       (int)MEMPLAN_KIND_TEMPORARY == (int)KIND_TEMPORARY,
	"the API's kinds are the graph's");

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

int memplan_tensor_at(const memplan *m, uint32_t i,
	struct memplan_tensor *tensor, size_t size)
{
	struct memplan_tensor own;
	const struct tensor_alias *alias;
	const struct item *item;

	if (!m->has_plan || i >= m->problem.n_items)
		return 0;
	item = &m->problem.items[i];
	alias = mp_graph_ties_alias(&m->problem.ties, i);
	own = (struct memplan_tensor){.id = item->id,
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
	set_branch(&m->problem, item, &own);
	mp_street_give(tensor, size, &own, sizeof(own));
	return 1;
}

int memplan_memory_at(const memplan *m, uint32_t i,
	struct memplan_memory *memory, size_t size)
{
	struct memplan_memory own;
	struct space space;

	if (!m->has_plan || i >= mp_plan_memories(&m->plan))
		return 0;
	space = mp_plan_memory(&m->plan, i);
	own = (struct memplan_memory){space.name, space.size,
		space.base_alignment, space.capacity, space.theoretical_min};
	mp_street_give(memory, size, &own, sizeof(own));
	return 1;
}

int memplan_gap_at(
	const memplan *m, uint32_t i, struct memplan_gap *gap, size_t size)
{
	struct memplan_gap own;
	const struct lifetime_gap *from;

	if (!m->has_plan || i >= m->problem.ties.n_gaps)
		return 0;
	from = &m->problem.ties.gaps[i];
	own = (struct memplan_gap){
		from->tensor, from->start, from->end, from->low, from->high};
	mp_street_give(gap, size, &own, sizeof(own));
	return 1;
}

int memplan_op_at(
	const memplan *m, uint32_t step, struct memplan_op *op, size_t size)
{
	struct memplan_op own;
	const struct step *s;

	if (!m->has_plan || step >= m->problem.n_ops)
		return 0;
	s = &m->problem.ops[m->problem.order[step]];
	own = (struct memplan_op){s->name, s->inputs, s->outputs,
		s->temporaries, s->n_inputs, s->n_outputs, s->n_temporaries,
		m->problem.order[step], s->after, s->n_after, s->stream};
	mp_street_give(op, size, &own, sizeof(own));
	return 1;
}

/* --------------------------------------------------------- messages */

const char *memplan_error(const memplan *m)
{
	return m->error.text;
}

void memplan_error_place(const memplan *m, uint32_t *line, uint32_t *column)
{
	assert(line && column);
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
	return mp_street_tables_row(table, i, summary);
}

const char *memplan_version(void)
{
	return MEMPLAN_VERSION;
}
