/*
 * The table of emitters. Rows with a suffix write files; rows without one are
 * reports, asked for by name.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/emit.h"

#include <string.h>

#include "emit/rows.h"

const struct emitter mp_emitters[] = {
	{"plan", ".json", "the plan as JSON, which is an input too",
		mp_emit_plan, false, false},
	{"csv", ".csv", "the rows of a CSV problem and an offset", mp_emit_csv,
		false, false},
	{"header", ".h", "C header of constants and a table", mp_emit_header,
		false, false},
	{"table", ".bin", "binary table for the loader", mp_emit_table, false,
		false},
	{"svg", ".svg", "picture of steps and addresses", mp_emit_svg, false,
		false},
	{"trace", ".trace.json", "trace events for ui.perfetto.dev",
		mp_emit_trace, false, false},
	{"load", ".timeline.csv", "live bytes over the steps, as CSV",
		mp_emit_load, false, false},
	{"html", ".html", "page to look at, zoom and search", mp_emit_html,
		false, false},
	{"lp", ".lp", "the problem as a linear program, CPLEX's format",
		mp_emit_lp, true, true},
	{"mps", ".mps", "the problem as a linear program, free MPS",
		mp_emit_mps, true, true},
	{"copies", ".copies.csv", "ops that a budget put in, as CSV",
		mp_emit_copies, false, false},
	{"reuse", ".reuse.json", "which tensor overwrites which, as JSON",
		mp_emit_reuse, false, false},
	{"reuse-dot", ".dot", "which tensor overwrites which, for Graphviz",
		mp_emit_reuse_dot, false, false},
	{"summary", NULL, "what was planned and proved, for people",
		mp_emit_summary, false, false},
	{"verdict", NULL, "what a check confirmed, for people", mp_emit_verdict,
		false, false},
	{"result", NULL, "the numbers of the plan as JSON", mp_emit_result,
		false, false},
	{"show", NULL, "what is in the graph, for people", mp_emit_show, false,
		true},
	{"explain", NULL, "what binds the peak, for people", mp_emit_explain,
		false, false},
	{"explain-json", NULL, "what binds the peak, as JSON",
		mp_emit_explain_json, false, false},
	{"simulate", NULL, "what online allocators would take, for people",
		mp_emit_simulate, false, false},
	{"simulate-json", NULL, "what online allocators would take, as JSON",
		mp_emit_simulate_json, false, false},
	{"swap", NULL, "what swapping would cost and save, for people",
		mp_emit_swap, false, false},
	{"swap-json", NULL, "what swapping would cost and save, as JSON",
		mp_emit_swap_json, false, false},
	{"timeline", NULL, "bytes of online allocators over the steps, as CSV",
		mp_emit_timeline, false, false},
	{"timeline-svg", NULL,
		"bytes of online allocators over the steps, a picture",
		mp_emit_timeline_svg, false, false},
	{"show-json", NULL, "what is in the graph as JSON", mp_emit_show_json,
		false, true},
};

const uint32_t mp_n_emitters = countof(mp_emitters);

static bool ends_with(const char *name, const char *suffix)
{
	size_t length = strlen(name), tail = strlen(suffix);

	return length > tail && strcmp(name + length - tail, suffix) == 0;
}

const struct emitter *mp_emit_for(const char *file_name)
{
	const struct emitter *best = NULL;

	for (uint32_t i = 0; i < mp_n_emitters; i++) {
		const char *suffix = mp_emitters[i].suffix;

		if (suffix && ends_with(file_name, suffix) &&
			(!best || strlen(suffix) > strlen(best->suffix)))
			best = &mp_emitters[i];
	}
	return best;
}

const struct emitter *mp_emit_find(const char *name)
{
	for (uint32_t i = 0; i < mp_n_emitters; i++)
		if (strcmp(mp_emitters[i].name, name) == 0)
			return &mp_emitters[i];
	return NULL;
}
