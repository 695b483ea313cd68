/*
 * Running and undoing ops of a window.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/search/inside.h"

#include <assert.h>

uint64_t mp_order_state_mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static void add_ready(struct state *x, uint32_t op)
{
	x->slot[op] = x->n_ready;
	x->ready[x->n_ready++] = op;
}

static void drop_ready(struct state *x, uint32_t op)
{
	uint32_t last;

	assert(x->n_ready > 0 && x->slot[op] != NONE);
	last = x->ready[--x->n_ready];
	x->ready[x->slot[op]] = last;
	x->slot[last] = x->slot[op];
	x->slot[op] = NONE;
}

/* A tensor with one user left dies at that user. All users get the credit,
 * since the freed bytes of ops that have run are not used. */
static void credit_users(struct state *x, uint32_t tensor, bool add)
{
	struct ids users = mp_lists_at(&x->view->users, tensor);
	uint64_t size = x->view->size[tensor];

	for (uint32_t i = 0; i < users.n; i++)
		x->freed[users.at[i]] += add ? size : -size;
	x->work += users.n;
}

static void toggle(struct state *x, uint32_t op)
{
	x->hash ^= x->key[op];
	x->ran[x->bit[op] / 64] ^= UINT64_C(1) << x->bit[op] % 64;
}

static void run_op(struct state *x, uint32_t op)
{
	const struct view *view = x->view;
	struct ids inputs = mp_lists_at(&view->inputs, op);
	struct ids behind = mp_lists_at(&view->behind, op);

	assert(x->now + view->out[op] >= view->dead[op] + x->freed[op]);
	if (x->slot[op] != NONE)
		drop_ready(x, op);
	x->inside[op] = false;
	toggle(x, op);
	x->now += view->out[op] - view->dead[op] - x->freed[op];
	for (uint32_t i = 0; i < inputs.n; i++)
		if (--x->left[inputs.at[i]] == 1)
			credit_users(x, inputs.at[i], true);
	for (uint32_t i = 0; i < behind.n; i++) {
		if (x->lazy[op])
			x->extra[behind.at[i]] -= view->out[op];
		else if (--x->waits[behind.at[i]] == 0 &&
			 x->inside[behind.at[i]])
			add_ready(x, behind.at[i]);
	}
	x->work += inputs.n + behind.n;
}

static void undo_op(struct state *x, uint32_t op)
{
	const struct view *view = x->view;
	struct ids inputs = mp_lists_at(&view->inputs, op);
	struct ids behind = mp_lists_at(&view->behind, op);

	for (uint32_t i = behind.n; i-- > 0;) {
		if (x->lazy[op])
			x->extra[behind.at[i]] += view->out[op];
		else if (x->waits[behind.at[i]]++ == 0 &&
			 x->inside[behind.at[i]])
			drop_ready(x, behind.at[i]);
	}
	for (uint32_t i = inputs.n; i-- > 0;)
		if (x->left[inputs.at[i]]++ == 1)
			credit_users(x, inputs.at[i], false);
	x->now -= view->out[op] - view->dead[op] - x->freed[op];
	toggle(x, op);
	x->inside[op] = true;
	if (!x->lazy[op])
		add_ready(x, op);
}

/* Runs the lazy ops that the op waits for, then the op. */
static void run_with_lazy(struct state *x, uint32_t op)
{
	struct ids before = mp_lists_at(&x->view->before, op);

	for (uint32_t i = 0; x->extra[op] > 0 && i < before.n; i++)
		if (x->inside[before.at[i]]) {
			run_op(x, before.at[i]);
			x->path[x->length++] = before.at[i];
		}
	run_op(x, op);
	x->path[x->length++] = op;
}

void mp_order_state_run(struct state *x, uint32_t op)
{
	for (; op != NONE; op = x->glued[op])
		run_with_lazy(x, op);
}

void mp_order_state_retreat(struct state *x, uint32_t length)
{
	assert(length <= x->length);
	while (x->length > length)
		undo_op(x, x->path[--x->length]);
}

/* The most that in-place pairs can save at the op, if it runs next. */
static uint64_t saving_of(const struct state *x, uint32_t op)
{
	const struct view *view = x->view;
	uint64_t sum = 0;

	if (!view->pairs)
		return 0;
	for (uint32_t i = view->first_pair[op]; i < view->first_pair[op + 1];
		i++)
		if (x->left[view->pairs[i].input] == 1)
			sum += mp_order_view_shared(view, &view->pairs[i]);
	return num_min(sum, view->out[op]);
}

