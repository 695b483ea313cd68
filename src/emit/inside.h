/*
 * What several emitters say of one thing: lines for people and members of JSON
 * objects; and one of a plan's memories as pictures and traces show it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MP_EMIT_INSIDE_H
#define MP_EMIT_INSIDE_H

#include "base/sink-text.h"
#include "emit/emit.h"
#include "problem/chains.h"

/* None of these says that memory is out: like a sink, the scratch arena keeps
 * that in its error, and what is written then is thrown away. */

/* The graphs of a bundle: members of the outermost object, or a line each.
 * Nothing of what is no bundle. */
void mp_emit_bundle_json(struct sink *sink, const struct plan *plan);
void mp_emit_bundle_text(struct sink *sink, const struct plan *plan);

/* The graphs that the plan's one table serves, and what a check knows of each;
 * nothing if it is a plan of one graph. claims: for a plan file, which claims
 * what it says. */
void mp_emit_buckets_json(
	struct sink *sink, const struct plan *plan, bool claims);
void mp_emit_buckets_text(struct sink *sink, const struct plan *plan);
void mp_emit_buckets_verdict(struct sink *sink, const struct plan *plan);

/* How many of the problem's in-place pairs share bytes. */
uint32_t mp_emit_inplace_shared(const struct schedule *schedule);

/* What became of in-place pairs, and what those would cost that are not taken:
 * lines, nothing where the input has none; and the member "inplace". */
void mp_emit_inplace_text(struct sink *sink, const struct results *results,
	struct arena *scratch);
void mp_emit_inplace_json(struct sink *sink, const struct results *results,
	struct arena *scratch);

/* Buffers that lie elsewhere than in the first pool of their list, the largest
 * first: a line that names the first few, nothing where there are none; and the
 * member "spilled_buffers" with all. */
void mp_emit_spilled_text(
	struct sink *sink, const struct plan *plan, struct arena *scratch);
void mp_emit_spilled_json(
	struct sink *sink, const struct plan *plan, struct arena *scratch);

/* The memories that a graph names; nothing where it names none. */
void mp_emit_memories_text(
	struct sink *sink, const struct schedule *s, struct arena *scratch);
void mp_emit_memories_json(
	struct sink *sink, const struct schedule *s, struct arena *scratch);

/* The steps in which the body of a loop runs. */
struct body {
	uint32_t loop;
	uint32_t start, end;
	uint32_t row; /* in a picture, from the top */
};

enum {
	LOOP_ROWS = 6, /* of a picture at most */
};

/* Loops as pictures stack them. */
struct loop_rows {
	struct body *at; /* as they begin, those around others first */
	uint32_t n, rows;
	uint32_t n_deeper; /* others, for which no row is left */
};

/* Of all loops, as the graph lists them; rows are 0. NULL: memory is out. */
struct body *mp_emit_loop_bodies(const struct schedule *s, struct arena *arena);

/* False only if memory is out. */
bool mp_emit_loop_rows(
	struct loop_rows *loops, const struct schedule *s, struct arena *arena);

/* The steps of loops, and what they carry; nothing where there are none. */
void mp_emit_loops_text(
	struct sink *sink, const struct schedule *s, struct arena *scratch);
void mp_emit_loops_json(
	struct sink *sink, const struct schedule *s, struct arena *scratch);

/* Aliases that are written over bytes of others, and the ops that therefore run
 * before. As text nothing where no alias writes. */
void mp_emit_alias_writes_text(
	struct sink *sink, const struct schedule *schedule);
void mp_emit_alias_writes_json(
	struct sink *sink, const struct schedule *schedule);

/* The bytes that are alive in a memory at each step. */
struct lane {
	struct space space;
	uint32_t index;	      /* of the memory */
	const uint64_t *load; /* bytes alive at each step of the listed order */
	uint32_t peak_step;   /* first step that has most of them */
};

