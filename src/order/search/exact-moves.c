/*
 * The moves of the exact search: groups of ops after which a tensor dies.
 *
 * Nothing is lost. Let an order go on from a state with ops that free nothing
 * and then an op that frees some tensors. Of these, take one: the ops that use
 * it, and those that they wait for, can run first. Each op of the others that
 * moves behind one of them freed nothing before, so that step costs less than
 * it did; and its own step costs no more than the later one did. So all moves
 * are: for each tensor, what must run for it to die. A move in which another
 * tensor dies before the last op is left out, as that one can run first.
 *
 * In-place pairs save bytes at the last op, and only if all of their inputs
 * that died there in the order die there in the move. So of an op with pairs
 * each set of such inputs is a move of its own.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/search/inside.h"

#include <string.h>

#include "base/sort.h"

enum {
	MOST_INPUTS = 4 /* of pairs of an op: each set of them is a move */
};

bool mp_order_moves_init(struct moves *m, struct state *state,
	const struct search *s, uint32_t to, struct arena *arena)
{
	uint32_t n = state->view->n_ops;

	*m = (struct moves){.state = state,
		.order = s->order,
		.place = s->place,
		.to = to,
		.arena = arena};
	m->looked = NEW(arena, uint64_t, n);
	m->grows = NEW(arena, uint64_t, n);
	m->taken = NEW(arena, uint64_t, n);
	m->tried = NEW(arena, uint64_t, state->view->n_tensors);
	m->ready = NEW(arena, uint32_t, n);
	m->grown = NEW(arena, uint32_t, n);
	m->group = NEW(arena, uint32_t, n);
	return m->looked && m->grows && m->taken && m->tried && m->ready &&
	       m->grown && m->group;
}

/* Does a tensor surely die at the op, or at one that is glued to it? */
static bool frees(const struct state *x, uint32_t op)
{
	return x->freed[op] + x->view->dead[op] > 0 || x->glued[op] != NONE;
}

/* ---------------------------------------------------------- a group */

static void begin_group(struct moves *m)
{
	m->n_group = 0;
	m->taking++;
}

static void take(struct moves *m, uint32_t op)
{
	if (m->state->inside[op] && !m->state->lazy[op] &&
		m->taken[op] != m->taking) {
		m->taken[op] = m->taking;
		m->group[m->n_group++] = op;
	}
}

static void take_users(struct moves *m, uint32_t tensor)
{
	struct ids users = mp_lists_at(&m->state->view->users, tensor);

	for (uint32_t i = 0; i < users.n; i++)
		take(m, users.at[i]);
	m->state->work += users.n;
}

/* Takes all ops that those in the group wait for. False: one of them, but not
 * the last one, frees a tensor by itself. */
static bool close_group(struct moves *m, uint32_t last)
{
	struct ids before;

	for (uint32_t i = 0; i < m->n_group; i++) {
		if (m->group[i] != last && frees(m->state, m->group[i]))
			return false;
		before = mp_lists_at(&m->state->view->before, m->group[i]);
		for (uint32_t j = 0; j < before.n; j++)
			take(m, before.at[j]);
		m->state->work += 1 + before.n;
	}
	return true;
}

/* Sorts the group as the best order has it, and puts the last op, if there is
 * one, at its end. */
static void sort_group(struct moves *m, uint32_t last)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->n_group; i++)
		m->group[i] = m->place[m->group[i]];
	mp_sort_u32(m->group, m->n_group);
	for (uint32_t i = 0; i < m->n_group; i++)
		m->group[i] = m->order[m->group[i]];
	if (last == NONE)
		return;
	for (uint32_t i = 0; i < m->n_group; i++)
		if (m->group[i] != last)
			m->group[n++] = m->group[i];
	m->group[n] = last;
}

/* Runs the group for its cost. False: an op waits for the last one, or a tensor
 * dies before it. */
static bool measure_group(struct moves *m, struct move *move)
{
	struct state *x = m->state;
	uint32_t length = x->length;
	bool fine = true;

	move->cost = 0;
	for (uint32_t i = 0; i < m->n_group; i++) {
		uint32_t op = m->group[i];

		fine = x->waits[op] == 0 &&
		       (i + 1 == m->n_group || !frees(x, op));
		if (!fine)
			break;
		move->cost = num_max(move->cost, mp_order_state_cost(x, op));
		mp_order_state_run(x, op);
	}
	move->after = x->now;
	mp_order_state_retreat(x, length);
	return fine;
}

static bool is_known(const struct moves *m)
{
	for (uint32_t i = m->first; i < m->n; i++)
		if (m->at[i].n == m->n_group &&
			memcmp(m->ops + m->at[i].from, m->group,
				sizeof(*m->group) * m->n_group) == 0)
			return true;
	return false;
}

static bool add_move(struct moves *m, struct move move)
{
	move.from = m->n_ops;
	move.n = m->n_group;
	m->at = mp_arena_grow(m->arena, m->at, m->n, &m->room, sizeof(*m->at));
	if (!m->at)
		return false;
	m->at[m->n++] = move;
	for (uint32_t i = 0; i < move.n; i++) {
		m->ops = mp_arena_grow(m->arena, m->ops, m->n_ops, &m->ops_room,
			sizeof(*m->ops));
		if (!m->ops)
			return false;
		m->ops[m->n_ops++] = m->group[i];
	}
	return true;
}

