/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gantt.c - who holds what, and when: boxes over nodes, cores or devices and time. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/axis.h"
#include "plot/gantt_holds.h"

#define RUNS_MAX      4
#define NAMED_MAX     16  /* units with names beside them */
#define NAME_LETTERS  7   /* of such a name at most */
#define BORDERS_MAX   600 /* boxes with lines around them */
#define NUMBERS_MAX   60  /* boxes with the job's number in them */
#define LETTER_WIDTH  0.6 /* of a digit, in the size of the font */
#define POINTS_PER_CM (72 / 2.54)
#define LABEL_MAX     256

struct gantt {
    struct plot_runs runs;
    enum gantt_by by;
    enum gantt_rows rows;
    struct gantt_jobs jobs[RUNS_MAX];
    struct gantt_units units[RUNS_MAX];
    struct gantt_canvas canvases[RUNS_MAX];
    struct gantt_colors colors;
    struct plot_window window;
    hs_time last_ns; /* of all runs */
    char labels[RUNS_MAX][LABEL_MAX];
};

/* Reads the jobs of all runs, and finds what is shown of them. */
static enum hs_err read_jobs(struct gantt *self, const struct plot_request *request,
                             struct hs_error *error)
{
    enum hs_err code = HS_OK;
    hs_time origin_ns = HS_TIME_NEVER;

    self->last_ns = INT64_MIN;
    for (size_t i = 0; code == HS_OK && i < self->runs.count; i++) {
        struct gantt_jobs *jobs = &self->jobs[i];

        code = gantt_jobs_read(&self->runs.list[i], self->by, jobs, error);
        origin_ns = jobs->submit_ns < origin_ns ? jobs->submit_ns : origin_ns;
        self->last_ns = jobs->last_ns > self->last_ns ? jobs->last_ns : self->last_ns;
    }
    return code == HS_OK ? plot_window_find(request, origin_ns, self->last_ns, &self->window, error)
                         : code;
}

static enum hs_err read_run(struct gantt *self, size_t run, const struct figure *figure,
                            struct hs_error *error)
{
    const struct gantt_units *units = &self->units[run];
    const struct gantt_scene scene = {.units = units,
                                      .jobs = &self->jobs[run],
                                      .colors = &self->colors,
                                      .window = &self->window,
                                      .last_ns = self->last_ns};
    enum hs_err code = gantt_canvas_init(
        &self->canvases[run], figure, plot_window_seconds(&self->window, self->window.begin_ns),
        plot_window_seconds(&self->window, self->window.end_ns), units->bottoms[units->count],
        (double)self->runs.count, error);

    if (code == HS_OK) {
        code = gantt_holds_read(&self->runs.list[run], &scene, &self->canvases[run], error);
    }
    return code;
}

static const char *row_word(const struct gantt *self, size_t run)
{
    return gantt_rows_names[self->units[run].rows];
}

static enum hs_err merge(struct gantt *self, size_t run, struct figure *figure,
                         struct hs_error *error)
{
    struct gantt_canvas *canvas = &self->canvases[run];
    size_t count = canvas->box_count;
    enum hs_err code = gantt_canvas_merge(canvas, error);

    if (code == HS_OK && canvas->is_merged) {
        figure_note(figure,
                    "%s: %zu boxes are more than the picture can show; each spot of %.2g rows "
                    "(%s) and %.3g s has the colour of what held most of it. --from and --to show "
                    "a part.",
                    self->runs.labels[run], count, canvas->height / (double)canvas->rows,
                    row_word(self, run), (canvas->end - canvas->begin) / (double)canvas->columns);
    }
    return code;
}

/* Boxes of one colour as a block of data; false: there are none. */
static bool put_boxes(const struct gantt *self, size_t run, int color, struct figure *figure,
                      size_t *block)
{
    const struct gantt_canvas *canvas = &self->canvases[run];
    const char *unit = row_word(self, run);
    const struct figure_column columns[] = {
        {"start", "s"}, {"end", "s"}, {"from", unit}, {"to", unit}, {"job", "1"}};
    size_t column_count = canvas->is_merged ? 4 : 5;
    char title[512];
    bool is_begun = false;

    for (size_t i = 0; i < canvas->box_count; i++) {
        const struct gantt_box *box = &canvas->boxes[i];

        if (box->color != color) {
            continue;
        }
        if (!is_begun) {
            (void)snprintf(title, sizeof title, "%s, %s", self->runs.labels[run],
                           self->colors.names[color]);
            *block = figure_block(figure, title, columns, column_count);
            is_begun = true;
        }
        figure_row(figure, (double[]){box->x0, box->x1, box->y0, box->y1, (double)box->job},
                   column_count);
    }
    return is_begun;
}

