/*
 * Windows around the peak, each searched exactly. A window in which no order is
 * better is proved so and doubles; one with a better order gives it. Once the
 * window is the whole order, what is ruled out is a bound for every order.
 *
 * The search knows neither pinned bytes nor that a chain of in-place ops may
 * save less than each of them alone: it refuses too little, so its bounds hold,
 * and an order that it finds is measured before it counts.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/exact.h"

enum {
	FIRST_WINDOW = 24
};

struct window {
	struct search *s;
	uint32_t width;
	uint64_t nodes; /* a try */
};

static void place(const struct window *w, uint32_t *from, uint32_t *to)
{
	const struct search *s = w->s;
	uint32_t peak = 0;

	while (s->costs[peak] != s->peak)
		peak++;
	*from = peak > w->width / 2 ? peak - w->width / 2 : 0;
	*to = s->view->n_ops;
	if (w->width < s->view->n_ops - *from)
		*to = *from + w->width;
}

static bool is_whole(const struct window *w, uint32_t from, uint32_t to)
{
	return from == 0 && to == w->s->view->n_ops;
}

/* From what the bound allows up to just below the peak. */
static uint64_t threshold(const struct search *s, uint32_t step)
{
	uint64_t gap = s->peak - s->bound.value;

	switch (step) {
	case 0:
		return s->bound.value;
	case 1:
		return s->bound.value + gap / 2;
	case 2:
		return s->peak - gap / 8 - 1;
	default:
		return s->peak - 1;
	}
}

enum {
	N_THRESHOLDS = 4
};

/* One window. improved: it gave a better order. */
static bool try_window(
	struct window *w, uint32_t from, uint32_t to, bool *improved)
{
	struct search *s = w->s;
	uint64_t limit, next = 0, done = 0;

	*improved = false;
	for (uint32_t i = 0; i < N_THRESHOLDS && !mp_search_done(s); i++) {
		limit = num_max(threshold(s, i), next);
		if (limit >= s->peak || (i > 0 && limit <= done))
			continue;
		done = limit;
		switch (mp_exact_window(s, from, to, limit, w->nodes, &next)) {
		case EXACT_FAILED:
			return false;
		case EXACT_GAVE_UP:
			next = 0;
			break;
		case EXACT_FOUND:
			*improved = mp_search_take(s);
			return true;
		case EXACT_REFUTED:
			next = num_min(next, s->peak);
			if (is_whole(w, from, to))
				mp_search_prove(s, next, RULE_SEARCH, NULL, 0);
			break;
		}
	}
	return true;
}

bool mp_search_windows(struct search *s, uint64_t nodes)
{
	struct window w = {s, FIRST_WINDOW, nodes};
	uint32_t from, to;
	bool improved;
	uint64_t peak;

	while (!mp_search_done(s)) {
		peak = s->peak;
		place(&w, &from, &to);
		if (!try_window(&w, from, to, &improved))
			return false;
		if (!improved && is_whole(&w, from, to))
			break;
		if (!improved)
			w.width *= 2;
		else if (s->peak < peak && w.width > FIRST_WINDOW)
			w.width /= 2;
	}
	return true;
}
