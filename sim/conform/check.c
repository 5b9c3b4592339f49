/* SPDX-License-Identifier: GPL-3.0-or-later */
/* check.c - one case run in several ways, and what the runs must have in common. */
#include "conform/check.h"

#include <inttypes.h>
#include <malloc.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/run.h"

/* The case beside the case: another workload in the same process. */
#define OTHER_SEED UINT64_C(0x5DEECE66D)

#define MEMORY_RUNS 24 /* repetitions in each of which memory must grow to be called lost */

/* What a run came to. */
struct outcome {
    enum host_verdict verdict;
    bool knows_truth;
    struct host_decision *decisions; /* owned */
    size_t count;
    char text[CONFORM_TEXT_MAX];
};

struct check {
    struct check_result *result;
    struct hs_registry *registry;
    struct conform_case model, other;
    struct hs_choice choice;
    struct hs_choice_param param;
    char value[64];
};

static enum hs_err load(const char *path, struct check_result *result,
                        struct hs_registry **registry)
{
    struct hs_error error = {0};

    result->trace.call = HOST_CALL_LOAD;
    result->code = run_registry_create(&path, 1, registry, &error);
    result->trace.call = HOST_CALL_NONE;
    (void)snprintf(result->text, sizeof result->text, "%s", error.text);
    return result->code;
}

void check_list(const char *path, struct check_result *result)
{
    struct hs_registry *registry = NULL;

    if (load(path, result, &registry) == HS_OK) {
        for (int kind = 0; kind < HS_KIND_COUNT; kind++) {
            for (size_t i = 0; i < hs_registry_count(registry, (enum hs_kind)kind); i++) {
                struct hs_plugin_info info = hs_registry_info(registry, (enum hs_kind)kind, i);
                struct check_member *member = &result->members[result->member_count];

                if (strcmp(info.origin, path) != 0 || result->member_count == CHECK_MEMBERS_MAX) {
                    continue;
                }
                member->kind = (enum hs_kind)kind;
                (void)snprintf(member->name, sizeof member->name, "%s", info.name);
                result->member_count++;
            }
        }
    }
    hs_registry_destroy(registry);
}

/* What the member is combined with: all the usual partners in turn. */
static struct hs_choice compose(const struct check_member *member, uint64_t seed)
{
    static const char *const rules[] = {"easy", "none", "conservative", "first-fit", "easy-hosts"};
    static const char *const orders[] = {"fcfs", "sjf", "wfp3", "largest"};
    static const char *const places[] = {NULL, "best-fit", NULL, "worst-fit"};
    static const char *const locals[] = {NULL, "island", "first"};
    struct hs_choice choice = {.place = places[seed % 4], .local = locals[seed / 4 % 3]};

    switch (member->kind) {
    case HS_KIND_ORDER:
        choice.name = rules[seed % 5];
        choice.order = member->name;
        break;
    case HS_KIND_RESERVE:
        choice.name = member->name;
        choice.order = orders[seed % 4];
        break;
    case HS_KIND_PLACE:
        choice.name = rules[seed % 5];
        choice.order = orders[seed / 5 % 4];
        choice.place = member->name;
        break;
    case HS_KIND_PREDICT:
        choice.name = rules[seed % 5];
        choice.order = orders[seed / 5 % 4];
        choice.predictor = member->name;
        break;
    default:
        choice.name = member->name;
        break;
    }
    return choice;
}

/* "{name: easy, order: mine, place: best-fit}" */
static void say_choice(const struct hs_choice *choice, char *text, size_t size)
{
    const char *const parts[][2] = {{", order: ", choice->order},
                                    {", place: ", choice->place},
                                    {", local: ", choice->local},
                                    {", predictor: ", choice->predictor}};
    size_t length = (size_t)snprintf(text, size, "{name: %s", choice->name);

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i][1] && length < size) {
            length +=
                (size_t)snprintf(text + length, size - length, "%s%s", parts[i][0], parts[i][1]);
        }
    }
    if (length < size) {
        (void)snprintf(text + length, size - length, "}");
    }
}

