/*
 * The functions of all emitters; what each writes stands in its own file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_EMIT_ROWS_H
#define MP_EMIT_ROWS_H

#include "emit/emit.h"

bool mp_emit_plan(const struct results *results, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_csv(const struct results *results, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_summary(const struct results *results, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_verdict(const struct results *results, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_result(const struct results *results, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_show(const struct results *results, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_show_json(const struct results *results, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_simulate(const struct results *results, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_simulate_json(const struct results *results, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_swap(const struct results *results, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_swap_json(const struct results *results, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_copies(const struct results *results, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_reuse(const struct results *results, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_reuse_dot(const struct results *results, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_timeline(const struct results *results, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_timeline_svg(const struct results *results, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_explain(const struct results *results, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_explain_json(const struct results *results, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_header(const struct results *results, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_table(const struct results *results, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_svg(const struct results *results, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_trace(const struct results *results, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_load(const struct results *results, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_html(const struct results *results, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_lp(const struct results *results, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_mps(const struct results *results, struct sink *sink,
	struct arena *scratch, struct error *e);

#endif
