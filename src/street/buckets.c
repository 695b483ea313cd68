/*
 * Buckets: joined graphs of the same ops that one table is to serve. Makes the
 * widest of them, which is then planned like any other graph.
 *
 * SPDX-License-Identifier: MIT
 */
#include "street/street.h"

#include <assert.h>
#include <string.h>

#include "bundle/bundle.h"

const char *mp_street_bucket_name(const struct joined_handle *h)
{
	return h->batch ? h->batch : h->name;
}

/* Batches of one graph come from one file. */
static const char *place_of(memplan *m, const struct joined_handle *h)
{
	const char *place = h->member->graph.place;

	return h->batch ? mp_arena_print(&m->run, "%s at %s", place, h->batch)
			: place;
}

static bool list_graphs(memplan *m, struct bucket_graph *graphs)
{
	for (const struct joined_handle *h = m->joined; h; h = h->next) {
		struct run run =
			mp_street_fit_member(m, h->member, TOGETHER_BUCKETS);

		*graphs = (struct bucket_graph){
			mp_street_shape(m, &h->member->graph, &run),
			place_of(m, h)};
		if (!graphs->graph || !graphs->place)
			return false;
		graphs++;
	}
	return true;
}

/* A plan in the order "keep" says what each bucket takes alone in that order,
 * as a check can derive. */
bool mp_street_check_bucket_orders(memplan *m)
{
	const char *keep = mp_order_find("keep")->name;

	for (const struct joined_handle *h = m->joined; h; h = h->next) {
		const char *order = h->member->plan.schedule->order_name;

		assert(h->member->has_plan);
		if (strcmp(m->options.order, keep) == 0 &&
			strcmp(order, keep) != 0)
			return mp_fail(&m->error, MEMPLAN_EUSAGE,
				"bucket '%.80s': planned in the order '%s', "
				"the buckets are to be in '%s': give all one "
				"order",
				mp_street_bucket_name(h), order, keep);
	}
	return true;
}

/* Lists the buckets of a plan, with the arena of each; 0 if it was not planned
 * yet. */
static bool list_buckets(memplan *m, struct graph *widest)
{
	struct bucket *buckets = NEW(&m->run, struct bucket, m->n_joined);
	uint32_t i = 0;

	for (const struct joined_handle *h = m->joined; buckets && h;
		h = h->next)
		buckets[i++] = (struct bucket){.name = mp_street_bucket_name(h),
			.alone = h->member->has_plan
					 ? h->member->plan.arena_size
					 : 0};
	widest->buckets = buckets;
	widest->n_buckets = m->n_joined;
	return buckets != NULL;
}

struct graph *mp_street_widen(memplan *m)
{
	struct graph *widest = NEW(&m->run, struct graph, 1);
	struct bucket_graph *graphs =
		NEW(&m->run, struct bucket_graph, m->n_joined);

	assert(m->n_joined > 0);
	if (!widest || !graphs || !list_graphs(m, graphs) ||
		!mp_bundle_widest(
			graphs, m->n_joined, widest, &m->run, &m->error) ||
		!list_buckets(m, widest))
		return NULL;
	widest->name = mp_street_name_joined(m);
	return widest->name ? widest : NULL;
}
