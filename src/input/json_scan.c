/*
 * One pass without recursion: a stack of open containers, and behind it the
 * keys of the open objects. Keys are compared by hash when their object
 * closes; large objects are sorted, so that no choice of keys makes it slow.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/json_scan.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/utf8.h"
#include "num.h"

enum {
	FEW_KEYS = 16, /* so many are compared pair by pair */
};

struct key {
	uint64_t hash;
	const char *text; /* without escapes */
	size_t length;
	const char *at; /* its opening quote */
};

struct frame {
	bool is_object;
	uint32_t first_key; /* object: where its keys begin */
	uint32_t index;	    /* array: which element is read */
};

struct scan {
	const char *file, *text, *end, *at;
	struct frame frames[JSON_DEPTH];
	uint32_t depth;
	struct key *keys;
	uint32_t n_keys, room_keys;
	uint64_t *reals;
	uint32_t n_reals, room_reals;
	uint64_t n_values, n_numbers, n_text_bytes;
	struct arena *arena;
	struct error *error;
};

/* ------------------------------------------------------------------ errors */

static void find_place(const struct scan *s, const char *at,
	unsigned long long *line, unsigned long long *column)
{
	*line = *column = 1;
	for (const char *c = s->text; c < at; c++) {
		if (*c == '\n' ||
			(*c == '\r' && (c + 1 == s->end || c[1] != '\n'))) {
			++*line;
			*column = 1;
		} else {
			*column += ((unsigned char)*c & 0xc0) != 0x80;
		}
	}
}

static bool fail_at(const struct scan *s, const char *at, const char *format,
	...) MP_PRINTF(3, 4);

static bool fail_at(
	const struct scan *s, const char *at, const char *format, ...)
{
	unsigned long long line, column;
	char text[ERROR_TEXT];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	find_place(s, at, &line, &column);
	return mp_fail(s->error, MEMPLAN_EINPUT, "%s:%llu:%llu: %s", s->file,
		line, column, text);
}

/* The key whose value is read in frame i. */
static const struct key *key_of(const struct scan *s, uint32_t i)
{
	uint32_t next =
		i + 1 < s->depth ? s->frames[i + 1].first_key : s->n_keys;

	return &s->keys[next - 1];
}

/* Keys that begin with x- are no business of ours, nor is what they hold. */
static bool is_ignored(const struct scan *s)
{
	for (uint32_t i = 0; i < s->depth; i++)
		if (s->frames[i].is_object && key_of(s, i)->length >= 2 &&
			memcmp(key_of(s, i)->text, "x-", 2) == 0)
			return true;
	return false;
}

/* A number that would not survive: its place is a JSON Pointer, as for all
 * errors of meaning. */
static bool fail_range(const struct scan *s)
{
	char pointer[ERROR_TEXT] = "";
	size_t used = 0, room = sizeof(pointer) / 2;

	if (is_ignored(s))
		return true;
	for (uint32_t i = 0; i < s->depth && used < room; i++)
		if (s->frames[i].is_object)
			used += snprintf(pointer + used, room - used, "/%.*s",
				(int)num_min(key_of(s, i)->length, 40),
				key_of(s, i)->text);
		else
			used += snprintf(pointer + used, room - used, "/%u",
				s->frames[i].index);
	return mp_fail(s->error, MEMPLAN_EINPUT,
		"%s: %s: must be an integer from 0 to %llu", s->file, pointer,
		(unsigned long long)JSON_MAX_INTEGER);
}

/* Doubles a list in the arena; the old one is left to the rewind. */
static void *grow(struct scan *s, const void *list, uint32_t *room, size_t size)
{
	uint32_t wanted = *room ? *room * 2 : 64;
	void *larger;

	larger = *room > UINT32_MAX / 2
			 ? mp_arena_alloc(s->arena, SIZE_MAX, 1)
			 : mp_arena_alloc(s->arena, wanted, size);
	if (larger && *room)
		memcpy(larger, list, *room * size);
	*room = wanted;
	return larger;
}

/* ----------------------------------------------------------------- strings */

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

