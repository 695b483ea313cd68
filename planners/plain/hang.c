/*
 * Orders of stacks, by depth first search over a tree of compounds: see hang.h.
 * What is below a compound depends on its base only. So a compound that has
 * failed at a base fails there always.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/hang.h"

#include <assert.h>
#include <string.h>

#include "base/num.h"
#include "planners/plain/pinwheel.h"

enum {
	LOOKS_EACH = 600,     /* a buffer, or a member of a stack */
	FAILED_ROOM = 1 << 14 /* a power of two */
};

/* Where a compound with fixed offsets in it can begin at all. */
struct window {
	uint64_t low, high;
	bool has_pins;
};

/* A compound of which the members are being placed: those of a stack,
 * flattened, or of a join that has a place for each. */
struct frame {
	uint32_t compound;
	uint32_t first, n; /* its members, in the pool */
	uint32_t depth;	   /* so many have their place */
	uint64_t base, at; /* where the next of a stack begins */
	bool on_its_head;  /* a pinwheel */
};

/* One a member of a frame. */
struct slot {
	uint32_t member;
	bool taken;
	/* By depth: the index of the member there, and of the next to try. */
	uint32_t chosen, next;
};

struct failure {
	uint32_t compound; /* NONE: empty */
	uint64_t base;
};

enum answer {
	UNKNOWN,
	YES,
	NO
};

struct hang {
	struct compounds *c;
	const struct problem *problem;
	struct window *window; /* of a compound */
	uint64_t *base;	       /* of a member, where it fitted last */
	struct frame *frames;
	uint32_t n_frames;
	struct slot *pool;
	uint32_t n_pool;
	struct failure *failed; /* by hash; the last one stays */
	uint32_t *todo;		/* scratch */
};

/* ---------------------------------------------------------- windows */

static struct window window_of_buffer(const struct problem *problem, uint32_t i)
{
	uint64_t offset = problem->buffers[i].offset;

	return offset == NO_OFFSET ? (struct window){0, UINT64_MAX, false}
				   : (struct window){offset, offset, true};
}

/* The members are known. A member ends where the compound does at the latest.
 */
static struct window window_around(const struct hang *h, uint32_t i)
{
	const struct compound *x = &h->c->at[i];
	struct window window = {0, UINT64_MAX, false};

	for (uint32_t k = 0; k < x->n_members; k++) {
		const struct window *inner = &h->window[x->member[k]];
		uint64_t end = inner->low + h->c->at[x->member[k]].size;

		if (!inner->has_pins)
			continue;
		window.has_pins = true;
		window.high = num_min(window.high, inner->high);
		if (end > x->size)
			window.low = num_max(window.low, end - x->size);
	}
	return window;
}

/* Members come before what they are members of, last in the list. */
static void find_windows(struct hang *h, uint32_t root)
{
	uint32_t n = 0, *list = h->todo;

	list[n++] = root;
	for (uint32_t k = 0; k < n; k++) {
		const struct compound *x = &h->c->at[list[k]];

		for (uint32_t m = 0; m < x->n_members; m++)
			list[n++] = x->member[m];
	}
	h->c->looks += n;
	while (n-- > 0)
		h->window[list[n]] =
			h->c->at[list[n]].how == JOIN_NONE
				? window_of_buffer(h->problem, list[n])
				: window_around(h, list[n]);
}

/* --------------------------------------------------------- failures */

static struct failure *failure_at(
	const struct hang *h, uint32_t compound, uint64_t base)
{
	uint64_t hash = compound * UINT64_C(0x9e3779b97f4a7c15) +
			base * UINT64_C(0xbf58476d1ce4e5b9);

	return &h->failed[hash >> 32 & (FAILED_ROOM - 1)];
}

static bool has_failed(const struct hang *h, uint32_t compound, uint64_t base)
{
	const struct failure *failure = failure_at(h, compound, base);

	return failure->compound == compound && failure->base == base;
}

/* ----------------------------------------------------------- frames */

static void add_slot(struct hang *h, uint32_t member)
{
	h->pool[h->n_pool++] = (struct slot){.member = member};
}

/* A stack of stacks is one of all their members. */
static void push_frame(struct hang *h, uint32_t compound, uint64_t base)
{
	struct frame *f = &h->frames[h->n_frames++];
	enum join how = h->c->at[compound].how;
	uint32_t n = 0;

	*f = (struct frame){.compound = compound,
		.first = h->n_pool,
		.base = base,
		.at = base};
	h->todo[n++] = compound;
	while (n > 0) {
		const struct compound *x = &h->c->at[h->todo[--n]];

		for (uint32_t k = 0; k < x->n_members; k++) {
			uint32_t i = x->member[k];

			if (how == JOIN_STACK && h->c->at[i].how == JOIN_STACK)
				h->todo[n++] = i;
			else
				add_slot(h, i);
		}
	}
	f->n = h->n_pool - f->first;
	h->c->looks += f->n;
}

