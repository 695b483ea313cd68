/*
 * What readers of wire formats share: errors that have their byte.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_INPUT_WIRE_WIRE_H
#define MP_INPUT_WIRE_WIRE_H

#include <stdarg.h>

#include "base/error.h"
#include "base/file.h"

/* "model.onnx: at byte 7: ...". Always false. */
bool mp_input_wire_fail(struct error *e, const struct input_file *file,
	uint64_t byte, const char *format, va_list arguments);

#endif
