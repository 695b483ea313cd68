/*
 * ilp: GLPK's branch and cut on the mixed-integer linear program of
 * src/problem/linear-program.h. For small problems only, and as a second
 * opinion: the other exact rows share no code with it. It looks for less than
 * the best plan so far, which is auto's if there is none, and ends at the lower
 * bound.
 *
 * GLPK computes in floating point and ends the process on an internal error.
 * Both are fenced. A fatal error jumps back here and drops GLPK's memory. Its
 * answer is rounded and verified in integers like any other plan. Its bound is
 * not used, because a bound in floating point is no proof. So this row calls a
 * plan optimal only where the plan reaches a bound that was proved otherwise.
 *
 * SPDX-License-Identifier: MIT
 */
#include "planners/rows.h"

#include <assert.h>
#include <glpk.h>
#include <math.h>
#include <setjmp.h>

#include "problem/linear-program.h"

enum {
	MOST_PAIRS = 2000, /* conflicts: one binary variable each, which is
			      about what GLPK can branch on within minutes */
	START_SHARE = 4,   /* of a limit of time auto has one part in so many */
	NODE_COST = 250,   /* steps that a node of its tree takes, measured, */
	ROWS_A_STEP = 5	   /* and rows that an iteration of the simplex method
			       looks at in one */
};

struct ilp {
	struct job *job;
	struct model model;
	uint64_t *offsets;
	uint64_t iterations; /* of the simplex method, so far */
	jmp_buf fatal;
};

/* -------------------------------------------------------- the fence */

static void fatal_error(void *info)
{
	struct ilp *ilp = info;

	longjmp(ilp->fatal, 1);
}

/* Counts iterations, which repeat on any machine. */
static void count_work(glp_tree *tree, void *info)
{
	struct ilp *ilp = info;
	uint64_t iterations = (uint64_t)glp_get_it_cnt(glp_ios_get_prob(tree));
	uint64_t work = NODE_COST;

	if (iterations > ilp->iterations)
		work += (iterations - ilp->iterations) * ilp->model.n_rows /
			ROWS_A_STEP;
	ilp->iterations = iterations;
	if (!mp_planner_job_step(ilp->job, work))
		glp_ios_terminate(tree);
}

/* ------------------------------------------------------ the program */

/* GLPK refuses a range with equal ends. */
static void add_columns(glp_prob *lp, const struct model *model)
{
	glp_add_cols(lp, (int)model->n_columns);
	for (uint32_t i = 0; i < model->n_columns; i++) {
		const struct model_column *c = &model->columns[i];

		glp_set_col_bnds(lp, (int)i + 1,
			c->lower == c->upper ? GLP_FX : GLP_DB,
			(double)c->lower, (double)c->upper);
		glp_set_col_kind(lp, (int)i + 1, GLP_IV);
	}
	glp_set_obj_dir(lp, GLP_MIN);
	glp_set_obj_coef(lp, 1, 1.0);
}

static void add_rows(glp_prob *lp, const struct model *model)
{
	int columns[4];
	double factors[4];

	glp_add_rows(lp, (int)model->n_rows);
	for (uint32_t i = 0; i < model->n_rows; i++) {
		const struct model_row *row = &model->rows[i];

		assert(row->n_terms < countof(columns));
		for (uint32_t k = 0; k < row->n_terms; k++) {
			const struct model_term *term =
				&model->terms[row->first_term + k];

			columns[k + 1] = (int)term->column + 1;
			factors[k + 1] = (double)term->factor;
		}
		glp_set_mat_row(
			lp, (int)i + 1, (int)row->n_terms, columns, factors);
		glp_set_row_bnds(
			lp, (int)i + 1, GLP_UP, 0.0, (double)row->limit);
	}
}

/* ---------------------------------------------------------- answers */

/* Rounds what GLPK calls whole. False if it is far from that. */
static bool round_offsets(struct ilp *ilp, glp_prob *lp)
{
	const struct problem *problem = ilp->job->problem;
	double value, whole;

	for (uint32_t i = 0; i < problem->n_buffers; i++) {
		value = glp_mip_col_val(lp, (int)i + 2);
		whole = floor(value + 0.5);
		if (whole < 0 || fabs(value - whole) > 1e-3)
			return false;
		ilp->offsets[i] = (uint64_t)whole * problem->buffers[i].align;
	}
	return true;
}

