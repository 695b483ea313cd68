/*
 * What a header says of each tensor: its macros, its place in the tables, and
 * what the compiler is to make sure of.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/header/header.h"

#include <assert.h>

#include "base/text.h"

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
	mp_sink_print(h->sink, ": %s, steps [%u, %u)",
		mp_graph_kind_name(tensor->kind), stay->start, stay->end);
	alias_comment(h, i);
	mp_sink_text(h->sink, " */\n");
	mp_emit_header_define_of(h, "OFFSET_~", i, mp_plan_offset(h->plan, i));
	mp_emit_header_define_of(h, "SIZE_~", i, tensor->size);
	if (h->plan->spaces.at)
		mp_emit_header_define_of(
			h, "IN_POOL_~", i, mp_plan_space(h->plan, i));
}

static void tensor_enumerator(const struct header *h, uint32_t i)
{
	mp_emit_header_text(h, "\t@_TENSOR_~,\n", i);
}

static void tensor_entry(const struct header *h, uint32_t i)
{
	const struct tensor *tensor = &h->schedule->graph->tensors[i];
	const struct stay *stay = &h->schedule->stay[i];

	mp_emit_header_text(h, "\t{@_OFFSET_~, @_SIZE_~, ", i);
	mp_sink_print(h->sink, "%uu, %uu, ", stay->start, stay->end);
	mp_emit_header_text(
		h, h->plan->spaces.at ? "@_IN_POOL_~, " : "0u, ", i);
	mp_sink_u64(h->sink,
		h->changes[h->first_tensor + i] ? KIND_STATE : tensor->kind);
	mp_sink_text(h->sink, "u},\n");
}

static void tensor_assertion(const struct header *h, uint32_t i)
{
	const struct tensor_alias *alias = alias_of(h, i);

	mp_emit_header_text(h, "MEMPLAN_ASSERT($_fits_~,\n\t@_OFFSET_~ ", i);
	if (alias) {
		/* An alias begins at any byte, but at that one. */
		mp_emit_header_text(
			h, "== @_OFFSET_~ + ", alias->of - h->first_tensor);
		mp_emit_header_literal(h->sink, alias->offset);
	} else {
		mp_emit_header_text(h, "% @_ALIGNMENT == 0", i);
	}
	mp_emit_header_text(h,
		h->plan->spaces.at
			? " &&\n\t@_SIZE_~ <= @_POOL_SIZE_^ &&\n"
			  "\t@_OFFSET_~ <= @_POOL_SIZE_^ - @_SIZE_~);\n"
			: " &&\n\t@_SIZE_~ <= @_ARENA_SIZE &&\n"
			  "\t@_OFFSET_~ <= @_ARENA_SIZE - @_SIZE_~);\n",
		i);
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
	mp_emit_header_text(h,
		h->plan->spaces.at
			? "#define @_IN(bases, tensor) \\\n\t((void *)"
			  "((unsigned char *)(bases)[@_IN_POOL_##tensor] + "
			  "\\\n\t\t@_OFFSET_##tensor))\n"
			: "#define @_AT(base, tensor) \\\n\t((void *)"
			  "((unsigned char *)(base) + @_OFFSET_##tensor))\n",
		NONE);
	each(h, tensor_macros);
}

void mp_emit_header_entries(const struct header *h)
{
	if (h->n == 0)
		return;
	mp_emit_header_text(h, "\nenum $_tensor {\n", NONE);
	each(h, tensor_enumerator);
	mp_emit_header_text(h,
		"};\n\nstatic const struct memplan_entry "
		"$_entries[@_N_TENSORS] = {\n",
		NONE);
	each(h, tensor_entry);
	mp_sink_text(h->sink, "};\n");
}

void mp_emit_header_fits(const struct header *h)
{
	each(h, tensor_assertion);
}