static struct slot *slot_of(
	const struct hang *h, const struct frame *f, uint32_t i)
{
	assert(i < f->n);
	return &h->pool[f->first + i];
}

/* Can the member lie at the base? UNKNOWN: that takes a search. */
static enum answer look_at(struct hang *h, uint32_t member, uint64_t base)
{
	const struct window *window = &h->window[member];

	h->base[member] = base;
	h->c->looks++;
	if (!window->has_pins)
		return YES;
	if (base < window->low || base > window->high ||
		has_failed(h, member, base))
		return NO;
	return h->c->at[member].how == JOIN_NONE ? YES : UNKNOWN;
}

/* ----------------------------------------------------------- stacks */

static uint64_t size_at(const struct hang *h, const struct frame *f, uint32_t i)
{
	return h->c->at[slot_of(h, f, i)->member].size;
}

static bool has_pins(const struct hang *h, const struct frame *f, uint32_t i)
{
	return h->window[slot_of(h, f, i)->member].has_pins;
}

/* YES: what is left may lie in any order. NO: something is left that had to
 * begin lower. */
static enum answer look_ahead(struct hang *h, const struct frame *f)
{
	enum answer answer = YES;

	for (uint32_t i = 0; i < f->n && answer != NO; i++) {
		const struct slot *slot = slot_of(h, f, i);

		if (slot->taken || !has_pins(h, f, i))
			continue;
		answer = h->window[slot->member].high < f->at ? NO : UNKNOWN;
	}
	h->c->looks += f->n / 4 + 1;
	return answer;
}

/* Of members without fixed offsets that lie on each other the order makes no
 * difference. */
static bool may_follow(const struct hang *h, const struct frame *f, uint32_t i)
{
	uint32_t last = f->depth > 0 ? slot_of(h, f, f->depth - 1)->chosen : 0;
	bool free_pair =
		f->depth > 0 && !has_pins(h, f, i) && !has_pins(h, f, last);

	return !slot_of(h, f, i)->taken && !(free_pair && i < last);
}

static void take(struct hang *h, struct frame *f, uint32_t i)
{
	slot_of(h, f, f->depth)->chosen = i;
	slot_of(h, f, f->depth)->next = i + 1;
	slot_of(h, f, i)->taken = true;
}

static void go_deeper(struct hang *h, struct frame *f)
{
	f->at += size_at(h, f, slot_of(h, f, f->depth)->chosen);
	if (++f->depth < f->n)
		slot_of(h, f, f->depth)->next = 0;
}

/* Takes the last member of a stack off again. False: it has none. */
static bool go_back(struct hang *h, struct frame *f)
{
	uint32_t i;

	if (f->depth == 0)
		return false;
	i = slot_of(h, f, --f->depth)->chosen;
	slot_of(h, f, i)->taken = false;
	f->at -= size_at(h, f, i);
	return true;
}

/* Puts the members that were not taken above the others. */
static void end_stack(struct hang *h, struct frame *f)
{
	for (uint32_t i = 0; i < f->n; i++) {
		if (slot_of(h, f, i)->taken)
			continue;
		h->base[slot_of(h, f, i)->member] = f->at;
		f->at += size_at(h, f, i);
	}
}

/* Takes the next that fits. UNKNOWN: that member is to be asked. */
static enum answer take_next(struct hang *h, struct frame *f, uint32_t *member)
{
	for (uint32_t i = slot_of(h, f, f->depth)->next; i < f->n; i++) {
		enum answer answer;

		if (!may_follow(h, f, i))
			continue;
		*member = slot_of(h, f, i)->member;
		answer = look_at(h, *member, f->at);
		if (answer == NO)
			continue;
		take(h, f, i);
		return answer;
	}
	return NO;
}

static enum answer place_stack(struct hang *h, struct frame *f,
	enum answer answer, uint32_t *member, uint64_t *base)
{
	if (answer == YES)
		go_deeper(h, f);
	else if (answer == NO)
		slot_of(h, f, slot_of(h, f, f->depth)->chosen)->taken = false;
	for (uint64_t most = h->c->looks + LOOKS_EACH * (uint64_t)f->n;
		h->c->looks < most;) {
		enum answer next = look_ahead(h, f);

		if (next == YES) {
			end_stack(h, f);
			return YES;
		}
		if (next == UNKNOWN)
			next = take_next(h, f, member);
		*base = f->at;
		if (next == UNKNOWN)
			return UNKNOWN;
		if (next == YES)
			go_deeper(h, f);
		else if (!go_back(h, f))
			return NO;
	}
	return NO;
}

