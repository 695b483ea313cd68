/*
 * A moment of a run is how many ops of each stream have begun and ended. Of
 * every moment and every byte the player keeps the tensors that may have
 * written it last, in any of the interleavings that lead there: a set of
 * tensors. So each event is tried once a moment, and yet no interleaving is
 * left out. Bytes that are the same to all tensors are one cell.
 *
 * An op reads when it begins and until it ends, and may write as soon as it
 * begins. At the end of an iteration of a loop a run goes on, or back to the
 * moment before the first op of the loop; that is tried until no moment has
 * more.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/player-ways.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Ops of a stream run in the order of the plan. */
static void line_up(struct player *p)
{
	for (uint32_t i = 0; i < p->play->n_ops; i++) {
		uint32_t op = p->play->order[i];
		uint32_t stream = p->play->ops[op].stream;

		p->place[op] = p->length[stream];
		p->sequence[stream][p->length[stream]++] = op;
	}
	p->n_moments = 1;
	for (uint32_t k = 0; k < PLAY_MOST_STREAMS; k++)
		p->n_moments *= 2 * p->length[k] + 1;
}

static bool need_all(struct player *p, const uint64_t *cells, uint64_t tensors)
{
	for (uint32_t i = 0; i < p->play->n_tensors; i++)
		if ((tensors & PLAY_BIT(i)) &&
			!mp_testing_player_need(p, cells, i, 0))
			return false;
	return true;
}

/* -------------------------------------------------------- lifetimes */

/* Where lifetimes are given, steps are the ops of one stream; what no op makes
 * the caller writes, at its start and behind a gap. */
static void resume_tensors(struct player *p, uint64_t *cells, uint32_t step)
{
	uint32_t op = p->play->order[step];

	for (uint32_t i = 0; i < p->play->n_tensors; i++) {
		const struct play_tensor *t = &p->play->tensors[i];

		if (!p->alive[i] || !t->pinned || t->of != NONE)
			continue;
		if (t->start == step && t->producer != op)
			mp_testing_player_write(p, cells, i);
		if (t->pause == t->resume || t->resume != step ||
			step == t->end)
			continue;
		mp_testing_player_resume(p, cells, i);
	}
}

/* In a later iteration of a loop, a lifetime that began before it may be over.
 * The first op of a loop keeps its place in the list. */
static bool is_over(const struct player *p, uint32_t i, uint32_t step)
{
	for (uint32_t k = 0; k < p->play->n_loops; k++) {
		const struct play_loop *loop = &p->play->loops[k];

		if (mp_testing_player_has(loop, step) &&
			!mp_testing_player_has(loop, p->play->tensors[i].start))
			return true;
	}
	return false;
}

/* At the begin of a gap the bytes that the tensor gives up are intact. */
static bool suspend_tensors(
	struct player *p, const uint64_t *cells, uint32_t step)
{
	for (uint32_t i = 0; i < p->play->n_tensors; i++) {
		const struct play_tensor *t = &p->play->tensors[i];
		bool rests = t->pause <= step && step < t->resume;
		bool pauses = t->pause < t->resume && t->pause == step + 1;

		if (!p->alive[i] || !t->pinned || is_over(p, i, step))
			continue;
		if ((pauses || (t->end == step + 1 && !rests)) &&
			!mp_testing_player_need(p, cells, i, 0))
			return false;
		if (rests && !mp_testing_player_need_window(p, cells, i))
			return false;
	}
	return true;
}

/* ----------------------------------------------------------- events */

static bool was_there_before(const struct play_tensor *t, uint32_t step)
{
	return t->of == NONE && (t->pinned ? t->start < step : t->from_start);
}

static bool begin_op(
	struct player *p, uint64_t *cells, uint32_t op, uint32_t step)
{
	const struct play_op *o = &p->play->ops[op];

	resume_tensors(p, cells, step);
	if (!need_all(p, cells, o->inputs))
		return false;
	for (uint32_t i = 0; i < p->play->n_tensors; i++) {
		const struct play_tensor *t = &p->play->tensors[i];

		if (!p->alive[i] ||
			!((o->outputs | o->temporaries) & PLAY_BIT(i)))
			continue;
		if (was_there_before(t, step) &&
			!mp_testing_player_need(p, cells, i, 0))
			return false;
	}
	for (uint32_t i = 0; i < p->play->n_tensors; i++) {
		const struct play_tensor *t = &p->play->tensors[i];

		if (p->alive[i] &&
			((o->outputs | o->temporaries) & PLAY_BIT(i)) &&
			(t->of == NONE || t->writes))
			mp_testing_player_write(p, cells, i);
	}
	return true;
}

