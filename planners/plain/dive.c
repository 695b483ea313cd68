/*
 * One dive: see dive.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/dive.h"

#include <assert.h>
#include <string.h>

enum {
	SECTIONS_PER_LOOK = 64,	 /* sections that lose slack in the time of a
				    look at a node of the tree */
	ITEMS_PER_LOOK = 2,	 /* items made ready for a dive, likewise */
	LOOKS_PER_STEP = 5,	 /* looks in 100 ns */
	STEPS_AT_ONCE = 128,	 /* fewest steps that the job is charged with */
	LEAST_CUT = 20000,	 /* items of a loop for several threads */
	LEAST_IN_HALVES = 50000, /* items of a dive that is cut in two, */
	BEFORE_HALVES = 32,	 /* when such a part of them is placed, */
	MOST_BEFORE = 4096,	 /* or so many items: a layer of very many */
	LOOKS_A_TURN = 1 << 16,	 /* looks of a half until the other's turn */
	FIRST_VALUE = INT32_MAX, /* of a rank; better ones have room below */
	MOST_TAKEN_BACK = 4	 /* a dive takes back what it placed if that is
				    less than such a part of all */
};

/* ---------------------------------------------------------- plateau */

struct flat_run {
	uint32_t start, end;
	int64_t floor;
};

/* The maximal run of segments as high as this one. Joins them to one, which is
 * the same skyline: so no walk over a wide plateau meets them again. */
static struct flat_run find_plateau(struct skyline *s, uint32_t segment)
{
	struct flat_run p = {segment, mp_planner_skyline_next(s, segment),
		s->floor[segment]};

	while (p.end < s->n_sections && s->floor[p.end] == p.floor) {
		mp_planner_skyline_join(s, p.end);
		p.end = mp_planner_skyline_next(s, p.end);
	}
	while (p.start > s->from) {
		segment = mp_planner_skyline_segment(s, p.start - 1);
		if (s->floor[segment] != p.floor)
			break;
		mp_planner_skyline_join(s, p.start);
		p.start = segment;
	}
	return p;
}

/* Places an item on a segment that it lies within. */
static void place_item(
	struct dive *d, uint32_t item, uint32_t segment, uint32_t end)
{
	struct skyline *s = &d->skyline;
	uint32_t first = d->packing->start[item], last = d->packing->end[item];
	int64_t floor = s->floor[segment];

	assert(d->offset[item] < 0 && segment <= first && last <= end);
	mp_planner_range_tree_take(&d->tree, item, &d->looks);
	d->offset[item] = floor;
	if (d->placed)
		d->placed[d->n_placed] = item;
	d->n_placed++;
	if (last < end) {
		mp_planner_skyline_split(s, last);
		s->floor[last] = floor;
	}
	if (first > segment)
		mp_planner_skyline_split(s, first);
	s->floor[first] = floor + d->packing->size[item];
}

void mp_planner_dive_place(struct dive *d, uint32_t item)
{
	uint32_t segment = mp_planner_skyline_segment(
		&d->skyline, d->packing->start[item]);

	place_item(d, item, segment,
		mp_planner_skyline_next(&d->skyline, segment));
}

/* The list of the items of a value, and of some others. */
static uint32_t *list_of(const struct dive *d, uint32_t value)
{
	return &d->first[value % d->packing->n_items];
}

/* The first item of a value that lies within. */
static uint32_t first_of_value(
	const struct dive *d, uint32_t value, uint32_t start, uint32_t end)
{
	const struct packing *p = d->packing;
	uint32_t first = NONE;

	for (uint32_t i = *list_of(d, value); i != NONE; i = d->next[i])
		if (i < first && d->value[i] == value && d->offset[i] < 0 &&
			p->start[i] >= start && p->end[i] <= end)
			first = i;
	assert(first != NONE);
	return first;
}

/* The best item that lies within; NONE: none does. */
static uint32_t best_within(struct dive *d, uint32_t start, uint32_t end)
{
	uint32_t rank;

	if (!d->value)
		return mp_planner_range_tree_item(
			&d->tree, start, end, &d->looks);
	rank = mp_planner_range_tree_best(&d->tree, start, end, &d->looks);
	if (rank == NONE)
		return NONE;
	d->looks++;
	return first_of_value(d, rank, start, end);
}

