/*
 * The table of the reports of a comparison.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "compare/compare.h"

const struct comparison_report mp_comparison_reports[] = {
	{"text", "for people", mp_compare_text},
	{"json", "one object, all tensors", mp_compare_json},
	{"markdown", "for a comment on a change", mp_compare_markdown},
	{"html", "page of two maps", mp_compare_html},
};

const uint32_t mp_n_comparison_reports = countof(mp_comparison_reports);

const struct comparison_report *mp_compare_report(const char *name)
{
	for (uint32_t i = 0; i < mp_n_comparison_reports; i++)
		if (strcmp(mp_comparison_reports[i].name, name) == 0)
			return &mp_comparison_reports[i];
	return NULL;
}