/* Tensors that the op itself may have overwritten by now. */
static uint64_t own_writes(
	const struct player *p, const struct play_op *o, uint32_t i)
{
	uint64_t own = 0;

	for (uint32_t t = 0; t < p->play->n_tensors; t++)
		if ((o->outputs & PLAY_BIT(t)) && p->play->tensors[t].writes &&
			mp_testing_player_root(p->play, t) ==
				mp_testing_player_root(p->play, i))
			own |= PLAY_BIT(t);
	if (o->given == i &&
		mp_testing_player_at(&p->play->tensors[i]) ==
			mp_testing_player_at(&p->play->tensors[o->taker]))
		own |= PLAY_BIT(o->taker);
	return own;
}

static bool end_op(
	struct player *p, uint64_t *cells, uint32_t op, uint32_t step)
{
	const struct play_op *o = &p->play->ops[op];
	uint64_t held = o->inputs | o->outputs | o->temporaries;

	for (uint32_t i = 0; i < p->play->n_tensors; i++)
		if ((held & PLAY_BIT(i)) && !mp_testing_player_need(p, cells, i,
						    own_writes(p, o, i)))
			return false;
	return suspend_tensors(p, cells, step);
}

/* ---------------------------------------------------- start and end */

static void go_way(struct player *p, uint32_t way)
{
	p->way = way;
	p->alive = p->ways[way].alive;
}

/* Where what is known of a moment stands. */
static size_t slot_of(const struct player *p, uint32_t moment)
{
	return (size_t)(p->mixed ? p->way : 0) * p->n_moments + moment;
}

static bool is_there_first(const struct player *p, uint32_t i)
{
	const struct play_tensor *t = &p->play->tensors[i];

	return p->alive[i] && !t->pinned && t->of == NONE &&
	       (t->producer == NONE || t->from_start);
}

static bool set_out(struct player *p)
{
	uint64_t first = 0, *cells = p->cells[slot_of(p, 0)];

	p->reached[slot_of(p, 0)] = p->fresh[slot_of(p, 0)] = true;
	for (uint32_t c = 0; c < p->n_edges; c++)
		cells[c] = PLAY_NOBODY;
	for (uint32_t i = 0; i < p->play->n_tensors; i++) {
		if (!is_there_first(p, i))
			continue;
		mp_testing_player_write(p, cells, i);
		first |= PLAY_BIT(i);
	}
	return need_all(p, cells, first);
}

/* States and weights may have been updated. */
static bool end_run(struct player *p, const uint64_t *cells)
{
	for (uint32_t i = 0; i < p->play->n_tensors; i++) {
		const struct play_tensor *t = &p->play->tensors[i];
		uint64_t updates = 0;

		if (t->pinned || !t->to_end)
			continue;
		for (uint32_t w = 0; w < p->play->n_tensors; w++)
			if (p->play->tensors[w].writes &&
				mp_testing_player_root(p->play, w) == i &&
				(t->kind == KIND_STATE ||
					t->kind == KIND_WEIGHT))
				updates |= PLAY_BIT(w);
		if (!mp_testing_player_need(p, cells, i, updates))
			return false;
	}
	return true;
}

/* ---------------------------------------------------------- moments */

struct moment {
	uint32_t events[PLAY_MOST_STREAMS]; /* ops begun and ended */
	uint32_t stride[PLAY_MOST_STREAMS];
};

static struct moment moment_at(const struct player *p, uint32_t number)
{
	struct moment m;
	uint32_t stride = 1;

	for (uint32_t k = 0; k < PLAY_MOST_STREAMS; k++) {
		uint32_t n = 2 * p->length[k] + 1;

		m.events[k] = number / stride % n;
		m.stride[k] = stride;
		stride *= n;
	}
	return m;
}

static bool may_begin(
	const struct player *p, const struct moment *m, uint32_t op)
{
	for (uint32_t k = 0; k < p->play->n_ops; k++)
		if ((p->before[op] >> k & 1) &&
			m->events[p->play->ops[k].stream] < 2 * p->place[k] + 2)
			return false;
	return true;
}

/* The cells may be like that too. */
static void reach(struct player *p, uint32_t moment, const uint64_t *cells)
{
	size_t slot = slot_of(p, moment);
	uint64_t *known = p->cells[slot], more = 0;

	for (uint32_t c = 0; c < p->n_edges; c++) {
		more |= cells[c] & ~known[c];
		known[c] |= cells[c];
	}
	p->fresh[slot] |= !p->reached[slot] || more;
	p->reached[slot] = true;
}

/* All that is listed before the loop has ended, and nothing else has begun. */
static uint32_t start_of(const struct player *p, const struct moment *m,
	const struct play_loop *loop)
{
	uint32_t moment = 0;

	for (uint32_t k = 0; k < loop->first; k++)
		moment += 2 * m->stride[p->play->ops[k].stream];
	return moment;
}

/* Loops that end with the op, inside out: back to the start, or on. */
static bool end_iterations(
	struct player *p, const struct moment *m, uint32_t op, uint64_t *cells)
{
	const struct play *play = p->play;
	uint64_t next[PLAY_EDGES];
	uint32_t way = p->way, i = mp_testing_player_loop(play, op);

