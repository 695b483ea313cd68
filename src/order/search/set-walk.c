/*
 * Running and taking back ops, with tables of users that are made from the
 * graph alone.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/search/set-walk.h"

#include <assert.h>
#include <string.h>

#include "base/prng.h"
#include "order/search/certificate.h"

/* ------------------------------------------------------------ start */

static bool is_user(const struct graph *g, uint32_t t, uint32_t op)
{
	return mp_order_certificate_uses(g, &g->tensors[t], op);
}

static bool list_users(struct set_walk *w, struct arena *arena)
{
	const struct graph *g = w->graph;

	if (!mp_lists_init(&w->users, g->n_tensors, arena))
		return false;
	for (uint32_t t = 0; t < g->n_tensors; t++) {
		const struct tensor *tensor = &g->tensors[t];
		struct ids readers = mp_graph_readers(g, tensor);

		mp_lists_count(&w->users, t, readers.n);
		if (readers.n == 0 && tensor->producer != NONE &&
			is_user(g, t, tensor->producer))
			mp_lists_count(&w->users, t, 1);
	}
	if (!mp_lists_ready(&w->users, g->n_tensors, arena))
		return false;
	for (uint32_t t = 0; t < g->n_tensors; t++) {
		const struct tensor *tensor = &g->tensors[t];
		struct ids readers = mp_graph_readers(g, tensor);

		for (uint32_t i = 0; i < readers.n; i++)
			mp_lists_add(&w->users, t, readers.at[i]);
		if (readers.n == 0 && tensor->producer != NONE &&
			is_user(g, t, tensor->producer))
			mp_lists_add(&w->users, t, tensor->producer);
	}
	return mp_lists_transpose(
		&w->users, g->n_tensors, &w->used, g->n_ops, arena);
}

static uint64_t bytes_of(const struct set_walk *w, uint32_t t)
{
	return mp_order_certificate_bytes(w->graph, &w->graph->tensors[t]);
}

bool mp_order_walk_init(struct set_walk *w, const struct graph *graph,
	const struct order_bound *claim, struct arena *arena)
{
	uint32_t n = graph->n_ops;

	*w = (struct set_walk){
		.graph = graph, .claim = claim, .n_words = n / 64 + 1};
	w->left = NEW(arena, uint32_t, graph->n_tensors);
	w->waits = NEW(arena, uint32_t, n);
	w->path = NEW(arena, uint32_t, n);
	w->alive_at = NEW(arena, uint64_t, n);
	w->ran = NEW(arena, uint64_t, w->n_words);
	if (!w->left || !w->waits || !w->path || !w->alive_at || !w->ran ||
		!list_users(w, arena) ||
		!mp_keys_init(&w->sets, w->n_words + 1, arena))
		return false;
	for (uint32_t op = 0; op < n; op++)
		w->waits[op] = graph->ops[op].before.n;
	for (uint32_t t = 0; t < graph->n_tensors; t++) {
		const struct tensor *tensor = &graph->tensors[t];

		w->left[t] = mp_lists_at(&w->users, t).n;
		if (mp_order_certificate_is_given(tensor) &&
			(mp_order_certificate_is_kept(tensor) ||
				w->left[t] > 0))
			w->alive += bytes_of(w, t);
	}
	return true;
}

/* -------------------------------------------------------------- ops */

bool mp_order_walk_may_run(struct set_walk *w, uint32_t op)
{
	assert(op < w->graph->n_ops);
	w->looks++;
	if (w->waits[op] > 0 || mp_order_walk_ran(w, op) ||
		w->alive >= w->claim->bytes)
		return false;
	return mp_order_certificate_need(w->graph, w->claim, op, w->left) <
	       w->claim->bytes - w->alive;
}

static void count_made(struct set_walk *w, struct ids made)
{
	for (uint32_t i = 0; i < made.n; i++) {
		const struct tensor *t = &w->graph->tensors[made.at[i]];

		if (!mp_order_certificate_is_given(t) &&
			(mp_order_certificate_is_kept(t) ||
				w->left[made.at[i]] > 0))
			w->alive += bytes_of(w, made.at[i]);
	}
}

void mp_order_walk_run(struct set_walk *w, uint32_t op)
{
	const struct op *o = &w->graph->ops[op];
	struct ids used = mp_lists_at(&w->used, op);

	assert(w->length < w->graph->n_ops && w->waits[op] == 0);
	w->alive_at[w->length] = w->alive;
	w->path[w->length++] = op;
	w->ran[op / 64] |= UINT64_C(1) << op % 64;
	count_made(w, o->outputs);
	count_made(w, o->temporaries);
	for (uint32_t i = 0; i < used.n; i++) {
		uint32_t t = used.at[i];

		if (--w->left[t] == 0 &&
			!mp_order_certificate_is_kept(&w->graph->tensors[t]))
			w->alive -= bytes_of(w, t);
	}
	for (uint32_t i = 0; i < o->behind.n; i++)
		w->waits[o->behind.at[i]]--;
	w->looks += used.n + o->behind.n + o->outputs.n;
}

void mp_order_walk_retreat(struct set_walk *w, uint32_t length)
{
	while (w->length > length) {
		uint32_t op = w->path[--w->length];
		const struct op *o = &w->graph->ops[op];
		struct ids used = mp_lists_at(&w->used, op);

		w->alive = w->alive_at[w->length];
		w->ran[op / 64] &= ~(UINT64_C(1) << op % 64);
		for (uint32_t i = 0; i < used.n; i++)
			w->left[used.at[i]]++;
		for (uint32_t i = 0; i < o->behind.n; i++)
			w->waits[o->behind.at[i]]++;
	}
}

/* ------------------------------------------------------------- sets */

static bool write_key(struct set_walk *w)
{
	uint64_t *key = mp_keys_next(&w->sets);

	if (!key)
		return false;
	w->looks += w->n_words;
	key[0] = 0;
	for (uint32_t i = 0; i < w->n_words; i++) {
		key[0] ^= w->ran[i];
		key[0] = mp_prng(&key[0]);
	}
	memcpy(key + 1, w->ran, sizeof(*key) * w->n_words);
	return true;
}

bool mp_order_walk_add(struct set_walk *w, bool *fresh)
{
	if (!write_key(w))
		return false;
	*fresh = mp_keys_add(&w->sets);
	return true;
}

bool mp_order_walk_has(struct set_walk *w, bool *has)
{
	if (!write_key(w))
		return false;
	*has = mp_keys_has(&w->sets);
	return true;
}
