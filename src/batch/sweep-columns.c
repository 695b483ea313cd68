/*
 * What the columns of a sweep say: verdicts, and the names of settings.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "batch/inside.h"

const char *mp_batch_verdict(const struct answer *answer)
{
	switch (answer->status) {
	case MEMPLAN_OK:
		return answer->optimal ? "optimal" : "planned";
	case MEMPLAN_NO:
		return "does not fit";
	case MEMPLAN_EUSAGE:
		return "bad options";
	case MEMPLAN_EINPUT:
		return "bad input";
	case MEMPLAN_EBUDGET:
		return "no plan found";
	case MEMPLAN_ENOMEM:
	case MEMPLAN_EIO:
	case MEMPLAN_EINTERNAL:
		break;
	}
	return "failed";
}

/* --------------------------------------------------------- settings */

static const struct settings *of_task(const struct task *task, bool dims)
{
	return dims ? &task->dims : &task->options;
}

static int by_text(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

bool mp_batch_names(const struct sweep *sweep, bool dims, const char ***names,
	uint32_t *n, struct arena *arena)
{
	uint32_t room = 0;

	*names = NULL;
	*n = 0;
	for (uint32_t i = 0; i < sweep->n; i++) {
		const struct settings *all =
			of_task(&sweep->rows[i].task, dims);

		for (uint32_t k = 0; k < all->n; k++) {
			uint32_t seen = 0;

			while (seen < *n &&
				strcmp((*names)[seen], all->at[k].name) != 0)
				seen++;
			if (seen < *n)
				continue;
			*names = mp_arena_grow(
				arena, *names, *n, &room, sizeof(**names));
			if (!*names)
				return false;
			(*names)[(*n)++] = all->at[k].name;
		}
	}
	if (*n > 0)
		qsort(*names, *n, sizeof(**names), by_text);
	return true;
}
