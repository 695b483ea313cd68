/*
 * summary: a few aligned lines for the terminal.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "emit/rows.h"

bool mp_emit_summary(const struct plan *plan, struct sink *sink,
	struct arena *scratch, struct error *e)
{
	(void)scratch;
	mp_sink_print(sink, "arena %" PRIu64 "\n", plan->arena_size);
	return e->code == MEMPLAN_OK;
}
