/*
 * Numbers in decimal, names with the escapes of JSON, XML, Markdown and CSV.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/sink-text.h"

#include <assert.h>
#include <string.h>

#include "base/num.h"
#include "base/utf8.h"

enum {
	REPLACEMENT = 0xfffd, /* replaces bytes that are no text */
	DIGITS_MOST = 20,     /* of 2^64 - 1 */
};

/* ---------------------------------------------------------- numbers */

bool mp_text_mentions(const char *text, const char *word)
{
	size_t n = strlen(word), i;

	for (; text && *text; text++) {
		for (i = 0; i < n && (text[i] | 32) == word[i]; i++)
			;
		if (i == n)
			return true;
	}
	return false;
}

/* From the number of bits: log10(2) is a bit more than 1233 / 4096. */
uint32_t mp_text_digits(uint64_t value)
{
	static const uint64_t powers[DIGITS_MOST] = {0, 10, 100, 1000, 10000,
		100000, 1000000, 10000000, 100000000, 1000000000, 10000000000,
		100000000000, 1000000000000, 10000000000000, 100000000000000,
		1000000000000000, 10000000000000000, 100000000000000000,
		1000000000000000000, UINT64_C(10000000000000000000)};
	uint32_t bits = 64 - (uint32_t)__builtin_clzll(value | 1);
	uint32_t least = bits * 1233 >> 12;

	return least + (value >= powers[least]);
}

/* Writes into the sink itself: copying would wait for the digits that were just
 * stored. Writes two digits at a time, because each division waits for the one
 * before. */
void mp_sink_u64(struct sink *sink, uint64_t value)
{
	static const char pairs[] =
		"00010203040506070809101112131415161718192021222324"
		"25262728293031323334353637383940414243444546474849"
		"50515253545556575859606162636465666768697071727374"
		"75767778798081828384858687888990919293949596979899";
	uint32_t digits = mp_text_digits(value);
	char *at;

	if (!mp_sink_has_room(sink, digits))
		return;
	sink->length += digits;
	at = sink->bytes + sink->length;
	for (; value >= 100; value /= 100)
		memcpy(at -= 2, pairs + value % 100 * 2, 2);
	if (value >= 10)
		memcpy(at - 2, pairs + value * 2, 2);
	else
		at[-1] = (char)('0' + value);
}

