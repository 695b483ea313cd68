/*
 * What became of in-place pairs, in words, and what those would cost that are
 * not taken.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/inside.h"

#include <assert.h>

#include "emit/json-text.h"
#include "emit/report.h"

enum {
	PAIRS_SHOWN = 10, /* that share bytes, and that are left apart */
};

/* What the "%s" of a sentence names. */
enum about {
	ABOUT_NOTHING,
	ABOUT_INPUT,
	ABOUT_OUTPUT,
	ABOUT_TENSOR, /* the outcome's other, a tensor */
	ABOUT_OP,     /* the outcome's other, an op */
};

static const struct {
	const char *code; /* for machines */
	enum about about;
	const char *sentence; /* NULL: that of what ties the tensor */
} words[N_INPLACE] = {
	[INPLACE_SHARED] = {"shared", ABOUT_NOTHING, "they share bytes"},
	[INPLACE_OFF] = {"off", ABOUT_NOTHING, "the option inplace is off"},
	[INPLACE_UNEQUAL] = {"unequal", ABOUT_NOTHING,
		"sizes differ, and the option inplace asks for equal ones"},
	[INPLACE_EXTERNAL] = {"external", ABOUT_TENSOR,
		"%s is the caller's memory"},
	[INPLACE_EMPTY] = {"empty", ABOUT_TENSOR, "%s takes no bytes"},
	[INPLACE_FIXED] = {"fixed", ABOUT_TENSOR,
		"the input fixes when %s is alive"},
	[INPLACE_TIED] = {"tied", ABOUT_TENSOR, NULL},
	[INPLACE_APART] = {"apart", ABOUT_TENSOR,
		"%s is to be apart from another tensor"},
	[INPLACE_OFFSETS] = {"offsets", ABOUT_NOTHING,
		"the input fixes their offsets otherwise"},
	[INPLACE_POOLS] = {"pools", ABOUT_NOTHING,
		"different pools may hold them"},
	[INPLACE_BRANCHES] = {"branches", ABOUT_NOTHING,
		"they are not of the same branch"},
	[INPLACE_LOOP] = {"loop", ABOUT_INPUT, "the next iteration needs %s"},
	[INPLACE_KEPT] = {"kept", ABOUT_INPUT, "%s is needed to the end"},
	[INPLACE_READ_LATER] = {"read-later", ABOUT_OP,
		"the input is read later, last by op %s"},
	[INPLACE_NEW] = {"new", ABOUT_INPUT,
		"the op does not read %s, or it is not alive then"},
	[INPLACE_OLD] = {"old", ABOUT_OUTPUT, "%s is there before this op"},
	[INPLACE_TAKEN] = {"taken", ABOUT_TENSOR,
		"%s takes over the input's bytes"},
	[INPLACE_TAKES] = {"takes", ABOUT_TENSOR,
		"the output takes over the bytes of %s"},
	[INPLACE_STREAMS] = {"streams", ABOUT_OP,
		"op %s, which uses the input, is not surely done before"},
	[INPLACE_SIZES] = {"sizes", ABOUT_NOTHING,
		"sizes differ, among several streams"},
	[INPLACE_LEFT] = {"left", ABOUT_NOTHING,
		"the arena is smaller if they have bytes of their own"},
};

uint32_t mp_emit_inplace_shared(const struct schedule *schedule)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < schedule->n_inplace; i++)
		n += schedule->inplace[i].verdict == INPLACE_SHARED;
	return n;
}

/* What ties each tensor to others, as the input says it. */
static const char **find_ties(const struct schedule *s, struct arena *scratch)
{
	const struct ties *ties = &s->graph->ties;
	const char **tie = NEW(scratch, const char *, s->graph->n_tensors);

	for (uint32_t i = 0; tie && i < s->graph->n_tensors; i++)
		tie[i] = "%s is kept with the other states";
	for (uint32_t i = 0; tie && i < ties->n_gaps; i++)
		tie[ties->gaps[i].tensor] = "%s has a lifetime with gaps";
	for (uint32_t i = 0; tie && i < ties->n_groups; i++)
		for (uint32_t k = 0; k < ties->groups[i].members.n; k++)
			tie[ties->groups[i].members.at[k]] = "%s is in a group";
	for (uint32_t i = 0; tie && i < ties->n_aliases; i++) {
		tie[ties->aliases[i].root] = "%s has an alias";
		tie[ties->aliases[i].tensor] = "%s is an alias";
	}
	return tie;
}

