/*
 * turnover: what is born takes the place of what dies. Where all steps are as
 * full as the fullest, no byte is free: those that are born at a step lie
 * exactly where others have died. So what dies then is in groups; those of a
 * group lie side by side, and as many bytes are born in their place. All the
 * orders of what is alive that allow this are known at each step (see
 * seats.h), and each that is left at the last step says what it was before,
 * back to the first.
 *
 * Mostly only one choice of groups has the right sums. Where several have, each
 * is a way to go on. Ways are followed side by side: those that leave the most
 * orders, as a beam. Most of those that are wrong soon leave none.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/rows.h"

#include <assert.h>
#include <string.h>

#include "base/sort.h"
#include "planners/plain/moment.h"
#include "planners/plain/packing.h"
#include "planners/plain/seats.h"

enum {
	LOOKS_A_STEP = 10,   /* looks at nodes of trees in 100 ns */
	NODES_A_LOOK = 8,    /* nodes that are copied in the time of a look */
	FIRST_WIDTH = 64,    /* ways of the first sweep */
	WIDER = 4,	     /* times as many ways in the next sweep */
	LAST_WIDTH = 1024,   /* most ways of a sweep */
	WORTH_IT = 64,	     /* a wider sweep follows one that got past
				such a part of the sections */
	FAR = 32,	     /* or past so many sections */
	MOST_NODES = 250000, /* leaves of all ways; 120 bytes each */
	CHOICES_A_BUFFER = 4 /* choices that are remembered */
};

/* A group that a way has chosen. */
struct choice {
	struct group group;
	uint32_t before; /* the choice before that; NONE */
};

struct way {
	struct seats orders;
	struct group left;   /* of the moment: not in a group yet */
	struct group chosen; /* not among the choices yet; or none */
	uint32_t last;	     /* choice; NONE */
	uint64_t hash, freedom;
};

struct ways {
	struct way *at;
	uint32_t n;
};

/* A group that was replaced: what died, in one of two orders. */
struct swap {
	uint32_t gone, n_gone; /* in the list of those */
	uint32_t first_come;   /* item of bit 0 */
	uint64_t come;
	uint32_t beside; /* an item; NONE: any order of the two */
	bool is_behind;
};

struct turnover {
	struct job *job;
	struct packing packing;
	uint32_t *by_end; /* items */

	/* Members of orders are places, which items hand on. */
	uint32_t *place; /* of an item */
	uint32_t *item;	 /* that has the place, or had it last */
	uint64_t *key;	 /* items of one key are alike from now on */
	uint32_t n_places;
	struct seat_marks marks;

	struct moment moment;

	struct ways now, next;
	struct way spare;
	uint32_t width, room;	/* ways: how many may be, and could be */
	struct arena_mark mark; /* before these, and the choices */
	struct choice *choices;
	uint32_t *moved; /* where a choice is now; NONE */
	uint32_t n_choices, most_choices;

	int64_t *offset; /* of an item */
};

/* ----------------------------------------------------------- places */

/* Of very many buffers the loads are not known. */
static bool is_level(const struct problem *problem)
{
	uint32_t t = 0;

	if (!problem->load)
		return false;
	while (t < problem->n_steps &&
		(problem->load[t] == 0 ||
			problem->load[t] == problem->theoretical_min))
		t++;
	return t == problem->n_steps;
}

/* How many items are born where a section begins. */
static uint32_t n_born(const struct packing *p, uint32_t section)
{
	return p->first[section + 1] - p->first[section];
}

/* How many have died there. */
static uint32_t n_dead(const struct packing *p, uint32_t section)
{
	return p->ended[section] - p->ended[section - 1];
}

/* Do few enough items die, and come, at each moment? There is none where a
 * component begins. */
static bool are_few_at_once(const struct packing *p)
{
	bool few = true;

	for (uint32_t c = 0; few && c < p->n_components; c++)
		for (uint32_t s = p->component[c] + 1;
			few && s < p->component[c + 1]; s++)
			few = n_born(p, s) <= MOMENT_MOST &&
			      n_dead(p, s) <= MOMENT_MOST;
	return few;
}

/* What is born has its place before what dies leaves one. */
static void give_places(struct turnover *t, uint32_t *free)
{
	const struct packing *p = &t->packing;
	uint32_t n_free = 0;

	for (uint32_t s = 0; s < p->n_sections; s++) {
		for (uint32_t i = p->first[s]; i < p->first[s + 1]; i++)
			t->place[i] =
				n_free > 0 ? free[--n_free] : t->n_places++;
		for (uint32_t k = s > 0 ? p->ended[s - 1] : 0; k < p->ended[s];
			k++)
			free[n_free++] = t->place[t->by_end[k]];
	}
}

