/*
 * The trace that HeuristicAllocator's profiler writes: io_info, tensor_size,
 * resize_info and, if there, cost_info; docs/formats/io-info.md. The trace was
 * recorded from a run, so what it says twice must agree: a tensor is read
 * behind its birth and before its release.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "input/build.h"
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

struct trace {
	struct json docs[N_ROLES];
	struct json_at roots[N_ROLES];
	struct graph *graph;
	struct names size_of; /* key of tensor_size -> index into sizes */
	struct names tensors; /* id of output or temporary -> tensor */
	uint64_t *sizes;
	uint32_t n_outputs, n_temporaries; /* found so far; outputs of all ops
					      stand before all temporaries */
	uint32_t first_temporary;
	uint32_t n_output_sizes;  /* keys of tensor_size without a colon */
	uint32_t *reader;	  /* of a tensor: last op + 1 that uses it */
	uint32_t *death;	  /* of a tensor: op + 1 that releases it */
	uint32_t *list, n_list;	  /* the list that is being gathered */
	uint32_t *fresh, n_fresh; /* temporaries of the op that is read */
	uint32_t n_late;	  /* releases by ops that do not read */
	struct arena *arena;
	struct error *error;
};

/* --------------------------------------------------------------------- ids */

/* A number without leading zeros, below 2^32; moves *text behind it. */
static bool skip_number(const char **text, uint32_t *number)
{
	uint64_t value = 0;
	const char *at = *text;

	if (at[0] == '0' && at[1] >= '0' && at[1] <= '9')
		return false;
	for (; *at >= '0' && *at <= '9' && value < NONE; at++)
		value = value * 10 + (uint64_t)(*at - '0');
	if (at == *text || value >= NONE)
		return false;
	*text = at;
	*number = (uint32_t)value;
	return true;
}

/* "12:3": temporary 3 of op 12. */
static bool is_temporary(const char *text, uint32_t *op)
{
	uint32_t ignored;

	return skip_number(&text, op) && *text++ == ':' &&
	       skip_number(&text, &ignored) && *text == '\0';
}

static bool is_output(const char *text)
{
	uint32_t ignored;

	return skip_number(&text, &ignored) && *text == '\0';
}

/* ------------------------------------------------------------------- sizes */

static bool check_size_key(struct trace *t, const struct json_at *at)
{
	const char *key = mp_doc_key(at);
	uint32_t op;

	if (is_output(key)) {
		t->n_output_sizes++;
		return true;
	}
	if (!is_temporary(key, &op))
		return mp_doc_fail(at,
			"must be called like an output, \"12\", or like a "
			"temporary, \"12:3\"");
	return op < t->graph->n_ops ||
	       mp_doc_fail(at,
		       "%s has no op %u: the files belong to different "
		       "models",
		       t->docs[ROLE_MAIN].file, op);
}

static bool read_sizes(struct trace *t)
{
	const struct json_at *root = &t->roots[ROLE_TENSOR_SIZE];
	uint32_t n;

	if (!mp_doc_object(root, &n))
		return false;
	t->sizes = NEW(t->arena, uint64_t, n);
	if (!t->sizes || !mp_names_init(&t->size_of, n, t->arena))
		return false;
	for (struct json_at m = mp_doc_first(root); m.value; mp_doc_next(&m)) {
		if (!check_size_key(t, &m) ||
			!mp_doc_integer(
				&m, JSON_MAX_INTEGER, &t->sizes[m.index]))
			return false;
		mp_names_add(&t->size_of, mp_doc_key(&m), m.index);
	}
	return true;
}

/* ----------------------------------------------------------------- tensors */

static bool add_tensor(struct trace *t, const struct json_at *at,
	const char *id, uint32_t op, uint32_t index)
{
	struct tensor *tensor = &t->graph->tensors[index];
	uint32_t size = mp_names_find(&t->size_of, id);

	if (size == NONE)
		return mp_doc_fail(at, "%s has no size for '%s'",
			t->docs[ROLE_TENSOR_SIZE].file, id);
	tensor->id = tensor->name = mp_arena_text(t->arena, id, strlen(id));
	if (!tensor->id)
		return false;
	if (mp_names_add(&t->tensors, tensor->id, index) != NONE)
		return mp_doc_fail(at, "'%s' is made twice", id);
	tensor->size = t->sizes[size];
	tensor->producer = op;
	return true;
}

