/*
 * Is a plan file, beyond its offsets, what memplan writes of the graph? Both
 * are written, the plan as it was read and the graph with the plan's offsets,
 * and must be the same text: every lifetime, kind, stream, event, op, tensor,
 * group, range, alias, gap and pool. So nothing that the file says can be
 * forgotten here. The head is left out: its numbers are held elsewhere, and a
 * name or a target is not of the graph.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
	MOST_DEPTH = 8, /* of a plan file as it is written */
	SAID = 60,	/* most bytes of a value in a message */
};

/* ------------------------------------------------------------ write */

/* What was proved of a plan is no part of what it says of the graph. */
static bool write_plan(memplan *m, struct sink *sink)
{
	struct plan plan = m->plan;
	struct results results = m->results;

	results.plan = &plan;
	plan.lower_bound = plan.claimed_bound = 0;
	plan.bound_kind = BOUND_LOAD;
	plan.spaces.at = mp_arena_copy(&m->run, plan.spaces.at, plan.spaces.n,
		sizeof(*plan.spaces.at));
	if (!plan.spaces.at)
		return false;
	for (uint32_t i = 0; i < plan.spaces.n; i++)
		plan.spaces.at[i].lower_bound =
			plan.spaces.at[i].claimed_bound = 0;
	if (!m->plan.spaces.at)
		plan.spaces.at = NULL;
	mp_emit_find("plan")->run(&results, sink, &m->run);
	mp_sink_write(sink, "", 1);
	return sink->error->code == MEMPLAN_OK;
}

/* Where the text goes on behind the head. */
static const char *behind_head(const struct sink *sink)
{
	const char *at;

	assert(sink->bytes);
	at = strstr(sink->bytes, "\n  \"order\": ");
	assert(at);
	return at;
}

/* ------------------------------------------------------------ place */

/* Where in a document a byte is: one level for each open bracket. */
struct level {
	const char *key; /* of an object: the last one; NULL: none yet */
	int length;
	uint32_t index;
	bool is_list;
};

struct spot {
	struct level levels[MOST_DEPTH];
	uint32_t depth;
	const char *token; /* the key or value that has the byte */
};

static const char *end_of_text(const char *at)
{
	for (at++; *at != '"' && *at != '\0'; at++)
		if (*at == '\\')
			at++;
	return at;
}

static void open_level(struct spot *spot, bool is_list)
{
	assert(spot->depth + 1 < MOST_DEPTH);
	spot->levels[++spot->depth] = (struct level){.is_list = is_list};
}

/* Finds the byte `to` of a text that begins in the outermost object. */
static void find_spot(struct spot *spot, const char *at, const char *to)
{
	*spot = (struct spot){.token = at};
	while (at < to) {
		struct level *level = &spot->levels[spot->depth];
		const char *end = at;

		if (*at == '"') {
			end = end_of_text(at);
			if (end < to && end[1] == ':') {
				level->key = at + 1;
				level->length = (int)(end - at - 1);
			}
		} else if (*at == '{' || *at == '[') {
			open_level(spot, *at == '[');
		} else if ((*at == '}' || *at == ']') && spot->depth > 0) {
			spot->depth--;
		} else if (*at == ',') {
			level->index++;
		}
		if (strchr("{[,:", *at))
			spot->token = at + 1;
		at = end + 1;
	}
}

/* "/tensors/3/start" */
static void name_spot(const struct spot *spot, char *text, size_t length)
{
	size_t n = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i <= spot->depth && n + 1 < length; i++) {
		const struct level *level = &spot->levels[i];
		int wrote = 0;

		if (level->is_list)
			wrote = snprintf(
				text + n, length - n, "/%u", level->index);
		else if (level->key)
			wrote = snprintf(text + n, length - n, "/%.*s",
				level->length, level->key);
		n += wrote > 0 ? (size_t)wrote : 0;
	}
}

/* -------------------------------------------------------------- say */

/* The key or value there, or "nothing" at the end of a list or object. Of a
 * list in a list it is all up to its end. */
static int length_of(const char *at)
{
	const char *end = at, *stop = *at == '[' ? "]\n" : ",}]\n";

	while (*end != '\0' && !strchr(stop, *end) && end - at < SAID)
		end = *end == '"' ? end_of_text(end) + (*end != '\0') : end + 1;
	end += *at == '[' && *end == ']';
	return (int)(end - at > SAID ? SAID : end - at);
}

static const char *said_at(const char *at, int *length)
{
	while (*at == ' ' || *at == '\n' || *at == ',')
		at++;
	*length = length_of(at);
	if (*length > 0)
		return at;
	*length = (int)strlen("nothing");
	return "nothing";
}

static bool compare(
	memplan *m, const struct sink *plan, const struct sink *graph)
{
	const char *start = behind_head(plan), *other = behind_head(graph);
	const char *said, *given;
	struct spot spot;
	char pointer[160];
	size_t n = 0;
	int said_length, given_length;
	bool goes_on;

	while (start[n] == other[n] && start[n] != '\0')
		n++;
	if (start[n] == other[n])
		return true;
	find_spot(&spot, start, start + n);
	name_spot(&spot, pointer, sizeof(pointer));
	said = said_at(spot.token, &said_length);
	given = said_at(other + (spot.token - start), &given_length);
	goes_on = said_length == given_length &&
		  strncmp(said, given, (size_t)said_length) == 0;
	if (goes_on) {
		said = said_at(start + n, &said_length);
		given = said_at(other + n, &given_length);
	}
	return mp_fail(&m->error, MEMPLAN_NO,
		"%s: %s: %sthe plan says %.*s, the graph gives %.*s",
		m->planned->name, pointer, goes_on ? "behind it " : "",
		said_length, said, given_length, given);
}

/* A plan may have a greater alignment than its graph, but no smaller one. */
static bool check_alignment(memplan *m, uint64_t said)
{
	return said == m->planned->alignment ||
	       mp_fail(&m->error, MEMPLAN_NO,
		       "%s: /alignment: the plan says %llu, the graph gives "
		       "%llu",
		       m->planned->name, (unsigned long long)said,
		       (unsigned long long)m->planned->alignment);
}

bool mp_street_check_same(memplan *m, memplan *plan)
{
	struct sink read = {.error = &plan->error, .limit = plan->sink.limit};
	struct sink written = {.error = &m->error, .limit = m->sink.limit};
	struct run run;
	bool same;

	assert(m->has_plan);
	mp_street_forget_results(plan);
	run = mp_street_run(plan);
	run.planner = mp_planner_find("given");
	run.judges = true;
	same = (mp_street_walk(plan, &run) && write_plan(plan, &read)) ||
	       mp_fail(&m->error, plan->error.code, "%s", plan->error.text);
	same = same && check_alignment(m, plan->planned->alignment) &&
	       write_plan(m, &written) && compare(m, &read, &written);
	mp_sink_free(&read);
	mp_sink_free(&written);
	return same;
}
