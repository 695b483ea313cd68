/*
 * Derives again that one of a few ops costs the claimed bytes, in whatever
 * order they run. What of them may have run is walked through, from none on.
 * Where that, or each of the others that may run next, shows the claimed bytes,
 * a flow says so. Others that may run next lead on, and no way may lead to the
 * end.
 *
 * Where one of the others can run below the claim, and no more bytes need be
 * alive after it than before, only its way is walked: as the bytes alive are
 * submodular, an order that has it later is no better. A flow shows the least
 * before, and a set of ops, of which the bytes are counted, that so few suffice
 * after it.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "base/keys.h"
#include "base/sink-text.h"
#include "order/search/certify.h"
#include "order/search/inside.h"

enum {
	KEY_WORDS = 2,
	MOST_STEPS = 1 << 24, /* of flows: some seconds */
};

struct walk {
	const struct graph *graph;
	const struct order_bound *claim;
	struct view view;
	struct cut cut;
	struct keys visited; /* bits of the ops that have run */
	uint32_t *left;	     /* those that are still to be visited */
	uint32_t n_left, room;
	bool ends; /* a way leads to the end: the claim is not shown */
	struct arena *arena;
	struct error *error;
};

static uint32_t bit(uint32_t i)
{
	return UINT32_C(1) << i;
}

static uint32_t all_of(const struct walk *w)
{
	return UINT32_MAX >> (MOST_FEW_OPS - w->claim->ops.n);
}

/* A flow for so many bytes, or that the moment cannot be. */
static bool show(struct walk *w, uint32_t ran, uint32_t next, uint64_t bytes)
{
	struct arena_mark mark = mp_arena_mark(w->arena);
	struct order_moment moment = {w->claim, ran, next, bytes};
	struct certificate flow;
	bool fine = mp_order_certify(&w->cut, &moment, &flow, w->arena) &&
		    mp_order_certificate_check(
			    w->graph, &moment, &flow, w->arena, w->error);

	mp_arena_rewind(w->arena, mark);
	return fine;
}

static uint64_t need_of(const struct walk *w, uint32_t next)
{
	return next == NONE ? 0
			    : mp_order_certificate_need(w->graph, w->claim,
				      w->claim->ops.at[next], NULL);
}

/* The least bytes at the moment, or the claimed bytes if these or more, or if
 * the moment cannot be. Below, the cut has the set. False: memory is out. */
static bool find_cost(
	struct walk *w, uint32_t ran, uint32_t next, uint64_t *cost)
{
	uint64_t need = need_of(w, next), most = w->claim->bytes;

	*cost = most;
	if (need >= most ||
		!mp_order_cut_moment(&w->cut, w->claim->ops, ran, next))
		return true;
	mp_order_cut_solve(&w->cut, 0, most - need);
	*cost = num_min(most, w->cut.value + need);
	return true;
}

/* May the ops of the cut have run at that moment, with no more bytes? */
static bool is_set_of(
	const struct walk *w, uint32_t ran, uint32_t next, uint64_t bytes)
{
	const struct ids *ops = &w->claim->ops;
	const bool *in = w->cut.in;

	for (uint32_t i = 0; i < ops->n; i++)
		if (in[ops->at[i]] != ((ran & bit(i)) > 0))
			return false;
	for (uint32_t op = 0; op < w->graph->n_ops; op++) {
		struct ids before = w->graph->ops[op].before;
		bool is_next = next != NONE && ops->at[next] == op;

		for (uint32_t i = 0; (in[op] || is_next) && i < before.n; i++)
			if (!in[before.at[i]])
				return false;
	}
	return mp_order_certificate_alive(w->graph, in) + need_of(w, next) <=
	       bytes;
}

static bool push(struct walk *w, uint32_t ran)
{
	w->left = mp_arena_grow(
		w->arena, w->left, w->n_left, &w->room, sizeof(*w->left));
	if (!w->left)
		return false;
	w->left[w->n_left++] = ran;
	w->ends |= ran == all_of(w);
	return true;
}

