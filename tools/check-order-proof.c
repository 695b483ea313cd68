/*
 * check-order-proof PLAN PROOF: is the plan's order one of the ops in the
 * proof, and has no order of them a peak below the bound? Shares no code with
 * memplan and needs a C compiler only. docs/formats/proof.md has the format,
 * and why these rules suffice. Exit 0: it holds, 1: it does not.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST (INT64_C(1) << 60) /* so that a few of them can be added */
#define LARGEST_FILE ((size_t)1 << 30)

struct tensor {	   /* alive from its op (-1: the start) until all readers ran */
	char *row; /* of the plan */
	int64_t size, start, end; /* of the plan */
	int64_t bytes;		  /* of the proof; 0: not there */
	int64_t flow;		  /* of bytes through it */
	int64_t saved;		  /* of bytes, by a pair */
	int from, kept;		  /* kept: to the end */
	const int64_t *readers;
	int n_readers;
};

struct pair { /* an output of an op may lie in an input of it that dies there */
	struct tensor *output;
	const struct tensor *input;
};

struct op {
	char *row;
	int place;	 /* in the plan's order */
	bool ran, later; /* before the member, or not before it */
	int first_wait;	 /* of the sorted ones, that it waits by */
	int64_t need;	 /* bytes that it writes, less those of pairs */
	uint64_t *first; /* all ops that it waits for, and itself */
};

struct wait { /* the op waits for the other one */
	int op, other;
};

struct loop { /* ops of the plan, from its first to its last one */
	char *row;
	int64_t first, last;
};

static struct tensor *tensors; /* those with bytes */
static struct op *ops;
static struct loop *loops;
static struct wait *waits;
static struct pair *pairs;
static int64_t *line; /* the numbers of a line of the proof */
static int n_line, n_tensors, n_ops, n_loops, n_waits, n_pairs, n_taken;
static int64_t arena, alignment, padding, bound;
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

/* Reads on in that file. Returns how many numbers or rows it may have. */
static size_t read_file(const char *name)
{
	FILE *file = fopen(name, "rb");
	size_t n;

	need(file && fseek(file, 0, SEEK_END) == 0, "a file cannot be opened");
	at = room(n = (size_t)ftell(file), 1);
	rewind(file);
	need(n < LARGEST_FILE && fread(at, 1, n, file) == n && strlen(at) == n,
		"a file is no text");
	fclose(file);
	return n / 2;
}

static bool skip(const char *text)
{
	bool is_there = strncmp(at, text, strlen(text)) == 0;

	at += is_there ? strlen(text) : 0;
	return is_there;
}

