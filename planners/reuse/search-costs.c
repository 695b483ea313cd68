/*
 * The least cost of reuse, or of banks, exact for small problems.
 *
 * A constraint is between two buffers that conflict, or that cost something.
 * Without one they go their own ways, so each component is searched by itself.
 * In some plan of the least cost every buffer lies at the bottom or rests on a
 * buffer that it has a constraint with and shares no byte with: so the places
 * of a buffer are sums of such steps, and few. Of banks, a buffer that does not
 * rest so cannot move down because one of its tensors would touch one more
 * bank: it begins with one.
 *
 * A component is searched as Russian dolls (Verfaillie, Lemaitre, Schiex, AAAI
 * 1996): the last buffer alone, the last two, and so on. When a doll is
 * searched, it is known what the buffers inside cost among themselves at least.
 * With what each of them costs at its best place beside the buffers around it,
 * that bounds what a node can reach. Each doll that was searched is a bound for
 * the whole.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/reuse/search-costs.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

enum {
	MOST_PARTS = 2048, /* of a problem: all pairs are looked at */
	MOST_DOLLS = 64,   /* buffers of a component */
	MOST_PLACES = 256, /* of a buffer */
	PLACES_A_STEP = 32 /* looked at in about 100 ns */
};

/* The cost of what is not allowed. */
static const uint64_t never = UINT64_MAX;

/* Two do not go together, or cost something, where the base of the second is
 * less than `below` above that of the first, and less than `above` below it. Of
 * banks they cost something for each bank that both touch. */
struct constraint {
	uint32_t first, second; /* buffers; of a component dolls, ascending */
	int64_t below, above;
	uint64_t cost;
	struct extent of_first, of_second; /* banks; else empty */
};

/* The same of a doll and a buffer with a fixed offset, or of banks the buffer
 * itself. */
struct wall {
	uint32_t doll;
	struct constraint constraint; /* the doll is the first of the two */
	uint64_t base; /* of the second; NO_OFFSET: it is the doll too */
};

struct place {
	uint64_t base;
	uint64_t cost;	  /* with walls, and with dolls that have a place */
	uint64_t alone;	  /* of that, with walls */
	uint32_t blocked; /* by so many of them */
};

struct doll {
	uint32_t buffer;
	struct place *places; /* ascending by base */
	uint32_t n;
	const struct constraint
		*constraints; /* with dolls inside, ascending by these */
	uint32_t n_constraints;
	uint32_t twin;	/* the last doll around it that could change places with
			   it; NONE: there is none */
	uint32_t *turn; /* its places that are not blocked, the best first */
	uint32_t n_turns, next;
	uint32_t at;	 /* the place that it has */
	uint64_t inside; /* what dolls inside cost at least, with those around
			    and among themselves */
	uint64_t least;	 /* at least that is what this doll and those inside
			    cost among themselves */
};

struct dolls {
	struct job *job;
	const struct problem *problem;
	uint64_t limit;
	uint64_t *offsets;		/* of the best plan */
	struct constraint *constraints; /* of all buffers */
	uint32_t n_constraints, room;
	uint32_t *component; /* of a buffer: the least one of it */
	uint32_t *number;    /* of a buffer: its doll, or NONE */

	/* Of the component at hand. */
	struct doll *at; /* the outermost first; behind the last an empty one */
	uint32_t n;
	struct constraint *own;
	uint32_t n_own;
	struct wall *walls;
	uint32_t n_walls;
	uint32_t *used; /* of a place, if is_equal: dolls that have it */
	bool is_equal;	/* all have the same places, and those of different
			   bases go together */
	uint64_t spent; /* by the dolls that have a place */
	uint64_t best;	/* cost of a plan of the doll that is searched */
};

/* ------------------------------------------------------ constraints */

