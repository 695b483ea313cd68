/*
 * search: exact, by plateau search with restarts (see inside.h).
 * Each component of the packing is a puzzle of its own. With a capacity, each
 * must fit below it. Without, the load is tried first. A height that is refuted
 * raises the proved lower bound, and the next height that a sum of sizes can
 * reach is tried; after many of these one further up. Where the budget suffices
 * neither to solve nor to refute, heights between the bound and the best plan
 * are tried, by halves.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/rows.h"

#include <assert.h>
#include <string.h>

#include "planners/plain/inside.h"
#include "planners/plain/packing.h"
#include "planners/plain/sums.h"

/* A component, and how far its search is. Heights are in units. */
struct component {
	uint32_t first, n_items;
	uint32_t from, n_sections;
	int64_t bound;	 /* no plan of it is lower */
	int64_t height;	 /* of its best plan, in offset; WALL: none */
	uint32_t n_runs; /* of restarts, so far */
	uint64_t random;
};

struct search {
	struct job *job;
	uint64_t goal_share; /* times the nodes that go to the goal */
	struct packing packing;
	struct component *components;
	uint32_t *start, *end, *starts; /* of the puzzles */
	uint32_t *lifetime;		/* of a puzzle's items, steps */
	int64_t *ceiling;		/* of the puzzles' sections */
	struct nogoods nogoods;		/* of one component and height */
	const struct component *owner;
	int64_t owner_height;
	struct puzzle puzzle; /* of the component that is worked on */
	struct restarts restarts;
	struct sums sums; /* of its sizes; no room: they take too much work */
	int64_t *offset;  /* best so far, one an item of the packing */
	int64_t goal;	  /* a plan this high is enough */
	uint64_t *bytes;  /* scratch for offers and sums */
	uint64_t nodes;	  /* of a height in between, in this round */
	uint32_t next;	  /* component of the round */
};

enum {
	LOOKS_A_STEP = 30,   /* about 100 ns */
	MOST_ITEMS = 100000, /* with more, local makes better use of the time */

	/* The goal has so many times the nodes of a height in between. With
	 * PATIENT steps or more, plans in between matter less than the best
	 * one: docs/planners-tried.md. */
	GOAL_SHARE = 4,
	PATIENT_SHARE = 20,
	PATIENT = 20000000,

	FIRST_SLICE = 50000, /* nodes that a height is tried with at first */
	ONE_BY_ONE = 16,     /* heights that are refuted */
	MOST_SUMS = 1 << 22, /* units up to which sums of sizes are known, */
	MOST_WORK = 1 << 24, /* if so many words suffice */
};

static bool charge_job(void *user, uint64_t looks)
{
	return mp_planner_job_step(user, looks / LOOKS_A_STEP + 1);
}

/* ------------------------------------------------------- components */

/* Room for the sums of a component's sizes, up to the height of the best plan.
 */
static bool open_sums(struct search *s, const struct component *c)
{
	uint64_t most = s->job->height / s->packing.unit;
	uint64_t n_words = num_min(most, MOST_SUMS - 1) / 64 + 1;

	if (n_words > MOST_WORK / c->n_items)
		n_words = 0;
	return mp_planner_sums_open(&s->sums, n_words, s->job->arena);
}

/* Makes a puzzle of a component: sections and items count from 0. */
static bool open_component(struct search *s, const struct component *c)
{
	const struct packing *p = &s->packing;

	s->puzzle = (struct puzzle){c->n_items, c->n_sections, s->start, s->end,
		p->size + c->first, s->starts, NULL, s->ceiling};
	for (uint32_t i = 0; i < c->n_items; i++) {
		s->start[i] = p->start[c->first + i] - c->from;
		s->end[i] = p->end[c->first + i] - c->from;
		s->lifetime[i] = mp_planner_packing_lifetime(p, c->first + i);
	}
	for (uint32_t k = 0; k <= c->n_sections; k++)
		s->starts[k] = p->first[c->from + k] - c->first;
	if (!open_sums(s, c) ||
		!mp_planner_restarts_new(&s->restarts, &s->puzzle, s->lifetime,
			c->random, &s->nogoods, s->job->arena))
		return false;
	s->restarts.n_runs = c->n_runs;
	s->restarts.plateau.may_go_on = charge_job;
	s->restarts.plateau.user = s->job;
	return true;
}

static void init_component(
	const struct packing *p, uint32_t index, struct component *c)
{
	c->from = p->component[index];
	c->n_sections = p->component[index + 1] - c->from;
	c->first = p->first[c->from];
	c->n_items = p->first[c->from + c->n_sections] - c->first;
	c->height = WALL;
	c->bound = 0;
	for (uint32_t k = 0; k < c->n_sections; k++)
		if (p->load[c->from + k] > c->bound)
			c->bound = p->load[c->from + k];
}

