/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sysfile.c - reading the start of small files. */
#include "probe/sysfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

/* False if root and path are too long together. */
__attribute__((format(printf, 3, 0))) static bool join(char *joined, const char *root,
                                                       const char *path, va_list arguments)
{
    int start = snprintf(joined, PATH_MAX, "%s", root);
    int length;

    if (start < 0 || start >= PATH_MAX) {
        return false;
    }
    length = vsnprintf(joined + start, (size_t)(PATH_MAX - start), path, arguments);
    return length >= 0 && length < PATH_MAX - start;
}

static long read_start(const char *path, char *text, size_t room)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    size_t length = 0;
    ssize_t got = 1;

    text[0] = '\0';
    if (file < 0) {
        return -1;
    }
    while (got > 0 && length + 1 < room) {
        got = read(file, text + length, room - 1 - length);
        length += got > 0 ? (size_t)got : 0;
    }
    text[length] = '\0';
    if (got < 0 && length == 0) {
        int reason = errno;

        (void)close(file);
        errno = reason;
        return -1;
    }
    (void)close(file);
    return (long)length;
}

long sysfile_read(const char *root, char *text, size_t room, const char *path, ...)
{
    char joined[PATH_MAX];
    va_list arguments;
    bool is_joined;

    va_start(arguments, path);
    is_joined = join(joined, root, path, arguments);
    va_end(arguments);
    if (!is_joined) {
        text[0] = '\0';
        errno = ENAMETOOLONG;
        return -1;
    }
    return read_start(joined, text, room);
}

bool sysfile_number(const char *root, int64_t *number, const char *path, ...)
{
    char joined[PATH_MAX];
    char text[64];
    char *end;
    va_list arguments;
    bool is_joined;
    long long value;

    va_start(arguments, path);
    is_joined = join(joined, root, path, arguments);
    va_end(arguments);
    if (!is_joined || read_start(joined, text, sizeof text) <= 0) {
        return false;
    }
    errno = 0;
    value = strtoll(text, &end, 0);
    if (end == text || errno || value < 0) {
        return false;
    }
    *number = value;
    return true;
}
