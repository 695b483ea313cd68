/*
 * Runs a graph on the places of a plan, and knows no lifetimes: only which op
 * reads and writes which tensor, and what comes before what (docs/model.md).
 * Of every byte it keeps the tensor that wrote it last. An op must find what it
 * reads as its writer left it, from its begin to its end.
 *
 * Ops run in the order of the plan. With several streams that is one of many
 * timings. So each byte also keeps, of each stream, the last op that used it:
 * an op that writes must come after all of them. Then every timing gives the
 * same as the one that was run.
 *
 * SPDX-License-Identifier: MIT
 */
#include "verify/verify.h"

#include <assert.h>

#include "verify/run.h"

/* ------------------------------------------------------------- uses */

static bool need_cells(struct run_check *r, uint32_t op, bool may_own,
	uint32_t t, uint32_t low, uint32_t high)
{
	uint32_t other =
		mp_verify_run_other(r, low, high, may_own ? op : NONE, t);

	if (other != NONE)
		return mp_verify_run_complain(r, "is overwritten by", t, other);
	return mp_verify_run_use(r, op, t, (struct cells){low, high}, false);
}

/* The cells that a gap keeps; false: none. */
static bool find_kept(const struct run_check *r, const struct lifetime_gap *gap,
	uint32_t *low, uint32_t *high)
{
	const struct tensor *t = &r->graph->tensors[gap->tensor];
	uint32_t pool = mp_verify_run_pool(r->graph, t);

	*low = mp_verify_run_edge(r, (struct edge){t->offset + gap->low, pool});
	*high = mp_verify_run_edge(
		r, (struct edge){t->offset + gap->high, pool});
	return gap->low < gap->high;
}

/* In a gap a tensor has no content but the bytes that the gap keeps. */
static bool need(struct run_check *r, uint32_t op, bool may_own, uint32_t t)
{
	uint32_t low = r->low[t], high = r->high[t];

	if (!r->alive[t])
		return true;
	if (op != NONE && r->pause[t] != NONE &&
		!find_kept(r, &r->graph->ties.gaps[r->pause[t]], &low, &high))
		return mp_fail(r->error, MEMPLAN_NO,
			"%s: the run of the graph: op %u '%.80s' uses tensor "
			"'%.80s' in a gap of its lifetime",
			r->graph->name, op, mp_graph_op_label(r->graph, op),
			mp_graph_tensor_label(&r->graph->tensors[t]));
	return need_cells(r, op, may_own, t, low, high);
}

static bool write_cells(struct run_check *r, uint32_t op, uint32_t t,
	uint32_t low, uint32_t high)
{
	mp_verify_run_write(r, t, low, high);
	return mp_verify_run_use(r, op, t, (struct cells){low, high}, true);
}

static bool write(struct run_check *r, uint32_t op, uint32_t t)
{
	return write_cells(r, op, t, r->low[t], r->high[t]);
}

static bool is_alias_only(const struct run_check *r, uint32_t t)
{
	const struct tensor_alias *a = mp_graph_ties_alias(&r->graph->ties, t);

	return a && !a->writes;
}

/* Lifetimes that the input gives count on one stream only. */
static bool is_pinned(const struct run_check *r, uint32_t t)
{
	return r->graph->tensors[t].pinned && r->n_streams <= 1;
}

/* But for one: on several streams, what no op makes is there once the op of its
 * first step begins. */
static bool comes_with_op(const struct run_check *r, uint32_t t)
{
	const struct tensor *tensor = &r->graph->tensors[t];

	return r->n_streams > 1 && tensor->pinned && tensor->start > 0 &&
	       tensor->producer == NONE && tensor->kind == KIND_ACTIVATION &&
	       !tensor->from_start && !mp_graph_ties_alias(&r->graph->ties, t);
}

static bool was_there_before(
	const struct run_check *r, uint32_t t, uint32_t step)
{
	const struct tensor *tensor = &r->graph->tensors[t];

	if (mp_graph_ties_alias(&r->graph->ties, t))
		return false;
	return tensor->from_start || (is_pinned(r, t) && tensor->start < step);
}

/* -------------------------------------------------------------- ops */

