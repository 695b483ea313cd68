/*
 * Members of JSON objects. What stands before a member, a comma and perhaps a
 * new line, is the caller's: some objects are one line and some are not.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_EMIT_JSON_TEXT_H
#define MP_EMIT_JSON_TEXT_H

#include "base/sink-text.h"
#include "emit/emit.h"
#include "emit/labels.h"

/* What stands before a member on its own line of the outermost object. */
#define JSON_LINE ",\n  "

/* Names of members are literals that need no escapes. Inline, so that their
 * lengths are known. */
static inline void mp_emit_json_key(
	struct sink *sink, const char *before, const char *name)
{
	mp_sink_text(sink, before);
	mp_sink_text(sink, "\"");
	mp_sink_text(sink, name);
	mp_sink_text(sink, "\": ");
}

static inline void mp_emit_json_number(
	struct sink *sink, const char *before, const char *name, uint64_t value)
{
	mp_emit_json_key(sink, before, name);
	mp_sink_u64(sink, value);
}

static inline void mp_emit_json_signed(
	struct sink *sink, const char *before, const char *name, int64_t value)
{
	mp_emit_json_key(sink, before, name);
	mp_sink_i64(sink, value);
}

/* Numbers that have the same before them. */
struct json_number {
	const char *name;
	uint64_t value;
};

void mp_emit_json_numbers(struct sink *sink, const char *before,
	const struct json_number *numbers, size_t n);

#define JSON_NUMBERS(sink, before, ...)                                        \
	mp_emit_json_numbers((sink), (before),                                 \
		(const struct json_number[]){__VA_ARGS__},                     \
		countof(((const struct json_number[]){__VA_ARGS__})))

void mp_emit_json_bool(
	struct sink *sink, const char *before, const char *name, bool value);

/* The time of a step of the listed order; NONE becomes null. */
void mp_emit_json_step(struct sink *sink, const char *before, const char *name,
	const struct schedule *s, uint32_t step);

/* NULL becomes null. */
void mp_emit_json_text(struct sink *sink, const char *before, const char *name,
	const char *value);

/* An array with an item a line: its begin, what stands before item i, and its
 * end behind n of them. */
void mp_emit_json_open(struct sink *sink, const char *before, const char *name);
void mp_emit_json_item(struct sink *sink, uint32_t i);
void mp_emit_json_close(struct sink *sink, uint32_t n);

/* An array of numbers on one line. */
void mp_emit_json_list(struct sink *sink, const char *before, const char *name,
	struct ids values);

/* Begins the outermost object: the graph's name, and how much it has. */
void mp_emit_json_counts(struct sink *sink, const struct schedule *schedule);

/* Members of their own lines: the alignment, and the target and its padding
 * where there are any. */
void mp_emit_json_rounding(struct sink *sink, const struct schedule *schedule);

/* The members "claimed" and "claimed_bound"; nothing if all is proved. */
void mp_emit_json_claim(
	struct sink *sink, const char *before, const struct plan *plan);

/* The member "banks" of a pool; nothing if it has none. */
void mp_emit_json_banks(struct sink *sink, const struct memory_pool *pool);

/* The member "pools" of the outermost object; nothing for one memory. With
 * claims a lower bound is what the input claimed, if that is more. */
void mp_emit_json_pools(
	struct sink *sink, const struct plan *plan, bool claims);

/* The member "capacity"; nothing where there is none. */
void mp_emit_json_capacity(struct sink *sink, uint64_t capacity);

/* Begins a tensor's object: its id and its name. */
void mp_emit_json_tensor(struct sink *sink, const struct tensor *tensor);

/* The member "label": what reports and pictures call the tensor. */
void mp_emit_json_label(
	struct sink *sink, const struct labels *labels, uint32_t tensor);

/* The members "start" and "end". */
void mp_emit_json_life(struct sink *sink, const struct schedule *schedule,
	const struct stay *stay);

/* The member "pool": where the tensor lies, of several memories. */
void mp_emit_json_pool(
	struct sink *sink, const struct plan *plan, uint32_t tensor);

/* The tensor's id as the input spelled it: a number or a string. */
void mp_emit_json_id(struct sink *sink, const struct tensor *tensor);

/* "[1, 2]": the ids of these tensors. */
void mp_emit_json_ids(
	struct sink *sink, const struct graph *graph, struct ids tensors);

#endif
