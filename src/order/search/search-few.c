/*
 * Few: an exact search over the order of a few ops, at most 32, while minimum
 * cuts stand for all others. A moment says which of the few have run, and which
 * one runs next. Its cost is the least over all sets of ops that may have run
 * by then. If every order of the few has a moment that costs the target or
 * more, so has every order of all ops: the target is a bound. Else the sets of
 * the moments that cost less, one in the other, with the ops in between, are an
 * order. If its peak is below the target, it is better; if not, the op that
 * costs most joins the few. That is repeated until one of the two is so, or the
 * steps are spent.
 *
 * Moments are searched depth-first. If one of the few can run next below the
 * target, and no more bytes need be alive after it than before, it does: let S
 * be the set at a later moment of some order, and B the cheapest set after it.
 * As the bytes alive are submodular, S with B costs no more than S.
 *
 * What was found for fewer ops is kept. A moment that cost the target does so
 * however others stand, and a set is still the cheapest if it happens to have
 * those that have run now.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/search/inside.h"

#include <assert.h>
#include <string.h>

#include "base/keys.h"

enum {
	MOST_MOMENTS = 1 << 16, /* known, and sets of the few visited */
	KEY_WORDS = 2,
	BITS = 64,
};

struct moment {
	uint32_t n;    /* how many the few were, */
	uint32_t ran;  /* bits: those that have run */
	uint32_t next; /* one of them; NONE: none runs */
	uint64_t cost; /* of the set; without a set, the target or more */
	uint64_t *set; /* bits: the ops that have run; NULL: none is cheaper
			  than the target */
};

/* One of the few that may run next. */
struct choice {
	uint32_t next;
	const struct moment *moment;
	uint64_t after; /* the least bytes alive after it */
};

struct frame {
	uint32_t ran;
	uint32_t at, n;
	struct choice choices[MOST_FEW_OPS];
};

struct few {
	struct search *s;
	uint64_t target;
	struct merged *merged; /* cuts are of that graph; NULL: of the search's
				*/
	uint32_t ops[MOST_FEW_OPS], n;
	uint32_t waits[MOST_FEW_OPS]; /* bits: of the few, those that this one
					   waits for */
	struct keys known;	      /* n, ran and next of moments */
	struct moment **moments;      /* those, in the same order */
	struct keys visited;  /* ran, of a search with as many of the few */
	struct frame *frames; /* of each number that have run */
	const struct moment *path[MOST_FEW_OPS];
	uint64_t n_words; /* of the sets of moments */
	bool *placed;	  /* scratch: of an op */
	bool gave_up;
};

enum few_outcome {
	FEW_REFUTED, /* no order is below the target */
	FEW_FOUND,   /* one was, and is the best now */
	FEW_GAVE_UP,
	FEW_FAILED, /* memory is out */
};

/* ---------------------------------------------------------- moments */

static uint32_t bit(uint32_t i)
{
	assert(i < MOST_FEW_OPS);
	return UINT32_C(1) << i;
}

static uint32_t all_of(const struct few *f)
{
	assert(f->n > 0);
	return UINT32_MAX >> (MOST_FEW_OPS - f->n);
}

/* Writes a key that is added or looked for. False: memory is out. */
static bool write_key(struct keys *keys, uint64_t what)
{
	uint64_t *key = mp_keys_next(keys);

	if (!key)
		return false;
	key[0] = mp_order_state_mix(what);
	key[1] = what;
	return true;
}

static bool write_moment(struct few *f, uint32_t n, uint32_t ran, uint32_t next)
{
	return write_key(
		&f->known, ran | (uint64_t)next << 38 | (uint64_t)n << 32);
}

static bool has_op(const uint64_t *set, uint32_t op)
{
	return set[op / BITS] >> (op % BITS) & 1;
}

/* Does the set have those of the few that have joined since and have run, and
 * none of the others? */
static bool still_suits(
	const struct few *f, const struct moment *m, uint32_t ran)
{
	for (uint32_t i = m->n; i < f->n; i++)
		if (has_op(m->set, f->ops[i]) != ((ran & bit(i)) > 0))
			return false;
	return true;
}

/* Finds what is known of the moment; or NULL. False: memory is out. */
static bool recall(
	struct few *f, uint32_t ran, uint32_t next, struct moment **known)
{
	*known = NULL;
	for (uint32_t n = f->n; n > 0 && (next == NONE || next < n); n--) {
		uint32_t of_n = ran & UINT32_MAX >> (MOST_FEW_OPS - n), at;
		struct moment *m;

		if (!write_moment(f, n, of_n, next))
			return false;
		at = mp_keys_find(&f->known);
		m = at == NONE ? NULL : f->moments[at];
		if (m && (!m->set || still_suits(f, m, ran))) {
			*known = m;
			return true;
		}
	}
	return true;
}

