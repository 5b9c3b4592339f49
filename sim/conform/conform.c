/* SPDX-License-Identifier: GPL-3.0-or-later */
/* conform.c - the parent's side: children, what became of them, and the report. */
#include "conform/conform.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conform/check.h"
#include "run/plugin.h"

#define OUTPUT_MAX  (1u << 20) /* bytes that a plug-in may print */
#define PATIENCE    20         /* times the limit, and ... */
#define PATIENCE_MS 10000      /* ... so much more, until a child that sleeps is ended */

static const struct {
    const char *name, *meaning;
} properties[CONFORM_PROPERTY_COUNT] = {
    [CONFORM_SURVIVES] = {"survives", "does not crash, and every call returns"},
    [CONFORM_RULES] = {"rules", "the core accepts all decisions"},
    [CONFORM_ENDS] = {"ends", "every job ends, or is rejected with a reason"},
    [CONFORM_REPEATS] = {"repeats", "the same case gives the same schedule again"},
    [CONFORM_ISOLATED] = {"isolated", "a second instance beside it changes nothing"},
    [CONFORM_WALKS] = {"walks", "the same schedule without the core's indexes"},
    [CONFORM_RANGES] = {"ranges", "parameters at the ends of their ranges do no harm"},
    [CONFORM_MEMORY] = {"memory", "all memory is given back"},
    [CONFORM_BLIND] = {"blind", "does not read the true run time"},
    [CONFORM_PURE] = {"pure", "imports no clock, file, thread, output, random number"},
};

const char *conform_property_name(enum conform_property property)
{
    return properties[property].name;
}

const char *conform_property_meaning(enum conform_property property)
{
    return properties[property].meaning;
}

/* One task for a child: the list of members (member NULL), or a case. */
struct task {
    const struct conform_options *options;
    const struct check_member *member;
    uint64_t seed;
    uint32_t jobs;
};

/* How a child ended. */
struct ending {
    int status;      /* of waitpid */
    bool is_stopped; /* by us, since it took too long */
    char output[200];
};

static void carry_out(const struct task *task, struct check_result *result)
{
    if (task->member) {
        check_case(task->options->path, task->member, task->seed, task->jobs, result);
    } else {
        check_list(task->options->path, result);
    }
    result->is_done = true;
}

static _Noreturn void be_child(const struct task *task, pid_t parent, int output,
                               struct check_result *result)
{
    rlim_t limit = task->options->limit_s;
    const struct rlimit cpu = {limit, limit + 1};
    const struct rlimit file = {OUTPUT_MAX, OUTPUT_MAX};
    const struct rlimit core = {0, 0};

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(1);
    }
    (void)setrlimit(RLIMIT_CPU, &cpu);
    (void)setrlimit(RLIMIT_FSIZE, &file);
    (void)setrlimit(RLIMIT_CORE, &core);
    (void)signal(SIGINT, SIG_IGN); /* the parent decides */
    /* Many short runs: memory that is given back to the system would have to be fetched again. */
    (void)mallopt(M_MMAP_THRESHOLD, 1 << 29);
    (void)mallopt(M_TRIM_THRESHOLD, 1 << 29);
    (void)mallopt(M_TOP_PAD, 1 << 20);
    if (output >= 0) {
        (void)dup2(output, STDOUT_FILENO);
        (void)dup2(output, STDERR_FILENO);
    }
    carry_out(task, result);
    _exit(0);
}

/* Waits until the child ends, or has had its time; `pipe` is at its end when the child is. */
static void wait_for(const struct conform_options *options, pid_t child, int pipe,
                     struct ending *ending)
{
    int patience_ms = (int)options->limit_s * 1000 * PATIENCE + PATIENCE_MS;
    struct pollfd waiting = {pipe, POLLIN, 0};
    int ready = poll(&waiting, 1, patience_ms);

    while (ready < 0 && errno == EINTR && !(options->stop && *options->stop)) {
        ready = poll(&waiting, 1, patience_ms);
    }
    if (ready <= 0) {
        ending->is_stopped = true;
        (void)kill(child, SIGKILL);
    }
    while (waitpid(child, &ending->status, 0) < 0 && errno == EINTR) {
    }
}

/* The begin of what the child printed, in one line. */
static void read_output(int file, struct ending *ending)
{
    ssize_t length = file >= 0 ? pread(file, ending->output, sizeof ending->output - 1, 0) : 0;

    ending->output[length > 0 ? length : 0] = '\0';
    for (char *c = ending->output; *c; c++) {
        *c = (unsigned char)*c < ' ' || *c == 127 ? ' ' : *c;
    }
}

static enum hs_err fork_child(const struct task *task, struct check_result *result,
                              struct ending *ending, struct hs_error *error)
{
    int ends[2] = {-1, -1};
    int output = memfd_create("hsim-output", MFD_CLOEXEC);
    pid_t parent = getpid();
    pid_t child = -1;
    int reason;

