/*
 * The functions of all emitters; what each writes stands in its own file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_EMIT_ROWS_H
#define MP_EMIT_ROWS_H

#include "emit/emit.h"

bool mp_emit_plan(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_csv(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_summary(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_verdict(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_result(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_show(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_show_json(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_simulate(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_simulate_json(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_swap(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_swap_json(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_copies(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_reuse(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_reuse_dot(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_timeline(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_timeline_svg(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_explain(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_explain_json(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_header(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_table(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_svg(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_trace(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_load(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_html(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_lp(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e);
bool mp_emit_mps(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e);

#endif
