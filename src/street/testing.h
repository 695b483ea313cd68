/*
 * For tests of handles: graphs, plans and reports as texts.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_STREET_TESTING_H
#define MP_STREET_TESTING_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memplan/report.h"

enum {
	TEXT = 1 << 19,	 /* bytes of a report */
	GRAPH = 1 << 16, /* bytes of an input */
};

/* The copy ends with NUL. Seconds are left out: they differ. */
static inline void copy_report(const char *bytes, size_t length, char *text)
{
	static const char key[] = "\"seconds\": ";
	size_t n = 0;

	cr_assert_lt(length, TEXT);
	for (size_t i = 0; i < length; i++) {
		if (strncmp(bytes + i, key, sizeof(key) - 1) == 0) {
			i += sizeof(key) - 1;
			i += strspn(bytes + i, "0123456789.e+-");
		}
		text[n++] = bytes[i];
	}
	text[n] = '\0';
}

static inline char *write_report(memplan *m, const char *format)
{
	char *text = malloc(TEXT);
	const void *bytes;
	size_t length;

	cr_assert_eq(memplan_write(m, format, &bytes, &length), MEMPLAN_OK,
		"%s: %s", format, memplan_error(m));
	copy_report(bytes, length, text);
	return text;
}

/* The handle must write exactly that text now. */
static inline void expect_report(
	memplan *m, const char *format, const char *text)
{
	char *own = write_report(m, format);

	cr_assert_str_eq(own, text);
	free(own);
}

/* A chain of ops with a loss in the middle: enough to plan within a budget, to
 * swap, and to order. */
static inline const char *chain(void)
{
	static char text[GRAPH];
	size_t n = 0;

	n += (size_t)snprintf(text, GRAPH,
		"{\"format\":\"memplan.graph\",\"version\":1,\"name\":\"chain\""
		",\"alignment\":64,\"tensors\":[");
	for (int i = 0; i < 24; i++)
		n += (size_t)snprintf(text + n, GRAPH - n,
			"%s{\"id\":%d,\"size\":%d%s}", i ? "," : "", i,
			1000 + 700 * (i * 7 % 5),
			i == 0	  ? ",\"kind\":\"input\""
			: i == 23 ? ",\"kind\":\"output\""
				  : "");
	n += (size_t)snprintf(text + n, GRAPH - n, "],\"ops\":[");
	for (int i = 0; i < 12; i++)
		n += (size_t)snprintf(text + n, GRAPH - n,
			"{\"name\":\"f%d\",\"inputs\":[%d],\"outputs\":[%d],"
			"\"cost_ms\":%d},",
			i, i, i + 1, 50 + i);
	for (int i = 12; i < 23; i++)
		n += (size_t)snprintf(text + n, GRAPH - n,
			"%s{\"name\":\"b%d\",\"inputs\":[%d,%d],\"outputs\":"
			"[%d],\"cost_ms\":%d}",
			i > 12 ? "," : "", i, i, 23 - i, i + 1, 90 + i);
	snprintf(text + n, GRAPH - n, "]}");
	return text;
}

static inline memplan *new_handle(const char *name, const char *text)
{
	memplan *m = memplan_new();

	memplan_set(m, "steps", "2000");
	cr_assert_eq(memplan_input(m, "graph", name, text, strlen(text)),
		MEMPLAN_OK);
	return m;
}

static inline char *copy_text(const char *text)
{
	return strcpy(malloc(strlen(text) + 1), text);
}

/* What still looks at the text sees other bytes, even where no sanitizer runs.
 */
static inline void forget_text(char *text)
{
	memset(text, '!', strlen(text));
	free(text);
}

/* Reads a graph, then frees its bytes and its name. */
static inline memplan *read_handle(const char *name, const char *text)
{
	char *bytes = copy_text(text), *own = copy_text(name);
	memplan *m = new_handle(own, bytes);

	cr_assert_eq(memplan_read(m), MEMPLAN_OK, "%s", memplan_error(m));
	forget_text(own);
	forget_text(bytes);
	return m;
}

static inline uint64_t number(const memplan *m, const char *name)
{
	uint64_t value = 0;

	cr_assert(memplan_number(m, name, &value), "%s", name);
	return value;
}

static inline void set_bytes(memplan *m, const char *option, uint64_t bytes)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)bytes);
	cr_assert_eq(memplan_set(m, option, text), MEMPLAN_OK);
}

static inline char *plan_of(memplan *m)
{
	cr_assert_eq(memplan_plan(m), MEMPLAN_OK, "%s", memplan_error(m));
	return write_report(m, "plan");
}

/* Plans again and compares the plan with that text. */
static inline void expect_plan(memplan *m, const char *plan)
{
	cr_assert_eq(memplan_plan(m), MEMPLAN_OK, "%s", memplan_error(m));
	expect_report(m, "plan", plan);
}

#endif
