/*
 * Bases of a compound from those of its members: see bases.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/bases.h"

#include <assert.h>
#include <string.h>

#include "planners/plain/pinwheel.h"

/* In how many orders the members of a stack can lie. A pinwheel can also stand
 * on its head. */
static uint32_t n_ways(const struct compound *x)
{
	uint32_t n = x->how == JOIN_PINWHEEL ? 2 : 1;

	for (uint32_t k = 2; x->how == JOIN_STACK && k <= x->n_members; k++)
		n *= k;
	return n;
}

/* An order has a digit for each member: how many of those in front of it in the
 * list lie above it. */
void mp_planner_bases_list_orders(uint8_t below[STACK_ORDERS][MOST_MEMBERS])
{
	for (uint32_t k = 0; k < STACK_ORDERS; k++) {
		uint32_t order[MOST_MEMBERS]; /* from below */
		uint32_t digits = k;

		for (uint32_t m = 0; m < MOST_MEMBERS; m++) {
			uint32_t at = m - digits % (m + 1);

			digits /= m + 1;
			memmove(&order[at + 1], &order[at],
				sizeof(*order) * (m - at));
			order[at] = m;
		}
		for (uint32_t at = 0, bits = 0; at < MOST_MEMBERS; at++) {
			below[k][order[at]] = (uint8_t)bits;
			bits |= 1u << order[at];
		}
	}
}

/* Bytes of each set of the members of a stack. */
struct sums {
	uint64_t of[1 << MOST_MEMBERS];
};

static void sum_members(
	const struct compounds *c, const struct compound *x, struct sums *sums)
{
	uint32_t n = x->how == JOIN_STACK ? x->n_members : 0;

	assert(n <= MOST_MEMBERS);
	sums->of[0] = 0;
	for (uint32_t m = 0; m < n; m++)
		for (uint32_t set = 0; set < 1u << m; set++)
			sums->of[set | 1u << m] =
				sums->of[set] + c->at[x->member[m]].size;
}

/* Where the members lie above the base. */
static void find_places(const struct compounds *c, const struct compound *x,
	const struct sums *sums, uint32_t way, uint64_t place[MOST_MEMBERS])
{
	if (x->how == JOIN_STACK)
		for (uint32_t k = 0; k < x->n_members; k++)
			place[k] = sums->of[c->below[way][k]];
	else if (x->how == JOIN_PINWHEEL)
		mp_planner_pinwheel_places(c, x, way > 0, place);
	else
		memset(place, 0, sizeof(*place) * MOST_MEMBERS);
}

static bool may_lie_at(
	const struct compounds *c, const struct compound *x, uint64_t base)
{
	for (uint32_t i = 0; i < x->n_bases; i++)
		if (mp_planner_bases_of(c, x)[i] == base)
			return true;
	return x->n_bases == 0;
}

static bool members_may(const struct compounds *c, const struct compound *x,
	uint64_t base, const uint64_t *place)
{
	for (uint32_t k = 0; k < x->n_members; k++)
		if (!may_lie_at(c, &c->at[x->member[k]], base + place[k]))
			return false;
	return true;
}

/* No part with a fixed offset is where the compound would be. */
static bool is_clear(
	struct compounds *c, const struct compound *x, uint64_t base)
{
	struct pin_box box = {.low = base,
		.high = base + x->size,
		.start = x->start,
		.end = x->end};

	if (!mp_planner_compound_has_gap(x))
		return !mp_planner_pins_meet(&c->pins, &box);
	box.end = x->gap;
	if (mp_planner_pins_meet(&c->pins, &box))
		return false;
	box.start = x->gap_end;
	box.end = x->end;
	return !mp_planner_pins_meet(&c->pins, &box);
}

/* The members that have no bases are clear. Of the others only bases are
 * remembered that are. */
static bool members_are_clear(struct compounds *c, const struct compound *x,
	uint64_t base, const uint64_t *place)
{
	for (uint32_t k = 0; k < x->n_members; k++) {
		const struct compound *member = &c->at[x->member[k]];

		if (member->n_bases == 0 &&
			!is_clear(c, member, base + place[k]))
			return false;
	}
	return true;
}

/* Adds the bases that the bases of a member allow. */
static void add_bases(struct compounds *c, struct compound *x,
	const struct sums *sums, uint32_t k, uint32_t way)
{
	const struct compound *member = &c->at[x->member[k]];
	uint64_t place[MOST_MEMBERS];

	find_places(c, x, sums, way, place);
	for (uint32_t i = 0; i < member->n_bases; i++) {
		uint64_t top = mp_planner_bases_of(c, member)[i],
			 base = top - place[k];

		if (top >= place[k] && x->n_bases < MOST_BASES &&
			base + x->size <= c->top &&
			(x->n_bases == 0 || !may_lie_at(c, x, base)) &&
			members_may(c, x, base, place) &&
			members_are_clear(c, x, base, place))
			mp_planner_bases_of(c, x)[x->n_bases++] = base;
	}
}

void mp_planner_bases_fix(struct compounds *c, uint32_t i, uint64_t offset)
{
	struct compound *x = &c->at[i];

	x->n_bases = 1;
	mp_planner_bases_of(c, x)[0] = offset;
}

bool mp_planner_bases_find(struct compounds *c, struct compound *x)
{
	uint32_t n = x->n_members, ways = n_ways(x), k = 0;
	struct sums sums;

	x->n_bases = 0;
	while (k < n && c->at[x->member[k]].n_bases == 0)
		k++;
	if (k == n)
		return true;
	sum_members(c, x, &sums);
	for (uint32_t way = 0; way < ways && x->n_bases < MOST_BASES; way++)
		add_bases(c, x, &sums, k, way);
	return x->n_bases > 0;
}

void mp_planner_bases_places(const struct compounds *c,
	const struct compound *x, uint64_t base, uint64_t place[MOST_MEMBERS])
{
	struct sums sums;

	sum_members(c, x, &sums);
	for (uint32_t way = 0; way < n_ways(x); way++) {
		find_places(c, x, &sums, way, place);
		if (members_may(c, x, base, place))
			return;
	}
	assert(false && "not a base of the compound");
}
