/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model_list.c - names of models between bars, to the numbers of a demand. */
#include "workload/model_list.h"

#include <stdio.h>
#include <string.h>

#define KIND "gpu"

/* Enters the number of a model into the sorted list of the demand, once; false: it is full. */
static bool add_model(struct hs_demand *demand, uint16_t model)
{
    uint16_t at = 0;

    while (at < demand->model_count && demand->models[at] < model) {
        at++;
    }
    if (at < demand->model_count && demand->models[at] == model) {
        return true;
    }
    if (demand->model_count == HS_MODEL_MAX) {
        return false;
    }
    memmove(&demand->models[at + 1], &demand->models[at],
            (size_t)(demand->model_count - at) * sizeof demand->models[0]);
    demand->models[at] = model;
    demand->model_count++;
    return true;
}

static const char *models_read(struct workload_names *names, const char *text,
                               struct hs_demand *demand, struct hs_error *refusal)
{
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, "|");
        char model_name[64];
        uint16_t model;

        if (length == 0 || length >= sizeof model_name) {
            return "models with '|' between them are due";
        }
        memcpy(model_name, at, length);
        model_name[length] = '\0';
        if (!workload_names_number(names, WORKLOAD_MODEL, model_name, &model,
                                   refusal->text[0] ? NULL : refusal) &&
            !add_model(demand, model)) {
            return "at most 8 models are due";
        }
        at += length;
        at += *at == '|' && at[1] != '\0';
        if (*at == '|') {
            return "a model is due behind the last '|'";
        }
    }
    return NULL;
}

bool model_list_read(struct workload_names *names, const char *name, const char *text,
                     struct hs_demand *demand, struct hs_error *refusal, char *problem,
                     size_t problem_size)
{
    const char *due;

    refusal->text[0] = '\0';
    due = models_read(names, text, demand, refusal);
    if (due) {
        (void)snprintf(problem, problem_size, "%s is '%.30s'; %s", name, text, due);
        return false;
    }
    if (demand->model_count > 0) {
        refusal->text[0] = '\0';
    }
    /* A machine without GPUs: the job can have no place, whatever the model. */
    if (workload_names_number(names, WORKLOAD_KIND, KIND, &demand->device_kind, refusal)) {
        demand->device_kind = HS_ANY_KIND;
    }
    return true;
}
