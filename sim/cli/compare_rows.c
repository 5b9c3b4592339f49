/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compare_rows.c - a comparison for programs: a row for each metric and policy, as CSV or JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/compare.h"
#include "cli/json.h"
#include "text/units.h"

/* One number of a cell. Counts are doubles here, too: they are far below 2^53. */
struct field {
    const char *name;
    double value;
};

enum { FIELDS = 26 };

/* `is_counted`: pairs were looked at one by one. */
static size_t list_fields(const struct stats_cell *cell, bool is_baseline, bool is_counted,
                          size_t better, size_t worse, size_t unstable, struct field *fields)
{
    double pairs = is_baseline ? NAN : (double)cell->pairs;
    bool has_test = !isnan(cell->p);
    const struct field list[] = {
        {"n", (double)cell->count},
        {"unstable", (double)unstable},
        {"center", cell->center.estimate},
        {"center_low", cell->center.low},
        {"center_high", cell->center.high},
        {"sd", cell->deviation},
        {"pairs", pairs},
        {"difference", cell->difference.estimate},
        {"difference_low", cell->difference.low},
        {"difference_high", cell->difference.high},
        {"ratio", cell->ratio.estimate},
        {"ratio_low", cell->ratio.low},
        {"ratio_high", cell->ratio.high},
        {"rank_sum_plus", has_test ? cell->test.plus : NAN},
        {"rank_sum_minus", has_test ? cell->test.minus : NAN},
        {"p", cell->p},
        {"p_holm", cell->p_holm},
        {"lower", is_counted ? (double)cell->lower : NAN},
        {"higher", is_counted ? (double)cell->higher : NAN},
        {"equal", is_counted ? (double)cell->equal : NAN},
        {"wins", better == SIZE_MAX || is_baseline ? NAN : (double)better},
        {"losses", worse == SIZE_MAX || is_baseline ? NAN : (double)worse},
    };
    size_t count = sizeof list / sizeof list[0];

    _Static_assert(sizeof list / sizeof list[0] <= FIELDS, "fields of a row");
    memcpy(fields, list, sizeof list);
    return count;
}

static void print_quoted(const char *text)
{
    (void)putchar('"');
    for (; *text; text++) {
        (void)fputs(*text == '"' ? "\"" : "", stdout);
        (void)putchar(*text);
    }
    (void)putchar('"');
}

/* What the center of a row is; resampled are the values of single runs. */
static const char *statistic_of(const struct compare_report *report)
{
    return report->unit != COMPARE_RUNS ? compare_unit_names[report->unit]
           : report->design->is_median  ? "median"
                                        : "mean";
}

static void print_csv_row(const struct compare_report *report, const struct compare_metric *metric,
                          const char *policy, const struct field *fields, size_t count)
{
    const char *const words[] = {metric->name, metric->unit, policy,
                                 report->table->policies[report->table->baseline],
                                 statistic_of(report)};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        (void)fputs(i ? "," : "", stdout);
        print_quoted(words[i]);
    }
    (void)printf(",%.8g", report->design->level);
    for (size_t i = 0; i < count; i++) {
        char text[UNITS_TEXT_MAX] = "";

        if (isfinite(fields[i].value)) {
            text_units_format_double(fields[i].value, text);
        }
        (void)printf(",%s", text);
    }
    (void)putchar('\n');
}

static void print_json_row(const struct compare_metric *metric, const char *policy,
                           const struct field *fields, size_t count, bool is_first)
{
    (void)printf("%s\n  {\"metric\": ", is_first ? "" : ",");
    cli_json_string(stdout, metric->name);
    (void)fputs(", \"unit\": ", stdout);
    cli_json_string(stdout, metric->unit);
    (void)fputs(", \"policy\": ", stdout);
    cli_json_string(stdout, policy);
    for (size_t i = 0; i < count; i++) {
        (void)printf(", \"%s\": ", fields[i].name);
        cli_json_number(stdout, fields[i].value);
    }
    (void)putchar('}');
}

static void print_rows(const struct compare_report *report, bool is_json)
{
    const struct compare_table *table = report->table;

    for (size_t m = 0; m < report->set->metric_count; m++) {
        const struct compare_metric *metric = &report->set->metrics[m];
        enum compare_direction direction = compare_direction(metric->name);

        for (size_t i = 0; i < table->policy_count; i++) {
            const struct stats_cell *cell = &report->cells[m * table->policy_count + i];
            bool is_directed =
                direction != COMPARE_NEITHER && table->is_paired && report->unit == COMPARE_RUNS;
            bool is_lower = direction == COMPARE_LOWER;
            struct field fields[FIELDS];
            size_t count = list_fields(cell, i == table->baseline,
                                       i != table->baseline && report->unit == COMPARE_RUNS,
                                       !is_directed ? SIZE_MAX
                                       : is_lower   ? cell->lower
                                                    : cell->higher,
                                       !is_directed ? SIZE_MAX
                                       : is_lower   ? cell->higher
                                                    : cell->lower,
                                       compare_count_unstable(table, i), fields);

            if (is_json) {
                print_json_row(metric, table->policies[i], fields, count, m + i == 0);
                continue;
            }
            for (size_t k = 0; m + i == 0 && k < count; k++) {
                (void)printf("%s%s", k ? "," : "metric,unit,policy,baseline,statistic,level,",
                             fields[k].name);
            }
            (void)fputs(m + i == 0 ? "\n" : "", stdout);
            print_csv_row(report, metric, table->policies[i], fields, count);
        }
    }
}

static void print_json_notes(const struct compare_notes *notes)
{
    (void)fputs("\n ], \"notes\": [", stdout);
    for (size_t i = 0; i < notes->count; i++) {
        (void)fputs(i ? ",\n  " : "\n  ", stdout);
        cli_json_string(stdout, notes->texts[i]);
    }
    (void)fputs("\n ]}\n", stdout);
}

void compare_print_rows(const struct compare_report *report, const struct compare_notes *notes,
                        enum compare_format format)
{
    const struct compare_table *table = report->table;

    if (format == COMPARE_CSV) {
        print_rows(report, false);
        for (size_t i = 0; i < notes->count; i++) {
            (void)fprintf(stderr, "hsim: note: %s\n", notes->texts[i]);
        }
        return;
    }
    (void)fputs("{\"baseline\": ", stdout);
    cli_json_string(stdout, table->policies[table->baseline]);
    (void)printf(", \"runs\": %zu, \"situations\": %zu, \"paired\": %s, \"center\": \"%s\", "
                 "\"level\": ",
                 report->set->run_count, table->columns, table->is_paired ? "true" : "false",
                 statistic_of(report));
    cli_json_number(stdout, report->design->level);
    (void)fputs(",\n \"rows\": [", stdout);
    print_rows(report, true);
    print_json_notes(notes);
}