/* Four hexadecimal digits, or UINT32_MAX. */
static uint32_t read_hex(const char *at, const char *end)
{
	uint32_t code = 0;

	if (end - at < 4)
		return UINT32_MAX;
	for (uint32_t i = 0; i < 4; i++) {
		unsigned char c = (unsigned char)at[i], low = c | 0x20;

		if (c >= '0' && c <= '9')
			code = code * 16 + (c - '0');
		else if (low >= 'a' && low <= 'f')
			code = code * 16 + (low - 'a' + 10u);
		else
			return UINT32_MAX;
	}
	return code;
}

/* The code point of the \u escape at *at, which moves behind it; UINT32_MAX if
 * it is none. */
static uint32_t read_unicode(const char **at, const char *end)
{
	uint32_t high = read_hex(*at + 2, end), low;

	*at += 6;
	if (high == UINT32_MAX || (high & 0xfc00) == 0xdc00)
		return UINT32_MAX;
	if ((high & 0xfc00) != 0xd800)
		return high;
	if (end - *at < 6 || (*at)[0] != '\\' || (*at)[1] != 'u')
		return UINT32_MAX;
	low = read_hex(*at + 2, end);
	*at += 6;
	if ((low & 0xfffffc00) != 0xdc00)
		return UINT32_MAX;
	return 0x10000 + ((high & 0x3ff) << 10) + (low & 0x3ff);
}

static bool scan_escape(struct scan *s)
{
	const char *start = s->at;
	uint32_t code;

	if (s->end - start < 2)
		return fail_at(s, s->end, "the text ends inside a string");
	if (start[1] != 'u') {
		s->at += 2;
		if (start[1] && strchr("\"\\/bfnrt", start[1]))
			return true;
		return fail_at(s, start, "unknown escape in a string");
	}
	code = read_unicode(&s->at, s->end);
	if (code == UINT32_MAX)
		return fail_at(s, start,
			"\\u needs four hexadecimal digits, and surrogates "
			"come in pairs");
	if (code == 0)
		return fail_at(s, start, "a string must not contain NUL");
	return true;
}

static bool scan_odd(struct scan *s)
{
	unsigned char c = (unsigned char)*s->at;
	size_t n;

	if (c == '\\')
		return scan_escape(s);
	if (c == 0)
		return fail_at(s, s->at, "a string must not contain NUL");
	if (c < 0x20)
		return fail_at(s, s->at,
			"control character U+%04X in a string must be written "
			"\\u%04x",
			c, c);
	n = utf8_length(s->at, (size_t)(s->end - s->at));
	if (n == 0)
		return fail_at(s, s->at, "not valid UTF-8");
	s->at += n;
	return true;
}

/* From the opening quote to behind the closing one. */
static bool scan_string(struct scan *s, bool *escaped)
{
	const char *start = s->at++;

	*escaped = false;
	for (;;) {
		while (s->at < s->end && is_plain((unsigned char)*s->at))
			s->at++;
		if (s->at == s->end)
			return fail_at(
				s, s->at, "the text ends inside a string");
		if (*s->at == '"')
			break;
		*escaped |= *s->at == '\\';
		if (!scan_odd(s))
			return false;
	}
	s->at++;
	s->n_text_bytes += (uint64_t)(s->at - start);
	return true;
}

/* -------------------------------------------------------------------- keys */

static char decode_short(char c)
{
	static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
	const char *found = strchr(from, c);

	return found ? to[found - from] : c;
}

static bool decode(struct scan *s, struct key *key, const char *end)
{
	char *out = NEW(s->arena, char, key->length);
	const char *at = key->text;

	if (!out)
		return false;
	key->text = out;
	while (at < end)
		if (*at != '\\') {
			*out++ = *at++;
		} else if (at[1] == 'u') {
			out += utf8_write(read_unicode(&at, end), out);
		} else {
			*out++ = decode_short(at[1]);
			at += 2;
		}
	key->length = (size_t)(out - key->text);
	return true;
}

static uint64_t hash_of(const char *text, size_t length)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) *
		       UINT64_C(0x100000001b3);
	return hash;
}

/* Key and colon; a value is due behind them. */
static bool scan_key(struct scan *s)
{
	struct key key = {.text = s->at + 1, .at = s->at};
	bool escaped;

	if (!scan_string(s, &escaped))
		return false;
	key.length = (size_t)(s->at - 1 - key.text);
	if (escaped && !decode(s, &key, s->at - 1))
		return false;
	key.hash = hash_of(key.text, key.length);
	if (s->n_keys == s->room_keys)
		s->keys = grow(s, s->keys, &s->room_keys, sizeof(key));
	if (!s->keys)
		return false;
	s->keys[s->n_keys++] = key;
	return true;
}

