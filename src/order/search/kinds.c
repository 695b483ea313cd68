/*
 * Finding kinds of ops. Colours are refined from the neighbours (Weisfeiler and
 * Leman 1968), once only, so that neither the ends of a chain of alike parts
 * nor a small difference nearby tell the parts apart. Kinds only suggest sets
 * of ops, so that two of one hash do no harm.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/search/inside.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

enum {
	WORK_SHARE = 16, /* kinds are weighed for one part in so many of the
			    work that is left */
};

static const uint64_t before_salt = UINT64_C(0x9e3779b97f4a7c15);
static const uint64_t behind_salt = UINT64_C(0xc2b2ae3d27d4eb4f);

/* An op by itself: what it reads, writes and waits for. */
static uint64_t kind_alone(const struct view *view, uint32_t op)
{
	struct ids inputs = mp_lists_at(&view->inputs, op);
	uint64_t kind = mp_order_state_mix(view->out[op]) + view->dead[op];

	for (uint32_t i = 0; i < inputs.n; i++)
		kind += mp_order_state_mix(
			view->size[inputs.at[i]] ^ before_salt);
	return mp_order_state_mix(kind);
}

/* The sum does not depend on the order of the list. */
static uint64_t sum_kinds(const uint64_t *kinds, struct ids ops, uint64_t salt)
{
	uint64_t sum = ops.n;

	for (uint32_t i = 0; i < ops.n; i++)
		sum += mp_order_state_mix(kinds[ops.at[i]] ^ salt);
	return sum;
}

static bool hash_ops(
	const struct view *view, uint64_t *kinds, struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	uint64_t *alone = NEW(arena, uint64_t, view->n_ops);

	if (!alone)
		return false;
	for (uint32_t op = 0; op < view->n_ops; op++)
		alone[op] = kind_alone(view, op);
	for (uint32_t op = 0; op < view->n_ops; op++)
		kinds[op] = mp_order_state_mix(
			alone[op] +
			sum_kinds(alone, mp_lists_at(&view->before, op),
				before_salt) +
			3 * sum_kinds(alone, mp_lists_at(&view->behind, op),
				    behind_salt));
	mp_arena_rewind(arena, mark);
	return true;
}

/* ------------------------------------------------------------- list */

static bool has_user_behind(const struct cut *cut, uint32_t tensor)
{
	struct ids users = mp_lists_at(&cut->view->users, tensor);

	for (uint32_t i = 0; i < users.n; i++)
		if (cut->side[users.at[i]] == CUT_OUT)
			return true;
	return cut->view->to_end[tensor];
}

/* Bytes alive while the op runs, in every order. */
static uint64_t sure_bytes(struct search *s, uint32_t op)
{
	const struct view *view = s->view;
	uint64_t bytes = view->always + mp_order_search_need(s, op);

	mp_order_cut_op(&s->cut, op);
	for (uint32_t t = 0; t < view->n_tensors; t++) {
		uint32_t from = view->producer[t];

		if ((from == NONE || s->cut.side[from] == CUT_IN) &&
			has_user_behind(&s->cut, t))
			bytes += view->size[t];
	}
	return bytes;
}

/* An op and the hash of what is around it. */
struct look {
	uint64_t hash;
	uint32_t step; /* of the best order */
};

static int by_hash(const void *a, const void *b)
{
	const struct look *x = a, *y = b;

	return mp_sort_compare_two(x->hash, y->hash, x->step, y->step);
}

static int by_sure(const void *a, const void *b)
{
	const struct kind *x = a, *y = b;

	return mp_sort_compare_two(y->sure, x->sure, x->name, y->name);
}

/* Names kinds, and lists those of several ops, each with its last op. */
static void list_kinds(
	const struct search *s, struct look *looks, struct kinds *kinds)
{
	uint32_t n = s->view->n_ops, name = 0, alike = 0;

	qsort(looks, n, sizeof(*looks), by_hash);
	for (uint32_t i = 0; i < n; i++) {
		bool is_last = i + 1 == n || looks[i].hash != looks[i + 1].hash;
		uint32_t op = s->order[looks[i].step];

		kinds->of[op] = name;
		alike++;
		if (is_last && alike > 1)
			kinds->at[kinds->n++] =
				(struct kind){name, op, s->seen[op]};
		name += is_last;
		alike = is_last ? 0 : alike;
	}
}

static bool name_kinds(struct search *s, struct kinds *kinds)
{
	struct arena_mark mark;
	uint32_t n = s->view->n_ops;
	struct look *looks;
	uint64_t *hashes;

	kinds->of = NEW(s->arena, uint32_t, n);
	kinds->at = NEW(s->arena, struct kind, n);
	mark = mp_arena_mark(s->arena);
	hashes = NEW(s->arena, uint64_t, n);
	looks = NEW(s->arena, struct look, n);
	if (!kinds->of || !kinds->at || !hashes || !looks ||
		!hash_ops(s->view, hashes, s->arena))
		return false;
	for (uint32_t i = 0; i < n; i++)
		looks[i] = (struct look){hashes[s->order[i]], i};
	list_kinds(s, looks, kinds);
	mp_arena_rewind(s->arena, mark);
	return true;
}

bool mp_order_kinds_find(struct search *s)
{
	struct kinds *kinds = &s->kinds;
	uint64_t each = 1 + s->view->n_ops / OPS_A_STEP;

	if (kinds->of)
		return true;
	if (!name_kinds(s, kinds))
		return false;
	/* Those with the greatest costs are weighed, as far as that goes. */
	qsort(kinds->at, kinds->n, sizeof(*kinds->at), by_sure);
	kinds->n = (uint32_t)num_min(kinds->n, s->steps / WORK_SHARE / each);
	for (uint32_t i = 0; i < kinds->n; i++)
		kinds->at[i].sure = sure_bytes(s, kinds->at[i].op);
	mp_order_search_step(s, kinds->n * each);
	qsort(kinds->at, kinds->n, sizeof(*kinds->at), by_sure);
	return true;
}

bool mp_order_kinds_next(struct search *s, struct kind_steps *at)
{
	struct kinds *kinds = &s->kinds;
	uint32_t name;

	*at = (struct kind_steps){NONE, NONE, NONE, 0};
	if (kinds->next == kinds->n)
		return false;
	name = kinds->at[kinds->next++].name;
	for (uint32_t i = 0; i < s->view->n_ops; i++)
		if (kinds->of[s->order[i]] == name) {
			at->first = at->first == NONE ? i : at->first;
			at->last = i;
			at->n++;
			if (at->dearest == NONE ||
				s->costs[i] > s->costs[at->dearest])
				at->dearest = i;
		}
	return true;
}
