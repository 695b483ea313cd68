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

/* The ops of a minimum cut, then the op, then the others: often a better order,
 * and it gives lower costs of other ops. */
static void try_cut_order(struct search *s, const bool *in, uint32_t op)
{
	uint32_t n = 0;
	uint64_t peak;

	for (uint32_t i = 0; i < s->view->n_ops; i++)
		if (in[s->order[i]])
			s->trial[n++] = s->order[i];
	s->trial[n++] = op;
	for (uint32_t i = 0; i < s->view->n_ops; i++)
		if (!in[s->order[i]] && s->order[i] != op)
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
		try_cut_order(s, s->cut.in, op);
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
	MOST_MEMBERS = 32, /* of a set that grows, as each is solved again, */
	MOST_ALIKE = 128   /* and of alike ones, of which many join at once */
};

/* The cut before the op that raised the bound last. */
struct raiser {
	bool *in;    /* of an op */
	uint32_t op; /* NONE: the bound was not raised */
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
	uint32_t members[MOST_ALIKE], n;
	uint64_t value[MOST_ALIKE];
	bool fresh[MOST_ALIKE];
	bool *in;     /* of an op: the set before the cheapest member */
	bool *barred; /* of an op: was a member at some time */
	struct raiser *raiser; /* NULL: it is not asked for */
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
	assert(g->n < MOST_ALIKE);
	g->members[g->n] = op;
	g->value[g->n] = 0;
	g->n++;
	g->barred[op] = true;
	memset(g->fresh, false, sizeof(g->fresh));
}

/* Adds ops, up to so many. False: none can join. */
static bool add_members(struct group *g, uint32_t n)
{
	uint32_t most = (uint32_t)num_min(
		g->n + n, g->alike ? MOST_ALIKE : MOST_MEMBERS);
	uint32_t before = g->n, op = next_member(g);

	for (; op != NONE && g->n < most; op = next_member(g))
		add_member(g, op);
	return g->n > before;
}

/* A set that members join: the bound that it has, and what it was then. */
struct growth {
	uint64_t bound, value[MOST_ALIKE];
	uint32_t n;
	bool *in;	/* as of the set */
	uint32_t rises; /* in a row */
	bool one;	/* one member joins at a time */
};

static void keep_set(struct growth *kept, const struct group *g)
{
	memcpy(kept->value, g->value, sizeof(kept->value));
	memcpy(kept->in, g->in, g->s->view->n_ops);
	kept->n = g->n;
}

/* The last members lower the bound. Where they are many, one of them might not.
 */
static void drop_members(struct group *g, struct growth *kept)
{
	assert(kept->n > 0); /* the first member never lowers the bound */
	if (g->n > kept->n + 1) {
		for (uint32_t i = kept->n; i < g->n; i++)
			g->barred[g->members[i]] = false;
		memcpy(g->in, kept->in, g->s->view->n_ops);
		kept->one = true;
	}
	g->n = kept->n;
	memcpy(g->value, kept->value, sizeof(g->value));
	memset(g->fresh, false, sizeof(g->fresh));
}

static uint64_t bound_group(struct group *g)
{
	struct search *s = g->s;
	uint32_t least = cheapest_member(g);
	uint64_t value = g->value[least];

	if (g->raiser && value > s->bound.bytes) {
		g->raiser->op = g->members[least];
		memcpy(g->raiser->in, g->in, s->view->n_ops);
	}
	mp_order_search_prove(
		s, value, (struct ids){g->members, g->n}, g->first);
	return value;
}

/* Adds members, and drops those that lower the bound. Of alike ones, as many
 * join as there are if the last three raised it, and those that are left do as
 * the last ones did. */
static void grow_set(struct group *g, struct growth *kept)
{
	enum {
		PATIENCE = 12,	    /* members dropped before the set is given
				       up, */
		PATIENCE_ALIKE = 3, /* or alike ones in a row that did not raise
				      the bound */
		RISES = 3
	};
	uint32_t drops = 0, misses = 0;
	bool more = true;

	while (more && drops < PATIENCE &&
		(!g->alike || misses < PATIENCE_ALIKE) &&
		!mp_order_search_done(g->s)) {
		uint64_t value = bound_group(g);

		misses = value > kept->bound ? 0 : misses + 1;
		kept->rises = value > kept->bound ? kept->rises + 1 : 0;
		if (value < kept->bound) {
			drops += g->n == kept->n + 1;
			drop_members(g, kept);
		} else {
			kept->bound = value;
			keep_set(kept, g);
		}
		more = add_members(
			g, g->alike && !kept->one && kept->rises >= RISES ? g->n
									  : 1);
	}
}

/* With a raiser, members are of one kind. */
static bool bound_around(
	struct search *s, uint32_t place, bool first, struct raiser *raiser)
{
	struct arena_mark mark = mp_arena_mark(s->arena);
	struct group g = {.s = s,
		.first = first,
		.alike = raiser != NULL,
		.seed = place,
		.raiser = raiser};
	struct growth kept = {0};
	bool done;

	g.in = NEW(s->arena, bool, s->view->n_ops);
	g.barred = NEW(s->arena, bool, s->view->n_ops);
	kept.in = NEW(s->arena, bool, s->view->n_ops);
	done = g.in && g.barred && kept.in;
	if (done) {
		add_member(&g, s->order[place]);
		grow_set(&g, &kept);
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

enum {
	MANY_ALIKE = 5
};

/* Sets of ops of one kind: if there are parts that look alike, one of them
 * begins, or ends, after the others. Where each part that ends leaves fewer
 * bytes than it found, as micro-batches with inputs that wait from the start
 * do, the ends of those that cost most bound the peak, and not the last ones;
 * of few, a set from the last one has most of them. False: memory is out. */
static bool bound_kind(
	struct search *s, const struct kind_steps *at, struct raiser *raiser)
{
	raiser->op = NONE;
	return bound_around(s, at->last, false, raiser) &&
	       bound_around(s, at->first, true, raiser) &&
	       (at->n < MANY_ALIKE || at->dearest == at->last ||
		       bound_around(s, at->dearest, false, raiser));
}

/* Any of so many kinds first, then of kinds of many ops. The cut that raised
 * the bound may say how to lower the peak. */
static bool bound_alike(struct search *s, uint32_t any, uint32_t kinds)
{
	struct raiser raiser = {.in = NEW(s->arena, bool, s->view->n_ops)};
	struct kind_steps at;

	if (!raiser.in || !mp_order_search_bound_kinds(s))
		return false;
	for (uint32_t i = 0; i < kinds && !mp_order_search_done(s); i++) {
		if (!mp_order_kinds_next(s, &at))
			break;
		if (i >= any && at.n < MANY_ALIKE)
			continue;
		if (!bound_kind(s, &at, &raiser))
			return false;
		if (raiser.op != NONE && !mp_order_search_done(s))
			try_cut_order(s, raiser.in, raiser.op);
	}
	return true;
}

bool mp_order_search_bound_set(struct search *s, uint32_t kinds, uint32_t seeds)
{
	bool *tried = NEW(s->arena, bool, s->view->n_ops);
	uint32_t seed;

	if (!tried ||
		(!mp_order_search_done(s) && !bound_alike(s, seeds, kinds)))
		return false;
	for (; seeds > 0 && !mp_order_search_done(s); seeds--) {
		seed = most_expensive(s, s->costs, tried);
		if (seed == NONE)
			break;
		tried[seed] = true;
		if (!bound_around(s, seed, false, NULL) ||
			!bound_around(s, seed, true, NULL))
			return false;
	}
	return true;
}