static bool add_constraint(struct dolls *s, struct constraint constraint)
{
	struct constraint *constraints =
		mp_arena_grow(s->job->arena, s->constraints, s->n_constraints,
			&s->room, sizeof(*constraints));

	if (!constraints)
		return false;
	s->constraints = constraints;
	constraints[s->n_constraints++] = constraint;
	return true;
}

static bool constrain_parts(struct dolls *s, uint32_t a, uint32_t b)
{
	const struct part *x = &s->problem->parts[a];
	const struct part *y = &s->problem->parts[b];
	int64_t base = (int64_t)y->base - (int64_t)x->base;

	if (x->buffer == y->buffer || !mp_problem_conflict(s->problem, a, b))
		return true;
	return add_constraint(s, (struct constraint){.first = x->buffer,
					 .second = y->buffer,
					 .below = (int64_t)x->size - base,
					 .above = (int64_t)y->size + base,
					 .cost = never});
}

static bool find_constraints(struct dolls *s)
{
	const struct problem *p = s->problem;

	for (uint32_t a = 0; a < p->n_parts; a++)
		for (uint32_t b = a + 1; b < p->n_parts; b++)
			if (!constrain_parts(s, a, b))
				return false;
	for (uint32_t i = 0; i < p->n_costs; i++) {
		const struct costly_pair *c = &p->costs[i];

		if (!add_constraint(
			    s, (struct constraint){c->a, c->b, c->below,
				       c->above, c->cost, c->of_a, c->of_b}))
			return false;
	}
	return true;
}

static bool touches(
	const struct constraint *constraint, uint64_t first, uint64_t second)
{
	int64_t difference = (int64_t)second - (int64_t)first;

	return difference < constraint->below &&
	       -difference < constraint->above;
}

static bool is_of_banks(const struct constraint *constraint)
{
	return constraint->of_first.size > 0;
}

/* What the two cost with these bases. */
static uint64_t cost_of(const struct dolls *s,
	const struct constraint *constraint, uint64_t first, uint64_t second)
{
	struct extent a = constraint->of_first, b = constraint->of_second;

	if (!is_of_banks(constraint))
		return touches(constraint, first, second) ? constraint->cost
							  : 0;
	a.base += first;
	b.base += second;
	return constraint->cost *
	       mp_problem_shared_banks(&s->problem->banks, a, b);
}

static struct constraint turn(struct constraint constraint)
{
	return (struct constraint){constraint.second, constraint.first,
		constraint.above, constraint.below, constraint.cost,
		constraint.of_second, constraint.of_first};
}

static bool is_fixed(const struct dolls *s, uint32_t buffer)
{
	return s->problem->buffers[buffer].offset != NO_OFFSET;
}

/* A fixed buffer joins no two others. */
static void find_components(struct dolls *s)
{
	bool changed = true;

	for (uint32_t i = 0; i < s->problem->n_buffers; i++)
		s->component[i] = i;
	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < s->n_constraints; i++) {
			uint32_t *a = &s->component[s->constraints[i].first];
			uint32_t *b = &s->component[s->constraints[i].second];

			if (*a == *b || is_fixed(s, s->constraints[i].first) ||
				is_fixed(s, s->constraints[i].second))
				continue;
			*a = *b = *a < *b ? *a : *b;
			changed = true;
		}
	}
}

/* -------------------------------------------------------- component */

/* As they are born: costs are mostly between buffers that live one soon after
 * the other, so that the dolls inside have some. */
static int by_birth(const void *left, const void *right)
{
	const struct doll *a = left, *b = right;

	return mp_sort_compare_two(a->at, b->at, a->buffer, b->buffer);
}

static void gather(struct dolls *s, uint32_t component)
{
	const struct problem *p = s->problem;

	s->n = 0;
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		s->number[i] = NONE;
		if (s->component[i] == component && !is_fixed(s, i))
			s->at[s->n++] = (struct doll){
				.buffer = i, .at = p->buffers[i].start};
	}
	qsort(s->at, s->n, sizeof(*s->at), by_birth);
	for (uint32_t i = 0; i < s->n; i++)
		s->number[s->at[i].buffer] = i;
	s->at[s->n] = (struct doll){.least = 0};
}

