/*
 * The comparison as a page: the two maps side by side, and what differs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "compare/compare.h"

#include "emit/emit.h"

void mp_compare_html(const struct comparison *c, struct sink *sink)
{
	mp_emit_html_pair(c->old, c->new, sink, c->arena);
}
