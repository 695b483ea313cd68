/*
 * The options --dim, --value and --shape: each is lines of NAME=WHAT. A name
 * may have an equals sign itself; the last one counts.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/sink-text.h"
#include "input/onnx/inside.h"

enum {
	MOST_VALUES = 64,      /* numbers of --value */
	MOST_DIM = 0x7fffffff, /* of --dim */
	WORDS = 64,	       /* room for a number as text */
	FAR = 4,	       /* letters that make a name another one */
};

/* One line of an option: NAME=WHAT. */
struct line {
	const char *name, *what;
	size_t n_name, n_what;
};

/* Are the n bytes the text? */
static bool is_text(const char *at, size_t n, const char *text)
{
	return n == strlen(text) && memcmp(at, text, n) == 0;
}

/* Moves *text behind its first line. */
static bool next_line(const char **text, struct line *line)
{
	size_t length;

	if (!*text || **text == '\0')
		return false;
	length = strcspn(*text, "\n");
	*line = (struct line){*text, *text + length, length, 0};
	for (size_t i = length; i-- > 0;)
		if ((*text)[i] == '=') {
			*line = (struct line){
				*text, *text + i + 1, i, length - i - 1};
			break;
		}
	*text += length + ((*text)[length] == '\n');
	return true;
}

/* The last line of that name. */
static bool find_line(
	const char *text, const char *name, size_t n, struct line *found)
{
	struct line line;
	bool any = false;

	while (next_line(&text, &line))
		if (line.n_name == n && memcmp(line.name, name, n) == 0) {
			*found = line;
			any = true;
		}
	return any;
}

/* A number from 0 to the limit, and what stands behind it. */
static bool take_number(
	const char **at, const char *end, uint64_t limit, uint64_t *value)
{
	char word[WORDS];
	const char *digits = word;
	size_t n = 0;

	while (*at + n < end && n + 1 < sizeof(word) && (*at)[n] >= '0' &&
		(*at)[n] <= '9') {
		word[n] = (*at)[n];
		n++;
	}
	word[n] = '\0';
	*at += n;
	return mp_bytes_digits(&digits, limit, value);
}

/* ------------------------------------------------------------- dims */

static bool line_dim(const struct line *line, uint64_t *value)
{
	const char *at = line->what, *end = at + line->n_what;

	return take_number(&at, end, MOST_DIM, value) && at == end;
}

/* Names of a formula; one without a value has a guess. */
struct names_of {
	const struct input *input;
	uint64_t guess;
	bool open; /* some name had no value */
};

static bool value_of(void *context, const char *name, size_t n, uint64_t *value)
{
	struct names_of *names = context;
	struct line line;

	if (find_line(names->input->dims, name, n, &line) &&
		line_dim(&line, value))
		return true;
	names->open = true;
	*value = names->guess;
	return true;
}

bool mp_input_onnx_bound_dim(
	const struct input *input, const char *name, uint64_t *value)
{
	struct names_of names = {input, 1, false};
	struct line line;

	if (find_line(input->dims, name, strlen(name), &line))
		return line_dim(&line, value);
	return mp_input_onnx_formula(name, value_of, &names, value) &&
	       !names.open;
}

/* Is the name bound, or a wish? */
static bool is_told(void *context, const char *name, size_t n, uint64_t *value)
{
	const struct onnx_bindings *b = context;
	struct line line;

	*value = 1;
	return find_line(b->input->dims, name, n, &line) ||
	       mp_names_find_text(&b->wish_names, name, n) != NONE;
}

void mp_input_onnx_settle_wishes(struct onnx_bindings *b)
{
	uint32_t n = 0;
	uint64_t value;

	for (uint32_t i = 0; i < b->n_wishes; i++)
		if (!mp_input_onnx_formula(
			    b->wishes[i].name, is_told, b, &value))
			b->wishes[n++] = b->wishes[i];
	b->n_wishes = n;
}

