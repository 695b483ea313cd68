/*
 * trace: Chrome's trace events, for ui.perfetto.dev and chrome://tracing. Such
 * viewers draw no overlapping slices on a track, and tensors overlap in time;
 * but at one step no two overlap in bytes. So a track is a step and its axis is
 * the address: ts is an offset, dur a size. A second process counts the live
 * bytes, with ts as the step. Of several memories each is a process, and has a
 * counter.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "emit/inside.h"
#include "emit/json-text.h"
#include "emit/rows.h"

enum {
	ARENA_PID = 1,
	LOAD_PID = 2,
	MOST_SLICES = 1000000, /* then only every n-th step is drawn */
};

static bool is_placed(const struct schedule *s, uint32_t t)
{
	const struct tensor *tensor = &s->graph->tensors[t];

	return !tensor->external && s->stay[t].buffer != NONE &&
	       tensor->size > 0;
}

/* Steps from one track to the next. */
static uint32_t choose_stride(const struct schedule *s)
{
	uint64_t slices = 0;

	for (uint32_t i = 0; i < s->graph->n_tensors; i++)
		if (is_placed(s, i))
			slices += s->stay[i].end - s->stay[i].start;
	return (uint32_t)(slices / MOST_SLICES) + 1;
}

/* Numbers of processes do not change where there is one memory. */
static uint32_t pid_of(uint32_t memory)
{
	return memory == 0 ? ARENA_PID : LOAD_PID + memory;
}

/* The peak is drawn in any case. */
static bool is_drawn(const struct schedule *s, uint32_t stride, uint32_t step)
{
	return step % stride == 0 || step == s->problem.peak_step;
}

/* Name of a process (tid NONE) or of a step's track; viewers sort tracks by
 * number. Track 0 belongs to the idle thread in some, so they begin at 1. */
static void name_track(
	struct sink *sink, uint32_t pid, uint32_t step, const char *name)
{
	bool process = step == NONE;

	assert(pid > 0 && name);
	mp_sink_print(sink, ",\n{\"ph\": \"M\", \"pid\": %u, ", pid);
	if (!process)
		mp_sink_print(sink, "\"tid\": %u, ", step + 1);
	mp_sink_print(sink, "\"name\": \"%s\", \"args\": {\"name\": ",
		process ? "process_name" : "thread_name");
	mp_sink_json(sink, name);
	mp_sink_text(sink, "}}");
}

/* Of several memories only the steps at which a lane holds bytes. */
static void name_steps(struct sink *sink, const struct schedule *s,
	uint32_t stride, const struct lane *lane, struct arena *scratch)
{
	for (uint32_t k = 0; k < s->problem.n_steps; k++) {
		struct arena_mark mark = mp_arena_mark(scratch);
		const char *op = k < s->graph->n_ops
					 ? s->graph->ops[s->order[k]].name
					 : "";
		const char *name;

		if (!is_drawn(s, stride, k) ||
			(lane->space.name && !lane->load[k]))
			continue;
		name = mp_arena_print(scratch, "step %lld %s",
			(long long)mp_problem_time(&s->problem, k), op);
		if (name)
			name_track(sink, pid_of(lane->index), k, name);
		mp_arena_rewind(scratch, mark);
	}
}

/* Bytes [low, low + size) at a step, under the name of a tensor; its object
 * stays open. */
static void open_slice(struct sink *sink, uint32_t memory, uint32_t step,
	uint64_t low, uint64_t size, const struct tensor *tensor)
{
	assert(size > 0);
	mp_sink_print(sink, ",\n{\"ph\": \"X\", \"pid\": %u, \"tid\": %u",
		pid_of(memory), step + 1);
	JSON_NUMBERS(sink, ", ", {"ts", low}, {"dur", size});
	mp_emit_json_text(sink, ", ", "name", mp_graph_tensor_label(tensor));
	mp_emit_json_text(sink, ", ", "cat", mp_graph_kind_name(tensor->kind));
}

static void slice(
	struct sink *sink, const struct plan *plan, uint32_t t, uint32_t step)
{
	const struct schedule *s = plan->schedule;
	const struct stay *stay = &s->stay[t];

	open_slice(sink, mp_plan_space(plan, t), step, mp_plan_offset(plan, t),
		s->graph->tensors[t].size, &s->graph->tensors[t]);
	if (step == stay->start) {
		mp_emit_json_step(
			sink, ", \"args\": {", "start", s, stay->start);
		mp_emit_json_step(sink, ", ", "end", s, stay->end);
		mp_sink_text(sink, "}");
	}
	mp_sink_text(sink, "}");
}

