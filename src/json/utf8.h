/*
 * UTF-8: every text that comes in is checked once, so that nothing behind the
 * readers has to.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_JSON_UTF8_H
#define MP_JSON_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Length of the character at text, which has room bytes, or 0 if it is not
 * one: overlong forms, surrogates and code points past U+10FFFF are none. */
static inline size_t utf8_length(const char *text, size_t room)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t n = at[0] < 0x80 ? 1 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
	unsigned char least = 0x80, most = 0xbf;

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

/* Writes the code point, which is one, as up to four bytes. */
static inline size_t utf8_write(uint32_t code, char *out)
{
	size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};

	for (size_t i = n - 1; i > 0; i--, code >>= 6)
		out[i] = (char)(0x80 | (code & 0x3f));
	out[0] = (char)(lead[n] | code);
	return n;
}

#endif
