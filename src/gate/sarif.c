/*
 * sarif: SARIF 2.1.0, a result for every verdict but a pass. Every result needs
 * a location: it is the gate's line in the budget file, which is surely in the
 * repository; the graph, which may be made by the build, is a related one.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "base/names.h"
#include "emit/json-text.h"
#include "gate/gate.h"
#include "memplan/version.h"

static void encode(struct sink *sink, const char *name, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		uint32_t byte = (unsigned char)name[i];

		if ((byte | 32) - 'a' < 26 || byte - '0' < 10 ||
			strchr("-._~/", name[i]))
			mp_sink_write(sink, &name[i], 1);
		else
			mp_sink_print(sink, "%%%02X", byte);
	}
}

/* A file name as a URI reference: RFC 3986's unreserved characters stand for
 * themselves. It may be relative to the folder of another file. */
static void uri(struct sink *sink, const char *beside, const char *name)
{
	const char *slash = *name == '/' ? NULL : strrchr(beside, '/');
	size_t folder = slash ? (size_t)(slash - beside) + 1 : 0;
	bool absolute = *(folder ? beside : name) == '/';

	mp_sink_text(sink, absolute ? "\"file://" : "\"");
	encode(sink, beside, folder);
	encode(sink, name, strlen(name));
	mp_sink_text(sink, "\"");
}

static void location(struct sink *sink, const char *beside, const char *name,
	const struct json_place *place)
{
	mp_sink_text(sink, "{\"physicalLocation\": {\"artifactLocation\": "
			   "{\"uri\": ");
	uri(sink, beside, name);
	mp_sink_text(sink, "}");
	if (place)
		mp_sink_print(sink,
			", \"region\": {\"startLine\": %u, "
			"\"startColumn\": %u}",
			place->line, place->column);
	mp_sink_text(sink, "}");
}

static const char *level_name(enum gate_level level)
{
	assert(level > LEVEL_PASS);
	if (level == LEVEL_NOTICE)
		return "note";
	return level == LEVEL_WARN ? "warning" : "error";
}

/* SARIF's identity of a result across runs: the row and its gate. */
static void fingerprint(struct sink *sink, const char *title, const char *rule,
	struct arena *scratch)
{
	const char *text = mp_arena_print(scratch, "%s\n%s", title, rule);

	if (text)
		mp_sink_print(sink,
			", \"partialFingerprints\": {\"memplanGate/v1\": "
			"\"%016llx\"}}",
			(unsigned long long)mp_names_hash(text, strlen(text)));
}

static void result(struct sink *sink, const struct gate *gate,
	const struct budget *budget, uint32_t kind, struct arena *scratch)
{
	const char *rule = mp_gate_rows[kind].name;
	const char *title = mp_gate_title(budget, scratch);
	const char *message = mp_gate_message(budget, kind, scratch);
	const char *text =
		mp_arena_print(scratch, "%s: %s: %s", title, rule, message);

	mp_emit_json_text(sink, "{", "ruleId", rule);
	mp_emit_json_number(sink, ", ", "ruleIndex", kind);
	mp_emit_json_text(
		sink, ", ", "level", level_name(budget->verdicts[kind].level));
	mp_emit_json_key(sink, ", ", "message");
	mp_emit_json_text(sink, "{", "text", text);
	mp_sink_text(sink, "},\n       \"locations\": [");
	location(sink, "", gate->file.name, &budget->gates[kind].place);
	mp_sink_text(sink, "}],\n       \"relatedLocations\": [");
	location(sink, gate->file.name, budget->graph, NULL);
	mp_sink_text(sink, ", \"message\": {\"text\": \"the graph\"}}]");
	fingerprint(sink, title, rule, scratch);
}

static void rules(struct sink *sink)
{
	mp_sink_text(sink, "\"rules\": [");
	for (uint32_t kind = 0; kind < N_VERDICTS; kind++) {
		mp_emit_json_text(sink,
			kind > 0 ? ",\n        {" : "\n        {", "id",
			mp_gate_rows[kind].name);
		mp_emit_json_key(sink, ", ", "shortDescription");
		mp_emit_json_text(
			sink, "{", "text", mp_gate_rows[kind].summary);
		mp_sink_text(sink, "}}");
	}
	mp_sink_text(sink, "]");
}

void mp_gate_sarif(
	const struct gate *gate, struct sink *sink, struct arena *scratch)
{
	const char *between = "\n      ";

	mp_sink_text(sink,
		"{\n  \"$schema\": \"https://docs.oasis-open.org/sarif/sarif/"
		"v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json\",\n"
		"  \"version\": \"2.1.0\",\n  \"runs\": [{\n"
		"    \"tool\": {\"driver\": {\"name\": \"memplan\", "
		"\"version\": \"" MEMPLAN_VERSION "\",\n      ");
	rules(sink);
	mp_sink_text(sink, "}},\n    \"columnKind\": \"utf16CodeUnits\",\n"
			   "    \"results\": [");
	for (uint32_t i = 0; i < gate->n_budgets; i++)
		for (uint32_t kind = 0; kind < N_VERDICTS; kind++) {
			if (gate->budgets[i].verdicts[kind].level <= LEVEL_PASS)
				continue;
			mp_sink_text(sink, between);
			between = ",\n      ";
			result(sink, gate, &gate->budgets[i], kind, scratch);
		}
	mp_sink_text(sink, "]\n  }]\n}\n");
}
