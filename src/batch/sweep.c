/*
 * The table of the forms of a merged sweep.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base/num.h"
#include "batch/inside.h"

const struct sweep_format mp_batch_formats[] = {
	{".csv", "a row a task, for spreadsheets and programs",
		mp_batch_sweep_csv},
	{".json", "one object with every number", mp_batch_sweep_json},
	{".md", "a table for a comment", mp_batch_sweep_markdown},
	{".html", "a page with pictures of the loads, and links to outputs",
		mp_batch_sweep_page},
};

const uint32_t mp_n_batch_formats = countof(mp_batch_formats);

const struct sweep_format *mp_batch_format(const char *name)
{
	for (uint32_t i = 0; i < mp_n_batch_formats; i++)
		if (mp_text_ends_with(name, mp_batch_formats[i].suffix))
			return &mp_batch_formats[i];
	return NULL;
}