static bool find_tensor(
	struct trace *t, const struct json_at *at, uint32_t *tensor)
{
	char text[DECIMAL_TEXT];
	uint64_t id = 0;

	if (!mp_doc_integer(at, JSON_MAX_INTEGER, &id))
		return false;
	*tensor = mp_names_find(&t->tensors, mp_decimal(id, text));
	return *tensor != NONE ||
	       mp_doc_fail(at, "no op up to here makes a tensor %s", text);
}

static void use(struct trace *t, uint32_t tensor, uint32_t op)
{
	t->list[t->n_list++] = tensor;
	t->reader[tensor] = op + 1;
}

static bool kill(
	struct trace *t, const struct json_at *at, uint32_t tensor, uint32_t op)
{
	if (t->death[tensor] != 0)
		return mp_doc_fail(at, "'%s' was released by op %u already",
			t->graph->tensors[tensor].id, t->death[tensor] - 1);
	t->death[tensor] = op + 1;
	return true;
}

/* ------------------------------------------------------------ events of ops */

static bool keep(
	struct trace *t, struct ids *ids, const uint32_t *from, uint32_t n)
{
	uint32_t *at = NEW(t->arena, uint32_t, n);

	if (!at)
		return false;
	if (n > 0)
		memcpy(at, from, n * sizeof(*at));
	*ids = (struct ids){at, n};
	return true;
}

static bool read_outputs(struct trace *t, const struct json_at *at, uint32_t op)
{
	char text[DECIMAL_TEXT];
	uint64_t id = 0;
	uint32_t n;

	if (!mp_doc_list(at, &n))
		return false;
	t->n_list = 0;
	for (struct json_at m = mp_doc_first(at); m.value; mp_doc_next(&m)) {
		if (!mp_doc_integer(&m, NONE - 1, &id) ||
			!add_tensor(
				t, &m, mp_decimal(id, text), op, t->n_outputs))
			return false;
		t->list[t->n_list++] = t->n_outputs++;
	}
	return keep(t, &t->graph->ops[op].outputs, t->list, t->n_list);
}

static bool read_inputs(struct trace *t, const struct json_at *at, uint32_t op)
{
	uint32_t n, tensor;

	if (!mp_doc_list(at, &n))
		return false;
	for (struct json_at m = mp_doc_first(at); m.value; mp_doc_next(&m)) {
		if (!find_tensor(t, &m, &tensor))
			return false;
		if (t->death[tensor] != 0)
			return mp_doc_fail(&m,
				"'%s' is read after op %u released it",
				t->graph->tensors[tensor].id,
				t->death[tensor] - 1);
		use(t, tensor, op);
	}
	return true;
}

static bool allocate(
	struct trace *t, const struct json_at *at, const char *id, uint32_t op)
{
	uint32_t index = t->first_temporary + t->n_temporaries, owner;

	if (!is_temporary(id, &owner))
		return mp_doc_fail(
			at, "must be a temporary, like \"%u:0\"", op);
	if (owner != op)
		return mp_doc_fail(at,
			"'%s' is a temporary of op %u, but op %u allocates it",
			id, owner, op);
	if (!add_tensor(t, at, id, op, index))
		return false;
	t->graph->tensors[index].kind = KIND_TEMPORARY;
	t->fresh[t->n_fresh++] = index;
	t->n_temporaries++;
	return true;
}

/* A temporary that another op frees is held until then. */
static bool release_temporary(
	struct trace *t, const struct json_at *at, const char *id, uint32_t op)
{
	uint32_t tensor = mp_names_find(&t->tensors, id);

	if (tensor == NONE || tensor < t->first_temporary)
		return mp_doc_fail(
			at, "'%.40s' is freed but was not allocated", id);
	if (t->graph->tensors[tensor].producer != op)
		use(t, tensor, op);
	return kill(t, at, tensor, op);
}

