/*
 * JSON documents and cursors into them. A cursor has the path from the root, so
 * that every error names its place as a JSON Pointer. Values are read from the
 * text when they are asked for, so it must outlive the document.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_JSON_JSON_H
#define MP_JSON_JSON_H

#include "base/arena.h"
#include "base/file.h"
#include "base/num.h"

#define JSON_MAX_INTEGER NUM_MAX_EXACT

enum {
	JSON_DEPTH = 64,  /* greatest depth of arrays and objects */
	JSON_TEXT = 4096, /* longest string that is taken as a name */
};

/* A value. Its first member, if it has any, is the node behind it. */
struct json_node {
	const char *at; /* where it begins in the text */
	uint32_t key;  /* bytes from its key's opening quote to there; 0: it has
			  no key */
	uint32_t next; /* nodes to the next member; 0: it is the last one */
};

struct json {
	const char *file; /* for messages */
	const char *text; /* without its byte order mark */
	size_t length;
	const struct json_node *root;
	uint64_t n_values;  /* of all kinds in the document */
	struct arena tree;  /* of nodes, and of strings that were asked for */
	struct arena *room; /* the same, for cursors */
	struct error *error;
};

/* A cursor: a value and the path to it. The cursor `up` must outlive it. */
struct json_at {
	const struct json *json;
	const struct json_node *value; /* NULL: there is none */
	const struct json_at *up;
	uint32_t index; /* among the members of the one above */
};

/* A key that an object may have. */
struct json_key {
	const char *name;
	bool required;
};

static inline const char *mp_json_skip_blanks(const char *at, const char *end)
{
	while (at < end &&
		(*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r'))
		at++;
	return at;
}

/* The first byte of a file after byte order mark and blanks, or "". */
const char *mp_json_begin(const struct input_file *file);

/* Scans and parses a file. Close the document also if this fails. */
bool mp_json_open(const struct input_file *file, struct json *json,
	struct arena *arena, struct error *e);
void mp_json_close(struct json *json);
struct json_at mp_json_root(const struct json *json);

/* The place of a value in the text: line and column from 1, columns in bytes;
 * begin and end are offsets. For a list or an object end has no meaning. */
struct json_place {
	uint32_t line, column;
	size_t begin, end;
};

struct json_place mp_json_place(const struct json_at *at);

/* The place of the value that a JSON Pointer leads to; it ends at its end or in
 * front of ": ". False if there is no such value. */
bool mp_json_follow(
	const struct json *json, const char *pointer, struct json_place *place);

/* Records an error at the place of the cursor. */
bool mp_json_fail(const struct json_at *at, const char *format, ...)
	MP_PRINTF(2, 3);

/* Records "must be WANTED, not ..." there, with the kind of the value. */
bool mp_json_fail_kind(const struct json_at *at, const char *wanted);

/* Walks the members of an array or object:
 * for (m = mp_json_first(at); m.value; mp_json_next(&m)) */
struct json_at mp_json_first(const struct json_at *at);
void mp_json_next(struct json_at *member);

/* The key of a member of an object; owned by the document. NULL: memory is out.
 */
const char *mp_json_key(const struct json_at *member);

/* Is the document of that format, in its version 1? Asked first: a document of
 * another format has other keys too. */
bool mp_json_is_format(const struct json_at *root, const char *format);

/* Fills found[i] with the value of keys[i]. Unknown keys are refused with a
 * guess at what was meant, unless they begin with x-. */
bool mp_json_pick(const struct json_at *at, const struct json_key *keys,
	uint32_t n, struct json_at *found);

/* The one value of that key, unchecked; its value is NULL if there is none. */
struct json_at mp_json_find(const struct json_at *at, const char *key);

/* Each fails if the value is of another kind. If there is no value, the result
 * keeps its default. */
bool mp_json_expect_list(const struct json_at *at); /* without counting it */
bool mp_json_list(const struct json_at *at, uint32_t *count);
bool mp_json_object(const struct json_at *at, uint32_t *count);

/* Room for an element of that size for each of the *count members of a list.
 * NULL: it is no list, or memory is out. */
void *mp_json_room(const struct json_at *at, uint32_t *count, size_t size,
	struct arena *arena);

/* The members of a list of two; any other one "must be WANTED". */
bool mp_json_pair(const struct json_at *at, const char *wanted,
	struct json_at *first, struct json_at *second);

/* How many members the lists have together that the members of a list have
 * under a key; what is no list counts nothing. */
uint64_t mp_json_total(const struct json_at *list, const char *key);

/* What is a number. False: memory is out. */
bool mp_json_number(const struct json_at *at, double *value);

bool mp_json_integer(const struct json_at *at, uint64_t *value);
bool mp_json_signed(const struct json_at *at, int64_t *value);
bool mp_json_index(const struct json_at *at, uint32_t most, uint32_t *value);
bool mp_json_bool(const struct json_at *at, bool *value);
bool mp_json_micros(const struct json_at *at, uint64_t *value); /* from ms */
bool mp_json_millionths(const struct json_at *at, uint64_t *value);

/* A string of at most JSON_TEXT bytes; owned by the document. */
bool mp_json_text(const struct json_at *at, const char **text);

/* A string of at most JSON_TEXT bytes, copied into the arena. */
bool mp_json_copy(
	const struct json_at *at, const char **text, struct arena *arena);

/* Writes a value as its canonical text: see canonical.c. Numbers lose their
 * fractions, and what is beyond JSON_MAX_INTEGER becomes that. Lines are
 * indented like those of a value that is so deep. Lists under the key `dropped`
 * are left out if they are empty; NULL: none are. False: memory is out. */
struct sink;
bool mp_json_canonical(const struct json_at *at, uint32_t indent,
	const char *dropped, struct sink *sink, struct arena *arena);

bool mp_json_is_null(const struct json_at *at);
bool mp_json_is_text(const struct json_at *at);
bool mp_json_is_number(const struct json_at *at);
bool mp_json_is_bool(const struct json_at *at);
bool mp_json_is_list(const struct json_at *at);
bool mp_json_is_object(const struct json_at *at);

#endif