/* ------------------------------------------------------ other joins */

/* Members that have their places: all must fit there. A pinwheel can stand on
 * its head. */
static enum answer place_others(struct hang *h, struct frame *f,
	enum answer answer, uint32_t *member, uint64_t *base)
{
	const struct compound *x = &h->c->at[f->compound];
	uint64_t place[MOST_MEMBERS] = {0};

	for (;;) {
		if (answer == YES && ++f->depth == x->n_members)
			return YES;
		if (answer == NO && (x->how != JOIN_PINWHEEL || f->on_its_head))
			return NO;
		if (answer == NO) {
			f->on_its_head = true;
			f->depth = 0;
		}
		if (x->how == JOIN_PINWHEEL)
			mp_planner_pinwheel_places(
				h->c, x, f->on_its_head, place);
		*member = x->member[f->depth];
		*base = f->base + place[f->depth];
		answer = look_at(h, *member, *base);
		if (answer == UNKNOWN)
			return UNKNOWN;
	}
}

/* ----------------------------------------------------------- search */

/* Whether the root can lie at that base. */
static enum answer search(
	struct hang *h, uint32_t root, uint64_t base, uint64_t looks)
{
	uint64_t most = h->c->looks + looks;
	enum answer answer = look_at(h, root, base);
	uint32_t member = root;

	if (answer == UNKNOWN)
		push_frame(h, root, base);
	while (h->n_frames > 0 && h->c->looks < most) {
		struct frame *f = &h->frames[h->n_frames - 1];
		bool is_stack = h->c->at[f->compound].how == JOIN_STACK;

		answer = (is_stack ? place_stack : place_others)(
			h, f, answer, &member, &base);
		if (answer == UNKNOWN) {
			push_frame(h, member, base);
			continue;
		}
		if (answer == NO)
			*failure_at(h, f->compound, f->base) =
				(struct failure){f->compound, f->base};
		h->n_pool = f->first;
		h->n_frames--;
	}
	return h->n_frames == 0 ? answer : NO;
}

/* Members of a stack of stacks have bases, but not the stacks between. */
static void settle(struct hang *h, uint32_t root, uint64_t *offsets)
{
	uint32_t n = 0;

	h->todo[n++] = root;
	while (n > 0) {
		uint32_t i = h->todo[--n];
		const struct compound *x = &h->c->at[i];

		if (!h->window[i].has_pins && h->base[i] != NO_OFFSET)
			mp_planner_compounds_settle(
				h->c, i, h->base[i], offsets);
		else if (x->how == JOIN_NONE)
			offsets[i] = h->base[i];
		else
			for (uint32_t k = 0; k < x->n_members; k++)
				h->todo[n++] = x->member[k];
	}
}

static bool make_room(struct hang *h, struct arena *arena)
{
	uint32_t room = h->c->room;

	h->window = NEW(arena, struct window, room);
	h->base = NEW(arena, uint64_t, room);
	h->frames = NEW(arena, struct frame, room);
	h->pool = NEW(arena, struct slot, room);
	h->todo = NEW(arena, uint32_t, room);
	h->failed = NEW(arena, struct failure, FAILED_ROOM);
	if (!h->window || !h->base || !h->frames || !h->pool || !h->todo ||
		!h->failed)
		return false;
	memset(h->base, 0xff, sizeof(*h->base) * room);
	memset(h->failed, 0xff, sizeof(*h->failed) * FAILED_ROOM);
	return true;
}

bool mp_planner_hang(struct compounds *c, uint32_t compound,
	const struct problem *problem, struct job *job, uint64_t *offsets,
	bool *found)
{
	struct arena_mark mark = mp_arena_mark(job->arena);
	struct hang h = {.c = c, .problem = problem};
	uint64_t most = (uint64_t)LOOKS_EACH * c->n_buffers;
	bool fine = make_room(&h, job->arena);

	*found = false;
	if (fine) {
		find_windows(&h, compound);
		*found = search(&h, compound, 0,
				 num_min(job->steps, most / LOOKS_A_STEP) *
					 LOOKS_A_STEP) == YES;
		mp_planner_compounds_charge(c, job);
		if (*found)
			settle(&h, compound, offsets);
	}
	mp_arena_rewind(job->arena, mark);
	return fine;
}
