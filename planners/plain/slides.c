/*
 * Slides of a compound from those of its members: see slides.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/slides.h"

#include <assert.h>

#include "base/num.h"

enum {
	MOST_SETS = 1 << MOST_MEMBERS,
	PLACES_LOOKS = 4
};

static const struct slide anywhere = {.high = UINT64_MAX, .end = 0};

/* Orders of some members, and the bytes of these. */
struct some {
	struct slide at[MOST_SLIDES];
	uint32_t n;
	uint64_t bytes;
};

static const struct slide *slides_of(
	const struct compounds *c, const struct compound *x)
{
	return x->n_bases > 0 ? c->slides[x - c->at].at : &anywhere;
}

static uint32_t n_slides(const struct compound *x)
{
	return x->n_bases > 0 ? x->n_bases : 1;
}

static uint64_t bytes_of(const struct compounds *c, const struct compound *x)
{
	return x->n_bases > 0 ? c->slides[x - c->at].bytes : x->size;
}

static uint64_t size_of(struct slide slide, uint64_t bytes)
{
	return slide.end > slide.high ? num_max(slide.end - slide.high, bytes)
				      : bytes;
}

/* Where what is at a base or above it ends; UINT64_MAX: it cannot be there. */
static uint64_t end_of(struct slide slide, uint64_t bytes, uint64_t base)
{
	return base > slide.high ? UINT64_MAX
				 : num_max(slide.end, base + bytes);
}

/* ---------------------------------------------------------- joining */

/* It takes fewer bytes. Of equal ones chance says which stay: all of those that
 * end lowest would have their fixed offsets at the top. */
static bool is_better(
	const struct slide *a, const struct slide *b, uint64_t bytes)
{
	uint64_t size = size_of(*a, bytes), other = size_of(*b, bytes);

	return size < other ||
	       (size == other &&
		       a->high * UINT64_C(0x9e3779b97f4a7c15) <
			       b->high * UINT64_C(0x9e3779b97f4a7c15));
}

/* Keeps the best, in order, without any that another is never worse than. */
static void add_slide(struct some *s, struct slide slide)
{
	uint32_t at, n = 0;

	if (s->n == MOST_SLIDES &&
		!is_better(&slide, &s->at[s->n - 1], s->bytes))
		return;
	for (uint32_t k = 0; k < s->n; k++)
		if (s->at[k].high >= slide.high && s->at[k].end <= slide.end)
			return;
	for (uint32_t k = 0; k < s->n; k++)
		if (s->at[k].high > slide.high || s->at[k].end < slide.end)
			s->at[n++] = s->at[k];
	at = (uint32_t)num_min(n, MOST_SLIDES - 1);
	for (; at > 0 && is_better(&slide, &s->at[at - 1], s->bytes); at--)
		s->at[at] = s->at[at - 1];
	s->at[at] = slide;
	s->n = (uint32_t)num_min(n + 1, MOST_SLIDES);
}

/* Adds the order with one member on top of another. */
static void add_upon(struct some *s, struct slide low, uint64_t low_bytes,
	struct slide high, uint64_t high_bytes, uint64_t top)
{
	struct slide slide = {.high = low.high,
		.end = num_max(high.end, low.end + high_bytes)};

	if (high.high < low.end || high.high < low_bytes ||
		num_max(slide.end, s->bytes) > top)
		return;
	if (high.high != UINT64_MAX)
		slide.high = num_min(low.high, high.high - low_bytes);
	add_slide(s, slide);
}

static void add_beside(
	struct some *s, struct slide a, struct slide b, uint64_t top)
{
	struct slide slide = {
		.high = num_min(a.high, b.high), .end = num_max(a.end, b.end)};

	if (num_max(slide.end, s->bytes) <= top)
		add_slide(s, slide);
}

