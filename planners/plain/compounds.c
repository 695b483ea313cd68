/*
 * Joining, breaking and undoing: see compounds.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/compounds.h"

#include <assert.h>
#include <string.h>

#include "base/num.h"
#include "base/sort.h"
#include "planners/plain/bases.h"
#include "planners/plain/slides.h"

enum {
	ROOM_A_BUFFER = 3, /* compounds: all of a tree, and those broken */
	PIN_LOOKS = 4,	   /* looks at pins in the time of one at a compound */
	HAND_LOOKS = 3,	   /* that it takes to hand a compound to others */
	LINE = 64,	   /* bytes of a line of the cache */
	NEAR = 4	   /* steps that differ in so many low bits have their
			      lists on one line */
};

/* ------------------------------------------------------------ lists */

/* Multiplication by odd numbers spreads bits upwards. Loose compounds look for
 * others a few steps away too. */
static uint32_t list_number(const struct compounds *c, enum compound_list list,
	uint32_t step, uint64_t with)
{
	bool by_step = c->are_loose && (list == OF_START || list == OF_END);
	uint32_t low = by_step ? NEAR : 0;
	uint64_t hash = (step >> low) * UINT64_C(0x9e3779b97f4a7c15) +
			with * UINT64_C(0xbf58476d1ce4e5b9);
	uint32_t number = (uint32_t)(hash >> 32);

	if (by_step)
		number = number << NEAR | ((number + step) & ((1 << NEAR) - 1));
	return number & c->mask;
}

static uint32_t *head_of(struct compounds *c, uint32_t i, enum compound_kin kin,
	enum compound_list list)
{
	const struct compound *x = &c->at[i];
	uint32_t step = x->start;
	uint64_t with = 0;

	if (list == OF_END || list == OF_END_SIZE)
		step = x->end;
	if (list == OF_START_SIZE || list == OF_END_SIZE)
		with = x->size;
	if (list == OF_SPAN)
		with = x->end;
	if (list == OF_SPAN && mp_planner_compound_has_gap(x)) {
		step = x->gap;
		with = x->gap_end;
	}
	return &c->head[kin][list][list_number(c, list, step, with)];
}

uint32_t mp_planner_compounds_first(const struct compounds *c,
	enum compound_kin kin, enum compound_list list, uint32_t step,
	uint64_t with)
{
	return c->head[kin][list][list_number(c, list, step, with)];
}

static void link_in(struct compounds *c, uint32_t i, enum compound_kin kin,
	enum compound_list list)
{
	struct compound_link *link = &c->links[kin][i].in[list];
	uint32_t *head = head_of(c, i, kin, list);

	link->prev = NONE;
	link->next = *head;
	if (*head != NONE)
		c->links[kin][*head].in[list].prev = i;
	*head = i;
}

static void link_out(struct compounds *c, uint32_t i, enum compound_kin kin,
	enum compound_list list)
{
	struct compound_link *link = &c->links[kin][i].in[list];

	if (link->next != NONE)
		c->links[kin][link->next].in[list].prev = link->prev;
	if (link->prev != NONE)
		c->links[kin][link->prev].in[list].next = link->next;
	else
		*head_of(c, i, kin, list) = link->next;
}

static int first_list(const struct compounds *c)
{
	return c->are_loose ? OF_SPAN : OF_START_SIZE;
}

static void link_all(struct compounds *c, uint32_t i, enum compound_kin kin,
	void (*link)(struct compounds *, uint32_t, enum compound_kin,
		enum compound_list))
{
	int first = first_list(c), last = COMPOUND_LISTS - 1;

	if (mp_planner_compound_has_gap(&c->at[i]))
		first = last = OF_SPAN;
	for (int list = first; list <= last; list++)
		link(c, i, kin, (enum compound_list)list);
}

/* Where those of one shape are counted, and a few others. */
static uint8_t *count_of(
	const struct compounds *c, uint32_t start, uint32_t end, uint64_t size)
{
	uint64_t hash = start * UINT64_C(0x9e3779b97f4a7c15) +
			end * UINT64_C(0xbf58476d1ce4e5b9) +
			size * UINT64_C(0x94d049bb133111eb);
	uint32_t last = (c->mask + 1) * SHAPES_A_LIST - 1;

	return &c->shapes[(uint32_t)(hash >> 32) & last];
}

