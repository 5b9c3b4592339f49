/* SPDX-License-Identifier: GPL-3.0-or-later */
/* platform.c - the way of a platform file: text, child, frames, hosts, cluster. */
#include "platform/platform.h"

#include "platform/complaint.h"
#include "platform/frames.h"
#include "platform/hosts.h"
#include "platform/inline.h"
#include "platform/loader.h"
#include "platform/openb.h"
#include "platform/shape.h"
#include "platform/source.h"

#include <stdlib.h>
#include <sys/wait.h>

/* Takes the frames out of `output`, if they are whole. */
static enum hs_err take_answer(const struct source *source, const char *catalogue,
                               struct loader_output *output, struct platform *platform,
                               struct hs_error *error)
{
    struct frames_summary summary;
    bool is_sound = frames_summarize(output->frames, output->frames_length, &summary);
    char *frames = output->frames;
    enum hs_err err;

    if (output->status != 0 || !is_sound || !summary.is_whole) {
        return complaint_set(source, output, is_sound ? summary.line : 0, error);
    }
    if (summary.host_count == 0) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s:1: The platform has no host. A platform needs at least one <host> "
                            "or a <cluster> whose radical names one (\"0-3\", not \"3-0\").",
                            source->path);
    }
    output->frames = NULL;
    err = frames_take(frames, output->frames_length, &summary, platform, error);
    return err == HS_OK ? hosts_finish(platform, source, catalogue, error) : err;
}

static enum hs_err load_file(const struct platform_options *options, struct platform *platform,
                             struct hs_error *error)
{
    const char *path = options->file;
    struct source source = {0};
    struct loader_output output = {0};
    enum hs_err err = source_init(&source, path, error);

    if (err == HS_OK) {
        err = shape_check(&source, error);
    }
    if (err == HS_OK) {
        err = loader_run(path, &output, error);
    }
    if (err == HS_OK) {
        err = take_answer(&source, options->catalogue, &output, platform, error);
    }
    loader_fini(&output);
    source_fini(&source);
    return err;
}

/* A list of nodes names models: what the catalogue knows of them is taken from there. */
static enum hs_err load_list(const struct platform_options *options, struct platform *platform,
                             struct hs_error *error)
{
    enum hs_err err = catalogue_load(options->catalogue, &platform->catalogue, error);

    return err == HS_OK ? openb_load(options->file, platform, error) : err;
}

enum hs_err platform_load(const struct platform_options *options, struct platform *platform,
                          struct hs_error *error)
{
    enum hs_err err;

    *platform = (struct platform){0};
    if (!options->file) {
        err = inline_build(options, platform, error);
    } else if (openb_is_list(options->file)) {
        err = load_list(options, platform, error);
    } else {
        err = load_file(options, platform, error);
    }
    if (err != HS_OK) {
        platform_fini(platform);
    }
    return err;
}

const char *platform_format(const char *path)
{
    return openb_is_list(path) ? "openb" : "simgrid";
}

void platform_fini(struct platform *platform)
{
    hs_cluster_destroy(platform->cluster);
    free(platform->hosts);
    free(platform->node_power);
    free(platform->device_power);
    catalogue_destroy(platform->catalogue);
    free(platform->simgrid_version);
    platform_storage_destroy(platform->storage);
    *platform = (struct platform){0};
}
