/*
 * What is in the way moves; then one run after the other is filled: see
 * around.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/plain/around.h"

#include <string.h>

#include "base/sort.h"

enum {
	LOOKS_A_STEP = 96,    /* looks at entries of lists in 100 ns */
	STEPS_AT_ONCE = 1000, /* fewest steps that the job is charged with */
	MOST_ABOVE = 4, /* items that have to move and find no place: more are
			   not worth placing the rest */
	FORGET_EVERY = 16,    /* items placed before dead ones are dropped */
	ATTEMPTS = 4,	      /* to fill a run, */
	MOST_FIRST = 64,      /* while no more items than these come first */
	MEANS = 2,	      /* mean lifetimes that the horizon is away, */
	SIGHT_PARTS = 8,      /* a part of which it moves at least */
	FEW = 64,	      /* clashes that there is room for at first */
	MOST_SPANS = 8,	      /* spans of time that are filled at one time */
	LEAST_IN_SPANS = 4000 /* items: fewer take less time than threads do */
};

/* An item with its place. */
struct lying {
	uint64_t low, high;
	uint32_t start, end; /* sections */
	uint32_t item;
	bool moves;
};

/* By ascending offset. */
struct list {
	struct lying *at;
	uint32_t n;
};

/* Two of the crux that lie on each other. */
struct clash {
	uint32_t smaller, larger; /* in the list */
	uint32_t section;	  /* where both are alive */
};

struct placing {
	struct around *around;
	struct job *job;
	struct list crux;
	struct list run;    /* what lies in the run at hand, */
	struct list later;  /* and of the crux what is born behind the horizon,
			     */
	uint32_t n_entered; /* with the crux among so many of its
			       items */
	uint32_t horizon;   /* sections from where time begins, */
	uint32_t sight;	    /* and mostly from where items are placed */
	uint32_t *forward, *backward; /* all items, by birth and by death */
	uint32_t *spare;
	uint64_t *key;
	struct clash *clashes;
	uint32_t n_clashes, room;
	bool no_memory;
	uint32_t *first; /* items that had no place in the run before */
	uint32_t n_first;
	bool *waits;   /* of an item: it is to be placed, and not first */
	bool is_above; /* the limit: an item */
	bool repeats;  /* a run was filled more than once */
	uint64_t looks, charged; /* all; the steps that the job knows of */
	bool goes_on;		 /* the budget is not spent */
};

static bool meet_in_time(const struct lying *x, const struct lying *y)
{
	return x->start < y->end && y->start < x->end;
}

static uint64_t size_of(const struct lying *x)
{
	return x->high - x->low;
}

static struct lying lying_at(
	const struct packing *p, uint32_t item, uint64_t low)
{
	return (struct lying){.low = low,
		.high = low + (uint64_t)p->size[item] * p->unit,
		.start = p->start[item],
		.end = p->end[item],
		.item = item};
}

/* What is beyond the budget is not charged: it depends on the threads. */
static void charge(struct placing *g)
{
	uint64_t steps = g->looks / LOOKS_A_STEP - g->charged;

	g->charged += steps;
	g->goes_on &=
		mp_planner_job_step(g->job, num_min(steps, g->job->steps));
}

/* Charges the job now and then. */
static void look(struct placing *g, uint64_t looks)
{
	g->looks += looks;
	if (g->looks / LOOKS_A_STEP - g->charged >= STEPS_AT_ONCE)
		charge(g);
}

/* ------------------------------------------------------------ order */

/* By birth or by death; of those at one time the largest first. */
static void sort_items(struct placing *g, bool backward, uint32_t *order)
{
	const struct packing *p = g->around->packing;

	for (uint32_t i = 0; i < p->n_items; i++) {
		order[i] = i;
		g->key[i] = UINT64_MAX - (uint64_t)p->size[i];
	}
	mp_sort_radix_shared(
		g->job->threads, order, g->spare, p->n_items, g->key);
	for (uint32_t i = 0; i < p->n_items; i++)
		g->key[i] = backward ? p->n_sections - p->end[i] : p->start[i];
	mp_sort_radix_shared(
		g->job->threads, order, g->spare, p->n_items, g->key);
	look(g, 4 * (uint64_t)p->n_items);
}

