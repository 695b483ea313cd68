/*
 * Which rests are used: what helps most for its time is added, what is not
 * needed is taken back.
 *
 * SPDX-License-Identifier: MIT
 */
#include "budget/inside.h"

#include <assert.h>
#include <stddef.h>

#include "base/search.h"
#include "base/sort.h"

__extension__ typedef unsigned __int128 product;

/* ----------------------------------------------------------- making */

static uint64_t time_of(const struct candidate *one)
{
	return one->write + one->read + one->again;
}

/* By time, the slowest first. */
static bool sort_candidates(struct choice *c, struct arena *arena)
{
	uint64_t *key = NEW(arena, uint64_t, c->n);
	uint32_t *scratch = NEW(arena, uint32_t, c->n);

	c->order = NEW(arena, uint32_t, c->n);
	if (!key || !scratch || !c->order)
		return false;
	for (uint32_t i = 0; i < c->n; i++) {
		c->order[i] = i;
		key[i] = ~time_of(&c->at[i]);
	}
	mp_sort_radix(c->order, scratch, c->n, key);
	return true;
}

/* Where everything fits as it is, no tensor needs to leave: bytes are missing
 * at other steps only, however the copies run. */
static bool drop_useless(struct choice *c)
{
	const struct problem *p = c->problem;
	struct arena *arena = c->job->arena;
	struct arena_mark mark = mp_arena_mark(arena);
	uint32_t *over = NEW(arena, uint32_t, (size_t)p->n_steps + 1), n = 0;

	if (!over)
		return false;
	for (uint32_t k = 0; k < p->n_steps; k++)
		over[k + 1] = over[k] + (p->load[k] > c->job->target);
	for (uint32_t i = 0; i < c->n; i++) {
		const struct detour *d = &c->at[i].detour;

		if (over[d->next_use] > over[d->last_use + 1])
			c->at[n++] = c->at[i];
	}
	c->n = n;
	mp_arena_rewind(arena, mark);
	return true;
}

/* ------------------------------------------------------------ rests */

enum {
	BLOCK = 64 /* rests that are passed over at once */
};

static bool same_rest(const struct candidate *a, const struct candidate *b)
{
	return a->detour.tensor == b->detour.tensor &&
	       a->detour.last_use == b->detour.last_use;
}

static void add_to_rest(struct choice *c, uint32_t candidate)
{
	struct candidate *one = &c->at[candidate];
	const struct detour *d = &one->detour;
	struct rest *rest;

	if (candidate == 0 || !same_rest(one, one - 1))
		c->rests[c->n_rests++] =
			(struct rest){d->last_use, d->next_use, one->size,
				{UINT64_MAX, UINT64_MAX}, candidate, 0, false};
	one->rest = c->n_rests - 1;
	rest = &c->rests[one->rest];
	rest->n++;
	rest->fastest[1] = num_min(rest->fastest[1], time_of(one));
	if (!d->recompute)
		rest->fastest[0] = num_min(rest->fastest[0], time_of(one));
}

static bool list_rests(struct choice *c, struct arena *arena)
{
	c->rests = NEW(arena, struct rest, c->n);
	c->earliest = NEW(arena, uint32_t, c->n / BLOCK + 1);
	if (!c->rests || !c->earliest)
		return false;
	for (uint32_t i = 0; i < c->n; i++)
		add_to_rest(c, i);
	for (uint32_t i = 0; i < c->n_rests; i++) {
		uint32_t *earliest = &c->earliest[i / BLOCK];

		assert(i == 0 ||
			c->rests[i - 1].next_use <= c->rests[i].next_use);
		if (i % BLOCK == 0 || c->rests[i].last_use < *earliest)
			*earliest = c->rests[i].last_use;
	}
	return true;
}

bool mp_budget_choice_init(struct choice *c, struct budget_job *job)
{
	const struct problem *p = &job->schedule->problem;
	struct arena *arena = job->arena;
	size_t n_steps = (size_t)p->n_steps + 2;

	*c = (struct choice){.job = job, .problem = p, .work = job->work};
	if (!mp_budget_rests_find(job, &c->at, &c->n) || !drop_useless(c) ||
		!mp_budget_pace_init(&c->pace, job, c->at, c->n) ||
		!sort_candidates(c, arena) || !list_rests(c, arena))
		return false;
	c->load = NEW(arena, uint64_t, n_steps);
	c->born = NEW(arena, uint64_t, n_steps);
	c->over = NEW(arena, uint32_t, n_steps);
	c->best = NEW(arena, bool, c->n);
	c->begin = NEW(arena, bool, c->n);
	c->chosen = NEW(arena, uint32_t, c->n);
	c->place = NEW(arena, uint32_t, c->n);
	if (!c->load || !c->born || !c->over || !c->best || !c->begin ||
		!c->chosen || !c->place)
		return false;
	/* What takes over in place has the bytes of another before. */
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		const struct part *part = &p->parts[p->buffers[i].first_part];

		c->born[part->start] += part->size;
	}
	mp_budget_choice_set(c, NULL);
	return true;
}

