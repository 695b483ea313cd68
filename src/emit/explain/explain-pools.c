/*
 * explain: what fills each of several memories, and what had to lie elsewhere.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/explain/explain.h"

#include <assert.h>
#include <inttypes.h>

enum {
	POOLS = 16,  /* that are told one by one */
	LARGEST = 3, /* tensors of each */
};

struct alive *mp_emit_explain_alive(const struct plan *plan, uint32_t space,
	struct lane *lane, uint32_t *n, struct arena *arena)
{
	struct alive *alive;
	uint32_t all;

	assert(space < mp_plan_memories(plan));
	if (!mp_emit_lane(plan, space, lane, arena))
		return NULL;
	alive = mp_emit_peak_alive(
		plan->schedule, lane->peak_step, &all, arena);
	*n = 0;
	for (uint32_t i = 0; alive && i < all; i++)
		if (mp_plan_space(plan, alive[i].tensor) == lane->index)
			alive[(*n)++] = alive[i];
	return alive;
}

/* ------------------------------------------------------------ pools */

static void title(
	struct sink *sink, const struct schedule *s, const struct lane *lane)
{
	const struct space *space = &lane->space;

	mp_sink_print(sink, "  %s: %s", mp_emit_plain(space->name).text,
		mp_emit_bytes(space->size).text);
	if (space->capacity != NO_CAPACITY)
		mp_sink_print(sink, " of %" PRIu64 ", %s %% full",
			space->capacity,
			mp_emit_percent(space->size, space->capacity).text);
	if (space->n_buffers == 0)
		mp_sink_text(sink, "; nothing lies there\n");
	else
		mp_sink_print(sink, "; most is alive at %s: %" PRIu64 "\n",
			mp_emit_step(s, lane->peak_step).text,
			lane->load[lane->peak_step]);
}

static void pool(struct sink *sink, const struct plan *plan, uint32_t i,
	const struct labels *labels, struct arena *scratch)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	struct alive *alive;
	struct lane lane;
	uint32_t n;

	alive = mp_emit_explain_alive(plan, i, &lane, &n, scratch);
	if (!alive)
		return;
	title(sink, plan->schedule, &lane);
	for (uint32_t k = 0; k < n && k < LARGEST; k++)
		mp_sink_print(sink, "%14" PRIu64 "  %s\n", alive[k].size,
			mp_emit_label(labels, alive[k].tensor).text);
	if (n > LARGEST)
		mp_sink_print(
			sink, "                and %u more\n", n - LARGEST);
	mp_arena_rewind(scratch, mark);
}

void mp_emit_explain_pools(struct sink *sink, const struct plan *plan,
	const struct labels *labels, struct arena *scratch)
{
	uint32_t n = plan->spaces.n;

	if (!plan->spaces.at)
		return;
	mp_sink_text(sink, "\npools\n");
	for (uint32_t i = 0; i < n && i < POOLS; i++)
		pool(sink, plan, i, labels, scratch);
	if (n > POOLS)
		mp_sink_print(sink, "  and %u more\n", n - POOLS);
	n = plan->spaces.n_spilled;
	if (n > 0)
		mp_sink_print(sink,
			"  %u buffer%s elsewhere than in the first pool of "
			"%s\n",
			n, n == 1 ? " lies" : "s lie",
			n == 1 ? "its list" : "their lists");
	mp_emit_spilled_text(sink, plan, scratch);
}
