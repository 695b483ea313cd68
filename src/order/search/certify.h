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

/* The flow at the moment; its arcs are NULL if the moment cannot be. */
bool mp_order_certify(struct cut *cut, const struct order_moment *moment,
	struct certificate *certificate, struct arena *arena);

/* Sees the certificate of the member at this place of a claim. It lasts until
 * the function returns; false ends the walk. */
typedef bool certificate_fn(
	void *context, uint32_t member, const struct certificate *certificate);

/* Makes the certificates of a claim one after the other, so that memory holds
 * one, checks each, and shows it to `see` unless that is NULL. Ends at the
 * first that does not suffice: false, with MEMPLAN_NO. */
bool mp_order_certify_members(const struct graph *graph,
	const struct order_bound *claim, certificate_fn *see, void *context,
	struct arena *arena, struct error *e);

/* Derives a claim again that one of a few ops costs so much in whatever order
 * they run. Likewise; and false if an op is named twice. confirmed: it is
 * right; else it takes too long to tell. */
bool mp_order_certify_few(const struct graph *graph,
	const struct order_bound *claim, bool *confirmed, struct arena *arena,
	struct error *e);

/* Is a claim right? False, with MEMPLAN_NO, if it is wrong. confirmed: it is
 * right. For a claim without ops the orders are searched again, if they are not
 * too many. Nothing is confirmed of a graph with aliases, gaps in lifetimes or
 * exclusive branches. */
bool mp_order_certify_claim(const struct graph *graph,
	const struct order_bound *claim, bool *confirmed, struct arena *arena,
	struct error *e);

#endif
