/*
 * Random graphs with everything at once. Most of them are legal: what was
 * written over is not read again, and a fixed tensor has a place of its own.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/player-random.h"

#include <string.h>

/* ---------------------------------------------------------- tensors */

static void make_lifelong(struct maker *m, struct play_tensor *t)
{
	static const char *const words[] = {"start", "end", "all"};
	uint32_t word = mp_testing_make_below(m, 3);

	t->lifelong = words[word];
	t->from_start |= word != 1;
	t->to_end |= word != 0;
}

/* Sets the fields that follow from the kind and the policies. */
static void settle_kind(struct maker *m, struct play_tensor *t)
{
	bool kept = t->kind == KIND_STATE || t->kind == KIND_WEIGHT;
	bool input = t->kind == KIND_INPUT, output = t->kind == KIND_OUTPUT;
	bool throughout = (input && m->play->inputs == POLICY_THROUGHOUT) ||
			  (output && m->play->outputs == POLICY_THROUGHOUT);

	t->from_start |= kept || throughout || input;
	t->to_end |= kept || throughout || output;
}

static uint32_t add_tensor(struct maker *m, uint8_t kind, uint32_t producer)
{
	uint32_t i = m->play->n_listed++;
	struct play_tensor *t = &m->play->tensors[i];

	*t = (struct play_tensor){.size = 1 + mp_testing_make_below(m, 40),
		.kind = kind,
		.producer = producer,
		.of = NONE,
		.choice = NONE,
		.group = NONE};
	if (m->empty && mp_testing_make_one_in(m, 12))
		t->size = 0;
	if (mp_testing_make_one_in(m, 6))
		t->align = UINT64_C(1) << mp_testing_make_below(m, 7);
	settle_kind(m, t);
	if (m->lifelong && m->play->has_ops && mp_testing_make_one_in(m, 8))
		make_lifelong(m, t);
	return i;
}

static bool has_room(const struct maker *m, uint32_t n)
{
	return m->play->n_listed + n <= PLAY_LISTED - 4;
}

/* ---------------------------------------------------------- aliases */

/* The other tensors of the tree that share bytes with this one. */
static uint64_t touched_by(const struct play *play, uint32_t alias)
{
	uint64_t touched = 0, low = mp_testing_player_base(play, alias);
	uint64_t high = low + play->tensors[alias].size;

	for (uint32_t i = 0; i < play->n_listed; i++) {
		uint64_t base = mp_testing_player_base(play, i);

		if (i != alias && !mp_testing_player_is_below(play, i, alias) &&
			mp_testing_player_root(play, i) ==
				mp_testing_player_root(play, alias) &&
			base < high && low < base + play->tensors[i].size)
			touched |= PLAY_BIT(i);
	}
	return touched;
}

/* No alias overwrites a tensor that is needed to the end, unless it updates a
 * state. */
static bool may_write(const struct maker *m, uint64_t touched, uint32_t alias)
{
	const struct play *play = m->play;

	for (uint32_t i = 0; i < play->n_listed; i++) {
		const struct play_tensor *t = &play->tensors[i];
		bool kept = t->kind == KIND_STATE || t->kind == KIND_WEIGHT;

		if (!(touched & PLAY_BIT(i)))
			continue;
		if (t->lifelong || (t->to_end && !kept) ||
			t->producer == play->tensors[alias].producer ||
			(t->kind == KIND_INPUT && t->to_end))
			return false;
	}
	return true;
}

static uint32_t pick_readable(struct maker *m)
{
	uint32_t i = mp_testing_make_below(m, m->play->n_listed);

	return m->stale & PLAY_BIT(i) ? NONE : i;
}

/* Makes a new tensor an alias of an older one. */
static bool become_alias(struct maker *m, uint32_t i)
{
	struct play_tensor *t = &m->play->tensors[i];
	uint32_t of = pick_readable(m);
	const struct play_tensor *whole =
		&m->play->tensors[of == NONE ? i : of];

	if (of == NONE || of == i || whole->size == 0 || t->lifelong ||
		(t->producer != NONE && whole->producer == t->producer))
		return false;
	t->of = of;
	t->size = 1 + mp_testing_make_below(m, (uint32_t)whole->size);
	t->at = mp_testing_make_below(m, (uint32_t)(whole->size - t->size) + 1);
	t->align = 0;
	m->of_any |= PLAY_BIT(i) | PLAY_BIT(of);
	return true;
}