void mp_sink_i64(struct sink *sink, int64_t value)
{
	if (value < 0)
		mp_sink_text(sink, "-");
	mp_sink_u64(sink, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void mp_sink_grouped(struct sink *sink, int64_t value)
{
	uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
	uint64_t group = 1;

	while (rest / group >= 1000)
		group *= 1000;
	if (value < 0)
		mp_sink_text(sink, "-");
	mp_sink_u64(sink, rest / group);
	for (; group > 1; group /= 1000) {
		uint64_t three = rest % group / (group / 1000);

		mp_sink_text(sink, "\342\200\257");
		if (three < 100)
			mp_sink_text(sink, three < 10 ? "00" : "0");
		mp_sink_u64(sink, three);
	}
}

/* The next decimal of rest / b, by ten additions that cannot overflow as both
 * are below 2^63; the new rest is left in its place. */
static uint32_t next_decimal(uint64_t *rest, uint64_t b)
{
	uint64_t sum = 0;
	uint32_t digit = 0;

	for (uint32_t i = 0; i < 10; i++) {
		sum += *rest;
		if (sum < b)
			continue;
		sum -= b;
		digit++;
	}
	*rest = sum;
	return digit;
}

/* a / b with that many decimals, rounded to nearest, as a whole number and
 * what follows the point; 1 when b is 0. */
static uint64_t divide(
	uint64_t a, uint64_t b, uint32_t decimals, uint64_t *fraction)
{
	uint64_t whole, rest, scale = 1;

	assert(b < UINT64_C(1) << 63 && decimals < DIGITS_MOST);
	*fraction = 0;
	if (b == 0)
		return 1;
	whole = a / b;
	rest = a % b;
	for (uint32_t i = 0; i < decimals; i++, scale *= 10)
		*fraction = *fraction * 10 + next_decimal(&rest, b);
	if (rest >= b - rest)
		*fraction += 1;
	if (*fraction < scale)
		return whole;
	*fraction = 0;
	return whole + 1;
}

void mp_sink_ratio(struct sink *sink, uint64_t a, uint64_t b, uint32_t decimals)
{
	uint64_t fraction, scale = 1;

	mp_sink_u64(sink, divide(a, b, decimals, &fraction));
	if (decimals == 0)
		return;
	mp_sink_text(sink, ".");
	for (uint32_t i = 1; i < decimals; i++)
		scale *= 10;
	for (; scale; scale /= 10)
		mp_sink_u64(sink, fraction / scale % 10);
}

void mp_sink_percent(struct sink *sink, uint64_t a, uint64_t b)
{
	uint64_t fraction, whole = divide(a, b, 3, &fraction);

	mp_sink_u64(sink, whole * 100 + fraction / 10);
	mp_sink_text(sink, ".");
	mp_sink_u64(sink, fraction % 10);
}

void mp_sink_unit(struct sink *sink, uint64_t bytes)
{
	static const char *const units[] = {
		"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	uint32_t unit = 0;

	while (unit + 1 < countof(units) && bytes >> (10 * (unit + 1)) != 0)
		unit++;
	if (unit == 0)
		mp_sink_u64(sink, bytes);
	else
		mp_sink_ratio(sink, bytes, UINT64_C(1) << (10 * unit), 2);
	mp_sink_text(sink, " ");
	mp_sink_text(sink, bytes == 1 ? "byte" : units[unit]);
}

void mp_sink_bytes(struct sink *sink, uint64_t bytes)
{
	if (bytes < 1024) {
		mp_sink_unit(sink, bytes);
		return;
	}
	mp_sink_u64(sink, bytes);
	mp_sink_text(sink, " bytes (");
	mp_sink_unit(sink, bytes);
	mp_sink_text(sink, ")");
}

void mp_sink_seconds(struct sink *sink, double seconds)
{
	double thousandths = seconds * 1000 + 0.5;

	/* False for NaN too. */
	if (!(thousandths > 0 && thousandths < 1e15))
		thousandths = 0;
	mp_sink_ratio(sink, (uint64_t)thousandths, 1000, 3);
}

/* ------------------------------------------------------------ names */

uint32_t mp_text_next(const char **text)
{
	size_t length = utf8_length(*text, 4);
	uint32_t point = REPLACEMENT;

	if (**text == '\0')
		return 0;
	if (length > 0)
		point = utf8_read(*text, length);
	*text += length > 0 ? length : 1;
	return point;
}

bool mp_text_is_unprintable(uint32_t point)
{
	return point < ' ' || (point >= 0x7f && point < 0xa0) ||
	       point == 0x061c || (point >= 0x200e && point <= 0x200f) ||
	       (point >= 0x2028 && point <= 0x202e) ||
	       (point >= 0x2066 && point <= 0x2069) || point == 0xfeff;
}

bool mp_text_is_command(const char *text)
{
	return strncmp(text, "::", 2) == 0 || strncmp(text, "##", 2) == 0;
}

void mp_text_clean(char *text)
{
	const char *from = text, *next = text;
	char *to = text;

	for (uint32_t point; (point = mp_text_next(&next)) != 0; from = next) {
		size_t length = (size_t)(next - from);
		bool fine = !mp_text_is_unprintable(point) &&
			    utf8_length(from, length) == length;

		if (fine)
			memmove(to, from, length);
		else
			*to = '?';
		to += fine ? length : 1;
	}
	*to = '\0';
}

static void write_point(struct sink *sink, uint32_t point)
{
	char bytes[4];
	size_t n = utf8_write(point, bytes);

	mp_sink_write(sink, bytes, n);
}

static void json_point(struct sink *sink, uint32_t point)
{
	static const char letters[] = "btn?fr"; /* of 8 to 13 */

	if (point == '"' || point == '\\')
		mp_sink_text(sink, "\\");
	if (!mp_text_is_unprintable(point))
		write_point(sink, point);
	else if (point >= 8 && point <= 13 && point != 11)
		mp_sink_print(sink, "\\%c", letters[point - 8]);
	else
		mp_sink_print(sink, "\\u%04x", point);
}

/* Length of the prefix that needs no escapes: nearly always the whole text. */
static size_t plain_length(const char *text)
{
	size_t length = 0;

	while (text[length] >= ' ' && text[length] < 0x7f &&
		text[length] != '"' && text[length] != '\\')
		length++;
	return length;
}

void mp_sink_json(struct sink *sink, const char *text)
{
	size_t length;
	uint32_t point;

	mp_sink_text(sink, "\"");
	do {
		length = plain_length(text);
		mp_sink_write(sink, text, length);
		text += length;
		point = mp_text_next(&text);
		if (point)
			json_point(sink, point);
	} while (point);
	mp_sink_text(sink, "\"");
}

static const char *xml_entity(uint32_t point)
{
	switch (point) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	case '\t':
		return "&#9;";
	case '\n':
		return "&#10;";
	case '\r':
		return "&#13;";
	default:
		return NULL;
	}
}

static void xml_point(struct sink *sink, uint32_t point)
{
	const char *entity = xml_entity(point);
	bool allowed =
		!mp_text_is_unprintable(point) && (point & 0xfffe) != 0xfffe;

	if (entity)
		mp_sink_text(sink, entity);
	else
		write_point(sink, allowed ? point : REPLACEMENT);
}

void mp_sink_xml(struct sink *sink, const char *text)
{
	uint32_t point;

	while ((point = mp_text_next(&text)) != 0)
		xml_point(sink, point);
}

/* The characters that are shown of a text, at most that many: all, or, if there
 * are more, all but the last one, which an ellipsis stands for. */
static uint32_t count_shown(const char *text, uint32_t most, bool *cut)
{
	uint32_t count = 0;

	while (count <= most && mp_text_next(&text) != 0)
		count++;
	*cut = count > most;
	return *cut ? most - 1 : count;
}

void mp_sink_xml_cut(struct sink *sink, const char *text, uint32_t most)
{
	bool cut;

	for (uint32_t n = count_shown(text, most, &cut); n > 0; n--)
		xml_point(sink, mp_text_next(&text));
	if (cut)
		mp_sink_text(sink, "\u2026");
}

static bool is_letter(uint32_t point)
{
	return (point | 32) - 'a' < 26 || point - '0' < 10;
}

/* An underscore within a word is no markup. */
static void code_point(
	struct sink *sink, uint32_t before, uint32_t point, const char *next)
{
	bool in_word = point == '_' && is_letter(before) &&
		       is_letter((unsigned char)*next);

	if (mp_text_is_unprintable(point))
		point = REPLACEMENT;
	if (point >= 0x80 || is_letter(point) || in_word ||
		strchr(" .-/,", (int)point))
		write_point(sink, point);
	else
		mp_sink_print(sink, "&#%u;", point);
}

void mp_sink_code(struct sink *sink, const char *text, uint32_t most)
{
	uint32_t before = ' ', point;
	bool cut;

	mp_sink_text(sink, "<code>");
	for (uint32_t n = count_shown(text, most, &cut); n > 0;
		n--, before = point) {
		point = mp_text_next(&text);
		code_point(sink, before, point, text);
	}
	mp_sink_text(sink, cut ? "\u2026</code>" : "</code>");
}

uint32_t mp_sink_plain(struct sink *sink, const char *text, uint32_t most)
{
	bool cut;
	bool command = mp_text_is_command(text);
	uint32_t shown = count_shown(text, most, &cut), point;

	for (uint32_t i = 0; i < shown; i++) {
		point = mp_text_next(&text);
		write_point(sink,
			mp_text_is_unprintable(point) || (i == 0 && command)
				? '?'
				: point);
	}
	if (cut)
		mp_sink_text(sink, "\u2026");
	return shown + cut;
}

/* ----------------------------------------------------- cells of CSV */

/* Spreadsheets run a cell that begins like a formula, even in quotes. Behind an
 * apostrophe it is text. */
static bool is_formula(const char *text)
{
	return *text != '\0' && strchr("=+-@\t\r", *text) != NULL;
}

void mp_sink_cell(struct sink *sink, const char *text)
{
	const char *quote = strpbrk(text, ",\"\r\n") ? "\"" : "";

	mp_sink_text(sink, quote);
	mp_sink_text(sink, is_formula(text) ? "'" : "");
	for (; *text; text++) {
		if (*text == '"')
			mp_sink_text(sink, "\"");
		mp_sink_write(sink, text, 1);
	}
	mp_sink_text(sink, quote);
}
