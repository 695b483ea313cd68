/*
 * Lower bounds on the peak of every order. The cheapest set of ops that may
 * have run before an op is a minimum cut; with the op's own bytes it bounds the
 * peak. Of a set of ops, one member runs last, after all others, or first,
 * before all others: the least bound over all members bounds the peak too. It
 * is often much higher, because ops that could each run first cannot all do so.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/search/inside.h"

#include <assert.h>
#include <string.h>

/* The cost of the op after the minimum cut that was forced. At the peak or
 * above, the exact value does not matter. */
static uint64_t solve_for(struct search *s, uint32_t op)
{
	uint64_t need = mp_order_search_need(s, op);

	mp_order_search_solve(s, 0, s->peak > need ? s->peak - need : 0);
	return s->cut.value + need;
}

/* ------------------------------------------------------- single ops */

/* The greatest of the costs above the bound, but for those tried; NONE: there
 * is none. */
static uint32_t most_expensive(
	const struct search *s, const uint64_t *costs, const bool *tried)
{
	uint32_t best = NONE;

	for (uint32_t i = 0; i < s->view->n_ops; i++)
		if (costs[i] > s->bound.bytes && !(tried && tried[i]) &&
			(best == NONE || costs[i] > costs[best]))
			best = i;
	return best;
}

/* The minimum cut, then the op, then the others: often a better order, and it
 * gives lower costs of other ops. */
static void try_cut_order(struct search *s, uint32_t op)
{
	uint32_t n = 0;
	uint64_t peak;

	for (uint32_t i = 0; i < s->view->n_ops; i++)
		if (s->cut.in[s->order[i]])
			s->trial[n++] = s->order[i];
	s->trial[n++] = op;
	for (uint32_t i = 0; i < s->view->n_ops; i++)
		if (!s->cut.in[s->order[i]] && s->order[i] != op)
			s->trial[n++] = s->order[i];
	peak = mp_order_search_measure(s);
	if (peak < s->peak)
		mp_order_search_accept(s, peak);
}

static void bound_one(struct search *s, uint32_t op)
{
	struct ids set = {&op, 1};
	uint64_t value;

	mp_order_cut_op(&s->cut, op);
	value = solve_for(s, op);
	mp_order_search_prove(s, value, set, false);
	if (s->cut.gave_up)
		return;
	if (value < s->peak)
		try_cut_order(s, op);
	s->seen[op] = num_min(s->seen[op], value);
}

/* The op with the greatest of these costs above the bound, of a kind that was
 * not tried. NONE: there is none. */
static uint32_t next_kind(const struct search *s, const bool *tried)
{
	uint32_t best = NONE;

	for (uint32_t op = 0; op < s->view->n_ops; op++)
		if (s->seen[op] > s->bound.bytes && !tried[s->kinds.of[op]] &&
			(best == NONE || s->seen[op] > s->seen[best]))
			best = op;
	return best;
}

/* Cuts of ops that are alike are often equal: so one of each kind is tried. An
 * op is solved once, as s->seen is then the cost at its cut. The kinds are not
 * needed where the first cut closes the gap. */
bool mp_order_search_bound_cut(struct search *s, uint32_t patience)
{
	uint32_t op = most_expensive(s, s->seen, NULL), misses = 0;
	bool *tried = NEW(s->arena, bool, s->view->n_ops);
	uint64_t gap;

	if (!tried)
		return false;
	while (op != NONE && misses < patience && !mp_order_search_done(s)) {
		gap = s->peak - s->bound.bytes;
		bound_one(s, op);
		misses = s->peak - s->bound.bytes < gap ? 0 : misses + 1;
		if (mp_order_search_done(s))
			break;
		if (!mp_order_kinds_find(s))
			return false;
		tried[s->kinds.of[op]] = true;
		op = next_kind(s, tried);
	}
	return true;
}

/* ------------------------------------------------------ sets of ops */

enum {
	MOST_MEMBERS = 32 /* of a set that grows, as each is solved again */
};

