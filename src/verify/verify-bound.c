/*
 * The bounds that a plan shows by itself, derived again without the code that
 * planners take them from (src/problem/bound.c).
 *
 * Load: what is alive at one step lies one above the other. Of each choice only
 * the heaviest branch counts. With several streams the schedule names a set of
 * parts, and the listed order has a step; all pairs of these are compared.
 *
 * Alignment a: of the parts at multiples of a that are alive at one step, each
 * but the highest lies below another one, which begins at a multiple of a. So
 * each takes its size rounded up, less the rounding of one of them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "verify/verify.h"

#include <assert.h>
#include <stdlib.h>

#include "base/sort.h"
#include "verify/inside.h"

/* A part begins or ends. */
struct event {
	uint64_t size;
	uint32_t step, part;
	bool begins;
};

struct sweep {
	const struct problem *problem;
	struct event *events; /* ascending by step, ends first */
	uint32_t n;
	uint32_t *first; /* of a choice: where its branches are in branches */
	uint64_t *branches, *heaviest; /* bytes of a branch, of a choice */
	struct verified_bound *bound;
};

static int by_step(const void *left, const void *right)
{
	const struct event *a = left, *b = right;

	return mp_sort_compare_three(
		a->step, b->step, a->begins, b->begins, a->part, b->part);
}

/* ----------------------------------------------------------- events */

static bool lies_in(const struct check *c, uint32_t part, uint32_t space)
{
	return !c->spaces ||
	       c->spaces->of[c->problem->parts[part].buffer] == space;
}

static bool list_events(struct sweep *s, const struct check *c, uint32_t space,
	struct arena *scratch)
{
	const struct problem *p = c->problem;

	s->events = NEW(scratch, struct event, (size_t)p->n_parts * 2);
	if (!s->events)
		return false;
	for (uint32_t i = 0; i < p->n_parts; i++) {
		const struct part *part = &p->parts[i];
		struct placed placed;

		if (!lies_in(c, i, space))
			continue;
		placed = mp_verify_placed(c, i);
		s->events[s->n++] = (struct event){
			placed.high - placed.low, part->start, i, true};
		s->events[s->n++] = (struct event){
			placed.high - placed.low, part->end, i, false};
	}
	qsort(s->events, s->n, sizeof(*s->events), by_step);
	return true;
}

/* --------------------------------------------------------- branches */

static bool list_branches(struct sweep *s, struct arena *scratch)
{
	const struct problem *p = s->problem;

	s->first = NEW(scratch, uint32_t, (size_t)p->n_choices + 1);
	s->heaviest = NEW(scratch, uint64_t, p->n_choices);
	if (!s->first || !s->heaviest)
		return false;
	for (uint32_t i = 0; i < p->n_buffers; i++)
		if (p->choice[i] != NONE &&
			s->first[p->choice[i] + 1] <= p->branch[i])
			s->first[p->choice[i] + 1] = p->branch[i] + 1;
	for (uint32_t k = 0; p->sites && k < p->n_choices; k++)
		if (p->sites[k].choice != NONE &&
			s->first[p->sites[k].choice + 1] <= p->sites[k].branch)
			s->first[p->sites[k].choice + 1] =
				p->sites[k].branch + 1;
	for (uint32_t k = 0; k < p->n_choices; k++)
		s->first[k + 1] += s->first[k];
	s->branches = NEW(scratch, uint64_t, s->first[p->n_choices]);
	return s->branches != NULL;
}

static uint64_t heaviest_of(const struct sweep *s, uint32_t choice)
{
	uint64_t most = 0;

	for (uint32_t i = s->first[choice]; i < s->first[choice + 1]; i++)
		most = num_max(most, s->branches[i]);
	return most;
}

/* The heaviest branch of a choice, in which one has so many bytes more now. */
static uint64_t grow_branch(
	struct sweep *s, uint32_t choice, uint64_t *branch, uint64_t more)
{
	*branch += more;
	return num_max(s->heaviest[choice], *branch);
}

static uint64_t shrink_branch(
	struct sweep *s, uint32_t choice, uint64_t *branch, uint64_t less)
{
	bool heaviest = *branch == s->heaviest[choice];

	*branch -= less;
	return heaviest ? heaviest_of(s, choice) : s->heaviest[choice];
}

/* The load behind an event of a part that is in a branch. What a choice has
 * more or less, the branch that it stands in has too. */
static uint64_t change_branch(
	struct sweep *s, const struct event *event, uint64_t load)
{
	const struct problem *p = s->problem;
	uint32_t buffer = p->parts[event->part].buffer;
	struct choice_site at = {p->choice[buffer], p->branch[buffer]};
	uint64_t size = event->size;

	while (at.choice != NONE && size > 0) {
		uint64_t *branch =
			&s->branches[s->first[at.choice] + at.branch];
		uint64_t before = s->heaviest[at.choice], after;

		after = event->begins
				? grow_branch(s, at.choice, branch, size)
				: shrink_branch(s, at.choice, branch, size);
		s->heaviest[at.choice] = after;
		size = event->begins ? after - before : before - after;
		at = p->sites ? p->sites[at.choice]
			      : (struct choice_site){NONE, 0};
	}
	return event->begins ? load + size : load - size;
}

/* ----------------------------------------------------------- bounds */

static void raise_bound(struct sweep *s, uint64_t bytes, enum bound_kind kind,
	uint32_t step, uint64_t align)
{
	if (bytes > s->bound->bytes)
		*s->bound = (struct verified_bound){bytes, kind, step, align};
}

static void find_load(struct sweep *s)
{
	const struct problem *p = s->problem;
	uint64_t load = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		const struct event *event = &s->events[i];

		if (p->choice &&
			p->choice[p->parts[event->part].buffer] != NONE)
			load = change_branch(s, event, load);
		else
			load = event->begins ? load + event->size
					     : load - event->size;
		raise_bound(s, load, BOUND_LOAD, event->step, 1);
	}
}

