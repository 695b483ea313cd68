/*
 * The scanner: one pass without recursion, with a stack of open containers and
 * a stack of the keys of open objects. Duplicate keys are found when their
 * object closes: a few keys pair by pair, many with a hash table. Keys that
 * fill the table badly are sorted instead, so no choice of keys takes quadratic
 * time.
 *
 * SPDX-License-Identifier: MIT
 */
#include "json/scan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/num.h"
#include "base/sort.h"
#include "json/strings.h"

enum {
	FEW_KEYS = 16,	   /* most keys that are compared pair by pair */
	LOOKS_PER_KEY = 8, /* collisions a key before all keys are sorted */
};

/* ------------------------------------------------------------- keys */

/* Replaces the text of a key by a copy without escapes. */
static bool decode_key(struct scan *s, struct key *key)
{
	char *copy = NEW(s->arena, char, key->length);

	if (!copy)
		return false;
	key->length =
		mp_json_unescape(key->text, key->text + key->length, copy);
	key->text = copy;
	return true;
}

/* Scans a key and adds it to the keys of its object. */
static bool scan_key(struct scan *s)
{
	struct key key = {.text = s->at + 1, .at = s->at};
	bool escaped;

	if (!mp_json_scan_string(s, &escaped))
		return false;
	key.length = (size_t)(s->at - 1 - key.text);
	if (escaped && !decode_key(s, &key))
		return false;
	key.hash = mp_names_hash(key.text, key.length);
	s->keys = mp_arena_grow(
		s->arena, s->keys, s->n_keys, &s->room_keys, sizeof(key));
	if (!s->keys)
		return false;
	s->keys[s->n_keys++] = key;
	return true;
}

static int compare_keys(const void *left, const void *right)
{
	const struct key *a = left, *b = right;
	int order;

	order = mp_sort_compare_two(a->hash, b->hash, a->length, b->length);
	if (order == 0)
		order = memcmp(a->text, b->text, a->length);
	return order != 0 ? order
			  : mp_sort_compare((uintptr_t)a->at, (uintptr_t)b->at);
}

static bool same_key(const struct key *a, const struct key *b)
{
	return a->hash == b->hash && a->length == b->length &&
	       memcmp(a->text, b->text, a->length) == 0;
}

/* Inserts the hashes into a table of mask + 1 slots. False, and the keys need
 * to be sorted, if two hashes are equal or there are too many collisions. */
static bool all_differ(
	const struct key *keys, uint32_t n, uint64_t *table, uint64_t mask)
{
	uint64_t looks = 0;

	assert(num_is_pow2(mask + 1) && mask > n);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t hash = keys[i].hash | 1;
		uint64_t at = (hash ^ hash >> 32) & mask;

		for (; table[at]; at = (at + 1) & mask)
			if (table[at] == hash || looks++ > LOOKS_PER_KEY * n)
				return false;
		table[at] = hash;
	}
	return true;
}

/* The first key that repeats an earlier one, or NULL. */
static const struct key *find_twin_of_few(const struct key *keys, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		for (uint32_t k = 0; k < i; k++)
			if (same_key(&keys[i], &keys[k]))
				return &keys[i];
	return NULL;
}

static const struct key *find_twin_of_many(struct key *keys, uint32_t n)
{
	const struct key *twin = NULL;

	qsort(keys, n, sizeof(*keys), compare_keys);
	for (uint32_t i = 1; i < n; i++)
		if (same_key(&keys[i], &keys[i - 1]) &&
			(!twin || keys[i].at < twin->at))
			twin = &keys[i];
	return twin;
}

/* The first key of the innermost object that repeats an earlier one, or NULL.
 * False: memory is out. */
static bool find_twin(struct scan *s, uint32_t first, const struct key **twin)
{
	struct arena_mark mark = mp_arena_mark(s->arena);
	uint32_t n = s->n_keys - first;
	uint64_t *table, slots = FEW_KEYS;
	struct key *keys;

	*twin = NULL;
	if (n < 2)
		return true;
	keys = s->keys + first;
	if (n <= FEW_KEYS) {
		*twin = find_twin_of_few(keys, n);
		return true;
	}
	while (slots < UINT64_C(2) * n)
		slots *= 2;
	table = NEW(s->arena, uint64_t, slots);
	if (table && !all_differ(keys, n, table, slots - 1))
		*twin = find_twin_of_many(keys, n);
	mp_arena_rewind(s->arena, mark);
	return table != NULL;
}

/* ----------------------------------------------------------- values */

/* Adds the value that begins at the token to the innermost container. */
static bool add_node(struct scan *s, const char *token)
{
	struct json_node node = {.at = token};
	struct frame *frame;
	uint64_t key = 0;

	s->nodes = mp_arena_grow(
		s->tree, s->nodes, s->n_nodes, &s->room_nodes, sizeof(node));
	if (!s->nodes)
		return false;
	if (s->depth > 0) {
		frame = &s->frames[s->depth - 1];
		if (frame->last != NONE)
			s->nodes[frame->last].next = s->n_nodes - frame->last;
		frame->last = s->n_nodes;
		if (frame->is_object)
			key = (uint64_t)(token - s->keys[s->n_keys - 1].at);
	}
	if (key > UINT32_MAX)
		return mp_json_scan_fail(s, token, "its key is too long");
	node.key = (uint32_t)key;
	s->nodes[s->n_nodes++] = node;
	return true;
}

static void skip_blanks(struct scan *s)
{
	s->at = mp_json_skip_blanks(s->at, s->end);
}

static bool begins(const struct scan *s, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(s->end - s->at) >= n && memcmp(s->at, word, n) == 0;
}

