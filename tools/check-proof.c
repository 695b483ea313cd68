/*
 * check-proof PLAN PROOF: is the plan a plan of the problem in the proof, and
 * is no plan of that problem smaller than the bound? Shares no code with
 * memplan, and needs a C compiler only. docs/formats/proof.md has the format,
 * and why these rules suffice. Exit 0: it holds, 1: it does not, 2: no file.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE (-1)
#define MOST (INT64_C(1) << 61) /* so that two of them can be added */

struct tensor { /* of the plan */
	const char *id;
	size_t id_length;
	int64_t offset, size, start, end;
};

struct buffer {
	int64_t align, fixed, choice, branch, size, offset;
	int64_t low, high; /* offsets that are left to it */
	int n_parts, n_tensors, tensor;
};

struct part { /* bytes [base, base + size) of its buffer, steps [start, end) */
	int64_t base, size, start, end, stream, born, *free;
	int buffer;
};

static struct tensor *tensors;
static struct buffer *buffers;
static struct part *parts;
static int (*apart)[2]; /* buffers that never share a byte */
static int (*pairs)[2]; /* parts in conflict: one lies below the other */
static char *below;	/* of a pair: the lower one, 0 or 1; 2: open */
static int n_tensors, n_buffers, n_parts, n_apart, n_pairs, n_taken, n_nodes;
static int64_t arena_size = NONE, alignment = 1, padding, n_streams, bound;
static const char *at; /* where reading goes on */

static void refuse(const char *why)
{
	printf("not proved: %s\n", why);
	exit(1);
}

static void need(bool holds, const char *what)
{
	if (!holds)
		refuse(what);
}

/* Room for one more than n elements. */
static void *grow(void *array, int n, size_t size)
{
	if ((n & (n - 1)) == 0)
		array = realloc(array, (n ? 2 * (size_t)n : 1) * size);
	need(array != NULL, "memory is out");
	return array;
}

static char *read_file(const char *name)
{
	FILE *file = fopen(name, "rb");
	long length = file && !fseek(file, 0, SEEK_END) ? ftell(file) : -1;
	char *text = calloc(length < 0 ? 1 : (size_t)length + 1, 1);

	if (length < 0 || !text || fseek(file, 0, SEEK_SET) ||
		fread(text, 1, (size_t)length, file) != (size_t)length) {
		perror(name);
		exit(2);
	}
	fclose(file);
	need(strlen(text) == (size_t)length, "a file has a NUL in it");
	return text;
}

/* ---------------------------------------------------------- SHA-256 */

static uint32_t turn(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

static void sha256_block(uint32_t *h, const unsigned char *m)
{
	static const uint32_t k[64] = {0x428a2f98, 0x71374491, 0xb5c0fbcf,
		0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
		0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74,
		0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
		0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc,
		0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
		0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
		0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb,
		0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70,
		0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
		0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3,
		0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f,
		0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
		0xc67178f2};
	uint32_t w[64] = {0}, v[8];

	for (int i = 0; i < 64; i++)
		w[i / 4] |= (uint32_t)m[i] << (24 - 8 * (i % 4));
	for (int i = 16; i < 64; i++)
		w[i] = w[i - 16] + w[i - 7] +
		       (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^
			       w[i - 15] >> 3) +
		       (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^
			       w[i - 2] >> 10);
	memcpy(v, h, sizeof(v));
	for (int i = 0; i < 64; i++) {
		uint32_t one =
			(turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25)) +
			((v[4] & v[5]) ^ (~v[4] & v[6])) + v[7] + k[i] + w[i];
		uint32_t two =
			(turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22)) +
			((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));

		memmove(v + 1, v, 7 * sizeof(*v));
		v[4] += one;
		v[0] = one + two;
	}
	for (int i = 0; i < 8; i++)
		h[i] += v[i];
}