bool mp_planner_compounds_may_have(
	const struct compounds *c, uint32_t start, uint32_t end, uint64_t size)
{
	return *count_of(c, start, end, size) > 0;
}

/* What is not counted may be there: so a count that is full stays. */
static void count_shape(struct compounds *c, uint32_t i, bool more)
{
	const struct compound *x = &c->at[i];
	uint8_t *count =
		c->shapes ? count_of(c, x->start, x->end, x->size) : NULL;

	if (count && *count < UINT8_MAX)
		*count = (uint8_t)(more ? *count + 1 : *count - 1);
}

static void list(struct compounds *c, uint32_t i)
{
	link_all(c, i, ALL_ONES, link_in);
	count_shape(c, i, true);
}

static void unlist(struct compounds *c, uint32_t i)
{
	link_all(c, i, ALL_ONES, link_out);
	count_shape(c, i, false);
}

static void enter(struct compounds *c, uint32_t i)
{
	assert(c->at[i].live == NONE);
	c->at[i].live = c->n_live;
	c->at[i].part_of = NONE;
	c->live[c->n_live++] = i;
	link_all(c, i, LIVE_ONES, link_in);
}

static void leave(struct compounds *c, uint32_t i)
{
	uint32_t last = c->live[--c->n_live];

	assert(c->at[i].live != NONE);
	c->live[c->at[i].live] = last;
	c->at[last].live = c->at[i].live;
	c->at[i].live = NONE;
	link_all(c, i, LIVE_ONES, link_out);
}

/* ------------------------------------------------------------ joins */

static uint32_t take_first(struct compounds *c, struct compound_chain *chain)
{
	uint32_t i = chain->first;

	if (i != NONE) {
		chain->first = c->at[i].part_of;
		chain->n--;
	}
	return i;
}

static void put_first(
	struct compounds *c, struct compound_chain *chain, uint32_t i)
{
	c->at[i].part_of = chain->first;
	chain->first = i;
	chain->n++;
}

static uint32_t new_compound(struct compounds *c)
{
	uint32_t i = take_first(c, &c->spare);

	return i == NONE && c->n < c->room ? c->n++ : i;
}

static void drop(struct compounds *c, uint32_t i)
{
	assert(i >= c->n_buffers);
	put_first(c, &c->spare, i);
}

static void shape(const struct compounds *c, struct compound *x)
{
	const struct compound *first = &c->at[x->member[0]];
	const struct compound *second = &c->at[x->member[1]];

	x->start = first->start;
	x->end = first->end;
	x->size = first->size;
	for (uint32_t k = 1; x->how == JOIN_STACK && k < x->n_members; k++) {
		const struct compound *member = &c->at[x->member[k]];

		x->start = (uint32_t)num_min(x->start, member->start);
		x->end = (uint32_t)num_max(x->end, member->end);
		x->size += member->size;
	}
	if (x->how == JOIN_CHAIN || x->how == JOIN_PINWHEEL)
		x->end = second->end;
	if (x->how == JOIN_CHAIN)
		x->size = num_max(x->size, second->size);
	if (x->how == JOIN_PINWHEEL)
		x->size += c->at[x->member[3]].size;
}

/* Takes the members of a stack of stacks, if there are not too many. */
static void flatten(
	const struct compounds *c, struct compound *x, const uint32_t *members)
{
	uint32_t n = 0;

	for (int i = 0; i < 2; i++) {
		const struct compound *m = &c->at[members[i]];

		n += m->how == JOIN_STACK ? m->n_members : 1;
	}
	if (n > MOST_MEMBERS)
		return;
	x->n_members = 0;
	for (int i = 0; i < 2; i++) {
		const struct compound *m = &c->at[members[i]];

		if (m->how != JOIN_STACK)
			x->member[x->n_members++] = members[i];
		for (uint32_t k = 0; m->how == JOIN_STACK && k < m->n_members;
			k++)
			x->member[x->n_members++] = m->member[k];
	}
}