static bool need_list(
	struct run_check *r, uint32_t op, bool may_own, struct ids list)
{
	for (uint32_t i = 0; i < list.n; i++)
		if (!need(r, op, may_own, list.at[i]))
			return false;
	return true;
}

static bool write_list(
	struct run_check *r, uint32_t op, uint32_t step, struct ids list)
{
	for (uint32_t i = 0; i < list.n; i++)
		if (r->alive[list.at[i]] &&
			was_there_before(r, list.at[i], step) &&
			!need(r, op, false, list.at[i]))
			return false;
	for (uint32_t i = 0; i < list.n; i++)
		if (r->alive[list.at[i]] && !is_alias_only(r, list.at[i]) &&
			!write(r, op, list.at[i]))
			return false;
	return true;
}

static bool run_op(struct run_check *r, uint32_t op, uint32_t step)
{
	const struct op *o = &r->graph->ops[op];

	return need_list(r, op, false, o->inputs) &&
	       write_list(r, op, step, o->outputs) &&
	       write_list(r, op, step, o->temporaries) &&
	       need_list(r, op, true, o->inputs) &&
	       need_list(r, op, true, o->outputs) &&
	       need_list(r, op, true, o->temporaries);
}

/* -------------------------------------------------------- lifetimes */

/* Where an iteration runs again, a lifetime that began before it is over. */
static bool is_new(const struct run_check *r, uint32_t t)
{
	return r->again_from == NONE ||
	       r->graph->tensors[t].start >= r->again_from;
}

/* The caller writes the bytes that the tensor needs now. */
static bool write_now(struct run_check *r, uint32_t op, uint32_t t)
{
	uint32_t low, high;

	if (r->pause[t] == NONE)
		return write(r, op, t);
	return !find_kept(r, &r->graph->ties.gaps[r->pause[t]], &low, &high) ||
	       write_cells(r, op, t, low, high);
}

/* Gaps that begin, and those that end: one may follow another at once, and the
 * last one may last to the end. */
static void change_gaps(struct run_check *r, uint32_t step)
{
	struct ids resumes = mp_lists_at(&r->resumes, step);
	struct ids pauses = mp_lists_at(&r->pauses, step);

	for (uint32_t i = 0; i < resumes.n; i++)
		r->pause[r->graph->ties.gaps[resumes.at[i]].tensor] = NONE;
	for (uint32_t i = 0; i < pauses.n; i++)
		r->pause[r->graph->ties.gaps[pauses.at[i]].tensor] =
			pauses.at[i];
}

/* What no op makes the caller writes, at its start and behind a gap. */
static bool begin_step(struct run_check *r, uint32_t step, uint32_t op)
{
	struct ids starts = mp_lists_at(&r->starts, step);
	struct ids resumes = mp_lists_at(&r->resumes, step);

	change_gaps(r, step);
	for (uint32_t i = 0; i < starts.n; i++) {
		uint32_t t = starts.at[i];

		if (r->alive[t] && is_new(r, t) &&
			(op == NONE || r->graph->tensors[t].producer != op) &&
			!mp_graph_ties_alias(&r->graph->ties, t) &&
			!write_now(r, comes_with_op(r, t) ? op : NONE, t))
			return false;
	}
	for (uint32_t i = 0; i < resumes.n; i++) {
		uint32_t t = r->graph->ties.gaps[resumes.at[i]].tensor;

		if (r->alive[t] && step < r->graph->tensors[t].end &&
			!write_now(r, NONE, t))
			return false;
	}
	return true;
}

/* The bytes that the tensor needs in this step are intact. */
static bool need_now(struct run_check *r, uint32_t step, uint32_t t)
{
	uint32_t low, high;

	if (step < r->graph->tensors[t].start)
		return true;
	if (r->pause[t] == NONE)
		return need(r, NONE, false, t);
	return !r->alive[t] ||
	       !find_kept(r, &r->graph->ties.gaps[r->pause[t]], &low, &high) ||
	       need_cells(r, NONE, false, t, low, high);
}