static void fail(struct check *check, enum conform_property property, const char *format, ...)
    HS_PRINTF(3, 4);
static void fail(struct check *check, enum conform_property property, const char *format, ...)
{
    struct check_verdict *verdict = &check->result->verdicts[property];
    va_list arguments;

    if (verdict->has_failed) {
        return;
    }
    verdict->has_failed = true;
    va_start(arguments, format);
    (void)vsnprintf(verdict->text, sizeof verdict->text, format, arguments);
    va_end(arguments);
}

static void begin(struct check *check, enum conform_property property)
{
    check->result->property = property;
    check->result->verdicts[property].is_checked = true;
}

static struct conform_host *open_host(struct check *check, const struct conform_case *model,
                                      const struct host_options *ways)
{
    struct host_options options = *ways;

    options.registry = check->registry;
    options.choice = &check->choice;
    options.trace = &check->result->trace;
    return host_open(model, &options);
}

/* Takes what the host has come to, and closes it. */
static struct outcome settle(struct conform_host *host)
{
    struct outcome outcome = {.verdict = HOST_BROKE, .text = "Memory is short."};
    const struct host_decision *decisions;

    if (!host) {
        return outcome;
    }
    outcome.verdict = host_verdict(host);
    outcome.knows_truth = host_knows_truth(host);
    (void)snprintf(outcome.text, sizeof outcome.text, "%s", host_text(host));
    decisions = host_decisions(host, &outcome.count);
    outcome.decisions = malloc((outcome.count + 1) * sizeof *decisions);
    if (!outcome.decisions) {
        outcome.count = 0;
    } else if (outcome.count) {
        memcpy(outcome.decisions, decisions, outcome.count * sizeof *decisions);
    }
    host_close(host);
    return outcome;
}

static struct outcome run(struct check *check, const struct conform_case *model,
                          const struct host_options *ways)
{
    struct conform_host *host = open_host(check, model, ways);

    while (host && host_step(host)) {
    }
    return settle(host);
}

static void say_decision(const struct outcome *outcome, size_t index, char *text, size_t size)
{
    static const char *const verbs[] = {
        [HS_DECISION_START] = "starts",
        [HS_DECISION_REJECT] = "is rejected",
        [HS_DECISION_WAKE] = "wakes",
        [HS_DECISION_PREEMPT] = "is preempted",
    };
    char time[HS_TIME_TEXT_MAX];

    if (index >= outcome->count) {
        (void)snprintf(text, size, "nothing is decided any more");
        return;
    }
    (void)hs_time_format(outcome->decisions[index].time_ns, time);
    (void)snprintf(text, size, "job %" PRId64 " %s at %s s", outcome->decisions[index].job,
                   verbs[outcome->decisions[index].kind], time);
}

/* The first decision from number `index` on that counts. Without the core's index a policy may be
 * asked to look when nothing fits (hs_view_any_fits), so that it may reject a job sooner. */
static size_t next_decision(const struct outcome *outcome, size_t index,
                            enum conform_property property)
{
    while (property == CONFORM_WALKS && index < outcome->count &&
           outcome->decisions[index].kind == HS_DECISION_REJECT) {
        index++;
    }
    return index;
}

/* Fails the property if the runs differ, with the first difference. */
static void compare(struct check *check, enum conform_property property,
                    const struct outcome *expected, const struct outcome *found, const char *how)
{
    char before[128], now[128];
    size_t i = next_decision(expected, 0, property);
    size_t k = next_decision(found, 0, property);

    if (found->verdict != expected->verdict) {
        fail(check, property, "%s: the case, which was carried out before, now fails: %.400s", how,
             found->text);
        return;
    }
    while (i < expected->count && k < found->count &&
           expected->decisions[i].digest == found->decisions[k].digest) {
        i = next_decision(expected, i + 1, property);
        k = next_decision(found, k + 1, property);
    }
    if (i == expected->count && k == found->count) {
        return;
    }
    say_decision(expected, i, before, sizeof before);
    say_decision(found, k, now, sizeof now);
    fail(check, property, "%s: decision %zu of the case was: %s; now: %s%s.", how, i + 1, before,
         now, strcmp(before, now) == 0 ? ", elsewhere" : "");
}