    if (pipe2(ends, O_CLOEXEC) == 0) {
        child = fork();
    }
    reason = errno;
    if (child == 0) {
        (void)close(ends[0]);
        be_child(task, parent, output, result);
    }
    if (ends[1] >= 0) {
        (void)close(ends[1]);
    }
    if (child > 0) {
        wait_for(task->options, child, ends[0], ending);
        read_output(output, ending);
    }
    if (ends[0] >= 0) {
        (void)close(ends[0]);
    }
    if (output >= 0) {
        (void)close(output);
    }
    return child > 0 ? HS_OK
                     : hs_error_set(error, HS_ERR_SYSTEM,
                                    "No process to test the plug-in in: %s. Close programs, or "
                                    "raise the limits (ulimit -u, ulimit -n).",
                                    strerror(reason));
}

/* Carries out the task, in a child unless told otherwise. `result` is in shared memory. */
static enum hs_err perform(const struct task *task, struct check_result *result,
                           struct ending *ending, struct hs_error *error)
{
    memset(result, 0, sizeof *result);
    *ending = (struct ending){0};
    if (task->options->stop && *task->options->stop) {
        return hs_error_set(error, HS_ERR_INTERRUPTED, "Interrupted.");
    }
    if (task->options->is_in_process) {
        carry_out(task, result);
        return HS_OK;
    }
    if (fork_child(task, result, ending, error) != HS_OK) {
        return HS_ERR_SYSTEM;
    }
    if (ending->is_stopped && task->options->stop && *task->options->stop) {
        return hs_error_set(error, HS_ERR_INTERRUPTED, "Interrupted.");
    }
    return HS_OK;
}

static bool took_too_long(const struct ending *ending)
{
    return ending->is_stopped ||
           (WIFSIGNALED(ending->status) &&
            (WTERMSIG(ending->status) == SIGXCPU || WTERMSIG(ending->status) == SIGKILL));
}

/* Where a child was that did not come to its end. */
static void say_place(const struct check_result *result, char *text, size_t size)
{
    static const char *const calls[] = {
        [HOST_CALL_NONE] = "between two calls",
        [HOST_CALL_LOAD] = "while it was loaded (a constructor)",
        [HOST_CALL_BEGIN] = "in init",
        [HOST_CALL_EVENT] = "while an event was told (notify, or the key of an order)",
        [HOST_CALL_PASS] = "in a scheduling pass (schedule, or what it calls back)",
        [HOST_CALL_PREDICT] = "in predict or learn",
        [HOST_CALL_END] = "in fini",
    };
    char time[HS_TIME_TEXT_MAX];

    (void)hs_time_format(result->trace.now_ns, time);
    if (result->trace.call <= HOST_CALL_BEGIN || result->trace.call == HOST_CALL_END) {
        (void)snprintf(text, size, "%s", calls[result->trace.call]);
    } else {
        (void)snprintf(text, size, "%s, at %s s, after %u passes%s%s", calls[result->trace.call],
                       time, result->trace.passes, *result->setting ? ", with " : "",
                       result->setting);
    }
}

/* The sentence about a child that did not come to its end. */
static void say_ending(const struct conform_options *options, const struct check_result *result,
                       const struct ending *ending, char *text)
{
    char place[300], output[sizeof ending->output + 32] = "";

    say_place(result, place, sizeof place);
    if (*ending->output) {
        (void)snprintf(output, sizeof output, " It printed: %s", ending->output);
    }
    if (took_too_long(ending)) {
        (void)snprintf(
            text, CONFORM_TEXT_MAX,
            "A call does not return: after %u s of processor time the case was still "
            "%.240s. Look for a loop whose condition never changes, for instance one that "
            "does not go on with hs_view_next.%.210s",
            options->limit_s, place, output);
    } else if (WIFSIGNALED(ending->status)) {
        (void)snprintf(text, CONFORM_TEXT_MAX, "It crashed (%.60s) %.300s.%.250s",
                       strsignal(WTERMSIG(ending->status)), place, output);
    } else {
        (void)snprintf(
            text, CONFORM_TEXT_MAX,
            "It ended the process (exit code %d) %.300s. A plug-in returns; if it cannot go "
            "on it calls hs_plan_fail.%.220s",
            WEXITSTATUS(ending->status), place, output);
    }
}

/* Does the property fail with the first so many jobs of the case? */
static bool fails_with(struct task task, uint32_t jobs, enum conform_property property,
                       struct check_result *result, char *text)
{
    struct hs_error error = {0};
    struct ending ending;

