/*
 * What a header says of each tensor: its place in the tables, and in the long
 * form its macros.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/header/header.h"

#include <assert.h>
#include <string.h>

#include "base/sink-text.h"

enum {
	LINE = 80, /* characters of a line of enumerators */
	TAB = 8,
};

/* A name of the prefix and what follows it, and one of a tensor: written piece
 * by piece, as half of a header is such names. */
static void prefixed(const struct header *h, const char *what)
{
	mp_sink_text(h->sink, h->prefix);
	mp_sink_text(h->sink, what);
}

static void of_tensor(const struct header *h, const char *what, uint32_t i)
{
	assert(i < h->schedule->graph->n_tensors);
	prefixed(h, what);
	mp_sink_text(h->sink, h->symbols[i]);
}

static void define_of_tensor(
	const struct header *h, const char *what, uint32_t i, uint64_t value)
{
	mp_sink_text(h->sink, "#define ");
	of_tensor(h, what, i);
	mp_sink_text(h->sink, " ");
	mp_emit_header_literal(h->sink, value);
	mp_sink_text(h->sink, "\n");
}

/* What a tensor of these is an alias of, if that has bytes; or NULL. */
static const struct tensor_alias *alias_of(const struct header *h, uint32_t i)
{
	const struct tensor_alias *alias = mp_graph_ties_alias(
		&h->schedule->graph->ties, h->first_tensor + i);
	const struct stay *stay = h->schedule->stay;

	assert(i < h->schedule->graph->n_tensors);
	if (!alias || stay[i].buffer == NONE ||
		stay[alias->of - h->first_tensor].buffer == NONE)
		return NULL;
	return alias;
}

static void alias_comment(const struct header *h, uint32_t i)
{
	const struct tensor_alias *alias = alias_of(h, i);

	if (!alias)
		return;
	mp_sink_text(h->sink, ", from byte ");
	mp_sink_u64(h->sink, alias->offset);
	mp_sink_text(h->sink, " of ");
	mp_emit_header_comment(h->sink,
		mp_graph_tensor_label(
			&h->schedule->graph
				 ->tensors[alias->of - h->first_tensor]));
}

static void tensor_macros(const struct header *h, uint32_t i)
{
	const struct tensor *tensor = &h->schedule->graph->tensors[i];
	const struct stay *stay = &h->schedule->stay[i];

	mp_sink_text(h->sink, "\n/* ");
	mp_emit_header_comment(h->sink, mp_graph_tensor_label(tensor));
	mp_sink_text(h->sink, ": ");
	mp_sink_text(h->sink, mp_graph_kind_name(tensor->kind));
	mp_sink_text(h->sink, ", steps [");
	mp_sink_u64(h->sink, stay->start);
	mp_sink_text(h->sink, ", ");
	mp_sink_u64(h->sink, stay->end);
	mp_sink_text(h->sink, ")");
	alias_comment(h, i);
	mp_sink_text(h->sink, " */\n");
	define_of_tensor(h, "_OFFSET_", i, mp_plan_offset(h->plan, i));
	define_of_tensor(h, "_SIZE_", i, tensor->size);
	if (h->plan->spaces.at)
		define_of_tensor(h, "_IN_POOL_", i, mp_plan_space(h->plan, i));
}

/* Enumerators fill their lines, as there are many. */
struct column {
	uint32_t at; /* characters of the line so far; 0: none */
};

static void tensor_enumerator(
	const struct header *h, uint32_t i, struct column *column)
{
	uint32_t length = (uint32_t)(strlen(h->prefix) + strlen("_TENSOR_,") +
				     strlen(h->symbols[i]));

	if (column->at > 0 && column->at + 1 + length <= LINE)
		mp_sink_text(h->sink, " ");
	else
		mp_sink_text(h->sink, column->at > 0 ? "\n\t" : "\t");
	column->at = column->at > 0 && column->at + 1 + length <= LINE
			     ? column->at + 1 + length
			     : TAB + length;
	of_tensor(h, "_TENSOR_", i);
	mp_sink_text(h->sink, ",");
}

static void tensor_entry(const struct header *h, uint32_t i)
{
	const struct tensor *tensor = &h->schedule->graph->tensors[i];
	const struct stay *stay = &h->schedule->stay[i];
	uint32_t kind =
		h->changes[h->first_tensor + i] ? KIND_STATE : tensor->kind;
	const uint32_t rest[] = {
		stay->start, stay->end, mp_plan_space(h->plan, i), kind};

	mp_sink_text(h->sink, "\t{");
	mp_emit_header_literal(h->sink, mp_plan_offset(h->plan, i));
	mp_sink_text(h->sink, ", ");
	mp_emit_header_literal(h->sink, tensor->size);
	for (uint32_t k = 0; k < countof(rest); k++) {
		mp_sink_text(h->sink, ", ");
		mp_sink_u64(h->sink, rest[k]);
		mp_sink_text(h->sink, "u");
	}
	mp_sink_text(h->sink, "}, /* ");
	mp_emit_header_comment(h->sink, mp_graph_tensor_label(tensor));
	mp_sink_text(h->sink, " */\n");
}

static bool is_listed(const struct header *h, uint32_t i)
{
	return h->schedule->stay[i].buffer != NONE;
}

/* The address: a table's cell, or of the long form a constant. */
static void address(const struct header *h)
{
	bool several = h->plan->spaces.at;

	mp_sink_print(h->sink,
		"#define %s_%s \\\n\t((void *)((unsigned char *)", h->prefix,
		several ? "IN(bases, tensor)" : "AT(base, tensor)");
	if (several && h->names)
		mp_sink_print(
			h->sink, "(bases)[%s_IN_POOL_##tensor]", h->prefix);
	else if (several)
		mp_sink_print(h->sink,
			"(bases)[%s_entries[%s_TENSOR_##tensor].pool]",
			h->lower, h->prefix);
	else
		mp_sink_text(h->sink, "(base)");
	if (h->names)
		mp_sink_print(h->sink, " + \\\n\t\t%s_OFFSET_##tensor))\n",
			h->prefix);
	else
		mp_sink_print(h->sink,
			" + \\\n\t\t%s_entries[%s_TENSOR_##tensor].offset))\n",
			h->lower, h->prefix);
}

void mp_emit_header_tensors(const struct header *h)
{
	address(h);
	for (uint32_t i = 0; h->names && i < h->schedule->graph->n_tensors; i++)
		if (is_listed(h, i))
			tensor_macros(h, i);
}

void mp_emit_header_entries(const struct header *h)
{
	struct column column = {0};

	if (h->n == 0)
		return;
	mp_sink_print(h->sink, "\nenum %s_tensor {\n", h->lower);
	for (uint32_t i = 0; i < h->schedule->graph->n_tensors; i++)
		if (is_listed(h, i))
			tensor_enumerator(h, i, &column);
	mp_sink_print(h->sink,
		"\n};\n\n/* offset, size, first step, end, pool, kind */\n"
		"static const struct memplan_entry %s_entries[%s_N_TENSORS] = "
		"{\n",
		h->lower, h->prefix);
	for (uint32_t i = 0; i < h->schedule->graph->n_tensors; i++)
		if (is_listed(h, i))
			tensor_entry(h, i);
	mp_sink_text(h->sink, "};\n");
}
