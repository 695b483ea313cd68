/*
 * First all buffers keep their old bases that can, the heaviest first, and the
 * others are planned around them. If that takes too much, the buffers that
 * stick out are put elsewhere, one by one. The better of this and of the plan
 * made anew is shifted as a whole, if more stays then. Then the buffers that
 * moved go back, one by one.
 *
 * A buffer is put somewhere by a search with a bounded depth: it pushes out
 * what is in its way, that goes elsewhere in turn, and no buffer is put twice.
 * What a search may cost is bytes that stay no longer; it begins with nothing,
 * and doubles (iterative deepening, Korf, Artificial Intelligence 27(1), 1985).
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/near/near.h"

#include <assert.h>
#include <string.h>

#include "base/sort.h"
#include "planners/any/hits.h"
#include "planners/any/rank.h"

enum {
	TRY_SHARE = 16,	  /* planning around what stays gets such a part of the
			     steps left, and so does what sticks out then */
	MOST_DEPTH = 12,  /* buffers that one search puts */
	MOST_BASES = 24,  /* bases of a buffer that are tried, the cheapest */
	MOST_TRAIL = 64,  /* changes that one search makes */
	MOST_NODES = 400, /* buffers that one search puts and takes out again */
	UNIT_BITS = 29	  /* of a weight, at most */
};

/* A change of the plan at hand: the buffer was put somewhere, or it was taken
 * out from a base; NO_OFFSET: it had none. */
struct change {
	uint32_t buffer;
	bool is_put;
	uint64_t was;
};

/* A base for the buffer at hand, and what is in the way there. */
struct candidate {
	uint64_t base, cost;
};

/* A buffer that a search has put at one of its bases. */
struct node {
	uint32_t buffer;
	uint32_t trail; /* changes before it */
	uint32_t n, next;
	struct candidate at[MOST_BASES];
};

struct search {
	struct job *job;
	const struct problem *problem;
	const struct near_plan *near;
	uint64_t limit;	     /* near's, or the height of a smaller plan */
	uint32_t *first_old; /* of a buffer, in near->old */
	uint32_t *heaviest;  /* old bases, those with most bytes first */
	uint32_t *largest;   /* buffers, the largest first */
	struct conflicts conflicts; /* of all buffers that have a base */
	struct hits hits;	    /* of the buffer at hand */
	uint64_t *offsets;	    /* the plan at hand; NO_OFFSET: no base */
	uint64_t kept;		    /* bytes that stay in it */
	uint64_t *weight;	    /* what removing a buffer costs */
	uint64_t unit;		    /* of weights, in bytes */

	struct change trail[MOST_TRAIL];
	uint32_t n_trail;

	uint64_t *best;
	uint64_t most; /* bytes that stay in best */
};

/* ------------------------------------------------------------ bytes */

/* Bytes of a buffer that stay at that base. */
static uint64_t bytes_at(const struct search *s, uint32_t buffer, uint64_t base)
{
	for (uint32_t i = s->first_old[buffer]; i < s->first_old[buffer + 1];
		i++)
		if (s->near->old[i].base == base)
			return s->near->old[i].bytes;
	return 0;
}

uint64_t mp_planner_near_kept(
	const struct near_plan *near, const uint64_t *offsets)
{
	uint64_t kept = 0;

	for (uint32_t i = 0; i < near->n_old; i++)
		if (offsets[near->old[i].buffer] == near->old[i].base)
			kept += near->old[i].bytes;
	return kept;
}

static bool is_fixed(const struct search *s, uint32_t buffer)
{
	return s->problem->buffers[buffer].offset != NO_OFFSET;
}

/* May the buffer be at that base, if nothing else is in the way? */
static bool may_lie(const struct search *s, uint32_t buffer, uint64_t base)
{
	const struct buffer *b = &s->problem->buffers[buffer];

	return base % b->align == 0 && b->size <= s->limit &&
	       base <= s->limit - b->size;
}

/* Of two places that cost the same bytes, that of fewer and smaller buffers is
 * the better one. */
