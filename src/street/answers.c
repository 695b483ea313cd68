/*
 * What a caller may ask of a handle after a run.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>
#include <string.h>

#include "compare/compare.h"
#include "json/json.h"
#include "proof/proof.h"

/* ------------------------------------------------------------ files */

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

/* The numbers that a form of file holds, and what an error says of others. */
struct numbers {
	uint64_t most; /* of bytes, and of times with either sign */
	const char *sizes, *times;
};

static const struct numbers json_numbers = {NUM_MAX_EXACT,
	"cannot be written as JSON, which holds integers up to 2^53",
	"cannot be written as JSON, which holds integers from -2^53 to 2^53"};
static const struct numbers proof_numbers = {PROOF_END - 1,
	"cannot be written as a proof, which holds numbers below 2^60",
	"cannot be written as a proof, which holds numbers between -2^60 and "
	"2^60"};

/* A file is read again, so its numbers must be among those that its form holds.
 * No number of bytes in it is greater than the arena. */
static bool fits(
	const struct plan *plan, const struct numbers *numbers, struct error *e)
{
	const struct problem *p = &plan->schedule->problem;
	int64_t most = (int64_t)numbers->most;

	if (plan->arena_size > numbers->most)
		return mp_fail(e, MEMPLAN_EUSAGE,
			"%s: an arena of %llu byte%s %s", p->name,
			(unsigned long long)plan->arena_size,
			mp_text_plural(plan->arena_size), numbers->sizes);
	return !p->times ||
	       (p->times[0] >= -most && p->times[p->n_steps] <= most) ||
	       mp_fail(e, MEMPLAN_EUSAGE, "%s: times %s", p->name,
		       numbers->times);
}

/* Is the plan of what the row writes back? A TFLite model has one memory. */
static bool is_of_source(memplan *m, const struct emitter *row)
{
	const struct graph *graph = m->planned;
	bool tflite = row->takes == TAKES_TFLITE;

	if (tflite && m->results.schedule->problem.pools)
		return mp_fail(&m->error, MEMPLAN_EUSAGE,
			"%s: several pools cannot be written as %s, which has "
			"room for one memory",
			graph->name, row->name);
	if (tflite ? graph->tflite != NULL : graph->dsa != NULL)
		return true;
	return mp_fail(&m->error, MEMPLAN_EUSAGE,
		"%s: only a plan of a %s, as it was read, can be written as %s",
		graph->name, tflite ? "TFLite model" : "problem of dsa-solver",
		row->name);
}

/* True if there is a result that the format can write. */
static bool may_write(memplan *m, const struct emitter *row)
{
	if (m->unverified)
		return mp_fail(&m->error, MEMPLAN_NO,
			"a plan that was not verified is not written");
	if (!m->results.schedule ||
		(!m->results.plan && row->takes != TAKES_SCHEDULE))
		return mp_fail(
			&m->error, MEMPLAN_NO, "there is no result to write");
	if ((row->takes == TAKES_TFLITE || row->takes == TAKES_DSA) &&
		!is_of_source(m, row))
		return false;
	if (strcmp(row->name, "proof") == 0)
		return fits(&m->plan, &proof_numbers, &m->error);
	return strcmp(row->name, "plan") != 0 ||
	       fits(&m->plan, &json_numbers, &m->error);
}

/* Runs after mp_street_call(): an error is the emitter's own. */
static bool write(memplan *m, const char *format)
{
	const struct emitter *row = mp_emit_find(format);
	struct arena_mark mark;

	if (!row)
		row = mp_emit_for(format);
	if (!row)
		return fail_unknown(m, format);
	if (!may_write(m, row))
		return false;
	if (row->takes != TAKES_BRIEF && !mp_street_unfold(m))
		return false;
	/* The formats of reuse need the reuse edges; reading a plan does not
	 * compute them. */
	if (!m->results.reuse && m->has_plan &&
		strncmp(row->name, "reuse", strlen("reuse")) == 0 &&
		!mp_street_count_reuse(m))
		return false;
	mark = mp_arena_mark(&m->arena);
	row->run(&m->results, &m->sink, &m->arena);
	mp_arena_rewind(&m->arena, mark);
	return m->error.code == MEMPLAN_OK;
}

enum memplan_status memplan_write(
	memplan *m, const char *format, const void **bytes, size_t *length)
{
	assert(format && bytes && length);
	mp_street_call(&m->sink);
	write(m, format);
	return mp_street_give_bytes(&m->sink, bytes, length);
}

/* ------------------------------------------------------- comparison */

/* Has the plan the offsets of the input, or those that its runtime finds? */
static bool is_given(const memplan *m)
{
	return strcmp(m->plan.planner, "given") == 0 ||
	       (strcmp(m->options.planner, "given") == 0 &&
		       mp_street_graph(m)->tflite);
}

