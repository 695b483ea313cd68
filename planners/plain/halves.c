/*
 * Halves in rounds, and when repairs end: see halves.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/halves.h"

#include "base/prng.h"
#include "base/sort.h"

enum {
	KEPT = 5,	   /* twentieths of the budget that are left over, */
	KEPT_MORE = 8,	   /* or so many where levels lower most: */
	LEAST_MORE = 1000, /* from so many buffers on, */
	MOST_MORE = 20000, /* below that, without fixed offsets or gaps */
	FEW_LEFT = 1000,   /* so few compounds are planned well as they are, */
	FEW_OF_WHEELS = 6, /* or of pinwheels such a part of the buffers */
	DOUBLINGS = 3,	   /* of the work, up to a sixteenth of the budget */
	ROUND_EACH = 20,   /* looks of a half in a round, for each buffer, */
	LEAST_ROUND = 20000, /* but a third of a millisecond at least, */
	MOST_ROUND = 400000, /* and at most so many, for many rounds */
	MOST_HALVED = 50000, /* buffers: more have too few repairs each */
	WINDOW_PARTS = 16,   /* the window moves by such a part at most */
	FEW_LIVE = 32,	     /* compounds: fewer are in two copies */
	HOT = 150, /* heat of the first repairs, in the worth of joins */
	COLD = 50  /* and of the last ones */
};

/* How many compounds a sixteenth of the budget is to leave, and how it goes. */
struct aim {
	uint64_t most;
	uint64_t spent;	    /* when it is looked at again */
	uint32_t doublings; /* of that, until it is a sixteenth */
	uint32_t live;	    /* when it was looked at last */
};

/* As often as the work doubles, about as many compounds go, or fewer. */
static bool is_out_of_reach(struct aim *aim, uint32_t live, uint64_t spent)
{
	uint64_t gone = aim->live - num_min(aim->live, live);
	uint64_t most = aim->most + gone * aim->doublings;

	if (spent <= aim->spent)
		return false;
	aim->live = live;
	if (aim->doublings > 0) {
		aim->doublings--;
		aim->spent *= 2;
	}
	return live > most;
}

/* Repairs run in rounds. In a round the live compounds are in two halves, by
 * where their middles lie in time; each half is repaired as if there were no
 * other, so both may be repaired at the same time. Where the halves meet moves
 * from round to round; a window in time that goes round at the end.
 *
 * Few compounds have too much in common for that. Then it takes luck, and there
 * is as much of it in two copies as in one that is repaired twice as often. */
struct halves {
	struct joiner *half[2];
	bool are_copies;
	struct compound_chain left[2];	 /* by a half, for the other, */
	struct compound_chain handed[2]; /* which has them now */
	uint32_t *order;   /* buffers by the middles of their lifetimes */
	uint32_t at;	   /* of the order: where the window is */
	uint64_t from, to; /* twice the middles of the first half; from is
			      greater: those are of the second */
	uint64_t heat, most_looks;
};

/* Twice the middle of the lifetime. */
static uint64_t middle_of(const struct compound *x)
{
	return (uint64_t)x->start + x->end;
}

static bool is_in_half(
	const struct halves *h, const struct compound *x, uint32_t i)
{
	uint64_t middle = middle_of(x);
	bool is_first = h->from <= h->to ? h->from <= middle && middle < h->to
					 : h->from <= middle || middle < h->to;

	return is_first == (i == 0);
}

/* A half in a round. What belongs to the other half in the next round is left
 * to it. */
static bool repair_half(void *context, uint32_t i)
{
	struct halves *h = context;
	struct joiner *j = h->half[i];
	struct compounds *c = &j->c;

	mp_planner_compounds_receive(c, &h->handed[i]);
	while (c->n_live > 1 && mp_planner_compounds_looks(c) < h->most_looks)
		mp_planner_joiner_repair(j, h->heat);
	for (uint32_t k = h->are_copies ? 0 : c->n_live; k-- > 0;)
		if (!is_in_half(h, &c->at[c->live[k]], i))
			mp_planner_compounds_hand(c, c->live[k], &h->left[i]);
	return false;
}

static uint32_t count_live(const struct halves *h)
{
	uint32_t n = h->half[0]->c.n_live, other = h->half[1]->c.n_live;

	return h->are_copies ? (uint32_t)num_min(n, other)
			     : n + other + h->left[0].n + h->left[1].n;
}

/* Each has the middles of half of the buffers; of very many all are in the
 * first. */
static void move_window(struct halves *h)
{
	struct joiner *j = h->half[0];
	uint32_t n = j->c.n_buffers, end;

	h->from = 0;
	h->to = UINT64_MAX;
	if (n > MOST_HALVED)
		return;
	h->at = (h->at + (uint32_t)(mp_prng(&j->random) %
				    (n / WINDOW_PARTS + 1))) %
		n;
	end = (h->at + n / 2) % n;
	h->from = middle_of(&j->c.at[h->order[h->at]]);
	h->to = middle_of(&j->c.at[h->order[end]]);
}

