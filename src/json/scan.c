/*
 * The scanner: one pass without recursion, with a stack of open containers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "json/scan.h"

#include <assert.h>
#include <string.h>

#include "base/num.h"
#include "json/strings.h"
#include "json/twins.h"

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
			key = (uint64_t)(token - s->key);
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
	s->key = s->at;
	if (!mp_json_scan_string(s))
		return false;
	skip_blanks(s);
	if (s->at == s->end || *s->at != ':')
		return mp_json_scan_fail(
			s, s->at, "a colon is due behind a key");
	s->at++;
	return true;
}

static bool check_twin(struct scan *s, const struct frame *frame)
{
	const char *twin, *text;

	if (!mp_json_twin(s->nodes + frame->node + 1, frame->index + 1,
		    s->arena, &twin))
		return false;
	if (!twin)
		return true;
	text = mp_json_string_copy(twin, NULL, s->arena);
	return text &&
	       mp_json_scan_fail(s, twin, "key '%.60s' appears twice", text);
}

static bool close_container(struct scan *s)
{
	const struct frame *frame;

	assert(s->depth > 0);
	frame = &s->frames[--s->depth];
	s->at++;
	return !frame->is_object || frame->index == 0 || check_twin(s, frame);
}

/* complete: the container is empty. Else its first value is due. */
static bool open_container(struct scan *s, bool *complete)
{
	bool is_object = *s->at == '{';

	if (s->depth == JSON_DEPTH)
		return mp_json_scan_fail(
			s, s->at, "nested more than %d deep", JSON_DEPTH);
	s->frames[s->depth++] =
		(struct frame){is_object, s->n_nodes - 1, 0, NONE};
	s->at++;
	skip_blanks(s);
	*complete = s->at < s->end && *s->at == (is_object ? '}' : ']');
	if (*complete)
		return close_container(s);
	return !is_object || scan_member(s);
}

static bool scan_scalar(struct scan *s)
{
	switch (*s->at) {
	case '"':
		return mp_json_scan_string(s);
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
