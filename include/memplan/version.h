/*
 * The version of memplan that these headers belong to.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MEMPLAN_VERSION_H
#define MEMPLAN_VERSION_H

#define MEMPLAN_VERSION_MAJOR 0
#define MEMPLAN_VERSION_MINOR 1
#define MEMPLAN_VERSION_PATCH 0
#define MEMPLAN_VERSION "0.1.0"

#endif
