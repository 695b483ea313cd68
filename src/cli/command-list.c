/*
 * memplan list TABLE: one row a line, the name first.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "base/num.h"
#include "cli/commands.h"
#include "memplan/memplan.h"

void cli_print_rows(const char *table)
{
	const char *name, *summary;

	assert(memplan_row(table, 0, &summary));
	for (uint32_t i = 0; (name = memplan_row(table, i, &summary)); i++)
		cli_say("%s %s", i > 0 ? "," : "", name);
	cli_say("\n");
}

/* Options also have values and a default. */
static void list_options(void)
{
	struct memplan_option option;
	char left[64];

	for (uint32_t i = 0; memplan_option_at(i, &option, sizeof(option));
		i++) {
		snprintf(left, sizeof(left), "%s %s", option.name,
			option.argument ? option.argument : "");
		printf("%-34s %s", left, option.summary);
		if (option.values)
			printf("; %s", option.values);
		if (option.initial)
			printf("; default %s", option.initial);
		putchar('\n');
	}
}

static enum memplan_status unknown_table(const char *table)
{
	const char *name, *summary, *nearest = NULL;
	uint32_t best = (uint32_t)num_min(3, strlen(table));

	for (uint32_t i = 0; (name = memplan_row("tables", i, &summary)); i++)
		if (mp_names_is_nearer(name, table, &best))
			nearest = name;
	return cli_unknown("table", table, nearest, "memplan list tables");
}

enum memplan_status cli_list(const struct arguments *arguments)
{
	const char *name, *summary, *table = arguments->inputs[0];

	if (arguments->n_inputs != 1) {
		cli_say("memplan: list what? One of");
		cli_print_rows("tables");
		return MEMPLAN_EUSAGE;
	}
	if (!memplan_row(table, 0, &summary))
		return unknown_table(table);
	if (strcmp(table, "options") == 0)
		return list_options(), MEMPLAN_OK;
	for (uint32_t i = 0; (name = memplan_row(table, i, &summary)); i++)
		printf("%-20s %s\n", name, summary);
	return MEMPLAN_OK;
}