/* ------------------------------------------------------------ loads */

static uint64_t level(const struct choice *c, uint32_t step)
{
	return c->load[step] + c->pace.extra[step];
}

static bool is_over(const struct choice *c, uint32_t step)
{
	return level(c, step) > c->job->target;
}

static void spend(struct choice *c, uint64_t work)
{
	mp_watch_tell(&c->job->watch, 0);
	c->work -= num_min(c->work, work);
	if (c->job->stop &&
		atomic_load_explicit(c->job->stop, memory_order_relaxed))
		c->work = 0;
}

/* What an op needs to run again, beside what is alive between two steps. */
static void find_extra(struct choice *c, uint32_t step)
{
	struct ids ends = mp_lists_at(&c->pace.by_next, step);
	uint64_t need = 0;

	for (uint32_t i = 0; i < ends.n; i++) {
		const struct candidate *one = &c->at[ends.at[i]];

		if (one->chosen)
			need = num_max(need, one->need);
	}
	c->pace.extra[step] = need > c->born[step] ? need - c->born[step] : 0;
}

/* In the list of those that are chosen. */
static void list_chosen(struct choice *c, uint32_t candidate)
{
	struct candidate *one = &c->at[candidate];
	uint32_t last;

	c->rests[one->rest].used = one->chosen;
	if (one->chosen) {
		c->place[candidate] = c->n_chosen;
		c->chosen[c->n_chosen++] = candidate;
		return;
	}
	last = c->chosen[--c->n_chosen];
	c->chosen[c->place[candidate]] = last;
	c->place[last] = c->place[candidate];
}

void mp_budget_choice_toggle(struct choice *c, uint32_t candidate)
{
	struct candidate *one = &c->at[candidate];
	uint32_t next = one->detour.next_use;

	assert(candidate < c->n && next < c->problem->n_steps);
	spend(c, next - one->detour.last_use);
	one->chosen = !one->chosen;
	list_chosen(c, candidate);
	for (uint32_t k = one->detour.last_use + 1; k < next; k++) {
		c->n_over -= is_over(c, k);
		c->load[k] += one->chosen ? -one->size : one->size;
		c->n_over += is_over(c, k);
	}
	c->n_over -= is_over(c, next);
	find_extra(c, next);
	c->n_over += is_over(c, next);
}

/* Chooses one while loads are sums of differences, and extra is what is needed.
 */
static void choose(struct choice *c, uint32_t candidate)
{
	struct candidate *one = &c->at[candidate];
	const struct detour *d = &one->detour;
	uint64_t *extra = &c->pace.extra[d->next_use];

	spend(c, d->next_use - d->last_use);
	one->chosen = true;
	list_chosen(c, candidate);
	c->load[d->last_use + 1] -= one->size;
	c->load[d->next_use] += one->size;
	*extra = num_max(*extra, one->need);
}

void mp_budget_choice_set(struct choice *c, const bool *chosen)
{
	uint64_t change = 0;

	spend(c, c->n + c->problem->n_steps);
	for (uint32_t k = 0; k < c->problem->n_steps; k++)
		c->pace.extra[k] = c->load[k] = 0;
	c->n_over = c->n_chosen = 0;
	for (uint32_t i = 0; i < c->n_rests; i++)
		c->rests[i].used = false;
	for (uint32_t i = 0; i < c->n; i++) {
		c->at[i].chosen = c->at[i].tried = false;
		if (chosen && chosen[i])
			choose(c, i);
	}
	for (uint32_t k = 0; k < c->problem->n_steps; k++) {
		uint64_t *extra = &c->pace.extra[k];

		change += c->load[k];
		c->load[k] = c->problem->load[k] + change;
		*extra -= num_min(*extra, c->born[k]);
		c->n_over += is_over(c, k);
	}
}

/* Fills over, peak and peak_step. */
static void find_worst(struct choice *c)
{
	c->peak = 0;
	c->over[0] = 0;
	for (uint32_t k = 0; k < c->problem->n_steps; k++) {
		c->over[k + 1] = c->over[k] + is_over(c, k);
		if (level(c, k) <= c->peak)
			continue;
		c->peak = level(c, k);
		c->peak_step = k;
	}
}

/* ----------------------------------------------------------- adding */

/* Do the ops that make a tensor again read this one, which is away then? */
static bool reads_absent(
	const struct candidate *again, const struct candidate *away)
{
	uint32_t step = again->detour.next_use;

	if (away->detour.last_use >= step || away->detour.next_use <= step)
		return false;
	for (uint32_t i = 0; i < again->n_inputs; i++)
		if (again->inputs[i] == away->detour.tensor)
			return true;
	return false;
}

bool mp_budget_choice_clash(
	const struct candidate *a, const struct candidate *b)
{
	return same_rest(a, b) || reads_absent(a, b) || reads_absent(b, a);
}

bool mp_budget_choice_is_open(
	const struct choice *c, const struct candidate *one)
{
	return c->again || !one->detour.recompute;
}