/* Looks at the one that runs next. safe: only its way must be walked. */
static bool look_at(
	struct walk *w, uint32_t ran, uint32_t next, uint64_t alive, bool *safe)
{
	uint64_t cost, after;

	*safe = false;
	if (!find_cost(w, ran, next, &cost))
		return false;
	if (cost >= w->claim->bytes)
		return show(w, ran, next, w->claim->bytes);
	*safe = is_set_of(w, ran, next, cost);
	if (!find_cost(w, ran | bit(next), NONE, &after))
		return false;
	*safe = *safe && after <= alive &&
		is_set_of(w, ran | bit(next), NONE, after);
	return (!*safe || show(w, ran, NONE, alive)) &&
	       push(w, ran | bit(next));
}

static bool visit(struct walk *w, uint32_t ran)
{
	uint32_t before = w->n_left, n;
	uint64_t alive;
	bool safe = false;

	if (!find_cost(w, ran, NONE, &alive))
		return false;
	if (alive >= w->claim->bytes)
		return show(w, ran, NONE, w->claim->bytes);
	for (uint32_t i = 0; i < w->claim->ops.n && !safe; i++) {
		n = w->n_left;
		if ((ran & bit(i)) == 0 && !look_at(w, ran, i, alive, &safe))
			return false;
		if (safe) {
			w->left[before] = w->left[n];
			w->n_left = before + 1;
		}
	}
	return true;
}

/* False: memory is out. */
static bool is_visited(struct walk *w, uint32_t ran, bool *visited)
{
	uint64_t *key = mp_keys_next(&w->visited);

	if (!key)
		return false;
	key[0] = mp_order_state_mix(ran);
	key[1] = ran;
	*visited = !mp_keys_add(&w->visited);
	return true;
}

static bool run(struct walk *w)
{
	bool visited;

	if (!push(w, 0))
		return false;
	while (w->n_left > 0 && !w->ends && w->cut.work < MOST_STEPS) {
		uint32_t ran = w->left[--w->n_left];

		if (!is_visited(w, ran, &visited) ||
			(!visited && !visit(w, ran)))
			return false;
	}
	return true;
}

static bool names_twice(const struct ids *ops)
{
	for (uint32_t i = 0; i < ops->n; i++)
		for (uint32_t k = 0; k < i; k++)
			if (ops->at[i] == ops->at[k])
				return true;
	return false;
}

bool mp_order_certify_few(const struct graph *graph,
	const struct order_bound *claim, bool *confirmed, struct arena *arena,
	struct error *e)
{
	struct arena_mark mark = mp_arena_mark(arena);
	struct walk w = {
		.graph = graph, .claim = claim, .arena = arena, .error = e};
	bool fine;

	assert(claim->ops.n > 0);
	if (claim->ops.n > MOST_FEW_OPS)
		return mp_fail(e, MEMPLAN_NO,
			"%s: bound of the order: 'few' must name at most %u "
			"ops",
			graph->place, MOST_FEW_OPS);
	if (names_twice(&claim->ops))
		return mp_fail(e, MEMPLAN_NO,
			"%s: bound of the order: it names an op twice",
			graph->place);
	fine = mp_order_view_init(&w.view, graph, claim->inplace, arena) &&
	       mp_order_cut_init(&w.cut, &w.view, true, arena) &&
	       mp_keys_init(&w.visited, KEY_WORDS, arena) && run(&w);
	*confirmed = fine && !w.ends && w.n_left == 0;
	mp_arena_rewind(arena, mark);
	return fine &&
	       (!w.ends ||
		       mp_fail(e, MEMPLAN_NO,
			       "%s: bound of the order: it claims %llu "
			       "byte%s, and its ops can run with less",
			       graph->place, (unsigned long long)claim->bytes,
			       mp_text_plural(claim->bytes)));
}