/* Its members are live then, but for one that is taken apart next; NONE: there
 * is no such. So it was itself, unless it was such a member. */
static void take_apart(struct compounds *c, uint32_t i, uint32_t next)
{
	const struct compound *x = &c->at[i];

	unlist(c, i);
	if (x->live != NONE)
		leave(c, i);
	for (uint32_t k = 0; k < x->n_members; k++)
		if (x->member[k] == next)
			c->at[next].part_of = NONE;
		else
			enter(c, x->member[k]);
}

/* It is live then, unless it is about to be put together with others. */
static void put_together(struct compounds *c, uint32_t i, bool is_member)
{
	const struct compound *x = &c->at[i];

	for (uint32_t k = 0; k < x->n_members; k++) {
		if (c->at[x->member[k]].live != NONE)
			leave(c, x->member[k]);
		c->at[x->member[k]].part_of = i;
	}
	if (!is_member)
		enter(c, i);
	list(c, i);
}

uint32_t mp_planner_compounds_join(
	struct compounds *c, enum join how, const uint32_t *members)
{
	uint32_t n = how == JOIN_PINWHEEL ? MOST_MEMBERS : 2;
	uint32_t i = new_compound(c);
	struct compound *x;

	if (i == NONE)
		return NONE;
	x = &c->at[i];
	*x = (struct compound){.how = how, .n_members = n, .live = NONE};
	memcpy(x->member, members, sizeof(*members) * n);
	if (how == JOIN_STACK && c->pins.n_leaves > 0)
		flatten(c, x, members);
	shape(c, x);
	if (!(c->slides ? mp_planner_slides_find : mp_planner_bases_find)(
		    c, x)) {
		drop(c, i);
		return NONE;
	}
	for (uint32_t k = 0; k < n && x->n_members > 2; k++)
		if (c->at[members[k]].how == JOIN_STACK && how == JOIN_STACK)
			mp_planner_compounds_break(c, members[k]);
	put_together(c, i, false);
	assert(c->n_done < c->most_done);
	c->done[c->n_done++] = (struct compound_step){i, false};
	return i;
}

void mp_planner_compounds_break(struct compounds *c, uint32_t compound)
{
	mp_planner_compounds_break_path(c, &compound, 1);
}

void mp_planner_compounds_break_path(
	struct compounds *c, const uint32_t *path, uint32_t n)
{
	while (n-- > 0) {
		assert(c->at[path[n]].how != JOIN_NONE);
		assert(c->n_done < c->most_done);
		take_apart(c, path[n], n > 0 ? path[n - 1] : NONE);
		c->done[c->n_done++] = (struct compound_step){path[n], true};
	}
}

/* Was the last step to break what the compound is a member of? */
static bool was_member(
	const struct compounds *c, uint32_t compound, uint32_t n_done)
{
	struct compound_step last;
	bool was = false;

	if (c->n_done == n_done)
		return false;
	last = c->done[c->n_done - 1];
	for (uint32_t k = 0; last.broken && k < c->at[last.compound].n_members;
		k++)
		was |= c->at[last.compound].member[k] == compound;
	return was;
}

void mp_planner_compounds_keep(struct compounds *c)
{
	for (uint32_t i = 0; i < c->n_done; i++)
		if (c->done[i].broken)
			drop(c, c->done[i].compound);
	c->n_done = 0;
}

void mp_planner_compounds_undo(struct compounds *c)
{
	mp_planner_compounds_undo_to(c, 0);
}

void mp_planner_compounds_undo_to(struct compounds *c, uint32_t n_done)
{
	while (c->n_done > n_done) {
		struct compound_step step = c->done[--c->n_done];

		if (step.broken) {
			put_together(c, step.compound,
				was_member(c, step.compound, n_done));
		} else {
			take_apart(c, step.compound, NONE);
			drop(c, step.compound);
		}
	}
}

bool mp_planner_compounds_around(struct compounds *c, uint32_t compound,
	uint32_t taker, uint32_t path[COMPOUNDS_DEEPEST], uint32_t *n)
{
	uint32_t whole = c->at[compound].part_of;

	for (*n = 0; whole != NONE && *n < COMPOUNDS_DEEPEST;
		whole = c->at[whole].part_of)
		path[(*n)++] = whole;
	c->looks += *n;
	return whole == NONE && (*n == 0 || path[*n - 1] != taker);
}

