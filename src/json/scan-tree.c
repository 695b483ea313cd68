/*
 * The tree of a large document, made while the scanner passes over the text:
 * the nodes are cJSON's and those that it would make, but one pass makes them,
 * and they lie in an arena, not in a block of the C library each.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <cjson/cJSON.h>
#include <string.h>

#include "json/scan.h"

enum {
	LEAST_NODES = 1024, /* that are taken at once */
	LARGE_PAGE = 32768, /* nodes */
	BYTES_EACH = 16,    /* of text, about */
	PLAIN_DIGITS = 15,  /* any such integer is exact in a double */
};

/* ------------------------------------------------------------ nodes */

/* Takes room for as many nodes as the rest of the text may be. */
static cJSON *take_node(struct scan *s)
{
	uint64_t wanted = (uint64_t)(s->end - s->at) / BYTES_EACH;
	struct tree *tree = s->tree;

	if (tree->n_room == 0) {
		wanted = num_min(num_max(wanted, LEAST_NODES), LARGE_PAGE);
		tree->room = NEW(tree->arena, cJSON, wanted);
		if (!tree->room)
			return NULL;
		tree->n_room = (uint32_t)wanted;
	}
	tree->n_room--;
	return tree->room++;
}

/* As in cJSON, the first child knows the last. */
static void append(cJSON *parent, cJSON *node)
{
	cJSON *first = parent->child;

	if (first) {
		node->prev = first->prev;
		first->prev->next = node;
	} else {
		parent->child = first = node;
	}
	first->prev = node;
}

/* Hangs a node below the innermost open container, under the key in front. */
static bool hang(struct scan *s, cJSON *node)
{
	const struct key *key;

	if (s->depth == 0) {
		assert(!s->tree->root);
		s->tree->root = node;
		return true;
	}
	append(s->tree->open[s->depth - 1], node);
	if (!s->frames[s->depth - 1].is_object)
		return true;
	assert(s->n_keys > 0);
	key = &s->keys[s->n_keys - 1];
	node->string = mp_arena_text(s->tree->arena, key->text, key->length);
	return node->string != NULL;
}

/* ----------------------------------------------------------- values */

/* From its opening quote to where the scanner is. */
static bool fill_string(struct scan *s, const char *token, cJSON *node)
{
	const char *end = s->at - 1;
	struct key text = {
		.text = token + 1, .length = (size_t)(end - token - 1)};

	if (memchr(text.text, '\\', text.length) &&
		!mp_json_scan_decode(s, &text, end))
		return false;
	node->type = cJSON_String;
	node->valuestring =
		mp_arena_text(s->tree->arena, text.text, text.length);
	return node->valuestring != NULL;
}

/* cJSON knows the decimal point of the locale. */
static bool fill_long_number(struct scan *s, const char *token, cJSON *node)
{
	cJSON *number = cJSON_ParseWithLength(token, (size_t)(s->at - token));

	if (!number)
		return mp_fail(
			s->error, MEMPLAN_ENOMEM, "%s: out of memory", s->file);
	node->valuedouble = number->valuedouble;
	node->valueint = number->valueint;
	cJSON_Delete(number);
	for (const char *c = token; c < s->at; c++)
		if (*c == '.' || *c == 'e' || *c == 'E')
			node->type |= JSON_IS_REAL;
	return true;
}

static bool fill_number(struct scan *s, const char *token, cJSON *node)
{
	const char *digits = token + (*token == '-');
	int64_t value = 0;

	node->type = cJSON_Number;
	for (const char *c = digits; c < s->at; c++) {
		if (*c < '0' || *c > '9' || s->at - digits > PLAIN_DIGITS)
			return fill_long_number(s, token, node);
		value = value * 10 + (*c - '0');
	}
	cJSON_SetNumberHelper(
		node, *token == '-' ? -(double)value : (double)value);
	return true;
}

bool mp_json_scan_add(struct scan *s, const char *token)
{
	cJSON *node = take_node(s);

	if (!node || !hang(s, node))
		return false;
	switch (*token) {
	case '{':
	case '[':
		node->type = *token == '{' ? cJSON_Object : cJSON_Array;
		s->tree->open[s->depth] = node;
		return true;
	case '"':
		return fill_string(s, token, node);
	case 't':
		node->type = cJSON_True;
		node->valueint = 1;
		return true;
	case 'f':
		node->type = cJSON_False;
		return true;
	case 'n':
		node->type = cJSON_NULL;
		return true;
	default:
		return fill_number(s, token, node);
	}
}