static bool search_init(struct search *s, struct job *job)
{
	struct arena *arena = job->arena;
	struct packing *p = &s->packing;

	*s = (struct search){.nodes = FIRST_SLICE};
	if (!mp_planner_packing_of(p, job, arena))
		return false;
	s->components = NEW(arena, struct component, p->n_components);
	s->start = NEW(arena, uint32_t, p->n_items);
	s->end = NEW(arena, uint32_t, p->n_items);
	s->lifetime = NEW(arena, uint32_t, p->n_items);
	s->starts = NEW(arena, uint32_t, (size_t)p->n_sections + 1);
	s->ceiling = NEW(arena, int64_t, p->n_sections);
	s->offset = NEW(arena, int64_t, p->n_items);
	s->bytes = NEW(arena, uint64_t, p->n_items);
	if (!s->components || !s->start || !s->end || !s->lifetime ||
		!s->starts || !s->ceiling || !s->offset || !s->bytes)
		return false;
	for (uint32_t i = 0; i < p->n_components; i++) {
		init_component(p, i, &s->components[i]);
		s->components[i].random = job->seed;
	}
	return true;
}

static int64_t first_goal(const struct search *s)
{
	const struct job *job = s->job;
	int64_t goal = s->packing.max_load;

	if (job->capacity != UINT64_MAX)
		return (int64_t)(num_min(job->capacity, NUM_MAX_BYTES) /
				 s->packing.unit);
	for (uint32_t i = 0; i < s->packing.n_components; i++)
		if (s->components[i].bound > goal)
			goal = s->components[i].bound;
	return goal;
}

/* The search that an earlier run has kept, or a new one. What it remembers of
 * refuted states is of one height, and not kept. */
static struct search *open_search(struct job *job)
{
	struct search *s = job->kept ? *job->kept : NULL;

	if (!s) {
		s = NEW(job->arena, struct search, 1);
		if (!s || !search_init(s, job))
			return NULL;
	}
	if (job->kept)
		*job->kept = s;
	s->job = job;
	s->goal_share = job->steps < PATIENT ? GOAL_SHARE : PATIENT_SHARE;
	s->goal = first_goal(s);
	s->owner = NULL;
	return s;
}

/* ---------------------------------------------------------- heights */

/* Often many heights are refuted, one after the other: all ask for the same
 * sums. */
static void find_sums(struct search *s, const struct component *c)
{
	if (mp_planner_sums_known(&s->sums))
		return;
	for (uint32_t i = 0; i < c->n_items; i++)
		s->bytes[i] = (uint64_t)s->packing.size[c->first + i];
	mp_planner_sums_find(&s->sums, s->bytes, c->n_items);
}

/* The least height above this one that may be a sum of sizes of the component:
 * in a packing pushed down, an item rests on others, down to the ground. */
static int64_t next_height(
	struct search *s, const struct component *c, int64_t height)
{
	uint64_t next = (uint64_t)height + 1, end = s->sums.n_words * 64;

	find_sums(s, c);
	while (next < end && !mp_planner_sums_has(&s->sums, next))
		next++;
	return (int64_t)next;
}

/* Raises the bound of a component. The goal is at least the greatest bound. */
static void prove_bound(struct search *s, struct component *c, int64_t bound)
{
	if (bound <= c->bound)
		return;
	c->bound = bound;
	mp_planner_job_prove(
		s->job, (uint64_t)bound * s->packing.unit, BOUND_SEARCH);
	if (s->job->capacity == UINT64_MAX && bound > s->goal)
		s->goal = bound;
}

/* Keeps the offsets of a solved puzzle, if they are lower. */
static void keep_offsets(struct search *s, struct component *c)
{
	const int64_t *offset = s->restarts.plateau.horizon.offset;
	int64_t height = 0;

	for (uint32_t i = 0; i < c->n_items; i++)
		if (offset[i] + s->puzzle.size[i] > height)
			height = offset[i] + s->puzzle.size[i];
	if (height >= c->height)
		return;
	c->height = height;
	memcpy(s->offset + c->first, offset, sizeof(*offset) * c->n_items);
}

/* Offers a plan of the whole, once all components have one. */
static bool offer_whole(struct search *s)
{
	for (uint32_t i = 0; i < s->packing.n_components; i++)
		if (s->components[i].height == WALL)
			return true;
	mp_planner_packing_offsets(&s->packing, s->offset, s->bytes);
	return mp_planner_job_offer(s->job, s->bytes);
}

static enum plateau_answer try_height(
	struct search *s, struct component *c, int64_t height, uint64_t nodes)
{
	enum plateau_answer answer;