/* Bytes of what has aliases or gaps, under the name of the tensor that keeps
 * them. */
static void part_slices(struct sink *sink, const struct plan *plan,
	uint32_t stride, const uint32_t *keepers)
{
	const struct schedule *s = plan->schedule;

	for (uint32_t i = 0; i < s->problem.n_parts; i++) {
		const struct part *part = &s->problem.parts[i];

		if (keepers[i] == NONE)
			continue;
		for (uint32_t k = part->start; k < part->end; k++) {
			if (!is_drawn(s, stride, k))
				continue;
			open_slice(sink, mp_emit_lane_of(plan, part), k,
				plan->offsets[part->buffer] + part->base,
				part->size, &s->graph->tensors[keepers[i]]);
			mp_sink_text(sink, "}");
		}
	}
}

static void slices(struct sink *sink, const struct plan *plan, uint32_t stride,
	const uint32_t *keepers)
{
	const struct schedule *s = plan->schedule;

	for (uint32_t i = 0; i < s->graph->n_tensors; i++) {
		const struct stay *stay = &s->stay[i];

		if (!is_placed(s, i) || mp_emit_tied_by_parts(s, keepers, i))
			continue;
		for (uint32_t k = stay->start; k < stay->end; k++)
			if (is_drawn(s, stride, k))
				slice(sink, plan, i, k);
	}
}

static void count(
	struct sink *sink, const char *name, uint32_t step, uint64_t bytes)
{
	mp_sink_print(sink, ",\n{\"ph\": \"C\", \"pid\": %u", LOAD_PID);
	mp_emit_json_text(sink, ", ", "name", name);
	mp_emit_json_number(sink, ", ", "ts", step);
	mp_emit_json_number(sink, ", \"args\": {", "bytes", bytes);
	mp_sink_text(sink, "}}");
}

/* Where it changes: there may be very many memories. */
static void lane_counter(struct sink *sink, const struct schedule *s,
	const struct lane *lane, const char *name)
{
	uint64_t last = UINT64_MAX, bytes;

	for (uint32_t k = 0; k <= s->problem.n_steps; k++, last = bytes) {
		bytes = k < s->problem.n_steps ? lane->load[k] : 0;
		if (bytes != last)
			count(sink, name, k, bytes);
	}
}

static void lane(struct sink *sink, const struct plan *plan, uint32_t stride,
	uint32_t i, struct arena *scratch)
{
	struct arena_mark mark = mp_arena_mark(scratch);
	const char *title = "arena: a track a step, ts an address",
		   *name = NULL;
	struct lane lane;

	if (!mp_emit_lane(plan, i, &lane, scratch))
		return;
	if (plan->spaces.at) {
		title = mp_arena_print(scratch,
			"pool %s: a track a step, ts an address",
			lane.space.name);
		name = mp_arena_print(
			scratch, "live bytes in %s", lane.space.name);
		if (!title || !name)
			return;
	}
	name_track(sink, pid_of(i), NONE, title);
	name_steps(sink, plan->schedule, stride, &lane, scratch);
	if (name)
		lane_counter(sink, plan->schedule, &lane, name);
	mp_arena_rewind(scratch, mark);
}

void mp_emit_trace(
	const struct results *results, struct sink *sink, struct arena *scratch)
{
	const struct plan *plan = results->plan;
	const struct schedule *s = plan->schedule;
	uint32_t stride = choose_stride(s);
	const uint32_t *keepers = mp_emit_tied_keepers(s, scratch);

	if (!keepers)
		return;
	mp_sink_text(sink, "{\"displayTimeUnit\": \"ns\", ");
	mp_emit_json_text(sink, "\"otherData\": {", "name", s->graph->name);
	JSON_NUMBERS(sink, ", ", {"arena_size", plan->arena_size},
		{"theoretical_min", s->problem.theoretical_min},
		{"peak_step", s->problem.peak_step}, {"stride", stride});
	mp_sink_print(sink,
		"},\n\"traceEvents\": [\n{\"ph\": \"M\", \"pid\": %u, "
		"\"name\": \"process_name\", "
		"\"args\": {\"name\": \"live bytes over steps\"}}",
		LOAD_PID);
	for (uint32_t i = 0; i < mp_plan_memories(plan); i++)
		lane(sink, plan, stride, i, scratch);
	slices(sink, plan, stride, keepers);
	part_slices(sink, plan, stride, keepers);
	for (uint32_t k = 0; k <= s->problem.n_steps; k++)
		count(sink, "live bytes", k,
			k < s->problem.n_steps ? s->problem.load[k] : 0);
	mp_sink_text(sink, "\n]}\n");
}
