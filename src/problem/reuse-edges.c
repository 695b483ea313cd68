/* SPDX-License-Identifier: MIT */
#include "problem/reuse-edges.h"

#include <assert.h>

#include "problem/overwrites.h"

/* Edges followed in search of paths: about a second. */
#define MOST_WORK UINT64_C(100000000)

/* A search for paths of edges. */
struct paths {
	const struct last_uses *uses;
	uint32_t *seen; /* of a step: the search that met it last */
	uint32_t *stack;
	uint32_t n_searches;
	uint64_t spent;
};

const char *mp_problem_reuse_order_name(enum reuse_order order)
{
	static const char *const names[] = {
		"edges", "streams", "lifetimes", NULL};

	assert(order < countof(names));
	return names[order];
}

static struct reuse reuse_of(const struct plan *plan, const struct last_uses *w,
	const struct overwrite *o)
{
	const struct schedule *s = plan->schedule;
	const struct part *parts = s->problem.parts;
	struct reuse r = {0};

	r.old = w->last[o->old];
	r.next = w->first[o->next];
	r.end = (uint32_t)num_min(s->stay[r.old].end, parts[o->old].end);
	r.start =
		(uint32_t)num_max(s->stay[r.next].start, parts[o->next].start);
	r.space = mp_plan_space(plan, r.next);
	r.low = o->low;
	r.bytes = o->bytes;
	r.last = w->used + (size_t)o->old * w->n_streams;
	r.n_last = w->n_used[o->old];
	r.first = w->writer[o->next];
	r.order = REUSE_STREAMS;
	if (r.n_last == 0 || r.first == NONE)
		r.order = REUSE_LIFETIMES;
	for (uint32_t i = 0; i < r.n_last && r.first != NONE; i++) {
		if (!mp_problem_last_uses_before(w, r.last[i], r.first))
			r.order = REUSE_HAZARD;
	}
	if (r.first != NONE)
		r.crosses = mp_problem_last_uses_cross(
			w, o->old, mp_schedule_op(s, r.first)->stream);
	return r;
}

static void sum_up(struct reuses *reuses)
{
	for (uint32_t i = 0; i < reuses->n; i++) {
		reuses->n_crossing += reuses->at[i].crosses;
		reuses->n_hazards += reuses->at[i].order == REUSE_HAZARD;
		reuses->bytes += reuses->at[i].bytes;
	}
}

/* Parts of different memories do not overwrite each other, so each memory gets
 * addresses of its own. Overwrites that are found count from its base again. */
static bool find_overwrites(
	const struct plan *plan, struct overwrites *found, struct arena *arena)
{
	const struct part *parts = plan->problem->parts;
	const uint64_t *bases = mp_plan_bases(plan, arena);
	const uint64_t *addresses =
		bases ? mp_plan_addresses(plan, bases, arena) : NULL;

	if (!addresses || !mp_problem_overwrites_find(
				  plan->problem, addresses, found, arena))
		return false;
	for (uint32_t i = 0; plan->spaces.at && i < found->n; i++) {
		const struct part *next = &parts[found->at[i].next];

		found->at[i].low -= bases[plan->spaces.of[next->buffer]];
	}
	return true;
}

bool mp_problem_reuse_find(
	const struct plan *plan, struct reuses *reuses, struct arena *arena)
{
	struct last_uses *uses = &reuses->uses;
	struct overwrites found;

	*reuses = (struct reuses){0};
	if (!find_overwrites(plan, &found, arena) ||
		!mp_problem_last_uses_init(uses, plan->schedule, arena))
		return false;
	reuses->at = NEW(arena, struct reuse, found.n);
	if (!reuses->at)
		return false;
	for (uint32_t i = 0; i < found.n; i++)
		if (uses->last[found.at[i].old] != NONE &&
			uses->first[found.at[i].next] != NONE)
			reuses->at[reuses->n++] =
				reuse_of(plan, uses, &found.at[i]);
	sum_up(reuses);
	return true;
}

/* ------------------------------------------------------------ paths */

static bool reads_from(
	const struct graph *graph, const struct op *op, uint32_t at)
{
	for (uint32_t i = 0; i < op->inputs.n; i++)
		if (graph->tensors[op->inputs.at[i]].producer == at)
			return true;
	return false;
}

/* `before` has the op before it in its stream too: is there also an edge? */
static bool is_edge(const struct last_uses *w, uint32_t step, uint32_t at)
{
	const struct schedule *s = w->schedule;
	const struct op *op = mp_schedule_op(s, step);

	if (w->n_streams == 1 || op->stream != s->graph->ops[at].stream ||
		s->position[at] + 1 != s->position[s->order[step]])
		return true;
	return reads_from(s->graph, op, at);
}

/* Marks all steps from `least` on from which a path of edges leads here. */
static void search(struct paths *w, uint32_t step, uint32_t least)
{
	uint32_t n = 0;

	w->seen[step] = ++w->n_searches;
	w->stack[n++] = step;
	while (n > 0) {
		uint32_t at = w->stack[--n];
		const struct op *op = mp_schedule_op(w->uses->schedule, at);

		w->spent += 1 + op->before.n;
		for (uint32_t i = 0; i < op->before.n; i++) {
			uint32_t before = w->uses->uses.step[op->before.at[i]];

			if (before < least ||
				w->seen[before] == w->n_searches ||
				!is_edge(w->uses, at, op->before.at[i]))
				continue;
			w->seen[before] = w->n_searches;
			w->stack[n++] = before;
		}
	}
}

static bool all_seen(const struct paths *w, const struct reuse *r)
{
	for (uint32_t i = 0; i < r->n_last; i++)
		if (w->seen[r->last[i]] != w->n_searches)
			return false;
	return true;
}

/* One search serves n reuses with the same first write. */
static void find_paths(struct paths *w, struct reuse *reuses, uint32_t n)
{
	uint32_t least = NONE;

	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = 0; i < reuses[k].n_last; i++)
			if (reuses[k].order == REUSE_STREAMS &&
				reuses[k].last[i] < least)
				least = reuses[k].last[i];
	if (least == NONE)
		return;
	search(w, reuses->first, least);
	for (uint32_t k = 0; k < n; k++)
		if (reuses[k].order == REUSE_STREAMS && all_seen(w, &reuses[k]))
			reuses[k].order = REUSE_EDGES;
}

bool mp_problem_reuse_search(struct reuses *reuses, struct arena *scratch)
{
	uint32_t n = reuses->uses.schedule->graph->n_ops, end;
	struct paths w = {.uses = &reuses->uses};

	w.seen = NEW(scratch, uint32_t, n);
	w.stack = NEW(scratch, uint32_t, n);
	if (!w.seen || !w.stack)
		return false;
	for (uint32_t i = 0; i < reuses->n && w.spent < MOST_WORK; i = end) {
		for (end = i + 1; end < reuses->n &&
				  reuses->at[end].first == reuses->at[i].first;
			end++)
			;
		find_paths(&w, &reuses->at[i], end - i);
	}
	reuses->searched = w.spent < MOST_WORK;
	return true;
}