/* The best item that lies within the plateau leaves a part of it on either
 * side, which is filled likewise. */
static void fill_plateau(struct dive *d, const struct flat_run *p)
{
	uint32_t segment = p->start, end, best;

	while (segment < p->end) {
		end = mp_planner_skyline_next(&d->skyline, segment);
		best = NONE;
		if (d->skyline.floor[segment] == p->floor)
			best = best_within(d, segment, end);
		if (best == NONE)
			segment = end;
		else
			place_item(d, best, segment, end);
	}
}

int64_t mp_planner_dive_before(const struct dive *d, uint32_t section)
{
	const struct skyline *s = &d->skyline;

	if (section == s->from)
		return INT64_MAX;
	return s->floor[mp_planner_skyline_segment(s, section - 1)];
}

int64_t mp_planner_dive_behind(const struct dive *d, uint32_t section)
{
	const struct skyline *s = &d->skyline;

	return section == s->n_sections ? INT64_MAX : s->floor[section];
}

/* Takes the bytes lost in sections [start, end) of one span from their slack.
 * Less than 0: some slack is spent. */
static int64_t spend_in_span(
	struct dive *d, uint32_t start, uint32_t end, int64_t lost)
{
	struct slack_span *span = &d->spans[start / SLACK_SPAN];
	int64_t least = span->least;

	for (uint32_t s = start; s < end; s++) {
		d->slack[s] -= lost;
		least = d->slack[s] < least ? d->slack[s] : least;
	}
	span->least = least;
	return least - span->lost;
}

/* The same of any sections. All signs at once take half the time. */
static void spend_slack(
	struct dive *d, uint32_t start, uint32_t end, int64_t lost)
{
	uint32_t first = start / SLACK_SPAN + 1, last = end / SLACK_SPAN;
	int64_t signs;

	if (d->target == INT64_MAX)
		return;
	d->looks += (end - start) / SECTIONS_PER_LOOK;
	for (uint32_t k = start / SLACK_SPAN; d->value && k <= last; k++)
		bits_add(&d->touched, k + 1);
	if (first > last) {
		signs = spend_in_span(d, start, end, lost);
	} else {
		signs = spend_in_span(d, start, first * SLACK_SPAN, lost);
		for (uint32_t k = first; k < last; k++) {
			d->spans[k].lost += lost;
			signs |= d->spans[k].least - d->spans[k].lost;
		}
		signs |= spend_in_span(d, last * SLACK_SPAN, end, lost);
	}
	for (uint32_t s = start; signs < 0 && d->failed == NONE; s++)
		if (d->slack[s] < d->spans[s / SLACK_SPAN].lost)
			d->failed = s;
}

/* Raises a segment on which no item fits to its lower neighbour. */
static void raise_segment(struct dive *d, uint32_t start, uint32_t end)
{
	struct skyline *s = &d->skyline;
	int64_t before = mp_planner_dive_before(d, start),
		behind = mp_planner_dive_behind(d, end);

	if (start > s->from && before <= behind) {
		spend_slack(d, start, end, before - s->floor[start]);
		mp_planner_skyline_join(s, start);
	} else if (end < s->n_sections) {
		spend_slack(d, start, end, behind - s->floor[start]);
		mp_planner_skyline_join(s, end);
		s->floor[start] = behind;
	}
}

static void close_plateau(struct dive *d, const struct flat_run *p)
{
	uint32_t next;

	for (uint32_t s = p->start; s < p->end; s = next) {
		next = mp_planner_skyline_next(&d->skyline, s);
		if (d->skyline.floor[s] == p->floor)
			raise_segment(d, s, next);
	}
}

/* ------------------------------------------------------------- dive */

static void reset_items(void *context, uint32_t from, uint32_t to)
{
	const struct dive *d = context;

	for (uint32_t i = from; i < to; i++)
		d->offset[i] = -1;
}

