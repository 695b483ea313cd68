/*
 * The functions of all emitters; what each writes stands in its own file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_EMIT_ROWS_H
#define MP_EMIT_ROWS_H

#include "emit/emit.h"

#define FILE_ROW(name, suffix, summary, run, takes) emit_run run;
#define REPORT_ROW(name, summary, run, takes) emit_run run;
#include "emit/emitters.def"
#undef FILE_ROW
#undef REPORT_ROW

#endif
