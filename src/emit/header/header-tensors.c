/*
 * What a header says of each tensor: its macros, its place in the tables, and
 * what the compiler is to make sure of.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/header/header.h"

#include <assert.h>

#include "base/sink-text.h"

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

static void tensor_enumerator(const struct header *h, uint32_t i)
{
	mp_sink_text(h->sink, "\t");
	of_tensor(h, "_TENSOR_", i);
	mp_sink_text(h->sink, ",\n");
}

static void tensor_entry(const struct header *h, uint32_t i)
{
	const struct tensor *tensor = &h->schedule->graph->tensors[i];
	const struct stay *stay = &h->schedule->stay[i];

	mp_sink_text(h->sink, "\t{");
	of_tensor(h, "_OFFSET_", i);
	mp_sink_text(h->sink, ", ");
	of_tensor(h, "_SIZE_", i);
	mp_sink_text(h->sink, ", ");
	mp_sink_u64(h->sink, stay->start);
	mp_sink_text(h->sink, "u, ");
	mp_sink_u64(h->sink, stay->end);
	mp_sink_text(h->sink, "u, ");
	if (h->plan->spaces.at)
		of_tensor(h, "_IN_POOL_", i);
	else
		mp_sink_text(h->sink, "0u");
	mp_sink_text(h->sink, ", ");
	mp_sink_u64(h->sink,
		h->changes[h->first_tensor + i] ? KIND_STATE : tensor->kind);
	mp_sink_text(h->sink, "u},\n");
}

/* The size of where the tensor lies. */
static void room(const struct header *h, uint32_t i)
{
	uint32_t space = mp_plan_space(h->plan, i);

	prefixed(h, h->plan->spaces.at ? "_POOL_SIZE_" : "_ARENA_SIZE");
	if (h->plan->spaces.at)
		mp_sink_u64(h->sink, space);
}

static void tensor_assertion(const struct header *h, uint32_t i)
{
	const struct tensor_alias *alias = alias_of(h, i);

	mp_sink_text(h->sink, "MEMPLAN_ASSERT(");
	mp_sink_text(h->sink, h->lower);
	mp_sink_text(h->sink, "_fits_");
	mp_sink_text(h->sink, h->symbols[i]);
	mp_sink_text(h->sink, ",\n\t");
	of_tensor(h, "_OFFSET_", i);
	if (alias) {
		/* An alias begins at any byte, but at that one. */
		mp_sink_text(h->sink, " == ");
		of_tensor(h, "_OFFSET_", alias->of - h->first_tensor);
		mp_sink_text(h->sink, " + ");
		mp_emit_header_literal(h->sink, alias->offset);
	} else {
		mp_sink_text(h->sink, " % ");
		prefixed(h, "_ALIGNMENT == 0");
	}
	mp_sink_text(h->sink, " &&\n\t");
	of_tensor(h, "_SIZE_", i);
	mp_sink_text(h->sink, " <= ");
	room(h, i);
	mp_sink_text(h->sink, " &&\n\t");
	of_tensor(h, "_OFFSET_", i);
	mp_sink_text(h->sink, " <= ");
	room(h, i);
	mp_sink_text(h->sink, " - ");
	of_tensor(h, "_SIZE_", i);
	mp_sink_text(h->sink, ");\n");
}

static void each(const struct header *h,
	void (*write)(const struct header *h, uint32_t i))
{
	for (uint32_t i = 0; i < h->schedule->graph->n_tensors; i++)
		if (!h->schedule->graph->tensors[i].external)
			write(h, i);
}

void mp_emit_header_tensors(const struct header *h)
{
	if (h->plan->spaces.at)
		mp_sink_print(h->sink,
			"#define %s_IN(bases, tensor) \\\n"
			"\t((void *)((unsigned char *)(bases)[%s_IN_POOL_##"
			"tensor] + \\\n\t\t%s_OFFSET_##tensor))\n",
			h->prefix, h->prefix, h->prefix);
	else
		mp_sink_print(h->sink,
			"#define %s_AT(base, tensor) \\\n"
			"\t((void *)((unsigned char *)(base) + "
			"%s_OFFSET_##tensor))\n",
			h->prefix, h->prefix);
	each(h, tensor_macros);
}

void mp_emit_header_entries(const struct header *h)
{
	if (h->n == 0)
		return;
	mp_sink_print(h->sink, "\nenum %s_tensor {\n", h->lower);
	each(h, tensor_enumerator);
	mp_sink_print(h->sink,
		"};\n\nstatic const struct memplan_entry "
		"%s_entries[%s_N_TENSORS] = {\n",
		h->lower, h->prefix);
	each(h, tensor_entry);
	mp_sink_text(h->sink, "};\n");
}

void mp_emit_header_fits(const struct header *h)
{
	each(h, tensor_assertion);
}
