/*
 * The arrays of a replay.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <stdlib.h>

#include "replay/inside.h"

void *mp_replay_array(struct run *run, size_t n, size_t size)
{
	void *array = calloc(n + 1, size);

	assert(run->n_arrays < MOST_ARRAYS);
	run->arrays[run->n_arrays++] = array;
	run->is_out |= !array;
	return array;
}
