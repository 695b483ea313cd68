/*
 * Loops and choices against brute force: small random graphs are planned, and a
 * player that knows no lifetimes runs them on the places of the plan, with any
 * number of iterations from 0 to 3 and any branches in each of them. Each write
 * has a stamp of its own, so a value of an iteration before is not taken for
 * that of this one.
 *
 * SPDX-License-Identifier: MIT
 */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "memplan/memplan.h"
#include "testing/random.h"

#define NONE UINT32_MAX

enum {
	OPS = 9,
	TENSORS = 32,
	LOOPS = 3,
	CHOICES = 3,
	BRANCHES = 2,
	INPUTS = 3, /* of an op */
	ARENA = 4096,
	TEXT = 16384,
	RUNS = 24, /* of a plan */
};

struct made {
	uint32_t size, producer;
	uint32_t choice, branch;
	uint32_t in; /* it is an alias that writes all of this one; NONE */
	bool is_output;
};

struct op {
	uint32_t inputs[INPUTS], n_inputs;
	uint32_t outputs[2], n_outputs;
	uint32_t choice, branch;
	uint32_t scratch; /* bytes; 0: none */
	uint32_t taker, given;
};

struct loop {
	uint32_t first, last, around;
	uint32_t in, out; /* carried; NONE: nothing */
};

struct net {
	struct op ops[OPS];
	struct made tensors[TENSORS];
	struct loop loops[LOOPS];
	uint32_t sites[CHOICES][2];
	uint32_t n_ops, n_tensors, n_loops, n_choices;
	uint64_t state;
	char text[TEXT];
	size_t length;

	/* of the plan */
	uint32_t order[OPS], offset[TENSORS], scratch_at[OPS];

	/* of a run */
	uint32_t bytes[ARENA]; /* the stamp of each */
	uint32_t stamp[TENSORS], stamps;
	bool exists[TENSORS];
	uint32_t taken[CHOICES];
	const char *complaint;
};

static uint32_t below(struct net *n, uint32_t most)
{
	return mp_testing_below(&n->state, most);
}

static bool has(const struct loop *loop, uint32_t op)
{
	return op != NONE && loop->first <= op && op <= loop->last;
}

/* ------------------------------------------------------------ graph */

static uint32_t add_tensor(struct net *n, uint32_t producer)
{
	struct made *t = &n->tensors[n->n_tensors];

	*t = (struct made){.size = 1 + below(n, 40),
		.producer = producer,
		.choice = NONE,
		.in = NONE};
	if (producer != NONE) {
		t->choice = n->ops[producer].choice;
		t->branch = n->ops[producer].branch;
	}
	return n->n_tensors++;
}

/* Inside the one before, or behind it. */
static void add_loops(struct net *n)
{
	uint32_t first = 0, last = n->n_ops - 1, around = NONE;

	for (uint32_t i = below(n, LOOPS + 1); i > 0 && first <= last; i--) {
		struct loop *loop = &n->loops[n->n_loops];
		uint32_t low = first + below(n, last - first + 1);
		uint32_t high = low + below(n, last - low + 1);

		*loop = (struct loop){low, high, around, NONE, NONE};
		n->n_loops++;
		if (below(n, 2)) {
			around = n->n_loops - 1;
			first = low;
			last = high;
		} else {
			first = high + 1;
		}
	}
}

static void add_choices(struct net *n)
{
	n->n_choices = below(n, CHOICES + 1);
	for (uint32_t c = 0; c < n->n_choices; c++) {
		uint32_t in = below(n, c + 1);

		n->sites[c][0] = in == c ? NONE : in;
		n->sites[c][1] = below(n, BRANCHES);
	}
}

static void make_op(struct net *n, uint32_t i)
{
	struct op *op = &n->ops[i];
	uint32_t n_before = n->n_tensors;

	*op = (struct op){.choice = NONE, .taker = NONE};
	if (n->n_choices > 0 && below(n, 2)) {
		op->choice = below(n, n->n_choices);
		op->branch = below(n, BRANCHES);
	}
	for (uint32_t k = 1 + below(n, INPUTS); k > 0; k--)
		op->inputs[op->n_inputs++] =
			n_before - 1 - below(n, n_before < 6 ? n_before : 6);
	for (uint32_t k = 1 + below(n, 2); k > 0; k--)
		op->outputs[op->n_outputs++] = add_tensor(n, i);
	op->scratch = below(n, 3) ? 0 : 1 + below(n, 40);
	n->tensors[op->outputs[0]].is_output = !below(n, 6);
	if (below(n, 2)) {
		op->taker = op->outputs[0];
		op->given = op->inputs[0];
		n->tensors[op->taker].size = n->tensors[op->given].size;
	}
}

/* A tensor from before the loop takes the value of one that is made in it, in
 * place or not. */
