/*
 * Makes certificates for bounds: solves the cuts again and writes their flows
 * down for the independent check.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_ORDER_SEARCH_CERTIFY_H
#define MP_ORDER_SEARCH_CERTIFY_H

#include "order/search/certificate.h"
#include "order/search/cut.h"

/* The flow for the member at this place in the claim. */
bool mp_order_certify(struct cut *cut, const struct order_bound *claim,
	uint32_t member, struct certificate *certificate, struct arena *arena);

/* Makes a certificate for every member, and checks it. False, with the error
 * set to MEMPLAN_NO, if the claim is of a kind that has certificates and does
 * not hold; confirmed: it is, and does. Where tensors have bytes in common, or
 * branches exclude each other, nothing is confirmed. */
bool mp_order_certify_claim(const struct graph *graph,
	const struct order_bound *claim, bool *confirmed, struct arena *arena,
	struct error *e);

#endif
