/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compare_output.c - a comparison for people: aligned text, Markdown or LaTeX. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/compare.h"
#include "cli/grid.h"

#define CELL_MAX 160

enum {
    COLUMN_POLICY,
    COLUMN_N,
    COLUMN_CENTER,
    COLUMN_DIFFERENCE,
    COLUMN_DIFFERENCE_INTERVAL,
    COLUMN_RATIO,
    COLUMN_RATIO_INTERVAL,
    COLUMN_P,
    COLUMN_WINS,
    COLUMNS
};

/* Five significant digits, without an exponent as long as a person can read it. */
static int format_number(char *text, size_t size, double value)
{
    double size_of = fabs(value);
    int digits;

    if (isnan(value)) {
        return snprintf(text, size, "-");
    }
    if (!(size_of > 0)) {
        return snprintf(text, size, "0");
    }
    digits = (int)floor(log10(size_of));
    if (digits < -4 || digits > 11) {
        return snprintf(text, size, "%.4e", value);
    }
    return snprintf(text, size, "%.*f", digits < 4 ? 4 - digits : 0, value);
}

static void format_interval(char *text, const struct stats_interval *interval)
{
    char low[32];
    char high[32];

    if (isnan(interval->low) || isnan(interval->high)) {
        (void)snprintf(text, CELL_MAX, "-");
        return;
    }
    (void)format_number(low, sizeof low, interval->low);
    (void)format_number(high, sizeof high, interval->high);
    (void)snprintf(text, CELL_MAX, "[%s, %s]", low, high);
}

static void format_wins(char *text, const struct stats_cell *cell, enum compare_direction direction)
{
    bool is_lower = direction == COMPARE_LOWER;

    if (direction == COMPARE_NEITHER || cell->pairs == 0) {
        (void)snprintf(text, CELL_MAX, "-");
        return;
    }
    (void)snprintf(text, CELL_MAX, "%zu/%zu/%zu", is_lower ? cell->lower : cell->higher,
                   is_lower ? cell->higher : cell->lower, cell->equal);
}

static void format_count(char *text, const struct compare_report *report, size_t policy,
                         const struct stats_cell *cell)
{
    const struct compare_table *table = report->table;
    size_t unstable = compare_count_unstable(table, policy);
    bool is_resampled = report->unit != COMPARE_RUNS;
    int length = snprintf(text, CELL_MAX, "%zu%s%s", cell->count, is_resampled ? " " : "",
                          is_resampled ? compare_unit_names[report->unit] : "");

    if (unstable) {
        length += snprintf(text + length, CELL_MAX - (size_t)length, " (%zu unstable)", unstable);
    }
    if (table->is_paired && policy != table->baseline && cell->pairs != cell->count) {
        (void)snprintf(text + length, CELL_MAX - (size_t)length, ", %zu pair%s", cell->pairs,
                       cell->pairs == 1 ? "" : "s");
    }
}

static void format_cell(const struct compare_report *report, size_t metric, size_t policy,
                        int column, char *text)
{
    const struct compare_table *table = report->table;
    const struct stats_cell *cell = &report->cells[metric * table->policy_count + policy];
    bool is_baseline = policy == table->baseline;

    *text = '\0';
    if (column == COLUMN_POLICY) {
        (void)snprintf(text, CELL_MAX, "%s", table->policies[policy]);
    } else if (column == COLUMN_N) {
        format_count(text, report, policy, cell);
    } else if (column == COLUMN_CENTER) {
        (void)format_number(text, CELL_MAX, cell->center.estimate);
    } else if (is_baseline) {
        (void)snprintf(text, CELL_MAX, "%s", column == COLUMN_DIFFERENCE ? "baseline" : "");
    } else if (column == COLUMN_DIFFERENCE) {
        (void)format_number(text, CELL_MAX, cell->difference.estimate);
    } else if (column == COLUMN_DIFFERENCE_INTERVAL) {
        format_interval(text, &cell->difference);
    } else if (column == COLUMN_RATIO) {
        (void)format_number(text, CELL_MAX, cell->ratio.estimate);
    } else if (column == COLUMN_RATIO_INTERVAL) {
        format_interval(text, &cell->ratio);
    } else if (column == COLUMN_P) {
        (void)snprintf(text, CELL_MAX, isnan(cell->p_holm) ? "-" : "%.2g", cell->p_holm);
    } else if (table->is_paired && report->unit == COMPARE_RUNS) {
        format_wins(text, cell, compare_direction(report->set->metrics[metric].name));
    } else {
        (void)snprintf(text, CELL_MAX, "-");
    }
}

