/*
 * A moment of a run is how many ops of each stream have begun and ended. Of
 * every moment and every byte the player keeps the tensors that may have
 * written it last, in any of the interleavings that lead there: a set of
 * tensors. So each event is tried once a moment, and yet no interleaving is
 * left out. Bytes that are the same to all tensors are one cell.
 *
 * An op reads when it begins and until it ends, and may write as soon as it
 * begins.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testing/player-cells.h"

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

/* At the begin of a gap the bytes that the tensor gives up are intact. */
static bool suspend_tensors(
	struct player *p, const uint64_t *cells, uint32_t step)
{
	for (uint32_t i = 0; i < p->play->n_tensors; i++) {
		const struct play_tensor *t = &p->play->tensors[i];
		bool rests = t->pause <= step && step < t->resume;
		bool pauses = t->pause < t->resume && t->pause == step + 1;

		if (!p->alive[i] || !t->pinned)
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

static bool is_there_first(const struct player *p, uint32_t i)
{
	const struct play_tensor *t = &p->play->tensors[i];

	return p->alive[i] && !t->pinned && t->of == NONE &&
	       (t->producer == NONE || t->from_start);
}

static bool set_out(struct player *p)
{
	uint64_t *cells = p->cells[0], first = 0;

	memset(p->reached, 0, sizeof(*p->reached) * p->n_moments);
	p->reached[0] = true;
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

static bool try_event(struct player *p, uint32_t from, const struct moment *m,
	uint32_t stream)
{
	uint64_t cells[PLAY_EDGES];
	uint32_t place = m->events[stream] / 2, to = from + m->stride[stream];
	uint32_t n = p->n_edges, op;
	bool begins = m->events[stream] % 2 == 0, fine;

	if (place == p->length[stream])
		return true;
	op = p->sequence[stream][place];
	if (begins && !may_begin(p, m, op))
		return true;
	memcpy(cells, p->cells[from], sizeof(*cells) * n);
	fine = begins ? begin_op(p, cells, op, place)
		      : end_op(p, cells, op, place);
	if (!p->reached[to])
		memset(p->cells[to], 0, sizeof(*cells) * n);
	p->reached[to] = true;
	for (uint32_t c = 0; c < n; c++)
		p->cells[to][c] |= cells[c];
	return fine;
}

static bool try_moments(struct player *p)
{
	if (!set_out(p))
		return false;
	for (uint32_t i = 0; i < p->n_moments; i++) {
		struct moment m = moment_at(p, i);

		for (uint32_t k = 0; p->reached[i] && k < PLAY_MOST_STREAMS;
			k++)
			if (!try_event(p, i, &m, k))
				return false;
	}
	if (!p->reached[p->n_moments - 1])
		return mp_testing_player_complain(p->play, "stuck", 0, 0);
	return end_run(p, p->cells[p->n_moments - 1]);
}

static bool is_of_branches(const struct play *play, const struct play_tensor *t,
	const uint32_t *taken)
{
	uint32_t choice = t->choice, branch = t->branch;

	if (t->kind == KIND_STATE || t->kind == KIND_WEIGHT)
		return true;
	while (choice != NONE && taken[choice] == branch) {
		branch = play->sites[choice][1];
		choice = play->sites[choice][0];
	}
	return choice == NONE;
}

/* Only what is in the branches that run is ever written or read; but what is
 * kept between runs is there in all of them. */
static bool try_branches(struct player *p)
{
	uint32_t ways = 1, taken[PLAY_CHOICES];

	for (uint32_t c = 0; c < p->play->n_choices; c++)
		ways *= PLAY_BRANCHES;
	for (uint32_t way = 0; way < ways; way++) {
		for (uint32_t c = 0, left = way; c < PLAY_CHOICES; c++) {
			taken[c] = left % PLAY_BRANCHES;
			left /= PLAY_BRANCHES;
		}
		for (uint32_t i = 0; i < p->play->n_tensors; i++) {
			const struct play_tensor *t = &p->play->tensors[i];

			p->alive[i] = mp_testing_player_takes_bytes(t) &&
				      is_of_branches(p->play, t, taken);
		}
		if (!try_moments(p))
			return false;
	}
	return true;
}

bool mp_testing_player_run(struct play *play)
{
	struct player player = {.play = play};
	uint64_t(*cells)[PLAY_EDGES];
	bool *reached, fine;

	assert(play->n_ops <= PLAY_MOST_OPS && play->n_tensors <= PLAY_TENSORS);
	for (uint32_t i = 0; i < play->n_tensors; i++)
		player.writer[i] = mp_testing_player_writer(play, i);
	if (!mp_testing_player_check_places(play))
		return false;
	mp_testing_player_order(play, player.before);
	line_up(&player);
	mp_testing_player_list_edges(&player);
	player.cells = cells = calloc(player.n_moments, sizeof(*cells));
	player.reached = reached = calloc(player.n_moments, sizeof(*reached));
	fine = cells && reached && try_branches(&player);
	free(cells);
	free(reached);
	return fine;
}
