/*
 * header: the plan as a C header, for C99 and later and C++11 and later. The
 * typed table has the layout of include/memplan/loader.h. header-names: macros
 * for each tensor too, plain literals, which binding generators and constant
 * expressions understand. No date, no path: the same plan gives the same bytes.
 * docs/formats/header.md says what a user gets.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/header/header.h"

#include <stdio.h>

#include "base/sink-text.h"
#include "emit/inside.h"
#include "emit/rows.h"
#include "memplan/version.h"

/* ------------------------------------------------------------ parts */

/* Where a tensor is. */
static void explain(const struct header *h)
{
	const struct bundle *bundle = &h->schedule->graph->bundle;
	bool several = h->plan->spaces.at;
	const char *place = several ? "IN(bases, x)" : "AT(base, x)";

	if (bundle->n > 0)
		mp_sink_print(h->sink,
			" * Its %u graphs %s.\n"
			" * Tensor x of graph G is at G_%s while steps [start, "
			"end) of G run",
			bundle->n,
			bundle->concurrent
				? "may run at the same time: each has bytes of "
				  "its own"
				: "run in turn, never two at once: they share "
				  "bytes",
			place);
	else
		mp_sink_print(h->sink,
			" * Tensor x is at %s_%s while steps [start, end) run",
			h->prefix, place);
	mp_sink_text(h->sink,
		several ? ";\n * bases[k] is where pool k begins.\n" : ".\n");
}

/* How symbols come from names, to the end of the opening comment. */
static const char naming[] = " *\n"
			     " * x is the tensor's name. What is no ASCII "
			     "letter, digit or underscore\n"
			     " * becomes an underscore. Names that would then "
			     "be equal, or that have\n"
			     " * more than 63 characters, end in _ and eight "
			     "digits of a hash of the\n"
			     " * name: another tensor never gets the symbol. "
			     "Tensors without bytes are\n"
			     " * left out.\n"
			     " */\n";

static void opening(const struct header *h)
{
	uint32_t hash = mp_emit_symbol_hash(h->schedule->graph->name);

	mp_sink_text(h->sink, "/*\n * Memory plan of ");
	mp_emit_header_comment(h->sink, h->schedule->graph->name);
	mp_sink_print(h->sink,
		", made by memplan %s: plan again rather than edit.\n",
		MEMPLAN_VERSION);
	if (h->plan->spaces.at)
		mp_sink_print(h->sink,
			" * Allocate %s_POOL_SIZE_k bytes aligned to "
			"%s_POOL_ALIGN_k for each pool k.\n",
			h->prefix, h->prefix);
	else
		mp_sink_print(h->sink,
			" * Allocate %s_ARENA_SIZE bytes aligned to "
			"%s_ARENA_ALIGN, once.\n",
			h->prefix, h->prefix);
	explain(h);
	mp_sink_text(h->sink, naming);
	mp_sink_print(h->sink,
		"#ifndef MEMPLAN_%s_%08x_H\n#define MEMPLAN_%s_%08x_H\n\n"
		"#include <stddef.h>\n#include <stdint.h>\n\n",
		h->prefix, hash, h->prefix, hash);
}

/* The same text as in include/memplan/loader.h, under the same guard. */
static const char types[] =
	"#ifndef MEMPLAN_ENTRY\n"
	"#define MEMPLAN_ENTRY 1\n"
	"struct memplan_entry {\n"
	"\tuint64_t offset; /* bytes from its pool's base */\n"
	"\tuint64_t size; /* bytes, not rounded */\n"
	"\tuint32_t start, end; /* alive in steps [start, end) */\n"
	"\tuint32_t pool;\n"
	"\tuint32_t kind; /* 0 activation, 1 input, 2 output, 3 weight,\n"
	"\t\t\t  4 state, 5 temporary */\n"
	"};\n"
	"struct memplan_pool {\n"
	"\tuint64_t size; /* bytes to allocate */\n"
	"\tuint64_t align; /* of the base: a power of two */\n"
	"};\n"
	"#endif\n\n";