static uint64_t weigh(const struct search *s, uint32_t buffer)
{
	uint64_t size = s->problem->buffers[buffer].size / s->unit;

	return 1 + size / 64 +
	       bytes_at(s, buffer, s->offsets[buffer]) / s->unit;
}

/* ---------------------------------------------------------- changes */

static void take_out(struct search *s, uint32_t buffer)
{
	assert(s->offsets[buffer] != NO_OFFSET && !is_fixed(s, buffer));
	s->kept -= bytes_at(s, buffer, s->offsets[buffer]);
	mp_planner_conflicts_remove(&s->conflicts, buffer);
	s->offsets[buffer] = NO_OFFSET;
}

static void put(struct search *s, uint32_t buffer, uint64_t base)
{
	assert(s->offsets[buffer] == NO_OFFSET);
	s->offsets[buffer] = base;
	s->kept += bytes_at(s, buffer, base);
	mp_planner_conflicts_place(&s->conflicts, buffer, base);
	s->weight[buffer] = weigh(s, buffer);
}

/* False: the trail is full. */
static bool note(struct search *s, uint32_t buffer, bool is_put, uint64_t was)
{
	if (s->n_trail == MOST_TRAIL)
		return false;
	s->trail[s->n_trail++] = (struct change){buffer, is_put, was};
	return true;
}

static void undo_to(struct search *s, uint32_t n)
{
	while (s->n_trail > n) {
		const struct change *c = &s->trail[--s->n_trail];

		if (c->is_put)
			take_out(s, c->buffer);
		else if (c->was != NO_OFFSET)
			put(s, c->buffer, c->was);
	}
}

static bool remove_noted(struct search *s, uint32_t buffer)
{
	uint64_t was = s->offsets[buffer];

	if (!note(s, buffer, false, was))
		return false;
	if (was != NO_OFFSET)
		take_out(s, buffer);
	return true;
}

/* Takes out what is in the way of the buffer that the hits are of, and puts it
 * there for the rest of the search. False: the trail is full. */
static bool push_in(struct search *s, uint32_t buffer, uint64_t base)
{
	const struct hits *h = &s->hits;

	for (uint32_t i = 0; i < h->n; i++)
		if (mp_planner_hits_at(h, i, base) &&
			s->offsets[h->owner[i]] != NO_OFFSET &&
			!remove_noted(s, h->owner[i]))
			return false;
	if (!note(s, buffer, true, 0))
		return false;
	put(s, buffer, base);
	s->weight[buffer] = HITS_NEVER;
	return true;
}

/* ------------------------------------------------------- candidates */

/* Keeps the cheapest ones, cheapest first, earlier ones before equal ones. */
static void add_candidate(struct node *node, struct candidate candidate)
{
	uint32_t i = node->n;

	if (i == MOST_BASES && node->at[i - 1].cost <= candidate.cost)
		return;
	if (i < MOST_BASES)
		node->n++;
	else
		i--;
	for (; i > 0 && node->at[i - 1].cost > candidate.cost; i--)
		node->at[i] = node->at[i - 1];
	node->at[i] = candidate;
}

static void consider(
	struct search *s, struct node *node, uint64_t most, uint64_t base)
{
	uint64_t less = most - bytes_at(s, node->buffer, base);

	if (!may_lie(s, node->buffer, base))
		return;
	mp_planner_hits_sweep(&s->hits, base);
	if (s->hits.n_never == 0)
		add_candidate(node, (struct candidate){base,
					    s->hits.cost + less / s->unit});
}

/* The most bytes of a buffer that any base lets stay. */
static uint64_t most_bytes(const struct search *s, uint32_t buffer)
{
	uint64_t most = 0;

	for (uint32_t i = s->first_old[buffer]; i < s->first_old[buffer + 1];
		i++)
		if (may_lie(s, buffer, s->near->old[i].base))
			most = num_max(most, s->near->old[i].bytes);
	return most;
}