    task.jobs = jobs;
    if (perform(&task, result, &ending, &error) != HS_OK) {
        return false;
    }
    if (!result->is_done) {
        say_ending(task.options, result, &ending, text);
        return property == CONFORM_SURVIVES && !took_too_long(&ending);
    }
    (void)snprintf(text, CONFORM_TEXT_MAX, "%.690s", result->verdicts[property].text);
    return result->verdicts[property].has_failed;
}

/* Finds a smaller number of jobs with which the first failure still shows. */
static void shrink(const struct task *task, enum conform_property property,
                   struct conform_finding *finding, struct check_result *result)
{
    uint32_t low = 0;
    char text[CONFORM_TEXT_MAX];

    while (!task->options->is_in_process && finding->jobs - low > 1) {
        uint32_t middle = low + (finding->jobs - low) / 2;

        if (fails_with(*task, middle, property, result, text)) {
            finding->jobs = middle;
            memcpy(finding->text, text, sizeof finding->text);
        } else {
            low = middle;
        }
    }
}

static void note(const struct task *task, enum conform_property property, bool has_failed,
                 const char *text, uint32_t jobs, struct conform_finding *finding)
{
    finding[property].cases++;
    if (has_failed && finding[property].failures++ == 0) {
        finding[property].seed = task->seed;
        finding[property].jobs = jobs;
        (void)snprintf(finding[property].text, CONFORM_TEXT_MAX, "%.690s", text);
    }
}

/* Enters what became of the case. False: a call did not return; no more of it. */
static bool enter(const struct task *task, struct check_result *result, const struct ending *ending,
                  struct conform_member *member)
{
    char text[CONFORM_TEXT_MAX] = "";
    bool is_first[CONFORM_PROPERTY_COUNT];
    bool has_time = result->is_done || !took_too_long(ending);
    struct check_verdict verdicts[CONFORM_PROPERTY_COUNT];
    uint32_t jobs = result->jobs;

    if (!result->is_done) {
        say_ending(task->options, result, ending, text);
        result->verdicts[result->property].is_checked = false;
    }
    memcpy(verdicts, result->verdicts, sizeof verdicts);
    verdicts[CONFORM_SURVIVES].is_checked = true;
    verdicts[CONFORM_SURVIVES].has_failed = !result->is_done;
    memcpy(verdicts[CONFORM_SURVIVES].text, text, sizeof text);
    member->cases++;
    memcpy(member->composition, result->composition, sizeof member->composition);
    if (result->is_refused) {
        member->refused++;
        (void)snprintf(member->refusal, sizeof member->refusal, "%.690s", result->text);
    }
    for (int p = 0; p < CONFORM_PROPERTY_COUNT; p++) {
        is_first[p] = verdicts[p].has_failed && member->findings[p].failures == 0;
        if (verdicts[p].is_checked) {
            note(task, (enum conform_property)p, verdicts[p].has_failed, verdicts[p].text, jobs,
                 member->findings);
        }
    }
    for (int p = 0; has_time && p < CONFORM_PROPERTY_COUNT; p++) {
        if (is_first[p]) {
            shrink(task, (enum conform_property)p, &member->findings[p], result);
        }
    }
    return has_time;
}

static enum hs_err test_member(const struct conform_options *options, const struct check_member *it,
                               struct check_result *result, struct conform_member *member,
                               struct hs_error *error)
{
    struct task task = {.options = options, .member = it, .jobs = options->jobs};
    struct ending ending;

    for (uint32_t i = 0; i < options->cases; i++) {
        task.seed = options->seed + i;
        if (perform(&task, result, &ending, error) != HS_OK) {
            return error->code;
        }
        if (result->is_done && result->code != HS_OK) {
            return hs_error_set(error, result->code, "%s", result->text);
        }
        if (!enter(&task, result, &ending, member)) {
            break;
        }
    }
    if (member->findings[CONFORM_REPEATS].failures) { /* comparisons of two runs then say nothing */
        member->findings[CONFORM_ISOLATED] = (struct conform_finding){0};
        member->findings[CONFORM_WALKS] = (struct conform_finding){0};
        member->findings[CONFORM_BLIND] = (struct conform_finding){0};
    }
    return HS_OK;
}

/* Names that a pure plug-in has no use for, and why. A name ends with * where the rest is free. */
static const struct {
    const char *names, *remedy;
} impure[] = {
    {"time clock clock_gettime gettimeofday timespec_get localtime* gmtime* ftime times",
     "a clock: the time is hs_view_now"},
    {"rand rand_r srand random srandom drand48 erand48 lrand48 mrand48 arc4random* getrandom "
     "getentropy",
     "random numbers of its own: they come from hs_view_random, so that runs can be repeated"},
    {"printf vprintf puts putchar putc fputc fputs fprintf vfprintf fwrite perror write dprintf "
     "syslog",
     "output: results are written by the host, and a policy that cannot go on calls hs_plan_fail"},
    {"fopen* open open64 openat* creat fdopen read pread* mmap* socket connect popen system "
     "getenv setenv secure_getenv",
     "files, sockets or the environment: what a plug-in needs to know are its parameters"},
    {"fork vfork exec* posix_spawn* pthread_create thrd_create sleep usleep nanosleep kill raise "
     "signal sigaction exit _exit quick_exit dlopen",
     "processes, threads, signals or sleep: a plug-in computes and returns"},
};

