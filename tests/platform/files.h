/* SPDX-License-Identifier: GPL-3.0-or-later */
/* files.h - platform files of a test: a folder in the temporary place, and loading from it. */
#ifndef HSIM_TESTS_PLATFORM_FILES_H
#define HSIM_TESTS_PLATFORM_FILES_H

#include "platform/platform.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILES_HEAD                                                                                 \
    "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
/* Text on line 4, in the root zone. */
#define FILES_ZONE(inside)                                                                         \
    FILES_HEAD "<platform version=\"4.1\"> <zone id=\"z\" routing=\"Full\">\n" inside              \
               "\n</zone> </platform>\n"

/* A file that removes itself with files_remove. */
struct test_file {
    char folder[64];
    char path[128];
};

static inline struct test_file files_write(const char *name, const void *bytes, size_t length)
{
    struct test_file file = {.folder = "/tmp/hsim-platform-XXXXXX"};
    FILE *stream;

    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(file.folder));
    (void)snprintf(file.path, sizeof file.path, "%s/%s", file.folder, name);
    stream = fopen(file.path, "wb");
    CU_ASSERT_PTR_NOT_NULL_FATAL(stream);
    CU_ASSERT_EQUAL_FATAL(fwrite(bytes, 1, length, stream), length);
    CU_ASSERT_EQUAL_FATAL(fclose(stream), 0);
    return file;
}

static inline void files_remove(const struct test_file *file)
{
    (void)unlink(file->path);
    (void)rmdir(file->folder);
}

static inline enum hs_err files_load(const char *path, struct platform *platform,
                                     struct hs_error *error)
{
    struct platform_options options = {.file = path};

    *error = (struct hs_error){0};
    return platform_load(&options, platform, error);
}

#endif
