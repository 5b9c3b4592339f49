/* SPDX-License-Identifier: GPL-3.0-or-later */
/* trace.c - which trace a run replays, and which runs have the schedule of another one.
 *
 * A seed makes other jobs only where jobs are generated. Replications of a trace are one sample,
 * and under a policy that draws nothing they are one run, however often it is counted. */
#include <stdlib.h>
#include <string.h>

#include "compare/runs.h"
#include "text/tree.h"

struct trace {
    const char *file, *from, *to; /* NULL: not given */
};

static const char *scalar(const struct tree_node *node)
{
    return node && node->kind == TREE_SCALAR ? node->text : NULL;
}

static const struct tree_node *below(const struct tree_node *node, const char *key)
{
    const struct tree_entry *entry =
        node && node->kind == TREE_MAP ? text_tree_find(node, key) : NULL;

    return entry ? entry->value : NULL;
}

static void take_window(struct trace *trace, const struct tree_node *node)
{
    trace->from = scalar(below(node, "from"));
    trace->to = scalar(below(node, "to"));
}

/* `workload: FILE` or `workload: {file: FILE, window: {...}}`. */
static void take_workload(struct trace *trace, const struct tree_node *node)
{
    trace->file = scalar(node) ? scalar(node) : scalar(below(node, "file"));
    take_window(trace, below(node, "window"));
}

/* NULL: no YAML, or no memory (the arena knows). */
static const struct tree_node *parse(struct arena *arena, const char *text)
{
    struct report report = {.path = "provenance/config"};
    bool is_empty;
    const struct tree_node *root =
        text_tree_parse(arena, &report, 0, text, strlen(text), &is_empty);

    text_report_fini(&report);
    return root;
}

/* What an axis puts in place of what the experiment says. */
static void take_axis(struct arena *arena, struct trace *trace, const char *key, const char *text)
{
    if (strcmp(key, "workload") == 0) {
        take_workload(trace, parse(arena, text));
    } else if (strcmp(key, "workload.window") == 0) {
        take_window(trace, parse(arena, text));
    } else if (strcmp(key, "workload.file") == 0) {
        trace->file = text;
    } else if (strcmp(key, "workload.window.from") == 0) {
        trace->from = text;
    } else if (strcmp(key, "workload.window.to") == 0) {
        trace->to = text;
    }
}

/* One text, equal for equal windows of equal files; NULL without a trace. */
static const char *join(struct arena *arena, const struct trace *trace)
{
    const char *from = trace->from ? trace->from : "";
    const char *to = trace->to ? trace->to : "";
    char *text;

    if (!trace->file || !*trace->file) {
        return NULL;
    }
    text = text_arena_alloc(arena, strlen(trace->file) + strlen(from) + strlen(to) + 3);
    if (text) {
        char *at = stpcpy(stpcpy(text, trace->file), "\t");

        (void)stpcpy(stpcpy(stpcpy(at, from), "\t"), to);
    }
    return text;
}

const struct tree_node *compare_workload_of_sweep(struct arena *arena, const char *config)
{
    return below(parse(arena, config), "workload");
}

const char *compare_trace_of_sweep(struct arena *arena, const struct tree_node *workload,
                                   const struct compare_run *run)
{
    struct trace trace = {0};

    take_workload(&trace, workload);
    for (size_t i = 0; i < run->fact_count; i++) {
        take_axis(arena, &trace, run->facts[i].key, run->facts[i].text);
    }
    return join(arena, &trace);
}

const char *compare_trace_of_facts(struct arena *arena, const struct compare_run *run)
{
    const struct compare_fact *file = compare_find_fact(run, "workload.file");
    const struct compare_fact *from = compare_find_fact(run, "workload.window.from");
    const struct compare_fact *to = compare_find_fact(run, "workload.window.to");
    struct trace trace = {
        .file = file && strcmp(file->text, "") != 0 ? file->value : NULL,
        .from = from ? from->value : NULL,
        .to = to ? to->value : NULL,
    };

    return join(arena, &trace);
}

bool compare_is_one_trace(const struct compare_set *set)
{
    for (size_t i = 0; i < set->run_count; i++) {
        const char *first = set->runs[0].trace;
        const char *own = set->runs[i].trace;

        if (!first || !own || strcmp(first, own) != 0) {
            return false;
        }
    }
    return set->run_count > 0;
}

static int compare_schedules(const void *a, const void *b)
{
    const struct compare_run *one = *(const struct compare_run *const *)a;
    const struct compare_run *other = *(const struct compare_run *const *)b;
    int order = strcmp(one->label, other->label);

    return order ? order : strcmp(one->schedule, other->schedule);
}

bool compare_count_copies(const struct compare_set *set, size_t *copies)
{
    const struct compare_run **runs = calloc(set->run_count + 1, sizeof *runs);
    size_t count = 0;

    *copies = 0;
    if (!runs) {
        return false;
    }
    for (size_t i = 0; i < set->run_count; i++) {
        if (set->runs[i].schedule && *set->runs[i].schedule) {
            runs[count++] = &set->runs[i];
        }
    }
    if (count > 1) {
        qsort(runs, count, sizeof *runs, compare_schedules);
    }
    for (size_t i = 1; i < count; i++) {
        *copies += compare_schedules(&runs[i - 1], &runs[i]) == 0;
    }
    free(runs);
    return true;
}
