/* SPDX-License-Identifier: GPL-3.0-or-later */
/* outfile.c - PATH.part, then PATH. */
#include "result/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Folder of a path, in memory of its own. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash) {
        return strdup(".");
    }
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

static enum hs_err fail_create(const char *path, const char *part_path, int cause,
                               struct hs_error *error)
{
    char *folder = folder_of(path);
    const char *name = folder ? folder : path;
    enum hs_err code;

    switch (cause) {
    case ENOENT:
    case ENOTDIR:
        code = hs_error_set(error, HS_ERR_SYSTEM,
                            "%s: the folder \"%s\" does not exist. Create it, or choose another "
                            "place with -o.",
                            path, name);
        break;
    case EACCES:
    case EPERM:
    case EROFS:
        code = hs_error_set(error, HS_ERR_SYSTEM,
                            "%s: the folder \"%s\" cannot be written: %s. Choose another place "
                            "with -o.",
                            path, name, strerror(cause));
        break;
    case ENAMETOOLONG:
        code = hs_error_set(error, HS_ERR_SYSTEM,
                            "%s: the file name is too long for this file system (\".part\" is "
                            "added while it is written). Choose a shorter one with -o.",
                            path);
        break;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
        code = hs_error_set(error, HS_ERR_SYSTEM,
                            "%s: the result file cannot be created now: %s. Close programs, or "
                            "raise the limits (ulimit -n, ulimit -v).",
                            path, strerror(cause));
        break;
    case ENOSPC:
        code = hs_error_set(error, HS_ERR_SYSTEM,
                            "%s: the disk is full. Free space in \"%s\", or choose another place "
                            "with -o.",
                            path, name);
        break;
    default:
        code = hs_error_set(error, HS_ERR_SYSTEM,
                            "%s: creating the result file failed: %s. Choose another place with "
                            "-o.",
                            part_path, strerror(cause));
    }
    free(folder);
    return code;
}

static enum hs_err fail_exists(const char *path, struct hs_error *error)
{
    return hs_error_set(error, HS_ERR_CONFIG,
                        "%s: the file exists already. Give --force to replace it, or another name "
                        "with -o.",
                        path);
}

/* Whether the descriptor is that of the file which now has the name. */
static bool is_named(int descriptor, const char *path)
{
    struct stat opened;
    struct stat named;

    return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0 &&
           opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

/* Creates PATH.part, or takes one over that a killed run has left, but not one that another run
 * still writes: a lock tells. It ends with the descriptor, or with the process. File systems
 * without locks go without. */
static enum hs_err claim_part(struct outfile *file, struct hs_error *error)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    file->lock = open(file->part_path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
    if (file->lock < 0) {
        return fail_create(file->path, file->part_path, errno, error);
    }
    if ((fcntl(file->lock, F_OFD_SETLK, &lock) != 0 && (errno == EAGAIN || errno == EACCES)) ||
        !is_named(file->lock, file->part_path)) {
        return hs_error_set(error, HS_ERR_SYSTEM,
                            "%s: another run is writing this file at this moment. Wait for its "
                            "end, or write elsewhere with -o.",
                            file->path);
    }
    if (ftruncate(file->lock, 0) != 0) {
        return fail_create(file->path, file->part_path, errno, error);
    }
    return HS_OK;
}

enum hs_err outfile_init(struct outfile *file, const char *path, bool is_forced,
                         struct hs_error *error)
{
    struct stat status;
    enum hs_err code;

    *file = (struct outfile){.is_forced = is_forced, .lock = -1};
    if (!*path) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "The name of the file to write is empty. Name one "
                            "with -o.");
    }
    if (stat(path, &status) == 0) {
        if (S_ISDIR(status.st_mode)) {
            return hs_error_set(error, HS_ERR_CONFIG,
                                "%s: this is a folder. Name a file in it with -o.", path);
        }
        if (!S_ISREG(status.st_mode)) {
            return hs_error_set(error, HS_ERR_CONFIG,
                                "%s: this is no regular file, and a result cannot be streamed. "
                                "Name a file with -o.",
                                path);
        }
        if (!is_forced) {
            return fail_exists(path, error);
        }
    }
    file->path = strdup(path);
    if (!file->path || asprintf(&file->part_path, "%s.part", path) < 0) {
        file->part_path = NULL;
        return hs_error_memory(error);
    }
    code = claim_part(file, error);
    if (code != HS_OK) {
        free(file->part_path); /* it is not ours to remove */
        file->part_path = NULL;
    }
    return code;
}

static enum hs_err fail_complete(const struct outfile *file, const char *doing, int cause,
                                 struct hs_error *error)
{
    return hs_error_set(error, HS_ERR_SYSTEM,
                        "%s: %s failed: %s. Check the disk, or choose another folder with -o.",
                        file->path, doing, strerror(cause));
}

/* Waits until what the file or folder holds is on the disk. Some file systems cannot for folders,
 * and a folder that may not be read cannot be asked. */
static bool synchronise(const char *path, int flags)
{
    int descriptor = open(path, flags | O_CLOEXEC);
    bool is_ok;

    if (descriptor < 0) {
        return errno == EACCES && (flags & O_DIRECTORY);
    }
    is_ok = fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP;
    return close(descriptor) == 0 && is_ok;
}

enum hs_err outfile_redirect(struct outfile *file, const char *path, struct hs_error *error)
{
    char *copy = strdup(path);

    if (!copy) {
        return hs_error_memory(error);
    }
    free(file->path);
    file->path = copy;
    return HS_OK;
}

/* PATH.part becomes PATH. */
static enum hs_err give_name(struct outfile *file, struct hs_error *error)
{
    unsigned flags = file->is_forced ? 0 : RENAME_NOREPLACE;
    int status = renameat2(AT_FDCWD, file->part_path, AT_FDCWD, file->path, flags);

    if (status != 0 && errno == EINVAL && flags) {
        /* This file system cannot refuse to replace: look first, then rename. */
        if (access(file->path, F_OK) == 0) {
            return fail_exists(file->path, error);
        }
        status = rename(file->part_path, file->path);
    }
    if (status != 0) {
        return errno == EEXIST ? fail_exists(file->path, error)
                               : fail_complete(file, "renaming it", errno, error);
    }
    free(file->part_path);
    file->part_path = NULL;
    return HS_OK;
}

enum hs_err outfile_complete(struct outfile *file, struct hs_error *error)
{
    char *folder = folder_of(file->path); /* memory may be short: not after the name is there */
    enum hs_err code;

    if (!folder) {
        return hs_error_memory(error);
    }
    code = synchronise(file->part_path, O_RDONLY)
               ? give_name(file, error)
               : fail_complete(file, "writing it to the disk", errno, error);
    if (code == HS_OK && !synchronise(folder, O_RDONLY | O_DIRECTORY)) {
        code =
            hs_error_set(error, HS_ERR_SYSTEM,
                         "%s: the result is complete, but writing its folder to the disk failed: "
                         "%s. Check the disk before you rely on it.",
                         file->path, strerror(errno));
    }
    free(folder);
    return code;
}

void outfile_remove(struct outfile *file)
{
    if (file->part_path) {
        (void)unlink(file->part_path);
    }
}

void outfile_fini(struct outfile *file)
{
    if (file->path && file->lock >= 0) {
        (void)close(file->lock);
    }
    free(file->path);
    free(file->part_path);
    *file = (struct outfile){.lock = -1};
}
