/*
 * Reads numbers and sizes as command lines and budgets spell them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BASE_BYTES_H
#define MP_BASE_BYTES_H

#include <stdbool.h>
#include <stdint.h>

/* Reads decimal digits and moves *text behind the last one. False: there are
 * none, or the value exceeds the limit. */
bool mp_bytes_digits(const char **text, uint64_t limit, uint64_t *value);

/* Reads a size in bytes with an optional unit: 4096, 512KiB, 1GB. */
bool mp_bytes_parse(const char *text, uint64_t *value);

#endif
