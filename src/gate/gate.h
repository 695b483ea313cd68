/*
 * Budgets: what graphs may need, and whether they keep to it. Every gate holds
 * the arena against a limit in bytes; the gates differ in what the limit is
 * measured from.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_GATE_GATE_H
#define MP_GATE_GATE_H

#include "base/sink-text.h"
#include "json/json.h"

enum gate_kind {
	GATE_ARENA,
	GATE_GROWTH,
	GATE_RATIO,
	GATE_OPTIMAL,
	N_GATES,

	/* Every row has a verdict more: that there is a plan to judge. */
	GATE_PLAN = N_GATES,
	N_VERDICTS,
};

enum gate_level {
	LEVEL_NONE, /* not asked for; of GATE_PLAN: there is a plan */
	LEVEL_PASS,
	LEVEL_NOTICE, /* could not be judged: there is no baseline yet */
	LEVEL_WARN,
	LEVEL_FAIL,
	LEVEL_ERROR, /* there is no plan to judge */
};

enum {
	GATE_NAME = 80, /* characters of a name in a report */
};

/* How much more than its base the arena may be. */
struct threshold {
	bool given;
	bool relative;	/* millionths of the base, not bytes */
	uint64_t value; /* bytes or millionths */
	struct json_place place;
};

struct thresholds {
	struct threshold warn, fail;
	struct json_place place; /* of the gate in its row */
};

struct gate_option {
	const char *name, *value;
};

struct verdict {
	enum gate_level level;
	uint64_t limit; /* bytes: of the threshold that was passed, else of
			   the strictest */
};

/* One row: a graph, a batch, a target. */
struct budget {
	const char *graph, *batch, *target, *baseline; /* NULL: not given */
	const struct gate_option *options;
	uint32_t n_options;
	struct thresholds gates[N_VERDICTS]; /* GATE_PLAN: only its place, that
						of the row */

	/* What was measured. */
	bool planned, has_baseline;
	const char *error; /* why there is no plan; NULL: no reason */
	uint64_t arena_size, theoretical_min, lower_bound, baseline_size;
	struct verdict verdicts[N_VERDICTS];
};

struct gate {
	struct input_file file;
	struct budget *budgets;
	uint32_t n_budgets;
};

bool mp_gate_read(const struct input_file *file, struct gate *gate,
	struct arena *arena, struct error *e);

/* Fills the verdicts from what was measured. */
void mp_gate_judge(struct budget *budget);

/* What a gate measures from: a row of the table. */
struct gate_row {
	const char *name;
	const char *summary;
	const char *base_name; /* for messages */
	bool (*base)(const struct budget *budget, uint64_t *bytes);
};

/* The gates, and behind them a row for GATE_PLAN, which has no base. */
extern const struct gate_row mp_gate_rows[N_VERDICTS];

/* The worst verdict of a row. */
enum gate_level mp_gate_level(const struct budget *budget);
uint32_t mp_gate_count(const struct gate *gate, enum gate_level level);

/* Rows that failed or have no plan. */
uint32_t mp_gate_failed(const struct gate *gate);

/* "pass", "notice", "warn", "fail", "error". */
const char *mp_gate_level_name(enum gate_level level);

/* "net.json, batch 8, gpu": plain text for terminals, in the arena. */
const char *mp_gate_title(const struct budget *budget, struct arena *arena);

/* A sentence without its full stop; names in it are cut and harmless for a
 * terminal. */
const char *mp_gate_message(
	const struct budget *budget, uint32_t kind, struct arena *arena);

/* Writes a report. */
typedef void gate_run(
	const struct gate *gate, struct sink *sink, struct arena *scratch);

struct gate_report {
	const char *name;
	const char *suffix; /* of file names that mean this row */
	const char *summary;
	gate_run *run;
};

extern const struct gate_report mp_gate_reports[];
extern const uint32_t mp_n_gate_reports;

/* The row of that name, or the one with the suffix of that file name; or NULL.
 */
const struct gate_report *mp_gate_report(const char *name);

gate_run mp_gate_human;
gate_run mp_gate_json;
gate_run mp_gate_markdown;
gate_run mp_gate_junit;
gate_run mp_gate_sarif;
gate_run mp_gate_github;
gate_run mp_gate_updated;

#endif