/* ------------------------------------------------------------ parts */

/* About one list a buffer, of each kind. */
static bool make_heads(struct compounds *c, struct arena *arena)
{
	size_t n = 1;

	while (n < c->n_buffers)
		n *= 2;
	c->mask = (uint32_t)n - 1;
	for (int k = 0; k < COMPOUND_KINS * COMPOUND_LISTS; k++) {
		uint32_t **head =
			&c->head[k / COMPOUND_LISTS][k % COMPOUND_LISTS];

		if (k % COMPOUND_LISTS < first_list(c))
			continue;
		*head = NEW(arena, uint32_t, n);
		if (!*head)
			return false;
		memset(*head, 0xff, sizeof(uint32_t) * n);
	}
	if (c->are_loose)
		return true;
	c->shapes = NEW(arena, uint8_t, n * SHAPES_A_LIST);
	if (c->shapes)
		memset(c->shapes, 0, n * SHAPES_A_LIST);
	return c->shapes;
}

/* Elements that are lines of the cache, each on one: so threads that work on
 * two halves share none. */
static void *new_lines(struct arena *arena, uint32_t n)
{
	char *lines = mp_arena_alloc(arena, (size_t)n + 1, LINE);

	return lines ? lines + (-(uintptr_t)lines & (LINE - 1)) : NULL;
}

static bool make_room(struct compounds *c, struct arena *arena)
{
	_Static_assert(sizeof(*c->at) == LINE && sizeof(*c->bases) == LINE,
		"a line of the cache");
	c->at = new_lines(arena, c->room);
	c->live = NEW(arena, uint32_t, c->room);
	c->todo = NEW(arena, struct compound_place, c->room);
	c->done = NEW(arena, struct compound_step, c->most_done);
	c->links[LIVE_ONES] = NEW(arena, struct compound_links, c->room);
	c->links[ALL_ONES] = NEW(arena, struct compound_links, c->room);
	if (c->pins.n_leaves > 0 && c->are_loose)
		c->slides = NEW(arena, struct compound_slides, c->room);
	else if (c->pins.n_leaves > 0)
		c->bases = new_lines(arena, c->room);
	return c->at && c->live && c->todo && c->done && c->links[LIVE_ONES] &&
	       c->links[ALL_ONES] &&
	       (c->pins.n_leaves == 0 || c->bases || c->slides);
}

/* A compound and all that it is made of. */
static void change_tree(struct compounds *c, uint32_t i,
	void (*change)(struct compounds *, uint32_t))
{
	uint32_t n = 0;

	c->todo[n++].compound = i;
	while (n > 0) {
		const struct compound *x = &c->at[c->todo[--n].compound];

		change(c, (uint32_t)(x - c->at));
		c->looks += HAND_LOOKS;
		for (uint32_t k = 0; k < x->n_members; k++)
			c->todo[n++].compound = x->member[k];
	}
}

void mp_planner_compounds_hand(
	struct compounds *c, uint32_t compound, struct compound_chain *chain)
{
	assert(c->n_done == 0);
	leave(c, compound);
	change_tree(c, compound, unlist);
	put_first(c, chain, compound);
}

void mp_planner_compounds_receive(
	struct compounds *c, struct compound_chain *chain)
{
	uint32_t i;

	while ((i = take_first(c, chain)) != NONE) {
		enter(c, i);
		change_tree(c, i, list);
	}
}

static uint32_t room_left(const struct compounds *c)
{
	return c->room - c->n + c->spare.n;
}

static void give_room(struct compounds *from, struct compounds *to)
{
	while (room_left(from) > room_left(to) + 1 && from->spare.n > 0)
		put_first(to, &to->spare, take_first(from, &from->spare));
}

void mp_planner_compounds_level(struct compounds *a, struct compounds *b)
{
	give_room(a, b);
	give_room(b, a);
}

/* What is undone and the scratch have room for both: a buffer is in one of
 * them, and each has half of the room for new compounds. */
