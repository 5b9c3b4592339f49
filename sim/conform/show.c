/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show.c - a case in words, for who looks for the reason of a failure. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "conform/case.h"

#define GIB (INT64_C(1) << 30)

static void put_time(FILE *file, const char *before, hs_time time, const char *never)
{
    char text[HS_TIME_TEXT_MAX];

    if (time == HS_TIME_NEVER) {
        (void)fprintf(file, "%s%s", before, never);
    } else {
        (void)hs_time_format(time, text);
        (void)fprintf(file, "%s%s s", before, text);
    }
}

static void put_node(FILE *file, const struct conform_case *model, uint32_t index)
{
    const struct hs_node *node = hs_cluster_node(model->cluster, index);

    (void)fprintf(file, "  node %s: cores=%" PRId64, node->name, node->cores_milli / 1000);
    if (node->mem_bytes != HS_MEM_UNLIMITED) {
        (void)fprintf(file, " mem=%" PRId64 "GiB", node->mem_bytes / GIB);
    }
    if (node->device_count) {
        const struct hs_device *device = hs_cluster_device(model->cluster, node->first_device);

        (void)fprintf(file, " %s:%s=%" PRIu32, hs_cluster_kind_name(model->cluster, device->kind),
                      hs_cluster_model_name(model->cluster, device->model), node->device_count);
    }
    if (model->class_count > 1) {
        (void)fprintf(file, ", times x %.3f",
                      model->permille[model->class_of_node[index]] / 1000.0);
    }
    (void)fputc('\n', file);
}

static void put_demand(FILE *file, const struct conform_case *model, const struct hs_demand *demand)
{
    static const struct {
        uint32_t flag;
        const char *word;
    } flags[] = {
        {HS_DEMAND_EXCLUSIVE, "exclusive"},
        {HS_DEMAND_SPREAD, "spread"},
        {HS_DEMAND_SAME_NODE, "same-node"},
        {HS_DEMAND_SAME_ISLAND, "same-island"},
    };

    (void)fprintf(file, "%" PRIu32 "x cores=%g", demand->tasks, (double)demand->cores_milli / 1000);
    if (demand->mem_bytes) {
        (void)fprintf(file, " mem=%" PRId64 "GiB", demand->mem_bytes / GIB);
    }
    if (demand->device_count) {
        (void)fprintf(file, " %s=%g",
                      demand->device_kind == HS_ANY_KIND
                          ? "device"
                          : hs_cluster_kind_name(model->cluster, demand->device_kind),
                      demand->device_count * (demand->device_share / 1000.0));
    }
    if (demand->device_mem) {
        (void)fprintf(file, " device-mem=%" PRId64 "GiB", demand->device_mem / GIB);
    }
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        (void)fprintf(file, "%s%s", demand->flags & flags[i].flag ? " " : "",
                      demand->flags & flags[i].flag ? flags[i].word : "");
    }
    for (uint32_t i = 0; i < demand->alternative_count; i++) {
        (void)fputs(" or ", file);
        put_demand(file, model, &demand->alternatives[i]);
    }
}

static void put_job(FILE *file, const struct conform_case *model, uint32_t index)
{
    const struct case_job *job = &model->jobs[index];

    (void)fprintf(file, "  job %" PRIu32 ": ", index);
    put_demand(file, model, &job->demand);
    put_time(file, ", submitted at ", job->submit_ns, "");
    put_time(file, ", requests ", job->request_ns, "nothing");
    put_time(file, ", runs ", job->run_ns, "");
    if (job->cancel_ns != HS_TIME_NEVER) {
        put_time(file, ", cancelled at ", job->cancel_ns, "");
    }
    (void)fprintf(file, ", user %" PRId32 "%s\n", job->user,
                  case_start_fails(model, index) ? ", first start fails" : "");
}

static void put_case(FILE *file, const struct conform_case *model)
{
    uint32_t nodes = hs_cluster_node_count(model->cluster);

    (void)fprintf(file, "case %" PRIu64 ": %" PRIu32 " nodes, %" PRIu32 " jobs\n", model->seed,
                  nodes, model->job_count);
    for (uint32_t i = 0; i < nodes; i++) {
        put_node(file, model, i);
    }
    for (uint32_t i = 0; i < model->job_count; i++) {
        put_job(file, model, i);
    }
    for (uint32_t i = 0; i < model->change_count; i++) {
        put_time(file, "  at ", model->changes[i].time_ns, "");
        (void)fprintf(file, " node n%" PRIu32 " %s\n", model->changes[i].node,
                      model->changes[i].is_available ? "comes back" : "leaves");
    }
    if (model->delay_ns) {
        put_time(file, "  starts are confirmed ", model->delay_ns, "");
        (void)fputs(" after the decision\n", file);
    }
    if (model->restart_ns) {
        put_time(file, "  a restart after a preemption takes ", model->restart_ns, "");
        (void)fputc('\n', file);
    }
}

enum hs_err conform_show(const struct conform_options *options, FILE *file, struct hs_error *error)
{
    struct conform_case *model = calloc(1, sizeof *model);
    enum hs_err err =
        model ? case_draw(model, options->seed, options->jobs, error) : hs_error_memory(error);

    if (err == HS_OK) {
        put_case(file, model);
        case_fini(model);
    }
    free(model);
    return err;
}
