/*
 * explain: what fills each of several memories, and what had to lie elsewhere.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/explain.h"
#include "emit/lane.h"
#include "emit/peak.h"
#include "emit/report.h"

enum {
	POOLS = 16,  /* that are told one by one */
	LARGEST = 3, /* tensors of each */
	SPILLED = 5,
};

struct alive *mp_explain_alive(const struct plan *plan, const struct lane *lane,
	uint32_t *n, struct arena *arena)
{
	struct problem then = *plan->problem;
	struct alive *alive;
	uint32_t all;

	then.peak_step = lane->peak_step;
	alive = mp_peak_alive(&then, &all, arena);
	*n = 0;
	for (uint32_t i = 0; alive && i < all; i++)
		if (mp_plan_space(plan, &then.items[alive[i].item]) ==
			lane->index)
			alive[(*n)++] = alive[i];
	return alive;
}

/* ------------------------------------------------------------------- pools */

static void title(
	struct sink *sink, const struct problem *p, const struct lane *lane)
{
	const struct space *space = &lane->space;

	mp_sink_text(sink, "  ");
	mp_sink_plain(sink, space->name, REPORT_NAME);
	mp_sink_text(sink, ": ");
	mp_sink_bytes(sink, space->size);
	if (space->capacity != NO_CAPACITY) {
		mp_sink_print(sink, " of %llu, ",
			(unsigned long long)space->capacity);
		mp_sink_percent(sink, space->size, space->capacity);
		mp_sink_text(sink, " % full");
	}
	if (space->n_buffers == 0) {
		mp_sink_text(sink, "; nothing lies there\n");
		return;
	}
	mp_sink_text(sink, "; most is alive at ");
	mp_explain_step(sink, p, lane->peak_step);
	mp_sink_print(sink, ": %llu\n",
		(unsigned long long)lane->load[lane->peak_step]);
}

static void largest(struct sink *sink, const struct problem *p,
	const struct alive *alive, uint32_t n)
{
	for (uint32_t i = 0; i < n && i < LARGEST; i++) {
		mp_report_pad(sink, 14, mp_text_digits(alive[i].size));
		mp_sink_u64(sink, alive[i].size);
		mp_sink_text(sink, "  ");
		mp_sink_plain(sink, mp_item_label(&p->items[alive[i].item]),
			REPORT_NAME);
		mp_sink_text(sink, "\n");
	}
	if (n > LARGEST)
		mp_sink_print(
			sink, "                and %u more\n", n - LARGEST);
}

static bool pool(struct sink *sink, const struct plan *plan, uint32_t i,
	struct arena *scratch, struct error *e)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	struct alive *alive;
	struct lane lane;
	uint32_t n;

	if (!mp_lane(plan, i, &lane, scratch, e))
		return false;
	alive = mp_explain_alive(plan, &lane, &n, scratch);
	if (!alive)
		return false;
	title(sink, plan->problem, &lane);
	largest(sink, plan->problem, alive, n);
	mp_arena_rewind(scratch, mark);
	return true;
}

/* ----------------------------------------------------------------- spilled */

/* Where it would rather lie; NULL: it is there. */
static const char *preferred(const struct plan *plan, const struct item *item)
{
	const struct problem *p = plan->problem;
	uint32_t first;

	if (item->buffer == NONE)
		return NULL;
	first = p->pool_lists[p->pool_list[item->buffer]].at[0];
	if (plan->spaces.at[mp_plan_space(plan, item)].pool == first)
		return NULL;
	return p->pools[first].name;
}

/* The largest that is smaller than the last one, or behind it; NONE. */
static uint32_t next_spilled(const struct plan *plan, uint32_t last)
{
	const struct item *items = plan->problem->items;
	uint32_t best = NONE;

	for (uint32_t i = 0; i < plan->problem->n_items; i++) {
		if (!preferred(plan, &items[i]) ||
			(last != NONE &&
				(items[i].size > items[last].size ||
					(items[i].size == items[last].size &&
						i <= last))))
			continue;
		if (best == NONE || items[i].size > items[best].size)
			best = i;
	}
	return best;
}

static void spilled(struct sink *sink, const struct plan *plan)
{
	const struct problem *p = plan->problem;
	uint32_t last = next_spilled(plan, NONE);

	for (uint32_t k = 0; k < SPILLED && last != NONE; k++) {
		const struct item *item = &p->items[last];

		mp_sink_text(sink, "  ");
		mp_explain_name(sink, p, last);
		mp_sink_text(sink, ", ");
		mp_sink_bytes(sink, item->size);
		mp_sink_text(sink, ", lies in ");
		mp_sink_plain(sink,
			plan->spaces.at[mp_plan_space(plan, item)].name,
			REPORT_NAME);
		mp_sink_text(sink, ", not in ");
		mp_sink_plain(sink, preferred(plan, item), REPORT_NAME);
		mp_sink_text(sink, "\n");
		last = next_spilled(plan, last);
	}
	if (last != NONE)
		mp_sink_text(sink, "  and more\n");
}

bool mp_explain_pools(struct sink *sink, const struct plan *plan,
	struct arena *scratch, struct error *e)
{
	uint32_t n = plan->spaces.n;

	if (!plan->spaces.at)
		return true;
	mp_sink_text(sink, "\npools\n");
	for (uint32_t i = 0; i < n && i < POOLS; i++)
		if (!pool(sink, plan, i, scratch, e))
			return false;
	if (n > POOLS)
		mp_sink_print(sink, "  and %u more\n", n - POOLS);
	spilled(sink, plan);
	return true;
}