/* Numbers of jobs, in the boxes that have room for them. */
static bool put_numbers(const struct gantt *self, size_t run, struct figure *figure, size_t *block)
{
    static const struct figure_column columns[] = {{"centre", "s"}, {"row", "1"}, {"job", "1"}};
    const struct gantt_canvas *canvas = &self->canvases[run];
    double font_cm = figure->options.style->font_pt / POINTS_PER_CM;
    double letters = figure->width_cm * 0.8 / font_cm / (canvas->end - canvas->begin);
    double lines = figure->height_cm * 0.75 / (double)self->runs.count / font_cm / canvas->height;
    bool is_begun = false;

    for (size_t i = 0;
         !canvas->is_merged && canvas->box_count <= NUMBERS_MAX && i < canvas->box_count; i++) {
        const struct gantt_box *box = &canvas->boxes[i];
        double width = (floor(log10(fmax(1, (double)box->job))) + 1) * LETTER_WIDTH + 0.4;

        if ((box->x1 - box->x0) * letters < width || (box->y1 - box->y0) * lines < 1.1) {
            continue;
        }
        if (!is_begun) {
            char title[512];

            (void)snprintf(title, sizeof title, "%s, numbers of the jobs", self->runs.labels[run]);
            *block = figure_block(figure, title, columns, 3);
            is_begun = true;
        }
        figure_row(figure,
                   (double[]){(box->x0 + box->x1) / 2, (box->y0 + box->y1) / 2, (double)box->job},
                   3);
    }
    return is_begun;
}

/* Does any panel show the colour? */
static bool is_shown(const struct gantt *self, int color)
{
    for (size_t run = 0; run < self->runs.count; run++) {
        for (size_t i = 0; i < self->canvases[run].box_count; i++) {
            if (self->canvases[run].boxes[i].color == color) {
                return true;
            }
        }
    }
    return false;
}

/* Line type of a colour: that of all others is grey. */
static int line_type(const struct gantt *self, int color)
{
    bool is_others = self->colors.has_others && color + 1 == (int)self->colors.count;

    return is_others ? FIGURE_CURVES_MAX : color + 1;
}

static void put_panel(const struct gantt *self, size_t run, double divisor, struct figure *figure)
{
    const struct gantt_canvas *canvas = &self->canvases[run];
    /* A thin border of the same colour closes the seams that viewers leave between boxes. */
    const char *fill = canvas->is_merged                  ? "solid 1 border"
                       : canvas->box_count <= NUMBERS_MAX ? "solid 0.5 border"
                       : canvas->box_count <= BORDERS_MAX ? "solid 1 border lc rgb 'white'"
                                                          : "solid 1 border";
    size_t block = 0;

    if (canvas->box_count == 0) {
        figure_plot_nothing(figure); /* the panel is there all the same */
    }
    for (int color = 0; color < (int)self->colors.count; color++) {
        const char *title = run == 0 ? self->colors.names[color] : NULL;

        if (put_boxes(self, run, color, figure, &block)) {
            figure_plot(figure, block, title,
                        "using (($1+$2)/2/%.0f):(($3+$4)/2):($1/%.0f):($2/%.0f):3:4 \\\n         "
                        "with boxxyerror lt %d dt solid lw 0.3 fs %s",
                        divisor, divisor, divisor, line_type(self, color), fill);
        } else if (title && is_shown(self, color)) {
            figure_plot_entry(figure, title, "with boxes lt %d dt solid lw 0.3 fs %s",
                              line_type(self, color), fill);
        }
    }
    if (put_numbers(self, run, figure, &block)) {
        figure_plot(figure, block, NULL, "using ($1/%.0f):2:(sprintf('%%d',$3)) with labels",
                    divisor);
    }
    figure_plot_end(figure);
}

/* "n0" of node 0, "n0 1" of its second device; NULL: no memory, or one is too long. */
static char **unit_names(const struct gantt *self, size_t run, struct hs_error *error)
{
    const struct gantt_units *units = &self->units[run];
    struct result_reader *reader = self->runs.list[run].reader;
    char **names = calloc(NAMED_MAX, sizeof *names);
    int64_t *nodes = NULL;
    char *texts = NULL;
    size_t node_count = 0;
    size_t count = 0;
    enum hs_err code = names ? HS_OK : hs_error_memory(error);
    int64_t before = -1;
    int number = 0;

    if (code == HS_OK) {
        code = result_reader_texts(reader, "platform/nodes/name", &texts, &node_count, error);
    }
    if (code == HS_OK && units->rows == GANTT_DEVICES) {
        code = result_reader_column(reader, "platform/devices/node", &nodes, &count, error);
    }
    for (size_t i = 0; code == HS_OK && i < units->count; i++) {
        int64_t node = nodes ? nodes[i] : (int64_t)i;
        const char *text = texts;
        int length;

        for (int64_t k = 0; k < node && k + 1 < (int64_t)node_count; k++) {
            text += strlen(text) + 1;
        }
        number = node == before ? number + 1 : 0;
        before = node;
        length =
            nodes ? asprintf(&names[i], "%s %d", text, number) : asprintf(&names[i], "%s", text);
        names[i] = length < 0 ? NULL : names[i];
        if (length < 0 || length > NAME_LETTERS) {
            code = HS_ERR_CONFIG; /* numbers take their place */
        }
    }
    free(nodes);
    free(texts);
    if (code != HS_OK && names) {
        for (size_t i = 0; i < NAMED_MAX; i++) {
            free(names[i]);
        }
        free(names);
        names = NULL;
    }
    return names;
}