	for (; i != NONE && play->loops[i].last == op;
		i = play->loops[i].around) {
		const struct play_loop *loop = &play->loops[i];

		if (p->ways[way].idle >> i & 1)
			continue;
		memcpy(next, cells, sizeof(*next) * p->n_edges);
		if (!mp_testing_player_hand_on(p, next, loop, true) ||
			!mp_testing_player_hand_on(p, cells, loop, false))
			return false;
		for (uint32_t other = 0; other < p->n_ways; other++) {
			if (!mp_testing_player_may_follow(p, i, other))
				continue;
			go_way(p, other);
			reach(p, start_of(p, m, loop), next);
			go_way(p, way);
		}
	}
	return true;
}

static bool try_event(struct player *p, uint32_t from, const struct moment *m,
	uint32_t stream)
{
	uint64_t cells[PLAY_EDGES];
	uint32_t place = m->events[stream] / 2;
	uint32_t op;
	bool begins = m->events[stream] % 2 == 0;

	if (place == p->length[stream])
		return true;
	op = p->sequence[stream][place];
	if (begins && !may_begin(p, m, op))
		return true;
	memcpy(cells, p->cells[slot_of(p, from)], sizeof(*cells) * p->n_edges);
	if (mp_testing_player_runs(p, op) &&
		!(begins ? begin_op(p, cells, op, place)
			 : end_op(p, cells, op, place)))
		return false;
	if (!begins && !end_iterations(p, m, op, cells))
		return false;
	reach(p, from + m->stride[stream], cells);
	return true;
}

static bool try_moments(struct player *p, bool *again)
{
	for (uint32_t i = 0; i < p->n_moments; i++) {
		struct moment m = moment_at(p, i);
		bool *fresh = &p->fresh[slot_of(p, i)];

		*again |= *fresh;
		for (uint32_t k = 0; *fresh && k < PLAY_MOST_STREAMS; k++)
			if (!try_event(p, i, &m, k))
				return false;
		*fresh = false;
	}
	return true;
}

static bool finish(struct player *p)
{
	size_t last = slot_of(p, p->n_moments - 1);

	return (p->reached[last] ||
		       mp_testing_player_complain(p->play, "stuck", 0, 0)) &&
	       end_run(p, p->cells[last]);
}

/* The ways from one on to another: all that begin so, until nothing is new. */
static bool try_ways(struct player *p, uint32_t from, uint32_t to)
{
	size_t slots = (size_t)(to - from) * p->n_moments;
	bool again = true;

	memset(p->cells, 0, sizeof(*p->cells) * slots);
	memset(p->reached, 0, sizeof(*p->reached) * slots);
	memset(p->fresh, 0, sizeof(*p->fresh) * slots);
	for (uint32_t way = from; way < to; way++) {
		go_way(p, way);
		if (!set_out(p))
			return false;
	}
	while (again) {
		again = false;
		for (uint32_t way = from; way < to; way++) {
			go_way(p, way);
			if (!try_moments(p, &again))
				return false;
		}
	}
	for (uint32_t way = from; way < to; way++) {
		go_way(p, way);
		if (!finish(p))
			return false;
	}
	return true;
}

static bool try_all_ways(struct player *p)
{
	if (p->mixed)
		return try_ways(p, 0, p->n_ways);
	for (uint32_t way = 0; way < p->n_ways; way++)
		if (!try_ways(p, way, way + 1))
			return false;
	return true;
}

/* ------------------------------------------------------------ whole */

enum {
	MOST_SLOTS = 1 << 14, /* else iterations of a run go one way */
};

static bool play_all(struct player *p)
{
	size_t slots = p->n_moments;
	bool fine;

	p->mixed = p->play->n_loops > 0 && slots * p->n_ways <= MOST_SLOTS;
	slots *= p->mixed ? p->n_ways : 1;
	p->cells = calloc(slots, sizeof(*p->cells));
	p->reached = calloc(slots, sizeof(*p->reached));
	p->fresh = calloc(slots, sizeof(*p->fresh));
	fine = p->cells && p->reached && p->fresh && try_all_ways(p);
	free(p->cells);
	free(p->reached);
	free(p->fresh);
	return fine;
}

bool mp_testing_player_run(struct play *play)
{
	struct player player = {.play = play};
	bool fine;

	assert(play->n_ops <= PLAY_MOST_OPS && play->n_tensors <= PLAY_TENSORS);
	for (uint32_t i = 0; i < play->n_tensors; i++)
		player.writer[i] = mp_testing_player_writer(play, i);
	if (!mp_testing_player_check_places(play))
		return false;
	mp_testing_player_order(play, player.before);
	line_up(&player);
	mp_testing_player_list_edges(&player);
	fine = mp_testing_player_list_ways(&player) && play_all(&player);
	free(player.ways);
	return fine;
}
