/*
 * The sizes of several memories in a header.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include "base/text.h"
#include "emit/header/header.h"

void mp_emit_header_pools(const struct header *h)
{
	char name[48];

	for (uint32_t i = 0; i < h->plan->spaces.n; i++) {
		const struct space *space = &h->plan->spaces.at[i];

		mp_sink_print(h->sink, "/* pool %u: ", i);
		mp_emit_header_comment(h->sink, space->name);
		mp_sink_text(h->sink, " */\n");
		snprintf(name, sizeof(name), "POOL_SIZE_%u", i);
		mp_emit_header_define(h, name, space->size);
		snprintf(name, sizeof(name), "POOL_ALIGN_%u", i);
		mp_emit_header_define(h, name, space->base_alignment);
	}
}
