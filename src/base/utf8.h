/*
 * UTF-8. Readers check every text once, so that later stages need not.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BASE_UTF8_H
#define MP_BASE_UTF8_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
	UTF8_MOST = 4 /* bytes of a character */
};

/* Length in bytes of the character at text, of which `room` bytes, at least
 * one, may be read; 0 if it is not valid. Overlong forms, surrogates and code
 * points above U+10FFFF are not valid. Reads nothing after a NUL. */
static inline size_t utf8_length(const char *text, size_t room)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t n = at[0] < 0x80 ? 1 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
	unsigned char least = 0x80, most = 0xbf;

	assert(room > 0);
	if (n == 1)
		return 1;
	if (at[0] < 0xc2 || at[0] > 0xf4 || n > room)
		return 0;
	least = at[0] == 0xe0 ? 0xa0 : at[0] == 0xf0 ? 0x90 : 0x80;
	most = at[0] == 0xed ? 0x9f : at[0] == 0xf4 ? 0x8f : 0xbf;
	if (at[1] < least || at[1] > most)
		return 0;
	for (size_t i = 2; i < n; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

/* Are the 8 bytes printable ASCII? One below a space borrows, which sets its
 * high bit. */
static inline int utf8_is_plain(const char *text)
{
	const uint64_t high = UINT64_C(0x8080808080808080);
	const uint64_t space = UINT64_C(0x2020202020202020);
	uint64_t word;

	memcpy(&word, text, sizeof(word));
	return ((word | (word - space)) & high) == 0;
}

/* How many of the first bytes are printable ASCII: all, or a multiple of 8. */
static inline size_t utf8_plain(const char *text, size_t room)
{
	size_t n = 0;

	for (; room - n >= 8; n += 8)
		if (!utf8_is_plain(text + n))
			return n;
	/* The rest is in the last 8 bytes, which overlap those before. */
	return room >= 8 && utf8_is_plain(text + room - 8) ? room : n;
}

/* The code point of a valid character of n bytes. */
static inline uint32_t utf8_read(const char *text, size_t n)
{
	const unsigned char *at = (const unsigned char *)text;
	uint32_t code = n == 1 ? at[0] : at[0] & 0x7fu >> n;

	assert(n >= 1 && n <= 4);
	for (size_t i = 1; i < n; i++)
		code = code << 6 | (at[i] & 0x3f);
	return code;
}

/* Writes a code point as up to four bytes; returns their number. */
static inline size_t utf8_write(uint32_t code, char *out)
{
	size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};

	assert(code < 0x110000 && (code < 0xd800 || code >= 0xe000));
	for (size_t i = n - 1; i > 0; i--, code >>= 6)
		out[i] = (char)(0x80 | (code & 0x3f));
	out[0] = (char)(lead[n] | code);
	return n;
}

#endif
