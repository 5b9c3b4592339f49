/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model_case.c - what both simulators of the model test share: names, the host's whims, comparing
 * and printing. */
#include <inttypes.h>
#include <stdio.h>

#include "model_case.h"

static uint64_t mix(uint64_t value)
{
    value += UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

uint64_t model_next(struct model_random *random)
{
    random->state += UINT64_C(0x9e3779b97f4a7c15);
    return mix(random->state);
}

uint32_t model_below(struct model_random *random, uint32_t bound)
{
    return (uint32_t)(model_next(random) % bound);
}

uint32_t model_between(struct model_random *random, uint32_t low, uint32_t high)
{
    return low + model_below(random, high - low + 1);
}

bool model_chance(struct model_random *random, uint32_t percent)
{
    return model_below(random, 100) < percent;
}

const char *model_order_name(enum model_order order)
{
    static const char *const names[MODEL_ORDER_COUNT + 1] = {
        [MODEL_FCFS] = "fcfs",
        [MODEL_LCFS] = "lcfs",
        [MODEL_SJF] = "sjf",
        [MODEL_LJF] = "ljf",
        [MODEL_SAF] = "saf",
        [MODEL_LAF] = "laf",
        [MODEL_SMALLEST] = "smallest",
        [MODEL_LARGEST] = "largest",
        [MODEL_PRIORITY] = "priority",
        [MODEL_WFP3] = "wfp3",
        [MODEL_UNICEP] = "unicep",
        [MODEL_UNICEF] = "unicef",
        [MODEL_F1] = "f1",
        [MODEL_EXPANSION] = "expansion-factor",
        [MODEL_F2] = "f2",
        [MODEL_F3] = "f3",
        [MODEL_F4] = "f4",
        [MODEL_RANDOM] = "random",
    };

    return names[order];
}

const char *model_rule_name(enum model_rule rule)
{
    static const char *const names[MODEL_RULE_COUNT] = {
        [MODEL_NONE] = "none",
        [MODEL_FIRST_FIT] = "first-fit",
        [MODEL_EASY] = "easy",
        [MODEL_EASY_NOEXTRA] = "easy-noextra",
        [MODEL_EASY_HOSTS] = "easy-hosts",
        [MODEL_DEPTH] = "depth",
        [MODEL_REBUILT] = "conservative-rebuilt",
        [MODEL_CONSERVATIVE] = "conservative",
        [MODEL_EASY_SJBF] = "easy-sjbf",
    };

    return names[rule];
}

static uint64_t whim(const struct model_case *model, const struct model_job *job, uint32_t attempt,
                     uint64_t question)
{
    return mix(model->seed ^ mix(job->tag * 4 + question) ^ mix(UINT64_C(0xabcdef) + attempt));
}

bool model_start_fails(const struct model_case *model, const struct model_job *job,
                       uint32_t attempt)
{
    return whim(model, job, attempt, 1) % 1000 < model->fail_permille;
}

hs_time model_answer_delay(const struct model_case *model, const struct model_job *job,
                           uint32_t attempt)
{
    hs_time delay = (hs_time)(whim(model, job, attempt, 2) % 4) * model->tick_ns;

    if (!model->is_confirmed_late || delay >= job->request_ns) {
        return 0;
    }
    return delay;
}

hs_time model_at_speed(hs_time time, uint32_t permille)
{
    hs_time scaled = time == HS_TIME_NEVER ? time : time / 1000 * permille;

    return scaled == 0 && time > 0 ? 1 : scaled;
}

hs_time model_scaled(const struct model_case *model, const uint32_t tasks[MODEL_NODES_MAX],
                     hs_time time)
{
    uint32_t slowest = 0;

    for (uint32_t node = 0; node < model->node_count; node++) {
        if (tasks[node] > 0 && model->permille[node] > slowest) {
            slowest = model->permille[node];
        }
    }
    return model->has_speeds && slowest ? model_at_speed(time, slowest) : time;
}

void model_draw_speeds(struct model_case *model, uint64_t seed)
{
    static const uint32_t speeds[] = {1000, 250, 500, 700};
    struct model_random random = {.state = seed};

    model->has_speeds = true;
    for (uint32_t node = 0; node < MODEL_NODES_MAX; node++) {
        model->permille[node] = speeds[model_below(&random, 4)];
    }
}

bool model_correction(const struct model_case *model, const struct model_job *job, uint32_t attempt,
                      uint32_t number, hs_time start, hs_time *time_ns, hs_time *end_ns)
{
    bool is_planning = model->rule == MODEL_DEPTH || model->rule == MODEL_REBUILT ||
                       model->rule == MODEL_CONSERVATIVE;
    struct model_random random = {.state = whim(model, job, attempt, 3)};
    uint32_t span = 3 + (uint32_t)(job->run_ns / model->tick_ns % 100000);

    if (!model_chance(&random, model->correct_percent)) {
        return false;
    }
    *time_ns = start;
    for (uint32_t i = 0; i <= number; i++) {
        uint32_t kind = model_below(&random, 10);

        if (i > model_below(&random, 6)) {
            return false;
        }
        *time_ns += model_between(&random, 1, span) * model->tick_ns;
        *end_ns = *time_ns + model_below(&random, 2 * span) * model->tick_ns;
        if (kind == 0) {
            *end_ns = *time_ns; /* any moment */
        } else if (kind == 1) {
            *end_ns = model_add(start, job->request_ns) > *time_ns
                          ? model_add(start, job->request_ns)
                          : *time_ns;
        }
        if ((kind == 2 || *end_ns == HS_TIME_NEVER) && !is_planning) {
            *end_ns = HS_TIME_NEVER;
        }
    }
    return true;
}

hs_time model_add(hs_time a, hs_time b)
{
    return a == HS_TIME_NEVER || b == HS_TIME_NEVER ? HS_TIME_NEVER : a + b;
}

uint32_t model_total_units(const struct model_case *model)
{
    uint32_t total = 0;

    for (uint32_t node = 0; node < model->node_count; node++) {
        total += model->units[node];
    }
    return total;
}

static bool same_nodes(const struct model_case *model, const struct model_outcome *left,
                       const struct model_outcome *right, uint32_t job)
{
    bool is_coarse = left->is_exclusive || right->is_exclusive;

    for (uint32_t node = 0; node < model->node_count; node++) {
        uint32_t a = left->tasks[job][node];
        uint32_t b = right->tasks[job][node];

        if (is_coarse ? (a > 0) != (b > 0) : a != b) {
            return false;
        }
    }
    return true;
}

int model_difference(const struct model_case *model, const struct model_outcome *left,
                     const struct model_outcome *right)
{
    for (uint32_t job = 0; job < model->job_count; job++) {
        if (left->fate[job] != right->fate[job] || left->fate[job] == MODEL_LOST ||
            left->attempts[job] != right->attempts[job] ||
            left->first_ns[job] != right->first_ns[job] ||
            left->start_ns[job] != right->start_ns[job] ||
            left->end_ns[job] != right->end_ns[job] || left->given[job] != right->given[job] ||
            !same_nodes(model, left, right, job)) {
            return (int)job;
        }
    }
    return -1;
}

static const char *time_text(hs_time time, char *text)
{
    if (time == HS_TIME_NEVER || time == MODEL_NO_TIME) {
        return "-";
    }
    (void)hs_time_format(time, text);
    return text;
}

static void print_outcome(const struct model_case *model, const char *name,
                          const struct model_outcome *outcome, uint32_t job)
{
    char start[HS_TIME_TEXT_MAX];
    char end[HS_TIME_TEXT_MAX];

    (void)fprintf(stderr, "      %-5s fate %d attempts %" PRIu32 " start %s end %s on", name,
                  (int)outcome->fate[job], outcome->attempts[job],
                  time_text(outcome->start_ns[job], start), time_text(outcome->end_ns[job], end));
    for (uint32_t node = 0; node < model->node_count; node++) {
        if (outcome->tasks[job][node] > 0) {
            (void)fprintf(stderr, " %" PRIu32 "x%" PRIu32, node, outcome->tasks[job][node]);
        }
    }
    (void)fputc('\n', stderr);
}

void model_print(const struct model_case *model, const struct model_outcome *naive,
                 const struct model_outcome *core)
{
    (void)fprintf(stderr,
                  "  %s%s, order %s, placement %s, k %" PRIu32 ", fail %" PRIu32
                  " permille, late %d, corrected %" PRIu32 " %%\n",
                  model->rule_prefix, model_rule_name(model->rule), model_order_name(model->order),
                  model->place ? model->place : "-", model->depth, model->fail_permille,
                  (int)model->is_confirmed_late, model->correct_percent);
    (void)fprintf(stderr, "  nodes:");
    for (uint32_t node = 0; node < model->node_count; node++) {
        (void)fprintf(stderr, " %" PRIu32 " (%" PRId64 " thousandths, %" PRId64 " bytes)",
                      model->units[node], model->cores_milli[node],
                      model->mem_bytes[node] == HS_MEM_UNLIMITED ? -1 : model->mem_bytes[node]);
    }
    (void)fputc('\n', stderr);
    for (uint32_t i = 0; i < model->change_count; i++) {
        char text[HS_TIME_TEXT_MAX];

        (void)fprintf(stderr, "  at %s node %" PRIu32 " %s\n",
                      time_text(model->changes[i].time_ns, text), model->changes[i].node,
                      model->changes[i].is_available ? "comes back" : "leaves");
    }
    for (uint32_t i = 0; i < model->job_count; i++) {
        const struct model_job *job = &model->jobs[i];
        char texts[4][HS_TIME_TEXT_MAX];

        (void)fprintf(stderr,
                      "  job %" PRIu32 ": id %" PRId64 " submit %s procs %" PRIu32 " width %" PRIu32
                      " run %s request %s cancel %s priority %g\n",
                      i, job->id, time_text(job->submit_ns, texts[0]), job->procs, job->width,
                      time_text(job->run_ns, texts[1]), time_text(job->request_ns, texts[2]),
                      time_text(job->cancel_ns, texts[3]), job->priority);
        (void)fprintf(stderr,
                      "      %" PRIu32 " tasks of %" PRId64 " thousandths, %" PRId64
                      " bytes, flags %#" PRIx32 ", %" PRIu32 " a node, %" PRIu32
                      " devices x %" PRIu32 ", %" PRIu32 " alternatives\n",
                      job->demand.tasks, job->demand.cores_milli, job->demand.mem_bytes,
                      job->demand.flags, job->demand.tasks_per_node, job->demand.device_count,
                      job->demand.device_share, job->demand.alternative_count);
        if (naive) {
            print_outcome(model, "naive", naive, i);
        }
        print_outcome(model, "core", core, i);
    }
}