/* Is it INPUT:AXIS of that input? */
static bool is_axis(const struct line *line, const char *input, uint32_t *axis)
{
	size_t n = strlen(input);
	const char *at, *end = line->name + line->n_name;
	uint64_t number;

	if (line->n_name < n + 2 || memcmp(line->name, input, n) != 0 ||
		line->name[n] != ':')
		return false;
	at = line->name + n + 1;
	if (!take_number(&at, end, ONNX_RANK, &number) || at != end)
		return false;
	*axis = (uint32_t)number;
	return true;
}

/* Room for one more wish and its name. */
static bool make_room(const struct onnx_source *source, struct onnx_bindings *b)
{
	if (b->n_wishes < b->room)
		return true;
	b->wishes = mp_arena_double(
		source->arena, b->wishes, &b->room, sizeof(*b->wishes));
	if (!b->wishes ||
		!mp_names_init(&b->wish_names, b->room, source->arena))
		return false;
	for (uint32_t i = 0; i < b->n_wishes; i++)
		mp_names_add(&b->wish_names, b->wishes[i].name, i);
	return true;
}

static bool add_wish(const struct onnx_source *source, struct onnx_bindings *b,
	const struct onnx_declared *declared, uint32_t axis)
{
	const char *name = declared->dims[axis].name;

	if (!name)
		name = mp_arena_print(
			source->arena, "%s:%u", declared->name, axis);
	if (!name || !make_room(source, b))
		return false;
	if (mp_names_add(&b->wish_names, name, b->n_wishes) == NONE)
		b->wishes[b->n_wishes++] =
			(struct onnx_wish){name, declared->name};
	return true;
}

bool mp_input_onnx_bound_axis(const struct onnx_source *source,
	struct onnx_bindings *b, const struct onnx_declared *declared,
	uint32_t axis, uint64_t *value)
{
	const struct onnx_dim *dim = &declared->dims[axis];
	struct names_of names = {.input = b->input};
	const char *text = b->input->dims;
	struct line line;
	uint32_t place;

	*value = dim->value;
	if (dim->known)
		return true;
	if (dim->name && mp_input_onnx_bound_dim(b->input, dim->name, value))
		return true;
	while (next_line(&text, &line))
		if (is_axis(&line, declared->name, &place) && place == axis &&
			line_dim(&line, value))
			return true;
	names.guess = axis == 0 ? 1 : b->guess;
	if (!dim->name ||
		!mp_input_onnx_formula(dim->name, value_of, &names, value))
		*value = names.guess;
	return add_wish(source, b, declared, axis);
}

/* ----------------------------------------------------------- values */

/* Digits with a point, and an exponent: read without the locale. */
static bool take_real(const char **at, const char *end, double *value)
{
	uint64_t mantissa = 0, digits = 0, power = 0;
	int64_t scale = 0;
	bool minus = *at < end && **at == '-', minus_power, point = false;

	*at += minus;
	for (; *at < end &&
		((**at >= '0' && **at <= '9') || (**at == '.' && !point));
		++*at) {
		if (**at == '.') {
			point = true;
			continue;
		}
		if (mantissa > UINT64_MAX / 16)
			return false;
		mantissa = mantissa * 10 + (uint64_t)(**at - '0');
		scale -= point;
		digits++;
	}
	if (*at < end && (**at == 'e' || **at == 'E')) {
		++*at;
		minus_power = *at < end && **at == '-';
		*at += minus_power || (*at < end && **at == '+');
		if (!take_number(at, end, 400, &power))
			return false;
		scale += minus_power ? -(int64_t)power : (int64_t)power;
	}
	/* One rounding if both are exact: below 2^53 and up to 10^22. */
	*value = scale < 0 ? (double)mantissa / pow(10, (double)-scale)
			   : (double)mantissa * pow(10, (double)scale);
	if (minus)
		*value = -*value;
	return digits > 0;
}