static void reset_spans(void *context, uint32_t from, uint32_t to)
{
	const struct dive *d = context;
	const struct packing *p = d->packing;

	for (uint32_t k = from; k < to; k++) {
		uint32_t s = k * SLACK_SPAN;
		uint32_t end = (uint32_t)num_min(s + SLACK_SPAN, p->n_sections);
		int64_t least = INT64_MAX;

		for (; s < end; s++) {
			d->slack[s] = d->target - p->load[s];
			least = d->slack[s] < least ? d->slack[s] : least;
		}
		d->spans[k] = (struct slack_span){0, least};
	}
}

/* Makes one segment of height 0, and no item placed. */
static void reset(struct dive *d, struct threads *threads)
{
	const struct packing *p = d->packing;

	mp_planner_skyline_clear(&d->skyline);
	d->looks += p->n_items / ITEMS_PER_LOOK;
	mp_threads_cut(threads, p->n_items, LEAST_CUT, reset_items, d);
	if (d->value)
		mp_planner_range_tree_values(&d->tree, d->value, threads);
	else
		mp_planner_range_tree_rank(&d->tree, d->order, threads);
	if (d->target != INT64_MAX)
		mp_threads_cut(threads, p->n_sections / SLACK_SPAN + 1,
			LEAST_CUT / SLACK_SPAN, reset_spans, d);
	d->made_for = d->target;
	if (d->value) {
		bits_clear(&d->touched);
		bits_add(&d->touched, d->touched.n - 1);
	}
}

/* Does the same to a dive by value, in the time that the last one took. */
static void take_back(struct dive *d)
{
	struct skyline *s = &d->skyline;
	uint32_t end = d->touched.n - 1, next;

	d->looks = 2 * (uint64_t)d->n_placed;
	for (uint32_t k = 0; k < d->n_placed; k++) {
		uint32_t item = d->placed[k];

		d->offset[item] = -1;
		mp_planner_range_tree_put(
			&d->tree, item, d->value[item], &d->looks);
	}
	for (uint32_t k = bits_above(&s->starts, 0); k < s->n_sections;
		k = next) {
		next = bits_above(&s->starts, k);
		mp_planner_skyline_join(s, k);
	}
	s->floor[0] = 0;
	for (uint32_t k = bits_above(&d->touched, 0); k < end; k = next) {
		next = bits_above(&d->touched, k);
		bits_remove(&d->touched, k);
		reset_spans(d, k - 1, k);
	}
}

static void begin(struct dive *d, struct threads *threads)
{
	assert(d->n_focus == 0 || d->target != INT64_MAX);
	d->looks = d->charged = 0;
	if (d->value && d->made_for == d->target &&
		d->n_placed < d->packing->n_items / MOST_TAKEN_BACK)
		take_back(d);
	else
		reset(d, threads);
	d->n_placed = 0;
	d->position = d->n_focus > 0 ? d->focus[0] : d->packing->peak;
	d->n_full = 0;
	d->failed = NONE;
}

/* The section of the focus that is filled now; NONE: all are. */
static uint32_t focus_of(const struct dive *d)
{
	return d->n_full < d->n_focus ? d->focus[d->n_full] : NONE;
}

/* Of a plateau with lower neighbours: does the one before it come first? In a
 * half all that is farther from the cut descends, so that no plateau is left
 * out. With a focus what lies towards it comes first: it does not rest on what
 * is beyond a higher plateau. */
static bool goes_before(const struct dive *d, const struct flat_run *p,
	int64_t before, int64_t behind)
{
	uint32_t focus = focus_of(d);

	if (before >= p->floor || behind >= p->floor)
		return before < p->floor;
	if (d->part != WHOLE)
		return d->part == FIRST_HALF;
	if (focus != NONE && (p->end <= focus || p->start > focus))
		return p->start > focus;
	return before <= behind;
}

/* From where the last plateau was, down to one that has no lower neighbour. Any
 * such plateau may be next: what is placed on one depends on no other. Staying
 * near keeps to memory that is in the cache. */