static void sha256(const char *text, size_t length, char *digest)
{
	uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
		0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
	unsigned char end[128] = {0};
	size_t whole = length / 64 * 64, rest = length - whole;
	size_t n = rest < 56 ? 64 : 128;

	memcpy(end, text + whole, rest);
	end[rest] = 0x80;
	for (int i = 0; i < 8; i++)
		end[n - 1 - (size_t)i] = (unsigned char)(length * 8 >> 8 * i);
	for (size_t i = 0; i < whole; i += 64)
		sha256_block(h, (const unsigned char *)text + i);
	for (size_t i = 0; i < n; i += 64)
		sha256_block(h, end + i);
	for (int i = 0; i < 8; i++)
		sprintf(digest + 8 * i, "%08" PRIx32, h[i]);
}

/* ------------------------------------------------------------- text */

static bool skip(const char *text)
{
	bool is_there = strncmp(at, text, strlen(text)) == 0;

	at += is_there ? strlen(text) : 0;
	return is_there;
}

static int64_t number(void)
{
	bool minus = skip("-");
	int64_t value = 0;

	need(*at >= '0' && *at <= '9', "a number is missing");
	for (; *at >= '0' && *at <= '9'; at++) {
		value = value * 10 + (*at - '0');
		need(value < MOST, "a number is too great");
	}
	return minus ? -value : value;
}

static int index_below(int n)
{
	int64_t value = number();

	need(value >= 0 && value < n, "an index is out of range");
	return (int)value;
}

static int64_t next_number(void)
{
	need(skip(" "), "a number is missing");
	return number();
}

/* Skips a text in quotes. */
static void string(void)
{
	need(*at == '"', "a text is missing");
	for (at++; *at != '"'; at++) {
		at += *at == '\\';
		need(*at != '\0', "a file is cut short");
	}
	at++;
}

/* ------------------------------------------------------------- plan */

static bool is(const char *key, const char *name)
{
	return strncmp(key, name, strlen(name)) == 0 &&
	       key[strlen(name)] == '"';
}

/* A number or text of the plan; in: the list of the outermost object that it is
 * of. */
static void take(const char *key, const char *in, int depth)
{
	static struct tensor none;
	struct tensor *t = n_tensors ? &tensors[n_tensors - 1] : &none;
	const struct {
		const char *name;
		int depth;
		int64_t *to;
	} rows[] = {{"arena_size", 1, &arena_size},
		{"alignment", 1, &alignment}, {"padding", 1, &padding},
		{"offset", 3, &t->offset}, {"size", 3, &t->size},
		{"start", 3, &t->start}, {"end", 3, &t->end}};
	const char *start = at;

	for (int i = 0; i < 7; i++)
		if (depth == rows[i].depth && is(key, rows[i].name) &&
			(depth == 1 || is(in, "tensors"))) {
			*rows[i].to = number();
			return;
		}
	if (*at == '"')
		string();
	else
		at += strcspn(at, ",]} \t\r\n");
	if (depth == 3 && is(key, "id") && is(in, "tensors")) {
		t->id = *start == '"' ? start + 1 : start;
		t->id_length = (size_t)(at - t->id) - (*start == '"');
	}
}

/* Reads JSON of any shape; the brackets that are open are counted. */
static void read_plan(void)
{
	const char *key = "\"", *in = "\"";
	int depth = 0;

	for (at += strspn(at, " \t\r\n"); *at != '\0';
		at += strspn(at, " \t\r\n,:")) {
		const char *start = at;

		if (*at == '{' && depth == 2 && is(in, "tensors")) {
			tensors = grow(tensors, n_tensors, sizeof(*tensors));
			tensors[n_tensors++] = (struct tensor){.id = "\""};
		}
		depth += *at == '{' || *at == '[';
		depth -= *at == '}' || *at == ']';
		if (strchr("{}[]", *at)) {
			at++;
			continue;
		}
		if (*at == '"') {
			string();
			at += strspn(at, " \t\r\n");
			if (*at == ':') {
				key = start + 1;
				in = depth == 1 ? key : in;
				continue;
			}
		}
		at = start;
		take(key, in, depth);
	}
	need(depth == 0 && alignment > 0 && padding >= 0, "this is no plan");
}