static void list_crux(struct placing *g, uint32_t *order)
{
	const struct around *a = g->around;
	const struct packing *p = a->packing;
	uint64_t length = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n_items; i++) {
		g->waits[i] = a->part_of[i] == NONE;
		if (g->waits[i]) {
			length += p->end[i] - p->start[i];
			continue;
		}
		g->key[i] = a->bases[a->part_of[i]];
		order[n++] = i;
	}
	g->sight = (uint32_t)(MEANS * length / num_max(p->n_items - n, 1));
	mp_sort_radix(order, g->spare, n, g->key);
	for (uint32_t k = 0; k < n; k++) {
		g->crux.at[k] = lying_at(p, order[k], g->key[order[k]]);
		a->offsets[p->buffer[order[k]]] = g->crux.at[k].low;
	}
	g->crux.n = n;
}

static bool make_room(struct placing *g)
{
	uint32_t n = g->around->packing->n_items;
	struct arena *arena = g->job->arena;

	g->crux.at = NEW(arena, struct lying, n);
	g->run.at = NEW(arena, struct lying, n);
	g->later.at = NEW(arena, struct lying, n);
	g->forward = NEW(arena, uint32_t, n);
	g->backward = NEW(arena, uint32_t, n);
	g->spare = NEW(arena, uint32_t, n);
	g->key = NEW(arena, uint64_t, n);
	g->first = NEW(arena, uint32_t, n);
	g->waits = NEW(arena, bool, n);
	g->clashes = NEW(arena, struct clash, FEW);
	g->room = FEW;
	return g->crux.at && g->run.at && g->later.at && g->forward &&
	       g->backward && g->spare && g->key && g->first && g->waits &&
	       g->clashes;
}

/* Calls visit for each run in these sections, as long as the budget lasts. */
static void each_run(struct placing *g, uint32_t from, uint32_t end,
	void (*visit)(struct placing *g, uint32_t from, uint32_t to))
{
	const struct around *a = g->around;
	uint32_t to;

	for (; from < end && g->goes_on; from = to) {
		to = from + 1;
		if (a->chosen[from])
			continue;
		while (to < end && !a->chosen[to])
			to++;
		visit(g, from, to);
	}
}

/* ------------------------------------------------------------- time */

/* In which order of time items are placed. */
enum way {
	FORWARD,
	BACKWARD,
	ANY
};

/* Sections from where time begins. */
static uint32_t birth(const struct packing *p, uint32_t item, enum way way)
{
	return way == BACKWARD ? p->n_sections - p->end[item] : p->start[item];
}

static uint32_t death(const struct packing *p, uint32_t item, enum way way)
{
	return way == BACKWARD ? p->n_sections - p->start[item] : p->end[item];
}

/* ------------------------------------------------------------ place */

/* Keeps the list sorted; of equal offsets the new item comes last. */
static void insert(struct list *list, const struct lying *x)
{
	uint32_t from = 0, to = list->n;

	while (from < to) {
		uint32_t middle = from + (to - from) / 2;

		if (list->at[middle].low > x->low)
			to = middle;
		else
			from = middle + 1;
	}
	memmove(&list->at[from + 1], &list->at[from],
		sizeof(*x) * (list->n++ - from));
	list->at[from] = *x;
}

/* The smallest range so far that is free as long as an item lives. */
struct range {
	struct lying x; /* the item, at the beginning of it */
	uint64_t size, top, least;
};

/* What lies no lower than all that was met before it. */
static void meet(struct range *r, const struct lying *y)
{
	if (!meet_in_time(&r->x, y))
		return;
	if (y->low >= r->top + r->size && y->low - r->top < r->least) {
		r->least = y->low - r->top;
		r->x.low = r->top;
	}
	r->top = num_max(r->top, y->high);
}