static int by_dolls(const void *left, const void *right)
{
	const struct constraint *a = left, *b = right;

	if (a->first != b->first || a->second != b->second)
		return mp_sort_compare_two(
			a->first, b->first, a->second, b->second);
	if (a->cost != b->cost)
		return mp_sort_compare(a->cost, b->cost);
	return mp_sort_compare_two((uint64_t)a->below, (uint64_t)b->below,
		(uint64_t)a->above, (uint64_t)b->above);
}

/* A constraint of a doll with a fixed buffer, or with itself. */
static void add_wall(struct dolls *s, uint32_t doll,
	struct constraint constraint, uint64_t base)
{
	s->walls[s->n_walls++] = (struct wall){doll, constraint, base};
}

/* Constraints of the component's buffers become constraints of dolls, and
 * walls. */
static bool take_constraints(struct dolls *s)
{
	const struct buffer *buffers = s->problem->buffers;
	struct arena *arena = s->job->arena;

	s->own = NEW(arena, struct constraint, s->n_constraints);
	s->walls = NEW(arena, struct wall, s->n_constraints);
	s->n_own = s->n_walls = 0;
	for (uint32_t i = 0; s->own && s->walls && i < s->n_constraints; i++) {
		struct constraint t = s->constraints[i];
		uint32_t a = s->number[t.first], b = s->number[t.second];

		if (a == NONE && b == NONE)
			continue;
		if (a == NONE)
			add_wall(s, b, turn(t), buffers[t.first].offset);
		else if (b == NONE)
			add_wall(s, a, t, buffers[t.second].offset);
		else if (a == b)
			add_wall(s, a, t, NO_OFFSET);
		else {
			t.first = a;
			t.second = b;
			s->own[s->n_own++] = a < b ? t : turn(t);
		}
	}
	if (!s->own || !s->walls)
		return false;
	qsort(s->own, s->n_own, sizeof(*s->own), by_dolls);
	for (uint32_t i = 0; i < s->n_own; i++) {
		struct doll *doll = &s->at[s->own[i].first];

		if (doll->n_constraints++ == 0)
			doll->constraints = &s->own[i];
	}
	return true;
}

/* ----------------------------------------------------------- places */

enum growth {
	STAYS,
	GROWS,
	TOO_MANY,
};

/* The lowest place from there on is one of the doll. */
static enum growth add_place(struct dolls *s, uint32_t i, int64_t from)
{
	struct doll *doll = &s->at[i];
	const struct buffer *b = &s->problem->buffers[doll->buffer];
	uint64_t base = num_up(from > 0 ? (uint64_t)from : 0, b->align);
	uint32_t at = doll->n;

	if (b->size > s->limit || base > s->limit - b->size)
		return STAYS;
	while (at > 0 && doll->places[at - 1].base >= base)
		at--;
	if (at < doll->n && doll->places[at].base == base)
		return STAYS;
	if (doll->n == MOST_PLACES)
		return TOO_MANY;
	memmove(&doll->places[at + 1], &doll->places[at],
		sizeof(*doll->places) * (doll->n - at));
	doll->places[at] = (struct place){.base = base};
	doll->n++;
	return GROWS;
}

/* Each of the two rests on the other, wherever that lies. */
static enum growth stack(struct dolls *s, const struct constraint *constraint)
{
	const struct doll *a = &s->at[constraint->first],
			  *b = &s->at[constraint->second];
	enum growth growth = STAYS, one;

	for (uint32_t i = 0; i < a->n; i++) {
		one = add_place(s, constraint->second,
			(int64_t)a->places[i].base + constraint->below);
		growth = one > growth ? one : growth;
	}
	for (uint32_t i = 0; i < b->n; i++) {
		one = add_place(s, constraint->first,
			(int64_t)b->places[i].base + constraint->above);
		growth = one > growth ? one : growth;
	}
	return growth;
}

