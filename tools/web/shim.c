/*
 * What JavaScript cannot do by itself with libmemplan: hear how far a run is.
 *
 * SPDX-License-Identifier: MIT
 */
#include <emscripten.h>

#include "memplan/memplan.h"

/* True: the run is to end soon. Sizes are exact up to 2^53 bytes. */
/* clang-format off */
EM_JS(int, mp_web_tell,
	(const char *phase, const char *row, double arena_size,
		double theoretical_min, double lower_bound, double steps_left),
	{
		return Module.onProgress ? +Module.onProgress({
			phase: UTF8ToString(phase),
			row: row ? UTF8ToString(row) : null,
			arenaSize: arena_size,
			theoreticalMin: theoretical_min,
			lowerBound: lower_bound,
			stepsLeft: steps_left,
		}) : 0;
	});
/* clang-format on */

static void tell(
	void *context, const struct memplan_progress *progress, size_t size)
{
	(void)size;
	if (mp_web_tell(progress->phase, progress->row,
		    (double)progress->arena_size,
		    (double)progress->theoretical_min,
		    (double)progress->lower_bound,
		    (double)progress->steps_left))
		memplan_interrupt(context);
}

EMSCRIPTEN_KEEPALIVE memplan *mp_web_new(void)
{
	memplan *m = memplan_new();

	if (m)
		memplan_on_progress(m, tell, m);
	return m;
}