/* Moves all compounds into the first half. */
static void unite(struct halves *h)
{
	struct compounds *c = &h->half[0]->c;

	mp_planner_compounds_receive(c, &h->left[0]);
	mp_planner_compounds_receive(c, &h->left[1]);
	mp_planner_compounds_unite(c, &h->half[1]->c);
}

static bool make_copies(struct halves *h, struct arena *arena)
{
	unite(h);
	h->are_copies = true;
	return mp_planner_compounds_copy(&h->half[0]->c, &h->half[1]->c, arena);
}

static void begin_round(struct halves *h)
{
	h->handed[0] = h->left[1];
	h->handed[1] = h->left[0];
	h->left[0] = h->left[1] = (struct compound_chain){.first = NONE};
	mp_planner_compounds_level(&h->half[0]->c, &h->half[1]->c);
	move_window(h);
}

/* Of fewer buffers other rows plan what is left, and of more there is too much
 * left for levels. */
static uint64_t kept_of(const struct halves *h, uint64_t all)
{
	const struct joiner *j = h->half[0];
	uint32_t n = j->c.n_buffers;
	bool more = n >= LEAST_MORE && n < MOST_MORE && !j->has_gaps &&
		    j->c.pins.n_leaves == 0;

	return all / 20 * (more ? KEPT_MORE : KEPT);
}

/* False: memory is out. */
static bool repair_all(struct halves *h, struct job *job, bool *worth_it)
{
	bool is_pinned = h->half[0]->c.pins.n_leaves > 0;
	uint64_t all = job->steps, kept = kept_of(h, all);
	uint64_t round = (uint64_t)ROUND_EACH * h->half[0]->c.n_buffers;
	uint32_t n_live = count_live(h);
	uint32_t n_few = h->half[0]->has_wheels
				 ? h->half[0]->c.n_buffers / FEW_OF_WHEELS
				 : 0;
	struct aim aim = {.most = num_max(num_max(n_live / 2, n_few), FEW_LEFT),
		.spent = all / 16 >> DOUBLINGS,
		.doublings = DOUBLINGS,
		.live = n_live};

	round = num_min(num_max(round, LEAST_ROUND), MOST_ROUND);
	while (n_live > 1 && *worth_it && job->steps > kept &&
		!job->cut_short) {
		uint64_t left = job->steps - kept, spent = all - job->steps;

		h->heat = COLD + (HOT - COLD) * left / (all - kept);
		if (aim.spent >= spent)
			left = num_min(left, aim.spent - spent + 1);
		h->most_looks = num_min(left / 2 * LOOKS_A_STEP, round);
		if (!h->are_copies && n_live < FEW_LIVE &&
			!make_copies(h, job->arena))
			return false;
		if (!h->are_copies)
			begin_round(h);
		mp_threads_run(job->threads,
			h->half[1]->c.n_live + h->handed[1].n > 0 ? 2 : 1,
			repair_half, h);
		mp_planner_compounds_charge(&h->half[0]->c, job);
		mp_planner_compounds_charge(&h->half[1]->c, job);
		n_live = count_live(h);
		*worth_it = is_pinned ||
			    !is_out_of_reach(&aim, n_live, all - job->steps);
	}
	return true;
}

/* False: memory is out. */
static bool sort_by_middle(struct halves *h, struct arena *arena)
{
	const struct compounds *c = &h->half[0]->c;
	struct arena_mark mark;
	uint32_t *spare;
	uint64_t *middle;

	h->order = NEW(arena, uint32_t, c->n_buffers);
	mark = mp_arena_mark(arena);
	spare = NEW(arena, uint32_t, c->n_buffers);
	middle = NEW(arena, uint64_t, c->n_buffers);
	if (!h->order || !spare || !middle)
		return false;
	for (uint32_t i = 0; i < c->n_buffers; i++) {
		h->order[i] = i;
		middle[i] = middle_of(&c->at[i]);
	}
	mp_sort_radix(h->order, spare, c->n_buffers, middle);
	mp_arena_rewind(arena, mark);
	return true;
}

bool mp_planner_halves_repair(struct joiner *j, struct job *job, bool *worth_it)
{
	struct joiner other;
	struct halves h = {.half = {j, &other},
		.left = {{.first = NONE}, {.first = NONE}},
		.handed = {{.first = NONE}, {.first = NONE}}};

	*worth_it = true;
	if (!mp_planner_joiner_part(j, &other, job->arena) ||
		!sort_by_middle(&h, job->arena) ||
		!repair_all(&h, job, worth_it))
		return false;
	if (!h.are_copies)
		unite(&h);
	else if (other.c.n_live < j->c.n_live)
		j->c = other.c;
	return true;
}