/* At the end of a lifetime, and where a gap begins or ends. */
static bool end_step(struct run_check *r, uint32_t step)
{
	struct ids pauses = mp_lists_at(&r->pauses, step + 1);
	struct ids resumes = mp_lists_at(&r->resumes, step + 1);
	struct ids ends = mp_lists_at(&r->ends, step + 1);

	for (uint32_t i = 0; i < pauses.n; i++)
		if (!need_now(
			    r, step, r->graph->ties.gaps[pauses.at[i]].tensor))
			return false;
	for (uint32_t i = 0; i < resumes.n; i++)
		if (!need_now(
			    r, step, r->graph->ties.gaps[resumes.at[i]].tensor))
			return false;
	for (uint32_t i = 0; i < ends.n; i++)
		if (is_new(r, ends.at[i]) && !need_now(r, step, ends.at[i]))
			return false;
	return true;
}

/* ------------------------------------------------------------ loops */

static bool hands_on_in_place(
	const struct run_check *r, uint32_t in, uint32_t out)
{
	const struct tensor_alias *a =
		out == NONE || !r->alive[out]
			? NULL
			: mp_graph_ties_alias(&r->graph->ties, out);

	return a && a->writes && a->of == in;
}

/* All that an iteration hands on is there at its end, and so is what that is
 * handed on to. Then the one becomes the other, which the next one finds. In
 * place nothing is written, and what the last iteration made keeps its name.
 * NONE: it is in the caller's memory. */
static bool hand_on(
	struct run_check *r, const struct graph_loop *loop, bool ends)
{
	for (uint32_t i = 0; i < loop->n_carried; i++) {
		uint32_t in = loop->carried[i].in, out = loop->carried[i].out;

		if ((out != NONE && !need(r, NONE, false, out)) ||
			(in != NONE && !hands_on_in_place(r, in, out) &&
				!need(r, NONE, false, in)))
			return false;
	}
	for (uint32_t i = 0; i < loop->n_carried; i++) {
		uint32_t in = loop->carried[i].in, out = loop->carried[i].out;

		if (in != NONE && r->alive[in] &&
			(out == NONE || r->alive[out]) &&
			!(ends && hands_on_in_place(r, in, out)))
			mp_verify_run_write(r, in, r->low[in], r->high[in]);
	}
	return true;
}

/* The loops that end with this step, inside out. An iteration leaves the
 * same in the cells that the body writes, and nothing else changes: so a second
 * one meets all that any later one does. And where a loop around runs for the
 * second time, one iteration meets what is new. */
static bool end_iterations(struct run_check *r, uint32_t *step)
{
	const struct graph *g = r->graph;
	uint32_t i = g->loop_of ? g->loop_of[r->order[*step]] : NONE;

	for (; i != NONE && r->loop_end[i] == *step; i = g->loops[i].around) {
		const struct graph_loop *loop = &g->loops[i];
		bool again = r->again_from == NONE;

		if (!hand_on(r, loop, !again))
			return false;
		if (r->again == i)
			r->again_from = r->again = NONE;
		if (!again)
			continue;
		r->again = i;
		r->again_from = *step + 1 - (loop->last - loop->first + 1);
		*step = r->again_from - 1;
		if (!mp_verify_run_check_uses(r))
			return false;
		mp_verify_run_forget_uses(r);
		return true;
	}
	return true;
}

/* The body of a loop stands together in the order. */
static bool find_loops(struct run_check *r)
{
	const struct graph *g = r->graph;

	r->loop_end = NEW(r->scratch, uint32_t, g->n_loops);
	if (!r->loop_end)
		return false;
	for (uint32_t i = 0; i < g->n_loops; i++)
		r->loop_end[i] = NONE;
	for (uint32_t step = 0; step < g->n_ops && g->n_loops > 0; step++)
		for (uint32_t i = g->loop_of[r->order[step]]; i != NONE;
			i = g->loops[i].around) {
			const struct graph_loop *loop = &g->loops[i];
			uint32_t n = loop->last - loop->first;

			if (r->order[step] == loop->first)
				r->loop_end[i] = step + n;
			if (r->loop_end[i] < step || r->loop_end[i] > step + n)
				return mp_fail(r->error, MEMPLAN_NO,
					"%s: the run of the graph: the ops of "
					"loop %u do not run one after the "
					"other",
					g->name, i);
		}
	return true;
}

/* -------------------------------------------------------------- run */