/* Makes a move of the ops in the group and all that they wait for. */
static bool finish_group(struct moves *m, uint32_t last)
{
	struct move move = {0};

	if (!close_group(m, last))
		return true;
	if (m->n_group == 1) {
		move.cost = mp_order_state_cost(m->state, m->group[0]);
		move.after = mp_order_state_after(m->state, m->group[0]);
		return add_move(m, move);
	}
	sort_group(m, last);
	return is_known(m) || !measure_group(m, &move) || add_move(m, move);
}

/* ------------------------------------------------------------ moves */

/* Can the tensor die in the window? */
static bool may_die(const struct moves *m, uint32_t tensor)
{
	struct ids users = mp_lists_at(&m->state->view->users, tensor);

	for (uint32_t i = 0; i < users.n; i++)
		if (m->place[users.at[i]] >= m->to)
			return false;
	return m->state->view->size[tensor] > 0;
}

/* Tensors of which an op is not the only user that is left. */
static bool try_inputs(struct moves *m, uint32_t op)
{
	struct ids inputs = mp_lists_at(&m->state->view->inputs, op);

	m->state->work += inputs.n;
	for (uint32_t i = 0; i < inputs.n; i++) {
		uint32_t t = inputs.at[i];

		if (m->tried[t] == m->round || m->state->left[t] < 2)
			continue;
		m->tried[t] = m->round;
		if (!may_die(m, t))
			continue;
		begin_group(m);
		take_users(m, t);
		if (!finish_group(m, NONE))
			return false;
	}
	return true;
}

/* Inputs of pairs of the op of which it is not the only user that is left.
 * False: there are more than MOST_INPUTS. */
static bool list_shared(
	const struct moves *m, uint32_t op, uint32_t *shared, uint32_t *n)
{
	const struct view *view = m->state->view;
	uint32_t from = view->pairs ? view->first_pair[op] : 0;
	uint32_t to = view->pairs ? view->first_pair[op + 1] : 0;

	*n = 0;
	for (uint32_t i = from; i < to; i++) {
		uint32_t t = view->pairs[i].input, j = 0;

		if (m->state->left[t] < 2 || !may_die(m, t))
			continue;
		while (j < *n && shared[j] != t)
			j++;
		if (j == MOST_INPUTS)
			return false;
		shared[j] = t;
		*n += j == *n;
	}
	return true;
}

/* Moves with the op at their end: alone if it frees a tensor by itself, and
 * with each set of inputs of its pairs. */
static bool try_last(struct moves *m, uint32_t op)
{
	uint32_t shared[MOST_INPUTS], n;

	m->lost |= !list_shared(m, op, shared, &n);
	for (uint32_t set = frees(m->state, op) ? 0 : 1; set < 1U << n; set++) {
		begin_group(m);
		take(m, op);
		for (uint32_t i = 0; i < n; i++)
			if (set >> i & 1)
				take_users(m, shared[i]);
		if (!finish_group(m, op))
			return false;
	}
	return true;
}

/* Looks at an op that is ready, or only waits for ops that free nothing. */
static bool look_at(struct moves *m, uint32_t op)
{
	m->looked[op] = m->round;
	if (!frees(m->state, op)) {
		m->grows[op] = m->round;
		m->grown[m->n_grown++] = op;
	}
	return try_last(m, op);
}

static bool waits_for_growing_only(const struct moves *m, uint32_t op)
{
	const struct state *x = m->state;
	struct ids before = mp_lists_at(&x->view->before, op);

	for (uint32_t i = 0; i < before.n; i++)
		if (x->inside[before.at[i]] && !x->lazy[before.at[i]] &&
			m->grows[before.at[i]] != m->round)
			return false;
	return true;
}

static bool try_behind(struct moves *m, uint32_t op)
{
	struct ids behind = mp_lists_at(&m->state->view->behind, op);

	m->state->work += behind.n;
	for (uint32_t i = 0; i < behind.n; i++)
		if (m->state->inside[behind.at[i]] &&
			m->looked[behind.at[i]] != m->round &&
			waits_for_growing_only(m, behind.at[i]) &&
			!look_at(m, behind.at[i]))
			return false;
	return true;
}

/* If no tensor can die any more, all ops that are left are one move. */
static bool add_rest(struct moves *m)
{
	begin_group(m);
	for (uint32_t i = 0; i < m->n_grown; i++)
		take(m, m->grown[i]);
	return finish_group(m, NONE);
}

bool mp_order_moves_find(struct moves *m)
{
	uint32_t n_ready = m->state->n_ready;

	m->first = m->n;
	m->round++;
	m->n_grown = 0;
	memcpy(m->ready, m->state->ready, sizeof(*m->ready) * n_ready);
	for (uint32_t i = 0; i < n_ready; i++)
		if (!look_at(m, m->ready[i]))
			return false;
	for (uint32_t i = 0; i < m->n_grown; i++)
		if (!try_inputs(m, m->grown[i]) || !try_behind(m, m->grown[i]))
			return false;
	m->state->work += n_ready;
	return m->n > m->first || add_rest(m);
}
