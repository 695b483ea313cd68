/*
 * The table of reports of the gate.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "gate/gate.h"

#define FILE_ROW(name, suffix, summary, run)                                   \
	{                                                                      \
		name, suffix, suffix ": " summary, run                         \
	}

const struct gate_report mp_gate_reports[] = {
	FILE_ROW("human", ".txt", "a table for people", mp_gate_human),
	FILE_ROW("json", ".json", "one object with every number", mp_gate_json),
	FILE_ROW("markdown", ".md", "a table for a comment or a step summary",
		mp_gate_markdown),
	FILE_ROW("junit", ".xml", "JUnit XML: a suite a row, a case a gate",
		mp_gate_junit),
	FILE_ROW("sarif", ".sarif",
		"SARIF 2.1.0: one result for all but a pass", mp_gate_sarif),
	{"github", NULL, "annotations of GitHub Actions", mp_gate_github},
	{"budget", NULL, "the budget file with its limits brought up to date",
		mp_gate_updated},
};

const uint32_t mp_n_gate_reports = countof(mp_gate_reports);

const struct gate_report *mp_gate_report(const char *name)
{
	for (uint32_t i = 0; i < mp_n_gate_reports; i++) {
		const struct gate_report *row = &mp_gate_reports[i];

		if (strcmp(row->name, name) == 0 ||
			(row->suffix && mp_text_ends_with(name, row->suffix)))
			return row;
	}
	return NULL;
}
