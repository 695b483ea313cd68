/*
 * Writes the graph of a player as a document of memplan.graph.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "testing/player.h"

struct text {
	char *at;
	size_t n;
};

MP_PRINTF(2, 3) static void say(struct text *text, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	text->n += (size_t)vsnprintf(
		text->at + text->n, PLAY_JSON - text->n, format, arguments);
	va_end(arguments);
	assert(text->n < PLAY_JSON);
}

/* Lists end with a comma, which is taken back. */
static void end_list(struct text *text, const char *end)
{
	if (text->at[text->n - 1] == ',')
		text->n--;
	say(text, "%s", end);
}

static unsigned long long as_printed(uint64_t value)
{
	return value;
}

/* ------------------------------------------------------------ pools */

static void say_pool_names(struct text *text, const struct play_tensor *t)
{
	if (!t->names_pools)
		return;
	say(text, ",\"pools\":[");
	for (uint32_t i = 0; i < t->n_pools; i++)
		say(text, "\"p%u\",", t->pools[i]);
	end_list(text, "]");
}

static void say_pools(struct text *text, const struct play *play)
{
	if (play->n_pools == 0)
		return;
	say(text, ",\n\"pools\":[");
	for (uint32_t i = 0; i < play->n_pools; i++) {
		const struct play_pool *pool = &play->pools[i];

		say(text, "{\"name\":\"p%u\",\"alignment\":%llu", i,
			as_printed(pool->alignment));
		if (pool->capacity)
			say(text, ",\"capacity\":%llu",
				as_printed(pool->capacity));
		if (pool->chunk)
			say(text, ",\"chunk\":%llu", as_printed(pool->chunk));
		if (pool->n_banks)
			say(text,
				",\"banks\":{\"size\":%llu,"
				"\"count\":%llu}",
				as_printed(pool->bank_size),
				as_printed(pool->n_banks));
		say(text, "},");
	}
	end_list(text, "]");
}

/* ---------------------------------------------------------- tensors */

static void say_lifetime(struct text *text, const struct play_tensor *t)
{
	if (!t->pinned)
		return;
	say(text, ",\"lifetime\":[%u,%u]", t->start, t->end);
	if (t->pause == t->resume)
		return;
	say(text, ",\"gaps\":[[%u,%u", t->pause, t->resume);
	if (t->low < t->high)
		say(text, ",%llu,%llu", as_printed(t->low),
			as_printed(t->high));
	say(text, "]]");
}

static void say_tensor(struct text *text, const struct play *play, uint32_t i)
{
	static const char *const kinds[] = {
		"activation", "input", "output", "weight", "state"};
	const struct play_tensor *t = &play->tensors[i];

	say(text, "{\"name\":\"t%u\",\"size\":%llu,\"kind\":\"%s\"", i,
		as_printed(t->size), kinds[t->kind]);
	if (t->align)
		say(text, ",\"align\":%llu", as_printed(t->align));
	if (t->placed)
		say(text, ",\"offset\":%llu", as_printed(t->fixed));
	if (t->lifelong)
		say(text, ",\"lifelong\":\"%s\"", t->lifelong);
	if (t->of != NONE)
		say(text,
			",\"alias\":{\"of\":\"t%u\",\"offset\":%llu,"
			"\"writes\":%s}",
			t->of, as_printed(t->at), t->writes ? "true" : "false");
	say_lifetime(text, t);
	say_pool_names(text, t);
	say(text, "},\n");
}

static void say_tensors(struct text *text, const struct play *play)
{
	say(text, ",\n\"tensors\":[");
	for (uint32_t i = 0; i < play->n_listed; i++)
		say_tensor(text, play, i);
	text->n -= 2;
	say(text, "]");
}

/* -------------------------------------------------------------- ops */

static void say_names(struct text *text, const char *key, uint64_t tensors)
{
	say(text, "\"%s\":[", key);
	for (uint32_t i = 0; i < PLAY_TENSORS; i++)
		if (tensors >> i & 1)
			say(text, "\"t%u\",", i);
	end_list(text, "],");
}

static void say_temporary(struct text *text, const struct play_tensor *t)
{
	say(text, "\"temporaries\":[");
	if (t->names_pools) {
		say(text, "{\"size\":%llu", as_printed(t->size));
		say_pool_names(text, t);
		say(text, "}],");
	} else {
		say(text, "%llu],", as_printed(t->size));
	}
}

static void say_op(struct text *text, const struct play *play, uint32_t op)
{
	const struct play_op *o = &play->ops[op];

	say(text, "{\"name\":\"op%u\",", op);
	say_names(text, "inputs", o->inputs);
	say_names(text, "outputs", o->outputs);
	if (o->temporaries)
		say_temporary(
			text, &play->tensors[__builtin_ctzll(o->temporaries)]);
	if (o->taker != NONE)
		say(text, "\"inplace\":[[\"t%u\",\"t%u\"]],", o->taker,
			o->given);
	say(text, "\"after\":[");
	for (uint32_t k = 0; k < PLAY_MOST_OPS; k++)
		if (o->after >> k & 1)
			say(text, "%u,", k);
	end_list(text, "],");
	say(text, "\"stream\":%u}", o->stream);
}