static bool is_there_first(const struct run_check *r, uint32_t t)
{
	const struct tensor *tensor = &r->graph->tensors[t];

	return r->alive[t] && !is_pinned(r, t) && !comes_with_op(r, t) &&
	       !mp_graph_ties_alias(&r->graph->ties, t) &&
	       (tensor->from_start ||
		       (tensor->kind != KIND_TEMPORARY &&
			       (tensor->producer == NONE ||
				       mp_graph_tensor_from_start(tensor))));
}

static bool set_out(struct run_check *r)
{
	for (uint32_t i = 0; i < 2 * r->leaves; i++)
		r->content[i] = r->graph->n_tensors;
	mp_verify_run_forget_uses(r);
	for (uint32_t t = 0; t < r->graph->n_tensors; t++)
		r->pause[t] = NONE;
	for (uint32_t t = 0; t < r->graph->n_tensors; t++)
		if (is_there_first(r, t))
			write(r, NONE, t);
	for (uint32_t t = 0; t < r->graph->n_tensors; t++)
		if (is_there_first(r, t) && !need(r, NONE, false, t))
			return false;
	return true;
}

/* States and weights may have been updated in place. */
static bool is_update(const struct run_check *r, uint32_t t)
{
	uint8_t kind = r->graph->tensors[t].kind;

	return kind == KIND_STATE || kind == KIND_WEIGHT;
}

static uint32_t find_at_end(const struct run_check *r, uint32_t t)
{
	uint32_t low = r->low[t];

	while (low < r->high[t]) {
		uint32_t other = mp_verify_run_other(r, low, low + 1, NONE, t);
		const struct tensor_alias *a =
			other < r->graph->n_tensors
				? mp_graph_ties_alias(&r->graph->ties, other)
				: NULL;

		if (other != NONE &&
			!(is_update(r, t) && a && a->writes && a->root == t))
			return other;
		low++;
	}
	return NONE;
}

static bool end_run(struct run_check *r)
{
	for (uint32_t t = 0; t < r->graph->n_tensors; t++) {
		uint32_t other;

		if (!r->alive[t] || is_pinned(r, t) ||
			!mp_graph_tensor_to_end(&r->graph->tensors[t]))
			continue;
		other = mp_verify_run_other(r, r->low[t], r->high[t], NONE, t);
		if (other != NONE && is_update(r, t))
			other = find_at_end(r, t);
		if (other != NONE)
			return mp_verify_run_complain(
				r, "is overwritten by", t, other);
	}
	return true;
}

static bool run_step(struct run_check *r, uint32_t step)
{
	uint32_t op = r->graph->n_ops ? r->order[step] : NONE;

	return begin_step(r, step, op) && (op == NONE || run_op(r, op, step)) &&
	       end_step(r, step);
}

static bool run_steps(struct run_check *r)
{
	uint32_t n = r->graph->n_ops ? r->graph->n_ops : r->problem->n_steps;

	if (!set_out(r))
		return false;
	r->again = r->again_from = NONE;
	for (uint32_t step = 0; step < n; step++)
		if (!run_step(r, step) || !end_iterations(r, &step))
			return false;
	return mp_verify_run_check_uses(r) && end_run(r);
}

static bool run_rounds(struct run_check *r)
{
	uint32_t rounds = mp_verify_run_rounds(r);

	for (uint32_t i = 0; i < rounds; i++) {
		mp_verify_run_choose(r, i);
		if (!run_steps(r))
			return false;
	}
	return true;
}

/* ---------------------------------------------------------- prepare */

/* What an alias is an alias of. */
static uint32_t base_of(const struct graph *graph, uint32_t alias)
{
	const struct tensor_alias *a = mp_graph_ties_alias(&graph->ties, alias);

	assert(a);
	return a->of;
}

/* The nearest tensor above, or itself, that is no mere name. Chains of names
 * are walked once. */
static void find_writers(struct run_check *r)
{
	const struct graph *g = r->graph;

	for (uint32_t t = 0; t < g->n_tensors; t++)
		r->writer[t] = NONE;
	for (uint32_t t = 0; t < g->n_tensors; t++) {
		uint32_t at = t, found;

		while (is_alias_only(r, at) && r->writer[at] == NONE)
			at = base_of(g, at);
		found = r->writer[at] != NONE ? r->writer[at] : at;
		r->writer[at] = found;
		for (at = t; r->writer[at] == NONE; at = base_of(g, at))
			r->writer[at] = found;
	}
}