static void carry(struct net *n, struct loop *loop)
{
	for (uint32_t k = 0; k < 20 && loop->in == NONE; k++) {
		uint32_t in = below(n, n->n_tensors);
		uint32_t out = below(n, n->n_tensors);
		const struct made *a = &n->tensors[in];
		struct made *b = &n->tensors[out];

		if (!has(loop, b->producer) || b->in != NONE || b->is_output ||
			n->ops[b->producer].taker == out ||
			(a->producer != NONE && a->producer >= loop->first))
			continue;
		loop->in = in;
		loop->out = out;
		b->size = a->size;
		if (below(n, 2))
			b->in = in;
	}
}

static void say(struct net *n, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	n->length += (size_t)vsnprintf(
		n->text + n->length, TEXT - n->length, format, list);
	va_end(list);
	cr_assert_lt(n->length, TEXT);
}

static void say_tensors(struct net *n)
{
	for (uint32_t t = 0; t < n->n_tensors; t++) {
		const struct made *m = &n->tensors[t];

		say(n, "%s{\"id\":%u,\"size\":%u", t ? ",\n" : "", t, m->size);
		if (m->producer == NONE || m->is_output)
			say(n, ",\"kind\":\"%s\"",
				m->producer == NONE ? "input" : "output");
		if (m->in != NONE)
			say(n, ",\"alias\":{\"of\":%u,\"writes\":true}", m->in);
		say(n, "}");
	}
}

static void say_op(struct net *n, const struct op *op)
{
	say(n, "{\"inputs\":[");
	for (uint32_t k = 0; k < op->n_inputs; k++)
		say(n, "%s%u", k ? "," : "", op->inputs[k]);
	say(n, "],\"outputs\":[");
	for (uint32_t k = 0; k < op->n_outputs; k++)
		say(n, "%s%u", k ? "," : "", op->outputs[k]);
	say(n, "]");
	if (op->scratch)
		say(n, ",\"temporaries\":[%u]", op->scratch);
	if (op->choice != NONE)
		say(n, ",\"branch\":[%u,%u]", op->choice, op->branch);
	if (op->taker != NONE)
		say(n, ",\"inplace\":[[%u,%u]]", op->taker, op->given);
	say(n, "}");
}

static void print(struct net *n)
{
	say(n,
		"{\"format\":\"memplan.graph\",\"version\":1,\"alignment\":%u,"
		"\"tensors\":[",
		1u << below(n, 5));
	say_tensors(n);
	say(n, "],\n\"ops\":[");
	for (uint32_t i = 0; i < n->n_ops; i++) {
		say(n, i ? ",\n" : "");
		say_op(n, &n->ops[i]);
	}
	say(n, "],\n\"exclusive\":[");
	for (uint32_t c = 0; c < n->n_choices; c++)
		if (n->sites[c][0] == NONE)
			say(n, "%s[[],[]]", c ? "," : "");
		else
			say(n, ",{\"in\":[%u,%u],\"branches\":[[],[]]}",
				n->sites[c][0], n->sites[c][1]);
	say(n, "],\n\"loops\":[");
	for (uint32_t i = 0; i < n->n_loops; i++) {
		const struct loop *loop = &n->loops[i];

		say(n, "%s{\"first\":%u,\"last\":%u", i ? "," : "", loop->first,
			loop->last);
		if (loop->in != NONE)
			say(n, ",\"carried\":[[%u,%u]]", loop->in, loop->out);
		say(n, "}");
	}
	say(n, "]}\n");
}

static void make(struct net *n, uint64_t seed)
{
	memset(n, 0, sizeof(*n));
	n->state = seed;
	n->n_ops = 2 + below(n, OPS - 1);
	add_loops(n);
	add_choices(n);
	add_tensor(n, NONE);
	if (below(n, 2))
		add_tensor(n, NONE);
	for (uint32_t i = 0; i < n->n_ops; i++)
		make_op(n, i);
	for (uint32_t i = 0; i < n->n_loops; i++)
		if (below(n, 3))
			carry(n, &n->loops[i]);
	print(n);
}

/* ------------------------------------------------------------- plan */

static void take(struct net *n, const memplan *m)
{
	struct memplan_tensor tensor;
	struct memplan_op op;
	uint32_t at = n->n_tensors;

	for (uint32_t t = 0; t < n->n_tensors; t++) {
		cr_assert(memplan_tensor_at(m, t, &tensor, sizeof(tensor)));
		n->offset[t] = (uint32_t)tensor.offset;
		cr_assert_leq(tensor.offset + tensor.size, ARENA);
	}
	for (uint32_t i = 0; i < n->n_ops; i++) {
		cr_assert(memplan_op_at(m, i, &op, sizeof(op)));
		n->order[i] = op.index;
		if (n->ops[i].scratch == 0)
			continue;
		cr_assert(memplan_tensor_at(m, at++, &tensor, sizeof(tensor)));
		n->scratch_at[i] = (uint32_t)tensor.offset;
		cr_assert_leq(tensor.offset + tensor.size, ARENA);
	}
}

