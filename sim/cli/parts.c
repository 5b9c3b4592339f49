/* SPDX-License-Identifier: GPL-3.0-or-later */
/* parts.c - prints the jobs of a run by class and by model. */
#include "cli/parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/grid.h"
#include "cli/inspect.h"
#include "cli/json.h"

static void add_number(struct grid *grid, double value)
{
    if (isnan(value)) {
        grid_add(grid, "-");
    } else {
        grid_add(grid, "%.4g", value);
    }
}

static void add_duration(struct grid *grid, double seconds)
{
    char text[32];

    inspect_duration(seconds, text);
    grid_add(grid, "%s", text);
}

bool cli_parts_table(const char *title, const struct result_part *list, size_t count)
{
    static const char *const head[] = {"jobs",     "killed",  "rejected",     "wait",
                                       "run",      "run_ref", "slowdown_ref", "bsld",
                                       "device h", "core h",  "energy kWh"};
    struct grid grid = {.columns = 1 + sizeof head / sizeof head[0], .rights = 0xffe};

    grid_add(&grid, "%s", title);
    for (size_t i = 0; i < sizeof head / sizeof head[0]; i++) {
        grid_add(&grid, "%s", head[i]);
    }
    for (size_t i = 0; i < count; i++) {
        const struct result_part *part = &list[i];

        if (part->jobs == 0 && part->rejected == 0) {
            continue;
        }
        grid_add(&grid, "%s", part->name);
        grid_add(&grid, "%" PRId64, part->jobs);
        grid_add(&grid, "%" PRId64, part->killed);
        grid_add(&grid, "%" PRId64, part->rejected);
        add_duration(&grid, part->wait_s);
        add_duration(&grid, part->run_s);
        add_duration(&grid, part->run_ref_s);
        add_number(&grid, part->slowdown_ref);
        add_number(&grid, part->bsld);
        add_number(&grid, part->device_s / 3600);
        add_number(&grid, part->core_s / 3600);
        add_number(&grid, part->energy_j / 3.6e6);
    }
    return grid_print(&grid);
}

void cli_parts_json(const struct result_part *list, size_t count)
{
    (void)fputs("[", stdout);
    for (size_t i = 0; i < count; i++) {
        (void)printf("%s\n    {\"name\": ", i ? "," : "");
        cli_json_string(stdout, list[i].name);
        for (size_t k = 0; k < RESULT_PART_COLUMNS; k++) {
            const struct result_column *column = &result_part_columns[k].column;
            const char *suffix = column->unit[0] == 's' ? "_s" : column->unit[0] == 'J' ? "_j" : "";

            (void)printf(", \"%s%s\": ", column->name, suffix);
            cli_json_number(stdout, result_part_value(&list[i], &result_part_columns[k]));
        }
        (void)fputs("}", stdout);
    }
    (void)fputs("]", stdout);
}

enum hs_err cli_parts_show(struct result_reader *reader, bool is_json, struct hs_error *error)
{
    static const char *const groups[][2] = {{"classes", "class"}, {"models", "model"}};
    enum hs_err code = HS_OK;

    for (size_t i = 0; code == HS_OK && i < 2 && result_reader_has(reader, groups[i][0]); i++) {
        struct result_part *list = NULL;
        size_t count = 0;

        code = result_reader_parts(reader, groups[i][0], &list, &count, error);
        if (code == HS_OK && is_json) {
            (void)printf(",\n \"%s\": ", groups[i][0]);
            cli_parts_json(list, count);
        } else if (code == HS_OK) {
            (void)putchar('\n');
            code = cli_parts_table(groups[i][1], list, count) ? HS_OK : hs_error_memory(error);
        }
        free(list);
    }
    return code;
}
