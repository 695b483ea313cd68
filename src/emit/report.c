/* SPDX-License-Identifier: MIT */
#include "emit/report.h"

void mp_report_pad(struct sink *sink, uint32_t width, uint32_t used)
{
	for (; used < width; used++)
		mp_sink_text(sink, " ");
}

void mp_report_label(struct sink *sink, const char *label)
{
	mp_sink_print(sink, "  %-13s", label);
}

void mp_report_size(struct sink *sink, const char *label, uint64_t bytes,
	const struct problem *p)
{
	mp_report_label(sink, label);
	mp_report_pad(
		sink, mp_text_digits(p->total_size), mp_text_digits(bytes));
	mp_sink_bytes(sink, bytes);
}

void mp_report_head(struct sink *sink, const struct problem *p)
{
	uint32_t external = 0;

	for (uint32_t i = 0; i < p->n_items; i++)
		external += p->items[i].external;
	mp_sink_plain(sink, p->name, REPORT_NAME);
	mp_sink_text(sink, "\n");
	mp_report_label(sink, "ops");
	mp_sink_print(sink, "%u\n", p->n_ops);
	mp_report_label(sink, "tensors");
	mp_sink_print(sink, "%u", p->n_items);
	if (external)
		mp_sink_print(sink, ", %u of them external", external);
	mp_sink_text(sink, "\n");
	mp_report_label(sink, "buffers");
	mp_sink_print(sink, "%u, aligned to ", p->n_buffers);
	mp_sink_unit(sink, p->alignment);
	if (p->margins.padding)
		mp_sink_print(
			sink, " with %u of padding", p->margins.padding);
	if (p->margins.target) {
		mp_sink_text(sink, " for ");
		mp_sink_plain(sink, p->margins.target, REPORT_NAME);
	}
	mp_sink_text(sink, "\n");
}

void mp_report_minimum(struct sink *sink, const struct problem *problem)
{
	mp_report_size(sink, "minimum", problem->theoretical_min, problem);
	if (problem->n_streams > 1) {
		mp_sink_print(sink, ", over all timings of %u streams\n",
			problem->n_streams);
		mp_report_size(sink, "as listed", problem->listed_min, problem);
	}
	mp_sink_print(sink, ", at step %lld",
		(long long)mp_problem_time(problem, problem->peak_step));
}
