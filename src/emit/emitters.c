/*
 * The table of emitters. Rows with a suffix write files; rows without one are
 * reports, asked for by name.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/emit.h"

#include <string.h>

#include "base/sink-text.h"
#include "emit/rows.h"

const struct emitter mp_emitters[] = {
#define FILE_ROW(name, suffix, summary, ...)                                   \
	{name, suffix, suffix ": " summary, __VA_ARGS__},
#define REPORT_ROW(name, ...) {name, NULL, __VA_ARGS__},
#include "emit/emitters.def"
#undef FILE_ROW
#undef REPORT_ROW
};

const uint32_t mp_n_emitters = countof(mp_emitters);

const struct emitter *mp_emit_for(const char *file_name)
{
	const struct emitter *best = NULL;

	for (uint32_t i = 0; i < mp_n_emitters; i++) {
		const char *suffix = mp_emitters[i].suffix;

		if (suffix && mp_text_ends_with(file_name, suffix) &&
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