/* -------------------------------------------------------------- run */

static bool complain(struct net *n, const char *what)
{
	if (!n->complaint)
		n->complaint = what;
	return false;
}

static bool runs(const struct net *n, uint32_t choice, uint32_t branch)
{
	while (choice != NONE && n->taken[choice] == branch) {
		branch = n->sites[choice][1];
		choice = n->sites[choice][0];
	}
	return choice == NONE;
}

/* Is the choice inside the other one, or the same? */
static bool stands_in(const struct net *n, uint32_t choice, uint32_t in)
{
	while (choice != NONE && choice != in)
		choice = n->sites[choice][0];
	return choice == in;
}

/* A choice is made in each iteration of a loop that makes all its tensors. */
static void choose(struct net *n, const struct loop *loop)
{
	for (uint32_t c = 0; c < n->n_choices; c++) {
		bool inside = true;

		for (uint32_t i = 0; i < n->n_ops && loop; i++)
			inside &= n->ops[i].choice == NONE ||
				  !stands_in(n, n->ops[i].choice, c) ||
				  has(loop, i);
		if (inside)
			n->taken[c] = below(n, BRANCHES);
	}
}

static void fill(struct net *n, uint32_t at, uint32_t size, uint32_t stamp)
{
	for (uint32_t i = at; i < at + size; i++)
		n->bytes[i] = stamp;
}

static bool is_filled(
	const struct net *n, uint32_t at, uint32_t size, uint32_t stamp)
{
	for (uint32_t i = at; i < at + size; i++)
		if (n->bytes[i] != stamp)
			return false;
	return true;
}

static void write(struct net *n, uint32_t t)
{
	n->stamp[t] = ++n->stamps;
	n->exists[t] = true;
	fill(n, n->offset[t], n->tensors[t].size, n->stamp[t]);
}

static bool is_there(const struct net *n, uint32_t t)
{
	return !n->exists[t] ||
	       is_filled(n, n->offset[t], n->tensors[t].size, n->stamp[t]);
}

/* May the op overwrite its own input? */
static bool may_write(const struct net *n, const struct op *op, uint32_t t)
{
	bool may = op->taker != NONE && op->given == t &&
		   n->offset[op->taker] == n->offset[t];

	for (uint32_t k = 0; k < op->n_outputs; k++)
		may |= n->tensors[op->outputs[k]].in == t;
	return may;
}

static bool run_op(struct net *n, uint32_t i)
{
	const struct op *op = &n->ops[i];
	uint32_t scratch;

	if (!runs(n, op->choice, op->branch))
		return true;
	for (uint32_t k = 0; k < op->n_inputs; k++)
		if (!is_there(n, op->inputs[k]))
			return complain(n, "an input is lost");
	for (uint32_t k = 0; k < op->n_outputs; k++)
		write(n, op->outputs[k]);
	scratch = ++n->stamps;
	fill(n, n->scratch_at[i], op->scratch, scratch);
	for (uint32_t k = 0; k < op->n_inputs; k++)
		if (!may_write(n, op, op->inputs[k]) &&
			!is_there(n, op->inputs[k]))
			return complain(n, "an op overwrites its input");
	for (uint32_t k = 0; k < op->n_outputs; k++)
		if (!is_there(n, op->outputs[k]))
			return complain(n, "outputs overlap");
	return is_filled(n, n->scratch_at[i], op->scratch, scratch) ||
	       complain(n, "the temporary is lost");
}

/* In place a loop has what was written last, even if that was in an earlier
 * iteration of a loop inside. */
static bool hand_on(struct net *n, const struct loop *loop)
{
	uint32_t in = loop->in, out = loop->out;

	if (in == NONE)
		return true;
	if (n->tensors[out].in == in && n->exists[in] &&
		is_filled(n, n->offset[out], n->tensors[out].size,
			n->stamp[out])) {
		n->stamp[in] = n->stamp[out];
		return true;
	}
	if (!is_there(n, in))
		return complain(n, "what is carried in is lost");
	if (!is_there(n, out))
		return complain(n, "what is carried on is lost");
	if (n->exists[in] && n->exists[out])
		write(n, in);
	return true;
}

static void forget(struct net *n, const struct loop *loop)
{
	for (uint32_t t = 0; t < n->n_tensors; t++)
		n->exists[t] &= !has(loop, n->tensors[t].producer);
}