/* A set of ops that grows. The cost of a member only rises as others join, so
 * an old value is still a lower bound, and only the cheapest member must be
 * solved again. */
struct group {
	struct search *s;
	bool first;	    /* a member runs first of the set, not last */
	bool alike;	    /* all members are of one kind */
	uint32_t seed;	    /* its place in the best order */
	const bool *behind; /* of an op: it may join; NULL: all may */
	uint32_t n_ran;	    /* the first of them are no members: they have run
			     */
	uint32_t members[MOST_MEMBERS], n;
	uint64_t value[MOST_MEMBERS];
	bool fresh[MOST_MEMBERS];
	bool *in;     /* of an op: the set before the cheapest member */
	bool *barred; /* of an op: was a member at some time */
};

/* Solves for a member. A member that another one waits for cannot run last; one
 * that waits for another cannot run first. */
static void solve_member(struct group *g, uint32_t i)
{
	uint32_t ran = g->first ? (UINT32_C(1) << g->n_ran) - 1 : UINT32_MAX;
	bool possible = mp_order_cut_moment(
		&g->s->cut, (struct ids){g->members, g->n}, ran, i);

	g->fresh[i] = true;
	g->value[i] = possible ? solve_for(g->s, g->members[i]) : UINT64_MAX;
}

/* The member with the least cost, which bounds the peak; g->in is the cut
 * before it. */
static uint32_t cheapest_member(struct group *g)
{
	uint32_t least, filled = NONE;

	for (;;) {
		least = g->n_ran;
		for (uint32_t i = least + 1; i < g->n; i++)
			if (g->value[i] < g->value[least])
				least = i;
		if (g->fresh[least] && filled != NONE &&
			g->value[filled] == g->value[least])
			return filled;
		solve_member(g, least);
		if (filled == NONE || g->value[least] < g->value[filled]) {
			filled = least;
			memcpy(g->in, g->s->cut.in, g->s->view->n_ops);
		}
	}
}

/* The most expensive op that the cut has on the other side than the best order,
 * of the kind of the first member if it grows by that. */
static uint32_t next_member(const struct group *g)
{
	const struct search *s = g->s;
	uint32_t from = g->first && !g->alike ? g->seed + 1 : 0;
	uint32_t to = g->first || g->alike ? s->view->n_ops : g->seed;
	uint32_t best = NONE;

	for (uint32_t i = from; i < to; i++)
		if (!g->barred[s->order[i]] && g->in[s->order[i]] == g->first &&
			(!g->behind || g->behind[s->order[i]]) &&
			(!g->alike || s->kinds.of[s->order[i]] ==
					      s->kinds.of[g->members[0]]) &&
			(best == NONE || s->costs[i] > s->costs[best]))
			best = i;
	return best == NONE ? NONE : s->order[best];
}

static void add_member(struct group *g, uint32_t op)
{
	assert(g->n < MOST_MEMBERS);
	g->members[g->n] = op;
	g->value[g->n] = 0;
	g->n++;
	g->barred[op] = true;
	memset(g->fresh, false, sizeof(g->fresh));
}

static void drop_member(struct group *g, const uint64_t *values)
{
	assert(g->n > 1); /* the first member never lowers the bound */
	g->n--;
	memcpy(g->value, values, sizeof(g->value));
	memset(g->fresh, false, sizeof(g->fresh));
}

/* Adds one member after the other; drops one that lowers the bound. Of alike
 * ones, those that are left do as the last ones did. */