/* Where those bytes of the doll begin with a bank. */
static enum growth begin_with_banks(
	struct dolls *s, uint32_t i, struct extent bytes)
{
	const struct buffer *b = &s->problem->buffers[s->at[i].buffer];
	uint64_t size = s->problem->banks.size, base = 0;

	while (base <= s->limit) {
		uint64_t next = ((base + bytes.base) / size + 1) * size;

		base = num_up(next - bytes.base, b->align);
		if (add_place(s, i, (int64_t)base) == TOO_MANY)
			return TOO_MANY;
	}
	return STAYS;
}

static enum growth begin_banks(
	struct dolls *s, const struct constraint *constraint)
{
	if (!is_of_banks(constraint))
		return STAYS;
	return begin_with_banks(s, constraint->first, constraint->of_first) ==
			       TOO_MANY
		       ? TOO_MANY
		       : begin_with_banks(
				 s, constraint->second, constraint->of_second);
}

static enum growth rest_on_wall(struct dolls *s, const struct wall *wall)
{
	const struct constraint *constraint = &wall->constraint;

	if (!is_of_banks(constraint))
		return add_place(
			s, wall->doll, (int64_t)wall->base + constraint->above);
	if (wall->base == NO_OFFSET &&
		begin_with_banks(s, wall->doll, constraint->of_second) ==
			TOO_MANY)
		return TOO_MANY;
	return begin_with_banks(s, wall->doll, constraint->of_first);
}

static uint64_t cost_of_wall(
	const struct dolls *s, const struct wall *wall, uint64_t base)
{
	return cost_of(s, &wall->constraint, base,
		wall->base == NO_OFFSET ? base : wall->base);
}

static void meet_wall(struct dolls *s, const struct wall *wall)
{
	struct doll *doll = &s->at[wall->doll];

	for (uint32_t i = 0; i < doll->n; i++) {
		struct place *place = &doll->places[i];
		uint64_t cost = cost_of_wall(s, wall, place->base);

		if (cost == never)
			place->blocked++;
		else
			place->alone = place->cost += cost;
	}
}

static void drop_blocked(struct doll *doll)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < doll->n; i++)
		if (!doll->places[i].blocked)
			doll->places[n++] = doll->places[i];
	doll->n = n;
}

/* False: there are too many, or the budget is spent. */
static bool find_places(struct dolls *s)
{
	enum growth growth = GROWS, one;

	for (uint32_t i = 0; i < s->n; i++)
		if (add_place(s, i, 0) == TOO_MANY)
			return false;
	for (uint32_t i = 0; i < s->n_walls; i++)
		if (rest_on_wall(s, &s->walls[i]) == TOO_MANY)
			return false;
	for (uint32_t i = 0; i < s->n_own; i++)
		if (begin_banks(s, &s->own[i]) == TOO_MANY)
			return false;
	while (growth == GROWS) {
		growth = STAYS;
		for (uint32_t i = 0; i < s->n_own; i++) {
			if (is_of_banks(&s->own[i]))
				continue;
			one = stack(s, &s->own[i]);
			growth = one > growth ? one : growth;
		}
		if (!mp_planner_job_step(s->job, s->n_own * s->n / 4 + 1))
			return false;
	}
	for (uint32_t i = 0; i < s->n_walls; i++)
		meet_wall(s, &s->walls[i]);
	for (uint32_t i = 0; i < s->n; i++)
		drop_blocked(&s->at[i]);
	return growth != TOO_MANY;
}

/* ------------------------------------------------------- symmetries */

/* The constraints of a doll with another one, as the first of the two sees
 * them. */