bool mp_planner_compounds_part(
	struct compounds *c, struct compounds *others, struct arena *arena)
{
	assert(c->n_done == 0);
	*others = *c;
	others->n = c->n + (c->room - c->n) / 2;
	others->spare = (struct compound_chain){.first = NONE};
	others->live += c->n_buffers;
	others->n_live = 0;
	others->todo += c->n_buffers;
	others->most_done = c->most_done / 2;
	others->done += others->most_done;
	others->looks = others->pins.looks = 0;
	c->room = others->n;
	c->most_done = others->most_done;
	mp_planner_compounds_level(c, others);
	return make_heads(others, arena);
}

void mp_planner_compounds_unite(struct compounds *c, struct compounds *others)
{
	struct compound_chain chain = {.first = NONE};
	uint32_t i;

	while (others->n_live > 0)
		mp_planner_compounds_hand(others, others->live[0], &chain);
	mp_planner_compounds_receive(c, &chain);
	while (c->n < c->room)
		drop(c, c->n++);
	while ((i = take_first(others, &others->spare)) != NONE)
		drop(c, i);
	c->n = others->n;
	c->room = others->room;
	c->most_done *= 2;
	c->looks += others->looks;
	c->pins.looks += others->pins.looks;
}

bool mp_planner_compounds_copy(
	const struct compounds *c, struct compounds *copy, struct arena *arena)
{
	assert(c->n_done == 0 && !c->slides);
	*copy = *c;
	copy->looks = copy->pins.looks = 0;
	if (!make_room(copy, arena) || !make_heads(copy, arena))
		return false;
	memcpy(copy->at, c->at, sizeof(*c->at) * c->n);
	memcpy(copy->live, c->live, sizeof(*c->live) * c->n_live);
	if (c->shapes)
		memcpy(copy->shapes, c->shapes,
			(size_t)(c->mask + 1) * SHAPES_A_LIST);
	if (c->bases)
		memcpy(copy->bases, c->bases, sizeof(*c->bases) * c->n);
	for (int kin = 0; kin < COMPOUND_KINS; kin++) {
		memcpy(copy->links[kin], c->links[kin],
			sizeof(*c->links[kin]) * c->n);
		for (int list = 0; list < COMPOUND_LISTS; list++)
			memcpy(copy->head[kin][list], c->head[kin][list],
				sizeof(**c->head[kin]) * (c->mask + 1));
	}
	return true;
}

/* ------------------------------------------------------------ looks */

uint64_t mp_planner_compounds_looks(const struct compounds *c)
{
	return c->looks + c->pins.looks / PIN_LOOKS;
}

bool mp_planner_compounds_charge(struct compounds *c, struct job *job)
{
	uint64_t steps = mp_planner_compounds_looks(c) / LOOKS_A_STEP + 1;

	c->looks = c->pins.looks = 0;
	return mp_planner_job_step(job, steps);
}

/* ----------------------------------------------------------- settle */

/* Where the members of a compound lie above it, so that they can lie there. */
static void places_at(const struct compounds *c, const struct compound *x,
	uint64_t base, uint64_t place[MOST_MEMBERS])
{
	if (x->n_bases > 0 && c->slides)
		mp_planner_slides_places(c, x, base, place);
	else
		mp_planner_bases_places(c, x, base, place);
}

void mp_planner_compounds_settle_members(
	struct compounds *c, uint32_t compound, uint64_t *base)
{
	const struct compound *x = &c->at[compound];
	uint64_t place[MOST_MEMBERS];

	places_at(c, x, base[compound], place);
	for (uint32_t k = 0; k < x->n_members; k++)
		base[x->member[k]] = base[compound] + place[k];
}

static uint32_t buffer_of(const struct compounds *c, uint32_t single)
{
	return c->buffer ? c->buffer[single] : single;
}

/* The base of a compound stands where its first buffer's offset will. */
void mp_planner_compounds_settle(struct compounds *c, uint32_t compound,
	uint64_t base, uint64_t *offsets)
{
	uint64_t place[MOST_MEMBERS];
	uint32_t n = 0;

	c->todo[n++] = (struct compound_place){compound, base};
	while (n > 0) {
		struct compound_place at = c->todo[--n];
		const struct compound *x = &c->at[at.compound];

		places_at(c, x, at.base, place);
		if (x->how == JOIN_NONE)
			offsets[buffer_of(c, at.compound)] = at.base;
		for (uint32_t k = 0; k < x->n_members; k++)
			c->todo[n++] = (struct compound_place){
				x->member[k], at.base + place[k]};
	}
}