static struct flat_run walk_down(struct dive *d)
{
	struct skyline *s = &d->skyline;
	struct flat_run p =
		find_plateau(s, mp_planner_skyline_segment(s, d->position));
	int64_t before, behind;

	for (;;) {
		before = mp_planner_dive_before(d, p.start);
		behind = mp_planner_dive_behind(d, p.end);
		if (before >= p.floor && behind >= p.floor)
			return p;
		if (goes_before(d, &p, before, behind))
			p = find_plateau(
				s, mp_planner_skyline_segment(s, p.start - 1));
		else
			p = find_plateau(s, p.end);
	}
}

/* Tells the job of the work since the last time, not too often. */
static bool charge(struct dive *d, struct job *job)
{
	uint64_t steps = (d->looks - d->charged) / LOOKS_PER_STEP;

	if (steps < STEPS_AT_ONCE)
		return true;
	d->charged = d->looks;
	return mp_planner_job_step(job, steps);
}

static bool is_at_cut(const struct dive *d, const struct flat_run *plateau)
{
	return d->part == FIRST_HALF
		       ? plateau->end == d->skyline.n_sections
		       : d->part == SECOND_HALF &&
				 plateau->start == d->skyline.from;
}

enum go_on {
	STOPPED, /* by the job */
	ENDED,	 /* failed, or all is placed that is to be, or at the cut */
	GOES_ON	 /* so many looks are done */
};

/* All that is alive in a section is placed: what is above the lost bytes is its
 * load. */
static bool is_full(const struct dive *d, uint32_t section)
{
	const struct skyline *s = &d->skyline;
	int64_t floor = s->floor[mp_planner_skyline_segment(s, section)];
	int64_t slack = d->slack[section] - d->spans[section / SLACK_SPAN].lost;

	assert(floor <= d->target - slack);
	return floor == d->target - slack;
}

/* What is full needs no more; the next of the focus comes first then. */
static void go_to_focus(struct dive *d)
{
	uint32_t n_full = d->n_full;

	while (d->n_full < d->n_focus && is_full(d, d->focus[d->n_full]))
		d->n_full++;
	if (d->n_full > n_full && d->n_full < d->n_focus)
		d->position = d->focus[d->n_full];
}

/* Where to go on: on the side of the focus, so that nothing else is filled. */
static uint32_t position_in(
	const struct dive *d, const struct flat_run *plateau)
{
	uint32_t focus = focus_of(d);

	if (d->part == SECOND_HALF || (focus != NONE && plateau->end <= focus))
		return plateau->end - 1;
	return focus != NONE && plateau->start <= focus ? focus
							: plateau->start;
}

/* Works on plateaus until so many items are placed or looked at. */
static enum go_on go_on(
	struct dive *d, struct job *job, uint32_t n_placed, uint64_t looks)
{
	struct flat_run plateau;

	while (d->failed == NONE && d->n_placed < n_placed) {
		if (!charge(d, job))
			return STOPPED;
		if (d->looks >= looks)
			return GOES_ON;
		go_to_focus(d);
		plateau = walk_down(d);
		if (is_at_cut(d, &plateau))
			break;
		d->looks++;
		d->position = position_in(d, &plateau);
		if (d->fill && d->fill(d, plateau.start, plateau.end))
			continue;
		if (!d->fill)
			fill_plateau(d, &plateau);
		close_plateau(d, &plateau);
	}
	return ENDED;
}

/* ----------------------------------------------------------- halves */

/* What is placed on a plateau depends on no other. So the skyline of a long
 * dive is cut in two as soon as it has some segments, and each half is worked
 * on by itself, in another thread if one is idle, else in turn. A half leaves
 * the plateau at the cut alone, and ends when there is no other; then the dive
 * goes on with the whole. What comes out does not depend on the threads: each
 * half has half of the budget, and where one fails the other does not count
 * from as many looks on. */
struct half {
	struct dive dive;
	struct job job;
	bool stopped;
	atomic_ullong failed_at; /* after so many looks; UINT64_MAX: it has
				    not failed */
};