/* ---------------------------------------------------------- problem */

static void read_buffer(void)
{
	struct buffer b = {.align = number(), .choice = NONE, .offset = NONE};

	need(skip(" ") && b.align > 0, "a buffer has no alignment");
	b.fixed = skip("-") ? NONE : number();
	if (*at == ' ') {
		b.choice = next_number();
		b.branch = next_number();
	}
	buffers = grow(buffers, n_buffers, sizeof(*buffers));
	buffers[n_buffers++] = b;
}

static void read_part(void)
{
	struct part p = {.base = number(), .size = next_number()};

	p.start = next_number();
	p.end = next_number();
	p.buffer = n_buffers - 1;
	p.free = calloc((size_t)n_streams, sizeof(*p.free));
	if (n_streams > 1) {
		p.stream = next_number();
		p.born = next_number();
	}
	for (int64_t k = 0; n_streams > 1 && p.free && k < n_streams; k++)
		p.free[k] = next_number();
	need(p.free && n_buffers > 0 && p.base >= 0 && p.size > 0 &&
			p.stream >= 0 && p.stream < n_streams,
		"a part is out of range");
	if (p.base + p.size > buffers[p.buffer].size)
		buffers[p.buffer].size = p.base + p.size;
	buffers[p.buffer].n_parts++;
	parts = grow(parts, n_parts, sizeof(*parts));
	parts[n_parts++] = p;
}

static void read_place(void)
{
	static int next; /* tensors stand in the order of the plan */
	struct buffer *b = &buffers[index_below(n_buffers)];
	int64_t base = next_number();
	const struct tensor *t;
	const char *id = at + 2;

	need(skip(" "), "an id is missing");
	string();
	while (next < n_tensors && tensors[next].size == 0)
		next++;
	need(next < n_tensors, "a tensor is not of the plan");
	b->tensor = next;
	t = &tensors[next++];
	need(t->id_length == (size_t)(at - id) - 1 &&
			memcmp(t->id, id, t->id_length) == 0,
		"the tensors are not those of the plan");
	need(base >= 0 && t->offset >= base && base + t->size <= b->size &&
			(b->offset == NONE || b->offset == t->offset - base),
		"a tensor does not lie in its buffer");
	b->offset = t->offset - base;
	b->n_tensors++;
}

static void read_problem(void)
{
	need(skip("memplan.problem 1\nstreams "), "there is no problem");
	n_streams = number();
	need(skip("\n") && n_streams > 0, "there is no stream");
	while (!skip("end\n")) {
		if (skip("buffer "))
			read_buffer();
		else if (skip("part "))
			read_part();
		else if (skip("apart ")) {
			apart = grow(apart, n_apart, sizeof(*apart));
			apart[n_apart][0] = index_below(n_buffers);
			apart[n_apart++][1] = (int)next_number();
		} else {
			need(skip("tensor "), "a line is of no kind");
			read_place();
		}
		need(skip("\n"), "a line does not end");
	}
	n_taken += n_apart;
}

/* May two parts be alive at one time, or must they be apart anyway? */
static bool conflict(int i, int k)
{
	const struct part *a = &parts[i], *b = &parts[k];
	const struct buffer *x = &buffers[a->buffer], *y = &buffers[b->buffer];

	for (int p = 0; p < n_apart; p++)
		if ((apart[p][0] == a->buffer && apart[p][1] == b->buffer) ||
			(apart[p][0] == b->buffer && apart[p][1] == a->buffer))
			return true;
	if (a->end <= b->start || b->end <= a->start ||
		(x->choice != NONE && x->choice == y->choice &&
			x->branch != y->branch))
		return false;
	return n_streams == 1 ||
	       (b->born < a->free[b->stream] && a->born < b->free[a->stream]);
}

/* --------------------------------------------------------- the plan */

