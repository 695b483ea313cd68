/*
 * Control flow of a TFLite model. An op that calls subgraphs becomes an op that
 * begins it, and writes its outputs, and one that ends it; between them are the
 * subgraphs, each between an op that writes its inputs and one that reads its
 * outputs. So everything lives as in TFLM's scopes: the subgraphs of an op
 * share bytes, and the op's own tensors outlast them. IF is a choice of the
 * graph. WHILE is a loop of it, which carries what its body gives on to the
 * op's outputs: its iterations begin with these.
 *
 * SPDX-License-Identifier: MIT
 */
#include "input/tflite/tflite.h"

#include <assert.h>

enum {
	MOST_DEPTH = 32,
	MOST_CALLED = 2, /* subgraphs that an op calls */
};

/* Operators that call subgraphs, and where their options name these. */
static const struct flow {
	uint32_t code;
	uint32_t options; /* type of the options */
	const char *names[MOST_CALLED];
} flows[] = {{TFL_IF, 92, {"then", "else"}}, {TFL_WHILE, 93, {"cond", "body"}},
	{TFL_CALL_ONCE, 103, {"init", NULL}}, {TFL_CALL, 16, {"body", NULL}}};

/* A subgraph on the way through it. */
struct frame {
	const struct tflite_subgraph *subgraph;
	uint32_t next; /* op */

	/* An op that calls subgraphs, while they are walked; else NULL. */
	const struct flow *flow;
	const struct tflite_code *code;
	const char *name;
	struct flat_vector inputs, outputs;
	uint32_t called[MOST_CALLED];
	uint32_t n_called, entered;
	uint32_t choice, loop; /* that it is; NONE: it is none */
};

struct walk {
	struct tflite *m;
	struct frame frames[MOST_DEPTH];
	uint32_t depth;
};

/* ---------------------------------------------------------- markers */

/* An op that stands for a border of a call; no op moves across it. */
static bool mark(struct walk *w, const struct frame *frame, const char *what,
	const char *behind)
{
	struct tflite *m = w->m;
	uint32_t *barriers = mp_arena_grow(m->arena, m->barriers, m->n_barriers,
		&m->room_barriers, sizeof(*barriers));

	if (!barriers)
		return false;
	m->barriers = barriers;
	barriers[m->n_barriers++] = m->graph->n_ops;
	return mp_input_tflite_add_op(m,
		mp_arena_print(m->arena, "%s/%s%s", frame->name, what, behind),
		frame->code->name);
}

/* The subgraph is a branch of the choice, or stands in the same branch as the
 * op. */
static struct choice_site find_site(const struct frame *frame)
{
	return frame->choice == NONE
		       ? frame->subgraph->site
		       : (struct choice_site){frame->choice, frame->entered};
}

static bool enter(struct walk *w, struct frame *frame)
{
	struct tflite *m = w->m;
	struct tflite_subgraph *called =
		&m->subgraphs[frame->called[frame->entered]];

	if (frame->loop != NONE && frame->entered == 0)
		m->loops[frame->loop].first = m->graph->n_ops;
	called->site = find_site(frame);
	if (!mark(w, frame, frame->flow->names[frame->entered], "") ||
		!mp_input_tflite_reads(m, frame->subgraph, &frame->inputs) ||
		(frame->loop != NONE &&
			!mp_input_tflite_reads(
				m, frame->subgraph, &frame->outputs)) ||
		!mp_input_tflite_writes(m, called, &called->inputs))
		return false;
	frame->entered++;
	w->frames[w->depth++] = (struct frame){.subgraph = called};
	return true;
}

/* Output k of the op takes the value of output k of the body. Constants and
 * variables have no bytes that could be kept for it. */
static bool carry(struct tflite *m, const struct frame *frame,
	const struct tflite_subgraph *body, uint32_t k, struct graph_loop *loop)
{
	uint32_t in, out;

	if (!mp_input_tflite_tensor(
		    m, frame->subgraph, &frame->outputs, k, &in) ||
		!mp_input_tflite_tensor(m, body, &body->outputs, k, &out))
		return false;
	if (in != NONE && out != NONE && m->tensors[out].written &&
		m->tensors[in].storage == TFL_ARENA &&
		m->tensors[out].storage == TFL_ARENA &&
		m->graph->tensors[in].size == m->graph->tensors[out].size)
		loop->carried[loop->n_carried++] =
			(struct carried_pair){in, out, false};
	return true;
}

static bool end_loop(struct tflite *m, const struct frame *frame,
	const struct tflite_subgraph *body)
{
	struct graph_loop *loop = &m->loops[frame->loop];
	uint32_t n = frame->outputs.n < body->outputs.n ? frame->outputs.n
							: body->outputs.n;

	loop->last = m->graph->n_ops - 1;
	loop->carried = NEW(m->arena, struct carried_pair, n);
	if (!loop->carried)
		return false;
	for (uint32_t k = 0; k < n; k++)
		if (!carry(m, frame, body, k, loop))
			return false;
	return true;
}