static bool take_word(const char **at, const char *end, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(end - *at) < n || memcmp(*at, word, n) != 0)
		return false;
	*at += n;
	return true;
}

static bool take_value(
	const char **at, const char *end, uint32_t type, union onnx_number *to)
{
	bool minus;
	uint64_t digits;

	if (mp_input_onnx_class(type) == ONNX_REAL)
		return take_real(at, end, &to->d);
	if (type == ONNX_BOOL && take_word(at, end, "true"))
		return to->i = 1, true;
	if (type == ONNX_BOOL && take_word(at, end, "false"))
		return to->i = 0, true;
	minus = take_word(at, end, "-");
	if (!take_number(at, end, INT64_MAX, &digits))
		return false;
	to->i = minus ? -(int64_t)digits : (int64_t)digits;
	return true;
}

/* The numbers of a line; 0: what stands there is no list of numbers. */
static uint32_t read_values(const struct line *line, uint32_t type,
	union onnx_number numbers[MOST_VALUES])
{
	const char *at = line->what, *end = at + line->n_what;
	uint32_t n = 0;

	while (n < MOST_VALUES && take_value(&at, end, type, &numbers[n])) {
		numbers[n] = mp_input_onnx_fit(type, numbers[n]);
		n++;
		if (at == end)
			return n;
		if (*at++ != ',')
			break;
	}
	return 0;
}

bool mp_input_onnx_bound_value(const struct onnx_source *source,
	const struct input *input, const char *name, uint32_t type, uint64_t n,
	const union onnx_number **content)
{
	union onnx_number numbers[MOST_VALUES];
	struct line line;
	uint32_t given;

	*content = NULL;
	if (!find_line(input->values, name, strlen(name), &line))
		return true;
	if (mp_input_onnx_class(type) == ONNX_NO_NUMBER)
		return mp_fail(source->error, MEMPLAN_EUSAGE,
			"%s: value: input '%.80s' has no numbers",
			source->file->name, name);
	given = read_values(&line, type, numbers);
	if (given == 0)
		return mp_fail(source->error, MEMPLAN_EUSAGE,
			"%s: value: '%.*s' is not 1 to %d numbers of type %s",
			source->file->name, (int)num_min(line.n_what, 80),
			line.what, MOST_VALUES, mp_input_onnx_type_name(type));
	if (given != n)
		return mp_fail(source->error, MEMPLAN_EUSAGE,
			"%s: value: input '%.80s' has %llu element%s, and %u "
			"%s given",
			source->file->name, name, (unsigned long long)n,
			mp_text_plural(n), given, given == 1 ? "is" : "are");
	*content =
		mp_arena_copy(source->arena, numbers, given, sizeof(*numbers));
	return *content != NULL;
}

/* ----------------------------------------------------------- shapes */

/* "2x64x56:float"; nothing in front of the colon is a scalar. */
static bool read_shape(const struct line *line, uint64_t *dims,
	uint32_t *n_dims, uint32_t *type)
{
	const char *at = line->what, *end = at + line->n_what;
	char word[WORDS];
	size_t length;

	*n_dims = 0;
	*type = ONNX_UNDEFINED;
	while (at < end && *at != ':') {
		if (*n_dims == ONNX_RANK ||
			!take_number(&at, end, ONNX_DIM, &dims[*n_dims]))
			return false;
		++*n_dims;
		if (at < end && *at == 'x' && at + 1 < end)
			at++;
		else if (at < end && *at != ':')
			return false;
	}
	if (at == end)
		return *n_dims > 0;
	length = (size_t)(end - at - 1);
	if (length >= sizeof(word))
		return false;
	memcpy(word, at + 1, length);
	word[length] = '\0';
	*type = mp_input_onnx_type_find(word);
	return *type != ONNX_UNDEFINED;
}