static int compare_keys(const void *left, const void *right)
{
	const struct key *a = left, *b = right;
	int order;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	if (a->length != b->length)
		return a->length < b->length ? -1 : 1;
	order = memcmp(a->text, b->text, a->length);
	if (order != 0)
		return order;
	return a->at < b->at ? -1 : a->at > b->at;
}

static bool same_key(const struct key *a, const struct key *b)
{
	return a->hash == b->hash && a->length == b->length &&
	       memcmp(a->text, b->text, a->length) == 0;
}

/* The first key that repeats an earlier one, or NULL. */
static const struct key *find_twin(struct key *keys, uint32_t n)
{
	const struct key *twin = NULL;

	if (n <= FEW_KEYS) {
		for (uint32_t i = 1; i < n; i++)
			for (uint32_t k = 0; k < i; k++)
				if (same_key(&keys[i], &keys[k]))
					return &keys[i];
		return NULL;
	}
	qsort(keys, n, sizeof(*keys), compare_keys);
	for (uint32_t i = 1; i < n; i++)
		if (same_key(&keys[i], &keys[i - 1]) &&
			(!twin || keys[i].at < twin->at))
			twin = &keys[i];
	return twin;
}

/* ----------------------------------------------------------------- numbers */

static bool is_digit(const struct scan *s)
{
	return s->at < s->end && *s->at >= '0' && *s->at <= '9';
}

/* Digits, and their value where it is below the limit. */
static bool scan_digits(struct scan *s, uint64_t *value)
{
	const uint64_t limit = UINT64_C(1) << 59;

	if (!is_digit(s))
		return fail_at(s, s->at, "a number needs a digit here");
	for (*value = 0; is_digit(s); s->at++)
		if (*value < limit)
			*value = *value * 10 + (uint64_t)(*s->at - '0');
	return true;
}

static bool scan_fraction(struct scan *s)
{
	uint64_t ignored;

	if (s->at == s->end || *s->at != '.')
		return true;
	s->at++;
	return scan_digits(s, &ignored);
}

static bool scan_exponent(struct scan *s, int64_t *exponent)
{
	uint64_t value = 0;
	bool negative;

	*exponent = 0;
	if (s->at == s->end || (*s->at | 0x20) != 'e')
		return true;
	s->at++;
	negative = s->at < s->end && *s->at == '-';
	if (s->at < s->end && (*s->at == '-' || *s->at == '+'))
		s->at++;
	if (!scan_digits(s, &value))
		return false;
	*exponent = negative ? -(int64_t)value : (int64_t)value;
	return true;
}

static bool note_real(struct scan *s)
{
	if (s->n_reals == s->room_reals)
		s->reals = grow(s, s->reals, &s->room_reals, sizeof(*s->reals));
	if (!s->reals)
		return false;
	s->reals[s->n_reals++] = s->n_numbers;
	return true;
}

static bool scan_number(struct scan *s)
{
	const char *start = s->at, *whole, *behind;
	uint64_t value = 0;
	int64_t exponent = 0;

	s->at += *s->at == '-';
	whole = s->at;
	if (!scan_digits(s, &value))
		return false;
	behind = s->at;
	if (*whole == '0' && behind - whole > 1)
		return fail_at(s, whole, "a number must not begin with 0");
	if (s->at < s->end && (*s->at | 0x20) == 'x')
		return fail_at(s, s->at, "JSON has decimal numbers only");
	if (!scan_fraction(s) || !scan_exponent(s, &exponent))
		return false;
	if (s->at - start > JSON_NUMBER_TEXT)
		return fail_at(s, start, "a number of more than %d characters",
			JSON_NUMBER_TEXT);
	if (s->at != behind && !note_real(s))
		return false;
	s->n_numbers++;
	if (s->at == behind && value > JSON_MAX_INTEGER)
		return fail_range(s);
	if (behind - whole + exponent > 308)
		return is_ignored(s) || fail_at(s, start, "a number too large");
	return true;
}

