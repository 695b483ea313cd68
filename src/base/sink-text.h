/*
 * Numbers and names in output. Names come from the input, so each format has
 * one function that escapes any name. Integers are formatted without printf(),
 * which is too slow for tables of a million rows. Nothing depends on the
 * locale.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BASE_SINK_TEXT_H
#define MP_BASE_SINK_TEXT_H

#include "base/sink.h"

/* Appends the text as it is. */
static inline void mp_sink_text(struct sink *sink, const char *text)
{
	mp_sink_write(sink, text, strlen(text));
}

/* Is the text more than that ending, and does it end so? */
static inline bool mp_text_ends_with(const char *text, const char *ending)
{
	size_t length = strlen(text), tail = strlen(ending);

	return length > tail && strcmp(text + length - tail, ending) == 0;
}

/* Decimal digits. */
void mp_sink_u64(struct sink *sink, uint64_t value);
void mp_sink_i64(struct sink *sink, int64_t value);

/* Decimal digits in groups of three, with a narrow space between them that no
 * line breaks at: for pictures. */
void mp_sink_grouped(struct sink *sink, int64_t value);

/* A JSON string with its quotes. */
void mp_sink_json(struct sink *sink, const char *text);

/* Character data of XML, also within quotes of either kind. What XML 1.0 does
 * not allow at all becomes U+FFFD. */
void mp_sink_xml(struct sink *sink, const char *text);

/* As mp_sink_xml(), cut to that many characters as mp_sink_plain() does. */
void mp_sink_xml_cut(struct sink *sink, const char *text, uint32_t most);

/* A code span of Markdown, cut likewise: what Markdown or HTML could take for
 * markup is spelled as an entity. */
void mp_sink_code(struct sink *sink, const char *text, uint32_t most);

/* A cell of CSV (RFC 4180): in quotes where it must be, and behind an
 * apostrophe where a spreadsheet would take it for a formula. */
void mp_sink_cell(struct sink *sink, const char *text);

/* For a terminal: at most that many characters, the last one an ellipsis if
 * there were more. Controls and what reverses the direction of writing become
 * '?', and so does the first of a text that begins like a command. Returns the
 * number of characters. */
uint32_t mp_sink_plain(struct sink *sink, const char *text, uint32_t most);

/* a / b, rounded to nearest, with that many decimals; 1 when b is 0. */
void mp_sink_ratio(
	struct sink *sink, uint64_t a, uint64_t b, uint32_t decimals);

/* a of b in percent with one decimal, rounded to nearest. */
void mp_sink_percent(struct sink *sink, uint64_t a, uint64_t b);

/* "1.50 MiB": two decimals and the largest unit that leaves at least 1. */
void mp_sink_unit(struct sink *sink, uint64_t bytes);

/* "1572864 bytes (1.50 MiB)"; below 1 KiB without the parenthesis. */
void mp_sink_bytes(struct sink *sink, uint64_t bytes);

/* Seconds with three decimals. */
void mp_sink_seconds(struct sink *sink, double seconds);

/* What follows the name of a thing of which there are n: "s", but for 1. */
static inline const char *mp_text_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* Does the text contain the word, which is in lower case, in whatever case? */
bool mp_text_mentions(const char *text, const char *word);

/* Digits that mp_sink_u64() writes. */
uint32_t mp_text_digits(uint64_t value);

/* The next code point of UTF-8, behind which the text is moved; 0 at the end,
 * U+FFFD for a byte that belongs to none. */
uint32_t mp_text_next(const char **text);

/* Does the text begin as a command does that GitHub, GitLab and Azure look for
 * at the beginning of each line? */
bool mp_text_is_command(const char *text);

/* Replaces in the text what could control a terminal or end a line, and bytes
 * that are no UTF-8, by '?'. Every name that is part of a message goes through
 * here. */
void mp_text_clean(char *text);

/* True for controls, and for marks that reverse the direction of writing. */
bool mp_text_is_unprintable(uint32_t point);

#endif