/* True: it goes on in its next turn. */
static bool run_half(void *context, uint32_t i)
{
	struct half *halves = context, *half = &halves[i];
	struct dive *d = &half->dive;
	enum go_on answer;

	if (d->looks >= atomic_load(&halves[1 - i].failed_at))
		return false;
	answer = go_on(d, &half->job, NONE, d->looks + LOOKS_A_TURN);
	half->stopped = answer == STOPPED;
	if (half->stopped || d->failed != NONE)
		atomic_store(&half->failed_at, d->looks);
	return answer == GOES_ON;
}

/* Makes the second half of a dive that is cut at a section: its segments and
 * its items. A segment across the cut is two that are as high. */
static void cut_at(struct dive *d, struct dive *second, uint32_t cut)
{
	struct skyline *s = &d->skyline;
	uint32_t n = s->n_sections;

	s->floor[cut] = s->floor[mp_planner_skyline_segment(s, cut)];
	mp_planner_skyline_split(s, cut);
	second->skyline.from = cut;
	second->skyline.starts = d->starts;
	bits_clear(&second->skyline.starts);
	for (uint32_t k = cut; k < n; k = bits_above(&s->starts, k)) {
		if (k > cut)
			bits_remove(&s->starts, k);
		bits_add(&second->skyline.starts, k);
	}
	bits_remove(&s->starts, n);
	bits_add(&second->skyline.starts, n);
	s->n_sections = cut;
	second->tree =
		mp_planner_range_tree_part(&d->tree, d->packing->first[cut]);
}

/* Joins them again; what they have in common is that of the dive. */
static void join_halves(struct dive *d, struct half halves[2])
{
	const struct skyline *s = &halves[1].dive.skyline;
	uint32_t n = s->n_sections;

	for (uint32_t k = s->from; k < n; k = bits_above(&s->starts, k))
		bits_add(&d->skyline.starts, k);
	bits_add(&d->skyline.starts, n);
	mp_planner_range_tree_join(&halves[0].dive.tree, &halves[1].dive.tree);
	d->position = s->from;
}

static void start_half(struct half *half, const struct dive *d,
	const struct job *job, enum dive_part part)
{
	*half = (struct half){.dive = *d, .job = *job};
	half->dive.part = part;
	half->dive.looks = half->dive.charged = 0;
	half->dive.n_placed = 0;
	half->dive.position =
		part == SECOND_HALF ? d->skyline.n_sections - 1 : 0;
	half->job.steps = job->steps / 2;
	half->job.progress = NULL;
	atomic_init(&half->failed_at, UINT64_MAX);
}

/* Adds what has come of both. False: the job says to stop. */
static bool end_halves(
	struct dive *d, struct job *job, const struct half halves[2])
{
	const struct half *failed = &halves[atomic_load(&halves[1].failed_at) <
					    atomic_load(&halves[0].failed_at)];
	uint64_t most = atomic_load(&failed->failed_at);

	for (uint32_t i = 0; i < 2; i++) {
		d->looks += num_min(halves[i].dive.looks, most);
		d->n_placed += halves[i].dive.n_placed;
	}
	d->failed = failed->dive.failed;
	job->cut_short |= failed->job.cut_short;
	return charge(d, job) && !failed->stopped;
}

/* False: the job says to stop. */
static bool run_halves(struct dive *d, struct job *job)
{
	uint32_t cut = d->packing->start[d->packing->n_items / 2];
	struct half halves[2];

	cut = cut / SLACK_SPAN * SLACK_SPAN; /* a span is in one half */
	if (cut == 0 || d->failed != NONE)
		return true;
	start_half(&halves[0], d, job, FIRST_HALF);
	start_half(&halves[1], d, job, SECOND_HALF);
	cut_at(&halves[0].dive, &halves[1].dive, cut);
	mp_threads_run(job->threads, 2, run_half, halves);
	join_halves(d, halves);
	return end_halves(d, job, halves);
}

