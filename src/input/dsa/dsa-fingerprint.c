/*
 * The fingerprint of a problem: FNV-1a of its canonical text. The text has
 * metadata, also where the document has none, and no empty list of reasons.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/sink-text.h"
#include "input/dsa/dsa.h"

/* The keys of the root, in the order of the canonical text. */
static const char *const keys[] = {"instance", "metadata", "problem", "profile",
	"relaxed_features", "relaxed_from", "schema_version"};

static bool write_text(
	const struct json_at *root, struct sink *sink, struct arena *arena)
{
	const char *before = "{\n  \"";

	for (uint32_t i = 0; i < countof(keys); i++) {
		struct json_at value = mp_json_find(root, keys[i]);

		if (!value.value && strcmp(keys[i], "metadata") != 0)
			continue;
		mp_sink_text(sink, before);
		mp_sink_text(sink, keys[i]);
		mp_sink_text(sink, "\": ");
		before = ",\n  \"";
		if (!value.value)
			mp_sink_text(sink, "{}");
		else if (!mp_json_canonical(&value, 1, "reasons", sink, arena))
			return false;
	}
	mp_sink_text(sink, "\n}\n");
	return arena->error->code == MEMPLAN_OK;
}

const char *mp_input_dsa_fingerprint(
	const struct json_at *root, struct arena *arena)
{
	struct arena scratch = mp_arena_beside(arena);
	struct sink sink = {.error = arena->error, .limit = scratch.limit};
	const char *digits = NULL;

	if (write_text(root, &sink, &scratch))
		digits = mp_arena_print(arena, "%016llx",
			(unsigned long long)mp_names_hash(
				sink.bytes, sink.length));
	mp_sink_free(&sink);
	mp_arena_free(&scratch);
	return digits;
}