/* -1 or digits. */
static int64_t number(void)
{
	char *start = at;
	int64_t value = -1;

	if (skip("-1"))
		return value;
	value = strtoll(start, &at, 10);
	need(*start >= '0' && *start <= '9' && at - start < 20 && value < MOST,
		"a number is missing, or too great");
	return value;
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

/* Reads a line of that word and n numbers, or at least -n, if it is the next.
 * The numbers of the line before stay where they are. */
static bool read_line(const char *word, int n)
{
	if (!skip(word))
		return false;
	for (line += n_line, n_line = 0; skip(" "); n_line++)
		line[n_line] = number();
	need(skip("\n") && (n < 0 ? n_line >= -n : n_line == n),
		"a line is not whole");
	return true;
}

static int64_t greater(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int index_of(int64_t value, int n)
{
	need(value >= 0 && value < n, "no such index");
	return (int)value;
}

/* ------------------------------------------------------------- plan */

static void take(char *row, const char *key, int64_t *value)
{
	char *found = strstr(row, key);

	at = found ? found + strlen(key) : at;
	*value = found ? number() : *value;
}

/* As memplan writes it: a row for each key, tensor, loop and op. */
static void read_plan(size_t rows)
{
	struct tensor *t = tensors = room(rows, sizeof(*t));
	char *order = NULL, *row = strtok(at, "\n");
	bool in_ops = false;

	ops = room(rows, sizeof(*ops));
	loops = room(rows, sizeof(*loops));
	for (; row; row = strtok(NULL, "\n")) {
		take(row, "  \"arena_size\": ", &arena);
		take(row, "  \"alignment\": ", &alignment);
		take(row, "  \"padding\": ", &padding);
		order = strncmp(row, "  \"order\": ", 11) == 0 ? row : order;
		in_ops = strncmp(row, "  \"ops\": [", 10) == 0 ||
			 (in_ops && strncmp(row, "    {", 5) == 0);
		if (in_ops && row[2] == ' ')
			ops[n_ops++].row = row;
		if (strncmp(row, "    {\"first\": ", 14) == 0) {
			take(row, "\"first\": ", &loops[n_loops].first);
			take(row, "\"last\": ", &loops[n_loops].last);
			loops[n_loops++].row = row;
		}
		if (strncmp(row, "    {\"id\": ", 11) != 0)
			continue;
		take(row, " \"size\": ", &t->size);
		take(row, " \"start\": ", &t->start);
		take(row, " \"end\": ", &t->end);
		t->row = row;
		t += t->size > 0;
	}
	n_tensors = (int)(t - tensors);
	need(alignment > 0 && padding >= 0 && order && n_ops > 0,
		"this is no plan of ops");
	at = strstr(order, "\"ops\": [");
	need(at && skip("\"ops\": ["), "the plan has no order");
	for (int i = 0; i < n_ops; i++) {
		struct op *op = &ops[index_of(number(), n_ops)];

		need(op->place == 0 && skip(i + 1 < n_ops ? ", " : "]"),
			"the order does not have each op once");
		op->place = i + 1;
	}
}

static size_t length_of_id(const char *id)
{
	size_t n = strcspn(id, ",]");

	if (*id == '"')
		for (n = 1; id[n] && id[n++] != '"';)
			n += id[n - 1] == '\\' && id[n];
	return n;
}

/* Does the row have the tensor in that list, with these between its ids? */
static bool has(const char *row, const char *list, const char *between,
	const struct tensor *t)
{
	const char *id = strstr(row, list), *own = t->row + 11;
	size_t n = length_of_id(own), length = 1;

	for (id = id ? id + strlen(list) : "]"; *id && length; id += length) {
		id += strspn(id, between);
		length = length_of_id(id);
		if (length == n && strncmp(id, own, n) == 0)
			return true;
	}
	return false;
}

static bool op_has(int64_t op, const char *list, const struct tensor *t)
{
	return has(ops[op].row, list, ", ", t);
}

/* ---------------------------------------------------------- problem */

static void add_wait(int op, int other)
{
	need(ops[op].place > ops[other].place, "the order breaks a wait");
	waits[n_waits++] = (struct wait){op, other};
}

/* The last op of a loop uses what its iterations hand on. */
static bool uses(int64_t op, const struct tensor *t)
{
	bool carried = false;

	for (const struct loop *x = loops; x < loops + n_loops; x++)
		carried |= x->last == op &&
			   has(x->row, "\"carried\": [", ", []", t);
	return carried || op_has(op, "\"inputs\": [", t) ||
	       op_has(op, "\"outputs\": [", t);
}

/* To its last op, a loop keeps what is there before it and its ops use. */
static bool is_kept_by_loop(int op, const struct tensor *t)
{
	bool kept = false;

	for (const struct loop *x = loops; x < loops + n_loops && !kept; x++)
		for (int64_t i = x->first;
			!kept && x->last == op && i <= op && i > t->from; i++)
			kept = uses(i, t);
	return kept;
}

/* The plan shows its op and its readers, but not whether it is there from the
 * start, or to the end. */
static void read_tensor(void)
{
	struct tensor *t = &tensors[index_of(line[0], n_tensors)];
	int64_t most = (t->size + padding + alignment - 1) / alignment;

	need(t->bytes == 0 && line[1] > 0 && line[1] <= most * alignment &&
			(line[2] >= 0 || t->start == 0) &&
			(line[3] == 0 || t->end >= n_ops),
		"a tensor has other bytes, or lives otherwise");
	t->bytes = line[1];
	t->from = line[2] < 0 ? -1 : index_of(line[2], n_ops);
	t->kept = index_of(line[3], 2);
	t->readers = line + 4;
	t->n_readers = n_line - 4;
	need(t->from < 0 || op_has(t->from, "\"outputs\": [", t) ||
			op_has(t->from, "\"temporaries\": [", t),
		"an op does not write a tensor");
	for (int i = 0; i < t->n_readers; i++) {
		int op = index_of(t->readers[i], n_ops);

		need((uses(op, t) || is_kept_by_loop(op, t)) &&
				(i == 0 || op > t->readers[i - 1]),
			"an op does not use a tensor");
		if (t->from >= 0)
			add_wait(op, t->from);
	}
	n_taken += t->from < 0;
	n_taken += t->kept;
}

static void add_pair(struct tensor *output, const struct tensor *input)
{
	need(output->bytes > 0 && input->bytes > 0, "no such tensors");
	pairs[n_pairs++] = (struct pair){output, input};
}

static void read_problem(void)
{
	int64_t sum = 0;

	while (!read_line("end", 0))
		if (read_line("tensor", -4))
			read_tensor();
		else if (read_line("pair", 2))
			add_pair(&tensors[index_of(line[0], n_tensors)],
				&tensors[index_of(line[1], n_tensors)]);
		else {
			need(read_line("wait", -2), "a line is of no kind");
			for (int i = 1; i < n_line; i++, n_taken++)
				add_wait(index_of(line[0], n_ops),
					index_of(line[i], n_ops));
		}
	for (int i = 0; i < n_tensors; i++)
		need((sum += tensors[i].bytes) < MOST, "too many bytes");
}

static bool is_in(const uint64_t *set, int64_t op)
{
	return op < 0 || set[op / 64] >> op % 64 & 1;
}

/* Does the tensor die at that op, after the set? NULL: in some order. */
static bool may_die(const struct tensor *t, int op, const uint64_t *set)
{
	bool dies = !t->kept;

	for (int i = 0; set && i < t->n_readers; i++)
		dies &= t->readers[i] == op || is_in(set, t->readers[i]);
	return dies;
}

/* What each op needs right after the set; NULL: in some order. */
static void find_needs(const uint64_t *set)
{
	for (int i = 0; i < n_ops; i++)
		ops[i].need = 0;
	for (int i = 0; i < n_tensors; i++)
		tensors[i].saved = 0;
	for (const struct pair *p = pairs; p < pairs + n_pairs; p++)
		if (may_die(p->input, p->output->from, set))
			p->output->saved =
				greater(p->output->saved, p->input->bytes);
	for (const struct tensor *t = tensors; t < tensors + n_tensors; t++)
		if (t->from >= 0)
			ops[t->from].need += greater(0, t->bytes - t->saved);
}

/* ------------------------------------------------------------ paths */

static int by_place(const void *a, const void *b)
{
	const struct wait *x = a, *y = b;

	return ops[x->op].place - ops[y->op].place;
}

/* Sorts them so that those of an op lie together, behind those of all ops that
 * it waits for. */
static void sort_waits(void)
{
	qsort(waits, (size_t)n_waits, sizeof(*waits), by_place);
	for (int i = 0; i < n_ops; i++)
		ops[i].first_wait = n_waits;
	for (int i = n_waits; i-- > 0;)
		ops[waits[i].op].first_wait = i;
}

/* Which ops have run before the member, and which have not? False: it cannot
 * be the last, or the first, of the n ops. */
static bool find_sides(const int64_t *set, int n, int member, bool first)
{
	bool possible = true;

	for (int i = 0; i < n_ops; i++)
		ops[i].ran = ops[i].later = false;
	for (int i = 0; i < n; i++)
		*(first ? &ops[set[i]].later : &ops[set[i]].ran) = true;
	ops[member].later = true;
	ops[member].ran = false;
	for (int i = 0; i < n_waits; i++)
		ops[waits[i].op].later |= ops[waits[i].other].later;
	for (int i = n_waits; i-- > 0;)
		ops[waits[i].other].ran |=
			ops[waits[i].op].ran || waits[i].op == member;
	for (int i = 0; i < n_ops; i++)
		possible &= !ops[i].ran || !ops[i].later;
	return possible;
}

/* One step of a path: through a tensor to a reader, -1: to the end; or, with
 * tensor -1, to an op that this one waits for. */
static void follow(int64_t tensor, int from, int64_t to, int64_t bytes)
{
	bool fine = false;

	if (tensor < 0) {
		for (int i = from < 0 ? n_waits : ops[from].first_wait;
			i < n_waits && waits[i].op == from; i++)
			fine |= waits[i].other == to;
	} else {
		struct tensor *t = &tensors[index_of(tensor, n_tensors)];

		fine = to == -1 && t->kept;
		for (int i = 0; i < t->n_readers; i++)
			fine |= t->readers[i] == to && !t->kept;
		t->flow += bytes;
		fine &= t->flow <= t->bytes &&
			(from >= 0 ? t->from == from
				   : t->from < 0 || ops[t->from].ran);
	}
	need(fine, "a path is none");
}

/* Bytes of a path, which somewhere leaves the ops that have run. */
static int64_t read_path(void)
{
	int from = -1;

	need(n_line % 2 == 1 && line[0] >= 0, "a path is not whole");
	for (int i = 1; i < n_line; i += 2) {
		follow(line[i], from, line[i + 1], line[0]);
		from = (int)line[i + 1];
		need(from >= 0 || i + 2 == n_line, "a path goes on");
	}
	need(from < 0 || ops[from].later, "a path ends too early");
	return line[0];
}

/* One of the ops runs last of them, or first. */
static void check_members(bool first)
{
	const int64_t *set = line;
	int n = n_line;

	sort_waits();
	find_needs(NULL);
	need(n > 0, "there is no member");
	for (int i = 0; i < n; i++) {
		index_of(set[i], n_ops);
		for (int k = 0; k < i; k++)
			need(set[k] != set[i], "an op is listed twice");
	}
	for (int i = 0; i < n; i++) {
		int64_t alive = ops[set[i]].need;

		if (!find_sides(set, n, (int)set[i], first))
			continue;
		for (int k = 0; k < n_tensors; k++)
			tensors[k].flow = 0;
		need(read_line("member", 1) && line[0] == set[i],
			"a member is missing");
		while (read_line("path", -3))
			alive += read_path();
		need(alive >= bound, "a member needs less");
	}
}

/* ------------------------------------------------------------- sets */

static uint64_t **sets, **listed; /* bits of ops; all, and those with a proof */
static uint64_t **goals; /* of which the next one is reached by a step */
static uint64_t *step;	 /* scratch: a set with the ops of a step more */
static size_t words;	 /* of a set */
static int n_sets, n_listed, n_goals;

static int by_bits(const void *a, const void *b)
{
	return memcmp(*(uint64_t *const *)a, *(uint64_t *const *)b,
		words * sizeof(**sets));
}

static uint64_t *join(uint64_t *set, const uint64_t *other)
{
	for (size_t i = 0; i < words; i++)
		set[i] |= other[i];
	return set;
}

/* Are the ops of the set in one of the two others? */
static bool is_part(const uint64_t *set, const uint64_t *a, const uint64_t *b)
{
	for (size_t i = 0; i < words; i++)
		if (set[i] & ~a[i] & ~b[i])
			return false;
	return true;
}

/* Bytes alive after the ops of the set. */
static int64_t alive_after(const uint64_t *set)
{
	int64_t alive = 0;

	for (const struct tensor *t = tensors; t < tensors + n_tensors; t++) {
		bool ended = !t->kept;

		for (int i = 0; i < t->n_readers; i++)
			ended &= is_in(set, t->readers[i]);
		alive += is_in(set, t->from) && !ended ? t->bytes : 0;
	}
	return alive;
}

/* With pairs, goals are that an op has run; without, that a tensor has died.
 * The last one is that all ops have run. */
static void find_goals(void)
{
	uint64_t *all = room(words, sizeof(*all));

	qsort(waits, (size_t)n_waits, sizeof(*waits), by_place);
	goals = room((size_t)n_ops + (size_t)n_tensors, sizeof(*goals));
	for (int i = 0; i < n_ops; i++) {
		ops[i].first = room(words, sizeof(*ops[i].first));
		ops[i].first[i / 64] |= UINT64_C(1) << i % 64;
		join(all, ops[i].first);
	}
	for (int i = 0; i < n_waits; i++)
		join(ops[waits[i].op].first, ops[waits[i].other].first);
	for (int i = 0; n_pairs > 0 && i < n_ops; i++)
		goals[n_goals++] = ops[i].first;
	for (const struct tensor *t = tensors; t < tensors + n_tensors; t++) {
		if (n_pairs > 0 || t->bytes == 0 || t->kept)
			continue;
		goals[n_goals++] = room(words, sizeof(**goals));
		if (t->from >= 0)
			join(goals[n_goals - 1], ops[t->from].first);
		for (int i = 0; i < t->n_readers; i++)
			join(goals[n_goals - 1], ops[t->readers[i]].first);
	}
	goals[n_goals++] = all;
}

/* Is another goal reached with fewer ops than the step has? */
static bool is_cut_short(const uint64_t *set)
{
	for (int i = 0; i < n_goals; i++)
		if (is_part(goals[i], step, step) &&
			!is_part(step, goals[i], set) &&
			!is_part(goals[i], set, set))
			return true;
	return false;
}

static bool is_below(const uint64_t *set, int64_t bytes)
{
	for (size_t i = 0; i < words && bytes < bound; i++) {
		const struct op *op = &ops[i * 64];

		for (uint64_t more = step[i] & ~set[i]; more && bytes < bound;
			more >>= 1, op++)
			bytes += more & 1 ? op->need : 0;
	}
	return bytes < bound;
}

/* No order below the bound goes on from the set: all steps, or a safe one, lead
 * to a listed set. */
static void check_set(const uint64_t *set)
{
	int64_t alive = alive_after(set);
	bool all = true, one = false, whole = true;

	find_needs(set);
	for (int i = 0; i < n_goals; i++) {
		if (is_part(goals[i], set, set))
			continue;
		whole = false;
		memcpy(step, set, words * sizeof(*step));
		join(step, goals[i]);
		if (is_below(set, alive) && !is_cut_short(set)) {
			bool is_listed = bsearch(&step, listed,
				(size_t)n_listed, sizeof(*listed), by_bits);

			all &= is_listed;
			one |= is_listed && alive_after(step) <= alive;
		}
	}
	need(!whole && (one || all), "a set may go on to one without proof");
}

/* Adds the set with one op more. */
static void add_set(int from, int op)
{
	need(!is_in(sets[from], op), "an op runs twice");
	for (int k = 0; k < n_waits; k++)
		need(waits[k].op != op || is_in(sets[from], waits[k].other),
			"an op is not ready");
	sets[n_sets] = join(room(words, sizeof(**sets)), sets[from]);
	sets[n_sets++][op / 64] |= UINT64_C(1) << op % 64;
}

/* Set 0 is the empty one. A line begins at a set, and each op gives the next;
 * of a group the last one is listed. */
static void check_sets(void)
{
	size_t most = strlen(at) / 2;
	bool group;

	words = (size_t)n_ops / 64 + 1;
	step = room(words, sizeof(*step));
	sets = room(most, sizeof(*sets));
	listed = room(most, sizeof(*listed));
	sets[n_sets++] = listed[n_listed++] = room(words, sizeof(**sets));
	while ((group = read_line("group", -2)) || read_line("after", -2)) {
		int from = index_of(line[0], n_sets);

		for (int i = 1; i < n_line; i++, from = n_sets - 1) {
			add_set(from, index_of(line[i], n_ops));
			if (!group || i + 1 == n_line)
				listed[n_listed++] = sets[n_sets - 1];
		}
	}
	qsort(listed, (size_t)n_listed, sizeof(*listed), by_bits);
	find_goals();
	for (int i = 0; i < n_listed; i++)
		check_set(listed[i]);
}

int main(int n, char **arguments)
{
	size_t rows;

	need(n == 3, "check-order-proof PLAN PROOF");
	read_plan(read_file(arguments[1]));
	rows = read_file(arguments[2]);
	line = room(rows, sizeof(*line));
	waits = room(rows, sizeof(*waits));
	pairs = room(rows, sizeof(*pairs));
	need_lines(at);
	need(skip("memplan.proof 1\n"), "this is no proof");
	at = strstr(--at, "\norder ");
	need(at && skip("\n") && read_line("order", 1) && line[0] == n_ops,
		"there is no order of these ops");
	read_problem();
	need(read_line("bound", 1), "there is no bound");
	bound = line[0];
	need(bound > 0, "every peak is 0 or more");
	if (read_line("sets", 0))
		check_sets();
	else if (read_line("first", -1))
		check_members(true);
	else {
		need(read_line("last", -1), "there is no body");
		check_members(false);
	}
	need(read_line("end", 0) && *at == '\0', "there is no end");
	printf("proved: every order has a peak of at least %" PRId64
	       " bytes, the plan of this one has %" PRId64
	       "; facts taken from the proof: %d\n",
		bound, arena, n_taken);
	return 0;
}
