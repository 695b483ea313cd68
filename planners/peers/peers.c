/*
 * The table of peers: rules of other tools, so that what a user has today can
 * be put beside memplan's plan. Where a tool's rule is one of memplan's own, or
 * that of another tool, the rows share a function.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/any/greedy.h"
#include "planners/peers/ascend.h"
#include "planners/peers/greedy-rules.h"
#include "planners/peers/rows.h"
#include "planners/peers/somas.h"
#include "planners/rows.h"

const struct planner mp_peers[] = {
#define ROW(...) {__VA_ARGS__},
#include "planners/peers/peers.def"
#undef ROW
};

const uint32_t mp_n_peers = countof(mp_peers);
