/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sweep.c - sweeps: any text is refused with sentences, or gives rows of which each is an
 * experiment with one policy, and the same rows again.
 *
 * What stands behind a zero byte is a `--set`. */
#include <math.h>

#include "fuzz.h"
#include "sweep/plan_internal.h"

#define ROWS_MAX 200

static void check_rows(const struct sweep_plan *plan)
{
    const struct sweep_axis *axes;
    const struct sweep_row *rows;
    size_t axis_count = sweep_plan_axes(plan, &axes);
    size_t row_count = sweep_plan_rows(plan, &rows);

    FUZZ_CHECK(row_count > 0 && row_count <= ROWS_MAX);
    for (size_t i = 0; i < row_count; i++) {
        struct experiment experiment;
        struct hs_error error = {0};

        FUZZ_CHECK(rows[i].policy && *rows[i].policy && rows[i].replicate >= 0);
        for (size_t k = 0; k < axis_count; k++) {
            const struct sweep_value *value = &rows[i].values[k];

            FUZZ_CHECK(!value->text || axes[k].type == SWEEP_TEXT || !isnan(value->real));
        }
        if (i % 16 == 0) {
            FUZZ_CHECK(sweep_plan_experiment(plan, i, &experiment, &error) == HS_OK);
            FUZZ_CHECK(experiment.policy_count == 1 && experiment.seed == rows[i].seed);
            FUZZ_CHECK(strcmp(experiment.policies[0].label, rows[i].policy) == 0);
            experiment_fini(&experiment);
        }
    }
}

static void check_same(const struct sweep_plan *left, const struct sweep_plan *right)
{
    const struct sweep_row *some, *others;
    size_t count = sweep_plan_rows(left, &some);

    FUZZ_CHECK(sweep_plan_rows(right, &others) == count);
    for (size_t i = 0; i < count; i++) {
        FUZZ_CHECK(strcmp(some[i].policy, others[i].policy) == 0);
        FUZZ_CHECK(some[i].seed == others[i].seed && some[i].replicate == others[i].replicate);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
    size_t length = zero ? (size_t)(zero - data) : size;
    char *text = malloc(size + 1);
    struct experiment_override override;
    struct sweep_plan *plan[2];
    struct hs_error error = {0};
    char path[FUZZ_PATH_MAX];
    int file;

    FUZZ_CHECK(text);
    memcpy(text, data, size);
    text[size] = '\0';
    override.text = text + (zero ? length + 1 : size);
    file = fuzz_file(text, length, path);
    for (int i = 0; i < 2; i++) {
        char *report = NULL;
        enum hs_err err =
            plan_create(false, ROWS_MAX, path, &override, zero ? 1 : 0, &plan[i], &report, &error);

        if (err == HS_OK) {
            check_rows(plan[i]);
        } else {
            fuzz_check_error(err, &error);
            FUZZ_CHECK(!plan[i]);
        }
        free(report);
    }
    FUZZ_CHECK(!plan[0] == !plan[1]);
    if (plan[0] && plan[1]) {
        check_same(plan[0], plan[1]);
    }
    sweep_plan_destroy(plan[0]);
    sweep_plan_destroy(plan[1]);
    (void)close(file);
    free(text);
    return 0;
}