bool mp_planner_dive(struct dive *d, struct job *job)
{
	uint32_t n = d->packing->n_items;
	uint32_t before = (uint32_t)num_min(n / BEFORE_HALVES, MOST_BEFORE);

	assert(d->target >= 0 && n > 0);
	begin(d, job->threads);
	if (d->packing->max_load > d->target)
		return false;
	for (uint32_t most = d->in_halves ? before : n;; most = n) {
		if (go_on(d, job, most, UINT64_MAX) == STOPPED)
			return false;
		if (most == n)
			break;
		if (!run_halves(d, job))
			return false;
	}
	mp_planner_job_step(job, (d->looks - d->charged) / LOOKS_PER_STEP);
	return d->failed == NONE;
}

int64_t mp_planner_dive_height(const struct dive *d)
{
	int64_t height = 0;

	for (uint32_t i = 0; i < d->packing->n_items; i++)
		if (d->offset[i] + d->packing->size[i] > height)
			height = d->offset[i] + d->packing->size[i];
	return height;
}

/* ------------------------------------------------------------- room */

bool mp_planner_dive_init(struct dive *d, const struct packing *packing,
	const enum rank_key keys[RANK_KEYS], int64_t *offset,
	struct arena *arena)
{
	assert(offset);
	*d = (struct dive){
		.packing = packing, .target = INT64_MAX, .offset = offset};
	d->order = NEW(arena, uint32_t, packing->n_items);
	d->slack = NEW(arena, int64_t, packing->n_sections);
	d->spans = NEW(
		arena, struct slack_span, packing->n_sections / SLACK_SPAN + 1);
	if (!d->order || !d->slack || !d->spans ||
		!mp_planner_range_tree_init(&d->tree, packing, arena) ||
		!mp_planner_skyline_init(
			&d->skyline, packing->n_sections, arena))
		return false;
	mp_planner_dive_rank(d, keys, arena->threads);
	return true;
}

bool mp_planner_dive_in_halves(struct dive *d, struct arena *arena)
{
	d->in_halves = d->packing->n_items >= LEAST_IN_HALVES;
	return !d->in_halves ||
	       bits_init(&d->starts, d->packing->n_sections + 1, arena);
}

static void set_value(struct dive *d, uint32_t item, uint32_t value)
{
	uint32_t *first = list_of(d, value);

	d->value[item] = value;
	d->next[item] = *first;
	*first = item;
}

static void lower_value(struct dive *d, uint32_t item, uint32_t by)
{
	uint32_t value = d->value[item];
	uint32_t *at = list_of(d, value);

	while (*at != item)
		at = &d->next[*at];
	*at = d->next[item];
	set_value(d, item, value - (uint32_t)num_min(value, by));
}

bool mp_planner_dive_by_value(struct dive *d, struct arena *arena)
{
	const struct packing *p = d->packing;

	assert(!d->in_halves);
	d->value = NEW(arena, uint32_t, p->n_items);
	d->first = NEW(arena, uint32_t, p->n_items);
	d->next = NEW(arena, uint32_t, p->n_items);
	d->placed = NEW(arena, uint32_t, p->n_items);
	if (!d->value || !d->first || !d->next || !d->placed ||
		!bits_init(&d->touched, p->n_sections / SLACK_SPAN + 3, arena))
		return false;
	memset(d->first, 0xff, sizeof(*d->first) * p->n_items);
	for (uint32_t i = 0; i < p->n_items; i++)
		set_value(d, d->order[i], FIRST_VALUE + i);
	d->made_for = -1; /* none */
	return true;
}

void mp_planner_dive_prefer(struct dive *d, uint32_t by, struct job *job)
{
	uint64_t looks = 0;
	uint32_t i = 0;

	assert(d->value && d->failed < d->packing->n_sections);
	while ((i = mp_planner_range_tree_alive(
			&d->tree, i, d->failed, &looks)) != NONE) {
		lower_value(d, i, by);
		mp_planner_range_tree_put(&d->tree, i, d->value[i], &looks);
		i++;
	}
	mp_planner_job_step(job, looks / LOOKS_PER_STEP + 1);
}

bool mp_planner_dive_offer(const struct dive *d, struct job *job)
{
	return mp_planner_packing_offer(d->packing, d->offset, job);
}
