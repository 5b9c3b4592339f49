/* SPDX-License-Identifier: GPL-3.0-or-later */
/* allot_output.c - solves instances and shows their optima and shares. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/allot.h"
#include "cli/grid.h"
#include "cli/json.h"

struct printer {
    struct allot *allot;
    double *shares;
    size_t room; /* of the shares */
};

static const char *label_of(const struct instance *instance)
{
    return instance->label ? instance->label : instance->path;
}

static double throughput(const struct instance *instance, const double *shares, size_t job)
{
    size_t types = instance->problem.type_count;
    double steps_per_s = 0;

    for (size_t type = 0; type < types; type++) {
        steps_per_s +=
            instance->problem.steps_per_s[job * types + type] * shares[job * types + type];
    }
    return steps_per_s;
}

static double scale_of(const struct instance *instance, size_t job)
{
    return instance->problem.scale_factors ? instance->problem.scale_factors[job] : 1;
}

static void job_name(const struct instance *instance, size_t job, char name[96])
{
    if (instance->problem.job_names) {
        (void)snprintf(name, 96, "%s", instance->problem.job_names[job]);
    } else {
        (void)snprintf(name, 96, "job %zu", job);
    }
}

static bool text_print(const struct instance *instance, enum allot_goal goal, const double *shares,
                       double optimum)
{
    const struct allot_problem *problem = &instance->problem;
    struct grid grid = {.columns = problem->type_count + 3};
    const char *unit = allot_goal_unit(goal);

    for (size_t column = 1; column < grid.columns && column < 32; column++) {
        grid.rights |= 1u << column;
    }
    (void)printf("\n%s: %.12g%s%s\n", allot_goal_name(goal), optimum, *unit ? " " : "", unit);
    grid_add(&grid, "  job");
    grid_add(&grid, "workers");
    for (size_t type = 0; type < problem->type_count; type++) {
        grid_add(&grid, "%s", instance->types[type]);
    }
    grid_add(&grid, "steps/s");
    for (size_t job = 0; job < problem->job_count; job++) {
        char name[96];

        job_name(instance, job, name);
        grid_add(&grid, "  %s", name);
        grid_add(&grid, "%g", scale_of(instance, job));
        for (size_t type = 0; type < problem->type_count; type++) {
            grid_add(&grid, "%.6f", shares[job * problem->type_count + type]);
        }
        grid_add(&grid, "%.6g", throughput(instance, shares, job));
    }
    return grid_print(&grid);
}

static void text_head(const struct instance *instance, bool is_first)
{
    (void)printf("%s%s: %zu job%s, workers", is_first ? "" : "\n", label_of(instance),
                 instance->problem.job_count, instance->problem.job_count == 1 ? "" : "s");
    for (size_t type = 0; type < instance->problem.type_count; type++) {
        (void)printf(" %s=%g", instance->types[type], instance->problem.workers[type]);
    }
    (void)printf("\n");
}

static void json_job(const struct instance *instance, const double *shares, size_t job)
{
    size_t types = instance->problem.type_count;
    char name[96];

    job_name(instance, job, name);
    (void)printf("%s\n        {\"job\": ", job ? "," : "");
    cli_json_string(stdout, name);
    (void)printf(", \"scale_factor\": ");
    cli_json_number(stdout, scale_of(instance, job));
    (void)printf(", \"throughput\": ");
    cli_json_number(stdout, throughput(instance, shares, job));
    (void)printf(", \"shares\": [");
    for (size_t type = 0; type < types; type++) {
        (void)printf("%s", type ? ", " : "");
        cli_json_number(stdout, shares[job * types + type]);
    }
    (void)printf("]}");
}

static void json_print(const struct instance *instance, enum allot_goal goal, const double *shares,
                       double optimum, bool is_first)
{
    (void)printf("%s\n      {\"policy\": \"%s\", \"unit\": \"%s\", \"optimum\": ",
                 is_first ? "" : ",", allot_goal_name(goal), allot_goal_unit(goal));
    cli_json_number(stdout, optimum);
    (void)printf(", \"jobs\": [");
    for (size_t job = 0; job < instance->problem.job_count; job++) {
        json_job(instance, shares, job);
    }
    (void)printf("]}");
}