static void grow_set(struct group *g)
{
	enum {
		PATIENCE = 12,	   /* members dropped before the set is given
				      up, */
		PATIENCE_ALIKE = 3 /* or alike ones in a row that did not raise
				      the bound */
	};
	struct search *s = g->s;
	uint64_t kept[MOST_MEMBERS], bound = 0;
	uint32_t drops = 0, misses = 0, least, op;

	while (drops < PATIENCE && (!g->alike || misses < PATIENCE_ALIKE) &&
		!mp_order_search_done(s)) {
		least = cheapest_member(g);
		mp_order_search_prove(s, g->value[least],
			(struct ids){g->members, g->n}, g->first);
		misses = g->value[least] > bound ? 0 : misses + 1;
		if (g->value[least] < bound) {
			drop_member(g, kept);
			drops++;
		} else {
			bound = g->value[least];
		}
		op = next_member(g);
		if (op == NONE || g->n == MOST_MEMBERS)
			break;
		memcpy(kept, g->value, sizeof(kept));
		add_member(g, op);
	}
}

static bool bound_around(
	struct search *s, uint32_t place, bool first, bool alike)
{
	struct arena_mark mark = mp_arena_mark(s->arena);
	struct group g = {
		.s = s, .first = first, .alike = alike, .seed = place};
	bool done;

	g.in = NEW(s->arena, bool, s->view->n_ops);
	g.barred = NEW(s->arena, bool, s->view->n_ops);
	done = g.in && g.barred;
	if (done) {
		add_member(&g, s->order[place]);
		grow_set(&g);
	}
	mp_arena_rewind(s->arena, mark);
	return done;
}

/* The most expensive of these ops, in the best order. */
static uint32_t dearest_of(const struct search *s, const bool *of)
{
	uint32_t best = NONE;

	for (uint32_t i = 0; i < s->view->n_ops; i++)
		if (of[s->order[i]] &&
			(best == NONE || s->costs[i] > s->costs[best]))
			best = i;
	return best == NONE ? NONE : s->order[best];
}

/* Adds one member after the other, up to so many, until each costs the peak.
 * Where one costs less and no further member could change that, it goes. False:
 * not so. */
static bool grow_to_peak(struct group *g, uint32_t most)
{
	enum {
		PATIENCE = 12 /* members that went */
	};
	struct search *s = g->s;
	uint32_t misses = 0, least, op;

	while (misses < PATIENCE && !mp_order_search_done(s)) {
		least = cheapest_member(g);
		if (g->value[least] >= s->peak)
			return true;
		op = next_member(g);
		if (op != NONE && g->n == most)
			return false;
		if (op != NONE) {
			add_member(g, op);
			continue;
		}
		if (least == g->n_ran)
			return false;
		g->members[least] = g->members[--g->n];
		memset(g->value, 0, sizeof(g->value));
		memset(g->fresh, false, sizeof(g->fresh));
		misses++;
	}
	return false;
}

/* Ops that wait for one that runs last of a set, behind all of them. */
struct behind {
	bool *is;		 /* of an op: it waits */
	uint32_t last, previous; /* that one; and the one before it, or NONE */
	uint32_t few[MOST_FEW_OPS], n; /* the set, and those of all */
	uint32_t from;		       /* where those of the last one begin */
};

static void find_behind(struct search *s, struct behind *b)
{
	mp_order_cut_reset(&s->cut);
	mp_order_cut_force_out(&s->cut, b->last);
	for (uint32_t op = 0; op < s->view->n_ops; op++)
		b->is[op] = op != b->last && s->cut.side[op] == CUT_OUT;
}

/* Where parts look alike, what was found for one of them is as far behind the
 * last op of another. Else the most expensive op is the first member. */
static void add_first(struct group *g, const struct behind *b)
{
	const struct search *s = g->s;
	uint32_t dearest;

	for (uint32_t i = b->from; b->previous != NONE && i < b->n; i++) {
		uint64_t at = (uint64_t)s->place[b->last] +
			      s->place[b->few[i]] - s->place[b->previous];

		if (at < s->view->n_ops && b->is[s->order[at]])
			add_member(g, s->order[at]);
	}
	dearest = dearest_of(s, b->is);
	if (g->n == g->n_ran && dearest != NONE)
		add_member(g, dearest);
}

/* All ops of the set have run, and now the first of the others runs. Adds these
 * others to the few. False: it may cost less than the peak. */
