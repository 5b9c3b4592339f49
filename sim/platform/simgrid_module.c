/* SPDX-License-Identifier: GPL-3.0-or-later */
/* simgrid_module.c - the only file that knows SimGrid's functions; it becomes hsim-simgrid.so.
 *
 * It runs in the loader's child and nowhere else: SimGrid aborts the process at the first error
 * of a file, and can load one platform in the life of a process. */
#include "platform/simgrid_module.h"

#include <errno.h>
#include <signal.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/version.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xbt/dict.h>

#if SIMGRID_VERSION >= 33900
#define HAVE_PROPERTY_NAMES 1
#else
#define HAVE_PROPERTY_NAMES 0
#endif

/* The parser's current line. No header of SimGrid declares it, so it may be missing one day. */
extern int surf_parse_lineno __attribute__((weak));

/* Output, gathered in memory. After a failed allocation everything more is dropped. */
struct frames {
    char *bytes;
    size_t length;
    size_t room;
    int has_failed;
};

static void put(struct frames *frames, const void *bytes, size_t length)
{
    if (frames->has_failed) {
        return;
    }
    if (length > frames->room - frames->length) {
        size_t room = (frames->room + length) * 2;
        char *moved = realloc(frames->bytes, room);

        if (!moved) {
            frames->has_failed = 1;
            return;
        }
        frames->bytes = moved;
        frames->room = room;
    }
    memcpy(frames->bytes + frames->length, bytes, length);
    frames->length += length;
}

static void put_kind(struct frames *frames, char kind)
{
    put(frames, &kind, 1);
}

static void put_u32(struct frames *frames, uint32_t number)
{
    put(frames, &number, sizeof number);
}

static void put_string(struct frames *frames, const char *text)
{
    size_t size = strlen(text) + 1;

    if (size > UINT32_MAX) {
        frames->has_failed = 1;
        return;
    }
    put_u32(frames, (uint32_t)size);
    put(frames, text, size);
}

static int write_all(int fd, const char *bytes, size_t length)
{
    while (length) {
        ssize_t written = write(fd, bytes, length);

        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return -1;
        }
        bytes += written;
        length -= (size_t)written;
    }
    return 0;
}

/* Tells at which line SimGrid gave up, and dies of the signal after all. */
static void report_line(int signal_number)
{
    char frame[1 + sizeof(uint32_t)] = {SIMGRID_FRAME_LINE};
    uint32_t line = &surf_parse_lineno && surf_parse_lineno > 0 ? (uint32_t)surf_parse_lineno : 0;

    memcpy(frame + 1, &line, sizeof line);
    (void)write_all(SIMGRID_MODULE_FD, frame, sizeof frame);
    (void)signal(signal_number, SIG_DFL);
    (void)raise(signal_number);
}

#if HAVE_PROPERTY_NAMES
static void put_properties(struct frames *frames, sg_host_t host)
{
    int count = 0;
    const char **names = sg_host_get_property_names(host, &count);

    put_u32(frames, (uint32_t)count);
    for (int i = 0; i < count; i++) {
        put_string(frames, names[i]);
        put_string(frames, sg_host_get_property_value(host, names[i]));
    }
    free(names);
}
#else
static void put_properties(struct frames *frames, sg_host_t host)
{
    xbt_dict_t properties = sg_host_get_properties(host);
    xbt_dict_cursor_t cursor = NULL;
    char *name;
    char *value;

    put_u32(frames, (uint32_t)xbt_dict_length(properties));
    xbt_dict_foreach(properties, cursor, name, value)
    {
        put_string(frames, name);
        put_string(frames, value);
    }
    xbt_dict_free(&properties);
}
#endif

static void put_host(struct frames *frames, sg_host_t host)
{
    unsigned long states = sg_host_get_nb_pstates(host);
    int64_t cores = sg_host_core_count(host);

    put_kind(frames, SIMGRID_FRAME_HOST);
    put_string(frames, sg_host_get_name(host));
    put(frames, &cores, sizeof cores);
    put_u32(frames, (uint32_t)states);
    for (unsigned long i = 0; i < states; i++) {
        double speed = sg_host_get_pstate_speed(host, i);

        put(frames, &speed, sizeof speed);
    }
    put_properties(frames, host);
}

static void put_version(struct frames *frames)
{
    int major = 0;
    int minor = 0;
    int patch = 0;
    char text[64];

    sg_version_get(&major, &minor, &patch);
    if (patch) {
        (void)snprintf(text, sizeof text, "%d.%d.%d", major, minor, patch);
    } else {
        (void)snprintf(text, sizeof text, "%d.%d", major, minor);
    }
    put_kind(frames, SIMGRID_FRAME_VERSION);
    put_string(frames, text);
}

/* SimGrid takes its settings from a command line; hsim's own is not its business. */
static void init_simgrid(void)
{
    char arguments[][40] = {"hsim", "--log=root.thres:error", "--log=root.fmt:%m%n", "--log=no_loc",
                            "--cfg=exception/cutpath:1"};
    char *pointers[sizeof arguments / sizeof arguments[0] + 1] = {NULL};
    int count = (int)(sizeof arguments / sizeof arguments[0]);

    for (int i = 0; i < count; i++) {
        pointers[i] = arguments[i];
    }
    simgrid_init(&count, pointers);
}

int hsim_simgrid_describe(const char *path)
{
    struct frames frames = {0};
    uint64_t count;
    int result = -1;

    init_simgrid();
    (void)signal(SIGABRT, report_line);
    simgrid_load_platform(path);
    (void)signal(SIGABRT, SIG_DFL);

    put_version(&frames);
    count = sg_host_count(); /* asked first, since the list of no hosts is an abort */
    if (count) {
        sg_host_t *hosts = sg_host_list();

        for (uint64_t i = 0; i < count; i++) {
            put_host(&frames, hosts[i]);
        }
        free(hosts);
    }
    put_kind(&frames, SIMGRID_FRAME_END);
    put(&frames, &count, sizeof count);
    if (!frames.has_failed) {
        result = write_all(SIMGRID_MODULE_FD, frames.bytes, frames.length);
    }
    free(frames.bytes);
    return result;
}
