/*
 * check-proof PLAN PROOF: is it a plan of the problems in the proof, of which
 * none has a plan below its bound? docs/formats/proof.md has the rules.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST (INT64_C(1) << 60) /* so that a few of them can be added */

struct tensor { /* memory: the name of its pool, or ""; NULL: placed */
	const char *memory;
	int64_t offset, size;
};

struct buffer {
	int64_t align, fixed, size, offset, low, high; /* [low, high] is left */
	const int64_t *in, *in_end; /* choice, branch, choice and so on */
	int n_parts;
	bool counts; /* in a refutation */
	const struct part *parts;
	const struct tensor *tensor;
};

struct part { /* bytes [base, base + size) of its buffer, steps [start, end) */
	int64_t base, size, start, end, stream, born, at;
	const int64_t *free;
	struct buffer *buffer;
};

struct pair { /* two parts in conflict: one lies below the other */
	const struct part *a, *b;
	int lower; /* 0: a, 1: b, 2: open */
};

static struct tensor *tensors;		/* those with bytes */
static struct buffer *buffers, **apart; /* two after two share no byte */
static struct part *parts;
static struct pair none, *pairs = &none; /* until some are listed */
static int64_t *line; /* the numbers of a line of the proof */
static int n_line, n_tensors, n_placed, n_buffers, n_parts, n_apart, n_pairs;
static int n_streams, next; /* in the line */
static int64_t arena = -1, bound, looks;
static char *at; /* where reading goes on */

static void need(bool holds, const char *why)
{
	if (!holds) {
		printf("not proved: %s\n", why);
		exit(1);
	}
}

static void *room(size_t n, size_t size)
{
	void *array = calloc(n + 1, size);
	need(array != NULL, "memory is out");
	return array;
}

