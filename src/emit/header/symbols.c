/*
 * C symbols for names that may be anything.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/header/header.h"

#include <assert.h>
#include <string.h>

#include "base/names.h"

enum {
	SUFFIX = 9, /* characters of "_" and a hash */
};

struct symbol {
	const char *base; /* what is left of the name */
	const char *text; /* the base, from level 1 on with a hash behind */
	uint32_t level;	  /* how much the hash covers */
	bool clash;
};

/* ASCII only, whatever the locale. */
static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_symbolic(char c)
{
	return is_letter(c) || (c >= '0' && c <= '9');
}

/* FNV-1a, goes on from what was hashed before. */
static uint64_t hash_on(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return hash * UINT64_C(0x100000001b3);
}

static uint32_t fold(uint64_t hash)
{
	return (uint32_t)(hash ^ hash >> 32);
}

uint32_t mp_emit_symbol_hash(const char *name)
{
	return fold(hash_on(UINT64_C(0xcbf29ce484222325), name));
}

/* What is no letter or digit becomes one underscore between those that are; or
 * underscores stay as they are too. At most `most` characters; if that cuts the
 * name, a hash fits behind. Is it cut? */
static bool sanitise(
	const char *name, bool underscores, uint32_t most, char *text)
{
	uint32_t length = 0;
	bool gap = false, cut = false;

	assert(SUFFIX < most && most <= SYMBOL_MOST);
	for (; *name; name++) {
		if (!is_symbolic(*name) && (*name != '_' || !underscores)) {
			gap = length > 0;
			continue;
		}
		cut = length + gap + 1 > most;
		if (cut)
			break;
		if (gap)
			text[length++] = '_';
		text[length++] = *name;
		gap = false;
	}
	if (cut && length > most - SUFFIX)
		length = most - SUFFIX;
	text[length] = '\0';
	return cut;
}

/* The name alone, then also the id, then also the index: a counter is only used
 * where nothing else tells two tensors apart. */
static uint32_t hash_of(const struct tensor *tensor, uint32_t index,
	const struct symbol *symbol)
{
	uint64_t hash = hash_on(
		UINT64_C(0xcbf29ce484222325), mp_graph_tensor_label(tensor));

	if (symbol->level >= 2)
		hash = hash_on(hash, tensor->id ? tensor->id : "");
	if (symbol->level >= 3)
		hash = (hash ^ index ^ (uint64_t)symbol->level << 32) *
		       UINT64_C(0x9e3779b97f4a7c15);
	return fold(hash);
}

const char *mp_emit_symbol_lower(const char *text, struct arena *arena)
{
	char *key = mp_arena_text(arena, text, strlen(text));

	for (char *c = key; key && *c; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c - 'A' + 'a');
	return key;
}

static bool spell(struct symbol *symbol, const struct tensor *tensor,
	uint32_t index, struct arena *arena)
{
	symbol->text = symbol->base;
	if (symbol->level > 0)
		symbol->text =
			mp_arena_print(arena, "%.*s_%08x", SYMBOL_MOST - SUFFIX,
				symbol->base, hash_of(tensor, index, symbol));
	return symbol->text != NULL;
}

static bool start(struct symbol *symbol, const struct tensor *tensor,
	uint32_t index, struct arena *arena)
{
	char base[SYMBOL_MOST + 1];
	bool cut = sanitise(
		mp_graph_tensor_label(tensor), true, SYMBOL_MOST, base);

	symbol->level = cut || base[0] == '\0';
	symbol->base = base[0] ? mp_arena_text(arena, base, strlen(base)) : "t";
	return symbol->base && spell(symbol, tensor, index, arena);
}

/* Marks all that share their text with another; says if there are any. What has
 * no bytes has no symbol. */
static bool find_clashes(struct symbol *symbols, const struct schedule *s,
	bool *found, struct arena *arena)
{
	struct arena_mark mark = mp_arena_mark(arena);
	struct names names;
	uint32_t other;

	*found = false;
	if (!mp_names_init(&names, s->graph->n_tensors, arena))
		return false;
	for (uint32_t i = 0; i < s->graph->n_tensors; i++) {
		if (s->stay[i].buffer == NONE)
			continue;
		other = mp_names_add(&names, symbols[i].text, i);
		if (other == NONE)
			continue;
		symbols[i].clash = symbols[other].clash = *found = true;
	}
	mp_arena_rewind(arena, mark);
	return true;
}

static bool part_clashes(
	struct symbol *symbols, const struct schedule *s, struct arena *arena)
{
	for (uint32_t i = 0; i < s->graph->n_tensors; i++) {
		if (!symbols[i].clash)
			continue;
		symbols[i].clash = false;
		symbols[i].level++;
		if (!spell(&symbols[i], &s->graph->tensors[i], i, arena))
			return false;
	}
	return true;
}

const char *const *mp_emit_symbols(
	const struct schedule *s, struct arena *arena)
{
	struct symbol *symbols = NEW(arena, struct symbol, s->graph->n_tensors);
	const char **texts = NEW(arena, const char *, s->graph->n_tensors);
	bool found = true;

	if (!symbols || !texts)
		return NULL;
	for (uint32_t i = 0; i < s->graph->n_tensors; i++)
		if (s->stay[i].buffer != NONE &&
			!start(&symbols[i], &s->graph->tensors[i], i, arena))
			return NULL;
	while (found)
		if (!find_clashes(symbols, s, &found, arena) ||
			!part_clashes(symbols, s, arena))
			return NULL;
	for (uint32_t i = 0; i < s->graph->n_tensors; i++)
		texts[i] = symbols[i].text;
	return texts;
}

const char *mp_emit_symbol_prefix(const char *name, struct arena *arena)
{
	char base[SYMBOL_MOST + 1], *text;
	bool cut = sanitise(name, false, PREFIX_MOST - 5, base);

	for (size_t n = strlen(base); n > 0 && base[n - 1] == '_';)
		base[--n] = '\0';
	text = mp_arena_print(
		arena, "%s%s", is_letter(base[0]) ? "" : "PLAN_", base);
	if (text && (cut || base[0] == '\0'))
		text = mp_arena_print(arena, "%.*s%s%08x", PREFIX_MOST - SUFFIX,
			text, base[0] ? "_" : "", mp_emit_symbol_hash(name));
	for (char *c = text; text && *c; c++)
		if (*c >= 'a' && *c <= 'z')
			*c = (char)(*c - 'a' + 'A');
	return text;
}
