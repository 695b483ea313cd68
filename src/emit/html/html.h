/*
 * The page of the HTML report, in three: what stands before its data, between
 * those of one plan and of a second, and behind. Made at build time from
 * src/emit/html by tools/make_page.py.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_EMIT_HTML_HTML_H
#define MP_EMIT_HTML_HTML_H

#include <stddef.h>

extern const unsigned char mp_html_before[], mp_html_between[],
	mp_html_behind[];
extern const size_t mp_html_before_length, mp_html_between_length,
	mp_html_behind_length;

#endif
