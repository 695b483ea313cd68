/*
 * Which of the places 0, 1, ... are covered by a set of ranges that changes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "lifetime/inside.h"

enum state {
	STATE_NONE, /* no place of the node is covered */
	STATE_SOME,
	STATE_ALL,
};

/* A node and its places. */
struct node {
	uint32_t at, low, width;
};

bool mp_lifetime_covered_init(
	struct covered *c, uint32_t n, struct arena *arena)
{
	*c = (struct covered){.n = n, .width = 1};
	while (c->width < n)
		c->width *= 2;
	c->count = NEW(arena, uint32_t, 2 * (size_t)c->width);
	c->state = NEW(arena, uint8_t, 2 * (size_t)c->width);
	return c->count && c->state;
}

static struct node root_of(const struct covered *c)
{
	return (struct node){1, 0, c->width};
}

static struct node left_of(struct node node)
{
	return (struct node){node.at * 2, node.low, node.width / 2};
}

static struct node right_of(struct node node)
{
	return (struct node){
		node.at * 2 + 1, node.low + node.width / 2, node.width / 2};
}

static void refresh(struct covered *c, struct node node)
{
	uint8_t left, right;

	if (c->count[node.at] > 0 || node.width == 1) {
		c->state[node.at] =
			c->count[node.at] > 0 ? STATE_ALL : STATE_NONE;
		return;
	}
	left = c->state[node.at * 2];
	right = c->state[node.at * 2 + 1];
	c->state[node.at] = left == right ? left : STATE_SOME;
}

/* Adds 1 to the count of a range, or UINT32_MAX, which subtracts 1. */
static void change(struct covered *c, struct node node, uint32_t from,
	uint32_t to, uint32_t by)
{
	if (to <= node.low || node.low + node.width <= from)
		return;
	if (from <= node.low && node.low + node.width <= to) {
		c->count[node.at] += by;
	} else {
		change(c, left_of(node), from, to, by);
		change(c, right_of(node), from, to, by);
	}
	refresh(c, node);
}

void mp_lifetime_covered_change(
	struct covered *c, uint32_t from, uint32_t to, bool adds)
{
	change(c, root_of(c), from, to, adds ? 1 : UINT32_MAX);
}

static uint32_t next(const struct covered *c, struct node node, uint32_t from,
	bool is_covered)
{
	uint8_t state = c->state[node.at];
	uint32_t found;

	if (node.low + node.width <= from)
		return c->n;
	if (state != STATE_SOME)
		return (state == STATE_ALL) == is_covered
			       ? (node.low > from ? node.low : from)
			       : c->n;
	found = next(c, left_of(node), from, is_covered);
	return found < c->n ? found : next(c, right_of(node), from, is_covered);
}

uint32_t mp_lifetime_covered_next(
	const struct covered *c, uint32_t from, bool is_covered)
{
	uint32_t found = next(c, root_of(c), from, is_covered);

	return found < c->n ? found : c->n;
}

static uint32_t last(
	const struct covered *c, struct node node, uint32_t to, bool is_covered)
{
	uint8_t state = c->state[node.at];
	uint32_t end = node.low + node.width, found;

	if (node.low >= to)
		return 0;
	if (state != STATE_SOME)
		return (state == STATE_ALL) == is_covered
			       ? (end < to ? end : to)
			       : 0;
	found = last(c, right_of(node), to, is_covered);
	return found > 0 ? found : last(c, left_of(node), to, is_covered);
}

uint32_t mp_lifetime_covered_last(
	const struct covered *c, uint32_t to, bool is_covered)
{
	return last(c, root_of(c), to, is_covered);
}
