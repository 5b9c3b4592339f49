/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gantt_holds.c - allocations to boxes. */
#include "plot/gantt_holds.h"

#include <stdlib.h>
#include <string.h>

#include "result/scan.h"

#define SHARES_PER_DEVICE 1000
#define MILLI_PER_CORE    1000

const char *const gantt_rows_names[GANTT_ROWS_COUNT] = {"device", "core", "node"};

/* A job on neighbouring units. */
struct hold {
    hs_time start_ns, end_ns;
    int64_t job;
    int64_t amount; /* on each of them, in thousandths */
    int64_t first, count;
};

/* A part of a unit that is taken: [low, high) until end_ns. */
struct part {
    int64_t low, high;
    hs_time end_ns;
};

struct taken {
    struct part *parts; /* from the lowest */
    size_t count, room;
};

/* The holds that share units, to be laid out in the order of their starts. */
struct shared {
    struct hold *holds;
    size_t count, room;
    struct taken *taken; /* by unit */
};

enum hs_err gantt_rows_choose(const struct plot_request *request, const struct plot_runs *runs,
                              enum gantt_rows *rows, struct hs_error *error)
{
    struct result_reader *reader = runs->list[0].reader;
    size_t index;

    if (request->rows) {
        index = plot_word_find(request->rows, gantt_rows_names, GANTT_ROWS_COUNT);
        if (index == GANTT_ROWS_COUNT) {
            return plot_word_fail("--rows", request->rows, gantt_rows_names, GANTT_ROWS_COUNT,
                                  error);
        }
        *rows = (enum gantt_rows)index;
        return HS_OK;
    }
    *rows = result_reader_table(reader, "device_allocations") ? GANTT_DEVICES : GANTT_CORES;
    return HS_OK;
}

static enum hs_err fail_lacking(const struct plot_run *run, enum gantt_rows rows,
                                struct hs_error *error)
{
    if (rows == GANTT_DEVICES && result_reader_table(run->reader, "allocations")) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%s: the platform of the run has no devices. Give --rows core.",
                            run->path);
    }
    return hs_error_set(error, HS_ERR_CONFIG,
                        "%s: what jobs held was not recorded. Run the experiment with `output: "
                        "{allocations: true}`.",
                        run->path);
}

static const char *table_name(enum gantt_rows rows)
{
    return rows == GANTT_DEVICES ? "device_allocations" : "allocations";
}

enum hs_err gantt_units_read(const struct plot_run *run, enum gantt_rows rows,
                             struct gantt_units *units, struct hs_error *error)
{
    bool are_devices = rows == GANTT_DEVICES;
    bool are_single = true;
    double height = 0;
    enum hs_err code;

    *units = (struct gantt_units){.rows = rows};
    if (!result_reader_table(run->reader, table_name(rows))) {
        return fail_lacking(run, rows, error);
    }
    code = result_reader_column(
        run->reader, are_devices ? "platform/devices/node" : "platform/nodes/cores_milli",
        &units->capacities, &units->count, error);
    if (code == HS_OK) {
        units->bottoms = calloc(units->count + 1, sizeof *units->bottoms);
        code = units->bottoms ? HS_OK : hs_error_memory(error);
    }
    for (size_t i = 0; code == HS_OK && i < units->count; i++) {
        units->capacities[i] = are_devices ? SHARES_PER_DEVICE : units->capacities[i];
        are_single &= units->capacities[i] == MILLI_PER_CORE;
        units->bottoms[i] = height;
        height += rows == GANTT_CORES ? (double)units->capacities[i] / MILLI_PER_CORE : 1;
        units->bottoms[i + 1] = height;
    }
    if (code == HS_OK && rows == GANTT_CORES && are_single) {
        units->rows = GANTT_NODES;
    }
    return code;
}

void gantt_units_fini(struct gantt_units *units)
{
    free(units->capacities);
    free(units->bottoms);
    *units = (struct gantt_units){0};
}

/* Adds the part [low, high) of unit `index` to the box, or begins a new one above it. */
static void grow(struct gantt_canvas *canvas, const struct gantt_units *units, size_t index,
                 int64_t low, int64_t high, struct gantt_box *box)
{
    double bottom = units->bottoms[index];
    double scale = (units->bottoms[index + 1] - bottom) / (double)units->capacities[index];
    double y0 = bottom + (double)low * scale;

    if (y0 != box->y1) {
        gantt_canvas_add(canvas, box);
        box->y0 = y0;
    }
    box->y1 = high == units->capacities[index] ? units->bottoms[index + 1]
                                               : bottom + (double)high * scale;
}