/* Compares two plans of one graph: the one that an input carries, and memplan's
 * own. */
static bool is_own(const memplan *before, const memplan *after)
{
	return strcmp(mp_street_graph(before)->place,
		       mp_street_graph(after)->place) == 0 &&
	       is_given(before) && !is_given(after);
}

/* The same plan, of a problem that is whole. */
static bool copy_whole(const struct plan *plan, struct plan *whole,
	struct schedule *schedule, struct arena *arena)
{
	*whole = *plan;
	*schedule = *plan->schedule;
	schedule->problem.schedule = whole->schedule = schedule;
	whole->problem = &schedule->problem;
	return mp_schedule_unfold(schedule, arena);
}

static bool compare(const memplan *before, memplan *after, const char *report)
{
	const struct comparison_report *row = mp_compare_report(report);
	struct error *e = &after->error;
	struct comparison comparison;
	struct schedule schedule;
	struct plan old;

	if (!row)
		return mp_street_tables_check(
			"comparisons", "comparison", report, e);
	if (!before->has_plan || !after->has_plan)
		return mp_fail(e, MEMPLAN_NO, "nothing to compare: no plan");
	if (!copy_whole(&before->plan, &old, &schedule, &after->arena) ||
		!mp_street_unfold(after) ||
		!mp_compare(&old, &after->plan, &comparison, &after->arena, e))
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
	mp_street_call(&after->sink);
	compare(before, after, report);
	mp_arena_rewind(&after->arena, mark);
	return mp_street_give_bytes(&after->sink, bytes, length);
}

/* ---------------------------------------------------------- numbers */