/* ------------------------------------------------------------ pairs */

struct pairs {
	const struct schedule *schedule;  /* of the plan, if there is one */
	const struct pair_prices *prices; /* or NULL */
	const char **tie;
};

static bool find_pairs(struct pairs *pairs, const struct results *results,
	struct arena *scratch)
{
	pairs->prices = results->prices;
	pairs->schedule =
		results->prices ? results->prices->schedule : results->schedule;
	pairs->tie = find_ties(pairs->schedule, scratch);
	return pairs->tie != NULL;
}

/* NULL: what the pair would cost is not known. */
static const struct pair_price *price_of(
	const struct pairs *pairs, uint32_t pair)
{
	for (uint32_t i = 0; pairs->prices && i < pairs->prices->n; i++)
		if (pairs->prices->at[i].pair == pair)
			return &pairs->prices->at[i];
	return NULL;
}

/* -------------------------------------------------------------- why */

static void why(struct sink *sink, const struct schedule *s,
	const char *const *tie, const struct inplace_outcome *pair)
{
	const char *sentence = words[pair->verdict].sentence;
	uint32_t item = NONE;

	assert(words[pair->verdict].code);
	switch (words[pair->verdict].about) {
	case ABOUT_NOTHING:
	case ABOUT_OP:
		break;
	case ABOUT_INPUT:
		item = pair->input;
		break;
	case ABOUT_OUTPUT:
		item = pair->output;
		break;
	case ABOUT_TENSOR:
		item = pair->other;
		break;
	}
	if (words[pair->verdict].about == ABOUT_OP)
		mp_emit_phrase(sink, sentence, mp_emit_op(s, pair->other).text);
	else
		mp_emit_phrase(sink, sentence ? sentence : tie[item],
			item == NONE ? NULL : mp_emit_tensor(s, item).text);
}

/* ------------------------------------------------------------- text */

static void name(struct sink *sink, const struct schedule *s,
	const struct inplace_outcome *pair)
{
	mp_sink_print(sink, "  op %s: %s over %s", mp_emit_op(s, pair->op).text,
		mp_emit_tensor(s, pair->output).text,
		mp_emit_tensor(s, pair->input).text);
}

static void cost(
	struct sink *sink, const struct pair_price *price, uint64_t arena)
{
	mp_sink_text(sink, "; with this pair the arena ");
	if (price->least < price->arena)
		mp_sink_print(sink, "has at least %s, at most %s",
			mp_emit_bytes(price->least).text,
			mp_emit_bytes(price->arena).text);
	else if (price->arena == arena)
		mp_sink_text(sink, "has the same size");
	else
		mp_sink_print(sink, "has %s", mp_emit_bytes(price->arena).text);
}

static void apart(struct sink *sink, const struct pairs *pairs, uint32_t i)
{
	const struct schedule *s = pairs->schedule;
	const struct pair_price *price = price_of(pairs, i);

	assert(s->inplace[i].verdict != INPLACE_SHARED);
	name(sink, s, &s->inplace[i]);
	mp_sink_text(sink, ": ");
	why(sink, s, pairs->tie, &s->inplace[i]);
	if (price)
		cost(sink, price, pairs->prices->arena);
	mp_sink_text(sink, "\n");
}

static void rest(struct sink *sink, uint32_t n)
{
	if (n > PAIRS_SHOWN)
		mp_sink_print(sink, "  and %u more: --json lists all\n",
			n - PAIRS_SHOWN);
}

static void shared_lines(struct sink *sink, const struct pairs *pairs)
{
	const struct schedule *s = pairs->schedule;
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n_inplace; i++)
		if (s->inplace[i].verdict == INPLACE_SHARED &&
			n++ < PAIRS_SHOWN) {
			name(sink, s, &s->inplace[i]);
			mp_sink_text(sink, "\n");
		}
	rest(sink, n);
}

