/*
 * show: the memories that a graph names, and how many buffers may lie there.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/inside.h"

#include <assert.h>
#include <inttypes.h>

#include "emit/json-text.h"
#include "emit/report.h"

enum {
	POOLS = 32 /* that are told one by one */
};

/* Buffers that prefer a pool, and those that have no other. */
struct wishes {
	uint32_t first, only;
	uint64_t bytes; /* of the first ones */
};

static struct wishes *count(const struct schedule *s, struct arena *scratch)
{
	struct wishes *wishes;

	if (!s->problem.pools)
		return NULL;
	wishes = NEW(scratch, struct wishes, s->problem.n_pools);
	for (uint32_t i = 0; wishes && i < s->problem.n_buffers; i++) {
		const struct pool_list *list =
			&s->problem.pool_lists[s->problem.pool_list[i]];
		struct wishes *own = &wishes[list->at[0]];

		if (mp_problem_is_reserved(&s->problem, i))
			continue;
		own->first++;
		own->bytes += s->problem.buffers[i].size;
		own->only += list->n == 1;
	}
	return wishes;
}

static void line(struct sink *sink, const struct memory_pool *pool,
	const struct wishes *wishes)
{
	bool limited = pool->capacity != NO_CAPACITY;

	assert(wishes->only <= wishes->first);
	mp_sink_print(sink, "    %s: %s", mp_emit_plain(pool->name).text,
		limited ? mp_emit_bytes(pool->capacity).text : "no capacity");
	if (pool->chunk)
		mp_sink_print(sink, ", in chunks of %" PRIu64, pool->chunk);
	if (pool->banks.count > 0)
		mp_sink_print(sink, ", %u bank%s of %" PRIu64,
			pool->banks.count, mp_text_plural(pool->banks.count),
			pool->banks.size);
	mp_sink_print(sink,
		", aligned to %" PRIu64 "; first choice of %u buffer%s",
		pool->alignment, wishes->first, mp_text_plural(wishes->first));
	if (wishes->first > 0)
		mp_sink_print(sink, ", %s", mp_emit_bytes(wishes->bytes).text);
	if (wishes->only > 0)
		mp_sink_print(sink, "; the only choice of %u", wishes->only);
	mp_sink_text(sink, "\n");
}

static void object(struct sink *sink, const struct memory_pool *pool,
	const struct wishes *wishes)
{
	mp_emit_json_text(sink, "{", "name", pool->name);
	mp_emit_json_capacity(sink, pool->capacity);
	if (pool->chunk)
		mp_emit_json_number(sink, ", ", "chunk", pool->chunk);
	mp_emit_json_banks(sink, pool);
	JSON_NUMBERS(sink, ", ", {"alignment", pool->alignment},
		{"first_choice_of", wishes->first},
		{"first_choice_bytes", wishes->bytes},
		{"only_choice_of", wishes->only});
	mp_sink_text(sink, "}");
}

void mp_emit_memories_text(
	struct sink *sink, const struct schedule *s, struct arena *scratch)
{
	const struct wishes *wishes = count(s, scratch);

	if (!wishes)
		return;
	mp_sink_print(sink, "  pools        %u\n", s->problem.n_pools);
	for (uint32_t i = 0; i < s->problem.n_pools && i < POOLS; i++)
		line(sink, &s->problem.pools[i], &wishes[i]);
	if (s->problem.n_pools > POOLS)
		mp_sink_print(
			sink, "    and %u more\n", s->problem.n_pools - POOLS);
}

void mp_emit_memories_json(
	struct sink *sink, const struct schedule *s, struct arena *scratch)
{
	const struct wishes *wishes = count(s, scratch);

	if (!wishes)
		return;
	mp_emit_json_open(sink, JSON_LINE, "pools");
	for (uint32_t i = 0; i < s->problem.n_pools; i++) {
		mp_emit_json_item(sink, i);
		object(sink, &s->problem.pools[i], &wishes[i]);
	}
	mp_sink_text(sink, "\n  ]");
}