/* A wrong answer of GLPK is no error of the run: the verifier gets an error of
 * its own. */
static bool is_valid(struct ilp *ilp)
{
	struct job *job = ilp->job;
	struct error unused = {0};

	return job->verify(
		job->problem, ilp->offsets, MEMPLAN_NO, job->arena, &unused);
}

static enum outcome take_answer(struct ilp *ilp, glp_prob *lp)
{
	int status = glp_mip_status(lp);

	if (status != GLP_OPT && status != GLP_FEAS)
		return PLAN_GAVE_UP;
	if (!round_offsets(ilp, lp) || !is_valid(ilp))
		return PLAN_GAVE_UP;
	if (!mp_planner_job_offer(ilp->job, ilp->offsets))
		return PLAN_FAILED;
	return mp_planner_job_outcome(ilp->job);
}

static enum outcome solve(struct ilp *ilp)
{
	glp_prob *lp = glp_create_prob();
	enum outcome outcome;
	glp_iocp control;

	add_columns(lp, &ilp->model);
	add_rows(lp, &ilp->model);
	glp_init_iocp(&control);
	control.presolve = GLP_ON;
	control.msg_lev = GLP_MSG_OFF;
	control.cb_func = count_work;
	control.cb_info = ilp;
	/* The return code also tells what presolving did, so that only the
	 * status of the solution counts. */
	glp_intopt(lp, &control);
	outcome = take_answer(ilp, lp);
	glp_delete_prob(lp);
	return outcome;
}

/* After a fatal error all of GLPK's memory is dropped, its program included. */
static enum outcome solve_fenced(struct ilp *ilp)
{
	enum outcome outcome;

	if (setjmp(ilp->fatal) != 0) {
		glp_free_env();
		return PLAN_GAVE_UP;
	}
	glp_term_out(GLP_OFF);
	glp_error_hook(fatal_error, ilp);
	outcome = solve(ilp);
	glp_error_hook(NULL, NULL);
	glp_free_env();
	return outcome;
}

/* -------------------------------------------------------------- row */

/* Doubles hold whole numbers to 2^53; the program must stay far below. */
static bool is_too_large(struct job *job)
{
	uint64_t pairs =
		mp_problem_lp_pairs(job->problem, MOST_PAIRS, job->arena);

	if (pairs <= MOST_PAIRS && job->problem->total_size < UINT64_C(1) << 45)
		return false;
	return !mp_fail(job->error, MEMPLAN_EINPUT,
		"%s: too large for planner 'ilp': more than %d conflicting "
		"pairs or 2^45 bytes; write the program with -o FILE.lp and "
		"give it to another solver",
		job->problem->name, (int)MOST_PAIRS);
}

/* Any plan will do to begin with, the best is the best to begin with: that of
 * auto, with as much work as if it were asked for alone. Then GLPK has as much
 * again. Of a limit of time each has its part. */
static enum outcome find_start(struct job *job)
{
	uint64_t steps = job->steps, spent = job->spent;
	bool timed = job->deadline > 0;
	enum outcome outcome;

	if (job->height != UINT64_MAX)
		return PLAN_FOUND;
	job->steps = timed ? steps / START_SHARE : steps;
	outcome = mp_planner_auto_run(job, 0);
	job->steps = timed ? steps - num_min(steps, job->spent - spent) : steps;
	job->running = "ilp";
	return outcome;
}

enum outcome mp_planner_ilp_run(struct job *job, int variant)
{
	const struct problem *problem = job->problem;
	struct ilp ilp = {.job = job};
	enum outcome start;

	(void)variant;
	assert(mp_planner_job_is_sound(job));
	if (is_too_large(job))
		return PLAN_FAILED;
	start = find_start(job);
	if (start == PLAN_FAILED || start == PLAN_NO_FIT)
		return start;
	if (mp_planner_job_done(job) || problem->n_buffers == 0)
		return PLAN_OPTIMAL;
	ilp.offsets = NEW(job->arena, uint64_t, problem->n_buffers);
	if (!ilp.offsets || !mp_problem_lp_init(&ilp.model, problem,
				    job->height - 1, job->arena, job->error))
		return PLAN_FAILED;
	ilp.model.columns[0].lower = (int64_t)job->lower_bound;
	return solve_fenced(&ilp);
}