int memplan_number(const memplan *m, const char *name, uint64_t *value)
{
	static const struct graph no_graph;
	static const struct schedule no_schedule;
	const struct graph *graph = mp_street_graph(m);
	const struct graph *g = graph ? graph : &no_graph;
	bool has_banks = mp_graph_has_banks(g->pools, g->n_pools);
	bool known = m->results.schedule != NULL;
	const struct schedule *s = known ? m->results.schedule : &no_schedule;
	const struct problem *p = &s->problem;
	const struct reuse_sums *reuse = m->results.reuse;
	const struct extent states =
		m->has_plan ? mp_plan_states(&m->plan) : (struct extent){0, 0};
	const struct {
		const char *name;
		uint64_t value;
		bool known;
	} numbers[] = {
		{"ops", g->n_ops, graph},
		{"tensors", g->n_tensors, graph},
		{"alignment", g->alignment, graph},
		{"graphs", g->bundle.n, graph},
		{"buckets", g->n_buckets, graph},
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
		{"optimal", m->has_plan && mp_plan_is_optimal(&m->plan),
			m->has_plan},
		{"claimed_bound", m->plan.claimed_bound,
			m->has_plan && m->plan.claimed_bound > 0},
		{"cut_short", m->plan.cut_short, m->has_plan},
		{"reuse_cost", m->plan.reuse_cost,
			m->has_plan && g->ties.n_costs > 0},
		{"reuse_cost_bound", m->plan.reuse_cost_bound,
			m->has_plan && g->ties.n_costs > 0},
		{"bank_cost", m->plan.banks.cost, m->has_plan && has_banks},
		{"bank_cost_bound", m->plan.banks.bound,
			m->has_plan && has_banks},
		{"reuse_edges", reuse ? reuse->edges : 0, reuse != NULL},
		{"states_offset", states.base, states.size > 0},
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

/* ---------------------------------------------------------- structs */

/* Programs compare these kinds with those of the binary table too. */
_Static_assert((int)MEMPLAN_KIND_ACTIVATION == (int)KIND_ACTIVATION &&
		       (int)MEMPLAN_KIND_INPUT == (int)KIND_INPUT &&
		       (int)MEMPLAN_KIND_OUTPUT == (int)KIND_OUTPUT &&
		       (int)MEMPLAN_KIND_WEIGHT == (int)KIND_WEIGHT &&
		       (int)MEMPLAN_KIND_STATE == (int)KIND_STATE &&
		       (int)MEMPLAN_KIND_TEMPORARY == (int)KIND_TEMPORARY,
	"the API's kinds are the graph's");

int memplan_tensor_at(const memplan *m, uint32_t i,
	struct memplan_tensor *tensor, size_t size)
{
	struct memplan_tensor own;
	const struct schedule *s = m->plan.schedule;
	const struct tensor_alias *alias;
	const struct tensor *from;
	const struct problem *p;
	struct stay stay;
	uint32_t same;

	if (!m->has_plan || i >= s->graph->n_tensors)
		return 0;
	p = &s->problem;
	from = &s->graph->tensors[i];
	alias = mp_graph_ties_alias(&s->graph->ties, i);
	same = mp_schedule_same_bytes(s, i);
	stay = mp_schedule_stay(s, i);
	own = (struct memplan_tensor){.id = from->id,
		.name = from->name,
		.offset = mp_plan_offset(&m->plan, i),
		.size = from->size,
		.start = stay.start,
		.end = stay.end,
		.external = from->external,
		.kind = from->kind,
		.is_alias = alias || same != i,
		.writes = alias ? alias->writes : same != i,
		.alias_of = alias ? alias->of : same,
		.alias_offset = alias ? alias->offset : 0,
		.pool = mp_plan_space(&m->plan, i)};
	/* As the planner sees it: a buffer belongs to a branch only if all its
	 * bytes do. */
	if (p->choice && stay.buffer != NONE &&
		p->choice[stay.buffer] != NONE) {
		own.choice = p->choice[stay.buffer] + 1;
		own.branch = p->branch[stay.buffer];
	}
	mp_street_give(tensor, size, &own, sizeof(own));
	return 1;
}

int memplan_memory_at(const memplan *m, uint32_t i,
	struct memplan_memory *memory, size_t size)
{
	struct space space;

	if (!m->has_plan || i >= mp_plan_memories(&m->plan))
		return 0;
	space = mp_plan_memory(&m->plan, i);
	mp_street_give(memory, size,
		&(struct memplan_memory){space.name, space.size,
			space.base_alignment, space.capacity,
			space.theoretical_min},
		sizeof(*memory));
	return 1;
}

int memplan_gap_at(
	const memplan *m, uint32_t i, struct memplan_gap *gap, size_t size)
{
	const struct ties *ties = m->has_plan ? &m->planned->ties : NULL;
	const struct lifetime_gap *from;

	if (!ties || i >= ties->n_gaps)
		return 0;
	from = &ties->gaps[i];
	mp_street_give(gap, size,
		&(struct memplan_gap){from->tensor, from->start, from->end,
			from->low, from->high},
		sizeof(*gap));
	return 1;
}

int memplan_choice_at(const memplan *m, uint32_t i,
	struct memplan_choice *choice, size_t size)
{
	const struct problem *p =
		m->has_plan ? &m->plan.schedule->problem : NULL;
	struct choice_site site;

	if (!p || i == 0 || i > p->n_choices)
		return 0;
	site = mp_problem_site(p, i - 1);
	mp_street_give(choice, size,
		&(struct memplan_choice){site.choice + 1, site.branch},
		sizeof(*choice));
	return 1;
}

int memplan_op_at(
	const memplan *m, uint32_t step, struct memplan_op *op, size_t size)
{
	const struct schedule *s = m->plan.schedule;
	const struct op *from = m->has_plan ? mp_schedule_op(s, step) : NULL;

	if (!from)
		return 0;
	mp_street_give(op, size,
		&(struct memplan_op){from->name, from->inputs.at,
			from->outputs.at, from->temporaries.at, from->inputs.n,
			from->outputs.n, from->temporaries.n, s->order[step],
			from->before.at, from->before.n, from->stream},
		sizeof(*op));
	return 1;
}

/* --------------------------------------------------------- messages */

const char *memplan_error(const memplan *m)
{
	/* What was tried in vain may have left a text. */
	return m->error.code == MEMPLAN_OK ? "" : m->error.text;
}

void memplan_error_place(const memplan *m, uint32_t *line, uint32_t *column)
{
	bool failed = m->error.code != MEMPLAN_OK;

	assert(line && column);
	*line = failed ? m->error.line : 0;
	*column = failed ? m->error.column : 0;
}

int memplan_json_place(const void *bytes, size_t length, const char *pointer,
	uint32_t *line, uint32_t *column)
{
	struct input_file file = {.name = "", .bytes = bytes, .length = length};
	struct error error = {0};
	struct arena arena = {.error = &error};
	struct json_place place;
	struct json json;
	bool found;

	assert(pointer && line && column);
	found = mp_json_open(&file, &json, &arena, &error) &&
		mp_json_follow(&json, pointer, &place);
	mp_json_close(&json);
	mp_arena_free(&arena);
	if (found) {
		*line = place.line;
		*column = place.column;
	}
	return found;
}

const char *memplan_warning(const memplan *m, uint32_t i)
{
	if (i >= m->error.n_warnings || i >= WARNINGS_KEPT)
		return NULL;
	return m->error.warnings[i];
}

const char *memplan_version(void)
{
	return MEMPLAN_VERSION;
}