/* Of an op, that of the graph of the cuts. */
static uint32_t cut_op(const struct few *f, uint32_t op)
{
	return f->merged ? f->merged->of[op] : op;
}

/* The few, in the graph of the cuts. */
static struct ids cut_ops(const struct few *f, uint32_t *ops)
{
	for (uint32_t i = 0; i < f->n; i++)
		ops[i] = cut_op(f, f->ops[i]);
	return (struct ids){ops, f->n};
}

static bool keep_set(struct few *f, struct moment *m)
{
	uint32_t n = f->s->view->n_ops, words = (n + BITS - 1) / BITS;

	f->n_words += words;
	f->gave_up |= f->n_words > f->s->set_words;
	m->set = NEW(f->s->arena, uint64_t, words);
	for (uint32_t op = 0; m->set && op < n; op++)
		if (f->s->cut.in[cut_op(f, op)])
			m->set[op / BITS] |= UINT64_C(1) << (op % BITS);
	return m->set != NULL;
}

/* Solves for the moment. False: memory is out. */
static bool solve(struct few *f, struct moment *m)
{
	struct search *s = f->s;
	uint32_t ops[MOST_FEW_OPS];
	uint64_t need =
		m->next == NONE ? 0 : mp_order_search_need(s, f->ops[m->next]);

	m->cost = f->target;
	if (need >= f->target ||
		!mp_order_cut_moment(&s->cut, cut_ops(f, ops), m->ran, m->next))
		return true;
	mp_order_search_solve(s, 0, f->target - need);
	m->cost = s->cut.value + need;
	f->gave_up |= s->cut.gave_up;
	return m->cost >= f->target || keep_set(f, m);
}

/* NULL: memory is out. */
static const struct moment *moment_of(
	struct few *f, uint32_t ran, uint32_t next)
{
	struct moment *m;

	if (!recall(f, ran, next, &m) || m)
		return m;
	m = NEW(f->s->arena, struct moment, 1);
	if (!m || !write_moment(f, f->n, ran, next))
		return NULL;
	*m = (struct moment){.n = f->n, .ran = ran, .next = next};
	assert(f->known.n < MOST_MOMENTS);
	f->moments[f->known.n] = m;
	mp_keys_add(&f->known);
	f->gave_up |= f->known.n == MOST_MOMENTS;
	return solve(f, m) ? m : NULL;
}

/* ----------------------------------------------------------- search */

/* The one with the fewest bytes alive after it first, then the one that the
 * best order has first. */
static bool is_before(
	const struct few *f, const struct choice *a, const struct choice *b)
{
	const uint32_t *place = f->s->place;

	return a->after != b->after
		       ? a->after < b->after
		       : place[f->ops[a->next]] < place[f->ops[b->next]];
}

static void add_choice(
	const struct few *f, struct frame *frame, struct choice choice)
{
	uint32_t i = frame->n++;

	for (; i > 0 && is_before(f, &choice, &frame->choices[i - 1]); i--)
		frame->choices[i] = frame->choices[i - 1];
	frame->choices[i] = choice;
}

/* Adds the choice of one that runs next, if that is below the target. False:
 * memory is out. */
static bool try_next(
	struct few *f, struct frame *frame, uint32_t next, uint64_t alive)
{
	struct choice choice = {.next = next};
	const struct moment *after;

	choice.moment = moment_of(f, frame->ran, next);
	if (!choice.moment || !choice.moment->set || f->gave_up)
		return choice.moment != NULL;
	after = moment_of(f, frame->ran | bit(next), NONE);
	if (!after || !after->set || f->gave_up)
		return after != NULL;
	choice.after = after->cost;
	if (choice.after <= alive)
		frame->n = 0;
	add_choice(f, frame, choice);
	return true;
}

/* Finds the choices after these have run. False: memory is out. */
static bool open_frame(struct few *f, struct frame *frame, uint32_t ran)
{
	const struct moment *now = moment_of(f, ran, NONE);

	frame->ran = ran;
	frame->at = frame->n = 0;
	if (!now || !now->set)
		return now != NULL;
	for (uint32_t i = 0; i < f->n && !f->gave_up; i++) {
		if ((ran & bit(i)) > 0 || (f->waits[i] & ~ran) > 0)
			continue;
		if (!try_next(f, frame, i, now->cost))
			return false;
		if (frame->n == 1 && frame->choices[0].after <= now->cost)
			break;
	}
	return true;
}

