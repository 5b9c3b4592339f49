/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store.c - folders, locks and small files. */
#include "sweep/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "run/run.h"

struct sweep_store {
    char *folder;
    int lock; /* -1: none */
};

#define DEAD_WAIT_MS  10000 /* for the processes of a sweep that was killed */
#define DEAD_PAUSE_MS 20
#define HOST_SIZE     65
#define OWNER_SIZE    (HOST_SIZE + 32)

/* "PID HOST" of this process; "" where there may be many. */
static void describe_owner(enum sweep_access access, char owner[OWNER_SIZE])
{
    char host[HOST_SIZE] = "";

    (void)gethostname(host, sizeof host - 1);
    *owner = '\0';
    if (access == SWEEP_ALONE) {
        (void)snprintf(owner, OWNER_SIZE, "%d %s\n", (int)getpid(), host);
    }
}

char *sweep_store_path(const struct sweep_store *store, const char *name)
{
    char *path;

    return asprintf(&path, "%s/%s", store->folder, name) < 0 ? NULL : path;
}

/* Path of a file of a run: "runs/KEY.h5". NULL: no memory. */
static char *file_path(const struct sweep_store *store, const char *part, const char *key,
                       const char *end)
{
    char *path;

    return asprintf(&path, "%s/%s/%s%s", store->folder, part, key, end) < 0 ? NULL : path;
}

char *sweep_store_run_path(const struct sweep_store *store, const char *key)
{
    return file_path(store, "runs", key, ".h5");
}

static enum hs_err fail_folder(const char *path, const char *what, struct hs_error *error)
{
    return hs_error_set(error, HS_ERR_SYSTEM,
                        "%s: %s failed: %s. Check the disk and the rights of the folder, or choose "
                        "another with -o.",
                        path, what, strerror(errno));
}

/* ---- the folder of runs */

static enum hs_err fail_other_runs(const char *path, const char *runs, struct hs_error *error)
{
    return hs_error_set(error, HS_ERR_CONFIG,
                        "%s: the finished runs of this sweep lie here already, not in \"%s\". "
                        "Leave --runs out; or move the runs there, and remove \"%s\".",
                        path, runs, path);
}

/* DIR/runs becomes a link to `runs`, unless it leads there already. */
static enum hs_err link_runs(const char *path, const char *runs, struct hs_error *error)
{
    enum hs_err err = run_make_folders(runs, error);
    struct stat there;
    struct stat wanted;
    char *target;

    if (err != HS_OK) {
        return err;
    }
    if (stat(path, &there) == 0 && stat(runs, &wanted) == 0 && there.st_dev == wanted.st_dev &&
        there.st_ino == wanted.st_ino) {
        return HS_OK;
    }
    if (rmdir(path) != 0 && errno != ENOENT) { /* an empty one is nothing to keep */
        return fail_other_runs(path, runs, error);
    }
    target = realpath(runs, NULL);
    if (!target || symlink(target, path) != 0) {
        err = fail_folder(path, "making the link to the shared runs", error);
    }
    free(target);
    return err;
}

/* Makes DIR, DIR/runs and DIR/failed. A folder that holds a file sweep.h5, but no runs, is not ours
 * to write into. */
static enum hs_err make_folders(struct sweep_store *store, const char *runs, struct hs_error *error)
{
    char *path = sweep_store_path(store, "runs");
    char *failed = sweep_store_path(store, "failed");
    char *merged = sweep_store_path(store, "sweep.h5");
    enum hs_err err = path && failed && merged ? HS_OK : hs_error_memory(error);

    if (err == HS_OK) {
        err = run_make_folders(store->folder, error);
    }
    if (err == HS_OK && access(merged, F_OK) == 0 && access(path, F_OK) != 0 && errno == ENOENT) {
        err = hs_error_set(error, HS_ERR_CONFIG,
                           "%s: this file would be replaced, but the folder has no runs and so "
                           "is not that of a sweep. Choose another with -o.",
                           merged);
    }
    if (err == HS_OK) {
        err = runs ? link_runs(path, runs, error) : run_make_folders(path, error);
    }
    if (err == HS_OK) {
        err = run_make_folders(failed, error);
    }
    free(path);
    free(failed);
    free(merged);
    return err;
}

