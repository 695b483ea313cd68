/* SPDX-License-Identifier: MIT */
#include "emit/json.h"

void mp_json_key(struct sink *sink, const char *before, const char *name)
{
	mp_sink_text(sink, before);
	mp_sink_json(sink, name);
	mp_sink_text(sink, ": ");
}

void mp_json_number(
	struct sink *sink, const char *before, const char *name, uint64_t value)
{
	mp_json_key(sink, before, name);
	mp_sink_u64(sink, value);
}

void mp_json_signed(
	struct sink *sink, const char *before, const char *name, int64_t value)
{
	mp_json_key(sink, before, name);
	mp_sink_i64(sink, value);
}

void mp_json_bool(
	struct sink *sink, const char *before, const char *name, bool value)
{
	mp_json_key(sink, before, name);
	mp_sink_text(sink, value ? "true" : "false");
}

void mp_json_text(struct sink *sink, const char *before, const char *name,
	const char *value)
{
	mp_json_key(sink, before, name);
	if (value)
		mp_sink_json(sink, value);
	else
		mp_sink_text(sink, "null");
}

void mp_json_rounding(struct sink *sink, const struct problem *problem)
{
	const struct margins *margins = &problem->margins;

	mp_json_number(sink, JSON_LINE, "alignment", problem->alignment);
	if (margins->target)
		mp_json_text(sink, JSON_LINE, "target", margins->target);
	if (margins->padding)
		mp_json_number(sink, JSON_LINE, "padding", margins->padding);
}

void mp_json_id(struct sink *sink, const struct item *item)
{
	if (item->id && item->id_is_number)
		mp_sink_text(sink, item->id);
	else
		mp_sink_json(sink, item->id ? item->id : mp_item_label(item));
}