/* There is no value or key where one is due. */
static bool fail_token(const struct scan *s, const char *due)
{
	static const struct {
		const char *text, *sentence;
	} known[] = {
		{"'", "strings are quoted with \", not with '"},
		{"/", "JSON has no comments"},
		{"#", "JSON has no comments"},
		{"NaN", "NaN is not a JSON number"},
		{"nan", "NaN is not a JSON number"},
		{"Infinity", "Infinity is not a JSON number"},
		{"inf", "Infinity is not a JSON number"},
		{"+", "a number must not begin with +"},
		{".", "a number needs a digit before its point"},
		{"True", "JSON spells it true"},
		{"False", "JSON spells it false"},
		{"None", "JSON spells it null"},
		{",", "a comma too many"},
	};

	if (s->at == s->end)
		return mp_json_scan_fail(
			s, s->at, "the text ends where %s is due", due);
	for (size_t i = 0; i < countof(known); i++)
		if (begins(s, known[i].text))
			return mp_json_scan_fail(
				s, s->at, "%s", known[i].sentence);
	return mp_json_scan_fail(s, s->at, "%s is due here", due);
}

static bool scan_word(struct scan *s)
{
	static const char *const words[] = {"true", "false", "null"};

	for (size_t i = 0; i < countof(words); i++)
		if (begins(s, words[i])) {
			s->at += strlen(words[i]);
			return true;
		}
	return fail_token(s, "a value");
}

static bool scan_member(struct scan *s)
{
	if (s->at == s->end || *s->at != '"')
		return fail_token(s, "a key in double quotes");
	if (!scan_key(s))
		return false;
	skip_blanks(s);
	if (s->at == s->end || *s->at != ':')
		return mp_json_scan_fail(
			s, s->at, "a colon is due behind a key");
	s->at++;
	return true;
}

static bool close_container(struct scan *s)
{
	const struct frame *frame;
	const struct key *twin;

	assert(s->depth > 0);
	frame = &s->frames[--s->depth];
	s->at++;
	if (!frame->is_object)
		return true;
	if (!find_twin(s, frame->first_key, &twin))
		return false;
	if (twin)
		return mp_json_scan_fail(s, twin->at,
			"key '%.*s' appears twice",
			(int)num_min(twin->length, 60), twin->text);
	s->n_keys = frame->first_key;
	return true;
}

/* complete: the container is empty. Else its first value is due. */
static bool open_container(struct scan *s, bool *complete)
{
	bool is_object = *s->at == '{';

	if (s->depth == JSON_DEPTH)
		return mp_json_scan_fail(
			s, s->at, "nested more than %d deep", JSON_DEPTH);
	s->frames[s->depth++] = (struct frame){is_object, s->n_keys, 0, NONE};
	s->at++;
	skip_blanks(s);
	*complete = s->at < s->end && *s->at == (is_object ? '}' : ']');
	if (*complete)
		return close_container(s);
	return !is_object || scan_member(s);
}

static bool scan_scalar(struct scan *s)
{
	bool escaped;

	switch (*s->at) {
	case '"':
		return mp_json_scan_string(s, &escaped);
	case '-':
		s->at++;
		if (begins(s, "Infinity") || begins(s, "NaN"))
			return fail_token(s, "a digit");
		s->at--;
		return mp_json_scan_number(s);
	default:
		return mp_json_scan_is_digit(s) ? mp_json_scan_number(s)
						: scan_word(s);
	}
}

static bool scan_value(struct scan *s, bool *complete)
{
	*complete = true;
	skip_blanks(s);
	if (s->at == s->end)
		return fail_token(s, "a value");
	if (!add_node(s, s->at))
		return false;
	if (*s->at == '{' || *s->at == '[')
		return open_container(s, complete);
	return scan_scalar(s);
}

/* After a member of a container: a comma and the next member, or the end. */
static bool scan_behind(struct scan *s, bool *complete)
{
	struct frame *frame = &s->frames[s->depth - 1];
	char closing = frame->is_object ? '}' : ']';
	const char *comma;

	assert(s->depth > 0 && s->depth <= JSON_DEPTH);
	skip_blanks(s);
	if (s->at < s->end && *s->at == closing)
		return close_container(s);
	if (s->at == s->end)
		return mp_json_scan_fail(
			s, s->at, "the text ends before %c", closing);
	if (*s->at == '/' || *s->at == '#')
		return fail_token(s, "a comma");
	if (*s->at != ',')
		return mp_json_scan_fail(
			s, s->at, "a comma or %c is due here", closing);
	comma = s->at++;
	skip_blanks(s);
	if (s->at < s->end && *s->at == closing)
		return mp_json_scan_fail(
			s, comma, "trailing comma before %c", closing);
	*complete = false;
	frame->index++;
	return !frame->is_object || scan_member(s);
}

static bool scan_end(struct scan *s)
{
	skip_blanks(s);
	if (s->at == s->end)
		return true;
	if (*s->at == '\0')
		return mp_json_scan_fail(
			s, s->at, "a NUL follows the document");
	if (*s->at == '{' || *s->at == '[')
		return mp_json_scan_fail(
			s, s->at, "a second document begins here");
	return mp_json_scan_fail(s, s->at, "text follows the document");
}

bool mp_json_scan(struct scan *s)
{
	bool complete;

	do {
		if (!scan_value(s, &complete))
			return false;
		while (complete && s->depth > 0)
			if (!scan_behind(s, &complete))
				return false;
	} while (!complete);
	assert(s->depth == 0 && s->n_nodes > 0);
	return scan_end(s);
}