/* An empty box of the hold. */
static struct gantt_box begin_box(const struct gantt_scene *scene, const struct hold *hold)
{
    bool is_known = hold->job >= 0 && (size_t)hold->job < scene->jobs->count;

    return (struct gantt_box){.x0 = plot_window_seconds(scene->window, hold->start_ns),
                              .x1 = plot_window_seconds(scene->window, hold->end_ns),
                              .y0 = -1,
                              .y1 = -1,
                              .job = is_known ? scene->jobs->list[hold->job].trace_id : -1,
                              .color = gantt_color(scene->colors, scene->jobs, hold->job)};
}

/* If the hold has all of its units, its box is added. */
static bool add_whole(const struct gantt_scene *scene, const struct hold *hold,
                      struct gantt_canvas *canvas)
{
    const struct gantt_units *units = scene->units;
    struct gantt_box box;

    for (int64_t i = hold->first; i < hold->first + hold->count; i++) {
        if (units->capacities[i] != hold->amount) {
            return false;
        }
    }
    box = begin_box(scene, hold);
    box.y0 = units->bottoms[hold->first];
    box.y1 = units->bottoms[hold->first + hold->count];
    gantt_canvas_add(canvas, &box);
    return true;
}

static enum hs_err keep_shared(struct shared *shared, const struct hold *hold,
                               struct hs_error *error)
{
    if (shared->count == shared->room) {
        size_t room = shared->room ? 2 * shared->room : 1024;
        struct hold *moved = realloc(shared->holds, room * sizeof *moved);

        if (!moved) {
            return hs_error_memory(error);
        }
        shared->holds = moved;
        shared->room = room;
    }
    shared->holds[shared->count++] = *hold;
    return HS_OK;
}

static int compare_holds(const void *left, const void *right)
{
    const struct hold *a = left;
    const struct hold *b = right;

    if (a->start_ns != b->start_ns) {
        return a->start_ns < b->start_ns ? -1 : 1;
    }
    if (a->job != b->job) {
        return a->job < b->job ? -1 : 1;
    }
    return (a->first > b->first) - (a->first < b->first);
}

static enum hs_err insert_part(struct taken *taken, size_t at, const struct part *part,
                               struct hs_error *error)
{
    if (taken->count == taken->room) {
        size_t room = taken->room ? 2 * taken->room : 4;
        struct part *moved = realloc(taken->parts, room * sizeof *moved);

        if (!moved) {
            return hs_error_memory(error);
        }
        taken->parts = moved;
        taken->room = room;
    }
    memmove(taken->parts + at + 1, taken->parts + at, (taken->count - at) * sizeof *taken->parts);
    taken->parts[at] = *part;
    taken->count++;
    return HS_OK;
}

/* Gives back what has ended by `now_ns`. */
static void release(struct taken *taken, hs_time now_ns)
{
    size_t kept = 0;

    for (size_t i = 0; i < taken->count; i++) {
        if (taken->parts[i].end_ns > now_ns) {
            taken->parts[kept++] = taken->parts[i];
        }
    }
    taken->count = kept;
}

/* Lowest gap of at least `amount`, and where it lies among the parts; with `is_any` the lowest of
 * all. Its length; 0: there is none. */
static int64_t find_gap(const struct taken *taken, int64_t capacity, int64_t amount, bool is_any,
                        size_t *at, int64_t *low)
{
    int64_t begin = 0;

    for (size_t i = 0; i <= taken->count; i++) {
        int64_t end = i < taken->count ? taken->parts[i].low : capacity;

        if (end - begin >= amount || (is_any && end > begin)) {
            *at = i;
            *low = begin;
            return end - begin;
        }
        begin = i < taken->count ? taken->parts[i].high : begin;
    }
    return 0;
}

/* Takes the lowest gap of the unit that is large enough, or where there is none the lowest ones. */
static enum hs_err place(struct taken *taken, const struct gantt_units *units, size_t index,
                         const struct hold *hold, struct gantt_canvas *canvas,
                         struct gantt_box *box, struct hs_error *error)
{
    int64_t capacity = units->capacities[index];
    int64_t left = hold->amount < capacity ? hold->amount : capacity;
    enum hs_err code = HS_OK;