bool mp_input_onnx_bound_shape(const struct input *input, const char *name,
	uint64_t *dims, uint32_t *n_dims, uint32_t *type)
{
	struct line line;

	return find_line(input->shapes, name, strlen(name), &line) &&
	       read_shape(&line, dims, n_dims, type);
}

static bool is_most(const struct line *line)
{
	return is_text(line->name, line->n_name, "*") &&
	       is_text(line->what, line->n_what, "most");
}

bool mp_input_onnx_wants_most(const struct input *input)
{
	struct line line;

	return find_line(input->shapes, "*", 1, &line) && is_most(&line);
}

/* ----------------------------------------------------------- checks */

static bool fail_line(const struct onnx_source *source, const char *option,
	const struct line *line)
{
	const size_t n = (size_t)(line->what - line->name) + line->n_what;

	if (strcmp(option, "dim") == 0 && memchr(line->what, ',', line->n_what))
		return mp_fail(source->error, MEMPLAN_EUSAGE,
			"%s: dim: '%.*s' has several values: each is a graph "
			"of its own with --together",
			source->file->name, (int)num_min(n, 120), line->name);
	return mp_fail(source->error, MEMPLAN_EUSAGE,
		"%s: %s: '%.*s' is not %s", source->file->name, option,
		(int)num_min(n, 120), line->name,
		strcmp(option, "dim") == 0
			? "NAME=N with one number from 0 to 2147483647"
		: strcmp(option, "shape") == 0
			? "NAME=2x64x56, NAME=2x64x56:TYPE or *=most"
			: "NAME=V with numbers");
}

struct search {
	const char *wanted;
	const char *nearest;
	const char *first;
	uint32_t best;
	bool found;
};

/* False: memory is out. */
static bool begin_search(const struct onnx_source *source,
	const struct line *line, struct search *s)
{
	*s = (struct search){.wanted = mp_arena_text(
				     source->arena, line->name, line->n_name),
		.best = (uint32_t)num_min(FAR, line->n_name)};
	return s->wanted != NULL;
}

static void look_at(struct search *s, const char *name)
{
	if (!name)
		return;
	s->first = s->first ? s->first : name;
	s->found |= strcmp(name, s->wanted) == 0;
	if (mp_names_is_nearer(name, s->wanted, &s->best))
		s->nearest = name;
}

static bool look_at_name(
	void *context, const char *name, size_t n, uint64_t *value)
{
	struct search *s = context;

	s->found |= is_text(name, n, s->wanted);
	*value = 1;
	return true;
}

/* A name that stays in the file; a copy of it is made if it is the nearest.
 * False: memory is out. */
static bool look_at_bytes(struct search *s, struct proto_bytes name,
	const struct onnx_source *source)
{
	char text[ONNX_TEXT + 1];

	assert(name.n <= ONNX_TEXT);
	memcpy(text, name.at, name.n);
	text[name.n] = '\0';
	look_at(s, text);
	if (s->nearest != text)
		return true;
	s->nearest = mp_arena_text(source->arena, text, name.n);
	return s->nearest != NULL;
}

static void look_at_dims(struct search *s, const struct onnx_declarations *list)
{
	for (uint32_t i = 0; i < list->n; i++)
		for (uint32_t k = 0; k < list->at[i].n_dims; k++) {
			const char *name = list->at[i].dims[k].name;
			uint64_t value;

			look_at(s, name);
			if (name)
				mp_input_onnx_formula(
					name, look_at_name, s, &value);
		}
}

static bool fail_unknown(const struct onnx_source *source,
	const struct search *s, const char *option, const char *what)
{
	const char *other = s->nearest ? s->nearest : s->first;

	return mp_fail(source->error, MEMPLAN_EUSAGE,
		"%s: %s: the model has no %s '%.80s'%s%.80s%s",
		source->file->name, option, what, s->wanted,
		!other	     ? ""
		: s->nearest ? "; did you mean '"
			     : "; its first is '",
		other ? other : "",
		!other	     ? ""
		: s->nearest ? "'?"
			     : "'");
}