bool sweep_store_has_shared_runs(const struct sweep_store *store)
{
    char *path = sweep_store_path(store, "runs");
    struct stat status;
    bool is_link = path && lstat(path, &status) == 0 && S_ISLNK(status.st_mode);

    free(path);
    return is_link;
}

/* ---- the lock */

/* Is the process that wrote the lock dead? Not known of other hosts. */
static bool is_owner_dead(const char *owner)
{
    char host[HOST_SIZE] = "";
    const char *space = strchr(owner, ' ');
    long process = strtol(owner, NULL, 10);

    (void)gethostname(host, sizeof host - 1);
    return process > 0 && space && strcmp(space + 1, host) == 0 && kill((pid_t)process, 0) != 0 &&
           errno == ESRCH;
}

/* Reads who wrote the lock; "" if nobody did. */
static void read_owner(int file, char owner[OWNER_SIZE])
{
    ssize_t count = pread(file, owner, OWNER_SIZE - 1, 0);

    owner[count > 0 ? count : 0] = '\0';
    owner[strcspn(owner, "\n")] = '\0';
}

static enum hs_err fail_locked(const struct sweep_store *store, const char *owner,
                               struct hs_error *error)
{
    const char *space = strchr(owner, ' ');

    if (!space) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "%s: single runs of this sweep are being computed at this moment. Wait "
                            "for their end (`hsim sweep status %s`), or choose another folder with "
                            "-o.",
                            store->folder, store->folder);
    }
    return hs_error_set(error, HS_ERR_CONFIG,
                        "%s: another sweep works in this folder at this moment (process %.*s on "
                        "%s). Wait for its end (`hsim sweep status %s`), or choose another folder "
                        "with -o.",
                        store->folder, (int)(space - owner), owner, space + 1, store->folder);
}

/* Tries once. False with errno: another has it (EAGAIN). File systems without locks go without. */
static bool try_lock(int file, short type)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET};

    if (fcntl(file, F_OFD_SETLK, &lock) == 0) {
        return true;
    }
    errno = errno == EACCES ? EAGAIN : errno;
    return errno != EAGAIN;
}

static enum hs_err take_lock(struct sweep_store *store, enum sweep_access access,
                             struct hs_error *error)
{
    const struct timespec pause = {.tv_nsec = DEAD_PAUSE_MS * 1000000L};
    short type = access == SWEEP_ALONE ? F_WRLCK : F_RDLCK;
    char *path = sweep_store_path(store, "lock");
    char owner[OWNER_SIZE] = "";
    enum hs_err err = HS_OK;

    if (!path) {
        return hs_error_memory(error);
    }
    store->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (store->lock < 0) {
        err = fail_folder(path, "making the lock", error);
    }
    free(path);
    for (int waited_ms = 0; err == HS_OK && !try_lock(store->lock, type);
         waited_ms += DEAD_PAUSE_MS) {
        /* The children of a killed sweep end at once, but not in no time. */
        read_owner(store->lock, owner);
        if (waited_ms >= DEAD_WAIT_MS || !is_owner_dead(owner)) {
            err = fail_locked(store, owner, error);
        } else {
            (void)nanosleep(&pause, NULL);
        }
    }
    if (err == HS_OK) {
        describe_owner(access, owner);
        if (ftruncate(store->lock, 0) != 0 ||
            pwrite(store->lock, owner, strlen(owner), 0) != (ssize_t)strlen(owner)) {
            err = hs_error_set(error, HS_ERR_SYSTEM,
                               "%s: the folder cannot be written: %s. Free space on the disk, or "
                               "choose another folder with -o.",
                               store->folder, strerror(errno));
        }
    }
    return err;
}