static void meet_run(struct range *r, const struct list *run, uint32_t from)
{
	for (uint32_t k = from; k < run->n && r->least > r->size; k++)
		meet(r, &run->at[k]);
}

static void meet_both(
	struct range *r, const struct list *run, const struct list *later)
{
	uint32_t i = 0;

	for (uint32_t k = 0; k < later->n && r->least > r->size; k++) {
		const struct lying *y = &later->at[k];

		if (!meet_in_time(&r->x, y))
			continue;
		for (; i < run->n && run->at[i].low < y->low &&
			r->least > r->size;
			i++)
			meet(r, &run->at[i]);
		meet(r, y);
	}
	meet_run(r, run, i);
}

/* Gives an item the smallest range that is free as long as it lives, and adds
 * it to the run. False: it lies above all, as there is none below the limit. */
static bool place(struct placing *g, uint32_t item, enum way way)
{
	const struct around *a = g->around;
	const struct packing *p = a->packing;
	struct range r = {.x = lying_at(p, item, 0), .least = UINT64_MAX};
	bool ends_before = way == ANY || death(p, item, way) <= g->horizon;
	uint64_t above;

	r.size = r.x.high;
	if (ends_before)
		meet_run(&r, &g->run, 0);
	else
		meet_both(&r, &g->run, &g->later);
	above = a->limit - num_min(a->limit, r.top);
	if (r.least == UINT64_MAX || (above >= r.size && above < r.least))
		r.x.low = r.top;
	r.x.high = r.x.low + r.size;
	insert(&g->run, &r.x);
	a->offsets[p->buffer[item]] = r.x.low;
	look(g, g->run.n + (ends_before ? 0 : g->later.n));
	return r.x.high <= a->limit;
}

/* ------------------------------------------------------------- crux */

/* Of the sections in which both are alive the one with the greatest load. */
static uint32_t between(
	const struct packing *p, const struct lying *a, const struct lying *b)
{
	uint32_t start = a->start > b->start ? a->start : b->start;
	uint32_t end = a->end < b->end ? a->end : b->end, best = start;

	for (uint32_t s = start; s < end; s++)
		if (p->load[s] > p->load[best])
			best = s;
	return best;
}

static void check_pair(struct placing *g, uint32_t a, uint32_t b)
{
	const struct lying *x = &g->crux.at[a], *y = &g->crux.at[b];
	bool larger = size_of(x) > size_of(y);

	if (!meet_in_time(x, y) || x->low >= y->high || y->low >= x->high)
		return;
	if (g->n_clashes == g->room)
		g->clashes = mp_arena_double(g->job->arena, g->clashes,
			&g->room, sizeof(*g->clashes));
	g->no_memory |= !g->clashes;
	if (!g->no_memory)
		g->clashes[g->n_clashes++] = (struct clash){larger ? b : a,
			larger ? a : b, between(g->around->packing, x, y)};
}

/* All that is alive in the section before a run lies apart, and so does what is
 * alive in the one behind it. So of either kind only the last may be in the way
 * of what comes next. */
static void find_clashes(struct placing *g, uint32_t from, uint32_t to)
{
	uint32_t last[2] = {NONE, NONE};

	look(g, g->crux.n);
	for (uint32_t k = 0; k < g->crux.n && !g->no_memory; k++) {
		const struct lying *x = &g->crux.at[k];

		if (x->end <= from || x->start >= to)
			continue;
		for (int side = 0; side < 2; side++)
			if (last[side] != NONE)
				check_pair(g, k, last[side]);
		if (x->start < from)
			last[0] = k;
		if (x->end > to)
			last[1] = k;
	}
}