static uint32_t list_constraints(
	const struct dolls *s, uint32_t a, uint32_t b, struct constraint *one)
{
	const struct doll *doll = &s->at[a < b ? a : b];
	uint32_t n = 0;

	for (uint32_t i = 0; i < doll->n_constraints; i++) {
		const struct constraint *t = &doll->constraints[i];

		if (t->second != (a < b ? b : a))
			continue;
		*one = a < b ? *t : turn(*t);
		n++;
	}
	return n;
}

static bool are_same(struct extent a, struct extent b)
{
	return a.base == b.base && a.size == b.size;
}

static bool have_same_constraints(
	const struct dolls *s, uint32_t a, uint32_t b, uint32_t to)
{
	struct constraint x, y;
	uint32_t n = list_constraints(s, a, to, &x),
		 m = list_constraints(s, b, to, &y);

	return n == m && n <= 1 &&
	       (n == 0 || (x.below == y.below && x.above == y.above &&
				  x.cost == y.cost &&
				  are_same(x.of_first, y.of_first) &&
				  are_same(x.of_second, y.of_second)));
}

static bool have_same_places(const struct doll *a, const struct doll *b)
{
	if (a->n != b->n)
		return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (a->places[i].base != b->places[i].base ||
			a->places[i].cost != b->places[i].cost)
			return false;
	return true;
}

/* Wherever the one lies in a plan the other can lie, at the same cost. */
static bool are_twins(const struct dolls *s, uint32_t a, uint32_t b)
{
	struct constraint constraint = {0};

	if (!have_same_places(&s->at[a], &s->at[b]) ||
		list_constraints(s, a, b, &constraint) > 1 ||
		constraint.below != constraint.above ||
		!are_same(constraint.of_first, constraint.of_second))
		return false;
	for (uint32_t i = 0; i < s->n; i++)
		if (i != a && i != b && !have_same_constraints(s, a, b, i))
			return false;
	return true;
}

static void find_twins(struct dolls *s)
{
	for (uint32_t b = 0; b < s->n; b++) {
		uint32_t a = b;

		while (a > 0 && !are_twins(s, a - 1, b))
			a--;
		s->at[b].twin = a > 0 ? a - 1 : NONE;
	}
}

/* Then places may change their names, and of those that no doll has one is as
 * good as another. */
static bool find_equal(const struct dolls *s)
{
	uint64_t least = UINT64_MAX;
	const struct doll *one = &s->at[0];

	for (uint32_t i = 1; i < s->n; i++)
		if (!have_same_places(one, &s->at[i]))
			return false;
	for (uint32_t i = 0; i < one->n; i++) {
		if (one->places[i].cost != one->places[0].cost)
			return false;
		if (i > 0)
			least = num_min(least,
				one->places[i].base - one->places[i - 1].base);
	}
	for (uint32_t i = 0; i < s->n_own; i++)
		if (s->own[i].below <= 0 || s->own[i].above <= 0 ||
			(uint64_t)s->own[i].below > least ||
			(uint64_t)s->own[i].above > least)
			return false;
	return true;
}

/* ----------------------------------------------------------- search */

static inline uint64_t changed(uint64_t sum, uint64_t by, bool more)
{
	return more ? sum + by : sum - by;
}

/* Puts the doll at its place, or takes it away; both change what the places of
 * dolls inside cost. */
static inline void change_places(struct dolls *s, uint32_t i, bool puts)
{
	struct doll *doll = &s->at[i];
	uint64_t base = doll->places[doll->at].base;

	s->spent = changed(s->spent, doll->places[doll->at].cost, puts);
	s->used[doll->at] = (uint32_t)changed(s->used[doll->at], 1, puts);
	for (uint32_t k = 0; k < doll->n_constraints; k++) {
		const struct constraint *constraint = &doll->constraints[k];
		struct doll *other = &s->at[constraint->second];

		for (uint32_t m = 0; m < other->n; m++) {
			struct place *place = &other->places[m];
			uint64_t cost =
				cost_of(s, constraint, base, place->base);

			if (cost == never)
				place->blocked = (uint32_t)changed(
					place->blocked, 1, puts);
			else
				place->cost = changed(place->cost, cost, puts);
		}
	}
}