static void check_repeats(struct check *check, const struct outcome *first)
{
    const struct host_options plain = {0};
    struct outcome other, again, side[2];
    struct conform_host *hosts[2];
    bool is_running = true;

    begin(check, CONFORM_REPEATS);
    other = run(check, &check->other, &plain);
    again = run(check, &check->model, &plain);
    compare(check, CONFORM_REPEATS, first, &again,
            "Another schedule when the case is repeated in the same process, after another case");
    if (check->result->verdicts[CONFORM_REPEATS].has_failed) {
        free(other.decisions);
        free(again.decisions);
        return;
    }
    begin(check, CONFORM_ISOLATED);
    hosts[0] = open_host(check, &check->model, &plain);
    hosts[1] = open_host(check, &check->other, &plain);
    while (is_running) {
        is_running = hosts[0] && host_step(hosts[0]);
        is_running = (hosts[1] && host_step(hosts[1])) || is_running;
    }
    side[0] = settle(hosts[0]);
    side[1] = settle(hosts[1]);
    compare(check, CONFORM_ISOLATED, first, &side[0],
            "Another schedule while a second instance runs beside it");
    compare(check, CONFORM_ISOLATED, &other, &side[1],
            "Another schedule of the second instance, which runs beside the first");
    free(other.decisions);
    free(again.decisions);
    free(side[0].decisions);
    free(side[1].decisions);
}

static void check_walk(struct check *check, const struct outcome *first)
{
    const struct host_options walk = {.is_plain = true};
    struct outcome outcome;

    begin(check, CONFORM_WALKS);
    outcome = run(check, &check->model, &walk);
    compare(check, CONFORM_WALKS, first, &outcome,
            "Another schedule when the core keeps no index of the queue and no scores of nodes. A "
            "scan limit that grows, a `rate` that is not the c of the key, a key that changes "
            "without is_time_varying or a score that depends on more than its node does that");
    free(outcome.decisions);
}

static size_t memory_in_use(void)
{
    struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
}

/* The allocator keeps some freed blocks for itself (tcache), which count as in use, but it does not
 * take more in each of so many runs: what is lost is lost every time. */
static void check_memory(struct check *check)
{
    const struct host_options plain = {0};
    size_t before = memory_in_use(), least = SIZE_MAX;

    if (before == 0) {
        return; /* another allocator: of a sanitizer, which looks for itself */
    }
    begin(check, CONFORM_MEMORY);
    for (int i = 0; i < MEMORY_RUNS && least > 0; i++) {
        struct outcome outcome = run(check, &check->model, &plain);
        size_t after, growth;

        free(outcome.decisions);
        after = memory_in_use();
        growth = after > before ? after - before : 0;
        least = growth < least ? growth : least;
        before = after;
    }
    if (least > 0) {
        fail(check, CONFORM_MEMORY,
             "Each time that the case is repeated %zu bytes more stay in use: fini must free what "
             "init and the calls after it have allocated.",
             least);
    }
}

static void check_blind(struct check *check, const struct outcome *first)
{
    const struct host_options blind = {.hides_truth = true};
    struct outcome outcome;

    if (first->knows_truth) {
        return;
    }
    begin(check, CONFORM_BLIND);
    outcome = run(check, &check->model, &blind);
    compare(check, CONFORM_BLIND, first, &outcome,
            "Another schedule where the host does not know run times (truth_ns is -1), as no real "
            "scheduler does. Say so by HS_PREDICT_TRUTH, or do not read it");
    free(outcome.decisions);
}

/* The end of the range as text for the parameter. */
static void write_end(const struct hs_param *row, bool is_upper, char *text, size_t size)
{
    double value = is_upper ? row->max : row->min;

    if (row->type == HS_PARAM_TYPE_BOOL) {
        (void)snprintf(text, size, "%s", is_upper ? "true" : "false");
    } else if (value == floor(value) && fabs(value) < 1e18) {
        (void)snprintf(text, size, "%.0f", value);
    } else {
        (void)snprintf(text, size, "%.17g", value);
    }
}