/* Lists what is in the way of the buffer, sorted for a sweep over all bases. */
static bool find_hits(struct search *s, uint32_t buffer)
{
	struct hits *h = &s->hits;

	if (!mp_planner_hits_find(h, buffer, HITS_ANY))
		return false;
	for (uint32_t k = 0; k < h->n_buckets; k++)
		mp_planner_hits_sort(h, k);
	return true;
}

/* Looks for bases of a node's buffer: at the bottom, right above a buffer,
 * right below one, or old ones. Three lists that ascend are merged for the
 * sweep. */
static bool find_candidates(struct search *s, struct node *node)
{
	uint32_t buffer = node->buffer, old = s->first_old[buffer];
	uint64_t align = s->problem->buffers[buffer].align;
	uint64_t most = most_bytes(s, buffer), last = UINT64_MAX;
	uint32_t above = 0, below = 0;
	struct hits *h = &s->hits;
	bool at_bottom = true;

	node->n = node->next = 0;
	if (!find_hits(s, buffer))
		return false;
	for (;;) {
		uint64_t next[3] = {UINT64_MAX, UINT64_MAX, UINT64_MAX}, base;

		if (at_bottom)
			next[0] = 0;
		else if (above < h->n_leave)
			next[0] = num_up(h->leave[above].low, align);
		if (below < h->n_enter)
			next[1] = num_down(h->enter[below].low - 1, align);
		if (old < s->first_old[buffer + 1])
			next[2] = s->near->old[old].base;
		base = num_min(next[0], num_min(next[1], next[2]));
		if (base == UINT64_MAX)
			return true;
		if (base == next[0]) {
			above += !at_bottom;
			at_bottom = false;
		} else if (base == next[1]) {
			below++;
		} else {
			old++;
		}
		if (base != last)
			consider(s, node, most, base);
		last = base;
	}
}

/* ------------------------------------------------------------ nodes */

/* The largest buffer that the search has taken out and not put; NONE: the plan
 * is complete. */
static uint32_t next_waiting(const struct search *s)
{
	uint32_t next = NONE;

	for (uint32_t i = 0; i < s->n_trail; i++) {
		uint32_t buffer = s->trail[i].buffer;

		if (s->offsets[buffer] == NO_OFFSET &&
			(next == NONE ||
				s->problem->buffers[buffer].size >
					s->problem->buffers[next].size))
			next = buffer;
	}
	return next;
}

/* Bytes that stay at most, once all that wait are put. */
static uint64_t most_kept(const struct search *s)
{
	uint64_t most = s->kept;

	for (uint32_t i = 0; i < s->n_trail; i++)
		if (!s->trail[i].is_put &&
			s->offsets[s->trail[i].buffer] == NO_OFFSET)
			most += most_bytes(s, s->trail[i].buffer);
	return most;
}

/* Puts the buffer of a node at its next base where at least so many bytes can
 * stay. False: there is none. */
static bool advance(struct search *s, struct node *node, uint64_t wanted)
{
	while (node->next < node->n) {
		uint64_t base = node->at[node->next++].base;

		/* The search has changed the hits since. */
		if (!mp_planner_hits_find(&s->hits, node->buffer, HITS_ANY))
			return false;
		if (push_in(s, node->buffer, base) && most_kept(s) >= wanted)
			return true;
		undo_to(s, node->trail);
	}
	return false;
}

/* Puts all that wait so that at least so many bytes stay. False: the search did
 * not find how, and has put and taken out nothing. */
static bool settle(struct search *s, uint64_t wanted)
{
	struct node nodes[MOST_DEPTH];
	uint32_t depth = 0, start = s->n_trail;

	for (uint32_t n = 0; n < MOST_NODES; n++) {
		uint32_t waiting = next_waiting(s);

		if (waiting == NONE)
			return true;
		if (depth < MOST_DEPTH) {
			nodes[depth] = (struct node){
				.buffer = waiting, .trail = s->n_trail};
			if (!find_candidates(s, &nodes[depth]))
				break;
			mp_planner_job_step(s->job, 4 + s->hits.n);
			depth++;
		} else {
			undo_to(s, nodes[depth - 1].trail);
		}
		while (depth > 0 && !advance(s, &nodes[depth - 1], wanted)) {
			depth--;
			if (depth > 0)
				undo_to(s, nodes[depth - 1].trail);
		}
		if (depth == 0 || !mp_planner_job_step(s->job, 4 + s->hits.n))
			break;
	}
	undo_to(s, start);
	return false;
}