/* Of one memory that is all; of several, sizes are rounded as each wants it. */
bool mp_emit_lane(const struct plan *plan, uint32_t i, struct lane *lane,
	struct arena *arena);

/* Where a part lies. */
uint32_t mp_emit_lane_of(const struct plan *plan, const struct part *part);

/* ------------------------------------------------------------- ways */

/* A tensor that a budget moves out of the arena, and what comes back for it. */
struct way {
	uint32_t old, back;
	bool again; /* its op runs again; else it is copied */
};

struct ways {
	struct way *at; /* as they are back */
	uint32_t n;
};

/* Both have parts of those chains. False only if memory is out. */
bool mp_emit_ways_find(struct ways *ways, const struct schedule *s,
	const struct chains *chains, struct arena *arena);

/* The tensor that an op of a budget copies out, or brings back; NONE: it is no
 * such op. */
uint32_t mp_emit_ways_moved(const struct op *op);
bool mp_emit_ways_is_out(const struct op *op);

/* ----------------------------------------------------------- layers */

enum {
	LAYER_COLOURS = 8, /* one more is for what has no colour of its own */
};

/* A layer is what names of ops have in common in front of a '/' or '.', behind
 * what all of them have. Where they have no such parts, it is the type of the
 * op. Layers share colours with their neighbours if they are many; types do
 * not, and those of the fewest bytes have none. */
struct layers {
	const char **names; /* as they first run */
	uint32_t n;
	uint32_t *of_op;
	uint32_t *of_tensor; /* that of its producer; NONE: it has none */
	uint8_t *colour;     /* of a layer; LAYER_COLOURS: none */
	const char *labels[LAYER_COLOURS]; /* what layers have a colour */
	uint32_t n_colours;		   /* that layers have */
	bool types;			   /* the layers are types */
};

/* False only if memory is out. */
bool mp_emit_layers_find(
	struct layers *layers, const struct schedule *s, struct arena *arena);

/* ------------------------------------------------------------- ties */

/* A walk over the tensors in ascending order; the zero value is its start. */
struct tied {
	uint32_t tensor;
	uint32_t alias, gap; /* all before these belong to earlier tensors */
};

/* The tensor's alias and gaps, as members of its JSON object. */
void mp_emit_tied_emit(
	struct sink *sink, const struct schedule *s, struct tied *tied);

/* Has a pool banks that count? */
bool mp_emit_has_banks(const struct schedule *s);

/* Is a cost of reuse between two tensors that are not external? */
bool mp_emit_has_costs(const struct schedule *s);

/* The groups, pairs to be apart, reserved ranges and branches, as members of
 * the outermost object; nothing of what there is none. */
void mp_emit_relations_emit(
	struct sink *sink, const struct schedule *s, struct arena *scratch);

/* Of each tensor: whether its bytes may change while it is alive, as an alias
 * writes to them or others use them in a gap. A watcher of memory must know it
 * as a state. NULL: out of memory. */
const bool *mp_emit_tied_changes(const struct schedule *s, struct arena *arena);

/* The gaps of the walk's tensor as a cell of CSV, behind a comma. */
void mp_emit_gaps_cell(
	struct sink *sink, const struct schedule *s, struct tied *tied);

enum tied_role {
	TIED_NOT, /* neither has nor is an alias */
	TIED_ALIAS,
	TIED_ROOT, /* has aliases, is none */
};

/* enum tied_role of each tensor; NULL: out of memory. */
const uint8_t *mp_emit_tied_roles(
	const struct schedule *s, struct arena *arena);

/* Of each part: the tensor that is drawn there, where buffers have aliases or
 * gaps: the one that needs the part's bytes longest, of several the smallest;
 * else NONE.
 * NULL: out of memory. */
const uint32_t *mp_emit_tied_keepers(
	const struct schedule *s, struct arena *arena);

/* True if the tensor's buffer is one that has keepers. */
bool mp_emit_tied_by_parts(
	const struct schedule *s, const uint32_t *keepers, uint32_t tensor);

#endif
