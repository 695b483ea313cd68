/*
 * Sweeps: lists of tasks, the answers to them, and tables of both. A task is a
 * graph, and how it is planned. An answer is what memplan says to it, which is
 * the same on every machine. Nothing here touches a file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_BATCH_BATCH_H
#define MP_BATCH_BATCH_H

#include "base/sha256.h"
#include "base/sink-text.h"
#include "json/json.h"

/* ------------------------------------------------------------ tasks */

struct setting {
	const char *name, *value; /* value "": of a switch */
};

struct settings {
	struct setting *at; /* by name, each once */
	uint32_t n;
};

/* A task. Its texts are in an arena. */
struct task {
	uint32_t line;	   /* in the list, from 1 */
	const char *input; /* as the list names it */
	const char *batch; /* NULL: none */
	struct settings dims, options;
	const char **outputs; /* names as -o takes them, without a folder */
	uint32_t n_outputs;
};

/* The lines of a list that have a task. */
struct tasks {
	struct input_file file;
	struct task_line {
		size_t begin, length; /* bytes of the file */
		uint32_t number;      /* from 1 */
		uint32_t hash;	      /* decides the shard */
	} * lines;
	uint32_t n;
};

/* Finds the lines of a list (JSON lines), which must stay, and reads each once:
 * fails at the first that is no task. */
bool mp_batch_read(const struct input_file *file, struct tasks *tasks,
	struct arena *arena, struct error *e);

/* Reads the task of line i again. What a line does not set, the options given
 * here do. */
bool mp_batch_task(const struct tasks *tasks, uint32_t i,
	const struct settings *initial, struct task *task, struct arena *arena,
	struct error *e);

/* Which tasks are of shard k of n; all are of 0 of 1. */
struct shard {
	uint32_t k, n;
};

/* Reads "3/8". */
bool mp_batch_parse_shard(const char *text, struct shard *shard);

/* Is the line in the shard? Lines that others are added to stay in theirs. */
static inline bool mp_batch_in_shard(
	const struct shard *shard, const struct task_line *line)
{
	return line->hash % shard->n == shard->k;
}

/* Sorts settings by name, which all others expect. */
void mp_batch_sort(struct settings *settings);

/* The value of an option or a dimension, or NULL. */
const char *mp_batch_find(const struct settings *settings, const char *name);

/* "net.onnx batch=4 target=cuda", in the arena; NULL: memory is out. */
const char *mp_batch_title(const struct task *task, struct arena *arena);

/* ----------------------------------------------------------- matrix */

/* An axis of a matrix: "batch=1,4,16". */
struct axis {
	const char *name; /* "batch", "dims.NAME" or an option; "input" first */
	const char **values;
	uint32_t n;
};

/* Splits "batch=1,4,16". */
bool mp_batch_axis(const char *text, struct axis *axis, struct arena *arena,
	struct error *e);

/* Writes a list: a line for every combination of the values of all axes; the
 * last axis turns fastest. Each line has the outputs. */
void mp_batch_write_matrix(const struct axis *axes, uint32_t n_axes,
	const char *const *outputs, uint32_t n_outputs, struct sink *sink);

/* ------------------------------------------------------------- keys */

/* A file that a task reads. */
struct task_file {
	const char *role; /* "graph", "tensor-size", ... */
	const char *name; /* the plan and messages have its last part */
	char digest[SHA256_TEXT];
};

/* What names the answer: a digest of all that decides it. That is the version
 * of memplan, and the last parts of the files' names, their bytes, the settings
 * and the outputs. The sink has no more than it had. */
bool mp_batch_key(const struct task *task, const struct task_file *files,
	uint32_t n_files, const char *version, char key[SHA256_TEXT],
	struct sink *sink);

/* ---------------------------------------------------------- answers */

struct answer_output {
	const char *name;
	uint64_t length;
	char digest[SHA256_TEXT];
};

enum {
	ANSWER_LOADS = 64, /* most points of a picture of the load */
};

/* What memplan says to a task. */
struct answer {
	char key[SHA256_TEXT];
	const char *version;
	enum memplan_status status;
	const char *message; /* why there is no plan, or not one that is asked
				for; NULL: there is */
	const char **warnings;
	uint32_t n_warnings;
	struct answer_output *outputs;
	uint32_t n_outputs;
	const char *result; /* JSON object of the numbers; NULL: no plan */

	/* Some of the result, once it was read. */
	const char *name, *order, *planner;
	uint64_t ops, tensors, buffers, alignment, arena_size, theoretical_min,
		lower_bound, lower_bound_order, total_size;
	bool optimal;
	uint64_t loads[ANSWER_LOADS]; /* greatest loads of equal spans of steps
				       */
	uint32_t n_loads;
};

/* True for what would be the same again on any machine; other statuses are of
 * the machine or of the moment. */
bool mp_batch_is_answer(enum memplan_status status);

/* Writes an answer, sealed by a digest of itself. */
void mp_batch_write_answer(const struct answer *answer, struct sink *sink);

/* Reads what was written; the name of the file serves messages. Fails if a byte
 * of it changed, or if it is the answer to another key. */
bool mp_batch_read_answer(const struct input_file *file, const char *key,
	struct answer *answer, struct arena *arena, struct error *e);

/* ------------------------------------------------------------ sweep */

/* Tasks and their answers, for a table. */
struct sweep {
	const char *version;
	struct sweep_row {
		struct task task;
		struct answer answer;
	} * rows;
	uint32_t n;
	const char *folder; /* where outputs are, as a link from the table; a
			       name of an output follows */
};

struct sweep_format {
	const char *suffix; /* of the names of its files */
	const char *summary;
	void (*run)(const struct sweep *sweep, struct sink *sink,
		struct arena *scratch);
};

extern const struct sweep_format mp_batch_formats[];
extern const uint32_t mp_n_batch_formats;

/* The format of a file of that name, or NULL. */
const struct sweep_format *mp_batch_format(const char *name);

#endif
