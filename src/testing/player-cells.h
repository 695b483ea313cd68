/*
 * What the player keeps for each reachable state of a run: the tensors that may
 * have written each byte last. Bytes that belong to the same tensors are one
 * cell.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_TESTING_PLAYER_CELLS_H
#define MP_TESTING_PLAYER_CELLS_H

#include "testing/player.h"

enum {
	PLAY_EDGES = 4 * PLAY_TENSORS,
};

#define PLAY_NOBODY PLAY_BIT(63)

/* One way through a graph: the branch of each choice, and the loops that run
 * not even once. */
struct play_way {
	uint32_t taken[PLAY_CHOICES];
	uint32_t idle;		  /* bit i: loop i, and all loops in it */
	bool alive[PLAY_TENSORS]; /* tensors that are written and read */
};

struct player {
	struct play *play;
	uint32_t writer[PLAY_TENSORS];	/* the tensor that wrote its content */
	uint32_t before[PLAY_MOST_OPS]; /* of an op: the ops that end before it
					  begins */
	uint32_t place[PLAY_MOST_OPS];	/* of an op: its place in its stream */
	uint32_t sequence[PLAY_MOST_STREAMS][PLAY_MOST_OPS];
	uint32_t length[PLAY_MOST_STREAMS];

	uint64_t edges[PLAY_EDGES]; /* cell i: bytes [edges[i], edges[i+1]) */
	uint32_t n_edges;
	struct play_way *ways;
	uint32_t n_ways;
	bool mixed;	   /* each iteration of a loop may go another way */
	uint32_t way;	   /* that is played */
	const bool *alive; /* of that way */
	uint32_t n_moments;
	uint64_t (*cells)[PLAY_EDGES]; /* of a moment; if mixed, of one of each
					  way, way by way */
	bool *reached, *fresh;	       /* likewise: it was reached, and is to be
					  played on from */
};

/* Finds the cells of a graph. */
void mp_testing_player_list_edges(struct player *player);

/* The tensor's producer writes its bytes: all of them, or all but those that it
 * keeps in its gap. */
void mp_testing_player_write(
	struct player *player, uint64_t *cells, uint32_t tensor);
void mp_testing_player_resume(
	struct player *player, uint64_t *cells, uint32_t tensor);

/* Bytes of a tensor that lives must be as its writer left them, or one of the
 * others: all of them, or those that it keeps in its gap. */
bool mp_testing_player_need(struct player *player, const uint64_t *cells,
	uint32_t tensor, uint64_t others);
bool mp_testing_player_need_window(
	struct player *player, const uint64_t *cells, uint32_t tensor);

#endif