/* -------------------------------------------------------------- ops */

static void read_some(struct maker *m, uint32_t op)
{
	struct play_op *o = &m->play->ops[op];

	for (uint32_t n = mp_testing_make_below(m, 3) + 1; n > 0; n--) {
		uint32_t i = pick_readable(m);

		if (i != NONE && m->play->tensors[i].producer != op)
			o->inputs |= PLAY_BIT(i);
	}
}

static void write_alias(struct maker *m, uint32_t op, uint32_t i)
{
	struct play *play = m->play;
	uint64_t touched = touched_by(play, i);
	uint64_t outputs = play->ops[op].outputs;

	if (play->tensors[i].kind == KIND_ACTIVATION &&
		mp_testing_make_one_in(m, 2) && !(touched & outputs) &&
		may_write(m, touched, i)) {
		play->tensors[i].writes = true;
		m->stale |= touched;
		if (mp_testing_make_one_in(m, 4))
			return;
	}
	play->ops[op].inputs |= PLAY_BIT(play->tensors[i].of);
}

static void make_output(struct maker *m, uint32_t op)
{
	uint8_t kind =
		mp_testing_make_one_in(m, 6) ? KIND_OUTPUT : KIND_ACTIVATION;
	uint32_t i = add_tensor(m, kind, op);

	if (m->aliases && mp_testing_make_one_in(m, 3) && become_alias(m, i))
		write_alias(m, op, i);
	m->play->ops[op].outputs |= PLAY_BIT(i);
}

/* Adds an alias that no op makes. */
static void make_view(struct maker *m)
{
	uint32_t i = add_tensor(m, KIND_ACTIVATION, NONE);

	if (!become_alias(m, i))
		m->play->n_listed--;
}

/* Draws an output and an input of the op. */
static void pair_in_place(struct maker *m, uint32_t op)
{
	struct play *play = m->play;
	struct play_op *o = &play->ops[op];

	o->taker = o->given = NONE;
	for (uint32_t i = 0; i < play->n_listed; i++) {
		if ((o->outputs & PLAY_BIT(i)) && mp_testing_make_one_in(m, 2))
			o->taker = i;
		if ((o->inputs & PLAY_BIT(i)) && mp_testing_make_one_in(m, 2))
			o->given = i;
	}
	if (o->given == NONE || o->taker == NONE)
		o->taker = o->given = NONE;
	else if (mp_testing_make_one_in(m, 2) &&
		 !(m->of_any & PLAY_BIT(o->taker)))
		play->tensors[o->taker].size = play->tensors[o->given].size;
}

static void make_op(struct maker *m, uint32_t op)
{
	struct play_op *o = &m->play->ops[op];

	o->stream = mp_testing_make_below(m, m->play->n_streams);
	if (m->aliases && has_room(m, 2) && mp_testing_make_one_in(m, 4))
		make_view(m);
	read_some(m, op);
	for (uint32_t k = 0; k < op; k++)
		if (mp_testing_make_one_in(m, 10))
			o->after |= 1u << k;
	make_output(m, op);
	if (has_room(m, 2) && mp_testing_make_one_in(m, 3))
		make_output(m, op);
	pair_in_place(m, op);
}

static void make_ops(struct maker *m)
{
	struct play *play = m->play;

	add_tensor(m, KIND_INPUT, NONE);
	if (mp_testing_make_one_in(m, 2))
		add_tensor(m, KIND_INPUT, NONE);
	if (mp_testing_make_one_in(m, 6))
		add_tensor(m, KIND_WEIGHT, NONE);
	for (uint32_t n = m->states ? 1 + mp_testing_make_below(m, 3) : 0;
		n > 0; n--)
		add_tensor(m, KIND_STATE, NONE);
	for (uint32_t op = 0; op < play->n_ops; op++)
		make_op(m, op);
}