/* ------------------------------------------------------------- init */

/* One block of bytes, and at most one gap in its lifetime. A reserved range may
 * begin at any byte; a compound begins at multiples of the alignment. */
static bool is_one_block(const struct problem *p, const struct buffer *b)
{
	const struct part *part = &p->parts[b->first_part];

	if (b->n_parts > 2 || b->align > p->alignment ||
		b->size % p->alignment != 0 ||
		(b->offset != NO_OFFSET && b->offset % p->alignment != 0))
		return false;
	for (uint32_t i = 0; i < b->n_parts; i++)
		if (part[i].base != 0 || part[i].size != b->size)
			return false;
	return b->n_parts == 1 || part[0].end < part[1].start;
}

bool mp_planner_compounds_suit(const struct problem *problem)
{
	if (problem->n_streams > 1 || problem->apart || problem->choice ||
		problem->n_buffers > COMPOUNDS_MOST)
		return false;
	for (uint32_t i = 0; i < problem->n_buffers; i++)
		if (!is_one_block(problem, &problem->buffers[i]))
			return false;
	return true;
}

static void add_single(
	struct compounds *c, const struct problem *problem, uint32_t i)
{
	const struct buffer *b = &problem->buffers[buffer_of(c, i)];
	const struct part *part = &problem->parts[b->first_part];
	struct compound *x = &c->at[i];

	*x = (struct compound){.start = b->start,
		.end = b->end,
		.size = b->size,
		.live = NONE};
	if (b->n_parts == 2) {
		x->gap = part[0].end;
		x->gap_end = part[1].start;
	}
	if (b->offset != NO_OFFSET) {
		if (c->slides)
			mp_planner_slides_fix(c, i, b->offset);
		else
			mp_planner_bases_fix(c, i, b->offset);
		c->top = num_max(c->top, b->offset + b->size);
	}
	enter(c, i);
	list(c, i);
}

/* In the order of birth. False: memory is out. */
static bool sort_buffers(
	struct compounds *c, const struct problem *problem, struct arena *arena)
{
	struct arena_mark mark;
	uint32_t n = c->n_buffers, *scratch;
	uint64_t *birth;

	c->buffer = NEW(arena, uint32_t, n);
	mark = mp_arena_mark(arena);
	scratch = NEW(arena, uint32_t, n);
	birth = NEW(arena, uint64_t, n);
	if (!c->buffer || !scratch || !birth)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		c->buffer[i] = i;
		birth[i] = problem->buffers[i].start;
	}
	mp_sort_radix(c->buffer, scratch, n, birth);
	mp_arena_rewind(arena, mark);
	return true;
}

static bool init(struct compounds *c, const struct problem *problem,
	bool are_loose, uint64_t top, struct arena *arena)
{
	uint32_t n = problem->n_buffers, room = n * ROOM_A_BUFFER;

	assert(mp_planner_compounds_suit(problem));
	*c = (struct compounds){.spare.first = NONE,
		.n_buffers = n,
		.n = n,
		.room = room,
		.most_done = 2 * room,
		.are_loose = are_loose,
		.top = top};
	if (!mp_planner_pins_init(&c->pins, problem, arena) ||
		!make_room(c, arena) || !make_heads(c, arena) ||
		(are_loose && !sort_buffers(c, problem, arena)))
		return false;
	mp_planner_bases_list_orders(c->below);
	for (uint32_t i = n; i-- > 0;)
		add_single(c, problem, i);
	return true;
}

bool mp_planner_compounds_init(
	struct compounds *c, const struct problem *problem, struct arena *arena)
{
	return init(c, problem, false, problem->theoretical_min, arena);
}

bool mp_planner_compounds_init_loose(struct compounds *c,
	const struct problem *problem, uint64_t top, struct arena *arena)
{
	return init(c, problem, true, top, arena);
}