/* Of one part and one tensor, the part is the tensor. Parts of other buffers,
 * and lifetimes on several streams, are taken from the proof. */
static bool is_shown(const struct part *p)
{
	const struct buffer *b = &buffers[p->buffer];
	const struct tensor *t = &tensors[b->tensor];

	return b->n_parts == 1 && b->n_tensors == 1 && b->fixed == NONE &&
	       n_streams == 1 && p->start == t->start && p->end == t->end &&
	       p->size == (t->size + padding + alignment - 1) / alignment *
				  alignment;
}

static void check_plan(void)
{
	int64_t top = 0;

	for (int i = 0; i < n_buffers; i++) {
		struct buffer *b = &buffers[i];

		if (b->n_tensors == 0)
			b->offset = b->fixed; /* a reserved range */
		need(b->offset >= 0 && b->offset % b->align == 0 &&
				(b->fixed == NONE || b->fixed == b->offset),
			"a buffer lies where it may not");
		if (b->offset + b->size > top)
			top = b->offset + b->size;
	}
	for (int i = 0; i < n_parts; i++) {
		n_taken += !is_shown(&parts[i]);
		for (int k = 0; k < i; k++) {
			const struct part *a = &parts[i], *b = &parts[k];
			int64_t x = buffers[a->buffer].offset + a->base;
			int64_t y = buffers[b->buffer].offset + b->base;

			need(a->buffer == b->buffer || x >= y + b->size ||
					y >= x + a->size || !conflict(i, k),
				"two parts overlap");
		}
	}
	need(top == arena_size, "the arena has another size");
}

/* ----------------------------------------------------------- bounds */

/* Any two of the parts are alive together, so all lie above one another; each
 * but the highest takes its size rounded up to what the next is aligned to. */
static void check_parts(void)
{
	int64_t align = number(), sum = 0, most = 0;
	int n = 0, *list = NULL;

	need(align > 0, "an alignment is none");
	for (; skip(" "); n++) {
		const struct part *p;
		int64_t size;

		list = grow(list, n, sizeof(*list));
		list[n] = index_below(n_parts);
		p = &parts[list[n]];
		need(buffers[p->buffer].align % align == 0 &&
				p->base % align == 0,
			"a part need not be aligned");
		size = (p->size + align - 1) / align * align;
		sum += size;
		most = size - p->size > most ? size - p->size : most;
		need(sum < MOST, "sizes are too great");
		for (int k = 0; k < n; k++)
			need(list[k] < list[n] && conflict(list[k], list[n]),
				"two parts are not alive together");
	}
	need(sum - most >= bound, "the parts are less than the bound");
}

static void check_buffer(void)
{
	const struct buffer *b = &buffers[index_below(n_buffers)];

	need(b->size + (b->fixed == NONE ? 0 : b->fixed) >= bound,
		"the buffer ends below the bound");
}

static bool may_be_below(int a, int b)
{
	return buffers[parts[a].buffer].low + parts[a].base + parts[a].size <=
	       buffers[parts[b].buffer].high + parts[b].base;
}

/* With part a below part b the ranges of their buffers narrow. */
static bool narrow(int a, int b)
{
	struct buffer *x = &buffers[parts[a].buffer];
	struct buffer *y = &buffers[parts[b].buffer];
	int64_t above = parts[a].base + parts[a].size - parts[b].base;
	int64_t low = x->low + above, high = y->high - above;
	bool up, down;

	low = low > 0 ? (low + y->align - 1) / y->align * y->align : 0;
	high = high > 0 ? high / x->align * x->align : high;
	up = low > y->low;
	down = high < x->high;
	y->low = up ? low : y->low;
	x->high = down ? high : x->high;
	return up || down;
}