/* Whether an item moves is known once that is known of all larger ones. */
static bool find_movers(struct placing *g)
{
	struct list *crux = &g->crux;
	uint32_t n = g->n_clashes;
	uint32_t *order = NEW(g->job->arena, uint32_t, 2 * (size_t)n);
	uint64_t *key = NEW(g->job->arena, uint64_t, n);

	if (!order || !key)
		return false;
	for (uint32_t k = 0; k < n; k++) {
		order[k] = k;
		key[k] = UINT64_MAX - size_of(&crux->at[g->clashes[k].smaller]);
	}
	mp_sort_radix(order, order + n, n, key);
	for (uint32_t k = 0; k < n; k++) {
		const struct clash *clash = &g->clashes[order[k]];

		if (!crux->at[clash->larger].moves)
			crux->at[clash->smaller].moves = true;
	}
	return true;
}

/* ------------------------------------------------------------- fill */

/* What of the crux is alive before the items of a run: all, if time does not
 * go. */
static void lay_crux(
	struct placing *g, uint32_t from, uint32_t to, enum way way)
{
	uint32_t most = way == FORWARD ? from : to;
	uint32_t least = way == BACKWARD ? to : from;

	g->run.n = g->later.n = g->n_entered = g->horizon = 0;
	look(g, g->crux.n);
	for (uint32_t k = 0; k < g->crux.n; k++) {
		const struct lying *x = &g->crux.at[k];

		if (x->end > least && x->start < most)
			g->run.at[g->run.n++] = *x;
	}
}

/* The rest of it enters once an item is to be placed that may meet it: of what
 * lies in a run most is born later. What one that lives for long meets behind
 * the horizon most others do not look at. */
static void enter_crux(struct placing *g, const uint32_t *order, uint32_t n,
	uint32_t item, enum way way)
{
	const struct around *a = g->around;
	const struct packing *p = a->packing;

	for (; way != ANY && g->n_entered < n; g->n_entered++) {
		uint32_t i = order[g->n_entered];
		struct lying x;

		if (birth(p, i, way) >= death(p, item, way))
			return;
		if (a->part_of[i] == NONE)
			continue;
		x = lying_at(p, i, a->offsets[p->buffer[i]]);
		insert(birth(p, i, way) < g->horizon ? &g->run : &g->later, &x);
	}
}

/* Once time has gone on by a part of the sight, what is born before the new
 * horizon moves to the run. */
static void look_ahead(struct placing *g, uint32_t item, enum way way)
{
	const struct packing *p = g->around->packing;
	uint32_t horizon = birth(p, item, way) + g->sight;
	struct list *later = &g->later;
	uint32_t kept = 0;

	if (way == ANY || horizon <= g->horizon + g->sight / SIGHT_PARTS)
		return;
	g->horizon = horizon;
	for (uint32_t k = 0; k < later->n; k++)
		if (birth(p, later->at[k].item, way) < g->horizon)
			insert(&g->run, &later->at[k]);
		else
			later->at[kept++] = later->at[k];
	later->n = kept;
}

/* Forgets what is dead when an item is born, or is not born when it dies. */
static void forget(
	struct list *run, const struct packing *p, uint32_t item, enum way way)
{
	uint32_t kept = 0;

	if (way == ANY)
		return;
	for (uint32_t k = 0; k < run->n; k++)
		if (way == BACKWARD ? run->at[k].start < p->end[item]
				    : run->at[k].end > p->start[item])
			run->at[kept++] = run->at[k];
	run->n = kept;
}

/* Places what waits, behind what comes first. False: some has no place, and
 * will come first. */
static bool fill_once(
	struct placing *g, const uint32_t *order, uint32_t n, enum way way)
{
	uint32_t n_first = g->n_first;
	bool fine = true;

	for (uint32_t k = 0; k < n_first; k++) {
		enter_crux(g, order, n, g->first[k], way);
		fine &= place(g, g->first[k], way);
	}
	for (uint32_t k = 0; k < n && g->goes_on; k++) {
		if (!g->waits[order[k]])
			continue;
		if (k % FORGET_EVERY == 0)
			forget(&g->run, g->around->packing, order[k], way);
		look_ahead(g, order[k], way);
		enter_crux(g, order, n, order[k], way);
		if (place(g, order[k], way))
			continue;
		fine = false;
		g->first[g->n_first++] = order[k];
	}
	for (uint32_t k = n_first; k < g->n_first; k++)
		g->waits[g->first[k]] = false;
	return fine;
}