static bool matches(const char *names, const char *symbol)
{
    size_t length;

    for (const char *name = names; *name; name += length + strspn(name + length, " ")) {
        length = strcspn(name, " ");
        if (name[length - 1] == '*' ? strncmp(name, symbol, length - 1) == 0
                                    : strlen(symbol) == length && !strncmp(name, symbol, length)) {
            return true;
        }
    }
    return false;
}

/* A symbol that the plug-in imports; "__printf_chk" is "printf". */
static void look_at_import(void *context, const char *symbol)
{
    struct conform_finding *finding = context;
    char name[128];
    size_t length = strlen(symbol);

    if (strncmp(symbol, "__", 2) == 0 && length > 6 && length < sizeof name &&
        strcmp(symbol + length - 4, "_chk") == 0) {
        (void)snprintf(name, sizeof name, "%.*s", (int)(length - 6), symbol + 2);
        symbol = name;
    }
    for (size_t i = 0; finding->failures == 0 && i < sizeof impure / sizeof impure[0]; i++) {
        if (matches(impure[i].names, symbol)) {
            finding->failures = 1;
            (void)snprintf(finding->text, sizeof finding->text, "It imports %s, that is %s.",
                           symbol, impure[i].remedy);
        }
    }
}

static enum hs_err no_such_member(const struct conform_options *options,
                                  const struct check_result *list, struct hs_error *error)
{
    const char *names[CHECK_MEMBERS_MAX];
    const char *near;

    for (size_t i = 0; i < list->member_count; i++) {
        names[i] = list->members[i].name;
    }
    near = hs_nearest(options->name, names, list->member_count);
    return hs_error_set(error, HS_ERR_CONFIG,
                        "Plug-in '%s' has nothing of the name '%s'; it has %s%s.", options->path,
                        options->name, near ? "for instance " : "", near ? near : names[0]);
}

static enum hs_err list_members(const struct conform_options *options, struct check_result *result,
                                struct hs_error *error)
{
    const struct task task = {.options = options};
    char text[CONFORM_TEXT_MAX];
    struct ending ending;
    enum hs_err err = perform(&task, result, &ending, error);

    if (err != HS_OK) {
        return err;
    }
    if (!result->is_done) {
        say_ending(options, result, &ending, text);
        return hs_error_set(error, HS_ERR_CONFIG, "Plug-in '%s' cannot be loaded. %s",
                            options->path, text);
    }
    return result->code == HS_OK ? HS_OK : hs_error_set(error, result->code, "%s", result->text);
}

static enum hs_err test_members(const struct conform_options *options, struct check_result *result,
                                struct conform_report *report, struct hs_error *error)
{
    struct conform_finding pure = {.cases = 1};
    struct check_result list = *result;
    enum hs_err err = plugin_imports(options->path, look_at_import, &pure, error);

    report->members = calloc(list.member_count + 1, sizeof *report->members);
    if (!report->members) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; err == HS_OK && i < list.member_count; i++) {
        struct conform_member *member = &report->members[report->count];

        if (options->name && strcmp(options->name, list.members[i].name) != 0) {
            continue;
        }
        report->count++;
        member->kind = list.members[i].kind;
        memcpy(member->name, list.members[i].name, sizeof member->name);
        member->findings[CONFORM_PURE] = pure;
        err = test_member(options, &list.members[i], result, member, error);
    }
    return err == HS_OK && report->count == 0 ? no_such_member(options, &list, error) : err;
}

enum hs_err conform_run(const struct conform_options *options, struct conform_report *report,
                        struct hs_error *error)
{
    struct check_result *result =
        mmap(NULL, sizeof *result, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    enum hs_err err;

    *report = (struct conform_report){0};
    if (result == MAP_FAILED) {
        return hs_error_memory(error);
    }
    err = list_members(options, result, error);
    err = err == HS_OK ? test_members(options, result, report, error) : err;
    (void)munmap(result, sizeof *result);
    return err;
}

void conform_report_fini(struct conform_report *report)
{
    free(report->members);
    *report = (struct conform_report){0};
}

bool conform_passed(const struct conform_report *report)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct conform_member *member = &report->members[i];

        if (member->refused == member->cases) {
            return false;
        }
        for (int p = 0; p < CONFORM_PROPERTY_COUNT; p++) {
            if (member->findings[p].failures) {
                return false;
            }
        }
    }
    return report->count > 0;
}
