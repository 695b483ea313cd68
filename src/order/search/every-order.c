/*
 * Tries all orders of a graph up to a peak, in the way that is easiest to
 * believe. A state is the set of ops that have run. An op that is ready, and
 * after which no more bytes are alive than before, runs at once: moving it
 * forward raises the cost of no other step, as the bytes alive are a submodular
 * function of the set. Of all other ready ops each is tried, once a set.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/search/every-order.h"

#include <assert.h>
#include <string.h>

#include "base/keys.h"
#include "base/lists.h"
#include "order/search/certificate.h"

enum {
	MOST_SETS = 1 << 19,
	MOST_LOOKS = 1 << 28, /* at ops and tensors: seconds */
};

/* A set of ops on the way to the one under work. */
struct level {
	uint32_t before; /* length of the path before its op was tried */
	uint32_t at;	 /* and behind the ops that ran at once */
	uint32_t next;	 /* the op to try next */
};

struct replay {
	const struct graph *graph;
	uint64_t most;	    /* bytes that a step may cost */
	uint64_t *need;	    /* of an op: bytes that it brings */
	struct lists users; /* of a tensor: ops until which it is alive */
	struct lists used;  /* the same, of an op */
	uint32_t *left;	    /* of a tensor: users that have not run */
	uint32_t *waits;    /* of an op: those before it that have not run */
	uint32_t *path, length;
	uint64_t *ran; /* the ops of the path, as bits */
	uint32_t n_words;
	uint64_t alive;	    /* bytes, after the path */
	uint64_t *alive_at; /* the same, before each op of the path */
	struct level *levels;
	struct keys sets;
	uint64_t looks;
};

/* ---------------------------------------------------------- prepare */

static bool is_user(const struct graph *g, uint32_t t, uint32_t op)
{
	return mp_order_certificate_uses(&g->tensors[t], op);
}

static bool list_users(struct replay *r, struct arena *arena)
{
	const struct graph *g = r->graph;

	if (!mp_lists_init(&r->users, g->n_tensors, arena))
		return false;
	for (uint32_t t = 0; t < g->n_tensors; t++) {
		const struct tensor *tensor = &g->tensors[t];

		mp_lists_count(&r->users, t, tensor->readers.n);
		if (tensor->readers.n == 0 && tensor->producer != NONE &&
			is_user(g, t, tensor->producer))
			mp_lists_count(&r->users, t, 1);
	}
	if (!mp_lists_ready(&r->users, g->n_tensors, arena))
		return false;
	for (uint32_t t = 0; t < g->n_tensors; t++) {
		const struct tensor *tensor = &g->tensors[t];

		for (uint32_t i = 0; i < tensor->readers.n; i++)
			mp_lists_add(&r->users, t, tensor->readers.at[i]);
		if (tensor->readers.n == 0 && tensor->producer != NONE &&
			is_user(g, t, tensor->producer))
			mp_lists_add(&r->users, t, tensor->producer);
	}
	return mp_lists_transpose(
		&r->users, g->n_tensors, &r->used, g->n_ops, arena);
}

static uint64_t bytes_of(const struct replay *r, uint32_t t)
{
	return mp_order_certificate_bytes(r->graph, &r->graph->tensors[t]);
}

static bool init(
	struct replay *r, const struct order_bound *claim, struct arena *arena)
{
	const struct graph *g = r->graph;
	uint32_t n = g->n_ops;

	r->n_words = n / 64 + 1;
	r->need = NEW(arena, uint64_t, n);
	r->left = NEW(arena, uint32_t, g->n_tensors);
	r->waits = NEW(arena, uint32_t, n);
	r->path = NEW(arena, uint32_t, n);
	r->alive_at = NEW(arena, uint64_t, n);
	r->levels = NEW(arena, struct level, (size_t)n + 1);
	r->ran = NEW(arena, uint64_t, r->n_words);
	if (!r->need || !r->left || !r->waits || !r->path || !r->alive_at ||
		!r->levels || !r->ran || !list_users(r, arena) ||
		!mp_keys_init(&r->sets, r->n_words + 1, arena))
		return false;
	for (uint32_t op = 0; op < n; op++) {
		r->need[op] = mp_order_certificate_need(g, claim, op);
		r->waits[op] = g->ops[op].before.n;
	}
	for (uint32_t t = 0; t < g->n_tensors; t++) {
		const struct tensor *tensor = &g->tensors[t];

		r->left[t] = mp_lists_at(&r->users, t).n;
		if (mp_order_certificate_is_given(tensor) &&
			(mp_order_certificate_is_kept(tensor) ||
				r->left[t] > 0))
			r->alive += bytes_of(r, t);
	}
	return true;
}