/* Parts of two branches may not be alive together. */
static bool is_aligned(const struct problem *p, uint32_t part, uint64_t align)
{
	uint32_t buffer = p->parts[part].buffer;

	return (!p->choice || p->choice[buffer] == NONE) &&
	       p->buffers[buffer].align >= align &&
	       p->parts[part].base % align == 0;
}

static void find_aligned_load(struct sweep *s, uint64_t align)
{
	uint64_t load = 0, most = 0, rounding = 0, size;
	uint32_t step = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		const struct event *event = &s->events[i];

		if (!is_aligned(s->problem, event->part, align) ||
			!num_align(event->size, align, &size))
			continue;
		rounding = num_max(rounding, size - event->size);
		load = event->begins ? load + size : load - size;
		if (load > most) {
			most = load;
			step = event->step;
		}
	}
	if (most > rounding)
		raise_bound(s, most - rounding, BOUND_PIN, step, align);
}

/* All pairs of parts that the schedule names may be alive together. */
static void find_antichain(struct sweep *s)
{
	const struct problem *p = s->problem;
	uint64_t weight = 0;

	for (uint32_t i = 0; i < p->n_antichain; i++) {
		for (uint32_t k = 0; k < i; k++)
			if (!mp_verify_conflict(
				    p, p->antichain[i], p->antichain[k]))
				return;
		weight += p->parts[p->antichain[i]].size;
	}
	raise_bound(s, weight, BOUND_LOAD, NONE, 1);
}

static bool is_alive(const struct part *part, uint32_t step)
{
	return part->start <= step && step < part->end;
}

/* Are any two parts in conflict that are listed as alive at a step, unless they
 * are of two branches of one choice? */
static bool meet_at(const struct problem *p, uint32_t step)
{
	for (uint32_t i = 0; i < p->n_parts; i++)
		for (uint32_t k = 0; k < i && is_alive(&p->parts[i], step); k++)
			if (is_alive(&p->parts[k], step) &&
				!mp_verify_conflict(p, i, k) &&
				!mp_problem_exclusive(p, p->parts[i].buffer,
					p->parts[k].buffer))
				return false;
	return true;
}

/* The load of the listed order, which is one of many timings. */
static void find_listed_load(struct sweep *s)
{
	struct verified_bound *bound = s->bound, listed = {0};

	s->bound = &listed;
	find_load(s);
	s->bound = bound;
	if (listed.bytes > bound->bytes && meet_at(s->problem, listed.step))
		*bound = listed;
}

/* True if the input fixes some tensors of that space, and not all of all
 * spaces. If it fixes all, it is a plan, and no reason for one. */
static bool fixes_some(const struct check *c, uint32_t space)
{
	bool some = false, all = true;

	for (uint32_t i = 0; i < c->problem->n_buffers; i++) {
		bool fixed = c->problem->buffers[i].offset != NO_OFFSET;

		if (mp_problem_is_reserved(c->problem, i))
			continue;
		some |= fixed && (!c->spaces || c->spaces->of[i] == space);
		all &= fixed;
	}
	return some && !all;
}

/* A buffer takes all its bytes, however few of its parts live at once; one that
 * is fixed, all bytes below it too. */
static void find_largest(struct sweep *s, const struct check *c, uint32_t space)
{
	bool counts = fixes_some(c, space);

	const struct problem *p = c->problem;

	for (uint32_t i = 0; i < p->n_parts; i++) {
		uint32_t buffer = p->parts[i].buffer;
		uint64_t end = mp_verify_placed(c, i).high;
		bool fixed;

		if (!lies_in(c, i, space))
			continue;
		fixed = mp_problem_is_reserved(p, buffer) ||
			(counts && p->buffers[buffer].offset != NO_OFFSET);
		if (!fixed)
			end -= c->offsets[buffer];
		raise_bound(s, end, BOUND_PIN, p->parts[i].start, 1);
	}
}

static uint64_t greatest_alignment(const struct problem *p)
{
	uint64_t align = 1;

	for (uint32_t i = 0; i < p->n_buffers; i++)
		align = num_max(align, p->buffers[i].align);
	return align;
}

static bool derive(struct sweep *s, const struct check *c, uint32_t space,
	struct arena *scratch)
{
	const struct problem *p = c->problem;

	if (!list_events(s, c, space, scratch) ||
		(p->choice && !list_branches(s, scratch)))
		return false;
	if (p->n_streams <= 1)
		find_load(s);
	else if (!c->spaces)
		find_antichain(s);
	if (p->n_streams > 1 && !c->spaces && p->choice)
		find_listed_load(s);
	find_largest(s, c, space);
	for (uint64_t align = greatest_alignment(p);
		p->n_streams <= 1 && align > 1; align /= 2)
		find_aligned_load(s, align);
	return true;
}

bool mp_verify_bound(const struct problem *problem, const struct spaces *spaces,
	const uint64_t *offsets, uint32_t space, struct verified_bound *bound,
	struct arena *scratch)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	struct check c = {
		.problem = problem, .offsets = offsets, .spaces = spaces};
	struct sweep s = {.problem = problem, .bound = bound};
	bool fine;

	assert(!spaces || space < spaces->n);
	*bound = (struct verified_bound){.step = NONE, .align = 1};
	fine = derive(&s, &c, space, scratch);
	mp_arena_rewind(scratch, mark);
	return fine;
}

bool mp_verify_bound_is_whole(
	const struct problem *problem, const struct spaces *spaces)
{
	return problem->n_streams <= 1 || (!spaces && !problem->choice);
}