/* An alias lies where its bytes of the other tensor lie. */
static bool check_aliases(const struct run_check *r)
{
	const struct ties *ties = &r->graph->ties;

	for (uint32_t i = 0; i < ties->n_aliases; i++) {
		const struct tensor_alias *a = &ties->aliases[i];
		const struct tensor *t = &r->graph->tensors[a->tensor];
		const struct tensor *of = &r->graph->tensors[a->of];

		if (mp_verify_run_takes_bytes(t) &&
			mp_verify_run_takes_bytes(of) &&
			(t->offset != of->offset + a->offset ||
				mp_verify_run_pool(r->graph, t) !=
					mp_verify_run_pool(r->graph, of)))
			return mp_verify_run_complain(r,
				"does not lie in its bytes of", a->tensor,
				a->of);
	}
	return true;
}

static bool group_by(struct run_check *r, struct lists *lists, uint32_t n,
	uint32_t (*key)(const struct run_check *r, uint32_t i))
{
	uint32_t steps = r->problem->n_steps + 2;

	if (!mp_lists_init(lists, steps, r->scratch))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (key(r, i) != NONE)
			mp_lists_count(lists, key(r, i), 1);
	if (!mp_lists_ready(lists, steps, r->scratch))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (key(r, i) != NONE)
			mp_lists_add(lists, key(r, i), i);
	return true;
}

static uint32_t start_of(const struct run_check *r, uint32_t t)
{
	return is_pinned(r, t) || comes_with_op(r, t)
		       ? r->graph->tensors[t].start
		       : NONE;
}

static uint32_t end_of(const struct run_check *r, uint32_t t)
{
	return is_pinned(r, t) ? r->graph->tensors[t].end : NONE;
}

static uint32_t pause_of(const struct run_check *r, uint32_t i)
{
	const struct lifetime_gap *gap = &r->graph->ties.gaps[i];

	return is_pinned(r, gap->tensor) ? gap->start : NONE;
}

static uint32_t resume_of(const struct run_check *r, uint32_t i)
{
	const struct lifetime_gap *gap = &r->graph->ties.gaps[i];

	return is_pinned(r, gap->tensor) ? gap->end : NONE;
}

static bool list_lifetimes(struct run_check *r)
{
	const struct graph *g = r->graph;

	return group_by(r, &r->starts, g->n_tensors, start_of) &&
	       group_by(r, &r->ends, g->n_tensors, end_of) &&
	       group_by(r, &r->pauses, g->ties.n_gaps, pause_of) &&
	       group_by(r, &r->resumes, g->ties.n_gaps, resume_of);
}

static bool prepare(struct run_check *r)
{
	size_t n = r->graph->n_tensors;

	r->writer = NEW(r->scratch, uint32_t, n);
	r->low = NEW(r->scratch, uint32_t, n);
	r->high = NEW(r->scratch, uint32_t, n);
	r->inner_low = NEW(r->scratch, uint32_t, n);
	r->inner_high = NEW(r->scratch, uint32_t, n);
	r->alive = NEW(r->scratch, bool, n);
	r->pause = NEW(r->scratch, uint32_t, n);
	if (!r->writer || !r->low || !r->high || !r->inner_low ||
		!r->inner_high || !r->alive || !r->pause ||
		!mp_verify_run_cells(r))
		return false;
	for (r->leaves = 1; r->leaves < r->n_edges;)
		r->leaves *= 2;
	r->content = NEW(r->scratch, uint32_t, (size_t)r->leaves * 2);
	find_writers(r);
	return r->content && check_aliases(r) && find_loops(r) &&
	       mp_verify_run_branches(r) && list_lifetimes(r);
}

bool mp_verify_run(const struct graph *graph, const uint32_t *order,
	const struct problem *problem, struct arena *scratch, struct error *e)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	struct run_check r = {.graph = graph,
		.problem = problem,
		.order = order,
		.n_streams = graph->n_streams,
		.scratch = scratch,
		.error = e};
	bool fine = prepare(&r);

	fine = fine && (r.n_streams <= 1 || mp_verify_run_streams(&r)) &&
	       run_rounds(&r);
	mp_arena_rewind(scratch, mark);
	return fine;
}
