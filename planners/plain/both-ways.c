/*
 * both-ways: from the peak both ways. The buffers alive at the peak are
 * stacked, which takes the load and not a byte more. What is born later is
 * placed in order of birth, as an allocator would do it: what has died is free,
 * and the smallest range that is large enough serves. What died earlier is
 * placed in order of death, likewise, with time running backward. So a plan
 * above the load can only come from how free bytes are scattered, and the order
 * of the stack decides that: it is repeated with several.
 *
 * A repetition takes n log n, however many buffers are alive. Where memory has
 * one sharp peak and many buffers wait at it, as in the training of large
 * models, the first is at the load.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/rows.h"

#include <assert.h>

#include "base/blocks.h"
#include "base/sort.h"
#include "planners/plain/dive.h"

/* What is lowest in the stack. The best rule alone comes first:
 * docs/planners-tried.md. */
enum stack_rule {
	DIES_EARLY,
	DIES_LATE,
	BORN_LATE,
	IS_LARGE, /* of one size, what dies early */
	LIVES_LONG,
	BORN_EARLY
};

enum {
	NEAR = 64,  /* a first plan is near the bound if it is above it by such
		       a part at most */
	WORK = 3,   /* steps that a buffer takes, measured */
	LIST = 0,   /* the one list of free blocks */
	AHEAD = 32, /* buffers that are on their way from memory */
	LEAST_AT_ONCE = 4000, /* buffers: fewer take less time than a thread */
	LEAST_READY = 50000,  /* buffers for which a dive is made ready */
	A_DIVE = 2	      /* its index beside the sides 0 and 1 */
};

/* More than any stack, so that the range above all is the last that serves. */
#define ENDLESS UINT64_MAX

/* One side of the peak. Its clock runs away from the peak. */
struct side {
	bool backward;
	uint32_t n_born, n_dying;
	uint32_t *born;	 /* buffers to be placed, in the order of birth */
	uint32_t *dying; /* those and the buffers of the peak, of death */

	/* Of both sides, unless these are worked on at once. */
	uint64_t *key;	 /* of a buffer, while buffers are sorted */
	uint32_t *spare; /* room for those that are sorted */
	uint32_t *block; /* of a buffer: where it lies */

	struct blocks blocks; /* of a repetition */
};

struct both_ways {
	const struct job *job;
	const struct problem *problem;
	struct threads *threads; /* for both sides at once; NULL: one by one */
	struct side sides[2];
	uint32_t n_peak;
	uint32_t *peak;	     /* buffers alive then, in the order of the stack */
	uint32_t most_alive; /* buffers at a time */
	uint64_t limit;	     /* no buffer may end above it */
	atomic_bool failed;  /* one does: the other side is for nothing */
	atomic_uint n_complete; /* sides, */
	atomic_uint n_ended;	/* with those that have failed */
	uint64_t *offset;	/* of a buffer */
	struct arena_mark mark; /* all of this memory is behind it */
	bool gave_back;		/* there is none of it any more */
};

/* ------------------------------------------------------------- time */

static uint32_t birth(
	const struct problem *p, bool backward, const struct buffer *b)
{
	return backward ? p->n_steps - b->end : b->start;
}

static uint32_t death(
	const struct problem *p, bool backward, const struct buffer *b)
{
	return backward ? p->n_steps - b->start : b->end;
}

static bool is_at_peak(const struct problem *p, const struct buffer *b)
{
	return b->start <= p->peak_step && p->peak_step < b->end;
}

static bool is_on_side(
	const struct problem *p, bool backward, const struct buffer *b)
{
	return backward ? b->end <= p->peak_step : b->start > p->peak_step;
}