	for (uint32_t k = 0; k < c->n_sections; k++)
		s->ceiling[k] = height;
	/* What is refuted stays so under a lower ceiling. */
	if (s->owner != c || s->owner_height < height)
		mp_planner_nogood_clear(&s->nogoods);
	assert(height >= 0 && height <= WALL);
	s->owner = c;
	s->owner_height = height;
	answer = mp_planner_restarts_solve(&s->restarts, nodes);
	if (answer == PLATEAU_YES)
		keep_offsets(s, c);
	if (answer == PLATEAU_NO)
		prove_bound(s, c, next_height(s, c, height));
	return answer;
}

/* ----------------------------------------------------------- search */

/* Halves the gap between a height that is out of reach for so many nodes and
 * the least one reached. */
static bool try_between(struct search *s, struct component *c, uint64_t nodes)
{
	int64_t low = s->goal, high = c->height, middle;

	if (high == WALL && s->job->height != UINT64_MAX)
		high = (int64_t)((s->job->height - 1) / s->packing.unit) + 1;
	if (high == WALL &&
		try_height(s, c, WALL / 2, UINT64_MAX) == PLATEAU_YES)
		high = c->height;
	while (high > low + 1 && !s->restarts.plateau.stopped) {
		if (!offer_whole(s))
			return false;
		middle = low + (high - low) / 2;
		if (try_height(s, c, middle, nodes) == PLATEAU_YES)
			high = c->height;
		else
			low = middle;
		low = low < s->goal ? s->goal : low;
	}
	return true;
}

/* Tries heights from the goal up, as long as they are refuted. The first ones
 * one by one, as the least that is not may be near; then further and further
 * apart, up to the best plan, as there may be thousands. */
static void try_upward(struct search *s, struct component *c, uint64_t nodes)
{
	uint64_t best = num_min(s->job->height / s->packing.unit, WALL / 2);
	int64_t ahead = 0;
	uint32_t n = 0;

	while (try_height(s, c, s->goal + ahead, nodes) == PLATEAU_NO &&
		s->job->capacity == UINT64_MAX) {
		if (++n > ONE_BY_ONE)
			ahead = 2 * ahead + 1;
		if (ahead > 0 && (uint64_t)(s->goal + ahead) >= best)
			break;
	}
}

/* Works on a component that is higher than the goal. */
static bool work_on(struct search *s, struct component *c, uint64_t nodes)
{
	struct arena_mark mark = mp_arena_mark(s->job->arena);
	bool done = open_component(s, c);

	if (done) {
		try_upward(s, c, s->goal_share * nodes);
		if (c->height > s->goal && s->job->capacity == UINT64_MAX)
			done = try_between(s, c, nodes);
		c->n_runs = s->restarts.n_runs;
		c->random = s->restarts.random;
	}
	mp_arena_rewind(s->job->arena, mark);
	return done && offer_whole(s);
}

/* True once all components are solved or one is refuted. */
static bool is_decided(const struct search *s)
{
	bool solved = true;

	for (uint32_t i = 0; i < s->packing.n_components; i++) {
		if (s->components[i].bound > s->goal)
			return true;
		solved &= s->components[i].height <= s->goal;
	}
	return solved;
}

/* All components in turn, with ever more effort. */
static bool search_components(struct search *s)
{
	for (; !is_decided(s); s->nodes *= 2, s->next = 0)
		for (; s->next < s->packing.n_components; s->next++) {
			struct component *c = &s->components[s->next];

			if (c->height <= s->goal)
				continue;
			if (!work_on(s, c, s->nodes))
				return false;
			if (!mp_planner_job_step(s->job, 1))
				return true;
		}
	return true;
}

static enum outcome search_packing(struct search *s)
{
	const struct job *job = s->job;

	if (!search_components(s) || !offer_whole(s))
		return PLAN_FAILED;
	if (!mp_planner_job_done(job) && job->capacity != UINT64_MAX &&
		is_decided(s))
		return PLAN_NO_FIT;
	return mp_planner_job_outcome(job);
}

enum outcome mp_planner_search_run(struct job *job, int variant)
{
	enum outcome outcome;
	struct search *s;

	(void)variant;
	assert(mp_planner_job_is_sound(job));
	if (!mp_problem_is_plain(job->problem))
		return mp_planner_job_decline(job, NOT_PLAIN);
	if (job->problem->n_buffers > MOST_ITEMS)
		return mp_planner_job_decline(
			job, "takes 100,000 buffers at most");
	s = open_search(job);
	if (!s)
		return PLAN_FAILED;
	outcome = PLAN_FAILED;
	if (mp_planner_nogood_new(&s->nogoods, job->arena))
		outcome = search_packing(s);
	mp_planner_nogood_free(&s->nogoods);
	return outcome;
}