static void put(struct dolls *s, uint32_t i)
{
	change_places(s, i, true);
}

static void take(struct dolls *s, uint32_t i)
{
	change_places(s, i, false);
}

/* What the doll costs with dolls around it at its best place; `never`: it has
 * none. What it costs with walls is in what dolls inside cost among themselves.
 */
static uint64_t cheapest(const struct doll *doll)
{
	uint64_t least = never;

	for (uint32_t i = 0; i < doll->n; i++)
		if (!doll->places[i].blocked)
			least = num_min(least,
				doll->places[i].cost - doll->places[i].alone);
	return least;
}

/* Lists the places of a doll that may be tried. */
static void list_turns(struct doll *doll)
{
	doll->n_turns = doll->next = 0;
	for (uint32_t i = 0; i < doll->n; i++) {
		uint32_t at = doll->n_turns;

		if (doll->places[i].blocked)
			continue;
		while (at > 0 && doll->places[doll->turn[at - 1]].cost >
					 doll->places[i].cost) {
			doll->turn[at] = doll->turn[at - 1];
			at--;
		}
		doll->turn[at] = i;
		doll->n_turns++;
	}
}

/* Before a doll is tried at its places. */
static void enter(struct dolls *s, uint32_t i)
{
	struct doll *doll = &s->at[i];
	uint64_t one;

	doll->n_turns = doll->next = 0;
	doll->inside = s->at[i + 1].least;
	for (uint32_t k = i + 1; k < s->n; k++) {
		one = cheapest(&s->at[k]);
		if (one == never)
			return;
		doll->inside += one;
	}
	list_turns(doll);
}

/* Of plans that differ by names of twins or of equal places, only the first one
 * in the sequence of places is searched. */
static bool is_first(
	const struct dolls *s, uint32_t outer, uint32_t i, uint32_t place)
{
	uint32_t twin = s->at[i].twin;

	if (twin != NONE && twin >= outer && s->at[twin].at > place)
		return false;
	if (!s->is_equal || s->used[place] > 0)
		return true;
	for (uint32_t k = 0; k < place; k++)
		if (s->used[k] == 0)
			return false;
	return true;
}

/* Puts the doll at the next place that may lead to a better plan. */
static bool advance(struct dolls *s, uint32_t outer, uint32_t i)
{
	struct doll *doll = &s->at[i];

	while (doll->next < doll->n_turns) {
		uint32_t place = doll->turn[doll->next++];

		if (s->spent + doll->places[place].cost + doll->inside >=
			s->best)
			return false;
		if (!is_first(s, outer, i, place))
			continue;
		doll->at = place;
		put(s, i);
		return true;
	}
	return false;
}

static void keep_best(struct dolls *s, uint32_t outer)
{
	s->best = s->spent;
	for (uint32_t i = 0; outer == 0 && i < s->n; i++)
		s->offsets[s->at[i].buffer] = s->at[i].places[s->at[i].at].base;
}

/* Finds the best plan of this doll and those inside. False: the budget is
 * spent. */
static bool search(struct dolls *s, uint32_t outer)
{
	uint32_t i = outer, work = 0;
	bool goes_on = true;

	enter(s, i);
	while (goes_on) {
		work += s->at[i].n * (s->at[i].n_constraints + s->n - i);
		if (advance(s, outer, i)) {
			if (i + 1 < s->n) {
				enter(s, ++i);
				continue;
			}
			keep_best(s, outer);
			take(s, i);
		}
		if (i == outer)
			return true;
		take(s, --i);
		if (work < PLACES_A_STEP * 64)
			continue;
		goes_on = mp_planner_job_step(s->job, work / PLACES_A_STEP);
		work = 0;
	}
	while (i > outer)
		take(s, --i);
	return false;
}