/* The loop within `around` that has the op; NONE: there is none. */
static uint32_t loop_at(const struct net *n, uint32_t around, uint32_t op)
{
	for (uint32_t i = 0; i < n->n_loops; i++)
		if (n->loops[i].around == around && has(&n->loops[i], op))
			return i;
	return NONE;
}

/* As deep as loops are. */
static bool run(struct net *n, uint32_t around, uint32_t from, uint32_t to)
{
	for (uint32_t step = from; step < to; step++) {
		uint32_t i = loop_at(n, around, n->order[step]);
		const struct loop *loop = &n->loops[i == NONE ? 0 : i];
		uint32_t end = step + loop->last - loop->first + 1;

		if (i == NONE) {
			if (!run_op(n, n->order[step]))
				return false;
			continue;
		}
		for (uint32_t k = step; k < end; k++)
			if (k >= to || !has(loop, n->order[k]))
				return complain(n, "a body is torn");
		for (uint32_t trips = below(n, 4); trips > 0; trips--) {
			forget(n, loop);
			choose(n, loop);
			if (!run(n, i, step, end) || !hand_on(n, loop))
				return false;
		}
		step = end - 1;
	}
	return true;
}

static bool run_all(struct net *n)
{
	memset(n->bytes, 0, sizeof(n->bytes));
	memset(n->exists, 0, sizeof(n->exists));
	for (uint32_t t = 0; t < n->n_tensors; t++)
		if (n->tensors[t].producer == NONE)
			write(n, t);
	choose(n, NULL);
	if (!run(n, NONE, 0, n->n_ops))
		return false;
	for (uint32_t t = 0; t < n->n_tensors; t++)
		if (n->tensors[t].is_output && !is_there(n, t))
			return complain(n, "an output is lost");
	return true;
}

/* ------------------------------------------------------------ tests */

/* Is the plan that was written valid, and written again the same? */
static void expect_same(const struct net *n, memplan *m)
{
	memplan *again = memplan_new(), *graph = memplan_new();
	const void *plan, *copy;
	size_t length, copied;

	cr_assert_eq(memplan_write(m, "plan", &plan, &length), MEMPLAN_OK);
	memplan_input(again, "graph", "n.plan.json", plan, length);
	memplan_input(graph, "graph", "n.json", n->text, n->length);
	cr_assert_eq(memplan_check_against(graph, again), MEMPLAN_OK,
		"%s%s\n%s%.*s", memplan_error(graph), memplan_error(again),
		n->text, (int)length, (const char *)plan);
	memplan_free(again);
	again = memplan_new();
	memplan_input(again, "graph", "n.plan.json", plan, length);
	cr_assert_eq(
		memplan_plan(again), MEMPLAN_OK, "%s", memplan_error(again));
	cr_assert_eq(memplan_write(again, "plan", &copy, &copied), MEMPLAN_OK);
	cr_assert(copied == length && memcmp(plan, copy, length) == 0,
		"%s%.*s\n%.*s", n->text, (int)length, (const char *)plan,
		(int)copied, (const char *)copy);
	memplan_free(graph);
	memplan_free(again);
}

Test(loops, plans_hold_in_every_iteration)
{
	static const char *const planners[] = {
		"auto", "greedy-size", "online-best", "eject"};
	static struct net n;
	uint64_t graphs = mp_testing_cases(1000, 1);
	uint64_t first = mp_testing_first();
	uint32_t planned = 0, looping = 0, carrying = 0;

	for (uint64_t seed = first; seed < first + graphs; seed++) {
		memplan *m = memplan_new();
		enum memplan_status status;

		make(&n, seed);
		memplan_input(m, "graph", "n.json", n.text, n.length);
		memplan_set(m, "planner", planners[seed % 4]);
		memplan_set(m, "order", seed % 3 ? "keep" : "auto");
		memplan_set(m, "steps", "20000");
		status = memplan_plan(m);
		cr_assert(status == MEMPLAN_OK || status == MEMPLAN_EINPUT ||
				  status == MEMPLAN_EUSAGE,
			"seed %llu: %s\n%s", (unsigned long long)seed,
			memplan_error(m), n.text);
		if (status == MEMPLAN_OK) {
			take(&n, m);
			for (uint32_t k = 0; k < RUNS && !n.complaint; k++)
				run_all(&n);
			cr_assert_null(n.complaint, "seed %llu: %s\n%s",
				(unsigned long long)seed, n.complaint, n.text);
			expect_same(&n, m);
			planned++;
			looping += n.n_loops > 0;
			for (uint32_t i = 0; i < n.n_loops; i++)
				carrying += n.loops[i].in != NONE;
		}
		memplan_free(m);
	}
	fprintf(stderr, "%u of %llu planned, %u with loops, %u carry\n",
		planned, (unsigned long long)graphs, looping, carrying);
	cr_assert(planned > graphs / 2 && looping > graphs / 3 &&
		  carrying > graphs / 10);
}
