/* SPDX-License-Identifier: MIT */
#include "emit/json.h"

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