/* All pairs of an order of some members and one of another member. */
static void add_member(struct compounds *c, struct some *s,
	const struct some *others, const struct compound *member, enum join how)
{
	const struct slide *slide = slides_of(c, member);
	uint64_t bytes = bytes_of(c, member);

	for (uint32_t k = 0; k < others->n; k++)
		for (uint32_t m = 0; m < n_slides(member); m++)
			if (how == JOIN_STACK)
				add_upon(s, others->at[k], others->bytes,
					slide[m], bytes, c->top);
			else
				add_beside(s, others->at[k], slide[m], c->top);
	c->looks += others->n * n_slides(member);
}

static void put_upon_each_other(
	struct compounds *c, const struct compound *x, struct some *whole)
{
	uint32_t all = (1u << x->n_members) - 1;
	struct some of[MOST_SETS];

	of[0] = (struct some){.n = 1};
	of[0].at[0] = anywhere;
	for (uint32_t set = 1; set <= all; set++) {
		uint32_t first = (uint32_t)__builtin_ctz(set);

		of[set].n = 0;
		of[set].bytes = of[set & (set - 1)].bytes +
				bytes_of(c, &c->at[x->member[first]]);
		for (uint32_t m = first; m < x->n_members; m++)
			if (set >> m & 1)
				add_member(c, &of[set], &of[set ^ 1u << m],
					&c->at[x->member[m]], JOIN_STACK);
	}
	*whole = of[all];
}

static void put_beside_each_other(
	struct compounds *c, const struct compound *x, struct some *whole)
{
	struct some before = {.n = 1};

	before.at[0] = anywhere;
	for (uint32_t m = 0; m < x->n_members; m++) {
		const struct compound *member = &c->at[x->member[m]];

		*whole = (struct some){
			.bytes = num_max(before.bytes, bytes_of(c, member))};
		add_member(c, whole, &before, member, x->how);
		before = *whole;
	}
}

/* ----------------------------------------------------------- places */

static uint64_t base_of(struct slide slide, uint64_t bytes)
{
	return slide.end > bytes ? num_min(slide.high, slide.end - bytes) : 0;
}

/* Where the compound ends that lies at a base or above it, as low as possible,
 * and its own base then. UINT64_MAX: it cannot lie there. */
static uint64_t end_above(const struct compounds *c, const struct compound *x,
	uint64_t from, uint64_t *base)
{
	const struct slide *slide = slides_of(c, x);
	uint64_t bytes = bytes_of(c, x), least = UINT64_MAX;

	for (uint32_t m = 0; m < n_slides(x); m++) {
		uint64_t end = end_of(slide[m], bytes, from);

		if (end >= least)
			continue;
		least = end;
		*base = num_max(from, base_of(slide[m], bytes));
	}
	return least;
}

/* Of each set of members the lowest end, and which is the highest of it. */
static void places_upon(const struct compounds *c, const struct compound *x,
	uint64_t base, uint64_t place[MOST_MEMBERS])
{
	uint32_t all = (1u << x->n_members) - 1;
	uint64_t end[MOST_SETS], at;
	uint32_t last[MOST_SETS];

	end[0] = base;
	for (uint32_t set = 1; set <= all; set++) {
		end[set] = UINT64_MAX;
		for (uint32_t m = 0; m < x->n_members; m++) {
			uint64_t from = end[set & ~(1u << m)];
			uint64_t to =
				set >> m & 1 && from != UINT64_MAX
					? end_above(c, &c->at[x->member[m]],
						  from, &at)
					: UINT64_MAX;

			if (to < end[set]) {
				end[set] = to;
				last[set] = m;
			}
		}
	}
	assert(end[all] != UINT64_MAX);
	for (uint32_t set = all; set > 0;) {
		uint32_t m = last[set];

		set ^= 1u << m;
		end_above(c, &c->at[x->member[m]], end[set], &at);
		place[m] = at - base;
	}
}

void mp_planner_slides_places(const struct compounds *c,
	const struct compound *x, uint64_t base, uint64_t place[MOST_MEMBERS])
{
	assert(x->how != JOIN_PINWHEEL);
	if (x->how == JOIN_STACK) {
		places_upon(c, x, base, place);
		return;
	}
	for (uint32_t m = 0; m < x->n_members; m++) {
		uint64_t at,
			end = end_above(c, &c->at[x->member[m]], base, &at);

		assert(end != UINT64_MAX);
		(void)end;
		place[m] = at - base;
	}
}

