/*
 * The table of gates, and how they judge.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "gate/gate.h"

/* ------------------------------------------------------------ bases */

static bool no_base(const struct budget *budget, uint64_t *bytes)
{
	(void)budget;
	*bytes = 0;
	return true;
}

static bool baseline(const struct budget *budget, uint64_t *bytes)
{
	*bytes = budget->baseline_size;
	return budget->has_baseline;
}

static bool theoretical_min(const struct budget *budget, uint64_t *bytes)
{
	*bytes = budget->theoretical_min;
	return true;
}

static bool lower_bound(const struct budget *budget, uint64_t *bytes)
{
	*bytes = budget->lower_bound;
	return true;
}

const struct gate_row mp_gate_rows[N_VERDICTS] = {
	[GATE_ARENA] = {"arena", "bytes of the arena", NULL, no_base},
	[GATE_GROWTH] = {"growth", "growth against a baseline plan", "baseline",
		baseline},
	[GATE_RATIO] = {"ratio", "arena / theoretical minimum",
		"theoretical minimum", theoretical_min},
	[GATE_OPTIMAL] = {"optimal", "proved: no smaller arena for this order",
		"proved lower bound", lower_bound},
	[GATE_PLAN] = {"plan", "the graph cannot be planned", NULL, NULL},
};

/* --------------------------------------------------------- verdicts */

/* base * millionths / 10^6, rounded down; what does not fit limits nothing. */
static uint64_t scale(uint64_t base, uint64_t millionths)
{
	const uint64_t million = 1000000;
	uint64_t whole, rest, sum;

	if (!num_mul(base / million, millionths, &whole) ||
		!num_mul(base % million, millionths, &rest) ||
		!num_add(whole, rest / million, &sum))
		return NUM_MAX_BYTES;
	return sum;
}

/* Growth of 1 % allows 101 % of the base; a ratio of 1.01 is that already. */
static uint64_t limit_of(
	const struct threshold *threshold, enum gate_kind kind, uint64_t base)
{
	uint64_t room = threshold->relative ? scale(base, threshold->value)
					    : threshold->value;
	uint64_t sum;

	if (kind == GATE_RATIO)
		return room;
	return num_add(base, room, &sum) ? sum : NUM_MAX_BYTES;
}

static struct verdict judge(const struct budget *budget, enum gate_kind kind)
{
	const struct thresholds *gate = &budget->gates[kind];
	uint64_t warn = UINT64_MAX, fail = UINT64_MAX, base;

	assert(kind < N_GATES && budget->planned);
	if (!gate->warn.given && !gate->fail.given)
		return (struct verdict){LEVEL_NONE, 0};
	if (!mp_gate_rows[kind].base(budget, &base))
		return (struct verdict){LEVEL_NOTICE, 0};
	if (gate->warn.given)
		warn = limit_of(&gate->warn, kind, base);
	if (gate->fail.given)
		fail = limit_of(&gate->fail, kind, base);
	if (budget->arena_size > fail)
		return (struct verdict){LEVEL_FAIL, fail};
	if (budget->arena_size > warn)
		return (struct verdict){LEVEL_WARN, warn};
	return (struct verdict){LEVEL_PASS, num_min(warn, fail)};
}

void mp_gate_judge(struct budget *budget)
{
	budget->verdicts[GATE_PLAN].level =
		budget->planned ? LEVEL_NONE : LEVEL_ERROR;
	for (uint32_t kind = 0; kind < N_GATES; kind++)
		if (budget->planned)
			budget->verdicts[kind] = judge(budget, kind);
}

enum gate_level mp_gate_level(const struct budget *budget)
{
	enum gate_level worst = LEVEL_PASS;

	for (uint32_t kind = 0; kind < N_VERDICTS; kind++)
		if (budget->verdicts[kind].level > worst)
			worst = budget->verdicts[kind].level;
	return worst;
}

uint32_t mp_gate_count(const struct gate *gate, enum gate_level level)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < gate->n_budgets; i++)
		n += mp_gate_level(&gate->budgets[i]) == level;
	return n;
}

uint32_t mp_gate_failed(const struct gate *gate)
{
	return mp_gate_count(gate, LEVEL_FAIL) +
	       mp_gate_count(gate, LEVEL_ERROR);
}

const char *mp_gate_level_name(enum gate_level level)
{
	static const char *const names[] = {
		[LEVEL_NONE] = "none",
		[LEVEL_PASS] = "pass",
		[LEVEL_NOTICE] = "notice",
		[LEVEL_WARN] = "warn",
		[LEVEL_FAIL] = "fail",
		[LEVEL_ERROR] = "error",
	};

	assert(level < countof(names));
	return names[level];
}

/* --------------------------------------------------------- messages */

/* The text of a sink, which is freed, in the arena. */
static const char *keep(struct sink *sink, struct arena *arena)
{
	const char *text = mp_arena_text(
		arena, sink->length ? sink->bytes : "", sink->length);

	mp_sink_free(sink);
	return text ? text : "";
}

const char *mp_gate_title(const struct budget *budget, struct arena *arena)
{
	struct sink sink = {.error = arena->error};

	mp_sink_plain(&sink, budget->graph, GATE_NAME);
	if (budget->batch) {
		mp_sink_text(&sink, ", batch ");
		mp_sink_plain(&sink, budget->batch, GATE_NAME);
	}
	if (budget->target) {
		mp_sink_text(&sink, ", ");
		mp_sink_plain(&sink, budget->target, GATE_NAME);
	}
	return keep(&sink, arena);
}

static void say_limit(
	struct sink *sink, const struct budget *budget, uint32_t kind)
{
	const struct verdict *verdict = &budget->verdicts[kind];
	const struct gate_row *row = &mp_gate_rows[kind];
	uint64_t base;

	assert(verdict->level != LEVEL_NONE && verdict->level != LEVEL_NOTICE);
	mp_sink_text(sink, "arena of ");
	mp_sink_bytes(sink, budget->arena_size);
	mp_sink_text(sink, budget->arena_size > verdict->limit
				   ? " is more than "
				   : " keeps to ");
	mp_sink_bytes(sink, verdict->limit);
	if (!row->base_name || !row->base(budget, &base))
		return;
	mp_sink_print(sink, ": the %s is ", row->base_name);
	mp_sink_bytes(sink, base);
}

const char *mp_gate_message(
	const struct budget *budget, uint32_t kind, struct arena *arena)
{
	struct sink sink = {.error = arena->error};

	if (kind == GATE_PLAN) {
		mp_sink_text(&sink, "no plan: ");
		mp_sink_plain(&sink, budget->error ? budget->error : "not run",
			ERROR_TEXT);
	} else if (budget->verdicts[kind].level == LEVEL_NOTICE) {
		mp_sink_text(&sink, "no baseline yet: ");
		mp_sink_plain(&sink, budget->baseline, GATE_NAME);
		mp_sink_text(&sink, " is missing; --update writes it");
	} else {
		say_limit(&sink, budget, kind);
	}
	return keep(&sink, arena);
}
