/*
 * The input of SOMAS's solver: tensors, pairs that conflict, and contiguous
 * lists. It has no lifetimes, but for a single time line they follow from the
 * conflicts: of two tensors without a conflict the one with the smaller id
 * comes first. "Ends before" is then an interval order, in which the sets of
 * predecessors are nested (Fishburn 1970).
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <stdlib.h>

#include "base/sort.h"
#include "input/rows.h"
#include "input/somas/somas-dump.h"
#include "input/times.h"

enum {
	MOST_TENSORS = 20000 /* lifetimes take the square of that */
};

/* Two tensors that conflict, the one with the smaller id first; after
 * sort_all() by their places in the order of ids. */
struct pair {
	uint32_t first, second;
	uint32_t line;
};

struct solver_input {
	struct somas somas;
	struct pair *pairs;
	uint32_t n_pairs;
	uint32_t *by_id; /* tensors in the order of their ids */
	uint32_t *start, *end;
};

/* ------------------------------------------------------------ lines */

/* Takes blanks and a number. */
static bool take_word(struct solver_input *in, struct text *line,
	uint64_t limit, uint64_t *value)
{
	mp_input_lines_skip_blanks(line);
	return mp_input_lines_take_number(line, limit, value) ||
	       mp_input_lines_fail(&in->somas.lines,
		       "'%.*s' must begin with an integer from 0 to %llu",
		       mp_input_lines_shown(*line), line->at,
		       (unsigned long long)limit);
}

static bool read_tensor(struct solver_input *in, struct text line)
{
	struct somas_tensor *tensor;
	uint64_t id, size, lifelong;

	if (!take_word(in, &line, SOMAS_MOST, &id) ||
		!take_word(in, &line, NUM_MAX_BYTES, &size) ||
		!take_word(in, &line, N_LIFELONG, &lifelong))
		return false;
	tensor = mp_input_somas_list_tensor(&in->somas, id);
	if (tensor)
		tensor->size = size;
	return tensor != NULL;
}

static bool take_tensor(
	struct solver_input *in, struct text *line, uint32_t *tensor)
{
	uint64_t id;

	return take_word(in, line, SOMAS_MOST, &id) &&
	       mp_input_somas_known(&in->somas, id, tensor);
}

static bool read_conflict(struct solver_input *in, struct text line)
{
	struct somas *s = &in->somas;
	uint32_t a, b;

	if (!take_tensor(in, &line, &a) || !take_tensor(in, &line, &b))
		return false;
	if (a == b)
		return mp_input_lines_fail(&s->lines,
			"tensor %s conflicts with itself", s->tensors[a].text);
	if (s->tensors[a].id < s->tensors[b].id)
		in->pairs[in->n_pairs++] = (struct pair){a, b, s->lines.number};
	else
		in->pairs[in->n_pairs++] = (struct pair){b, a, s->lines.number};
	return true;
}

static bool read_list(struct solver_input *in, struct text line)
{
	struct somas *s = &in->somas;
	uint32_t tensor;

	s->n_lists++;
	for (mp_input_lines_skip_blanks(&line); line.at < line.end;
		mp_input_lines_skip_blanks(&line)) {
		if (!take_tensor(in, &line, &tensor))
			return false;
		mp_input_somas_add_member(s, tensor);
	}
	return true;
}

static bool read_line(struct solver_input *in, struct text line)
{
	mp_input_lines_skip_blanks(&line);
	if (line.at == line.end)
		return true;
	if (mp_input_lines_take(&line, "T "))
		return read_tensor(in, line);
	if (mp_input_lines_take(&line, "C "))
		return read_conflict(in, line);
	if (mp_input_lines_take(&line, "S"))
		return read_list(in, line);
	return mp_input_lines_fail(&in->somas.lines,
		"'%.*s' must begin with T, C or S", mp_input_lines_shown(line),
		line.at);
}

/* -------------------------------------------------------- lifetimes */

static int by_pair(const void *left, const void *right)
{
	const struct pair *a = left, *b = right;

	return mp_sort_compare_three(
		a->first, b->first, a->second, b->second, a->line, b->line);
}

/* Sorts tensors by id, and pairs by places in that order; drops repeated pairs.
 */
static bool sort_all(struct solver_input *in)
{
	struct somas *s = &in->somas;
	uint32_t n = s->n_tensors, kept = 0;
	uint64_t *keys = NEW(s->scratch, uint64_t, n);
	uint32_t *place = NEW(s->scratch, uint32_t, n);

	in->by_id = NEW(s->scratch, uint32_t, n);
	if (!keys || !place || !in->by_id)
		return false;
	for (uint32_t i = 0; i < n; i++)
		keys[i] = s->tensors[i].id << 32 | i;
	mp_sort_u64(keys, n);
	for (uint32_t i = 0; i < n; i++) {
		in->by_id[i] = (uint32_t)keys[i];
		place[in->by_id[i]] = i;
	}
	for (uint32_t i = 0; i < in->n_pairs; i++) {
		in->pairs[i].first = place[in->pairs[i].first];
		in->pairs[i].second = place[in->pairs[i].second];
	}
	if (in->n_pairs > 0)
		qsort(in->pairs, in->n_pairs, sizeof(*in->pairs), by_pair);
	for (uint32_t i = 0; i < in->n_pairs; i++)
		if (i == 0 || in->pairs[i].first != in->pairs[kept - 1].first ||
			in->pairs[i].second != in->pairs[kept - 1].second)
			in->pairs[kept++] = in->pairs[i];
	in->n_pairs = kept;
	return true;
}

/* The start of a tensor is the rank of the number of tensors that end before
 * it. Returns the tensors by their starts. */