static void say_ops(struct text *text, const struct play *play)
{
	say(text, ",\n\"ops\":[");
	for (uint32_t op = 0; op < play->n_ops; op++) {
		say_op(text, play, op);
		say(text, ",");
	}
	end_list(text, "]");
}

/* -------------------------------------------------------- relations */

static void say_groups(struct text *text, const struct play *play)
{
	say(text, ",\n\"groups\":[");
	for (uint32_t i = 0; i < play->n_groups; i++) {
		const struct play_group *group = &play->groups[i];
		uint64_t before = 0, after = 0;

		say(text, "{\"members\":[");
		for (uint32_t k = 0; k < group->n; k++) {
			const struct play_tensor *t =
				&play->tensors[group->members[k]];

			say(text, "\"t%u\",", group->members[k]);
			before += t->before;
			after += t->after;
		}
		end_list(text, "]");
		say(text, ",\"before\":%llu,\"after\":%llu},",
			as_printed(before), as_printed(after));
	}
	end_list(text, "]");
}

static void say_branch(
	struct text *text, const struct play *play, uint32_t c, uint32_t b)
{
	say(text, "[");
	for (uint32_t i = 0; i < play->n_listed; i++)
		if (play->tensors[i].choice == c &&
			play->tensors[i].branch == b)
			say(text, "\"t%u\",", i);
	end_list(text, "],");
}

static void say_choices(struct text *text, const struct play *play)
{
	say(text, ",\n\"exclusive\":[");
	for (uint32_t c = 0; c < play->n_choices; c++) {
		if (play->sites[c][0] != NONE)
			say(text, "{\"in\":[%u,%u],\"branches\":",
				play->sites[c][0], play->sites[c][1]);
		say(text, "[");
		for (uint32_t b = 0; b < PLAY_BRANCHES; b++)
			say_branch(text, play, c, b);
		end_list(text, play->sites[c][0] != NONE ? "]}," : "],");
	}
	end_list(text, "]");
}

static void say_loops(struct text *text, const struct play *play)
{
	say(text, ",\n\"loops\":[");
	for (uint32_t i = 0; i < play->n_loops; i++) {
		const struct play_loop *loop = &play->loops[i];

		say(text, "{\"first\":%u,\"last\":%u,\"carried\":[",
			loop->first, loop->last);
		for (uint32_t k = 0; k < loop->n_carried; k++)
			say(text, "[\"t%u\",\"t%u\"],", loop->carried[k][0],
				loop->carried[k][1]);
		end_list(text, "]},");
	}
	end_list(text, "]");
}

/* Between neighbours in the list. */
static void say_costs(struct text *text, const struct play *play)
{
	say(text, ",\n\"reuse_cost\":[");
	for (uint32_t i = 1; i < play->n_listed; i++)
		say(text, "[\"t%u\",\"t%u\",%u],", i - 1, i, 1 + i % 3);
	end_list(text, "]");
}

static void say_relations(struct text *text, const struct play *play)
{
	say(text, ",\n\"apart\":[");
	for (uint32_t i = 0; i < play->n_pairs; i++)
		say(text, "[\"t%u\",\"t%u\"],", play->apart[i][0],
			play->apart[i][1]);
	end_list(text, "]");
	say_costs(text, play);
	say(text, ",\n\"reserved\":[");
	for (uint32_t i = 0; i < play->n_ranges; i++) {
		say(text, "{\"offset\":%llu,\"size\":%llu",
			as_printed(play->ranges[i][0]),
			as_printed(play->ranges[i][1]));
		if (play->n_pools > 0)
			say(text, ",\"pool\":\"p%u\"", play->range_pools[i]);
		say(text, "},");
	}
	end_list(text, "]");
}

void mp_testing_player_print(const struct play *play, char *at)
{
	struct text text = {.at = at};

	say(&text,
		"{\"format\":\"memplan.graph\",\"version\":1,"
		"\"alignment\":%llu,\"inputs\":\"%s\",\"outputs\":\"%s\"",
		as_printed(play->alignment), mp_graph_policy_name(play->inputs),
		mp_graph_policy_name(play->outputs));
	say_pools(&text, play);
	say_tensors(&text, play);
	if (play->has_ops)
		say_ops(&text, play);
	say_groups(&text, play);
	say_choices(&text, play);
	if (play->n_loops > 0)
		say_loops(&text, play);
	say_relations(&text, play);
	say(&text, "}\n");
}