static const char assertion[] =
	"#ifndef MEMPLAN_ASSERT\n"
	"#if defined(__cplusplus)\n"
	"#define MEMPLAN_ASSERT(name, condition) "
	"static_assert(condition, #name)\n"
	"#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L\n"
	"#define MEMPLAN_ASSERT(name, condition) "
	"_Static_assert(condition, #name)\n"
	"#else\n"
	"#define MEMPLAN_ASSERT(name, condition) \\\n"
	"\ttypedef char name[(condition) ? 1 : -1]\n"
	"#endif\n"
	"#endif\n\n";

static void numbers(const struct header *h)
{
	const struct schedule *s = h->schedule;
	struct extent states = mp_plan_states(h->plan);

	mp_emit_header_arena(h);
	mp_emit_header_define(h, "THEORETICAL_MIN", s->problem.theoretical_min);
	mp_emit_header_define(h, "LOWER_BOUND", h->plan->lower_bound);
	if (states.size > 0) {
		mp_emit_header_define(h, "STATES_OFFSET", states.base);
		mp_emit_header_define(h, "STATES_SIZE", states.size);
	}
	mp_emit_header_define(h, "N_POOLS", mp_plan_memories(h->plan));
	mp_emit_header_define(h, "N_STEPS", s->problem.n_steps);
	mp_emit_header_define(h, "N_TENSORS", h->n);
}

static void pools(const struct header *h)
{
	mp_sink_print(h->sink,
		"\nstatic const struct memplan_pool %s_pools[%s_N_POOLS] = {\n",
		h->lower, h->prefix);
	for (uint32_t i = 0; i < h->plan->spaces.n; i++)
		mp_sink_print(h->sink,
			"\t{%s_POOL_SIZE_%u, %s_POOL_ALIGN_%u},\n", h->prefix,
			i, h->prefix, i);
	if (!h->plan->spaces.at)
		mp_sink_print(h->sink, "\t{%s_ARENA_SIZE, %s_ARENA_ALIGN},\n",
			h->prefix, h->prefix);
	mp_sink_text(h->sink, "};\n");
}

/* A memory has all bytes that the tensors need, also after an edit by hand, and
 * the target can address them. Of one in which nothing lies, compilers would
 * say that this is always true. */
static void memory_fits(const struct header *h, const char *name, uint64_t size)
{
	if (size == 0)
		return;
	mp_sink_text(h->sink, " &&\n\t");
	mp_emit_header_literal(h->sink, size);
	mp_sink_print(h->sink, " <= %s_%s && %s_%s <= (size_t)-1", h->prefix,
		name, h->prefix, name);
}

/* One assertion for all. */
static void layout(const struct header *h)
{
	char name[48];

	mp_sink_print(h->sink,
		"\nMEMPLAN_ASSERT(%s_fits, MEMPLAN_ENTRY == 1 &&\n"
		"\tsizeof(struct memplan_entry) == 32",
		h->lower);
	for (uint32_t i = 0; i < h->plan->spaces.n; i++) {
		snprintf(name, sizeof(name), "POOL_SIZE_%u", i);
		memory_fits(h, name, h->plan->spaces.at[i].size);
	}
	if (!h->plan->spaces.at)
		memory_fits(h, "ARENA_SIZE", h->plan->arena_size);
	mp_sink_text(h->sink, ");\n");
}

static void print(const struct results *results, bool names, struct sink *sink,
	struct arena *scratch)
{
	const struct plan *plan = results->plan;
	struct header h = {.plan = plan,
		.schedule = plan->schedule,
		.sink = sink,
		.names = names};

	h.changes = mp_emit_tied_changes(h.schedule, scratch);
	if (!h.changes || !mp_emit_header_prepare(&h, scratch))
		return;
	opening(&h);
	mp_sink_text(sink, types);
	mp_sink_text(sink, assertion);
	numbers(&h);
	if (h.schedule->graph->bundle.n > 0) {
		mp_emit_header_define(
			&h, "N_GRAPHS", h.schedule->graph->bundle.n);
		pools(&h);
		mp_emit_header_bundle(&h, scratch);
	} else {
		mp_emit_header_tensors(&h);
		pools(&h);
		mp_emit_header_entries(&h);
	}
	layout(&h);
	mp_sink_text(sink, "\n#endif\n");
}

void mp_emit_header(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	print(results, false, sink, scratch);
}

void mp_emit_header_names(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	print(results, true, sink, scratch);
}