bool sweep_store_is_locked(const struct sweep_store *store, enum sweep_access access)
{
    struct flock lock = {.l_type = access == SWEEP_ALONE ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET};
    char *path = sweep_store_path(store, "lock");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    bool is_locked = file >= 0 && fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;

    if (file >= 0) {
        (void)close(file);
    }
    free(path);
    return is_locked;
}

/* ---- opening */

/* timings.csv gets its first line with its name, so that all may append to it. */
static enum hs_err begin_timings(struct sweep_store *store, struct hs_error *error)
{
    char *path = sweep_store_path(store, "timings.csv");
    enum hs_err err = path ? HS_OK : hs_error_memory(error);

    if (path && access(path, F_OK) != 0) {
        err = sweep_store_write(store, "timings.csv", "key,status,wall_s,cpu_s,rss_bytes\n", error);
    }
    free(path);
    return err;
}

static enum hs_err look(const struct sweep_store *store, struct hs_error *error)
{
    char *path = sweep_store_path(store, "runs.csv");
    enum hs_err err = path ? HS_OK : hs_error_memory(error);

    if (path && access(path, R_OK) != 0) {
        err = hs_error_set(error, HS_ERR_CONFIG,
                           "%s: there is no sweep in this folder: \"%s\" cannot be read (%s). Give "
                           "the folder that `hsim sweep` got with -o.",
                           store->folder, path, strerror(errno));
    }
    free(path);
    return err;
}

/* To be said before hours of computing, not behind them. */
static enum hs_err check_merged(const struct sweep_store *store, struct hs_error *error)
{
    struct stat status;
    char *path = sweep_store_path(store, "sweep.h5");
    enum hs_err err = path ? HS_OK : hs_error_memory(error);

    if (path && stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        err =
            hs_error_set(error, HS_ERR_CONFIG,
                         "%s: this is a folder, and the merged file is to have that name. Move it "
                         "away, or choose another folder with -o.",
                         path);
    }
    free(path);
    return err;
}

enum hs_err sweep_store_open(const char *folder, const char *runs, enum sweep_access access,
                             struct sweep_store **store, struct hs_error *error)
{
    struct sweep_store *made = calloc(1, sizeof *made);
    enum hs_err err = HS_OK;

    *store = NULL;
    if (!made) {
        return hs_error_memory(error);
    }
    made->lock = -1;
    made->folder = strdup(folder);
    if (!made->folder) {
        err = hs_error_memory(error);
    }
    for (size_t end = made->folder ? strlen(made->folder) : 0;
         end > 1 && made->folder[end - 1] == '/'; end--) {
        made->folder[end - 1] = '\0';
    }
    if (err == HS_OK && access == SWEEP_LOOK) {
        err = look(made, error);
    } else if (err == HS_OK) {
        err = check_merged(made, error);
        err = err == HS_OK ? make_folders(made, runs, error) : err;
        err = err == HS_OK ? take_lock(made, access, error) : err;
        err = err == HS_OK ? begin_timings(made, error) : err;
    }
    if (err != HS_OK) {
        sweep_store_close(made);
        return err;
    }
    *store = made;
    return HS_OK;
}

void sweep_store_close(struct sweep_store *store)
{
    if (!store) {
        return;
    }
    if (store->lock >= 0) {
        (void)close(store->lock);
    }
    free(store->folder);
    free(store);
}

/* ---- runs */

enum sweep_state sweep_store_state(const struct sweep_store *store, const char *key)
{
    char *result = sweep_store_run_path(store, key);
    char *failure = file_path(store, "failed", key, "");
    enum sweep_state state = SWEEP_MISSING;
    struct stat status;

    if (result && stat(result, &status) == 0 && S_ISREG(status.st_mode)) {
        state = SWEEP_FINISHED;
    } else if (failure && stat(failure, &status) == 0 && status.st_size > 0) {
        state = SWEEP_BROKEN;
    }
    free(result);
    free(failure);
    return state;
}

