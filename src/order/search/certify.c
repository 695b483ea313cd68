/*
 * The flow of a network, written down as arcs of a certificate.
 *
 * SPDX-License-Identifier: MIT
 */
#include "order/search/certify.h"

#include <assert.h>

#include "order/search/inside.h"

/* The flow that is not written down yet. */
struct writer {
	const struct network *net;
	uint64_t *supplied, *demanded; /* of a node */
	uint64_t *forward;	       /* of an edge */
	struct certificate_arc *arcs;
	uint32_t n_arcs;
};

/* Bytes that flow forward along an edge less those that flow back, modulo 2^64.
 */
static uint64_t flow_along(const struct network *net, uint32_t edge)
{
	return net->capacities[edge].forward - net->flow.left[2 * (size_t)edge];
}

static bool init_writer(struct writer *w, struct arena *arena)
{
	const struct network *net = w->net;

	w->supplied = NEW(arena, uint64_t, net->n_nodes);
	w->demanded = NEW(arena, uint64_t, net->n_nodes);
	w->forward = NEW(arena, uint64_t, net->n_edges);
	w->arcs = NEW(arena, struct certificate_arc, net->n_ties);
	if (!w->supplied || !w->demanded || !w->forward || !w->arcs)
		return false;
	for (uint32_t i = 0; i < net->n_nodes; i++) {
		w->supplied[i] = net->supply[i] - net->flow.supply[i];
		w->demanded[i] = net->demand[i] - net->flow.demand[i];
	}
	for (uint32_t i = 0; i < net->n_edges; i++)
		if (net->flow.left[2 * (size_t)i] < net->capacities[i].forward)
			w->forward[i] = flow_along(net, i);
	return true;
}

static void write_arc(struct writer *w, enum certificate_arc_kind kind,
	uint32_t from, uint32_t to, uint64_t bytes)
{
	assert(bytes == 0 || w->n_arcs < w->net->n_ties);
	if (bytes > 0)
		w->arcs[w->n_arcs++] =
			(struct certificate_arc){bytes, from, to, kind};
}

/* Writes as much of the flow that is left as the tensor holds. */
static void write_tensor(
	struct writer *w, const struct network_tie *tie, uint64_t *left)
{
	const struct view *view = w->net->cut->view;
	uint64_t bytes = num_min(*left, view->size[tie->tensor]);

	*left -= bytes;
	write_arc(w, tie->user == NONE ? ARC_KEEP : ARC_READ,
		view->tensor[tie->tensor], tie->user, bytes);
}

static void write_tie(struct writer *w, const struct network_tie *tie)
{
	const struct network *net = w->net;
	uint64_t all = UINT64_MAX;

	switch (tie->kind) {
	case TIE_FIXED:
		write_tensor(w, tie, &all);
		break;
	case TIE_SUPPLY:
		write_tensor(w, tie, &w->supplied[tie->at]);
		break;
	case TIE_DEMAND:
		write_tensor(w, tie, &w->demanded[tie->at]);
		break;
	case TIE_EDGE:
		write_tensor(w, tie, &w->forward[tie->at]);
		break;
	case TIE_WAIT:
		if (net->flow.left[2 * (size_t)tie->at] >
			net->capacities[tie->at].forward)
			write_arc(w, ARC_WAIT, tie->tensor, tie->user,
				-flow_along(net, tie->at));
		break;
	}
}

bool mp_order_certify(struct cut *cut, const struct order_moment *moment,
	struct certificate *certificate, struct arena *arena)
{
	const struct network *net = cut->net;
	struct writer w = {.net = net};

	*certificate = (struct certificate){NULL, 0};
	if (!mp_order_cut_moment(
		    cut, moment->claim->ops, moment->ran, moment->next))
		return true;
	assert(net->ties);
	mp_order_cut_build(cut, 0);
	mp_flow_run(&cut->net->flow, moment->bytes);
	if (!init_writer(&w, arena))
		return false;
	for (uint32_t i = 0; i < net->n_ties; i++)
		write_tie(&w, &net->ties[i]);
	*certificate = (struct certificate){w.arcs, w.n_arcs};
	return true;
}