static bool leave(struct walk *w, const struct frame *frame)
{
	uint32_t last = frame->entered - 1;
	const struct tflite_subgraph *called =
		&w->m->subgraphs[frame->called[last]];

	return mark(w, frame, frame->flow->names[last], "/end") &&
	       mp_input_tflite_reads(w->m, called, &called->outputs) &&
	       (frame->loop == NONE || frame->entered < frame->n_called ||
		       end_loop(w->m, frame, called));
}

static bool end(struct walk *w, struct frame *frame)
{
	if (!mark(w, frame, "end", "") ||
		!mp_input_tflite_reads(w->m, frame->subgraph, &frame->inputs) ||
		!mp_input_tflite_reads(w->m, frame->subgraph, &frame->outputs))
		return false;
	frame->flow = NULL;
	return true;
}

/* The next step of an op that calls subgraphs. */
static bool go_on(struct walk *w, struct frame *frame)
{
	if (frame->entered > 0 && !leave(w, frame))
		return false;
	return frame->entered < frame->n_called ? enter(w, frame)
						: end(w, frame);
}

/* ------------------------------------------------------------ calls */

static const struct flow *find_flow(uint32_t code)
{
	for (uint32_t i = 0; i < countof(flows); i++)
		if (flows[i].code == code)
			return &flows[i];
	return NULL;
}

/* TFLM runs a subgraph that is called from two places in the same bytes, which
 * no lifetime of ours describes. */
static bool check_call(struct walk *w, uint32_t at, uint64_t called)
{
	struct tflite *m = w->m;

	if (called >= m->n_subgraphs)
		return mp_input_flat_fail(&m->flat, at,
			"an op calls subgraph %u of %u", (uint32_t)called,
			m->n_subgraphs);
	if (called == 0 || m->subgraphs[called].called)
		return mp_input_flat_fail(&m->flat, at,
			"an op calls subgraph %u, which is called before: "
			"memplan plans models that call each subgraph once",
			(uint32_t)called);
	if (w->depth == MOST_DEPTH)
		return mp_input_flat_fail(&m->flat, at,
			"subgraphs are nested deeper than %d", MOST_DEPTH);
	m->subgraphs[called].called = true;
	return true;
}

static bool read_called(struct walk *w, struct frame *frame,
	const struct flat_table *table, const struct flow *flow)
{
	struct flat *flat = &w->m->flat;
	struct flat_table options;
	uint64_t type = 0;

	if (!mp_input_flat_number(flat, table, OP_OPTIONS_TYPE, 1, &type) ||
		!mp_input_flat_table(flat, table, OP_OPTIONS, &options))
		return false;
	if (type != flow->options)
		return mp_input_flat_fail(flat, table->at,
			"%s has options of type %u, not %u", frame->code->name,
			(uint32_t)type, flow->options);
	for (uint32_t i = 0; i < MOST_CALLED && flow->names[i]; i++) {
		uint64_t called = 0;

		if (!mp_input_flat_number(flat, &options, i, 4, &called) ||
			!check_call(w, table->at, called))
			return false;
		frame->called[frame->n_called++] = (uint32_t)called;
	}
	return true;
}

/* The choice or the loop that an op is. */
static bool number_flow(struct tflite *m, struct frame *frame)
{
	frame->choice = frame->loop = NONE;
	if (frame->flow->code == TFL_IF) {
		frame->choice = m->n_choices;
		m->sites = mp_arena_grow(m->arena, m->sites, m->n_choices,
			&m->room_sites, sizeof(*m->sites));
		if (!m->sites)
			return false;
		m->sites[m->n_choices++] = frame->subgraph->site;
	} else if (frame->flow->code == TFL_WHILE) {
		frame->loop = m->n_loops;
		m->loops = mp_arena_grow(m->arena, m->loops, m->n_loops,
			&m->room_loops, sizeof(*m->loops));
		if (!m->loops)
			return false;
		m->loops[m->n_loops++] = (struct graph_loop){0};
	}
	return true;
}

static bool begin(struct walk *w, struct frame *frame,
	const struct flat_table *table, const struct flow *flow)
{
	struct tflite *m = w->m;

	frame->n_called = frame->entered = 0;
	frame->flow = flow;
	return read_called(w, frame, table, flow) && number_flow(m, frame) &&
	       mp_input_flat_vector(
		       &m->flat, table, OP_INPUTS, 4, &frame->inputs) &&
	       mp_input_flat_vector(
		       &m->flat, table, OP_OUTPUTS, 4, &frame->outputs) &&
	       mark(w, frame, "begin", "") &&
	       mp_input_tflite_reads(m, frame->subgraph, &frame->inputs) &&
	       mp_input_tflite_writes(m, frame->subgraph, &frame->outputs);
}