static void put_y_axis(const struct gantt *self, size_t run, struct figure *figure)
{
    const struct gantt_units *units = &self->units[run];
    struct hs_error error;
    bool is_room = units->count <= NAMED_MAX && (double)units->count <= axis_room(figure, "y");
    char **names = is_room ? unit_names(self, run, &error) : NULL;

    axis_whole(figure, "y", units->bottoms[units->count]);
    figure_line(figure, "unset arrow");
    for (size_t i = 1; names && i < units->count; i++) {
        figure_line(figure,
                    "set arrow from graph 0,first %.10g to graph 1,first %.10g nohead back lc rgb "
                    "'#cccccc' lw 0.5",
                    units->bottoms[i], units->bottoms[i]);
    }
    for (size_t i = 0; names && i < units->count; i++) {
        (void)fputs(i ? ", " : "set ytics (", figure->script);
        figure_quote_tick(figure->script, names[i]);
        (void)fprintf(figure->script, " %.10g%s", (units->bottoms[i] + units->bottoms[i + 1]) / 2,
                      i + 1 < units->count ? "" : ") scale 0\n");
        free(names[i]);
    }
    free(names);
}

static void put_figure(struct gantt *self, struct figure *figure)
{
    struct axis_unit unit;
    const char *colors[GANTT_COLORS_MAX];
    const char *labels[RUNS_MAX];
    size_t color_count = 0;
    size_t count = self->runs.count;

    for (size_t i = 0; i < self->colors.count; i++) {
        if (is_shown(self, (int)i)) {
            colors[color_count++] = self->colors.names[i];
        }
    }
    for (size_t i = 0; i < count; i++) {
        (void)snprintf(self->labels[i], LABEL_MAX, count > 1 ? "%s, %s" : "%s", row_word(self, i),
                       self->runs.labels[i]);
        labels[i] = self->labels[i];
    }
    figure_legend(figure, colors, color_count, false);
    figure_panels(figure, labels, count);
    figure_line(figure, "unset grid");
    unit = plot_window_put_axis(&self->window, figure);
    for (size_t i = 0; i < count; i++) {
        figure_panel(figure, i, (double)i / (double)count, 1 / (double)count);
        plot_window_put_label(&unit, i + 1 == count, figure);
        put_y_axis(self, i, figure);
        put_panel(self, i, unit.divisor, figure);
    }
}

static enum hs_err read_all(struct gantt *self, const struct plot_request *request,
                            struct figure *figure, struct hs_error *error)
{
    enum hs_err code = gantt_by_choose(request, &self->runs, &self->by, error);

    if (code == HS_OK) {
        code = gantt_rows_choose(request, &self->runs, &self->rows, error);
    }
    for (size_t i = 0; code == HS_OK && i < self->runs.count; i++) {
        code = gantt_units_read(&self->runs.list[i], self->rows, &self->units[i], error);
    }
    if (code == HS_OK) {
        code = read_jobs(self, request, error);
    }
    if (code == HS_OK) {
        code = gantt_colors_choose(&self->runs, self->jobs, self->by, self->window.begin_ns,
                                   self->window.end_ns, &self->colors, error);
    }
    figure_scale_height(figure, 0.5 + 0.6 * (double)self->runs.count);
    for (size_t i = 0; code == HS_OK && i < self->runs.count; i++) {
        code = read_run(self, i, figure, error);
        if (code == HS_OK) {
            code = merge(self, i, figure, error);
        }
    }
    return code;
}

static enum hs_err draw(const struct plot_request *request, struct figure *figure,
                        struct hs_error *error)
{
    struct gantt *self = calloc(1, sizeof *self);
    enum hs_err code = self ? HS_OK : hs_error_memory(error);

    if (code == HS_OK) {
        code = plot_runs_open(request, RUNS_MAX, &self->runs, figure, error);
    }
    if (code == HS_OK) {
        code = read_all(self, request, figure, error);
    }
    if (code == HS_OK) {
        put_figure(self, figure);
    }
    for (size_t i = 0; self && i < RUNS_MAX; i++) {
        gantt_jobs_fini(&self->jobs[i]);
        gantt_units_fini(&self->units[i]);
        gantt_canvas_fini(&self->canvases[i]);
    }
    if (self) {
        plot_runs_close(&self->runs);
    }
    free(self);
    return code;
}

const struct plot_kind plot_gantt = {
    .name = "gantt",
    .summary = "who holds which nodes or devices, and when",
    .about =
        "One panel for each FILE.h5, at most four. --rows device gives each device a row, core "
        "each core and node each node; usual are devices if there are any, else cores. Jobs "
        "that share a node or a device lie above each other in it; which cores of a node a "
        "job has is not simulated. --color user, class or state tells what the colours mean; "
        "the seven users or classes that hold most have colours of their own. More boxes than "
        "the picture can show are merged, which is said; --from and --to show a part.",
    .input = PLOT_RUNS,
    .options = PLOT_LABEL | PLOT_FROM | PLOT_TO | PLOT_COLOR | PLOT_ROWS,
    .draw = draw,
};