bool sweep_store_is_busy(const struct sweep_store *store, const char *key)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char *path = file_path(store, "runs", key, ".h5.part");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    bool is_busy = file >= 0 && fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;

    if (file >= 0) {
        (void)close(file);
    }
    free(path);
    return is_busy;
}

void sweep_store_remove_part(struct sweep_store *store, const char *key)
{
    char *path = file_path(store, "runs", key, ".h5.part");

    if (path && !sweep_store_is_busy(store, key)) {
        (void)unlink(path);
    }
    free(path);
}

char *sweep_store_failure(const struct sweep_store *store, const char *key)
{
    char *path = file_path(store, "failed", key, "");
    char text[HS_ERROR_TEXT_MAX];
    ssize_t count = -1;
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;

    if (file >= 0) {
        count = read(file, text, sizeof text - 1);
        (void)close(file);
    }
    free(path);
    if (count <= 0) {
        return NULL;
    }
    text[count] = '\0';
    return strdup(text);
}

enum hs_err sweep_store_fail(struct sweep_store *store, const char *key, const char *text,
                             struct hs_error *error)
{
    char *name;
    enum hs_err err;

    if (asprintf(&name, "failed/%s", key) < 0) {
        return hs_error_memory(error);
    }
    err = sweep_store_write(store, name, text, error);
    free(name);
    return err;
}

/* Removes a file, which need not be there; NULL: no memory. */
static enum hs_err remove_file(char *path_take, struct hs_error *error)
{
    enum hs_err err = path_take ? HS_OK : hs_error_memory(error);

    if (err == HS_OK && unlink(path_take) != 0 && errno != ENOENT) {
        err = fail_folder(path_take, "removing it", error);
    }
    free(path_take);
    return err;
}

enum hs_err sweep_store_forget_failure(struct sweep_store *store, const char *key,
                                       struct hs_error *error)
{
    return remove_file(file_path(store, "failed", key, ""), error);
}

enum hs_err sweep_store_forget(struct sweep_store *store, const char *key, struct hs_error *error)
{
    enum hs_err err = remove_file(sweep_store_run_path(store, key), error);

    return err == HS_OK ? sweep_store_forget_failure(store, key, error) : err;
}

void sweep_store_timing(struct sweep_store *store, const struct sweep_timing *timing)
{
    char *path = sweep_store_path(store, "timings.csv");
    char line[160];
    int length = snprintf(line, sizeof line, "%s,%s,%.3f,%.3f,%" PRId64 "\n", timing->key,
                          timing->status, timing->wall_s, timing->cpu_s, timing->rss_bytes);
    int file = path ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;

    if (file >= 0) {
        ssize_t written = write(file, line, (size_t)length); /* one call: lines stay whole */

        (void)written;
        (void)close(file);
    }
    free(path);
}

double sweep_store_mean_s(const struct sweep_store *store)
{
    char *path = sweep_store_path(store, "timings.csv");
    FILE *file = path ? fopen(path, "re") : NULL;
    char line[256];
    double sum_s = 0;
    double count = 0;

    while (file && fgets(line, sizeof line, file)) {
        double wall_s;

        if (sscanf(line, "%*32[0-9a-f],complete,%lf", &wall_s) == 1 && wall_s >= 0) {
            sum_s += wall_s;
            count++;
        }
    }
    if (file) {
        (void)fclose(file);
    }
    free(path);
    return count > 0 ? sum_s / count : NAN;
}

/* ---- small files */

static enum hs_err write_part(const char *part, const char *text, struct hs_error *error)
{
    size_t size = strlen(text);
    int file = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    enum hs_err err = HS_OK;

