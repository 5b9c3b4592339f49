/* SPDX-License-Identifier: GPL-3.0-or-later */
/* policies_test.c - hsim policies test: does a plug-in keep its promises? */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "cli/policies.h"
#include "cli/stop.h"
#include "conform/conform.h"

#define CASES_DEFAULT 200
#define CASES_MAX     1000000
#define LIMIT_DEFAULT 10 /* s */
#define LIMIT_MAX     3600

enum { KEY_JSON = 256, KEY_IN_PROCESS, KEY_SHOW };

struct test {
    struct conform_options options;
    bool is_json, is_shown;
};

/* A whole number from `low` to `high`. */
static uint64_t number_of(const struct argp_state *state, const char *option, const char *text,
                          uint64_t low, uint64_t high)
{
    char *end;
    unsigned long long value;

    errno = 0;
    value = strtoull(text, &end, 10);
    if (errno || end == text || *end || *text == '-' || value < low || value > high) {
        cli_usage(state, "%s is '%s'; it must be a whole number from %" PRIu64 " to %" PRIu64 ".",
                  option, text, low, high);
    }
    return value;
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct test *test = state->input;

    switch (key) {
    case 's':
        test->options.seed = number_of(state, "--seed", value, 0, UINT64_MAX);
        return 0;
    case 'n':
        test->options.cases = (uint32_t)number_of(state, "--cases", value, 1, CASES_MAX);
        return 0;
    case 'j':
        test->options.jobs = (uint32_t)number_of(state, "--jobs", value, 1, CONFORM_JOBS_MAX);
        return 0;
    case 'l':
        test->options.limit_s = (uint32_t)number_of(state, "--limit", value, 1, LIMIT_MAX);
        return 0;
    case 'N':
        test->options.name = value;
        return 0;
    case KEY_JSON:
        test->is_json = true;
        return 0;
    case KEY_SHOW:
        test->is_shown = true;
        test->options.cases = 1;
        return 0;
    case KEY_IN_PROCESS:
        test->options.is_in_process = true;
        return 0;
    case ARGP_KEY_ARG:
        if (test->options.path) {
            cli_usage(state, "One plug-in at a time; '%s' is one too many.", value);
        }
        test->options.path = value;
        return 0;
    case ARGP_KEY_NO_ARGS:
        cli_usage(state, "Name the shared object to test: hsim policies test ./mine.so");
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"seed", 's', "NUMBER", 0, "Seed of the first case; the others follow it (default 1)", 0},
    {"cases", 'n', "NUMBER", 0, "Cases for each member of the plug-in (default 200)", 0},
    {"name", 'N', "NAME", 0, "Test only the member of this name", 0},
    {"jobs", 'j', "NUMBER", 0, "Only the first so many jobs of each case", 0},
    {"limit", 'l', "SECONDS", 0, "Processor time that a case may take (default 10)", 0},
    {"json", KEY_JSON, NULL, 0, "Print the report as JSON", 0},
    {"show", KEY_SHOW, NULL, 0, "Print the case of the seed in words, and test this one alone", 0},
    {"in-process", KEY_IN_PROCESS, NULL, 0,
     "Without child processes, so that a debugger can follow", 0},
    {0},
};