static uint32_t *find_starts(struct solver_input *in)
{
	struct somas *s = &in->somas;
	uint32_t n = s->n_tensors, rank = 0;
	uint64_t *keys = NEW(s->scratch, uint64_t, n);
	uint32_t *order = NEW(s->scratch, uint32_t, n);

	in->start = NEW(s->scratch, uint32_t, n);
	if (!keys || !order || !in->start)
		return NULL;
	for (uint32_t i = 0; i < n; i++)
		in->start[i] = i; /* tensors of smaller id, less conflicts */
	for (uint32_t i = 0; i < in->n_pairs; i++) {
		assert(in->pairs[i].first < in->pairs[i].second);
		in->start[in->pairs[i].second]--;
	}
	for (uint32_t i = 0; i < n; i++)
		keys[i] = (uint64_t)in->start[i] << 32 | i;
	mp_sort_u64(keys, n);
	for (uint32_t i = 0; i < n; i++) {
		order[i] = (uint32_t)keys[i];
		rank += i > 0 && keys[i] >> 32 != keys[i - 1] >> 32;
		in->start[order[i]] = rank;
	}
	return order;
}

/* A tensor ends at the first start of a later tensor without a conflict. */
static bool find_ends(struct solver_input *in, const uint32_t *order)
{
	struct somas *s = &in->somas;
	uint32_t n = s->n_tensors, k = 0;
	uint32_t *met = NEW(s->scratch, uint32_t, n);

	in->end = NEW(s->scratch, uint32_t, n);
	if (!met || !in->end)
		return false;
	for (uint32_t a = 0; a < n; a++) {
		for (; k < in->n_pairs && in->pairs[k].first == a; k++)
			met[in->pairs[k].second] = a + 1;
		in->end[a] = in->start[order[n - 1]] + 1;
		for (uint32_t i = 0; i < n; i++) {
			uint32_t b = order[i];

			if (b <= a || met[b] == a + 1)
				continue;
			in->end[a] = in->start[b];
			break;
		}
	}
	return true;
}

static const char *text_of(const struct solver_input *in, uint32_t place)
{
	return in->somas.tensors[in->by_id[place]].text;
}

/* Pairs without a conflict do not overlap by construction; those with one must.
 */
static bool check_conflicts(const struct solver_input *in)
{
	const struct somas *s = &in->somas;

	for (uint32_t i = 0; i < in->n_pairs; i++) {
		const struct pair *pair = &in->pairs[i];

		if (in->start[pair->second] < in->end[pair->first] &&
			in->start[pair->first] < in->end[pair->second])
			continue;
		return mp_fail(s->error, MEMPLAN_EINPUT,
			"%s:%u: tensors %s and %s conflict, which no "
			"lifetimes on one time line agree with: does it run "
			"on several streams? read the dump "
			"somas_tensor_offset",
			s->lines.file, pair->line, text_of(in, pair->first),
			text_of(in, pair->second));
	}
	for (uint32_t i = 0; i < s->n_tensors; i++)
		if (in->start[i] >= in->end[i])
			return mp_fail(s->error, MEMPLAN_EINPUT,
				"%s: no lifetimes on one time line agree with "
				"what conflicts with tensor %s",
				s->lines.file, text_of(in, i));
	return true;
}

/* ------------------------------------------------------------ graph */

static bool pin_tensors(struct solver_input *in, struct graph *graph)
{
	const struct gap_list none = {0};
	struct somas *s = &in->somas;
	uint32_t n = s->n_tensors;
	struct time_span *spans = NEW(s->scratch, struct time_span, n);

	if (!spans)
		return false;
	for (uint32_t i = 0; i < n; i++)
		spans[in->by_id[i]] =
			(struct time_span){in->start[i], in->end[i]};
	for (uint32_t i = 0; i < n; i++)
		graph->tensors[i].from_start = false;
	return mp_input_times_compress(graph, spans, n, &none, s->arena);
}

static bool read_lines(struct solver_input *in)
{
	struct somas *s = &in->somas;
	struct text line;

	while (mp_input_lines_next(&s->lines, &line))
		if (!read_line(in, line))
			return false;
	if (s->n_tensors > MOST_TENSORS)
		return mp_fail(s->error, MEMPLAN_EINPUT,
			"%s: more than %d tensors: read the dump "
			"somas_tensor_offset",
			s->lines.file, MOST_TENSORS);
	return in->n_pairs > 0 ||
	       mp_fail(s->error, MEMPLAN_EINPUT,
		       "%s: no line C says which tensors conflict, as in newer "
		       "releases: read the dump somas_tensor_offset",
		       s->lines.file);
}

static bool read_all(
	struct solver_input *in, const struct input *input, struct graph *graph)
{
	struct somas *s = &in->somas;
	uint32_t *order;

	in->pairs = NEW(s->scratch, struct pair, s->room);
	if (!in->pairs || !read_lines(in) || !sort_all(in))
		return false;
	order = find_starts(in);
	return order && find_ends(in, order) && check_conflicts(in) &&
	       mp_input_somas_graph(s, input->alignment, graph) &&
	       pin_tensors(in, graph);
}

bool mp_input_somas_input_recognise(const struct input_file *file)
{
	struct text text = mp_input_lines(file, NULL).rest;
	uint64_t value;

	return mp_input_lines_take(&text, "T ") &&
	       mp_input_lines_take_number(&text, UINT64_MAX, &value) &&
	       mp_input_lines_take(&text, " ");
}

bool mp_input_somas_input_read(const struct input *input, struct graph *graph,
	struct arena *arena, struct error *e)
{
	struct arena scratch = mp_arena_beside(arena);
	struct solver_input in = {0};
	bool fine = mp_input_somas_open(&in.somas, input, arena, &scratch, e) &&
		    read_all(&in, input, graph);

	mp_arena_free(&scratch);
	return fine;
}