static bool read_event(struct trace *t, const struct json_at *at, uint32_t op)
{
	const char *verb = NULL, *id = NULL;
	struct json_at first, second;
	uint32_t n;

	if (!mp_doc_list(at, &n))
		return false;
	if (n != 2)
		return mp_doc_fail(at, "must be [\"alloc\" or \"free\", id]");
	first = second = mp_doc_first(at);
	mp_doc_next(&second);
	if (!mp_doc_text(&first, &verb) || !mp_doc_text(&second, &id))
		return false;
	if (strcmp(verb, "alloc") == 0)
		return allocate(t, &second, id, op);
	if (strcmp(verb, "free") == 0)
		return release_temporary(t, &second, id, op);
	return mp_doc_fail(&first, "must be \"alloc\" or \"free\"");
}

static bool read_events(struct trace *t, const struct json_at *at, uint32_t op)
{
	uint32_t n;

	if (!mp_doc_list(at, &n))
		return false;
	t->n_fresh = 0;
	for (struct json_at m = mp_doc_first(at); m.value; mp_doc_next(&m))
		if (!read_event(t, &m, op))
			return false;
	return keep(t, &t->graph->ops[op].temporaries, t->fresh, t->n_fresh);
}

/* An op that releases what it does not read holds it until then. */
static bool read_release(struct trace *t, const struct json_at *at, uint32_t op)
{
	uint32_t n, tensor;

	if (!mp_doc_list(at, &n))
		return false;
	for (struct json_at m = mp_doc_first(at); m.value; mp_doc_next(&m)) {
		if (!find_tensor(t, &m, &tensor) || !kill(t, &m, tensor, op))
			return false;
		if (t->reader[tensor] == op + 1 ||
			t->graph->tensors[tensor].producer == op)
			continue;
		use(t, tensor, op);
		t->n_late++;
	}
	return true;
}

/* --------------------------------------------------------------------- ops */

/* "0th:101:UnaryOp" is of type UnaryOp. */
static bool read_name(struct trace *t, const struct json_at *at, struct op *op)
{
	const char *colon;

	op->name = "";
	if (!mp_doc_copy(at, &op->name, t->arena))
		return false;
	colon = strrchr(op->name, ':');
	op->type = colon && colon[1] ? colon + 1 : NULL;
	return true;
}

static bool read_id(const struct json_at *at)
{
	uint32_t id = 0, place = at->up->index;

	return mp_doc_index(at, NONE - 1, &id) &&
	       (id == place ||
		       mp_doc_fail(at,
			       "must be %u: the id of an op is its place in "
			       "the list",
			       place));
}

static bool read_op(
	struct trace *t, const struct json_at *at, const struct json_at *events)
{
	struct op *op = &t->graph->ops[at->index];
	struct json_at found[N_KEYS];
	uint32_t i = at->index, ignored;

	if (!mp_doc_pick(at, keys, N_KEYS, found) || !read_id(&found[I_ID]) ||
		!read_name(t, &found[I_OP], op) ||
		!mp_doc_list(&found[I_TEMPORARY], &ignored) ||
		!read_outputs(t, &found[I_OUTPUTS], i))
		return false;
	t->n_list = 0;
	return read_inputs(t, &found[I_INPUTS], i) &&
	       read_events(t, events, i) &&
	       read_release(t, &found[I_RELEASE], i) &&
	       keep(t, &op->inputs, t->list, t->n_list);
}

static bool read_ops(struct trace *t)
{
	struct json_at op = mp_doc_first(&t->roots[ROLE_MAIN]);
	struct json_at events = mp_doc_first(&t->roots[ROLE_RESIZE_INFO]);

	for (; op.value; mp_doc_next(&op), mp_doc_next(&events))
		if (!read_op(t, &op, &events))
			return false;
	return true;
}

static bool read_costs(struct trace *t)
{
	const struct json_at *root = &t->roots[ROLE_COST_INFO];
	const char *text;
	uint32_t n, op = 0;

	if (!root->value)
		return true;
	if (!mp_doc_object(root, &n))
		return false;
	for (struct json_at m = mp_doc_first(root); m.value; mp_doc_next(&m)) {
		text = mp_doc_key(&m);
		if (!skip_number(&text, &op) || *text || op >= t->graph->n_ops)
			return mp_doc_fail(&m,
				"must be called by the index of one of the %u "
				"ops",
				t->graph->n_ops);
		if (!mp_doc_micros(&m, &t->graph->ops[op].cost_us))
			return false;
	}
	return true;
}