static void take_place(struct turnover *t, uint32_t item)
{
	const struct packing *p = &t->packing;
	uint32_t place = t->place[item];

	t->item[place] = item;
	t->key[place] = ((uint64_t)p->size[item] << 32 ^
				(uint64_t)p->size[item] >> 32) +
			p->end[item];
}

/* ----------------------------------------------------------- groups */

static int count(uint64_t members)
{
	return __builtin_popcountll(members);
}

static uint32_t lowest(uint64_t members)
{
	return (uint32_t)__builtin_ctzll(members);
}

static bool is_within(struct group group, struct group other)
{
	return (group.of[GONE] & ~other.of[GONE]) == 0 &&
	       (group.of[COME] & ~other.of[COME]) == 0;
}

static bool meet(struct group group, struct group other)
{
	return (group.of[GONE] & other.of[GONE]) != 0 ||
	       (group.of[COME] & other.of[COME]) != 0;
}

/* Finds what dies and what is born where a section begins. */
static void begin_moment(struct turnover *t, uint32_t section)
{
	const struct packing *p = &t->packing;
	struct moment *m = &t->moment;

	m->n[GONE] = n_dead(p, section);
	m->n[COME] = n_born(p, section);
	for (uint32_t k = 0; k < m->n[GONE]; k++)
		m->item[GONE][k] = t->by_end[p->ended[section - 1] + k];
	for (uint32_t k = 0; k < m->n[COME]; k++) {
		m->item[COME][k] = p->first[section] + k;
		take_place(t, p->first[section] + k);
	}
}

/* ---------------------------------------------------------- choices */

static void mark_path(struct turnover *t, uint32_t last)
{
	for (uint32_t k = last; k != NONE && t->moved[k] == NONE;
		k = t->choices[k].before)
		t->moved[k] = 0;
}

static uint32_t moved_to(const struct turnover *t, uint32_t choice)
{
	return choice == NONE ? NONE : t->moved[choice];
}

/* Forgets the choices that none of the ways has made. */
static void forget_choices(struct turnover *t)
{
	uint32_t n = 0;

	memset(t->moved, 0xff, sizeof(*t->moved) * t->n_choices);
	for (uint32_t k = 0; k < t->now.n; k++)
		mark_path(t, t->now.at[k].last);
	for (uint32_t k = 0; k < t->n_choices; k++) {
		struct choice choice = t->choices[k];

		if (t->moved[k] == NONE)
			continue;
		choice.before = moved_to(t, choice.before);
		t->choices[n] = choice;
		t->moved[k] = n++;
	}
	for (uint32_t k = 0; k < t->now.n; k++)
		t->now.at[k].last = moved_to(t, t->now.at[k].last);
	t->n_choices = n;
}

/* Room for the choices of a moment. */
static bool has_room(struct turnover *t)
{
	uint32_t most = t->most_choices - t->width * MOMENT_MOST;

	if (t->n_choices > most)
		forget_choices(t);
	return t->n_choices <= most;
}

/* Remembers the groups that the next ways have chosen. */
static void note_choices(struct turnover *t)
{
	for (uint32_t k = 0; k < t->next.n; k++) {
		struct way *way = &t->next.at[k];

		if (way->chosen.of[GONE] == 0)
			continue;
		assert(t->n_choices < t->most_choices);
		t->choices[t->n_choices] =
			(struct choice){way->chosen, way->last};
		way->last = t->n_choices++;
	}
}

/* ------------------------------------------------------------- ways */

static void swap_ways(struct way *a, struct way *b)
{
	struct way way = *a;

	*a = *b;
	*b = way;
}

/* Lets the spare way be a next one, unless there is one like it, or enough that
 * leave more orders. */
static void keep_spare(struct turnover *t)
{
	struct way *way = &t->spare, *worst = t->next.at;

	way->hash = mp_planner_seats_hash(&way->orders, t->key, &way->freedom);
	for (uint32_t k = 0; k < t->next.n; k++) {
		struct way *other = &t->next.at[k];

		if (other->hash == way->hash &&
			is_within(other->left, way->left) &&
			is_within(way->left, other->left))
			return;
		if (other->freedom < worst->freedom)
			worst = other;
	}
	t->marks.looks += t->next.n / NODES_A_LOOK;
	if (t->next.n < t->width)
		swap_ways(&t->next.at[t->next.n++], way);
	else if (worst->freedom < way->freedom)
		swap_ways(worst, way);
}