static void end_search(struct search *s)
{
	for (uint32_t i = 0; i < s->n_trail; i++)
		s->weight[s->trail[i].buffer] = weigh(s, s->trail[i].buffer);
	s->n_trail = 0;
}

/* ------------------------------------------------------------ plans */

/* A base that is shifted, modulo 2^64. In a plan within the limit, what leaves
 * it at one end comes in at the other: no two buffers meet that did not.
 * NO_OFFSET: the buffer does not lie within it. */
static uint64_t rotate(
	const struct search *s, uint32_t buffer, uint64_t base, uint64_t shift)
{
	const uint64_t turns[] = {0, s->limit, -s->limit};

	for (uint32_t i = 0; i < (shift ? countof(turns) : 1); i++)
		if (may_lie(s, buffer, base + shift + turns[i]))
			return base + shift + turns[i];
	return NO_OFFSET;
}

/* Buffers that do not lie within the limit have no base then. */
static void begin_with(
	struct search *s, const uint64_t *offsets, uint64_t shift)
{
	const struct problem *p = s->problem;

	mp_planner_conflicts_clear(&s->conflicts);
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		s->offsets[i] = is_fixed(s, i)
					? offsets[i]
					: rotate(s, i, offsets[i], shift);
		if (s->offsets[i] != NO_OFFSET)
			mp_planner_conflicts_place(
				&s->conflicts, i, s->offsets[i]);
		s->weight[i] = is_fixed(s, i) ? HITS_NEVER : weigh(s, i);
	}
	s->kept = mp_planner_near_kept(s->near, s->offsets);
	mp_planner_job_step(s->job, 1 + p->n_buffers / 4);
}

static void keep_better(struct search *s)
{
	if (s->kept <= s->most)
		return;
	memcpy(s->best, s->offsets, sizeof(*s->best) * s->problem->n_buffers);
	s->most = s->kept;
}

/* Old bases with the most bytes first. */
static bool sort_old(struct search *s)
{
	const struct near_plan *near = s->near;
	struct arena *arena = s->job->arena;
	uint64_t *key = NEW(arena, uint64_t, near->n_old);
	uint32_t *spare = NEW(arena, uint32_t, near->n_old);

	s->heaviest = NEW(arena, uint32_t, near->n_old);
	if (!key || !spare || !s->heaviest)
		return false;
	for (uint32_t i = 0; i < near->n_old; i++) {
		key[i] = ~near->old[i].bytes;
		s->heaviest[i] = i;
	}
	mp_sort_radix(s->heaviest, spare, near->n_old, key);
	return true;
}

/* Fixes a buffer of the held problem to an old base if nothing is in the way.
 * False: memory is out. */
static bool hold(
	struct search *s, const struct old_base *old, struct problem *held)
{
	struct buffer *b = &held->buffers[old->buffer];
	struct range only = {old->base, old->base + 1};
	uint64_t base;

	if (b->offset != NO_OFFSET || !may_lie(s, old->buffer, old->base))
		return true;
	if (!mp_planner_conflicts_collect(&s->conflicts, old->buffer))
		return false;
	mp_planner_job_step(s->job, 2 + s->conflicts.n_taken / 4);
	if (!mp_planner_conflicts_find(
		    &s->conflicts, only, b->align, FIT_LOWEST, &base))
		return true;
	b->offset = base;
	mp_planner_conflicts_place(&s->conflicts, old->buffer, base);
	return true;
}

/* Plans the problem around the buffers that can keep their old bases together.
 */