/* Of buffers that are born together the largest comes first. */
static bool sort_side(void *context, uint32_t i_side)
{
	struct both_ways *w = context;
	struct side *side = &w->sides[i_side];
	const struct problem *p = w->problem;

	for (uint32_t i = 0; i < p->n_buffers; i++) {
		const struct buffer *b = &p->buffers[i];

		if (is_on_side(p, side->backward, b))
			side->born[side->n_born++] = i;
		else if (!is_at_peak(p, b))
			continue;
		side->dying[side->n_dying++] = i;
		side->key[i] = death(p, side->backward, b);
	}
	mp_sort_radix_shared(
		w->threads, side->dying, side->spare, side->n_dying, side->key);
	for (uint32_t i = 0; i < p->n_buffers; i++)
		side->key[i] = UINT64_MAX - p->buffers[i].size;
	mp_sort_radix_shared(
		w->threads, side->born, side->spare, side->n_born, side->key);
	for (uint32_t i = 0; i < p->n_buffers; i++)
		side->key[i] = birth(p, side->backward, &p->buffers[i]);
	mp_sort_radix_shared(
		w->threads, side->born, side->spare, side->n_born, side->key);
	return false;
}

/* ------------------------------------------------------------ stack */

static uint64_t stack_key(const struct buffer *b, enum stack_rule rule)
{
	switch (rule) {
	case DIES_EARLY:
		return b->end;
	case DIES_LATE:
		return UINT64_MAX - b->end;
	case BORN_LATE:
		return UINT64_MAX - b->start;
	case BORN_EARLY:
		return b->start;
	case IS_LARGE:
		return UINT64_MAX - b->size;
	case LIVES_LONG:
		return UINT64_MAX - (b->end - b->start);
	}
	return 0;
}

static void sort_peak(struct both_ways *w, enum stack_rule rule)
{
	const struct side *side = &w->sides[0];

	for (uint32_t k = 0; k < w->n_peak; k++)
		side->key[w->peak[k]] =
			stack_key(&w->problem->buffers[w->peak[k]], rule);
	mp_sort_radix(w->peak, side->spare, w->n_peak, side->key);
}

static void stack_peak(struct both_ways *w, enum stack_rule rule)
{
	const struct problem *p = w->problem;
	uint64_t top = 0;

	w->n_peak = 0;
	for (uint32_t i = 0; i < p->n_buffers; i++)
		if (is_at_peak(p, &p->buffers[i]))
			w->peak[w->n_peak++] = i;
	if (rule == IS_LARGE)
		sort_peak(w, DIES_EARLY);
	sort_peak(w, rule);
	for (uint32_t k = 0; k < w->n_peak; k++) {
		w->offset[w->peak[k]] = top;
		top += p->buffers[w->peak[k]].size;
	}
	assert(top == p->theoretical_min);
}

/* The stack as blocks in use, and above them a free one without end. */
static void lay_stack(const struct both_ways *w, struct side *side)
{
	struct blocks *b = &side->blocks;
	uint32_t block;

	mp_blocks_clear(b);
	block = mp_blocks_new(b);
	b->at[block].size = ENDLESS;
	for (uint32_t k = 0; k < w->n_peak; k++) {
		uint32_t buffer = w->peak[k];

		side->block[buffer] = block;
		b->at[block].users = 1;
		block = mp_blocks_split(
			b, block, w->problem->buffers[buffer].size);
	}
	mp_blocks_put(b, block);
}

/* ------------------------------------------------------------ sides */

/* False: the buffer ends above the limit. */
static bool place(const struct both_ways *w, struct side *side, uint32_t buffer)
{
	struct blocks *b = &side->blocks;
	uint64_t size = w->problem->buffers[buffer].size;
	uint32_t block = mp_blocks_take(b, LIST, size);

	assert(block != NONE);
	if (b->at[block].size > size)
		mp_blocks_put(b, mp_blocks_split(b, block, size));
	side->block[buffer] = block;
	w->offset[buffer] = b->at[block].rank;
	return w->offset[buffer] + size <= w->limit;
}

/* A buffer of an order of n. Those behind it are fetched: they lie anywhere,
 * many on two lines of the cache. */
static const struct buffer *buffer_at(
	const struct problem *p, const uint32_t *order, uint32_t k, uint32_t n)
{
	if (k + AHEAD < n) {
		const struct buffer *ahead = &p->buffers[order[k + AHEAD]];

		__builtin_prefetch(&ahead->size);
		__builtin_prefetch(&ahead->end);
	}
	return &p->buffers[order[k]];
}