static uint32_t list_places(const struct turnover *t, struct group group,
	enum side side, uint32_t *places)
{
	uint32_t n = 0;

	for (uint64_t k = group.of[side]; k != 0; k &= k - 1)
		places[n++] = t->place[t->moment.item[side][lowest(k)]];
	return n;
}

static bool replace(const struct turnover *t, struct seats *orders,
	struct group group, struct seat_run *run)
{
	uint32_t gone[MOMENT_MOST], come[MOMENT_MOST];
	uint32_t n_gone = list_places(t, group, GONE, gone);
	uint32_t n_come = list_places(t, group, COME, come);

	return mp_planner_seats_replace(
		orders, gone, n_gone, come, n_come, run);
}

/* A way with one more group. If it was the last of all to be tried, there is
 * nothing to compare it with. */
static void try_group(
	struct turnover *t, struct way *way, struct group group, bool is_last)
{
	uint32_t members[MOMENT_MOST];
	struct seat_run run = {.members = members};
	struct way *spare = &t->spare;

	if (is_last) {
		swap_ways(spare, way);
	} else {
		mp_planner_seats_copy(&spare->orders, &way->orders);
		t->marks.looks += t->n_places / NODES_A_LOOK;
		spare->left = way->left;
		spare->last = way->last;
	}
	if (!replace(t, &spare->orders, group, &run))
		return;
	spare->left.of[GONE] &= ~group.of[GONE];
	spare->left.of[COME] &= ~group.of[COME];
	spare->chosen = group;
	if (is_last && t->now.n == 1 && t->next.n == 0)
		swap_ways(&t->next.at[t->next.n++], spare);
	else
		keep_spare(t);
}

/* Of what is left that which is in the fewest groups, by itself. */
static struct group pick(struct turnover *t, struct group left)
{
	const struct moment *m = &t->moment;
	uint32_t n[SIDES][MOMENT_MOST] = {{0}}, least = UINT32_MAX;
	struct group best = {{0, 0}};

	for (uint32_t k = 0; k < m->n_groups; k++)
		for (int side = 0; side < SIDES; side++)
			for (uint64_t in = is_within(m->groups[k], left)
						   ? m->groups[k].of[side]
						   : 0;
				in != 0; in &= in - 1)
				n[side][lowest(in)]++;
	for (int side = 0; side < SIDES; side++)
		for (uint64_t in = left.of[side]; in != 0; in &= in - 1)
			if (n[side][lowest(in)] < least) {
				least = n[side][lowest(in)];
				best = (struct group){{0, 0}};
				best.of[side] = in & -in;
			}
	t->marks.looks += m->n_groups;
	return best;
}

static bool goes_on(const struct turnover *t)
{
	return t->job->steps > 0 && !t->job->cut_short;
}

/* A moment of many groups and ways may take seconds. */
static void charge(struct turnover *t)
{
	mp_planner_job_step(t->job, t->marks.looks / LOOKS_A_STEP);
	t->marks.looks %= LOOKS_A_STEP;
}

/* Tries all groups with one of what is left; and all of it as one group. */
static void follow(struct turnover *t, struct way *way)
{
	const struct moment *m = &t->moment;
	struct group left = way->left, with = pick(t, left);

	for (uint32_t k = 0; k < m->n_groups && goes_on(t); k++) {
		if (!is_within(m->groups[k], left) ||
			!meet(m->groups[k], with) ||
			is_within(left, m->groups[k]))
			continue;
		try_group(t, way, m->groups[k], false);
		charge(t);
	}
	try_group(t, way, left, true);
	charge(t);
}

static bool has_left(const struct ways *ways)
{
	bool has = false;

	for (uint32_t k = 0; k < ways->n; k++)
		has |= ways->at[k].left.of[GONE] != 0;
	return has;
}

static void go_on(struct turnover *t)
{
	struct ways now = t->now;

	t->next.n = 0;
	for (uint32_t k = 0; k < now.n && goes_on(t); k++) {
		if (now.at[k].left.of[GONE] != 0) {
			follow(t, &now.at[k]);
		} else {
			swap_ways(&t->spare, &now.at[k]);
			t->spare.chosen = (struct group){{0, 0}};
			keep_spare(t);
		}
	}
	note_choices(t);
	t->now = t->next;
	t->next = now;
}

/* False: no way is left, there is no room for more, or the budget is spent. */
static bool turn_over(struct turnover *t, uint32_t section)
{
	begin_moment(t, section);
	mp_planner_moment_groups(&t->moment, t->packing.size, &t->marks.looks);
	if (!has_room(t))
		return false;
	for (uint32_t k = 0; k < t->now.n; k++)
		t->now.at[k].left = mp_planner_moment_all(&t->moment);
	while (goes_on(t) && has_left(&t->now))
		go_on(t);
	return goes_on(t) && t->now.n > 0;
}

