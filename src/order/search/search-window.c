/*
 * Windows: exact search in ranges of steps around the peak. If a window has no
 * better order, the window doubles; else the better order is taken. If the
 * window is the whole order, thresholds that were refuted are lower bounds for
 * every order.
 *
 * The exact search ignores pinned bytes, and that a chain of in-place ops may
 * save less than each of them alone. So it underestimates costs: its bounds
 * hold, and an order that it finds is measured before it is accepted.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>

#include "order/search/inside.h"

/* Steps of the first window. Windows double, so this decides only where they
 * begin. */
enum {
	FIRST_WINDOW = 24
};

struct window {
	struct search *s;
	uint32_t width;	  /* steps */
	uint64_t nodes;	  /* a try */
	uint32_t gave_up; /* windows in a row that were too hard */
};

static void place_window(const struct window *w, uint32_t *from, uint32_t *to)
{
	const struct search *s = w->s;
	uint32_t peak = 0;

	while (s->costs[peak] != s->peak)
		peak++;
	assert(peak < s->view->n_ops);
	*from = peak > w->width / 2 ? peak - w->width / 2 : 0;
	*to = s->view->n_ops;
	if (w->width < s->view->n_ops - *from)
		*to = *from + w->width;
}

static bool is_whole(const struct window *w, uint32_t from, uint32_t to)
{
	return from == 0 && to == w->s->view->n_ops;
}

/* Thresholds, in eighths of the way from the bound to just below the peak. Low
 * ones are refuted quickly and, if the window is the whole order, raise the
 * bound; so there all eighths are tried. */
static const uint8_t window_steps[] = {0, 4, 7, 8};
static const uint8_t whole_steps[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};

static uint64_t threshold(const struct search *s, uint8_t eighths)
{
	uint64_t gap = s->peak - 1 - s->bound.bytes;

	assert(s->bound.bytes < s->peak && eighths <= 8);
	return s->bound.bytes + gap / 8 * eighths + gap % 8 * eighths / 8;
}

/* Searches a window. improved: it had a better order. */
static bool try_window(
	struct window *w, uint32_t from, uint32_t to, bool *improved)
{
	struct search *s = w->s;
	bool whole = is_whole(w, from, to);
	uint32_t n = whole ? countof(whole_steps) : countof(window_steps);
	uint64_t limit, next = 0, done = 0;

	*improved = false;
	w->gave_up++;
	for (uint32_t i = 0; i < n && !mp_order_search_done(s); i++) {
		limit = threshold(s, whole ? whole_steps[i] : window_steps[i]);
		limit = num_max(limit, next);
		if (limit >= s->peak || (i > 0 && limit <= done))
			continue;
		done = limit;
		switch (mp_order_exact_window(
			s, from, to, limit, w->nodes, &next)) {
		case EXACT_FAILED:
			return false;
		case EXACT_GAVE_UP:
			next = 0;
			break;
		case EXACT_FOUND:
			*improved = mp_order_search_take(s);
			return true;
		case EXACT_REFUTED:
			next = num_min(next, s->peak);
			if (whole)
				mp_order_search_prove(
					s, next, (struct ids){0}, false);
			if (next == s->peak)
				w->gave_up = 0;
			break;
		}
	}
	return true;
}

/* If several windows in a row were too hard, larger ones are too. Then only the
 * whole order is tried, for the bound. */
static void widen_window(struct window *w)
{
	enum {
		PATIENCE = 3
	};

	w->width = w->gave_up < PATIENCE && w->width < w->s->view->n_ops
			   ? 2 * w->width
			   : 2 * w->s->view->n_ops;
}

bool mp_order_search_windows(struct search *s, uint64_t nodes)
{
	struct window w = {s, FIRST_WINDOW, nodes, 0};
	uint32_t from, to;
	bool improved;
	uint64_t peak;

	while (!mp_order_search_done(s)) {
		peak = s->peak;
		place_window(&w, &from, &to);
		if (!try_window(&w, from, to, &improved))
			return false;
		if (!improved && is_whole(&w, from, to))
			break;
		if (!improved)
			widen_window(&w);
		else if (s->peak < peak && w.width > FIRST_WINDOW)
			w.width /= 2;
		w.gave_up = improved ? 0 : w.gave_up;
	}
	return true;
}
