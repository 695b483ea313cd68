/*
 * The functions of all emitters; what each writes stands in its own file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_EMIT_ROWS_H
#define MP_EMIT_ROWS_H

#include "emit/emit.h"

#define ROW(name, suffix, summary, run, ...) emit_run run;
#define TFLITE_ROW(name, suffix, summary, run) emit_run run;
#define DSA_ROW(name, suffix, summary, run) emit_run run;
#define BRIEF_ROW(name, suffix, summary, run) emit_run run;
#include "emit/emitters.def"
#undef ROW
#undef TFLITE_ROW
#undef DSA_ROW
#undef BRIEF_ROW

#endif
