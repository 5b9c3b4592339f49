/* SPDX-License-Identifier: GPL-3.0-or-later */
/* platform.c - what the caller's side of the platform loader does with a file and with the answer
 * of its child, SimGrid left out: checks before the fork, frames, hosts, complaints.
 *
 * A byte for how the child ended, two for the length of the file's text, the text, and then the
 * frames (if the child ended well) or what it printed. */
#include "platform/platform.h"

#include <sys/wait.h>

#include "fuzz.h"
#include "platform/complaint.h"
#include "platform/frames.h"
#include "platform/hosts.h"
#include "platform/loader.h"
#include "platform/shape.h"
#include "platform/source.h"

/* Names and properties that are not in the text, and some that are. */
static void locate(const struct source *source)
{
    struct source_cursor cursor = source_begin(source);
    struct source_tag tag;
    long line = 0;

    while (source_next(&cursor, &tag)) {
        char value[24];

        FUZZ_CHECK(tag.line >= line && tag.line >= 1);
        FUZZ_CHECK(tag.name + tag.name_length <= tag.end);
        FUZZ_CHECK(tag.end <= source->text + source->length);
        line = tag.line;
        if (source_attribute(&tag, "id", value, sizeof value)) {
            FUZZ_CHECK(strlen(value) < sizeof value);
            FUZZ_CHECK(source_locate_host(source, value) >= 0);
        }
        FUZZ_CHECK(source_start_line(source, tag.line) >= 1);
    }
    FUZZ_CHECK(source_locate_property(source, "memory", "much") >= 0);
}

static void check_platform(const struct platform *platform)
{
    uint32_t nodes = 0;

    for (size_t i = 0; i < platform->host_count; i++) {
        const struct platform_host *host = &platform->hosts[i];

        FUZZ_CHECK(host->cores >= 1 && host->pstate_count >= 1);
        FUZZ_CHECK(i == 0 || platform_name_compare(platform->hosts[i - 1].name, host->name) < 0);
        if (host->node != UINT32_MAX) {
            FUZZ_CHECK(host->role == PLATFORM_COMPUTE);
            FUZZ_CHECK(host->node < hs_cluster_node_count(platform->cluster));
            FUZZ_CHECK(strcmp(hs_cluster_node(platform->cluster, host->node)->name, host->name) ==
                       0);
            nodes++;
        }
    }
    FUZZ_CHECK(nodes == hs_cluster_node_count(platform->cluster));
}

static void take_frames(const struct source *source, const struct fuzz_bytes *bytes)
{
    size_t length = fuzz_left(bytes);
    struct platform platform = {0};
    struct frames_summary summary;
    struct hs_error error = {0};
    char *frames = malloc(length ? length : 1);
    enum hs_err err;

    FUZZ_CHECK(frames);
    memcpy(frames, bytes->at, length);
    if (!frames_summarize(frames, length, &summary) || !summary.is_whole ||
        summary.host_count == 0) {
        free(frames);
        return;
    }
    err = frames_take(frames, length, &summary, &platform, &error);
    FUZZ_CHECK(err == HS_OK && platform.host_count == summary.host_count);
    err = hosts_finish(&platform, source, NULL, &error);
    if (err == HS_OK) {
        check_platform(&platform);
    } else {
        fuzz_check_error(err, &error);
    }
    platform_fini(&platform);
}

/* Ends of a child, as waitpid tells them. */
static int status_of(uint8_t choice)
{
    static const int codes[] = {0, 1, 2, LOADER_EXIT_MODULE, LOADER_EXIT_SETUP, LOADER_EXIT_WRITE};
    static const int signals[] = {SIGABRT, SIGSEGV, SIGKILL, SIGXCPU, SIGINT, SIGFPE};
    size_t index = (choice >> 2) % 6;

    return choice & 2u ? W_EXITCODE(0, signals[index]) : W_EXITCODE(codes[index], 0);
}

static void complain(const struct source *source, const struct fuzz_bytes *bytes, uint8_t choice)
{
    struct loader_output output = {.status = status_of(choice)};
    size_t length = fuzz_left(bytes);
    struct hs_error error = {0};
    enum hs_err err;

    length = length < sizeof output.message - 1 ? length : sizeof output.message - 1;
    memcpy(output.message, bytes->at, length);
    err = complaint_set(source, &output, choice & 128u ? choice : 0, &error);
    fuzz_check_error(err, &error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = fuzz_begin(data, size);
    struct source source = {.path = "fuzz.xml"};
    struct hs_error error = {0};
    uint8_t choice = fuzz_u8(&bytes);
    size_t length = fuzz_u16(&bytes);
    char path[FUZZ_PATH_MAX];
    enum hs_err err;
    int file;

    length = length < fuzz_left(&bytes) ? length : fuzz_left(&bytes);
    file = fuzz_file(bytes.at, length, path);
    err = source_init(&source, path, &error);
    FUZZ_CHECK(close(file) == 0);
    bytes.at += length;
    if (err == HS_OK) {
        err = shape_check(&source, &error);
    }
    if (err != HS_OK) {
        fuzz_check_error(err, &error);
    }
    if (source.text) {
        locate(&source);
        if (choice & 1u) {
            complain(&source, &bytes, choice);
        } else {
            take_frames(&source, &bytes);
        }
    }
    source_fini(&source);
    return 0;
}
