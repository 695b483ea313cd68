/*
 * Traces of HeuristicAllocator's profiler: io_info, tensor_size, resize_info
 * and optionally cost_info; docs/formats/io-info.md. A trace is recorded from a
 * run, so it must be consistent: a tensor is read after it is made and before
 * it is released.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "base/sink-text.h"
#include "input/io-info/events.h"
#include "input/rows.h"

enum {
	DEFAULT_ALIGNMENT = 512,
};

enum {
	I_OP,
	I_ID,
	I_INPUTS,
	I_OUTPUTS,
	I_TEMPORARY,
	I_RELEASE,
	N_KEYS,
};

static const struct json_key keys[N_KEYS] = {
	{"op", false},
	{"id", true},
	{"inputs", true},
	{"outputs", true},
	{"temporary", false},
	{"release", false},
};

/* -------------------------------------------------------------- ops */

/* "0th:101:UnaryOp" is of type UnaryOp. */
static bool read_name(struct trace *t, const struct json_at *at, struct op *op)
{
	const char *colon;

	op->name = "";
	if (!mp_json_copy(at, &op->name, t->arena))
		return false;
	colon = strrchr(op->name, ':');
	op->type = colon && colon[1] ? colon + 1 : NULL;
	return true;
}

static bool read_id(const struct json_at *at)
{
	uint32_t id = 0, place = at->up->index;

	return mp_json_index(at, NONE - 1, &id) &&
	       (id == place ||
		       mp_json_fail(at,
			       "must be %u: the id of an op is its place in "
			       "the list",
			       place));
}

static bool read_op(
	struct trace *t, const struct json_at *at, const struct json_at *events)
{
	struct op *op = &t->graph->ops[at->index];
	struct json_at found[N_KEYS];
	uint32_t i = at->index;

	if (!mp_json_pick(at, keys, N_KEYS, found) || !read_id(&found[I_ID]) ||
		!read_name(t, &found[I_OP], op) || !mp_json_expect_list(events))
		return false;
	for (uint32_t k = I_INPUTS; k < N_KEYS; k++)
		if (!mp_json_expect_list(&found[k]))
			return false;
	if (!mp_input_events_outputs(t, &found[I_OUTPUTS], i))
		return false;
	t->n_list = t->n_dead = 0;
	return mp_input_events_inputs(t, &found[I_INPUTS], i) &&
	       mp_input_events_take(t, events, i) &&
	       mp_input_events_release(t, &found[I_RELEASE], i) &&
	       mp_lists_copy(&op->inputs, t->list, t->n_list, t->arena) &&
	       mp_lists_copy(&op->release, t->dead, t->n_dead, t->arena);
}

static bool read_ops(struct trace *t)
{
	struct json_at op = mp_json_first(&t->roots[ROLE_MAIN]);
	struct json_at events = mp_json_first(&t->roots[ROLE_RESIZE_INFO]);

	for (; op.value; mp_json_next(&op), mp_json_next(&events))
		if (!read_op(t, &op, &events))
			return false;
	assert(!events.value && t->n_outputs == t->first_temporary);
	t->graph->n_tensors = t->n_outputs + t->n_temporaries;
	return true;
}

static bool read_costs(struct trace *t)
{
	const struct json_at *root = &t->roots[ROLE_COST_INFO];
	const char *text;
	uint32_t n, op = 0;

	if (!root->value)
		return true;
	if (!mp_json_object(root, &n))
		return false;
	for (struct json_at m = mp_json_first(root); m.value;
		mp_json_next(&m)) {
		text = mp_json_key(&m);
		if (!text)
			return false;
		if (!mp_input_events_number(&text, &op) || *text ||
			op >= t->graph->n_ops)
			return mp_json_fail(&m,
				"must be called by the index of one of the %u "
				"op%s",
				t->graph->n_ops,
				mp_text_plural(t->graph->n_ops));
		if (!mp_json_micros(&m, &t->graph->ops[op].cost_us))
			return false;
	}
	return true;
}

/* ------------------------------------------------------------- room */

/* A temporary takes three values of resize_info: a list of a verb and an id. */
static bool make_room(struct trace *t)
{
	uint64_t n_values = t->docs[ROLE_MAIN].n_values +
			    t->docs[ROLE_RESIZE_INFO].n_values;
	uint32_t n;

	if (n_values > NONE / 8)
		return mp_json_fail(&t->roots[ROLE_MAIN], "is too large");
	t->first_temporary =
		(uint32_t)mp_json_total(&t->roots[ROLE_MAIN], "outputs");
	n = t->first_temporary +
	    (uint32_t)(t->docs[ROLE_RESIZE_INFO].n_values / 3);
	t->graph->n_tensors = n;
	t->graph->tensors = NEW(t->arena, struct tensor, n);
	t->graph->ops = NEW(t->arena, struct op, t->graph->n_ops);
	t->reader = NEW(t->arena, uint32_t, n);
	t->death = NEW(t->arena, uint32_t, n);
	t->list = NEW(t->arena, uint32_t, n_values);
	t->fresh = NEW(t->arena, uint32_t, n_values);
	t->dead = NEW(t->arena, uint32_t, n);
	return t->graph->tensors && t->graph->ops && t->reader && t->death &&
	       t->list && t->fresh && t->dead &&
	       mp_numbers_init(&t->outputs, t->first_temporary, t->arena) &&
	       mp_names_init(&t->temporaries, n - t->first_temporary, t->arena);
}