static void format_title(const struct compare_report *report, int column, char *text)
{
    double percent = report->design->level * 100;

    switch (column) {
    case COLUMN_CENTER:
        (void)snprintf(text, CELL_MAX, "%s",
                       report->unit != COMPARE_RUNS ? "value"
                       : report->design->is_median  ? "median"
                                                    : "mean");
        return;
    case COLUMN_DIFFERENCE_INTERVAL:
    case COLUMN_RATIO_INTERVAL:
        (void)snprintf(text, CELL_MAX, "%.6g %% interval", percent);
        return;
    default: {
        static const char *const titles[COLUMNS] = {
            [COLUMN_POLICY] = "policy", [COLUMN_N] = "n",      [COLUMN_DIFFERENCE] = "difference",
            [COLUMN_RATIO] = "ratio",   [COLUMN_P] = "p Holm", [COLUMN_WINS] = "win/loss/tie"};

        (void)snprintf(text, CELL_MAX, "%s", titles[column]);
    }
    }
}

/* ---- the three formats */

static void print_escaped(const char *text, enum compare_format format)
{
    for (; *text; text++) {
        if (format == COMPARE_LATEX && strchr("_%&#${}", *text)) {
            (void)putchar('\\');
        } else if (format == COMPARE_LATEX && strchr("\\~^", *text)) {
            (void)printf("\\char%d{}", *text);
            continue;
        } else if (format == COMPARE_MARKDOWN && strchr("|*_\\`", *text)) {
            (void)putchar('\\');
        }
        (void)putchar(*text);
    }
}

static void print_row(const struct compare_report *report, enum compare_format format,
                      size_t metric, size_t policy, bool is_title)
{
    (void)fputs(format == COMPARE_MARKDOWN ? "| " : "", stdout);
    for (int c = 0; c < COLUMNS; c++) {
        char text[CELL_MAX];

        if (is_title) {
            format_title(report, c, text);
        } else {
            format_cell(report, metric, policy, c, text);
        }
        (void)fputs(c == 0 ? "" : format == COMPARE_LATEX ? " & " : " | ", stdout);
        print_escaped(text, format);
    }
    (void)puts(format == COMPARE_LATEX ? " \\\\" : " |");
}

static const char *const better_names[] = {[COMPARE_LOWER] = "; lower is better",
                                           [COMPARE_HIGHER] = "; higher is better",
                                           [COMPARE_NEITHER] = ""};

static void print_heading(const struct compare_report *report, size_t m, enum compare_format format)
{
    const struct compare_metric *metric = &report->set->metrics[m];
    const char *better = better_names[compare_direction(metric->name)];

    (void)fputs(format == COMPARE_MARKDOWN ? "\n**"
                : format == COMPARE_LATEX  ? "\n% "
                                           : "\n",
                stdout);
    print_escaped(metric->name, format == COMPARE_LATEX ? COMPARE_TEXT : format);
    (void)printf("%s (%s): %s%s\n", format == COMPARE_MARKDOWN ? "**" : "", metric->unit,
                 metric->doc, better);
}

static void print_marked(const struct compare_report *report, size_t metric,
                         enum compare_format format)
{
    bool is_latex = format == COMPARE_LATEX;

    (void)puts(is_latex ? "\\begin{tabular}{lrrrlrlrr}\n\\toprule" : "");
    print_row(report, format, metric, 0, true);
    (void)puts(is_latex ? "\\midrule" : "|:--|--:|--:|--:|:--|--:|:--|--:|--:|");
    for (size_t i = 0; i < report->table->policy_count; i++) {
        print_row(report, format, metric, i, false);
    }
    (void)fputs(is_latex ? "\\bottomrule\n\\end{tabular}\n" : "", stdout);
}