static int64_t greater(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t round_up(int64_t value, int64_t align)
{
	return value < 0 ? 0 : (value + align - 1) / align * align;
}

/* Reads on in that file. Returns how many lines of numbers it may have. */
static size_t read_file(const char *name)
{
	FILE *file = fopen(name, "rb");
	size_t n;
	need(file && fseek(file, 0, SEEK_END) == 0, "a file cannot be opened");
	at = room(n = (size_t)ftell(file), 1);
	rewind(file);
	need(n >> 30 == 0 && fread(at, 1, n, file) == n && strlen(at) == n,
		"a file is no text");
	return n / 8;
}

static bool skip(const char *text)
{
	return strncmp(at, text, strlen(text)) == 0 && (at += strlen(text));
}

/* A number that is -1 or more, or a time, which may be less. */
static int64_t number(bool time)
{
	bool minus = *at == '-' && at[1] != '0';
	char *start = at + minus;
	int64_t value = strtoll(start, &at, 10);
	need(*start >= '0' && *start <= '9' && at - start < 20 && value < MOST,
		"a number is missing, or too great");
	need(!minus || time || value == 1, "a number is negative");
	return minus ? -value : value;
}

/* ASCII lines, each with its end. */
static void need_lines(const char *text)
{
	const char *last = "";
	for (; *text; last = text++)
		need(*text == '\n' || (*text >= ' ' && *text <= '~'),
			"the proof is no text");
	need(*last == '\n', "the proof is cut short");
}

/* Reads a line of that word and n numbers, -1: of any, if it is the next. */
static bool read_line(const char *word, int n)
{
	bool part = strcmp(word, "part") == 0;
	if (!skip(word))
		return false;
	line += n_line; /* the last one stays */
	for (n_line = 0; skip(" "); n_line++)
		line[n_line] = number(part && n_line / 2 == 1);
	need(skip("\n") && (n < 0 || n == n_line), "a line is not whole");
	return true;
}

static int index_at(int i, int n)
{
	need(i < n_line && line[i] >= 0 && line[i] < n, "no such index");
	return (int)line[i];
}

/* No text of the plan has a key in it, as the quotes there are escaped. */
static void take(char *row, const char *key, int64_t *value)
{
	char *found = strstr(row, key);
	at = found ? found + strlen(key) : at;
	*value = found ? number(false) : *value;
}

/* As memplan writes it: a row for each key and each tensor. */
static void read_plan(size_t rows)
{
	struct tensor *t = tensors = room(rows, sizeof(*t));
	for (char *row = strtok(at, "\n"); row; row = strtok(NULL, "\n")) {
		take(row, "  \"arena_size\": ", &arena);
		if (strncmp(row, "    {\"id\": ", 11) != 0)
			continue;
		take(row, " \"size\": ", &t->size);
		take(row, " \"offset\": ", &t->offset);
		t->memory = at; /* the pool, up to the size */
		if (strstr(at, ", \"size\""))
			*strstr(at, ", \"size\"") = '\0';
		t += t->size > 0;
	}
	n_tensors = (int)(t - tensors);
}

/* A tensor lies in its buffer, and in the same memory as the others. */
static void place(struct tensor *t, struct buffer *b, const char *memory)
{
	int64_t base = line[2];
	need(t->memory && strcmp(t->memory, memory) == 0, "it is elsewhere");
	need(base >= 0 && base <= t->offset && base + t->size <= b->size &&
			(!b->tensor || b->offset == t->offset - base),
		"a tensor does not lie in its buffer");
	b->offset = t->offset - base;
	b->tensor = t;
	t->memory = NULL;
	n_placed++;
}

static void read_problem(void)
{
	const char *memory = NULL;
	struct buffer *b = NULL;
	n_streams = index_at(0, INT32_MAX / 8);
	n_buffers = n_parts = n_apart = 0;
	while (!read_line("end", 0))
		if (read_line("buffer", -1)) {
			need(n_line % 2 == 0 && n_line >= 4, "no such buffer");
			b = &buffers[n_buffers++];
			*b = (struct buffer){line[0], line[1], 0, 0, 0, 0,
				line + 2, line + n_line, 0, false,
				parts + n_parts, NULL};
		} else if (read_line("part", 6 + n_streams)) {
			need(b && line[0] >= 0 && line[1] > 0, "no such part");
			parts[n_parts++] = (struct part){line[0], line[1],
				line[2], line[3], index_at(4, n_streams),
				line[5], 0, line + 6, b};
			b->size = greater(b->size, line[0] + line[1]);
			b->n_parts++;
		} else if (read_line("apart", 2)) {
			apart[n_apart++] = &buffers[index_at(0, n_buffers)];
			apart[n_apart++] = &buffers[index_at(1, n_buffers)];
		} else {
			struct tensor *t;
			need(read_line("tensor", 3), "a line is of no kind");
			t = &tensors[index_at(0, n_tensors)];
			memory = memory ? memory : t->memory;
			place(t, &buffers[index_at(1, n_buffers)], memory);
		}
	for (int i = 0; i < n_tensors && memory; i++)
		need(!tensors[i].memory || strcmp(tensors[i].memory, memory),
			"a tensor of the memory is missing");
}

/* May two parts be alive at one time, or must they be apart anyway? */
static bool conflict(const struct part *a, const struct part *b)
{
	const struct buffer *x = a->buffer, *y = b->buffer;
	for (int i = 0; i < n_apart; i += 2)
		if ((apart[i] == x && apart[i + 1] == y) ||
			(apart[i] == y && apart[i + 1] == x))
			return true;
	for (const int64_t *c = x->in; c < x->in_end; c += 2)
		for (const int64_t *d = y->in; d < y->in_end; d += 2)
			if (*c >= 0 && *c == *d && c[1] != d[1])
				return false;
	return a->end > b->start && b->end > a->start &&
	       b->born < a->free[b->stream] && a->born < b->free[a->stream];
}

/* Do parts with the same bytes of their buffers conflict? */
static bool exclude(const struct part *a, const struct part *b)
{
	const struct buffer *x = a->buffer, *y = b->buffer;
	for (const struct part *c = x->parts; c < x->parts + x->n_parts; c++)
		for (const struct part *d = y->parts;
			x != y && d < y->parts + y->n_parts; d++)
			if (c->base == a->base && c->size == a->size &&
				d->base == b->base && d->size == b->size &&
				conflict(c, d))
				return true;
	return x == y && conflict(a, b);
}

/* Parts in conflict share no byte. Returns where the last buffer ends. */
static int64_t check_places(void)
{
	int64_t top = 0;
	for (struct buffer *b = buffers; b < buffers + n_buffers; b++) {
		if (!b->tensor)
			b->offset = b->fixed; /* a reserved range */
		need(b->align > 0 && b->offset >= 0, "it lies nowhere");
		need(b->offset % b->align == 0, "a buffer is not aligned");
		need(b->fixed < 0 || b->fixed == b->offset, "it is fixed");
		top = greater(top, b->offset + b->size);
	}
	for (struct part *a = parts; a < parts + n_parts; a++) {
		a->at = a->buffer->offset + a->base;
		for (const struct part *b = parts; b < a; b++)
			if (a->buffer != b->buffer && a->at < b->at + b->size &&
				b->at < a->at + a->size)
				need(!conflict(a, b), "two parts overlap");
	}
	return top;
}

/* Any two of the listed parts exclude each other: all lie in one pile. */
static const struct part *listed(int i)
{
	const struct part *p = &parts[index_at(i, n_parts)];
	for (int k = 0; k < i; k++)
		need(line[k] < line[i] && exclude(&parts[line[k]], p),
			"two parts are not alive together");
	return p;
}

/* Each but the highest takes its size rounded up to where the next begins. */
static void check_parts(void)
{
	int64_t align = n_line-- ? *line++ : 0, sum = 0, most = 0;
	need(align > 0 && (align & (align - 1)) == 0, "there is no alignment");
	for (int i = 0; i < n_line; i++) {
		const struct part *p = listed(i);
		int64_t size = round_up(p->size, align);
		most = greater(most, size - p->size);
		sum += size;
		need(p->buffer->align % align == 0, "a buffer may lie between");
		need(p->base % align == 0 && sum < MOST, "it does not count");
	}
	need(sum - most >= bound, "the parts are less than the bound");
}

/* Of each set of the parts, as bits: where the highest ends at the least. */
static void check_pile(void)
{
	static int64_t end[1 << 20]; /* of no part: 0 */
	need(n_line > 0, "the pile is empty");
	for (int i = 0; i < n_line; i++)
		need(i < 20 && listed(i), "the pile is too high");
	for (int set = 1; set < 1 << n_line; set++) {
		end[set] = MOST;
		for (int i = 0; i < n_line; i++) {
			const struct part *p = &parts[line[i]];
			int64_t fixed = p->buffer->fixed;
			int64_t low = set >> i & 1 ? end[set ^ 1 << i] : MOST;
			low = round_up(low - p->base, p->buffer->align);
			if (fixed >= 0)
				low = low <= fixed ? fixed : MOST;
			low += p->base + p->size;
			end[set] = low < end[set] ? low : end[set];
		}
	}
	need(end[(1 << n_line) - 1] >= bound, "the pile fits below the bound");
}

static bool may_be_below(const struct part *a, const struct part *b)
{
	return a->buffer->low + a->base + a->size <= b->buffer->high + b->base;
}

/* With part a below part b the ranges of their buffers narrow. */
static bool narrow(const struct part *a, const struct part *b)
{
	struct buffer *x = a->buffer, *y = b->buffer;
	int64_t above = a->base + a->size - b->base;
	int64_t low = greater(y->low, round_up(x->low + above, y->align));
	int64_t high = (y->high - above) / x->align * x->align;
	bool changed = low > y->low || high < x->high;
	y->low = low;
	x->high = high < x->high ? high : x->high;
	return changed;
}

/* Narrows all ranges as far as single pairs can. False: one is empty. */
static bool propagate(void)
{
	for (struct buffer *b = buffers; b < buffers + n_buffers; b++) {
		int64_t last = bound - 1 - b->size;
		b->low = b->fixed < 0 ? 0 : b->fixed;
		b->high = b->fixed < 0 ? last / b->align * b->align : b->fixed;
		if (b->counts && last < b->low)
			return false;
	}
	for (bool changed = true; changed;) {
		need((looks += n_pairs + 1) >> 32 == 0, "it takes too long");
		changed = false;
		for (struct pair *p = pairs; p < pairs + n_pairs; p++) {
			bool ab = p->lower != 1 && may_be_below(p->a, p->b);
			bool ba = p->lower != 0 && may_be_below(p->b, p->a);
			if (!ab && !ba)
				return false;
			if (ab != ba)
				changed |= ab ? narrow(p->a, p->b)
					      : narrow(p->b, p->a);
		}
	}
	return true;
}

/* Refutes both ways of the next pair of the line, unless nothing is left. */
static void refute(void)
{
	if (propagate()) {
		int node = index_at(next++, 2 * n_pairs);
		struct pair *p = &pairs[node / 2];
		need(p->lower == 2 && may_be_below(p->a, p->b) &&
				may_be_below(p->b, p->a),
			"a pair is decided already");
		p->lower = node % 2;
		refute();
		p->lower = 1 - node % 2;
		refute();
		p->lower = 2;
	}
}

/* Of some buffers, or of all. Returns how many parts they have. */
static size_t read_among(void)
{
	bool some = read_line("among", -1);
	size_t n = 0;
	for (int i = 0; some && i < n_line; i++) {
		struct buffer *b = &buffers[index_at(i, n_buffers)];
		need(i == 0 || line[i] > line[i - 1], "they do not ascend");
		b->counts = true;
	}
	for (struct buffer *b = buffers; b < buffers + n_buffers; b++)
		n += (b->counts |= !some) ? (size_t)b->n_parts : 0;
	return n;
}

static void check_refutation(void)
{
	const struct part *end = parts + n_parts;
	size_t n = read_among();
	need(read_line("refute", -1), "there is no body");
	need(bound > 0, "no arena is smaller");
	next = n_pairs = 0;
	if (propagate()) {
		pairs = room(n * n / 2, sizeof(*pairs));
		for (const struct part *a = parts; a < end; a++)
			for (const struct part *b = a + 1;
				a->buffer->counts && b < end; b++)
				if (b->buffer->counts &&
					a->buffer != b->buffer &&
					conflict(a, b))
					pairs[n_pairs++] =
						(struct pair){a, b, 2};
		refute();
	}
	need(next == n_line, "the refutation goes on");
}

int main(int n, char **arguments)
{
	int64_t bytes = 0, bounds = 0;
	size_t rows;
	need(n == 3, "check-proof PLAN PROOF");
	read_plan(read_file(arguments[1]));
	rows = read_file(arguments[2]);
	need_lines(at);
	buffers = room(rows, sizeof(*buffers));
	parts = room(rows, sizeof(*parts));
	apart = room(2 * rows, sizeof(*apart));
	line = room(4 * rows, sizeof(*line));
	need(skip("memplan.proof 1\n"), "this is no proof");
	need(read_line("memory", 1), "there is no memory");
	do {
		read_problem();
		bytes += check_places();
		need(read_line("bound", 1), "there is no bound");
		bounds += bound = line[0];
		need(bound >= 0, "the bound is negative");
		if (read_line("parts", -1))
			check_parts();
		else if (read_line("pile", -1))
			check_pile();
		else
			check_refutation();
		need(bytes < MOST && read_line("end", 0), "there is no end");
	} while (read_line("memory", 1));
	need(*at == '\0' || skip("order "), "the proof goes on");
	need(n_placed == n_tensors && bytes == arena, "it is of another plan");
	printf("proved: no plan is smaller than %" PRId64
	       " bytes, this one has %" PRId64 "\n",
		bounds, arena);
	return 0;
}