static bool plan_around(struct search *s, struct job *job)
{
	struct problem held = *s->problem;
	const struct planner *row;
	bool planned;

	held.buffers = mp_arena_copy(s->job->arena, s->problem->buffers,
		held.n_buffers, sizeof(*held.buffers));
	if (!held.buffers)
		return false;
	mp_planner_conflicts_clear(&s->conflicts);
	mp_planner_conflicts_place_fixed(&s->conflicts);
	for (uint32_t i = 0; i < s->near->n_old; i++)
		if (!hold(s, &s->near->old[s->heaviest[i]], &held))
			return false;
	row = mp_planner_find_own(
		mp_problem_is_given(&held) ? "given" : "auto");
	*job = *s->job;
	job->problem = &held;
	job->capacity = s->limit;
	job->steps = s->job->steps / TRY_SHARE;
	job->spent = 0;
	job->running = row->name;
	job->best = NEW(job->arena, uint64_t, held.n_buffers);
	job->height = UINT64_MAX;
	planned = job->best && row->run(job, row->variant) != PLAN_FAILED;
	job->problem = s->problem;
	if (!planned)
		return false;
	s->job->starved |= job->starved;
	mp_planner_job_step(s->job, job->spent);
	return true;
}

/* Puts a buffer without a base somewhere, so that few bytes move. */
static bool put_somewhere(struct search *s, uint32_t buffer, uint64_t until)
{
	uint64_t before = s->kept, cost = 0;
	bool fine = false;

	while (!fine && s->job->spent < until &&
		mp_planner_job_step(s->job, 1)) {
		remove_noted(s, buffer);
		fine = settle(s, before - cost);
		end_search(s);
		if (cost == before || s->hits.failed)
			break;
		cost = num_max(cost, 1 + s->problem->buffers[buffer].size / 4);
		cost = num_min(before, 2 * cost);
	}
	return fine;
}

/* Puts what sticks out of the limit elsewhere, the largest first. */
static bool put_below(struct search *s, const uint64_t *offsets, uint64_t shift)
{
	uint64_t until = s->job->spent + s->job->steps / TRY_SHARE;
	uint32_t n = s->problem->n_buffers;
	bool fine = true;

	begin_with(s, offsets, shift);
	for (uint32_t i = 0; i < n; i++)
		if (s->offsets[s->largest[i]] == NO_OFFSET)
			fine &= put_somewhere(s, s->largest[i], until);
	return fine;
}

/* If the plan handed in is to be as small as possible, and the one around what
 * stays is smaller, it is the one to go on from. */
static void take_smaller(struct search *s, const struct job *job)
{
	if (job->height >= s->limit || s->limit != s->job->height)
		return;
	s->limit = s->job->height = job->height;
	s->most = 0;
	memcpy(s->best, job->best, sizeof(*s->best) * s->problem->n_buffers);
}

static bool construct(struct search *s)
{
	struct job job;

	if (!plan_around(s, &job))
		return false;
	if (job.height == UINT64_MAX)
		return true;
	take_smaller(s, &job);
	if (job.height <= s->limit)
		begin_with(s, job.best, 0);
	if (job.height <= s->limit || put_below(s, job.best, 0))
		keep_better(s);
	return !s->hits.failed;
}

/* By how much the plan has to be higher, modulo 2^64, for the most bytes to lie
 * where they lay: old bases are counted by how far they are. */
static bool find_shift(struct search *s, uint64_t *shift)
{
	const struct near_plan *near = s->near;
	struct arena *arena = s->job->arena;
	uint64_t *far = NEW(arena, uint64_t, near->n_old);
	uint32_t *order = NEW(arena, uint32_t, near->n_old);
	uint32_t *spare = NEW(arena, uint32_t, near->n_old);
	uint64_t most = 0, bytes = 0;

	if (!far || !order || !spare)
		return false;
	for (uint32_t i = 0; i < near->n_old; i++) {
		far[i] = near->old[i].base - s->best[near->old[i].buffer];
		order[i] = i;
	}
	mp_sort_radix(order, spare, near->n_old, far);
	*shift = 0;
	for (uint32_t i = 0; i < near->n_old; i++) {
		if (i == 0 || far[order[i]] != far[order[i - 1]])
			bytes = 0;
		bytes += near->old[order[i]].bytes;
		if (bytes <= most)
			continue;
		most = bytes;
		*shift = far[order[i]];
	}
	return true;
}