/* Goes on where these have run, unless that was visited. False: memory is out.
 */
static bool visit(struct few *f, uint32_t ran, uint32_t *depth)
{
	if (!write_key(&f->visited, ran))
		return false;
	if (!mp_keys_add(&f->visited))
		return true;
	f->gave_up |= f->visited.n >= MOST_MOMENTS;
	return open_frame(f, &f->frames[++*depth], ran);
}

/* FEW_FOUND: f->path are moments below the target. */
static enum few_outcome search_few(struct few *f)
{
	uint32_t depth = 0;

	mp_keys_clear(&f->visited);
	if (!open_frame(f, &f->frames[0], 0))
		return FEW_FAILED;
	while (!f->gave_up) {
		struct frame *frame = &f->frames[depth];
		struct choice *choice = &frame->choices[frame->at];
		uint32_t ran;

		if (frame->at++ == frame->n) {
			if (depth-- == 0)
				return FEW_REFUTED;
			continue;
		}
		f->path[depth] = choice->moment;
		ran = frame->ran | bit(choice->next);
		if (ran == all_of(f))
			return FEW_FOUND;
		if (!visit(f, ran, &depth))
			return FEW_FAILED;
	}
	return FEW_GAVE_UP;
}

/* ------------------------------------------------------------ order */

static void place(struct few *f, uint32_t op, uint32_t *n)
{
	if (f->placed[op])
		return;
	f->placed[op] = true;
	f->s->trial[(*n)++] = op;
}

/* The order of the path: the ops of its sets, and between them the few. What
 * is not told by them is as in the best order. */
static uint64_t measure_path(struct few *f)
{
	struct search *s = f->s;
	uint32_t n_ops = s->view->n_ops, n = 0;

	memset(f->placed, false, n_ops);
	for (uint32_t i = 0; i < f->n; i++) {
		for (uint32_t k = 0; k < n_ops; k++)
			if (has_op(f->path[i]->set, s->order[k]))
				place(f, s->order[k], &n);
		place(f, f->ops[f->path[i]->next], &n);
	}
	for (uint32_t k = 0; k < n_ops; k++)
		place(f, s->order[k], &n);
	assert(n == n_ops);
	mp_order_search_step(s, (uint64_t)f->n * n_ops / BITS);
	return mp_order_search_measure(s);
}

/* An op of many alike ones says little, as another can take its place. */
static bool is_alone(const struct few *f, uint32_t op)
{
	return f->merged && mp_order_alike_is_alone(&f->s->alike->base, op);
}

static bool is_dearer(const struct few *f, uint32_t i, uint32_t than)
{
	const struct search *s = f->s;
	bool alone = is_alone(f, s->trial[i]);

	if (than == NONE || alone != is_alone(f, s->trial[than]))
		return than == NONE || alone;
	return s->trial_costs[i] > s->trial_costs[than];
}

/* The op of the trial that costs most, if that is the target or more, and is
 * none of the few; or NONE. One without others that are alike comes first. */
static uint32_t dearest(const struct few *f)
{
	const struct search *s = f->s;
	uint32_t best = NONE;

	for (uint32_t i = 0; i < s->view->n_ops; i++) {
		bool is_free =
			s->trial_costs[i] >= f->target && is_dearer(f, i, best);

		for (uint32_t k = 0; k < f->n && is_free; k++)
			is_free = f->ops[k] != s->trial[i];
		best = is_free ? i : best;
	}
	return best == NONE ? NONE : s->trial[best];
}

/* Takes the last one of the few out of its class. False: memory is out. */
static bool merge(struct few *f)
{
	struct search *s = f->s;

	if (f->n > 1 &&
		mp_order_alike_is_alone(&s->alike->now, f->ops[f->n - 1]))
		return true;
	mp_order_alike_apart(s->alike, f->ops[f->n - 1]);
	if (!mp_order_alike_merge(s->alike, f->merged, s->arena))
		return false;
	mp_order_search_step(s, mp_order_alike_work(s->alike));
	s->cut.view = &f->merged->view;
	return true;
}

/* False: memory is out. */
static bool join(struct few *f, uint32_t op)
{
	struct cut *cut = &f->s->cut;
	uint32_t own = f->n++;

	f->ops[own] = op;
	if (f->merged && !merge(f))
		return false;
	mp_order_cut_reset(cut);
	mp_order_cut_force_in(cut, cut_op(f, op));
	for (uint32_t i = 0; i < own; i++)
		if (cut->side[cut_op(f, f->ops[i])] == CUT_IN)
			f->waits[own] |= bit(i);
	mp_order_cut_reset(cut);
	mp_order_cut_force_out(cut, cut_op(f, op));
	for (uint32_t i = 0; i < own; i++)
		if (cut->side[cut_op(f, f->ops[i])] == CUT_OUT)
			f->waits[i] |= bit(own);
	return true;
}