static bool print_grid(const struct compare_report *report, size_t metric)
{
    struct grid grid = {.columns = COLUMNS,
                        .rights = 1u << COLUMN_CENTER | 1u << COLUMN_DIFFERENCE |
                                  1u << COLUMN_RATIO | 1u << COLUMN_P | 1u << COLUMN_WINS};
    char text[CELL_MAX];

    for (int c = 0; c < COLUMNS; c++) {
        format_title(report, c, text);
        grid_add(&grid, "%s", text);
    }
    for (size_t i = 0; i < report->table->policy_count; i++) {
        for (int c = 0; c < COLUMNS; c++) {
            format_cell(report, metric, i, c, text);
            grid_add(&grid, "%s", text);
        }
    }
    return grid_print(&grid);
}

/* The values themselves, where they are too few for an interval but more than one. */
static void print_points(const struct compare_report *report, size_t metric,
                         enum compare_format format)
{
    const struct compare_table *table = report->table;

    if (table->runs_max < 2 || table->runs_max >= STATS_INTERVAL_MIN) {
        return;
    }
    (void)fputs(format == COMPARE_MARKDOWN ? "\n" : "", stdout);
    for (size_t i = 0; i < table->policy_count; i++) {
        (void)fputs(format == COMPARE_LATEX ? "% values of " : "values of ", stdout);
        print_escaped(table->policies[i], format == COMPARE_LATEX ? COMPARE_TEXT : format);
        (void)putchar(':');
        for (size_t k = 0; k < table->columns; k++) {
            const struct compare_run *run = table->runs[i * table->columns + k];
            char text[32] = "-";

            if (run) {
                (void)format_number(text, sizeof text, run->values[metric]);
            }
            (void)printf(" %s%s", text,
                         run && run->stability == RESULT_UNSTABLE ? " (unstable)" : "");
        }
        (void)puts(format == COMPARE_MARKDOWN ? "  " : "");
    }
}

static void print_notes(const struct compare_notes *notes, enum compare_format format)
{
    (void)fputs(notes->count ? "\n" : "", stdout);
    for (size_t i = 0; i < notes->count; i++) {
        (void)fputs(format == COMPARE_MARKDOWN ? "- "
                    : format == COMPARE_LATEX  ? "% "
                                               : "",
                    stdout);
        print_escaped(notes->texts[i], format == COMPARE_LATEX ? COMPARE_TEXT : format);
        (void)putchar('\n');
    }
}

bool compare_print(const struct compare_report *report, enum compare_format format)
{
    const struct compare_set *set = report->set;
    const struct compare_table *table = report->table;
    struct compare_notes notes = {0};
    size_t columns = table->is_paired ? table->columns : table->runs_max;
    bool is_whole = true;

    compare_note(report, &notes);
    if (format == COMPARE_CSV || format == COMPARE_JSON) {
        compare_print_rows(report, &notes, format);
    } else {
        (void)fputs(format == COMPARE_LATEX ? "% " : "", stdout);
        (void)printf("%zu run%s, %zu polic%s, %s %zu %s%s%s; baseline ", set->run_count,
                     set->run_count == 1 ? "" : "s", table->policy_count,
                     table->policy_count == 1 ? "y" : "ies",
                     table->is_paired ? "in" : "not paired, at most", columns,
                     table->is_paired ? "situation" : "run", columns == 1 ? "" : "s",
                     table->is_paired ? "" : " a policy");
        print_escaped(table->policies[table->baseline],
                      format == COMPARE_LATEX ? COMPARE_TEXT : format);
        (void)putchar('\n');
        for (size_t m = 0; m < set->metric_count; m++) {
            print_heading(report, m, format);
            if (format == COMPARE_TEXT) {
                is_whole = print_grid(report, m) && is_whole;
            } else {
                print_marked(report, m, format);
            }
            print_points(report, m, format);
        }
        print_notes(&notes, format);
    }
    is_whole = is_whole && !notes.has_failed;
    compare_notes_fini(&notes);
    return is_whole;
}
