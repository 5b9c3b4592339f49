/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kinds.c - the tables of kinds and of their options. */
#include <string.h>

#include "plot/plot.h"

const struct plot_kind *const plot_kinds[] = {
    /* of single runs */
    &plot_cdf,
    &plot_ccdf,
    &plot_timeline,
    &plot_fragmentation,
    &plot_gantt,
    /* of many runs */
    &plot_load,
    &plot_bars,
    &plot_box,
    &plot_forest,
    &plot_pareto,
    &plot_heatmap,
    &plot_scaling,
};
const size_t plot_kind_count = sizeof plot_kinds / sizeof plot_kinds[0];

const struct plot_option_row plot_options[] = {
    {PLOT_METRIC, "metric", "NAME[,NAME...]", "What is drawn; each kind says what there is"},
    {PLOT_LABEL, "label", "NAME=TEXT",
     "Call the policy, file, metric or key NAME so in the picture; may be repeated"},
    {PLOT_LOG, "log", "AXES", "Logarithmic axes: x, y, xy or none"},
    {PLOT_FROM, "from", "TIME",
     "Begin of what is shown, since the first submission (2d, 36h, 90m)"},
    {PLOT_TO, "to", "TIME", "End of what is shown, likewise"},
    {PLOT_COLOR, "color", "BY", "What gives a job its colour: user, class or state"},
    {PLOT_AGAINST, "against", "WHAT", "The x axis; each kind says what there is"},
    {PLOT_BASELINE, "baseline", "LABEL",
     "Policy with which others are compared (default: the first)"},
    {PLOT_POLICY, "policy", "LABEL[,LABEL...]", "Only these policies, in this order"},
    {PLOT_WHERE, "where", "KEY=VALUE", "Only runs with this value of a key; may be repeated"},
    {PLOT_BY, "by", "KEY[,KEY...]", "Tell values of these keys apart, as if they were policies"},
    {PLOT_LEVEL, "level", "PERCENT", "Level of the intervals (default: 95)"},
    {PLOT_ROWS, "rows", "WHAT", "What makes up the rows: device, core or node"},
};
const size_t plot_option_count = sizeof plot_options / sizeof plot_options[0];

size_t plot_word_find(const char *word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(words[i], word) == 0) {
            return i;
        }
    }
    return count;
}

enum hs_err plot_word_fail(const char *option, const char *word, const char *const *words,
                           size_t count, struct hs_error *error)
{
    const char *near = hs_nearest(word, words, count);
    char list[1024];
    size_t length = 0;

    list[0] = '\0';
    for (size_t i = 0; i < count && length < sizeof list; i++) {
        const char *before = i == 0 ? "" : i + 1 < count ? ", " : " or ";

        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", before, words[i]);
    }
    return hs_error_set(error, HS_ERR_CONFIG, "%s is '%s'; %s is due%s%s%s.", option, word, list,
                        near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

enum hs_err plot_kind_find(const char *name, const struct plot_kind **kind, struct hs_error *error)
{
    enum { COUNT = sizeof plot_kinds / sizeof plot_kinds[0] };
    const char *names[COUNT];
    size_t index;

    for (size_t i = 0; i < COUNT; i++) {
        names[i] = plot_kinds[i]->name;
    }
    index = plot_word_find(name, names, COUNT);
    *kind = index < COUNT ? plot_kinds[index] : NULL;
    return *kind ? HS_OK : plot_word_fail("The kind of figure", name, names, COUNT, error);
}

enum hs_err plot_request_check(const struct plot_request *request, const struct plot_kind *kind,
                               struct hs_error *error)
{
    for (size_t i = 0; i < plot_option_count; i++) {
        if (request->given & plot_options[i].option & ~kind->options) {
            return hs_error_set(error, HS_ERR_CONFIG,
                                "--%s does not go with `hsim plot %s`; `hsim plot %s --help` tells "
                                "what does.",
                                plot_options[i].name, kind->name, kind->name);
        }
    }
    if (request->given & PLOT_FROM && request->given & PLOT_TO &&
        request->from_ns >= request->to_ns) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "--from is not before --to, so that nothing lies between.");
    }
    return HS_OK;
}