/* A plan made anew is often the old one but for a buffer that changed ends, and
 * no bytes stay. Shifts it all, and puts what then sticks out elsewhere. */
static bool shift_all(struct search *s)
{
	uint64_t shift;

	if (mp_problem_has_fixed(s->problem))
		return true;
	if (!find_shift(s, &shift))
		return false;
	if (shift != 0 && put_below(s, s->best, shift))
		keep_better(s);
	return !s->hits.failed;
}

/* ----------------------------------------------------------- search */

/* Puts a buffer on an old base, if then more bytes can stay. */
static void go_back(struct search *s, const struct old_base *old)
{
	uint64_t before = s->kept;
	bool fine;

	remove_noted(s, old->buffer);
	if (!find_hits(s, old->buffer))
		return;
	mp_planner_hits_sweep(&s->hits, old->base);
	fine = s->hits.n_never == 0 && push_in(s, old->buffer, old->base) &&
	       settle(s, before + 1);
	if (!fine)
		undo_to(s, 0);
	end_search(s);
	if (fine)
		keep_better(s);
}

static bool is_away(const struct search *s, const struct old_base *old)
{
	return !is_fixed(s, old->buffer) &&
	       may_lie(s, old->buffer, old->base) &&
	       bytes_at(s, old->buffer, s->offsets[old->buffer]) < old->bytes;
}

/* Round after round, until no round lets more stay for a while. */
static bool search(struct search *s)
{
	bool away = true;

	begin_with(s, s->best, 0);
	while (away) {
		uint32_t n = s->near->n_old;
		uint64_t most = s->most;

		away = false;
		for (uint32_t i = 0; i < n && !s->hits.failed; i++) {
			const struct old_base *old = &s->near->old[i];

			if (!is_away(s, old))
				continue;
			away = true;
			if (!mp_planner_job_step(s->job, 8))
				return true;
			go_back(s, old);
		}
		if (s->most == most)
			break;
	}
	return !s->hits.failed;
}

static bool search_init(struct search *s)
{
	static const enum rank_key by_size[RANK_KEYS] = {RANK_SIZE};
	const struct problem *p = s->problem;
	struct arena *arena = s->job->arena;
	uint64_t bytes = p->total_size;
	size_t n = p->n_buffers;

	s->first_old = NEW(arena, uint32_t, n + 1);
	s->offsets = NEW(arena, uint64_t, n);
	s->weight = NEW(arena, uint64_t, n);
	s->largest = NEW(arena, uint32_t, n);
	s->best = mp_arena_copy(arena, s->job->best, n, sizeof(*s->best));
	if (!s->first_old || !s->offsets || !s->weight || !s->largest ||
		!s->best)
		return false;
	for (uint32_t i = 0, b = 0; b <= n; b++) {
		s->first_old[b] = i;
		for (; i < s->near->n_old && s->near->old[i].buffer == b; i++)
			bytes = num_max(bytes, s->near->old[i].bytes);
	}
	assert(s->first_old[n] == s->near->n_old);
	s->unit = (bytes >> UNIT_BITS) + 1;
	s->most = s->kept = mp_planner_near_kept(s->near, s->best);
	return sort_old(s) &&
	       mp_planner_rank_buffers(p, by_size, s->largest, arena) &&
	       mp_planner_conflicts_init(&s->conflicts, p, arena) &&
	       mp_planner_hits_init(&s->hits, &s->conflicts, s->weight, arena);
}

bool mp_planner_near(struct job *job, struct near_plan *near)
{
	struct search s = {.job = job,
		.problem = job->problem,
		.near = near,
		.limit = near->limit};

	assert(mp_planner_job_is_sound(job) && job->height <= near->limit);
	if (!search_init(&s))
		return false;
	if (!construct(&s) || !shift_all(&s) || !search(&s))
		return false;
	near->kept = mp_planner_near_kept(near, s.best);
	job->height = UINT64_MAX;
	return mp_planner_job_offer(job, s.best);
}