/* A dimension of a declared value, or an axis of an input. */
static bool check_dim(const struct onnx_source *source, const struct line *line,
	const struct onnx_graph *graph)
{
	struct search s;
	uint64_t value;
	uint32_t axis;

	if (!begin_search(source, line, &s))
		return false;
	if (line->n_what == 0 || !line_dim(line, &value))
		return fail_line(source, "dim", line);
	for (uint32_t i = 0; i < graph->inputs.n; i++)
		if (is_axis(line, graph->inputs.at[i].name, &axis) &&
			axis < graph->inputs.at[i].n_dims) {
			if (graph->inputs.at[i].dims[axis].known &&
				graph->inputs.at[i].dims[axis].value != value)
				return mp_fail(source->error, MEMPLAN_EUSAGE,
					"%s: dim: axis %u of input '%.80s' "
					"is %llu in the model",
					source->file->name, axis,
					graph->inputs.at[i].name,
					(unsigned long long)graph->inputs.at[i]
						.dims[axis]
						.value);
			s.found = true;
		}
	look_at_dims(&s, &graph->inputs);
	look_at_dims(&s, &graph->outputs);
	look_at_dims(&s, &graph->infos);
	if (s.found && value == 0)
		mp_warn(source->error, "%s: dimension '%.80s' is 0",
			source->file->name, s.wanted);
	return s.found || fail_unknown(source, &s, "dim", "dimension");
}

static bool check_value(const struct onnx_source *source,
	const struct line *line, const struct onnx_graph *graph)
{
	struct search s;

	if (!begin_search(source, line, &s))
		return false;
	if (line->n_what == 0)
		return fail_line(source, "value", line);
	for (uint32_t i = 0; i < graph->inputs.n; i++)
		look_at(&s, graph->inputs.at[i].name);
	return s.found || fail_unknown(source, &s, "value", "input");
}

/* Values in graphs of ops have longer names: those are not looked up. */
static bool check_shape(const struct onnx_source *source,
	const struct line *line, const struct onnx_graph *graph)
{
	struct search s;
	struct onnx_reading r = mp_input_onnx_begin(source, graph->message);
	struct onnx_node node = {0};
	uint64_t dims[ONNX_RANK];
	uint32_t n, type;

	if (!begin_search(source, line, &s))
		return false;
	if (is_most(line))
		return true;
	if (line->n_what == 0 || !read_shape(line, dims, &n, &type))
		return fail_line(source, "shape", line);
	if (strchr(s.wanted, '/'))
		return true;
	while (mp_input_onnx_next_node(&r, graph, &node))
		for (uint32_t k = 0; k < node.outputs.n; k++)
			if (!look_at_bytes(&s, node.outputs.at[k], source))
				return false;
	if (r.at.failed)
		return false;
	for (uint32_t i = 0; i < graph->inputs.n; i++)
		look_at(&s, graph->inputs.at[i].name);
	s.first = NULL; /* one of many says nothing */
	return s.found || fail_unknown(source, &s, "shape", "value");
}

bool mp_input_onnx_check_options(const struct onnx_source *source,
	const struct input *input, const struct onnx_graph *graph)
{
	const char *dims = input->dims, *values = input->values,
		   *shapes = input->shapes;
	struct line line;

	for (uint32_t i = 0; (dims || values || shapes) && i < graph->inputs.n;
		i++)
		if (!mp_input_onnx_parse_type(source, &graph->inputs.at[i]))
			return false;
	while (next_line(&dims, &line))
		if (!check_dim(source, &line, graph))
			return false;
	while (next_line(&values, &line))
		if (!check_value(source, &line, graph))
			return false;
	while (next_line(&shapes, &line))
		if (!check_shape(source, &line, graph))
			return false;
	return true;
}