static uint64_t after_alone(const struct state *x, uint32_t op)
{
	return x->now + x->extra[op] + x->view->out[op] - x->view->dead[op] -
	       x->freed[op];
}

uint64_t mp_order_state_cost(const struct state *x, uint32_t op)
{
	uint64_t alone =
		x->now + x->extra[op] + x->view->out[op] - saving_of(x, op);

	int64_t rest = (int64_t)after_alone(x, op) + x->rest[op].cost;

	return rest > 0 ? num_max(alone, (uint64_t)rest) : alone;
}

uint64_t mp_order_state_after(const struct state *x, uint32_t op)
{
	return after_alone(x, op) + (uint64_t)x->rest[op].after;
}

/* ------------------------------------------------------------- glue */

/*
 * Gluing: contracts ops of a chain into single moves. Each op of a chain is the
 * only successor of the one before, and no other op reads its inputs. So the
 * memory profile of the chain is known before it runs, and pauses are needed
 * only at its lowest points (see inside.h). If inputs of the first op are
 * shared with other ops, the profile begins after it.
 */

/* No other op reads inputs of the op or needs its lazy predecessors. */
static bool is_private(struct state *x, uint32_t op)
{
	const struct view *view = x->view;
	struct ids inputs = mp_lists_at(&view->inputs, op);
	struct ids before = mp_lists_at(&view->before, op);

	x->work += inputs.n + before.n;
	for (uint32_t i = 0; i < inputs.n; i++)
		if (mp_lists_at(&view->users, inputs.at[i]).n != 1)
			return false;
	for (uint32_t i = 0; i < before.n; i++)
		if (x->lazy[before.at[i]] &&
			mp_lists_at(&view->behind, before.at[i]).n != 1)
			return false;
	return true;
}

/* The next op of the chain, or NONE. What it waits for in the window is the op
 * alone: an op that joins many chains is looked at no more than once. */
static uint32_t next_in_chain(struct state *x, uint32_t op)
{
	struct ids behind = mp_lists_at(&x->view->behind, op);

	if (behind.n != 1 || !x->inside[behind.at[0]] ||
		x->waits[behind.at[0]] != 1 || !is_private(x, behind.at[0]))
		return NONE;
	return behind.at[0];
}

static struct point point_of(const struct state *x, uint32_t op, int64_t level)
{
	int64_t with = level + (int64_t)(x->extra[op] + x->view->out[op]);

	return (struct point){.step = op,
		.cost = with - (int64_t)saving_of(x, op),
		.after = with - (int64_t)(x->view->dead[op] + x->freed[op])};
}

/* Glues the points of one segment; the first op has their rest. */
static void glue_segment(
	struct state *x, const struct point *points, uint32_t n)
{
	struct rest *rest = &x->rest[points[0].step];

	assert(n > 0);
	for (uint32_t i = 1; i < n; i++) {
		x->glued[points[i - 1].step] = points[i].step;
		if (points[i].cost - points[0].after > rest->cost)
			rest->cost = points[i].cost - points[0].after;
	}
	rest->after = points[n - 1].after - points[0].after;
}

static void glue_chain(struct state *x, uint32_t op, struct point *points,
	struct segment *segments)
{
	uint32_t n = 0, n_segments;
	int64_t level = 0;

	if (!is_private(x, op))
		op = next_in_chain(x, op);
	for (; op != NONE; op = next_in_chain(x, op)) {
		points[n] = point_of(x, op, level);
		level = points[n++].after;
	}
	n_segments = n > 0 ? mp_order_segments_cut(points, n, 0, segments) : 0;
	for (uint32_t i = 0; i < n_segments; i++)
		glue_segment(x, points + segments[i].from,
			segments[i].to - segments[i].from);
}

/* Fills glued and rest for the window [from, to) of an order. */
static bool glue_chains(struct state *x, const uint32_t *order, uint32_t from,
	uint32_t to, struct arena *arena)
{
	struct point *points = NEW(arena, struct point, to - from);
	struct segment *segments = NEW(arena, struct segment, to - from);
	bool *follows = NEW(arena, bool, x->view->n_ops);
	uint32_t next;

	if (!points || !segments || !follows)
		return false;
	for (uint32_t i = from; i < to; i++) {
		next = x->lazy[order[i]] ? NONE : next_in_chain(x, order[i]);
		if (next != NONE)
			follows[next] = true;
	}
	for (uint32_t i = from; i < to; i++)
		if (!x->lazy[order[i]] && !follows[order[i]])
			glue_chain(x, order[i], points, segments);
	return true;
}

