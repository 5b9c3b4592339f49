/* SPDX-License-Identifier: GPL-3.0-or-later */
/* etc.c - matrices: any bytes yield one that maps, and that is written and read back to the same
 * numbers, or a sentence. */
#include <math.h>

#include "fuzz.h"
#include "lib/mapping.h"
#include "map/bound.h"
#include "map/etc.h"

#define CELLS_MAX 400 /* of matrices that are mapped; larger ones would be slow */

static void check_written(const struct map_etc *etc)
{
    struct map_etc again = {0};
    struct hs_error error = {0};
    char path[FUZZ_PATH_MAX];
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    int file;

    FUZZ_CHECK(stream);
    map_etc_write(etc, stream);
    FUZZ_CHECK(fclose(stream) == 0);
    file = fuzz_file(text, length, path);
    FUZZ_CHECK(map_etc_read(path, &again, &error) == HS_OK);
    FUZZ_CHECK(again.task_count == etc->task_count && again.machine_count == etc->machine_count);
    FUZZ_CHECK(memcmp(again.times_s, etc->times_s,
                      (size_t)etc->task_count * etc->machine_count * sizeof(double)) == 0);
    map_etc_fini(&again);
    FUZZ_CHECK(close(file) == 0);
    free(text);
}

static void check_mapped(const struct map_etc *etc)
{
    struct hp_mapper *mapper = hp_mapper_create();
    struct hp_mapping_problem problem = {.task_count = etc->task_count,
                                         .machine_count = etc->machine_count,
                                         .times_s = etc->times_s};
    struct hs_error error = {0};
    struct map_bound bound = {0};

    FUZZ_CHECK(mapper);
    for (size_t i = 0; i < hp_heuristic_count; i++) {
        struct hp_mapping mapping = {0};

        FUZZ_CHECK(hp_mapper_map(mapper, &hp_heuristics[i], &problem, &mapping, &error) == HS_OK);
        FUZZ_CHECK(mapping.mapped_count == etc->task_count && isfinite(mapping.makespan_s));
        if (i == 0) {
            FUZZ_CHECK(map_bound_find(etc, mapping.machine_of_task, 0, NULL, NULL, &bound,
                                      &error) == HS_OK);
        }
        FUZZ_CHECK(mapping.makespan_s >= bound.bound_s * (1 - 1e-9));
    }
    hp_mapper_destroy(mapper);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct map_etc etc = {0};
    struct hs_error error = {0};
    char path[FUZZ_PATH_MAX];
    int file = fuzz_file(data, size, path);
    enum hs_err err = map_etc_read(path, &etc, &error);

    if (err == HS_OK) {
        size_t cell_count = (size_t)etc.task_count * etc.machine_count;

        for (size_t i = 0; i < cell_count; i++) {
            FUZZ_CHECK(etc.times_s[i] >= 0 && !signbit(etc.times_s[i]));
        }
        check_written(&etc);
        if (cell_count <= CELLS_MAX) {
            check_mapped(&etc);
        }
    } else {
        fuzz_check_error(err, &error);
    }
    map_etc_fini(&etc);
    FUZZ_CHECK(close(file) == 0);
    return 0;
}