/* -------------------------------------------------------------- ops */

static void count_made(struct replay *r, struct ids made)
{
	for (uint32_t i = 0; i < made.n; i++) {
		const struct tensor *t = &r->graph->tensors[made.at[i]];

		if (!mp_order_certificate_is_given(t) &&
			(mp_order_certificate_is_kept(t) ||
				r->left[made.at[i]] > 0))
			r->alive += bytes_of(r, made.at[i]);
	}
}

static void run_op(struct replay *r, uint32_t op)
{
	const struct op *o = &r->graph->ops[op];
	struct ids used = mp_lists_at(&r->used, op);

	r->alive_at[r->length] = r->alive;
	r->path[r->length++] = op;
	r->ran[op / 64] |= UINT64_C(1) << op % 64;
	count_made(r, o->outputs);
	count_made(r, o->temporaries);
	for (uint32_t i = 0; i < used.n; i++) {
		uint32_t t = used.at[i];

		if (--r->left[t] == 0 &&
			!mp_order_certificate_is_kept(&r->graph->tensors[t]))
			r->alive -= bytes_of(r, t);
	}
	for (uint32_t i = 0; i < o->behind.n; i++)
		r->waits[o->behind.at[i]]--;
	r->looks += used.n + o->behind.n + o->outputs.n;
}

static void retreat(struct replay *r, uint32_t length)
{
	while (r->length > length) {
		uint32_t op = r->path[--r->length];
		const struct op *o = &r->graph->ops[op];
		struct ids used = mp_lists_at(&r->used, op);

		r->alive = r->alive_at[r->length];
		r->ran[op / 64] &= ~(UINT64_C(1) << op % 64);
		for (uint32_t i = 0; i < used.n; i++)
			r->left[used.at[i]]++;
		for (uint32_t i = 0; i < o->behind.n; i++)
			r->waits[o->behind.at[i]]++;
	}
}

/* May the op run next, within the bytes? */
static bool may_run(struct replay *r, uint32_t op)
{
	r->looks++;
	return r->waits[op] == 0 && !(r->ran[op / 64] >> op % 64 & 1) &&
	       r->alive + r->need[op] <= r->most;
}

/* ----------------------------------------------------------- search */

/* Runs an op after which no more bytes are alive. */
static bool run_safe(struct replay *r)
{
	for (uint32_t op = 0; op < r->graph->n_ops; op++) {
		uint64_t alive = r->alive;

		if (!may_run(r, op))
			continue;
		run_op(r, op);
		if (r->alive <= alive)
			return true;
		retreat(r, r->length - 1);
	}
	return false;
}

/* Adds the set of ops that have run; false: it was there. */
static bool is_new(struct replay *r, uint64_t *key)
{
	key[0] = 0;
	for (uint32_t i = 0; i < r->n_words; i++) {
		key[0] = (key[0] ^ r->ran[i]) * UINT64_C(0x9e3779b97f4a7c15);
		key[0] ^= key[0] >> 29;
	}
	memcpy(key + 1, r->ran, sizeof(*key) * r->n_words);
	return mp_keys_add(&r->sets);
}

/* Runs the next op that is to be tried. False: none is left. */
static bool take_next(struct replay *r, uint32_t *depth, uint32_t *before)
{
	while (*depth > 0) {
		struct level *level = &r->levels[*depth - 1];

		retreat(r, level->at);
		while (level->next < r->graph->n_ops) {
			uint32_t op = level->next++;

			if (!may_run(r, op))
				continue;
			*before = r->length;
			run_op(r, op);
			return true;
		}
		retreat(r, level->before);
		--*depth;
	}
	return false;
}

static bool search(struct replay *r, enum replay_outcome *outcome)
{
	uint32_t n = r->graph->n_ops, depth = 0, before = 0;

	do {
		uint64_t *key;

		while (run_safe(r))
			;
		*outcome = r->length == n ? REPLAY_FOUND : REPLAY_GAVE_UP;
		if (r->length == n || r->sets.n == MOST_SETS ||
			r->looks > MOST_LOOKS)
			return true;
		key = mp_keys_next(&r->sets);
		if (!key)
			return false;
		r->levels[depth++] = (struct level){
			before, r->length, is_new(r, key) ? 0 : n};
	} while (take_next(r, &depth, &before));
	*outcome = REPLAY_REFUTED;
	return true;
}

bool mp_order_replay(const struct graph *graph, const struct order_bound *claim,
	enum replay_outcome *outcome, struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	struct replay r = {.graph = graph, .most = claim->bytes - 1};
	bool fine;

	assert(claim->bytes > 0);
	fine = init(&r, claim, arena) && search(&r, outcome);
	mp_arena_rewind(arena, mark);
	return fine;
}