/* Fills sections with what waits, beside the crux. */
static bool fill(struct placing *g, uint32_t from, uint32_t to,
	const uint32_t *order, uint32_t n, enum way way)
{
	int attempts = g->is_above ? 1 : ATTEMPTS;
	bool fine = false;

	g->n_first = 0;
	for (int k = 0;
		k < attempts && !fine && g->goes_on && g->n_first <= MOST_FIRST;
		k++) {
		lay_crux(g, from, to, way);
		fine = fill_once(g, order, n, way);
		g->repeats |= k > 0;
	}
	g->is_above |= !fine;
	return fine;
}

/* What moves, the largest first, finds a place beside the rest of the crux. */
static void move(struct placing *g)
{
	struct list *crux = &g->crux, whole;
	uint32_t n = 0, kept = 0;

	for (uint32_t k = 0; k < crux->n; k++) {
		const struct lying x = crux->at[k];

		if (x.moves) {
			g->forward[n++] = x.item;
			g->key[x.item] = UINT64_MAX - size_of(&x);
			g->waits[x.item] = true;
		} else {
			crux->at[kept++] = x;
		}
	}
	crux->n = kept;
	mp_sort_radix(g->forward, g->spare, n, g->key);
	fill(g, 0, g->around->packing->n_sections, g->forward, n, ANY);
	for (uint32_t k = 0; k < n; k++)
		g->waits[g->forward[k]] = false;
	whole = g->run;
	g->run = *crux;
	*crux = whole;
}

static void settle_crux(struct placing *g)
{
	each_run(g, 0, g->around->packing->n_sections, find_clashes);
	g->no_memory |= !find_movers(g);
	if (g->no_memory)
		return;
	move(g);
	for (uint32_t k = 0; k < g->n_clashes && g->is_above; k++)
		g->around->tight[g->clashes[k].section] = true;
}

/* In the first run time goes backward, away from what is tight. */
static void fill_run(struct placing *g, uint32_t from, uint32_t to)
{
	const struct packing *p = g->around->packing;
	enum way way = from == 0 ? BACKWARD : FORWARD;
	uint32_t n = p->first[to] - p->first[from];
	const uint32_t *order = g->forward + p->first[from];

	if (way == BACKWARD) {
		n = p->ended[to];
		order = g->backward + p->n_items - n;
	}
	if (fill(g, from, to, order, n, way))
		return;
	for (uint32_t k = 0; k < g->n_first; k++)
		g->around->tight[p->top[g->first[k]]] = true;
}

/* --------------------------------------------------------- all runs */

/* Runs depend on each other in one thing: behind one that ends above the limit
 * each is filled once only. So threads fill spans of them at one time, and fill
 * again what did not know of one before it. */
struct span {
	struct placing placing; /* with a list, a job and looks of its own */
	struct job job;
	uint32_t from, to; /* sections */
	bool is_due;
	atomic_bool is_above; /* it ended so: those behind it may know */
};

static void start_span(struct span *span, const struct placing *g)
{
	struct list run = span->placing.run, later = span->placing.later;
	uint32_t *first = span->placing.first;

	span->job = *g->job;
	span->job.progress = NULL;
	span->placing = *g;
	span->placing.job = &span->job;
	span->placing.run = run;
	span->placing.later = later;
	span->placing.first = first;
	span->placing.repeats = false;
	span->placing.looks = span->placing.charged = 0;
	span->is_due = true;
}

static bool fill_span(void *context, uint32_t i)
{
	struct span *spans = context, *span = &spans[i];

	if (!span->is_due)
		return false;
	for (uint32_t k = 0; k < i; k++)
		span->placing.is_above |= atomic_load(&spans[k].is_above);
	each_run(&span->placing, span->from, span->to, fill_run);
	span->is_due = false;
	atomic_store(&span->is_above, span->placing.is_above);
	return false;
}

