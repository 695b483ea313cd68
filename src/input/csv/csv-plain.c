/*
 * Plain rows: "id,lower,upper,size" of printable ASCII, with numbers as a
 * program prints them. Files of millions of rows have no others, so these are
 * read in one pass, and not copied: the output can print them again.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/csv/csv.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
	COLUMNS = 4,
	SAFE_DIGITS = 18,    /* any such number is in range */
	PRINTED = 3 * 21 + 1 /* of three numbers and their commas */
};

/* Removes a number and what must be behind it. */
static bool take_number(struct text *rest, int64_t *value)
{
	const char *at = rest->at, *first;
	bool negative = at < rest->end && *at == '-';
	uint64_t sum = 0, digit;

	first = at += negative;
	for (; at < rest->end; at++) {
		digit = (uint64_t)(unsigned char)*at - '0';
		if (digit > 9)
			break;
		sum = sum * 10 + digit;
	}
	if (at == first || at - first > SAFE_DIGITS ||
		(*first == '0' && (at - first > 1 || negative)))
		return false;
	*value = negative ? -(int64_t)sum : (int64_t)sum;
	rest->at = at;
	return true;
}

static bool take_comma(struct text *rest)
{
	bool is = rest->at < rest->end && *rest->at == ',';

	rest->at += is;
	return is;
}

static bool take_end(struct text *rest)
{
	if (rest->at == rest->end)
		return true;
	if (*rest->at != '\n')
		return false;
	rest->at++;
	return true;
}

/* Of an id that needs no quotes. */
static bool is_id_letter(char letter)
{
	return letter > ' ' && letter < 0x7f && letter != ',' && letter != '"';
}

static bool take_id(struct text *rest, struct text *id)
{
	const char *at = rest->at;

	id->at = at;
	while (at < rest->end && is_id_letter(*at))
		at++;
	id->end = rest->at = at;
	return id->at < id->end;
}

/* False: the line is no plain row, or wrong; then nothing of it is read. */
static bool take_row(
	struct csv *csv, struct text *id, struct time_span *span, int64_t *size)
{
	struct text rest = csv->lines.rest;

	if (!csv->is_plain || csv->n_columns != COLUMNS ||
		!take_id(&rest, id) || !take_comma(&rest) ||
		!take_number(&rest, &span->start) || !take_comma(&rest) ||
		!take_number(&rest, &span->end) || !take_comma(&rest) ||
		!take_number(&rest, size) || !take_end(&rest) ||
		span->start >= span->end || *size < 0)
		return false;
	csv->lines.rest = rest;
	csv->lines.number++;
	return true;
}

/* Ids that ascend, short ones first, cannot repeat; then no map is needed. */
bool mp_input_csv_add_id(struct csv *csv, struct text id, struct tensor *tensor)
{
	const char *copy = mp_input_csv_copy_cell(csv, id);

	if (!copy)
		return false;
	csv->ids_ascend &= mp_input_csv_ascends(csv->id, id);
	csv->id = (struct text){copy, copy + (id.end - id.at)};
	tensor->id = tensor->name = copy;
	tensor->producer = NONE;
	return true;
}

bool mp_input_csv_read_plain(struct csv *csv, uint32_t *row)
{
	struct text id;
	int64_t size;

	while (take_row(csv, &id, &csv->spans[*row], &size)) {
		struct tensor *tensor = &csv->graph->tensors[*row];

		assert(*row < csv->n_lines);
		if (!mp_input_csv_add_id(csv, id, tensor))
			return false;
		tensor->size = (uint64_t)size;
		tensor->align = 1;
		++*row;
	}
	return true;
}

bool mp_input_csv_is_plain(const struct csv *csv, const char *row,
	const struct tensor *tensor, const struct time_span *span)
{
	size_t n = strlen(tensor->id);
	char numbers[PRINTED];

	if (!csv->is_plain || strncmp(row, tensor->id, n) != 0)
		return false;
	assert(!csv->inclusive);
	snprintf(numbers, sizeof(numbers), ",%lld,%lld,%llu",
		(long long)span->start, (long long)span->end,
		(unsigned long long)tensor->size);
	return strcmp(row + n, numbers) == 0;
}
