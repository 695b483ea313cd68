/*
 * Makes certificates for lower bounds: solves the cuts again and writes their
 * flows down for the independent check.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_SEARCH_CERTIFY_H
#define MP_ORDER_SEARCH_CERTIFY_H

#include "order/search/certificate.h"

struct cut;

/* Certificates of all members of a claim, in the arena; its ops must be those
 * of the graph. False: memory is out. */
bool mp_order_certificates(const struct graph *graph,
	const struct order_bound *claim, struct certificate *certificates,
	struct arena *arena);

/* The flow for the member at this place of the claim; its arcs are NULL if
 * the member cannot run last (or first). */
bool mp_order_certify(struct cut *cut, const struct order_bound *claim,
	uint32_t member, struct certificate *certificate, struct arena *arena);

/* Makes a certificate for every member and checks it. False, with MEMPLAN_NO,
 * if the claim is wrong. confirmed: it is right. For a claim without ops the
 * orders are searched again, if they are not too many. None is confirmed of a
 * graph with aliases, gaps in lifetimes or exclusive branches: then nothing is
 * confirmed. */
bool mp_order_certify_claim(const struct graph *graph,
	const struct order_bound *claim, bool *confirmed, struct arena *arena,
	struct error *e);

#endif