    release(taken, hold->start_ns);
    while (code == HS_OK && left > 0) {
        size_t at = 0;
        int64_t low = 0;
        int64_t gap = find_gap(taken, capacity, left, false, &at, &low);

        gap = gap > 0 ? gap : find_gap(taken, capacity, left, true, &at, &low);
        if (gap == 0) {
            break;
        }
        gap = gap < left ? gap : left;
        code = insert_part(taken, at, &(struct part){low, low + gap, hold->end_ns}, error);
        grow(canvas, units, index, low, low + gap, box);
        left -= gap;
    }
    return code;
}

static enum hs_err lay_out(struct shared *shared, const struct gantt_scene *scene,
                           struct gantt_canvas *canvas, struct hs_error *error)
{
    enum hs_err code = HS_OK;

    if (shared->count == 0) {
        return HS_OK;
    }
    shared->taken = calloc(scene->units->count, sizeof *shared->taken);
    if (!shared->taken) {
        return hs_error_memory(error);
    }
    qsort(shared->holds, shared->count, sizeof *shared->holds, compare_holds);
    for (size_t i = 0; code == HS_OK && i < shared->count; i++) {
        const struct hold *hold = &shared->holds[i];
        struct gantt_box box = begin_box(scene, hold);

        for (int64_t k = hold->first; code == HS_OK && k < hold->first + hold->count; k++) {
            code = place(&shared->taken[k], scene->units, (size_t)k, hold, canvas, &box, error);
        }
        gantt_canvas_add(canvas, &box);
    }
    return code;
}

/* A row of either table. */
static struct hold read_hold(const struct result_scan *scan, size_t index,
                             const struct gantt_scene *scene)
{
    bool are_devices = scene->units->rows == GANTT_DEVICES;
    struct hold hold = {.job = scan->values[0][index],
                        .first = scan->values[1][index],
                        .amount = scan->values[2][index],
                        .start_ns = scan->values[3][index],
                        .end_ns = scan->values[4][index],
                        .count = are_devices ? 1 : scan->values[5][index]};

    hold.end_ns = hold.end_ns < 0 ? scene->last_ns : hold.end_ns;
    return hold;
}

enum hs_err gantt_holds_read(const struct plot_run *run, const struct gantt_scene *scene,
                             struct gantt_canvas *canvas, struct hs_error *error)
{
    static const size_t nodes[] = {ALLOCATION_JOB,   ALLOCATION_FIRST_NODE, ALLOCATION_CORES_MILLI,
                                   ALLOCATION_START, ALLOCATION_END,        ALLOCATION_NODE_COUNT};
    static const size_t devices[] = {DEVICE_JOB, DEVICE_INDEX, DEVICE_SHARE, DEVICE_START,
                                     DEVICE_END};
    const struct gantt_units *units = scene->units;
    bool are_devices = units->rows == GANTT_DEVICES;
    struct shared shared = {0};
    struct result_scan scan;
    enum hs_err code = result_scan_init(&scan, run->reader,
                                        result_reader_table(run->reader, table_name(units->rows)),
                                        are_devices ? devices : nodes, are_devices ? 5 : 6, error);

    for (int64_t row = 0; code == HS_OK && row < scan.rows; row++) {
        struct hold hold;
        size_t index;

        code = result_scan_load(&scan, row, &index, error);
        if (code != HS_OK) {
            break;
        }
        hold = read_hold(&scan, index, scene);
        if (hold.first < 0 || hold.count < 0 || hold.count > (int64_t)units->count ||
            hold.first > (int64_t)units->count - hold.count) {
            code = hs_error_set(error, HS_ERR_INPUT,
                                "%s: a job holds %s that the platform does not have. The file is "
                                "damaged: run the experiment again.",
                                run->path, are_devices ? "a device" : "a node");
        } else if (hold.end_ns > scene->window->begin_ns && hold.start_ns < scene->window->end_ns &&
                   hold.end_ns > hold.start_ns && hold.amount > 0 &&
                   !add_whole(scene, &hold, canvas)) {
            code = keep_shared(&shared, &hold, error);
        }
    }
    if (code == HS_OK) {
        code = lay_out(&shared, scene, canvas, error);
    }
    for (size_t i = 0; shared.taken && i < units->count; i++) {
        free(shared.taken[i].parts);
    }
    free(shared.taken);
    free(shared.holds);
    result_scan_fini(&scan);
    return code;
}