/* What the best plan so far costs within this doll. */
static uint64_t cost_within(const struct dolls *s, uint32_t outer)
{
	uint64_t cost = 0;

	for (uint32_t i = 0; i < s->n_own; i++) {
		const struct constraint *t = &s->own[i];

		if (t->first >= outer && t->cost != never)
			cost += cost_of(s, t,
				s->offsets[s->at[t->first].buffer],
				s->offsets[s->at[t->second].buffer]);
	}
	for (uint32_t i = 0; i < s->n_walls; i++) {
		const struct wall *w = &s->walls[i];

		if (w->doll >= outer && w->constraint.cost != never)
			cost += cost_of_wall(
				s, w, s->offsets[s->at[w->doll].buffer]);
	}
	return cost;
}

/* From the innermost doll outwards. Returns what the component costs at least.
 */
static uint64_t search_dolls(struct dolls *s)
{
	for (uint32_t i = s->n; i-- > 0;) {
		s->best = cost_within(s, i);
		s->spent = 0;
		if (s->best > s->at[i + 1].least && !search(s, i))
			return s->at[i + 1].least;
		s->at[i].least = s->best;
	}
	return s->at[0].least;
}

/* False: memory is out. */
static bool search_component(
	struct dolls *s, uint32_t component, uint64_t *least)
{
	struct arena *arena = s->job->arena;
	struct place *places;
	uint32_t *turns;

	*least = 0;
	gather(s, component);
	if (s->n == 0 || s->n > MOST_DOLLS)
		return true;
	places = NEW(arena, struct place, (size_t)s->n * MOST_PLACES);
	turns = NEW(arena, uint32_t, (size_t)s->n * MOST_PLACES);
	if (!places || !turns || !take_constraints(s))
		return false;
	for (uint32_t i = 0; i < s->n; i++) {
		s->at[i].places = places + (size_t)i * MOST_PLACES;
		s->at[i].turn = turns + (size_t)i * MOST_PLACES;
	}
	if (cost_within(s, 0) == 0 || !find_places(s))
		return true;
	find_twins(s);
	s->is_equal = find_equal(s);
	*least = search_dolls(s);
	return true;
}

/* Pairs of fixed buffers cost what they cost. */
static uint64_t cost_of_fixed(const struct dolls *s)
{
	const struct problem *p = s->problem;
	uint64_t cost = 0;

	for (uint32_t i = 0; i < p->n_costs; i++)
		if (is_fixed(s, p->costs[i].a) && is_fixed(s, p->costs[i].b))
			cost += mp_problem_pair_cost(p, &p->costs[i],
				s->offsets[p->costs[i].a],
				s->offsets[p->costs[i].b]);
	return cost;
}

static bool search_components(struct dolls *s, uint64_t *least)
{
	for (uint32_t i = 0; i < s->problem->n_buffers; i++) {
		struct arena_mark mark = mp_arena_mark(s->job->arena);
		uint64_t one;

		if (s->component[i] != i)
			continue;
		if (!search_component(s, i, &one))
			return false;
		*least += one;
		mp_arena_rewind(s->job->arena, mark);
	}
	return true;
}

bool mp_planner_search_costs(
	struct job *job, uint64_t limit, uint64_t *offsets, uint64_t *least)
{
	const struct problem *p = job->problem;
	struct arena *arena = job->arena;
	struct dolls s = {.job = job,
		.problem = p,
		.limit = limit,
		.offsets = offsets,
		.component = NEW(arena, uint32_t, p->n_buffers),
		.number = NEW(arena, uint32_t, p->n_buffers),
		.at = NEW(arena, struct doll, (size_t)p->n_buffers + 1),
		.used = NEW(arena, uint32_t, MOST_PLACES)};

	if (!s.component || !s.number || !s.at || !s.used)
		return false;
	*least = cost_of_fixed(&s);
	if (p->n_parts > MOST_PARTS)
		return true;
	if (!find_constraints(&s))
		return false;
	find_components(&s);
	return search_components(&s, least);
}