static void place_side(struct both_ways *w, struct side *side)
{
	const struct problem *p = w->problem;
	uint32_t dead = 0, now;

	lay_stack(w, side);
	for (uint32_t k = 0; k < side->n_born; k++) {
		now = birth(p, side->backward,
			buffer_at(p, side->born, k, side->n_born));
		while (death(p, side->backward,
			       buffer_at(p, side->dying, dead,
				       side->n_dying)) <= now)
			mp_blocks_give(&side->blocks,
				side->block[side->dying[dead++]]);
		if (!place(w, side, side->born[k]))
			atomic_store(&w->failed, true);
		if (atomic_load_explicit(&w->failed, memory_order_relaxed))
			return;
	}
	if (atomic_fetch_add(&w->n_complete, 1) == 1 && w->job->start)
		atomic_store(&w->job->start->beaten.is, true);
}

/* If the first rule fails no other follows, as long as there is no plan: then
 * the last side gives its memory back to the dive beside it. */
static void end_side(struct both_ways *w)
{
	struct arena *arena = w->job->arena;

	if (atomic_fetch_add(&w->n_ended, 1) == 0 || !w->threads ||
		!atomic_load(&w->failed) || w->job->height != UINT64_MAX)
		return;
	mp_arena_rewind(arena, w->mark);
	mp_arena_trim(arena);
	w->gave_back = true;
}

/* A side, or the dive that begins after both. */
static bool run_side(void *context, uint32_t i)
{
	struct both_ways *w = context;

	if (i == A_DIVE) {
		mp_planner_dive_make_ready(w->job);
		return false;
	}
	if (!atomic_load(&w->failed))
		place_side(w, &w->sides[i]);
	end_side(w);
	return false;
}

/* -------------------------------------------------------------- row */

/* Buffers that are alive together. The scratch gets a number a step. */
static uint32_t most_alive(const struct problem *p, uint32_t *births)
{
	uint32_t most = 0, alive = 0;

	for (uint32_t i = 0; i < p->n_buffers; i++) {
		births[p->buffers[i].start]++;
		births[p->buffers[i].end]--;
	}
	for (uint32_t k = 0; k < p->n_steps; k++) {
		alive += births[k];
		most = alive > most ? alive : most;
	}
	return most;
}

static bool count_alive(struct both_ways *w, struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	uint32_t *births =
		NEW(arena, uint32_t, (size_t)w->problem->n_steps + 1);

	if (births)
		w->most_alive = most_alive(w->problem, births);
	mp_arena_rewind(arena, mark);
	return births != NULL;
}

/* Two sides at once need two of everything. A limit of memory is for one. */
static bool make_room(struct both_ways *w, struct job *job)
{
	size_t n = w->problem->n_buffers;
	struct arena *arena = job->arena;
	bool fine = count_alive(w, arena);

	if (n >= LEAST_AT_ONCE && mp_threads_for(job->threads, 2) > 1 &&
		mp_arena_beside(arena).limit == 0)
		w->threads = job->threads;
	w->peak = NEW(arena, uint32_t, n);
	w->offset = NEW(arena, uint64_t, n);
	for (int i = 0; i < 2; i++) {
		struct side *side = &w->sides[i];

		side->backward = i == 1;
		side->born = NEW(arena, uint32_t, n);
		side->dying = NEW(arena, uint32_t, n);
		side->key = w->offset;
		fine &= side->born && side->dying;
	}
	return fine && w->peak && w->offset;
}

/* A spare array for each side that is worked on by itself. */
static bool make_spare(struct both_ways *w, struct arena *arena)
{
	for (int i = 0; i < 2; i++) {
		struct side *side = &w->sides[i];

		side->spare = w->sides[0].spare;
		if (i == 0 || w->threads)
			side->spare =
				NEW(arena, uint32_t, w->problem->n_buffers);
		side->block = side->spare;
	}
	return w->sides[0].spare && w->sides[1].spare;
}

