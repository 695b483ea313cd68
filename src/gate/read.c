/*
 * Budgets: format memplan.budget, version 1; docs/formats/budget.md.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "gate/gate.h"

enum {
	K_GRAPH,
	K_BATCH,
	K_TARGET,
	K_BASELINE,
	K_OPTIONS,
	K_GATES, /* the names of the gates follow */
	N_KEYS = K_GATES + N_GATES,
};

static const struct json_key keys[N_KEYS] = {
	{"graph", true},
	{"batch", false},
	{"target", false},
	{"baseline", false},
	{"options", false},
	{"arena", false},
	{"growth", false},
	{"ratio", false},
	{"optimal", false},
};

/* "1.5%" as millionths. */
static bool read_percent(const char *text, uint64_t *value)
{
	uint64_t scale = 10000;

	if (!mp_bytes_digits(&text, 999999999, value))
		return false;
	*value *= scale;
	if (*text == '.' && text[1] != '%')
		for (text++; *text >= '0' && *text <= '9' && scale > 1;
			text++) {
			scale /= 10;
			*value += scale * (uint64_t)(*text - '0');
		}
	return strcmp(text, "%") == 0;
}

static bool read_amount(
	const struct json_at *at, bool percent, struct threshold *threshold)
{
	const char *text = "";

	if (mp_json_is_number(at))
		return mp_json_integer(at, &threshold->value);
	if (!mp_json_text(at, &text))
		return false;
	if (mp_bytes_parse(text, &threshold->value))
		return true;
	threshold->relative = true;
	if (percent && read_percent(text, &threshold->value))
		return true;
	return mp_json_fail(
		at, percent ? "must be bytes, like 4096, \"512KiB\" "
			      "or \"1.5%%\""
			    : "must be bytes, like 4096 or "
			      "\"512KiB\"");
}

static bool read_threshold(
	const struct json_at *at, uint32_t kind, struct threshold *threshold)
{
	if (!at->value)
		return true;
	*threshold =
		(struct threshold){.given = true, .place = mp_json_place(at)};
	if (kind != GATE_RATIO)
		return read_amount(at, kind == GATE_GROWTH, threshold);
	threshold->relative = true;
	return mp_json_millionths(at, &threshold->value);
}

static bool is_below(const struct threshold *a, const struct threshold *b)
{
	return a->given && b->given && a->relative == b->relative &&
	       a->value < b->value;
}

/* "optimal": "fail" */
static bool read_optimal(const struct json_at *at, struct thresholds *gate)
{
	const char *text = "";

	if (!mp_json_text(at, &text))
		return false;
	gate->warn.given = strcmp(text, "warn") == 0;
	gate->fail.given = strcmp(text, "fail") == 0;
	return gate->warn.given || gate->fail.given ||
	       mp_json_fail(at, "must be \"warn\" or \"fail\"");
}

static bool read_gate(
	const struct json_at *at, uint32_t kind, struct thresholds *gate)
{
	static const struct json_key names[] = {
		{"warn", false},
		{"fail", false},
	};
	struct json_at found[countof(names)];

	assert(kind < N_GATES);
	if (!at->value)
		return true;
	gate->place = mp_json_place(at);
	if (kind == GATE_OPTIMAL)
		return read_optimal(at, gate);
	if (!mp_json_pick(at, names, countof(names), found) ||
		!read_threshold(&found[0], kind, &gate->warn) ||
		!read_threshold(&found[1], kind, &gate->fail))
		return false;
	if (!gate->warn.given && !gate->fail.given)
		return mp_json_fail(at, "'warn' or 'fail' is missing");
	if (is_below(&gate->fail, &gate->warn))
		return mp_json_fail(at, "'fail' must not be below 'warn'");
	return true;
}

static bool read_options(
	const struct json_at *at, struct budget *budget, struct arena *arena)
{
	struct gate_option *options;
	uint32_t n;

	if (!at->value)
		return true;
	if (!mp_json_object(at, &n))
		return false;
	options = NEW(arena, struct gate_option, n);
	if (!options)
		return false;
	for (struct json_at m = mp_json_first(at); m.value; mp_json_next(&m)) {
		const char *key = mp_json_key(&m);

		if (!key)
			return false;
		options[m.index].name = mp_arena_text(arena, key, strlen(key));
		if (!options[m.index].name ||
			!mp_json_copy(&m, &options[m.index].value, arena))
			return false;
	}
	budget->options = options;
	budget->n_options = n;
	return true;
}

static bool read_budget(
	const struct json_at *at, struct budget *budget, struct arena *arena)
{
	struct json_at found[N_KEYS];

	budget->verdicts[GATE_PLAN].level = LEVEL_ERROR; /* not planned yet */
	budget->gates[GATE_PLAN].place = mp_json_place(at);
	if (!mp_json_pick(at, keys, N_KEYS, found) ||
		!mp_json_copy(&found[K_GRAPH], &budget->graph, arena) ||
		!mp_json_copy(&found[K_BATCH], &budget->batch, arena) ||
		!mp_json_copy(&found[K_TARGET], &budget->target, arena) ||
		!mp_json_copy(&found[K_BASELINE], &budget->baseline, arena) ||
		!read_options(&found[K_OPTIONS], budget, arena))
		return false;
	for (uint32_t kind = 0; kind < N_GATES; kind++)
		if (!read_gate(
			    &found[K_GATES + kind], kind, &budget->gates[kind]))
			return false;
	if (found[K_GATES + GATE_GROWTH].value && !budget->baseline)
		return mp_json_fail(at, "'growth' needs a 'baseline'");
	return true;
}

static bool read_document(
	struct gate *gate, const struct json_at *root, struct arena *arena)
{
	static const struct json_key top[] = {
		{"format", true},
		{"version", true},
		{"budgets", true},
	};
	struct json_at found[countof(top)];

	if (!mp_json_is_format(root, "memplan.budget") ||
		!mp_json_pick(root, top, countof(top), found))
		return false;
	gate->budgets = mp_json_room(
		&found[2], &gate->n_budgets, sizeof(*gate->budgets), arena);
	if (!gate->budgets)
		return false;
	if (gate->n_budgets == 0)
		return mp_json_fail(&found[2], "there are no budgets in it");
	for (struct json_at m = mp_json_first(&found[2]); m.value;
		mp_json_next(&m))
		if (!read_budget(&m, &gate->budgets[m.index], arena))
			return false;
	return true;
}

bool mp_gate_read(const struct input_file *file, struct gate *gate,
	struct arena *arena, struct error *e)
{
	struct json json;
	struct json_at root;
	bool fine = mp_json_open(file, &json, arena, e);

	*gate = (struct gate){.file = *file};
	root = mp_json_root(&json);
	fine = fine && read_document(gate, &root, arena);
	mp_json_close(&json);
	return fine;
}
