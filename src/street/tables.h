/*
 * The table of tables: what memplan_row() lists, and the check of a name
 * against it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_STREET_TABLES_H
#define MP_STREET_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* Name and summary of row i; NULL beyond the last, and if there is no such
 * table. */
const char *mp_street_tables_row(
	const char *table, uint32_t i, const char **summary);

/* True if value is a row of one of the tables; | separates their names. Else
 * fails with "unknown WHAT" and the nearest name. */
bool mp_street_tables_check(const char *tables, const char *what,
	const char *value, struct error *e);

/* The row nearest to a value that is none of the table; NULL: none is near. */
const char *mp_street_tables_nearest(const char *tables, const char *value);

#endif
