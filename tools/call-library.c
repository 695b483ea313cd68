/*
 * call-library GRAPH: calls libmemplan one function after the other, twice, for
 * tests that make an allocation fail. Exit 1: a call failed without a sentence,
 * or had one and did not fail; or both rounds failed, or differ.
 *
 * SPDX-License-Identifier: MIT
 */
#include <memplan/report.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LARGEST_FILE = 1 << 20,
};

static char graph[LARGEST_FILE], written[LARGEST_FILE];
static size_t n_graph, n_written;
static bool wrong, failed;

static void expect(const memplan *m, enum memplan_status status)
{
	failed |= status != MEMPLAN_OK;
	if (status != MEMPLAN_EINTERNAL &&
		(status == MEMPLAN_OK) == (*memplan_error(m) == '\0'))
		return;
	fprintf(stderr, "status %d: '%s'\n", (int)status, memplan_error(m));
	wrong = true;
}

static void write_all(memplan *m)
{
	const char *format, *summary;
	const void *bytes;
	size_t n;

	for (uint32_t i = 0; (format = memplan_row("outputs", i, &summary));
		i++) {
		enum memplan_status status =
			memplan_write(m, format, &bytes, &n);

		if (status != MEMPLAN_NO && status != MEMPLAN_EUSAGE)
			expect(m, status);
		if (status != MEMPLAN_OK || strcmp(format, "plan") != 0)
			continue;
		if (n > LARGEST_FILE ||
			(n_written > 0 &&
				(n != n_written ||
					memcmp(bytes, written, n) != 0)))
			wrong = true;
		else
			memcpy(written, bytes, n_written = n);
	}
}

static void run_all(memplan *m, memplan *plan)
{
	const void *bytes;
	size_t n;

	expect(m, memplan_set(m, "steps", "3000"));
	expect(m, memplan_set(m, "order", "auto"));
	expect(m, memplan_input(m, "graph", "net.json", graph, n_graph));
	expect(m, memplan_read(m));
	expect(m, memplan_plan(m));
	write_all(m);
	expect(plan,
		memplan_input(plan, "graph", "plan.json", written, n_written));
	expect(plan, memplan_check(plan));
	expect(plan, memplan_compare(m, plan, "html", &bytes, &n));
	expect(plan, memplan_take(plan));
	expect(m, memplan_check_against(m, plan));
	expect(m, memplan_survey(m));
	expect(m, memplan_explain(m, NULL, NULL));
	expect(m, memplan_simulate(m, 1));
	write_all(m);
}

static void join(memplan *whole, memplan *a, memplan *b)
{
	expect(a, memplan_input(a, "graph", "a.json", graph, n_graph));
	expect(a, memplan_read(a));
	expect(b, memplan_input(b, "graph", "b.json", graph, n_graph));
	expect(b, memplan_read(b));
	expect(whole, memplan_join(whole, a, "a"));
	expect(whole, memplan_join(whole, b, "b"));
	expect(whole, memplan_plan(whole));
}

static bool round_of_calls(void)
{
	memplan *m[5];
	bool whole = true;

	failed = false;
	for (int i = 0; i < 5; i++)
		whole &= (m[i] = memplan_new()) != NULL;
	if (whole) {
		run_all(m[0], m[1]);
		join(m[2], m[3], m[4]);
	}
	for (int i = 0; i < 5; i++)
		memplan_free(m[i]);
	return whole && !failed;
}

int main(int argc, char **argv)
{
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
	bool first, second;

	if (!file)
		return 2;
	setvbuf(file, NULL, _IONBF, 0);
	n_graph = fread(graph, 1, sizeof(graph), file);
	fclose(file);
	first = round_of_calls();
	second = round_of_calls();
	return wrong || (!first && !second);
}