/* Any order of what is alive at the first section of a component. */
static void begin_orders(
	struct turnover *t, uint32_t section, struct seats *orders)
{
	const struct packing *p = &t->packing;

	for (uint32_t i = p->first[section]; i < p->first[section + 1]; i++)
		take_place(t, i);
	mp_planner_seats_begin(
		orders, t->place + p->first[section], n_born(p, section));
}

/* Follows so many ways through a component. Returns the section where that
 * ends. */
static uint32_t sweep(struct turnover *t, uint32_t component)
{
	uint32_t from = t->packing.component[component];
	uint32_t to = t->packing.component[component + 1], s = from + 1;

	t->n_choices = 0;
	t->now.n = 1;
	t->now.at[0].last = NONE;
	begin_orders(t, from, &t->now.at[0].orders);
	while (s < to && turn_over(t, s) &&
		mp_planner_job_step(
			t->job, t->marks.looks / LOOKS_A_STEP + 1)) {
		t->marks.looks = 0;
		s++;
	}
	return s;
}

/* ---------------------------------------------------------- offsets */

/* The choices of a way from the first on. */
static void turn_path(struct turnover *t, struct way *way)
{
	uint32_t behind = NONE, before;

	for (uint32_t k = way->last; k != NONE; k = before) {
		before = t->choices[k].before;
		t->choices[k].before = behind;
		behind = k;
	}
	way->last = behind;
}

/* Stacks items upward from an offset. */
static void stack(struct turnover *t, const uint32_t *items, uint32_t n,
	int64_t offset, bool from_behind)
{
	for (uint32_t k = 0; k < n; k++) {
		uint32_t i = items[from_behind ? n - 1 - k : k];

		t->offset[i] = offset;
		offset += t->packing.size[i];
	}
}

/* Makes places the items that have them, or had them last. */
static void find_items(const struct turnover *t, uint32_t *places, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		places[k] = t->item[places[k]];
}

/* Goes the way once more, and notes what was replaced. */
static uint32_t list_swaps(struct turnover *t, uint32_t component,
	struct way *way, struct swap *swaps, uint32_t *gone)
{
	const struct packing *p = &t->packing;
	uint32_t from = p->component[component], n = 0, n_gone = 0;
	uint32_t choice = way->last;

	begin_orders(t, from, &way->orders);
	for (uint32_t s = from + 1; s < p->component[component + 1]; s++) {
		uint64_t left;

		begin_moment(t, s);
		left = mp_planner_moment_all(&t->moment).of[GONE];
		while (left != 0) {
			struct group group = t->choices[choice].group;
			struct seat_run run = {.members = gone + n_gone};
			bool fine = replace(t, &way->orders, group, &run);
			uint32_t n_run = (uint32_t)count(group.of[GONE]);

			assert(fine);
			(void)fine;
			find_items(t, run.members, n_run);
			swaps[n++] = (struct swap){.gone = n_gone,
				.n_gone = n_run,
				.first_come = p->first[s],
				.come = group.of[COME],
				.beside = run.beside == NONE
						  ? NONE
						  : t->item[run.beside],
				.is_behind = run.is_behind};
			n_gone += n_run;
			left &= ~group.of[GONE];
			choice = t->choices[choice].before;
		}
	}
	return n;
}

/* Stacks what died in a swap where what was born in its place has been stacked.
 */
static void undo_swap(
	struct turnover *t, const struct swap *swap, const uint32_t *gone)
{
	int64_t offset = INT64_MAX;
	bool turned;

	for (uint64_t k = swap->come; k != 0; k &= k - 1) {
		uint32_t i = swap->first_come + lowest(k);

		if (t->offset[i] < offset)
			offset = t->offset[i];
	}
	turned = swap->beside != NONE &&
		 (t->offset[swap->beside] < offset) != swap->is_behind;
	stack(t, gone + swap->gone, swap->n_gone, offset, turned);
}