static bool check_lengths(struct trace *t)
{
	uint32_t n;

	if (!mp_json_list(&t->roots[ROLE_MAIN], &t->graph->n_ops) ||
		!mp_json_list(&t->roots[ROLE_RESIZE_INFO], &n))
		return false;
	return n == t->graph->n_ops ||
	       mp_json_fail(&t->roots[ROLE_RESIZE_INFO],
		       "lists %u op%s, but %s has %u", n, mp_text_plural(n),
		       t->docs[ROLE_MAIN].file, t->graph->n_ops);
}

/* --------------------------------------------------------- warnings */

static void warn_of_unreleased(struct trace *t, uint32_t from, uint32_t to,
	const char *one, const char *many, const char *verb)
{
	struct tensor *tensors = t->graph->tensors;
	uint32_t n = 0, first = 0;

	for (uint32_t i = from; i < to; i++) {
		if (t->death[i] != 0)
			continue;
		first = n == 0 ? i : first;
		tensors[i].to_end = true;
		n++;
	}
	if (n > 0)
		mp_warn(t->error,
			"%s: %u %s never %s and taken to live to the end, "
			"first '%s'",
			t->graph->place, n, n == 1 ? one : many, verb,
			tensors[first].id);
}

static void warn_of_trace(struct trace *t)
{
	warn_of_unreleased(t, 0, t->first_temporary, "tensor is", "tensors are",
		"released");
	warn_of_unreleased(t, t->first_temporary, t->graph->n_tensors,
		"temporary is", "temporaries are", "freed");
	if (t->n_late > 0)
		mp_warn(t->error,
			"%s: %u tensor%s released by an op that does not read "
			"it: it lives until then",
			t->graph->place, t->n_late,
			t->n_late == 1 ? " is" : "s are");
	if (t->n_output_sizes > t->n_outputs)
		mp_warn(t->error, "%s: %u sizes belong to no output of %s",
			t->docs[ROLE_TENSOR_SIZE].file,
			t->n_output_sizes - t->n_outputs, t->graph->place);
}

/* ----------------------------------------------------------- reader */

/* The files of other roles are not of the trace. */
static bool open_all(struct trace *t, const struct input *input)
{
	for (uint32_t i = 0; i <= ROLE_COST_INFO; i++) {
		if (input->files[i].name &&
			!mp_json_open(&input->files[i], &t->docs[i], t->arena,
				t->error))
			return false;
		t->roots[i] = mp_json_root(&t->docs[i]);
	}
	return true;
}

/* NAME.B.tensor_size.json is of batch B. */
static uint64_t batch_of(const char *file)
{
	const char *end = strstr(file, ".tensor_size.json"), *at = end;
	uint64_t batch = 0;

	while (at && at > file && at[-1] >= '0' && at[-1] <= '9')
		at--;
	if (at && at > file && at[-1] == '.' && end - at <= 9)
		for (; at < end; at++)
			batch = batch * 10 + (uint64_t)(*at - '0');
	return batch;
}

static bool check_files(const struct input *input, struct error *e)
{
	const struct input_file *files = input->files;

	if (files[ROLE_TENSOR_SIZE].name && files[ROLE_RESIZE_INFO].name)
		return true;
	return mp_fail(e, MEMPLAN_EUSAGE,
		"%s: an io_info trace needs its %s file too: give --batch or "
		"--tensor-size and --resize-info",
		files[ROLE_MAIN].name,
		files[ROLE_TENSOR_SIZE].name ? "resize_info" : "tensor_size");
}

bool mp_input_io_info_recognise(const struct input_file *file)
{
	return *mp_json_begin(file) == '[';
}

static bool read_trace(struct trace *t)
{
	if (!check_lengths(t) || !make_room(t) || !mp_input_events_sizes(t) ||
		!read_ops(t) || !read_costs(t))
		return false;
	warn_of_trace(t);
	return true;
}

bool mp_input_io_info_read(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e)
{
	struct trace trace = {.graph = graph, .arena = arena, .error = e};
	bool fine;

	graph->alignment =
		input->alignment ? input->alignment : DEFAULT_ALIGNMENT;
	fine = open_all(&trace, input) && check_files(input, e) &&
	       read_trace(&trace);
	if (fine)
		graph->batch = batch_of(input->files[ROLE_TENSOR_SIZE].name);
	for (uint32_t i = 0; i < N_ROLES; i++)
		mp_json_close(&trace.docs[i]);
	return fine;
}
