/*
 * The tables that memplan_row() lists, by name.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>
#include <string.h>

#include "base/names.h"
#include "compare/compare.h"
#include "emit/emit.h"
#include "gate/gate.h"
#include "graph/target.h"
#include "input/input.h"
#include "input/onnx/onnx.h"
#include "order/order.h"
#include "planners/planner.h"
#include "simulate/simulate.h"

/* -------------------------------------------------- table of tables */

/* Defines a function that returns name and summary of row i of an array. */
#define ROWS(function, rows, n)                                                \
	static const char *function(uint32_t i, const char **summary)          \
	{                                                                      \
		if (i >= (n))                                                  \
			return NULL;                                           \
		*summary = (rows)[i].summary;                                  \
		return (rows)[i].name;                                         \
	}

ROWS(planner_row, mp_planners, mp_n_planners)
ROWS(peer_row, mp_peers, mp_n_peers)
ROWS(order_row, mp_orders, mp_n_orders)
ROWS(target_row, mp_targets, mp_n_targets)
ROWS(input_row, mp_readers, mp_n_readers)
ROWS(output_row, mp_emitters, mp_n_emitters)
ROWS(simulator_row, mp_simulators, mp_n_simulators)
ROWS(comparison_row, mp_comparison_reports, mp_n_comparison_reports)
ROWS(gate_row, mp_gate_rows, (uint32_t)N_GATES)
ROWS(gate_report_row, mp_gate_reports, mp_n_gate_reports)

static const char *option_row(uint32_t i, const char **summary)
{
	const struct memplan_option *option = mp_street_options_row(i);

	if (option)
		*summary = option->summary;
	return option ? option->name : NULL;
}

static const char *table_row(uint32_t i, const char **summary);

static const struct table {
	const char *name, *summary;
	const char *(*row)(uint32_t i, const char **summary);
	const char *(*left_out)(const char *name); /* why this build has no such
						      row; or NULL */
} all_tables[] = {
	{"planners", "rows that give every buffer an offset", planner_row,
		mp_planner_left_out},
	{"peers", "other tools' rules for that, for comparison", peer_row,
		NULL},
	{"orders", "rows that choose the order of the ops", order_row, NULL},
	{"inputs", "formats that are read", input_row, NULL},
	{"outputs", "formats that are written", output_row, NULL},
	{"onnx-ops", "ops of ONNX with rules for shapes", mp_input_onnx_op,
		NULL},
	{"simulators", "online allocators that are simulated", simulator_row,
		NULL},
	{"targets", "alignment and padding of devices and runtimes", target_row,
		NULL},
	{"comparisons", "reports on two plans", comparison_row, NULL},
	{"gates", "limits that a budget may set", gate_row, NULL},
	{"gate-reports", "reports on a budget", gate_report_row, NULL},
	{"options", "options of a run", option_row, NULL},
	{"tables", "these tables", table_row, NULL},
};

ROWS(table_row, all_tables, (uint32_t)countof(all_tables))

const char *memplan_row(const char *table, uint32_t i, const char **summary)
{
	assert(table && summary);
	for (uint32_t k = 0; k < countof(all_tables); k++)
		if (strcmp(all_tables[k].name, table) == 0)
			return all_tables[k].row(i, summary);
	return NULL;
}

/* ------------------------------------------------------------ names */

static const struct table *first_table(const char *names)
{
	size_t length = strcspn(names, "|");

	for (uint32_t k = 0; k < countof(all_tables); k++)
		if (strlen(all_tables[k].name) == length &&
			strncmp(all_tables[k].name, names, length) == 0)
			return &all_tables[k];
	return NULL;
}

/* True if value is a row of one of the tables; else what is nearest to it. */
static bool find_row(
	const char *tables, const char *value, const char **nearest)
{
	/* Two letters may be wrong, if one is right. */
	uint32_t best = (uint32_t)num_min(3, strlen(value));
	const char *name, *summary;

	*nearest = NULL;
	for (;; tables++) {
		const struct table *table = first_table(tables);

		assert(table);
		for (uint32_t i = 0; (name = table->row(i, &summary)); i++) {
			if (strcmp(name, value) == 0)
				return true;
			if (mp_names_is_nearer(name, value, &best))
				*nearest = name;
		}
		tables += strcspn(tables, "|");
		if (*tables == '\0')
			return false;
	}
}

const char *mp_street_tables_nearest(const char *tables, const char *value)
{
	const char *nearest;

	find_row(tables, value, &nearest);
	return nearest;
}

bool mp_street_tables_check(const char *tables, const char *what,
	const char *value, struct error *e)
{
	const struct table *table = first_table(tables);
	const char *nearest, *why;

	if (find_row(tables, value, &nearest))
		return true;
	why = table->left_out ? table->left_out(value) : NULL;
	if (why)
		return mp_fail(e, MEMPLAN_EUSAGE, "this build has no %s: %s",
			value, why);
	if (nearest)
		return mp_fail(e, MEMPLAN_EUSAGE,
			"unknown %s '%s'; did you mean '%s'?", what, value,
			nearest);
	return mp_fail(e, MEMPLAN_EUSAGE,
		"unknown %s '%s'; 'memplan list %.*s' names them", what, value,
		(int)strcspn(tables, "|"), tables);
}