static void json_head(const struct instance *instance, bool is_first)
{
    (void)printf("%s\n  {\"name\": ", is_first ? "[" : ",");
    cli_json_string(stdout, label_of(instance));
    (void)printf(", \"worker_types\": [");
    for (size_t type = 0; type < instance->problem.type_count; type++) {
        (void)printf("%s", type ? ", " : "");
        cli_json_string(stdout, instance->types[type]);
    }
    (void)printf("], \"num_workers\": [");
    for (size_t type = 0; type < instance->problem.type_count; type++) {
        (void)printf("%s", type ? ", " : "");
        cli_json_number(stdout, instance->problem.workers[type]);
    }
    (void)printf("], \"results\": [");
}

/* Is the goal one to be shown? */
static bool is_due(const struct instance *instance, const bool is_chosen[ALLOT_GOAL_COUNT],
                   size_t goal)
{
    for (size_t i = 0; i < ALLOT_GOAL_COUNT; i++) {
        if (is_chosen[i]) {
            return is_chosen[goal];
        }
    }
    return goal != ALLOT_MAKESPAN || instance->problem.steps;
}

/* All goals are solved before anything of the instance is printed. */
static enum hs_err instance_solve(struct printer *printer, const struct instance *instance,
                                  const bool is_chosen[ALLOT_GOAL_COUNT],
                                  double optima[ALLOT_GOAL_COUNT], struct hs_error *error)
{
    size_t cells = instance->problem.job_count * instance->problem.type_count;
    enum hs_err err = HS_OK;

    if (cells > printer->room) {
        free(printer->shares);
        printer->room = cells;
        printer->shares = malloc(ALLOT_GOAL_COUNT * cells * sizeof *printer->shares);
    }
    if (!printer->shares && cells > 0) {
        return hs_error_memory(error);
    }
    for (size_t goal = 0; !err && goal < ALLOT_GOAL_COUNT; goal++) {
        struct hs_error found = {0};

        if (is_due(instance, is_chosen, goal)) {
            err = allot_solve(printer->allot, (enum allot_goal)goal, &instance->problem,
                              printer->shares + goal * cells, &optima[goal], &found);
        }
        if (err) {
            err = hs_error_set(error, err == HS_ERR_CONFIG ? HS_ERR_INPUT : err,
                               "%s: %s%s%s: %.1600s", instance->path,
                               instance->label ? instance->label : "", instance->label ? ", " : "",
                               allot_goal_name((enum allot_goal)goal), found.text);
        }
    }
    return err;
}

static enum hs_err print_one(struct printer *printer, const struct instance *instance,
                             bool is_first, const bool is_chosen[ALLOT_GOAL_COUNT], bool is_json,
                             struct hs_error *error)
{
    size_t cells = instance->problem.job_count * instance->problem.type_count;
    double optima[ALLOT_GOAL_COUNT];
    bool is_first_goal = true;
    enum hs_err err = instance_solve(printer, instance, is_chosen, optima, error);

    if (err) {
        return err;
    }
    if (is_json) {
        json_head(instance, is_first);
    } else {
        text_head(instance, is_first);
    }
    for (size_t goal = 0; goal < ALLOT_GOAL_COUNT; goal++) {
        const double *shares = printer->shares + goal * cells;

        if (!is_due(instance, is_chosen, goal)) {
            continue;
        }
        if (is_json) {
            json_print(instance, (enum allot_goal)goal, shares, optima[goal], is_first_goal);
        } else if (!text_print(instance, (enum allot_goal)goal, shares, optima[goal])) {
            return hs_error_memory(error);
        }
        is_first_goal = false;
    }
    (void)printf("%s", is_json ? "]}" : "");
    return HS_OK;
}

enum hs_err instance_print(const struct instance *first, const bool is_chosen[ALLOT_GOAL_COUNT],
                           bool is_json, struct hs_error *error)
{
    struct printer printer = {.allot = allot_create()};
    enum hs_err err = printer.allot ? HS_OK : hs_error_memory(error);

    for (const struct instance *instance = first; !err && instance; instance = instance->next) {
        err = print_one(&printer, instance, instance == first, is_chosen, is_json, error);
    }
    (void)printf("%s", is_json && !err ? "\n]\n" : "");
    allot_destroy(printer.allot);
    free(printer.shares);
    return err;
}