/* Takes all items of the span out, so that they wait as at first. */
static void start_again(struct span *span, struct placing *g)
{
	const struct around *a = g->around;
	const uint32_t *first = a->packing->first;

	for (uint32_t i = first[span->from]; i < first[span->to]; i++)
		g->waits[i] = a->part_of[i] == NONE;
	for (uint32_t s = span->from; s < span->to; s++)
		a->tight[s] = false;
	start_span(span, g);
}

/* About as many items for each span; between two the crux is alive. False:
 * memory is out. */
static bool make_spans(struct span *spans, uint32_t n, const struct placing *g)
{
	const struct packing *p = g->around->packing;
	struct arena *arena = g->job->arena;
	uint32_t end = 0, room;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t least = (uint64_t)p->n_items * (i + 1) / n;
		struct span *span = &spans[i];

		*span = (struct span){.from = end};
		atomic_init(&span->is_above, false);
		while (end < p->n_sections &&
			(p->first[end] < least || !g->around->chosen[end]))
			end++;
		span->to = end;
		room = p->first[end] - p->first[span->from];
		span->placing.run.at =
			NEW(arena, struct lying, (size_t)g->crux.n + room);
		span->placing.later.at = NEW(arena, struct lying, room);
		span->placing.first = NEW(arena, uint32_t, room);
		if (!span->placing.run.at || !span->placing.later.at ||
			!span->placing.first)
			return false;
		start_span(span, g);
	}
	return true;
}

static void fill_spans(struct span *spans, uint32_t n, struct placing *g)
{
	struct threads *threads = g->job->threads;
	bool is_above = g->is_above, again = false;

	mp_threads_run(threads, n, fill_span, spans);
	for (uint32_t i = 0; i < n; i++) {
		if (is_above && spans[i].placing.repeats) {
			start_again(&spans[i], g);
			spans[i].placing.is_above = again = true;
		}
		is_above |= spans[i].placing.is_above;
	}
	if (again)
		mp_threads_run(threads, n, fill_span, spans);
	for (uint32_t i = 0; i < n; i++) {
		g->looks += spans[i].placing.looks;
		g->goes_on &= spans[i].placing.goes_on;
		g->job->cut_short |= spans[i].job.cut_short;
	}
	g->is_above = is_above;
}

/* Threads have many spans, as some take far longer. A limit of memory is for
 * one. */
static void fill_all(struct placing *g)
{
	const struct packing *p = g->around->packing;
	struct span spans[MOST_SPANS];

	if (mp_threads_for(g->job->threads, 2) == 1 ||
		p->n_items < LEAST_IN_SPANS ||
		mp_arena_beside(g->job->arena).limit != 0)
		each_run(g, 0, p->n_sections, fill_run);
	else if (make_spans(spans, MOST_SPANS, g))
		fill_spans(spans, MOST_SPANS, g);
	else
		g->no_memory = true;
	charge(g);
}

static enum around_end run(struct placing *g)
{
	settle_crux(g);
	if (g->no_memory)
		return AROUND_NO_MEMORY;
	if (g->n_first > MOST_ABOVE && g->is_above && g->goes_on)
		return AROUND_CLASH;
	sort_items(g, false, g->forward);
	sort_items(g, true, g->backward);
	fill_all(g);
	if (g->no_memory)
		return AROUND_NO_MEMORY;
	if (!g->goes_on)
		return AROUND_SPENT;
	return g->is_above ? AROUND_ABOVE : AROUND_COMPLETE;
}

enum around_end mp_planner_around(struct around *around)
{
	struct arena_mark mark = mp_arena_mark(around->job->arena);
	struct placing placing = {
		.around = around, .job = around->job, .goes_on = true};
	enum around_end end = AROUND_NO_MEMORY;

	for (uint32_t s = 0; s < around->packing->n_sections; s++)
		around->tight[s] = false;
	if (make_room(&placing)) {
		list_crux(&placing, placing.forward);
		end = run(&placing);
	}
	mp_arena_rewind(around->job->arena, mark);
	return end;
}
