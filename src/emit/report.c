/*
 * What reports for people have in common.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emit/report.h"

#include <assert.h>

void mp_emit_report_label(struct sink *sink, const char *label)
{
	mp_sink_print(sink, "  %-13s", label);
}

void mp_emit_report_size(struct sink *sink, const char *label, uint64_t bytes,
	const struct schedule *s)
{
	uint32_t width = mp_text_digits(s->problem.total_size);
	uint32_t digits = mp_text_digits(bytes);

	mp_emit_report_label(sink, label);
	mp_sink_print(
		sink, "%*s", (int)(width > digits ? width - digits : 0), "");
	mp_sink_bytes(sink, bytes);
}

void mp_emit_report_head(struct sink *sink, const struct schedule *s)
{
	uint32_t external = 0;

	for (uint32_t i = 0; i < s->graph->n_tensors; i++)
		external += s->graph->tensors[i].external;
	mp_sink_plain(sink, s->graph->name, REPORT_NAME);
	mp_sink_text(sink, "\n");
	mp_emit_report_label(sink, "ops");
	mp_sink_print(sink, "%u\n", s->graph->n_ops);
	mp_emit_report_label(sink, "tensors");
	mp_sink_print(sink, "%u", s->graph->n_tensors);
	if (external)
		mp_sink_print(sink, ", %u of them external", external);
	mp_sink_text(sink, "\n");
	mp_emit_report_label(sink, "buffers");
	mp_sink_print(sink, "%u, aligned to ", s->problem.n_buffers);
	mp_sink_unit(sink, s->problem.alignment);
	if (s->problem.margins.padding)
		mp_sink_print(sink, " with %u of padding",
			s->problem.margins.padding);
	if (s->problem.margins.target) {
		mp_sink_text(sink, " for ");
		mp_sink_plain(sink, s->problem.margins.target, REPORT_NAME);
	}
	mp_sink_text(sink, "\n");
}

void mp_emit_report_name(struct sink *sink, const char *name)
{
	assert(name);
	mp_sink_text(sink, "'");
	mp_sink_plain(sink, name, REPORT_NAME);
	mp_sink_text(sink, "'");
}

void mp_emit_report_tensor(
	struct sink *sink, const struct schedule *s, uint32_t tensor)
{
	assert(tensor < s->graph->n_tensors);
	mp_emit_report_name(
		sink, mp_graph_tensor_label(&s->graph->tensors[tensor]));
}

void mp_emit_report_life(
	struct sink *sink, const struct schedule *s, uint32_t tensor)
{
	const struct stay *stay = &s->stay[tensor];

	assert(stay->start <= stay->end);
	mp_sink_print(sink, "[%lld, %lld)",
		(long long)mp_problem_time(&s->problem, stay->start),
		(long long)mp_problem_time(&s->problem, stay->end));
}

void mp_emit_report_op(struct sink *sink, const struct schedule *s, uint32_t op)
{
	const struct op *step = &s->graph->ops[op];

	assert(op < s->graph->n_ops);
	mp_sink_print(sink, "%u ", op);
	mp_emit_report_name(
		sink, step->name[0] || !step->type ? step->name : step->type);
	if (s->problem.n_streams > 1)
		mp_sink_print(sink, " of stream %u", step->stream);
}

void mp_emit_report_rest(struct sink *sink, const struct alive *alive,
	uint32_t n, uint32_t shown)
{
	uint64_t sum = 0;

	if (n <= shown)
		return;
	for (uint32_t i = shown; i < n; i++)
		sum += alive[i].size;
	mp_sink_print(sink, "  and %u more, ", n - shown);
	mp_sink_bytes(sink, sum);
	mp_sink_text(sink, "\n");
}

void mp_emit_report_minimum(struct sink *sink, const struct schedule *schedule)
{
	mp_emit_report_size(
		sink, "minimum", schedule->problem.theoretical_min, schedule);
	if (schedule->problem.n_streams > 1) {
		mp_sink_print(sink, ", over all timings of %u streams\n",
			schedule->problem.n_streams);
		mp_emit_report_size(sink, "as listed",
			schedule->problem.listed_min, schedule);
	}
	mp_sink_print(sink, ", at step %lld",
		(long long)mp_problem_time(
			&schedule->problem, schedule->problem.peak_step));
}

static void pool(struct sink *sink, const struct space *space)
{
	mp_sink_text(sink, "    ");
	mp_sink_plain(sink, space->name, REPORT_NAME);
	mp_sink_text(sink, ": ");
	mp_sink_bytes(sink, space->size);
	if (space->capacity != NO_CAPACITY)
		mp_sink_print(
			sink, " of %llu", (unsigned long long)space->capacity);
	mp_sink_print(sink, ", minimum %llu, %u buffer%s\n",
		(unsigned long long)space->theoretical_min, space->n_buffers,
		space->n_buffers == 1 ? "" : "s");
}

void mp_emit_report_pools(struct sink *sink, const struct plan *plan)
{
	const struct spaces *spaces = &plan->spaces;

	if (!spaces->at)
		return;
	mp_emit_report_label(sink, "pools");
	mp_sink_print(sink, "%u\n", spaces->n);
	for (uint32_t i = 0; i < spaces->n; i++)
		pool(sink, &spaces->at[i]);
	if (spaces->n_spilled == 0)
		return;
	mp_emit_report_label(sink, "spilled");
	mp_sink_print(sink, "%u buffer%s, ", spaces->n_spilled,
		spaces->n_spilled == 1 ? "" : "s");
	mp_sink_bytes(sink, spaces->spilled);
	mp_sink_text(sink, ", used for ");
	mp_sink_bytes(sink, spaces->traffic);
	mp_sink_text(sink, " of traffic\n");
}