    if (file < 0) {
        return fail_folder(part, "making the file", error);
    }
    while (err == HS_OK && size > 0) {
        ssize_t count = write(file, text, size);

        if (count < 0 && errno != EINTR) {
            err = fail_folder(part, "writing it", error);
        }
        text += count > 0 ? count : 0;
        size -= count > 0 ? (size_t)count : 0;
    }
    if (close(file) != 0 && err == HS_OK) {
        err = fail_folder(part, "writing it", error);
    }
    return err;
}

/* Not forced onto the disk: what a lost file says is found out again. */
enum hs_err sweep_store_write(struct sweep_store *store, const char *name, const char *text,
                              struct hs_error *error)
{
    char host[HOST_SIZE] = "";
    char *path = sweep_store_path(store, name);
    char *part = NULL;
    enum hs_err err;

    (void)gethostname(host, sizeof host - 1);
    if (!path || asprintf(&part, "%s.%s-%d.part", path, host, (int)getpid()) < 0) {
        free(path);
        return hs_error_memory(error);
    }
    err = write_part(part, text, error);
    if (err == HS_OK && rename(part, path) != 0) {
        err = fail_folder(path, "giving it its name", error);
    }
    if (err != HS_OK) {
        (void)unlink(part);
    }
    free(part);
    free(path);
    return err;
}

/* ---- cleaning */

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name);

    return length > strlen(end) && strcmp(name + length - strlen(end), end) == 0;
}

static bool begins_with_key(const char *name)
{
    return strspn(name, "0123456789abcdef") == SWEEP_KEY_SIZE - 1;
}

/* Is it one of those that a sweep writes into its folder? */
static bool is_own_file(const char *name)
{
    static const char *const begins[] = {"sweep.h5.", "merged.", "runs.csv.", "timings.csv.",
                                         "status.json."};
    bool is_own = false;

    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        is_own = is_own || strncmp(name, begins[i], strlen(begins[i])) == 0;
    }
    return is_own;
}

/* Removes what a sweep calls *.part in a folder, but nothing that somebody is writing. */
static void clean_folder(struct sweep_store *store, const char *name, bool (*is_ours)(const char *))
{
    char *path = sweep_store_path(store, name);
    DIR *folder = path ? opendir(path) : NULL;
    const struct dirent *entry;

    while (folder && (entry = readdir(folder))) {
        char key[SWEEP_KEY_SIZE];

        (void)snprintf(key, sizeof key, "%.32s", entry->d_name);
        if (ends_with(entry->d_name, ".part") && is_ours(entry->d_name) &&
            !sweep_store_is_busy(store, key)) {
            (void)unlinkat(dirfd(folder), entry->d_name, 0);
        }
    }
    if (folder) {
        (void)closedir(folder);
    }
    free(path);
}

void sweep_store_clean(struct sweep_store *store)
{
    clean_folder(store, ".", is_own_file);
    clean_folder(store, "failed", begins_with_key);
    if (!sweep_store_has_shared_runs(store)) {
        clean_folder(store, "runs", begins_with_key);
    }
}

static int compare_keys(const void *left, const void *right)
{
    return strcmp(left, *(const char *const *)right);
}

size_t sweep_store_strangers(const struct sweep_store *store, const char *const *keys, size_t count)
{
    char *path = sweep_store_path(store, "runs");
    DIR *folder = path && !sweep_store_has_shared_runs(store) ? opendir(path) : NULL;
    const struct dirent *entry;
    size_t strangers = 0;

    while (folder && (entry = readdir(folder))) {
        char key[SWEEP_KEY_SIZE];

        if (strlen(entry->d_name) != SWEEP_KEY_SIZE - 1 + strlen(".h5") ||
            !ends_with(entry->d_name, ".h5")) {
            continue;
        }
        (void)snprintf(key, sizeof key, "%.32s", entry->d_name);
        strangers += !bsearch(key, keys, count, sizeof *keys, compare_keys);
    }
    if (folder) {
        (void)closedir(folder);
    }
    free(path);
    return strangers;
}