/* A dive may begin beside the sides, so what only sorts take is given back. */
static bool sort_sides(struct both_ways *w, struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	bool fine = make_spare(w, arena);

	if (w->threads)
		w->sides[1].key = NEW(arena, uint64_t, w->problem->n_buffers);
	fine &= w->sides[1].key != NULL;
	if (fine)
		mp_threads_run(w->threads, 2, sort_side, w);
	mp_arena_rewind(arena, mark);
	if (w->threads)
		mp_arena_trim(arena);
	w->sides[1].key = w->offset;
	return fine;
}

/* Every block in use has at most one free block behind it. */
static bool make_blocks(struct both_ways *w, struct arena *arena)
{
	bool fine = make_spare(w, arena);

	for (int i = 0; fine && i < 2; i++)
		if (i == 0 || w->threads)
			fine = mp_blocks_init(
				&w->sides[i].blocks, 2 * w->most_alive, arena);
		else
			w->sides[i].blocks = w->sides[0].blocks;
	return fine;
}

/* Few buffers have their sides placed before a dive is ready, and after an
 * interrupt there is none. */
static bool makes_ready(const struct both_ways *w)
{
	const struct job *job = w->job;

	return w->threads && !job->cut_short &&
	       w->problem->n_buffers >= LEAST_READY && job->start &&
	       !job->start->problem;
}

/* A plan that ends above it is not better, or not as good as is wanted. */
static uint64_t limit_of(const struct job *job)
{
	uint64_t limit = job->height - 1, near = job->lower_bound;

	if (!job->wants_near)
		return limit;
	near += near / NEAR;
	if (job->capacity != UINT64_MAX)
		near = num_max(near, job->capacity);
	return num_min(limit, near);
}

/* What the dive that was made ready held beside so many bytes. */
static void count_dive(const struct job *job, uint64_t held)
{
	struct arena *arena = job->arena;

	if (job->start)
		arena->peak =
			num_max(arena->peak, held + job->start->arena.peak);
}

/* Frees the memory of the blocks before the plan is verified, which needs some
 * too. A repetition ends early where it is no better than the best plan so far.
 */
static bool run_rule(struct job *job, struct both_ways *w, enum stack_rule rule)
{
	struct arena_mark mark = mp_arena_mark(job->arena);
	bool fine = make_blocks(w, job->arena), complete = false;
	uint64_t held = job->arena->held;

	if (fine) {
		w->limit = limit_of(job);
		atomic_store(&w->failed, false);
		atomic_store(&w->n_complete, 0);
		atomic_store(&w->n_ended, 0);
		stack_peak(w, rule);
		mp_planner_job_step(
			job, (uint64_t)WORK * w->problem->n_buffers);
		mp_threads_run(w->threads, makes_ready(w) ? A_DIVE + 1 : A_DIVE,
			run_side, w);
		complete = atomic_load(&w->n_complete) == 2;
		count_dive(job, held);
	}
	if (!w->gave_back)
		mp_arena_rewind(job->arena, mark);
	return fine && (!complete || mp_planner_job_offer(job, w->offset));
}

enum outcome mp_planner_both_ways_run(struct job *job, int variant)
{
	struct both_ways w = {.job = job, .problem = job->problem};

	(void)variant;
	if (!mp_planner_job_is_plain(job))
		return PLAN_GAVE_UP;
	w.mark = mp_arena_mark(job->arena);
	if (!make_room(&w, job) || !sort_sides(&w, job->arena))
		return PLAN_FAILED;
	for (int rule = 0; rule <= BORN_EARLY; rule++) {
		if (!run_rule(job, &w, rule))
			return PLAN_FAILED;
		/* Where the first order is far off, so are the others. */
		assert(!w.gave_back || !mp_planner_job_near(job, NEAR));
		if (mp_planner_job_done(job) ||
			!mp_planner_job_near(job, NEAR) || job->steps == 0 ||
			job->cut_short)
			break;
	}
	return mp_planner_job_outcome(job);
}
