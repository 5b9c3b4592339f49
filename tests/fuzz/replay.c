/* SPDX-License-Identifier: GPL-3.0-or-later */
/* replay.c - runs a harness over files and folders of them, and over nothing, without libFuzzer:
 * what was found once is tested in every build. */
#include <dirent.h>
#include <errno.h>

#include "fuzz.h"

/* The whole file; ends the process if it cannot be read. */
static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    size_t room = 1 << 16;
    uint8_t *bytes = malloc(room);
    size_t got;

    FUZZ_CHECK(file && bytes);
    *size = 0;
    while ((got = fread(bytes + *size, 1, room - *size, file)) > 0) {
        *size += got;
        if (*size == room) {
            uint8_t *moved = realloc(bytes, room *= 2);

            FUZZ_CHECK(moved);
            bytes = moved;
        }
    }
    FUZZ_CHECK(!ferror(file) && fclose(file) == 0);
    return bytes;
}

/* The bytes lie in a block of exactly their size, so that a read beyond them is seen. */
static void run_file(const char *path)
{
    size_t size;
    uint8_t *bytes = read_file(path, &size);
    uint8_t *exact = malloc(size ? size : 1);

    FUZZ_CHECK(exact);
    memcpy(exact, bytes, size);
    free(bytes);
    (void)printf("%s\n", path);
    (void)fflush(stdout);
    (void)LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

static size_t run_path(const char *path)
{
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, NULL, alphasort);
    size_t files = 0;

    if (count < 0) {
        FUZZ_CHECK(errno == ENOTDIR);
        run_file(path);
        return 1;
    }
    for (int i = 0; i < count; i++) {
        char inside[4096];

        if (entries[i]->d_name[0] != '.') {
            FUZZ_CHECK(snprintf(inside, sizeof inside, "%s/%s", path, entries[i]->d_name) <
                       (int)sizeof inside);
            run_file(inside);
            files++;
        }
        free(entries[i]);
    }
    free(entries);
    return files;
}

int main(int argc, char **argv)
{
    static const uint8_t nothing[1] = {0};
    size_t files = 0;

    (void)LLVMFuzzerTestOneInput(nothing, 0);
    for (int i = 1; i < argc; i++) {
        files += run_path(argv[i]);
    }
    (void)printf("%zu files\n", files);
    return files > 0 || argc == 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
