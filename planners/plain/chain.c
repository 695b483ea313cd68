/*
 * The best chain of items on a plateau: see chain.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/chain.h"

#include "base/prng.h"

enum {
	TIPS = 6, /* ways to reach a section that are kept */
	LOOKS_AN_ITEM = 2,
	MOST_WEIGHT = 24 * CHAIN_ONE,
	LEAST_GAP = CHAIN_ONE / 4
};

/* A chain that ends before a section. */
struct chain_tip {
	int64_t top; /* above the floor: of its last item, or of the wall */
	int64_t worth;
	uint32_t item;	 /* the last; NONE: an empty section, or none yet */
	uint32_t before; /* the tip where that begins */
};

bool mp_planner_chain_init(
	struct chain *chain, const struct packing *packing, struct arena *arena)
{
	size_t n = packing->n_items, room = packing->n_sections + (size_t)1;

	*chain = (struct chain){.packing = packing,
		.worth = NEW(arena, int64_t, n),
		.found = NEW(arena, uint32_t, n),
		.tips = NEW(arena, struct chain_tip, room * TIPS),
		.n_tips = NEW(arena, uint32_t, room)};
	return chain->worth && chain->found && chain->tips && chain->n_tips &&
	       bits_init(&chain->waiting, packing->n_items + 2, arena);
}

static int64_t within(int64_t value, int64_t least, int64_t most)
{
	return value < least ? least : value > most ? most : value;
}

struct chain_weights mp_planner_chain_bounded(struct chain_weights weights)
{
	return (struct chain_weights){
		.size = within(weights.size, 0, MOST_WEIGHT),
		.edge = within(weights.edge, 0, MOST_WEIGHT),
		.gap = within(weights.gap, LEAST_GAP, MOST_WEIGHT)};
}

void mp_planner_chain_weigh(struct chain *chain, struct chain_weights weights)
{
	const struct packing *p = chain->packing;
	int64_t edge = weights.edge;

	chain->edge = ((CHAIN_ONE + edge % CHAIN_ONE) << (edge / CHAIN_ONE)) /
		      CHAIN_ONE;
	chain->gap = weights.gap;
	for (uint32_t i = 0; i < p->n_items; i++) {
		uint32_t life = p->end[i] - p->start[i];

		chain->worth[i] =
			life * ((int64_t)num_log2(life) +
				       weights.size *
					       (int64_t)num_log2(
						       (uint64_t)p->size[i]) /
					       CHAIN_ONE);
	}
}

void mp_planner_chain_reset(struct chain *chain)
{
	for (uint32_t i = 0; i <= chain->packing->n_items; i++)
		bits_add(&chain->waiting, i + 1);
}

/* Where to go on from, and what the chain is worth then. */
struct way {
	int64_t worth;
	uint32_t before;
};

/* The best tip at the section for an item that ends at that height. */
static struct way go_on(const struct chain *c, uint32_t section, int64_t top)
{
	const struct chain_tip *tips = &c->tips[(size_t)section * TIPS];
	struct way best = {INT64_MIN, 0};

	for (uint32_t k = 0; k < c->n_tips[section]; k++) {
		int64_t worth =
			tips[k].worth - (tips[k].top == top ? 0 : c->edge);

		if (worth > best.worth)
			best = (struct way){worth, k};
	}
	return best;
}

/* Of each height the best is kept, and of all the best few. A tip is handed
 * over in registers: to read one from memory that was just written by halves
 * takes longer than all else. */
static inline void add_tip(struct chain *c, uint32_t section, int64_t top,
	struct way way, uint32_t item)
{
	struct chain_tip *tips = &c->tips[(size_t)section * TIPS];
	uint32_t n = c->n_tips[section], at = 0;

	while (at < n && tips[at].top != top)
		at++;
	if (at == TIPS) {
		at = 0;
		for (uint32_t k = 1; k < TIPS; k++)
			if (tips[k].worth < tips[at].worth)
				at = k;
	}
	if (at == n)
		c->n_tips[section]++;
	else if (tips[at].worth >= way.worth)
		return;
	tips[at].top = top;
	tips[at].worth = way.worth;
	tips[at].item = item;
	tips[at].before = way.before;
}

static int64_t worth_of(const struct chain *c, uint32_t item)
{
	int64_t worth = c->worth[item];

	if (c->random)
		worth += worth / CHAIN_ONE *
			 ((int64_t)(mp_prng(c->random) % (CHAIN_ONE / 2 + 1)) -
				 CHAIN_ONE / 4);
	return worth;
}

/* From a section to the next one, and to the end of each item that begins
 * there and lies within the plateau. Says how many. */
static uint32_t spread(struct chain *c, uint32_t section, uint32_t end)
{
	const struct packing *p = c->packing;
	uint32_t last = p->first[section + 1], n = 0;
	struct way way = go_on(c, section, 0);

	way.worth -= c->gap;
	if (section >= c->start && section < c->end)
		way.worth -= c->empty;
	add_tip(c, section + 1, 0, way, NONE);
	for (uint32_t i = bits_above(&c->waiting, p->first[section]) - 1;
		i < last && p->end[i] <= end;
		i = bits_above(&c->waiting, i + 1) - 1) {
		way = go_on(c, section, p->size[i]);
		way.worth += worth_of(c, i);
		add_tip(c, p->end[i], p->size[i], way, i);
		n++;
	}
	c->looks += n * LOOKS_AN_ITEM + 1;
	return n;
}

bool mp_planner_chain_find(struct chain *c, uint32_t start, uint32_t end,
	int64_t before, int64_t behind)
{
	uint32_t n = 0, section = end, k;

	c->n_found = 0;
	for (uint32_t s = start; s <= end; s++)
		c->n_tips[s] = 0;
	add_tip(c, start, before, (struct way){0, 0}, NONE);
	for (uint32_t s = start; s < end; s++)
		n += spread(c, s, end);
	if (n == 0)
		return false;
	k = go_on(c, end, behind).before;
	while (section > start) {
		struct chain_tip tip = c->tips[(size_t)section * TIPS + k];

		section = tip.item == NONE ? section - 1
					   : c->packing->start[tip.item];
		k = tip.before;
		if (tip.item != NONE)
			c->found[c->n_found++] = tip.item;
	}
	return true;
}