/* False: memory is out. */
static bool settle(struct turnover *t, uint32_t component)
{
	struct arena_mark mark = mp_arena_mark(t->job->arena);
	const struct packing *p = &t->packing;
	uint32_t n = p->first[p->component[component + 1]] -
		     p->first[p->component[component]];
	struct swap *swaps = NEW(t->job->arena, struct swap, n);
	uint32_t *gone = NEW(t->job->arena, uint32_t, n);
	uint32_t *last = NEW(t->job->arena, uint32_t, t->n_places);
	struct way *way = &t->now.at[0];
	uint32_t n_swaps, n_last;

	if (!swaps || !gone || !last)
		return false;
	turn_path(t, way);
	n_swaps = list_swaps(t, component, way, swaps, gone);
	n_last = mp_planner_seats_any(&way->orders, last);
	find_items(t, last, n_last);
	stack(t, last, n_last, 0, false);
	while (n_swaps-- > 0)
		undo_swap(t, &swaps[n_swaps], gone);
	mp_arena_rewind(t->job->arena, mark);
	return true;
}

/* -------------------------------------------------------------- row */

static bool ways_init(struct turnover *t, struct ways *ways, uint32_t n)
{
	bool fine;

	ways->at = NEW(t->job->arena, struct way, n);
	fine = ways->at != NULL;
	for (uint32_t k = 0; fine && k < n; k++)
		fine = mp_planner_seats_init(&ways->at[k].orders, t->n_places,
			&t->marks, t->job->arena);
	return fine;
}

/* Room for so many ways; there may be as many components as items, so it is
 * kept. False: memory is out. */
static bool set_width(struct turnover *t, uint32_t width)
{
	struct arena *arena = t->job->arena;
	struct ways spare;

	t->width = width;
	t->most_choices =
		CHOICES_A_BUFFER * t->packing.n_items + 2 * MOMENT_MOST * width;
	if (width <= t->room)
		return true;
	t->room = width;
	mp_arena_rewind(arena, t->mark);
	t->choices = NEW(arena, struct choice, t->most_choices);
	t->moved = NEW(arena, uint32_t, t->most_choices);
	if (!t->choices || !t->moved || !ways_init(t, &t->now, width) ||
		!ways_init(t, &t->next, width) || !ways_init(t, &spare, 1))
		return false;
	t->spare = spare.at[0];
	return true;
}

/* False: memory is out. */
static bool turnover_init(struct turnover *t)
{
	struct arena *arena = t->job->arena;
	const struct packing *p = &t->packing;
	uint32_t n = p->n_items;

	t->by_end = NEW(arena, uint32_t, n);
	t->place = NEW(arena, uint32_t, n);
	t->item = NEW(arena, uint32_t, n);
	t->key = NEW(arena, uint64_t, n);
	t->offset = NEW(arena, int64_t, n);
	if (!t->by_end || !t->place || !t->item || !t->key || !t->offset ||
		!mp_planner_moment_init(&t->moment, arena))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		t->by_end[i] = i;
		t->key[i] = p->end[i];
	}
	mp_sort_radix(t->by_end, t->item, n, t->key);
	give_places(t, t->item);
	if (!mp_planner_seats_marks(&t->marks, t->n_places, arena))
		return false;
	t->mark = mp_arena_mark(arena);
	return true;
}

/* With more and more ways, as long as these get somewhere. Found: all of the
 * component have their offsets. False: memory is out. */
static bool plan_component(struct turnover *t, uint32_t component, bool *found)
{
	uint32_t from = t->packing.component[component];
	uint32_t n = t->packing.component[component + 1] - from, far = n;
	bool fine = true;

	*found = false;
	for (uint32_t width = FIRST_WIDTH;
		fine && !*found && far > num_min(n / WORTH_IT, FAR) &&
		width <= LAST_WIDTH && t->n_places <= MOST_NODES / width &&
		goes_on(t);
		width *= WIDER) {
		fine = set_width(t, width);
		if (!fine)
			break;
		far = sweep(t, component) - from;
		*found = far == n;
		fine = !*found || settle(t, component);
	}
	return fine;
}

enum outcome mp_planner_turnover_run(struct job *job, int variant)
{
	struct turnover t = {.job = job};
	bool fine = true, found = true;

	(void)variant;
	if (!mp_planner_job_is_plain(job))
		return PLAN_GAVE_UP;
	if (!is_level(job->problem))
		return mp_planner_job_decline(job,
			"takes problems that are as full at each step as at "
			"the fullest");
	if (!mp_planner_packing_of(&t.packing, job, job->arena))
		return PLAN_FAILED;
	if (!are_few_at_once(&t.packing))
		return PLAN_GAVE_UP;
	if (!turnover_init(&t))
		return PLAN_FAILED;
	for (uint32_t c = 0; c < t.packing.n_components && fine && found; c++)
		fine = plan_component(&t, c, &found);
	if (!fine ||
		(found && !mp_planner_packing_offer(&t.packing, t.offset, job)))
		return PLAN_FAILED;
	return mp_planner_job_outcome(job);
}