/* One end of one range for each case, in turn. */
static void check_ranges(struct check *check, const struct hs_param *params)
{
    const struct host_options plain = {0};
    size_t ends = 2 * hs_param_count(params);
    const struct hs_param *row;
    struct outcome outcome;
    size_t end;

    if (ends == 0) {
        return;
    }
    end = check->model.seed % ends;
    row = &params[end / 2];
    begin(check, CONFORM_RANGES);
    write_end(row, end % 2, check->value, sizeof check->value);
    check->param = (struct hs_choice_param){row->name, check->value};
    check->choice.params = &check->param;
    check->choice.param_count = 1;
    (void)snprintf(check->result->setting, sizeof check->result->setting, "%.60s = %.60s",
                   row->name, check->value);
    outcome = run(check, &check->model, &plain);
    if (outcome.verdict == HOST_REFUSED) {
        fail(check, CONFORM_RANGES,
             "%s lies in the range of the parameter, but is refused: %.400s Narrow the range in "
             "the table of parameters.",
             check->result->setting, outcome.text);
    } else if (outcome.verdict != HOST_DONE) {
        fail(check, CONFORM_RANGES, "With %s: %.500s", check->result->setting, outcome.text);
    }
    free(outcome.decisions);
}

static const struct hs_param *params_of(const struct hs_registry *registry,
                                        const struct check_member *member)
{
    for (size_t i = 0; i < hs_registry_count(registry, member->kind); i++) {
        struct hs_plugin_info info = hs_registry_info(registry, member->kind, i);

        if (strcmp(info.name, member->name) == 0) {
            return info.params;
        }
    }
    return NULL;
}

static void check_all(struct check *check, const struct check_member *member)
{
    const struct host_options plain = {0};
    struct outcome first;

    begin(check, CONFORM_RULES);
    first = run(check, &check->model, &plain);
    if (first.verdict == HOST_REFUSED) {
        check->result->is_refused = true;
        check->result->verdicts[CONFORM_RULES].is_checked = false;
        (void)snprintf(check->result->text, sizeof check->result->text, "%s", first.text);
    } else if (first.verdict == HOST_BROKE) {
        fail(check, CONFORM_RULES, "%s", first.text);
    } else {
        begin(check, CONFORM_ENDS);
        if (first.verdict == HOST_STALLED) {
            fail(check, CONFORM_ENDS, "%s", first.text);
        }
    }
    if (first.verdict == HOST_DONE) {
        check_repeats(check, &first);
    }
    if (first.verdict == HOST_DONE && !check->result->verdicts[CONFORM_REPEATS].has_failed) {
        check_walk(check, &first);
        if (member->kind == HS_KIND_PREDICT) {
            check_blind(check, &first);
        }
    }
    if (first.verdict == HOST_DONE) {
        check_memory(check);
        check_ranges(check, params_of(check->registry, member));
    }
    check->result->property = CONFORM_SURVIVES;
    free(first.decisions);
}

void check_case(const char *path, const struct check_member *member, uint64_t seed, uint32_t jobs,
                struct check_result *result)
{
    struct check *check = calloc(1, sizeof *check);
    struct hs_error error = {0};
    enum hs_err err = check ? load(path, result, &check->registry) : hs_error_memory(&error);

    if (err == HS_OK) {
        check->result = result;
        err = case_draw(&check->model, seed, jobs, &error);
        err = err == HS_OK ? case_draw(&check->other, seed ^ OTHER_SEED, 0, &error) : err;
        if (err == HS_OK) {
            result->jobs = check->model.job_count;
            check->choice = compose(member, seed);
            say_choice(&check->choice, result->composition, sizeof result->composition);
            check_all(check, member);
        }
    }
    if (err != HS_OK) {
        result->code = err;
        (void)snprintf(result->text, sizeof result->text, "%s",
                       *error.text ? error.text : result->text);
    }
    if (check) {
        case_fini(&check->model);
        case_fini(&check->other);
        hs_registry_destroy(check->registry);
    }
    free(check);
}