/* ------------------------------------------------------------ start */

enum {
	SETUP = 3 /* list entries that take as long as what is filled of an
		     op or tensor */
};

static bool is_lazy(const struct state *x, uint32_t op)
{
	const struct view *view = x->view;
	struct ids behind = mp_lists_at(&view->behind, op);

	if (mp_lists_at(&view->before, op).n > 0 || view->out[op] == 0 ||
		mp_lists_at(&view->inputs, op).n > 0 || view->dead[op] > 0)
		return false;
	for (uint32_t i = 0; i < behind.n; i++)
		if (x->inside[behind.at[i]])
			return true;
	return false;
}

static bool allocate_state(
	struct state *x, uint32_t length, struct arena *arena)
{
	uint32_t n = x->view->n_ops;

	x->inside = NEW(arena, bool, n);
	x->lazy = NEW(arena, bool, n);
	x->waits = NEW(arena, uint32_t, n);
	x->extra = NEW(arena, uint64_t, n);
	x->freed = NEW(arena, uint64_t, n);
	x->key = NEW(arena, uint64_t, n);
	x->bit = NEW(arena, uint32_t, n);
	x->slot = NEW(arena, uint32_t, n);
	x->glued = NEW(arena, uint32_t, n);
	x->rest = NEW(arena, struct rest, n);
	x->left = NEW(arena, uint32_t, x->view->n_tensors);
	x->ready = NEW(arena, uint32_t, length);
	x->path = NEW(arena, uint32_t, length);
	x->n_words = length / 64 + 1;
	x->ran = NEW(arena, uint64_t, x->n_words);
	return x->inside && x->lazy && x->waits && x->extra && x->freed &&
	       x->key && x->bit && x->ran && x->slot && x->glued && x->rest &&
	       x->left && x->ready && x->path;
}

static void count_users(struct state *x)
{
	const struct view *view = x->view;

	for (uint32_t t = 0; t < view->n_tensors; t++) {
		x->left[t] = mp_lists_at(&view->users, t).n;
		if (x->left[t] == 1)
			credit_users(x, t, true);
	}
}

static void set_lazy(struct state *x, uint32_t op)
{
	struct ids behind = mp_lists_at(&x->view->behind, op);

	x->lazy[op] = true;
	for (uint32_t i = 0; i < behind.n; i++) {
		x->waits[behind.at[i]]--;
		x->extra[behind.at[i]] += x->view->out[op];
	}
}

/* No op is lazy while the steps before the window run. */
static void run_to_window(
	struct state *x, const uint32_t *order, uint32_t from, uint32_t to)
{
	const struct view *view = x->view;

	x->now = view->always + view->at_start;
	count_users(x);
	for (uint32_t op = 0; op < view->n_ops; op++) {
		x->waits[op] = mp_lists_at(&view->before, op).n;
		x->key[op] =
			mp_order_state_mix(op + UINT64_C(0x9e3779b97f4a7c15));
		x->slot[op] = NONE;
		x->glued[op] = NONE;
		x->rest[op].cost = INT64_MIN / 2;
	}
	for (uint32_t i = 0; i < from; i++)
		run_op(x, order[i]);
	x->ran[0] = x->hash = 0;
	for (uint32_t i = from; i < to; i++) {
		x->inside[order[i]] = true;
		x->bit[order[i]] = i - from;
	}
	for (uint32_t i = from; i < to; i++)
		if (is_lazy(x, order[i]))
			set_lazy(x, order[i]);
	for (uint32_t i = from; i < to; i++)
		if (x->waits[order[i]] == 0 && !x->lazy[order[i]])
			add_ready(x, order[i]);
}

bool mp_order_state_init(struct state *state, const struct view *view,
	const uint32_t *order, uint32_t from, uint32_t to, struct arena *arena)
{
	assert(from <= to && to <= view->n_ops);
	*state = (struct state){.view = view};
	if (!allocate_state(state, to - from, arena))
		return false;
	state->work = (uint64_t)SETUP * (view->n_ops + view->n_tensors);
	run_to_window(state, order, from, to);
	return glue_chains(state, order, from, to, arena);
}