/* ------------------------------------------------------------------ values */

static void skip_blanks(struct scan *s)
{
	while (s->at < s->end && (*s->at == ' ' || *s->at == '\n' ||
					 *s->at == '\t' || *s->at == '\r'))
		s->at++;
}

static bool begins(const struct scan *s, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(s->end - s->at) >= n && memcmp(s->at, word, n) == 0;
}

/* What stands where a value or a key is due, and is none. */
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
		return fail_at(s, s->at, "the text ends where %s is due", due);
	for (size_t i = 0; i < countof(known); i++)
		if (begins(s, known[i].text))
			return fail_at(s, s->at, "%s", known[i].sentence);
	return fail_at(s, s->at, "%s is due here", due);
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
		return fail_at(s, s->at, "a colon is due behind a key");
	s->at++;
	return true;
}

static bool close_container(struct scan *s)
{
	struct frame *frame = &s->frames[--s->depth];
	const struct key *twin;

	s->at++;
	if (!frame->is_object)
		return true;
	twin = find_twin(
		s->keys + frame->first_key, s->n_keys - frame->first_key);
	if (twin)
		return fail_at(s, twin->at, "key '%.*s' appears twice",
			(int)num_min(twin->length, 60), twin->text);
	s->n_keys = frame->first_key;
	return true;
}

/* Complete: the container was empty. Else the first value is due. */
static bool open_container(struct scan *s, bool *complete)
{
	bool is_object = *s->at == '{';

	if (s->depth == JSON_DEPTH)
		return fail_at(
			s, s->at, "nested more than %d deep", JSON_DEPTH);
	s->frames[s->depth++] = (struct frame){is_object, s->n_keys, 0};
	s->at++;
	skip_blanks(s);
	*complete = s->at < s->end && *s->at == (is_object ? '}' : ']');
	if (*complete)
		return close_container(s);
	return !is_object || scan_member(s);
}

static bool scan_value(struct scan *s, bool *complete)
{
	bool escaped;

	*complete = true;
	s->n_values++;
	skip_blanks(s);
	if (s->at == s->end)
		return fail_token(s, "a value");
	switch (*s->at) {
	case '{':
	case '[':
		return open_container(s, complete);
	case '"':
		return scan_string(s, &escaped);
	case '-':
		s->at++;
		if (begins(s, "Infinity") || begins(s, "NaN"))
			return fail_token(s, "a digit");
		s->at--;
		return scan_number(s);
	default:
		return is_digit(s) ? scan_number(s) : scan_word(s);
	}
}

/* Behind a member of a container: a comma and another, or the end of it. */
static bool scan_behind(struct scan *s, bool *complete)
{
	struct frame *frame = &s->frames[s->depth - 1];
	char closing = frame->is_object ? '}' : ']';
	const char *comma;

	skip_blanks(s);
	if (s->at < s->end && *s->at == closing)
		return close_container(s);
	if (s->at == s->end)
		return fail_at(s, s->at, "the text ends before %c", closing);
	if (*s->at == '/' || *s->at == '#')
		return fail_token(s, "a comma");
	if (*s->at != ',')
		return fail_at(s, s->at, "a comma or %c is due here", closing);
	comma = s->at++;
	skip_blanks(s);
	if (s->at < s->end && *s->at == closing)
		return fail_at(s, comma, "trailing comma before %c", closing);
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
		return fail_at(s, s->at, "a NUL follows the document");
	if (*s->at == '{' || *s->at == '[')
		return fail_at(s, s->at, "a second document begins here");
	return fail_at(s, s->at, "text follows the document");
}

static bool scan_document(struct scan *s)
{
	bool complete;

	do {
		if (!scan_value(s, &complete))
			return false;
		while (complete && s->depth > 0)
			if (!scan_behind(s, &complete))
				return false;
	} while (!complete);
	return scan_end(s);
}

bool mp_json_scan(const char *file, const char *text, size_t length,
	struct json_census *census, struct arena *arena, struct error *e)
{
	struct scan s = {.file = file,
		.text = text,
		.end = text + length,
		.at = text,
		.arena = arena,
		.error = e};

	if (!scan_document(&s))
		return false;
	*census = (struct json_census){
		s.n_values, s.n_text_bytes, s.reals, s.n_reals};
	return true;
}