static bool bound_behind(struct group *g, struct behind *b, uint32_t last)
{
	struct search *s = g->s;

	b->last = last;
	find_behind(s, b);
	memset(g->barred, false, s->view->n_ops);
	g->n = g->n_ran;
	g->seed = s->place[last];
	add_first(g, b);
	if (g->n == g->n_ran || !grow_to_peak(g, MOST_FEW_OPS / g->n_ran))
		return false;
	b->from = b->n;
	for (uint32_t i = g->n_ran; i < g->n; i++)
		if (!mp_lists_has((struct ids){b->few, b->n}, g->members[i]))
			b->few[b->n++] = g->members[i];
	b->previous = last;
	return true;
}

static void bound_each(struct group *g, struct behind *b)
{
	struct search *s = g->s;

	b->n = b->from = g->n_ran;
	b->previous = NONE;
	memcpy(b->few, s->bound.ops.at, sizeof(*b->few) * b->n);
	memcpy(g->members, b->few, sizeof(*b->few) * b->n);
	for (uint32_t i = 0; i < g->n_ran; i++)
		if (!bound_behind(g, b, b->few[i]))
			return;
	mp_order_search_prove_few(s, s->peak, (struct ids){b->few, b->n});
}

/* A set on two levels: of the ops of the best set one runs last, and what waits
 * for it runs behind all of them. Of two micro-batches, one has all its
 * gradients still to come when the losses of both are known. */
bool mp_order_search_bound_behind(struct search *s)
{
	enum {
		MOST_LAST = 4,
		GAP_PART = 8 /* of the peak: a larger gap is not that of a
				few ops */
	};
	struct arena_mark mark = mp_arena_mark(s->arena);
	struct group g = {.s = s, .first = true, .n_ran = s->bound.ops.n};
	struct behind behind;

	if (mp_order_search_done(s) || s->bound.first || g.n_ran < 2 ||
		g.n_ran > MOST_LAST || strcmp(s->bound.kind, "set") != 0 ||
		s->peak - s->bound.bytes > s->peak / GAP_PART)
		return true;
	g.in = NEW(s->arena, bool, s->view->n_ops);
	g.barred = NEW(s->arena, bool, s->view->n_ops);
	behind.is = NEW(s->arena, bool, s->view->n_ops);
	if (!g.in || !g.barred || !behind.is)
		return false;
	g.behind = behind.is;
	bound_each(&g, &behind);
	mp_arena_rewind(s->arena, mark);
	return true;
}

/* Sets of ops of one kind: if there are parts that look alike, one of them
 * begins, or ends, after the others. Where each part that ends leaves fewer
 * bytes than it found, as micro-batches with inputs that wait from the start
 * do, the ends of those that cost most bound the peak, and not the last ones.
 * False: memory is out. */
static bool bound_alike(struct search *s, uint32_t kinds)
{
	enum {
		MANY = 5 /* of fewer, a set from the last one has most */
	};
	struct kind_steps at;

	if (!mp_order_search_bound_kinds(s))
		return false;
	for (; kinds > 0 && !mp_order_search_done(s); kinds--) {
		if (!mp_order_kinds_next(s, &at))
			break;
		if (!bound_around(s, at.last, false, true) ||
			!bound_around(s, at.first, true, true) ||
			(at.n >= MANY && at.dearest != at.last &&
				!bound_around(s, at.dearest, false, true)))
			return false;
	}
	return true;
}

bool mp_order_search_bound_set(struct search *s, uint32_t seeds)
{
	bool *tried = NEW(s->arena, bool, s->view->n_ops);
	uint32_t seed;

	if (!tried || (!mp_order_search_done(s) && !bound_alike(s, seeds)))
		return false;
	for (; seeds > 0 && !mp_order_search_done(s); seeds--) {
		seed = most_expensive(s, s->costs, tried);
		if (seed == NONE)
			break;
		tried[seed] = true;
		if (!bound_around(s, seed, false, false) ||
			!bound_around(s, seed, true, false))
			return false;
	}
	return true;
}