/* -------------------------------------------------------------- ops */

static bool find_code(struct tflite *m, const struct flat_table *table,
	const struct tflite_code **code)
{
	uint64_t index = 0;

	if (!mp_input_flat_number(&m->flat, table, OP_CODE, 4, &index))
		return false;
	if (index >= m->n_codes)
		return mp_input_flat_fail(&m->flat, table->at,
			"an op has operator code %u of %u", (uint32_t)index,
			m->n_codes);
	*code = &m->codes[index];
	return true;
}

/* "12:CONV_2D"; where there are several subgraphs "0:12:CONV_2D". */
static const char *name_op(const struct tflite *m, const struct frame *frame)
{
	uint32_t subgraph = (uint32_t)(frame->subgraph - m->subgraphs);

	return m->n_subgraphs == 1
		       ? mp_arena_print(m->arena, "%u:%s", frame->next,
				 frame->code->name)
		       : mp_arena_print(m->arena, "%u:%u:%s", subgraph,
				 frame->next, frame->code->name);
}

/* The next op of the subgraph of a frame. */
static bool read_op(struct walk *w, struct frame *frame)
{
	struct tflite *m = w->m;
	struct flat_table table;
	const struct flow *flow;
	bool folded;

	if (!mp_input_flat_item(
		    &m->flat, &frame->subgraph->ops, frame->next, &table) ||
		!find_code(m, &table, &frame->code) ||
		!mp_input_tflite_fold(
			m, frame->subgraph, &table, frame->code, &folded))
		return false;
	if (m->graph->n_ops >= TFLITE_MOST)
		return mp_input_flat_fail(
			&m->flat, table.at, "more than %d ops", TFLITE_MOST);
	if (folded) {
		frame->next++;
		return true;
	}
	assert(frame->code);
	frame->name = name_op(m, frame);
	frame->next++;
	flow = find_flow(frame->code->code);
	return flow ? begin(w, frame, &table, flow)
		    : mp_input_tflite_add_plain(m, frame->subgraph, &table,
			      frame->code, frame->name);
}

/* A model may have further subgraphs for other signatures. */
static void warn_of_uncalled(const struct tflite *m)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->n_subgraphs; i++)
		n += !m->subgraphs[i].called;
	if (n > 0)
		mp_warn(m->error,
			"%s: %u of %u subgraphs left out: none that runs calls "
			"them",
			m->flat.file->name, n, m->n_subgraphs);
}

bool mp_input_tflite_read_ops(struct tflite *m)
{
	struct walk w = {
		.m = m, .frames = {{.subgraph = m->subgraphs}}, .depth = 1};
	struct frame *frame;

	m->subgraphs[0].called = true;
	while (w.depth > 0) {
		frame = &w.frames[w.depth - 1];
		if (frame->flow) {
			if (!go_on(&w, frame))
				return false;
		} else if (frame->next < frame->subgraph->ops.n) {
			if (!read_op(&w, frame))
				return false;
		} else {
			w.depth--;
		}
	}
	warn_of_uncalled(m);
	return true;
}

/* ------------------------------------------------------------- link */

static void link_loops(struct tflite *m, const uint32_t *number)
{
	for (uint32_t i = 0; i < m->n_loops; i++)
		for (uint32_t k = 0; k < m->loops[i].n_carried; k++) {
			struct carried_pair *pair = &m->loops[i].carried[k];

			pair->in = number[pair->in];
			pair->out = number[pair->out];
		}
	m->graph->loops = m->loops;
	m->graph->n_loops = m->n_loops;
}

/* What a subgraph makes is in the branch of the subgraph. What none writes is
 * there from the start, whichever branch runs. */
static bool link_branches(struct tflite *m, const uint32_t *number)
{
	struct ties *ties = &m->graph->ties;
	struct tensor_branch *branches;

	if (m->n_choices == 0)
		return true;
	branches = NEW(m->arena, struct tensor_branch, m->graph->n_tensors);
	if (!branches)
		return false;
	for (uint32_t s = 0; s < m->n_subgraphs; s++) {
		const struct tflite_subgraph *subgraph = &m->subgraphs[s];

		if (subgraph->site.choice == NONE)
			continue;
		for (uint32_t i = 0; i < subgraph->n; i++) {
			uint32_t t = subgraph->first + i;

			if (m->tensors[t].used && m->tensors[t].written &&
				m->tensors[t].storage == TFL_ARENA)
				branches[ties->n_branches++] =
					(struct tensor_branch){number[t],
						subgraph->site.choice,
						subgraph->site.branch};
		}
	}
	mp_graph_ties_set_branches(ties, branches, m->sites, m->n_choices);
	return true;
}

bool mp_input_tflite_link_flow(struct tflite *m, const uint32_t *number)
{
	link_loops(m, number);
	return link_branches(m, number);
}