static void make_temporaries(struct maker *m)
{
	struct play *play = m->play;

	play->n_tensors = play->n_listed;
	for (uint32_t op = 0; op < play->n_ops && play->has_ops; op++) {
		uint32_t i = play->n_tensors;

		if (!mp_testing_make_one_in(m, 3))
			continue;
		play->tensors[i] = (struct play_tensor){
			.size = 1 + mp_testing_make_below(m, 40),
			.kind = KIND_TEMPORARY,
			.producer = op,
			.of = NONE,
			.choice = NONE,
			.group = NONE};
		play->ops[op].temporaries = PLAY_BIT(i);
		play->n_tensors++;
	}
}

/* -------------------------------------------------------- lifetimes */

/* Without ops: lifetimes, some with a gap. */
static void make_spans(struct maker *m)
{
	struct play *play = m->play;

	for (uint32_t n = 3 + mp_testing_make_below(m, 14); n > 0; n--) {
		uint32_t i = add_tensor(m, KIND_ACTIVATION, NONE), from = 0;
		struct play_tensor *t = &play->tensors[i];

		if (i > 0 && m->aliases && mp_testing_make_one_in(m, 3) &&
			become_alias(m, i))
			from = play->tensors[mp_testing_player_root(play, i)]
				       .start;
		t->pinned = true;
		t->start =
			from + mp_testing_make_below(m, play->n_steps - from);
		t->end = t->start + 1 +
			 mp_testing_make_below(m, play->n_steps - t->start);
	}
}

/* ----------------------------------------------------------- graphs */

enum shape {
	SHAPE_SPANS,  /* without ops */
	SHAPE_PINNED, /* one stream, some lifetimes given */
	SHAPE_STREAMS,
	SHAPE_MORE_STREAMS,
	N_SHAPES,
};

static void choose_features(struct maker *m, enum shape shape)
{
	struct play *play = m->play;

	m->aliases = mp_testing_make_one_in(m, 2);
	m->states = mp_testing_make_one_in(m, 2);
	m->lifelong = mp_testing_make_one_in(m, 2);
	m->fixed = mp_testing_make_one_in(m, 2);
	m->branches = mp_testing_make_one_in(m, 3);
	m->empty = mp_testing_make_one_in(m, 3);
	play->alignment =
		UINT64_C(1)
		<< (mp_testing_make_one_in(m, 3) ? 0
						 : mp_testing_make_below(m, 7));
	for (uint32_t op = 0; op < PLAY_MOST_OPS; op++)
		play->ops[op].taker = play->ops[op].given = NONE;
	play->has_ops = shape != SHAPE_SPANS;
	play->n_ops = play->n_steps =
		play->has_ops ? 2 + mp_testing_make_below(m, PLAY_OPS - 1)
			      : PLAY_OPS;
	play->n_streams = shape < SHAPE_STREAMS
				  ? 1
				  : 1 + mp_testing_make_below(m, PLAY_STREAMS);
	if (mp_testing_make_one_in(m, 2))
		play->inputs = (uint8_t)mp_testing_make_below(m, N_POLICIES);
	if (mp_testing_make_one_in(m, 2))
		play->outputs = (uint8_t)mp_testing_make_below(m, N_POLICIES);
}

void mp_testing_player_random(struct play *play, uint64_t seed)
{
	struct maker m = {.play = play, .state = seed};
	enum shape shape = seed % N_SHAPES;

	memset(play, 0, sizeof(*play));
	choose_features(&m, shape);
	if (shape == SHAPE_SPANS) {
		make_spans(&m);
		mp_testing_make_pause_some(&m);
	} else {
		make_ops(&m);
	}
	if (shape == SHAPE_PINNED)
		mp_testing_make_pin_some(&m);
	mp_testing_make_relate(&m, mp_testing_make_one_in(&m, 2),
		mp_testing_make_one_in(&m, 2));
	make_temporaries(&m);
}
