/*
 * SHA-256 (FIPS 180-4), of bytes in memory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BASE_SHA256_H
#define MP_BASE_SHA256_H

#include <stddef.h>

enum {
	SHA256_TEXT = 65, /* digits of a digest, and a NUL */
};

/* Writes the digest of the bytes as 64 hexadecimal digits. */
void mp_sha256(const void *bytes, size_t length, char text[SHA256_TEXT]);

#endif