const struct argp policies_test_argp = {
    .options = options,
    .parser = parse_option,
    .args_doc = "FILE.so",
    .doc = "Tests a plug-in on random cases: small clusters, plain or with devices, and some "
           "dozens of jobs; nodes leave and come back, starts fail, jobs are cancelled, have no "
           "request or run longer. Each case runs in a process of its own, and a failure comes "
           "with the command that repeats it.\v"
           "Properties:\n"
           "  survives  it does not crash, and every call returns\n"
           "  rules     the core accepts all its decisions\n"
           "  ends      every job ends, or is rejected with a reason\n"
           "  repeats   the same case gives the same schedule again, after another case\n"
           "  isolated  so it does while a second instance runs in turn with it\n"
           "  walks     the same schedule without the core's indexes of queue and nodes\n"
           "  ranges    parameters at either end of their range do no harm\n"
           "  memory    what init and later calls allocate is freed by fini\n"
           "  blind     a predictor without HS_PREDICT_TRUTH does not read the truth\n"
           "  pure      no clock, file, thread, output or random number is imported\n\n"
           "The printed command with --show tells what the case consists of.\n\n"
           "Exit codes: 0 all hold, 4 one does not, 2 the plug-in cannot be loaded.",
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static void write_command(const struct test *test, const struct conform_member *member,
                          const struct conform_finding *finding, char *text, size_t size)
{
    (void)snprintf(text, size,
                   "hsim policies test %s --name %s --seed %" PRIu64 " --cases 1 --jobs %" PRIu32,
                   test->options.path, member->name, finding->seed, finding->jobs);
}

static void print_finding(const struct test *test, const struct conform_member *member,
                          enum conform_property property)
{
    const struct conform_finding *finding = &member->findings[property];
    char command[4600];

    if (finding->cases == 0) {
        return;
    }
    (void)printf("  %-9s %6" PRIu32 "  ", conform_property_name(property), finding->cases);
    if (finding->failures == 0) {
        (void)printf("passed  %s\n", conform_property_meaning(property));
        return;
    }
    (void)printf("FAILED  in %" PRIu32 ": %s\n", finding->failures, finding->text);
    if (property != CONFORM_PURE) {
        write_command(test, member, finding, command, sizeof command);
        (void)printf("            again:  %s\n", command);
    }
}

static void print_member(const struct test *test, const struct conform_member *member)
{
    (void)printf("%s: %s %s\n  property   cases  result\n", base_name(test->options.path),
                 hs_kind_name(member->kind), member->name);
    for (int p = 0; p < CONFORM_PROPERTY_COUNT; p++) {
        print_finding(test, member, (enum conform_property)p);
    }
    if (member->refused) {
        (void)printf("  %s of %" PRIu32 " cases refused %" PRIu32 "%s: %s\n", member->name,
                     member->cases, member->refused,
                     member->refused == member->cases ? ", so that nothing was tested" : "",
                     member->refusal);
    }
    if (test->is_shown) {
        (void)printf("  composed:  %s\n", member->composition);
    }
    if (member->cases < test->options.cases) {
        (void)printf("  %" PRIu32 " cases were not run.\n", test->options.cases - member->cases);
    }
}

static void json_finding(const struct test *test, const struct conform_member *member,
                         enum conform_property property)
{
    const struct conform_finding *finding = &member->findings[property];
    char command[4600];

    (void)printf("{\"property\": \"%s\", \"cases\": %" PRIu32 ", \"failures\": %" PRIu32,
                 conform_property_name(property), finding->cases, finding->failures);
    if (finding->failures) {
        (void)printf(", \"text\": ");
        cli_json_string(stdout, finding->text);
        if (property != CONFORM_PURE) {
            write_command(test, member, finding, command, sizeof command);
            (void)printf(", \"seed\": %" PRIu64 ", \"jobs\": %" PRIu32 ", \"again\": ",
                         finding->seed, finding->jobs);
            cli_json_string(stdout, command);
        }
    }
    (void)putchar('}');
}

static void json_member(const struct test *test, const struct conform_member *member)
{
    const char *separator = "";

    (void)printf("{\"kind\": \"%s\", \"name\": ", hs_kind_name(member->kind));
    cli_json_string(stdout, member->name);
    (void)printf(", \"cases\": %" PRIu32 ", \"refused\": %" PRIu32 ", \"refusal\": ", member->cases,
                 member->refused);
    cli_json_string(stdout, member->refused ? member->refusal : NULL);
    (void)printf(", \"properties\": [");
    for (int p = 0; p < CONFORM_PROPERTY_COUNT; p++) {
        if (member->findings[p].cases) {
            (void)printf("%s\n    ", separator);
            json_finding(test, member, (enum conform_property)p);
            separator = ",";
        }
    }
    (void)printf("]}");
}

static void print_report(const struct test *test, const struct conform_report *report)
{
    if (test->is_json) {
        (void)printf("{\"plugin\": ");
        cli_json_string(stdout, test->options.path);
        (void)printf(", \"seed\": %" PRIu64 ", \"passed\": %s, \"members\": [", test->options.seed,
                     conform_passed(report) ? "true" : "false");
        for (size_t i = 0; i < report->count; i++) {
            (void)printf("%s\n  ", i ? "," : "");
            json_member(test, &report->members[i]);
        }
        (void)printf("]}\n");
        return;
    }
    for (size_t i = 0; i < report->count; i++) {
        (void)printf("%s", i ? "\n" : "");
        print_member(test, &report->members[i]);
    }
}

int policies_test(int argc, char **argv)
{
    struct test test = {.options = {.seed = 1, .cases = CASES_DEFAULT, .limit_s = LIMIT_DEFAULT}};
    struct conform_report report = {0};
    struct hs_error error = {0};
    enum hs_err err;
    int code;

    code = cli_parse(&policies_test_argp, argc, argv, 0, NULL, &test);
    if (code != CLI_OK) {
        return code;
    }
    if (test.is_shown && test.is_json) {
        (void)hs_error_set(&error, HS_ERR_CONFIG,
                           "--show prints words for people; leave --json or --show out.");
        return cli_fail(&error);
    }
    cli_stop_catch(true);
    test.options.stop = cli_stop_count();
    err = test.is_shown ? conform_show(&test.options, stdout, &error) : HS_OK;
    (void)fflush(stdout);
    err = err == HS_OK ? conform_run(&test.options, &report, &error) : err;
    if (err == HS_OK || err == HS_ERR_INTERRUPTED) {
        print_report(&test, &report);
    }
    code = err != HS_OK ? cli_fail(&error) : conform_passed(&report) ? CLI_OK : CLI_POLICY;
    conform_report_fini(&report);
    return cli_finish(code);
}
