/*
 * header: what one plan and each graph of a bundle have in common.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/header/header.h"

#include <stdio.h>

#include "base/sink-text.h"

enum {
	COMMENT_MOST = 60, /* characters of a name in a comment */
};

bool mp_emit_header_prepare(struct header *h, struct arena *scratch)
{
	h->prefix = mp_emit_symbol_prefix(h->schedule->graph->name, scratch);
	h->symbols = mp_emit_symbols(h->schedule, scratch);
	h->lower = h->prefix ? mp_emit_symbol_lower(h->prefix, scratch) : NULL;
	for (uint32_t i = 0; i < h->schedule->graph->n_tensors; i++)
		h->n += h->schedule->stay[i].buffer != NONE;
	return h->symbols && h->lower;
}

void mp_emit_header_literal(struct sink *sink, uint64_t value)
{
	mp_sink_u64(sink, value);
	mp_sink_text(sink, value <= UINT32_MAX ? "u" : "ull");
}

/* Neither the end of a comment nor a trigraph survives, and all is ASCII. */
static void comment_point(struct sink *sink, uint32_t point)
{
	char c = (char)point;

	if (point >= 0x7f || point < ' ' || c == '*' || c == '?' || c == '\\')
		mp_sink_print(
			sink, point < 0x10000 ? "\\u%04x" : "\\U%08x", point);
	else
		mp_sink_write(sink, &c, 1);
}

void mp_emit_header_comment(struct sink *sink, const char *name)
{
	uint32_t point, count = 0;

	while (count++ < COMMENT_MOST && (point = mp_text_next(&name)) != 0)
		comment_point(sink, point);
	if (count > COMMENT_MOST && *name)
		mp_sink_text(sink, "...");
}

void mp_emit_header_define(
	const struct header *h, const char *name, uint64_t value)
{
	mp_sink_print(h->sink, "#define %s_%s ", h->prefix, name);
	mp_emit_header_literal(h->sink, value);
	mp_sink_text(h->sink, "\n");
}

/* The sizes of several memories; nothing for one. */
static void pool_sizes(const struct header *h)
{
	char name[48];

	for (uint32_t i = 0; i < h->plan->spaces.n; i++) {
		const struct space *space = &h->plan->spaces.at[i];

		mp_sink_print(h->sink, "/* pool %u: ", i);
		mp_emit_header_comment(h->sink, space->name);
		mp_sink_text(h->sink, " */\n");
		snprintf(name, sizeof(name), "POOL_SIZE_%u", i);
		mp_emit_header_define(h, name, space->size);
		snprintf(name, sizeof(name), "POOL_ALIGN_%u", i);
		mp_emit_header_define(h, name, space->base_alignment);
	}
}

void mp_emit_header_arena(const struct header *h)
{
	const struct schedule *s = h->schedule;

	pool_sizes(h);
	if (!h->plan->spaces.at) {
		mp_emit_header_define(h, "ARENA_SIZE", h->plan->arena_size);
		mp_emit_header_define(
			h, "ARENA_ALIGN", mp_plan_base_alignment(&s->problem));
	}
	mp_emit_header_define(h, "ALIGNMENT", s->problem.alignment);
	if (s->problem.margins.padding)
		mp_emit_header_define(h, "PADDING", s->problem.margins.padding);
}