static bool is_possible(struct choice *c, const struct candidate *one)
{
	uint32_t next = one->detour.next_use;

	if (one->need > c->born[next] &&
		c->load[next] + (one->need - c->born[next]) > c->job->target)
		return false;
	spend(c, c->again ? c->n : 0);
	for (uint32_t i = 0; c->again && i < c->n_chosen; i++)
		if (mp_budget_choice_clash(one, &c->at[c->chosen[i]]))
			return false;
	return true;
}

/* How good a candidate is: bytes above the target that go, over all steps, for
 * the time it takes. Times of more than a century a byte would overflow; none
 * are. */
struct worth {
	product gain;
	uint64_t time;
};

static bool is_better(const struct worth *a, const struct worth *b)
{
	return a->gain * ((product)b->time + 1) >
	       b->gain * ((product)a->time + 1);
}

static product gain_of(const struct choice *c, const struct rest *rest)
{
	uint64_t excess = c->peak - c->job->target;
	product gain = num_min(rest->size, excess);

	assert(c->peak > c->job->target);
	return gain * (c->over[rest->next_use] - c->over[rest->last_use + 1]);
}

/* The fastest candidate of a rest that may be chosen and was not tried, if it
 * is better. */
static struct candidate *pick_of_rest(
	const struct choice *c, const struct rest *rest, struct worth *best)
{
	struct worth worth = {gain_of(c, rest), rest->fastest[c->again]};
	struct candidate *found = NULL;

	if (worth.time == UINT64_MAX || !is_better(&worth, best))
		return NULL;
	for (uint32_t i = rest->first; i < rest->first + rest->n; i++) {
		struct candidate *one = &c->at[i];

		worth.time = time_of(one);
		if (one->tried || !mp_budget_choice_is_open(c, one) ||
			!is_better(&worth, best))
			continue;
		*best = worth;
		found = one;
	}
	return found;
}

/* The first rest that ends behind the worst step. */
static uint32_t first_behind(const struct choice *c)
{
	return mp_search_key_u32(c->rests, sizeof(*c->rests),
		offsetof(struct rest, next_use), c->n_rests, c->peak_step + 1);
}

static struct candidate *pick_best(const struct choice *c)
{
	struct candidate *best = NULL, *found;
	struct worth worth = {0, 0};

	for (uint32_t i = first_behind(c); i < c->n_rests; i++) {
		const struct rest *rest = &c->rests[i];

		if (i % BLOCK == 0 && c->earliest[i / BLOCK] >= c->peak_step) {
			i += BLOCK - 1;
			continue;
		}
		if (rest->used || rest->last_use >= c->peak_step)
			continue;
		found = pick_of_rest(c, rest, &worth);
		best = found ? found : best;
	}
	return best;
}

static struct candidate *pick(struct choice *c)
{
	struct candidate *best = pick_best(c);

	while (best && !is_possible(c, best)) {
		best->tried = true;
		best = pick_best(c);
	}
	return best;
}

void mp_budget_choice_add_until_it_fits(struct choice *c)
{
	struct candidate *best;

	while (c->n_over > 0) {
		find_worst(c);
		spend(c, c->n + c->problem->n_steps);
		best = pick(c);
		if (!best)
			return;
		mp_budget_choice_toggle(c, (uint32_t)(best - c->at));
	}
}

/* ------------------------------------------------------ taking back */

static bool is_needed(struct choice *c, const struct candidate *one)
{
	uint32_t k = one->detour.last_use + 1;

	while (k < one->detour.next_use &&
		level(c, k) + one->size <= c->job->target)
		k++;
	spend(c, k - one->detour.last_use);
	return k < one->detour.next_use;
}

void mp_budget_choice_take_back(struct choice *c)
{
	spend(c, c->n);
	for (uint32_t i = 0; i < c->n && c->n_over == 0; i++) {
		uint32_t one = c->order[i];

		if (c->at[one].chosen && !c->at[one].tried &&
			!is_needed(c, &c->at[one]))
			mp_budget_choice_toggle(c, one);
	}
}

/* ------------------------------------------------------------- best */

/* One that fits and is faster; where none fits, one that leaves less. */
static bool is_improvement(
	const struct budget_job *job, uint64_t time, uint64_t peak)
{
	bool fits = peak <= job->target;

	if (job->reached == 0)
		return true;
	if (fits != (job->reached <= job->target))
		return fits;
	if (!fits && peak != job->reached)
		return peak < job->reached;
	return time < job->nanoseconds;
}

bool mp_budget_choice_keep_best(struct choice *c)
{
	struct budget_job *job = c->job;
	uint64_t time = mp_budget_pace_run(&c->pace), peak = c->pace.peak;

	spend(c, mp_budget_pace_work(&c->pace));
	if (!is_improvement(job, time, peak))
		return false;
	for (uint32_t i = 0; i < c->n; i++)
		c->best[i] = c->at[i].chosen;
	job->reached = num_max(peak, 1);
	job->reached_step = c->pace.peak_step;
	job->nanoseconds = time;
	return true;
}
