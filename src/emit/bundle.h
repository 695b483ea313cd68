/*
 * What plans and reports say of the graphs of a bundle. Of what is no bundle
 * they say nothing.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_EMIT_BUNDLE_H
#define MP_EMIT_BUNDLE_H

#include "emit/emit.h"

/* Members of the outermost JSON object. */
void mp_emit_bundle_json(struct sink *sink, const struct plan *plan);

/* A line for each graph, for people. */
void mp_emit_bundle_text(struct sink *sink, const struct plan *plan);

#endif