/* The op that costs most in the trial joins; and as many more as the few are,
 * if they are not of many alike ones: each way to run them costs more than one
 * that is tried anew. False: memory is out. */
static bool join_dearest(struct few *f)
{
	uint32_t most = (uint32_t)num_min(2 * f->n, MOST_FEW_OPS);
	uint32_t op = dearest(f);
	bool alone = true;

	for (; op != NONE && alone && f->n < most; op = dearest(f)) {
		alone = is_alone(f, op);
		if (!join(f, op))
			return false;
	}
	return true;
}

/* Begins with the op at the peak. */
static enum few_outcome decide(struct few *f)
{
	struct search *s = f->s;
	uint32_t op = s->order[0], n;
	enum few_outcome outcome;
	uint64_t peak;

	for (uint32_t i = 0; i < s->view->n_ops; i++)
		if (s->costs[i] == s->peak)
			op = s->order[i];
	if (!join(f, op))
		return FEW_FAILED;
	for (n = 0; n < f->n;) {
		n = f->n;
		outcome = search_few(f);
		if (outcome != FEW_FOUND)
			return outcome;
		peak = measure_path(f);
		if (peak < f->target) {
			assert(peak < s->peak);
			mp_order_search_accept(s, peak);
			return FEW_FOUND;
		}
		if (!join_dearest(f))
			return FEW_FAILED;
	}
	return FEW_GAVE_UP;
}

/* Classes of alike ops are found once. False: memory is out. */
static bool find_alike(struct search *s)
{
	enum {
		MOST_OPS = 1 << 17 /* of more, hardly a moment is solved */
	};

	if (s->alike || s->view->n_ops > MOST_OPS)
		return true;
	s->alike = NEW(s->arena, struct alike, 1);
	if (!s->alike || !mp_order_alike_init(s->alike, s->view, s->arena))
		return false;
	mp_order_search_step(s, mp_order_alike_work(s->alike));
	return true;
}

static bool is_worth_merging(const struct search *s)
{
	enum {
		TIMES = 2 /* so many times as few ops are worth it */
	};

	return s->alike && s->alike->n_op_classes <= s->view->n_ops / TIMES;
}

/* With half of the steps that are left. */
static enum few_outcome try_target(struct search *s, uint64_t target)
{
	struct arena_mark mark = mp_arena_mark(s->arena);
	struct few f = {.s = s, .target = target};
	uint64_t held = s->steps - s->steps / 2;
	enum few_outcome outcome = FEW_FAILED;
	struct merged merged;

	if (is_worth_merging(s)) {
		mp_order_alike_reset(s->alike);
		f.merged = &merged;
	}
	f.moments = NEW(s->arena, struct moment *, MOST_MOMENTS);
	f.frames = NEW(s->arena, struct frame, MOST_FEW_OPS);
	f.placed = NEW(s->arena, bool, s->view->n_ops);
	s->steps -= held;
	if (f.moments && f.frames && f.placed &&
		mp_keys_init(&f.known, KEY_WORDS, s->arena) &&
		mp_keys_init(&f.visited, KEY_WORDS, s->arena))
		outcome = decide(&f);
	s->cut.view = s->view;
	s->steps += held;
	if (outcome == FEW_REFUTED)
		mp_order_search_prove_few(s, target, (struct ids){f.ops, f.n});
	mp_arena_rewind(s->arena, mark);
	return outcome;
}

/* First the peak, then halfway down to the bound from a target that was too
 * much. */
bool mp_order_search_few(struct search *s)
{
	enum {
		SMALL = 8 /* one in so many of the gap is not worth a try */
	};
	uint64_t too_much = s->peak + 1;

	if (mp_order_search_done(s))
		return true;
	if (!find_alike(s))
		return false;
	while (!mp_order_search_done(s)) {
		uint64_t gap = s->peak - s->bound.bytes;
		uint64_t target = s->peak;

		if (too_much <= s->peak)
			target = s->bound.bytes +
				 (too_much - s->bound.bytes) / 2;
		if (target - s->bound.bytes <= gap / SMALL)
			break;
		switch (try_target(s, target)) {
		case FEW_FAILED:
			return false;
		case FEW_GAVE_UP:
			too_much = target;
			break;
		case FEW_FOUND:
		case FEW_REFUTED:
			break;
		}
	}
	return true;
}