/* -------------------------------------------------------------- row */

void mp_planner_slides_fix(struct compounds *c, uint32_t i, uint64_t offset)
{
	struct compound *x = &c->at[i];
	struct compound_slides *slides = &c->slides[i];

	x->n_bases = 1;
	slides->bytes = x->size;
	slides->at[0] = (struct slide){.high = offset, .end = offset + x->size};
}

uint64_t mp_planner_slides_base(
	const struct compounds *c, const struct compound *x, uint32_t order)
{
	assert(order < x->n_bases);
	return base_of(slides_of(c, x)[order], bytes_of(c, x));
}

bool mp_planner_slides_can_lie(
	const struct compounds *c, const struct compound *x, uint64_t base)
{
	uint64_t own, end = end_above(c, x, base, &own);

	return end != UINT64_MAX && end - base <= x->size;
}

void mp_planner_slides_stay(struct compounds *c, uint32_t i, uint64_t base)
{
	struct compound *x = &c->at[i];

	assert(mp_planner_slides_can_lie(c, x, base));
	x->n_bases = 1;
	c->slides[i].at[0] =
		(struct slide){.high = base, .end = base + x->size};
}

/* No fixed offset is in the way of a member without any, wherever it is between
 * its places if all is as low as can be, and as high. */
static bool is_clear(struct compounds *c, const struct compound *x,
	struct slide slide, uint64_t bytes)
{
	uint64_t low[MOST_MEMBERS], high[MOST_MEMBERS];
	uint64_t base = base_of(slide, bytes);

	c->looks += PLACES_LOOKS;
	mp_planner_slides_places(c, x, base, low);
	mp_planner_slides_places(c, x, slide.high, high);
	for (uint32_t m = 0; m < x->n_members; m++) {
		const struct compound *member = &c->at[x->member[m]];
		struct pin_box box = {.low = slide.high + high[m],
			.high = base + low[m] + member->size,
			.start = member->start,
			.end = member->end};

		if (member->n_bases == 0 && box.low < box.high &&
			mp_planner_pins_meet(&c->pins, &box))
			return false;
	}
	return true;
}

bool mp_planner_slides_find(struct compounds *c, struct compound *x)
{
	struct compound_slides *slides = &c->slides[x - c->at];
	bool has_any = false;
	struct some all;

	x->n_bases = 0;
	for (uint32_t m = 0; m < x->n_members; m++)
		has_any |= c->at[x->member[m]].n_bases > 0;
	if (!has_any)
		return true;
	if (x->how == JOIN_STACK)
		put_upon_each_other(c, x, &all);
	else
		put_beside_each_other(c, x, &all);
	slides->bytes = all.bytes;
	for (uint32_t k = 0; k < all.n; k++)
		if (is_clear(c, x, all.at[k], all.bytes))
			slides->at[x->n_bases++] = all.at[k];
	if (x->n_bases == 0)
		return false;
	x->size = size_of(slides->at[0], slides->bytes);
	return true;
}

uint64_t mp_planner_slides_together(struct compounds *c,
	const struct compound *x, const struct compound *y, enum join how)
{
	const struct slide *a = slides_of(c, x), *b = slides_of(c, y);
	uint64_t first = bytes_of(c, x), second = bytes_of(c, y);
	struct some s = {.bytes = how == JOIN_STACK ? first + second
						    : num_max(first, second)};

	for (uint32_t k = 0; k < n_slides(x); k++)
		for (uint32_t m = 0; m < n_slides(y); m++)
			if (how == JOIN_STACK) {
				add_upon(&s, a[k], first, b[m], second, c->top);
				add_upon(&s, b[m], second, a[k], first, c->top);
			} else {
				add_beside(&s, a[k], b[m], c->top);
			}
	c->looks += n_slides(x) * n_slides(y);
	return s.n > 0 ? size_of(s.at[0], s.bytes) : UINT64_MAX;
}