/* Narrows as far as single pairs can. False: some buffer has no offset left. */
static bool propagate(void)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (int i = 0; i < n_pairs; i++) {
			int a = pairs[i][0], b = pairs[i][1];
			bool ab = below[i] != 1 && may_be_below(a, b);
			bool ba = below[i] != 0 && may_be_below(b, a);

			if (!ab && !ba)
				return false;
			if (ab != ba) {
				below[i] = ba;
				changed |= ab ? narrow(a, b) : narrow(b, a);
			}
		}
	}
	return true;
}

/* Reads the refutation of what is left: both ways of a pair, unless nothing is
 * left at once. */
static void refute(void)
{
	struct buffer *before = calloc((size_t)n_buffers, sizeof(*before));
	char *open = calloc((size_t)n_pairs + 1, 1);
	int a, b, i = 0;

	need(before && open, "memory is out");
	if (propagate()) {
		memcpy(before, buffers, (size_t)n_buffers * sizeof(*before));
		memcpy(open, below, (size_t)n_pairs);
		a = index_below(n_parts);
		b = (int)next_number();
		need(skip("\n"), "a line does not end");
		while (i < n_pairs && (pairs[i][0] != (a < b ? a : b) ||
					      pairs[i][1] != (a < b ? b : a)))
			i++;
		need(i < n_pairs && below[i] == 2, "a pair is not open");
		n_nodes++;
		for (int way = 0; way < 2; way++) {
			below[i] = (char)((a > b) ^ way);
			refute();
			memcpy(buffers, before,
				(size_t)n_buffers * sizeof(*before));
			memcpy(below, open, (size_t)n_pairs);
		}
	}
	free(before);
	free(open);
}

/* Every plan of fewer bytes has an offset for each buffer in its range. */
static void check_refutation(void)
{
	int64_t said = number();
	bool is_empty = false;

	need(skip("\n"), "a line does not end");
	for (int i = 0; i < n_buffers; i++) {
		struct buffer *b = &buffers[i];
		int64_t last = bound - 1 - b->size;

		b->low = b->fixed == NONE ? 0 : b->fixed;
		b->high = last > 0 ? last / b->align * b->align : last;
		if (b->fixed != NONE && b->high > b->fixed)
			b->high = b->fixed;
		is_empty |= b->low > b->high;
	}
	for (int i = 0; i < n_parts; i++)
		for (int k = i + 1; k < n_parts; k++)
			if (parts[i].buffer != parts[k].buffer &&
				conflict(i, k)) {
				pairs = grow(pairs, n_pairs, sizeof(*pairs));
				pairs[n_pairs][0] = i;
				pairs[n_pairs++][1] = k;
			}
	below = malloc((size_t)n_pairs + 1);
	need(below != NULL, "memory is out");
	memset(below, 2, (size_t)n_pairs);
	if (!is_empty)
		refute();
	need(n_nodes == said, "it has another number of nodes");
}

int main(int n, char **arguments)
{
	char digest[65];
	const char *said, *start;

	need(n == 3, "check-proof PLAN PROOF");
	at = read_file(arguments[1]);
	read_plan();
	at = read_file(arguments[2]);
	need(skip("memplan.proof 1\nproblem "), "this is no proof");
	said = at;
	at += strspn(at, "0123456789abcdef");
	need(skip("\narena ") && number() == arena_size, "the arena differs");
	need(skip("\nbound ") && (bound = number()) <= arena_size && skip("\n"),
		"the bound is greater than the arena");
	start = at;
	read_problem();
	sha256(start, (size_t)(at - start), digest);
	need(strncmp(said, digest, 64) == 0,
		"the digest is of another problem");
	check_plan();
	if (skip("parts "))
		check_parts();
	else if (skip("buffer "))
		check_buffer();
	else {
		need(skip("refute "), "there is no bound");
		check_refutation();
	}
	need(skip("end\n") || skip("\nend\n"), "the proof does not end");
	need(*at == '\0', "the proof does not end");
	printf("proved: no plan is smaller than %" PRId64 " bytes, this one "
	       "has %" PRId64 "; %d parts are taken from the proof\n",
		bound, arena_size, n_taken);
	return 0;
}