/* -------------------------------------------------------------------- room */

static uint32_t count_outputs(const struct json_at *root)
{
	struct json_at outputs;
	uint32_t total = 0, n;

	for (struct json_at m = mp_doc_first(root); m.value; mp_doc_next(&m)) {
		outputs = mp_doc_find(&m, "outputs");
		if (outputs.value && mp_doc_is_list(&outputs) &&
			mp_doc_list(&outputs, &n))
			total += n;
	}
	return total;
}

static uint32_t count_allocations(const struct json_at *root)
{
	struct json_at verb;
	const char *text;
	uint32_t total = 0;

	for (struct json_at m = mp_doc_first(root); m.value; mp_doc_next(&m))
		for (struct json_at e = mp_doc_first(&m); e.value;
			mp_doc_next(&e)) {
			verb = mp_doc_first(&e);
			text = NULL;
			if (verb.value && mp_doc_is_text(&verb) &&
				mp_doc_text(&verb, &text))
				total += strcmp(text, "alloc") == 0;
		}
	return total;
}

static bool make_room(struct trace *t)
{
	uint64_t n_values = t->docs[ROLE_MAIN].n_values +
			    t->docs[ROLE_RESIZE_INFO].n_values;
	uint32_t n;

	if (n_values > NONE / 8)
		return mp_doc_fail(&t->roots[ROLE_MAIN], "is too large");
	t->first_temporary = count_outputs(&t->roots[ROLE_MAIN]);
	n = t->first_temporary + count_allocations(&t->roots[ROLE_RESIZE_INFO]);
	t->graph->n_tensors = n;
	t->graph->tensors = NEW(t->arena, struct tensor, n);
	t->graph->ops = NEW(t->arena, struct op, t->graph->n_ops);
	t->reader = NEW(t->arena, uint32_t, n);
	t->death = NEW(t->arena, uint32_t, n);
	t->list = NEW(t->arena, uint32_t, n_values);
	t->fresh = NEW(t->arena, uint32_t, n_values);
	return t->graph->tensors && t->graph->ops && t->reader && t->death &&
	       t->list && t->fresh && mp_names_init(&t->tensors, n, t->arena);
}

static bool check_lengths(struct trace *t)
{
	uint32_t n;

	if (!mp_doc_list(&t->roots[ROLE_MAIN], &t->graph->n_ops) ||
		!mp_doc_list(&t->roots[ROLE_RESIZE_INFO], &n))
		return false;
	return n == t->graph->n_ops ||
	       mp_doc_fail(&t->roots[ROLE_RESIZE_INFO],
		       "lists %u ops, but %s has %u", n,
		       t->docs[ROLE_MAIN].file, t->graph->n_ops);
}

/* ---------------------------------------------------------------- warnings */

static void warn_of_undead(struct trace *t, uint32_t from, uint32_t to,
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

static void warn(struct trace *t)
{
	warn_of_undead(t, 0, t->first_temporary, "tensor is", "tensors are",
		"released");
	warn_of_undead(t, t->first_temporary, t->graph->n_tensors,
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

/* ------------------------------------------------------------------ reader */

static bool open_all(struct trace *t, const struct input *input)
{
	for (uint32_t i = 0; i < N_ROLES; i++) {
		if (input->files[i].name &&
			!mp_doc_open(&input->files[i], &t->docs[i], t->arena,
				t->error))
			return false;
		t->roots[i] = mp_doc_root(&t->docs[i]);
	}
	return true;
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

bool mp_io_info_recognise(const struct input_file *file)
{
	return *mp_doc_begin(file) == '[';
}

static bool read_trace(struct trace *t)
{
	if (!check_lengths(t) || !make_room(t) || !read_sizes(t) ||
		!read_ops(t) || !read_costs(t))
		return false;
	warn(t);
	return true;
}

bool mp_io_info_read(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e)
{
	struct trace trace = {.graph = graph, .arena = arena, .error = e};
	bool fine;

	graph->alignment =
		input->alignment ? input->alignment : DEFAULT_ALIGNMENT;
	fine = open_all(&trace, input) && check_files(input, e) &&
	       read_trace(&trace);
	for (uint32_t i = 0; i < N_ROLES; i++)
		mp_doc_close(&trace.docs[i]);
	return fine;
}