/* First the pairs that have a price. */
static void apart_lines(struct sink *sink, const struct pairs *pairs)
{
	const struct schedule *s = pairs->schedule;
	const struct pair_prices *prices = pairs->prices;
	uint32_t n = 0;

	for (uint32_t i = 0; prices && i < prices->n; i++)
		if (n++ < PAIRS_SHOWN)
			apart(sink, pairs, prices->at[i].pair);
	for (uint32_t i = 0; i < s->n_inplace; i++)
		if (s->inplace[i].verdict != INPLACE_SHARED &&
			!price_of(pairs, i) && n++ < PAIRS_SHOWN)
			apart(sink, pairs, i);
	rest(sink, n);
	if (prices && prices->n_unpriced > 0)
		mp_sink_print(sink,
			"  what %u more of them would cost was not tried\n",
			prices->n_unpriced);
}

void mp_emit_inplace_text(
	struct sink *sink, const struct results *results, struct arena *scratch)
{
	struct pairs pairs;
	uint32_t shared, n;

	if (!find_pairs(&pairs, results, scratch) ||
		pairs.schedule->n_inplace == 0)
		return;
	n = pairs.schedule->n_inplace;
	shared = mp_emit_inplace_shared(pairs.schedule);
	mp_sink_print(
		sink, "\nin place: %u of %u pairs share bytes", shared, n);
	if (pairs.prices)
		mp_sink_print(sink, ", in an arena of %s",
			mp_emit_bytes(pairs.prices->arena).text);
	if (shared > 0) {
		mp_sink_text(sink, "\n");
		shared_lines(sink, &pairs);
	}
	if (shared == n)
		return;
	mp_sink_text(
		sink, shared > 0 ? "left apart are\n" : ", left apart are\n");
	apart_lines(sink, &pairs);
}

/* ------------------------------------------------------------- JSON */

static void outcome(struct sink *sink, const struct pairs *pairs, uint32_t i)
{
	const struct schedule *s = pairs->schedule;
	const struct inplace_outcome *pair = &s->inplace[i];
	const struct pair_price *price = price_of(pairs, i);
	struct sink text = {.error = sink->error};

	mp_emit_json_number(sink, "{", "op", pair->op);
	mp_emit_json_text(sink, ", ", "op_name", s->graph->ops[pair->op].name);
	mp_emit_json_key(sink, ", ", "output");
	mp_emit_json_id(sink, &s->graph->tensors[pair->output]);
	mp_emit_json_key(sink, ", ", "input");
	mp_emit_json_id(sink, &s->graph->tensors[pair->input]);
	mp_emit_json_bool(
		sink, ", ", "shared", pair->verdict == INPLACE_SHARED);
	if (pair->verdict != INPLACE_SHARED) {
		mp_emit_json_text(
			sink, ", ", "reason", words[pair->verdict].code);
		why(&text, s, pairs->tie, pair);
		mp_sink_write(&text, "", 1);
		mp_emit_json_text(sink, ", ", "why", text.bytes);
		mp_sink_free(&text);
	}
	if (price)
		JSON_NUMBERS(sink, ", ", {"arena_at_least", price->least},
			{"arena_at_most", price->arena});
	mp_sink_text(sink, "}");
}

void mp_emit_inplace_json(
	struct sink *sink, const struct results *results, struct arena *scratch)
{
	struct pairs pairs;
	const struct schedule *s;

	if (!find_pairs(&pairs, results, scratch))
		return;
	s = pairs.schedule;
	mp_emit_json_key(sink, JSON_LINE, "inplace");
	mp_emit_json_number(sink, "{", "pairs", s->n_inplace);
	mp_emit_json_number(sink, ", ", "shared", mp_emit_inplace_shared(s));
	if (pairs.prices)
		JSON_NUMBERS(sink, ", ", {"arena_size", pairs.prices->arena},
			{"not_tried", pairs.prices->n_unpriced});
	mp_emit_json_open(sink, ", ", "outcomes");
	for (uint32_t i = 0; i < s->n_inplace; i++) {
		mp_emit_json_item(sink, i);
		outcome(sink, &pairs, i);
	}
	mp_emit_json_close(sink, s->n_inplace);
	mp_sink_text(sink, "}");
}
