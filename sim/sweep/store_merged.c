/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store_merged.c - is sweep.h5 what merging would make?
 *
 * The file `merged` holds a digest of all that went into sweep.h5, and the stamp of sweep.h5
 * itself. For a run that finished its stamp stands: length, time of change and number of the file.
 * As with make and git, a file that was changed and then given its old time passes for unchanged.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "result/result.h"
#include "sweep/store.h"

#define DIGEST_SIZE SWEEP_KEY_SIZE
#define STAMP_SIZE  128

/* "BYTES SECONDS NANOSECONDS NUMBER"; "" for what is no file. */
static void stamp(const char *path, char text[STAMP_SIZE])
{
    struct stat status;

    *text = '\0';
    if (path && stat(path, &status) == 0 && S_ISREG(status.st_mode)) {
        (void)snprintf(text, STAMP_SIZE, "%jd %jd %ld %ju", (intmax_t)status.st_size,
                       (intmax_t)status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
                       (uintmax_t)status.st_ino);
    }
}

static void add(XXH3_state_t *state, const char *text)
{
    const char *known = text ? text : "\1"; /* NULL differs from "" */

    (void)XXH3_128bits_update(state, known, strlen(known) + 1);
}

static void add_row(XXH3_state_t *state, const struct sweep_store *store,
                    const struct sweep_source *source, size_t index)
{
    const struct sweep_row *row = &source->rows[index];
    char text[STAMP_SIZE];

    add(state, row->key);
    add(state, row->situation);
    add(state, row->policy);
    (void)snprintf(text, sizeof text, "%" PRIu64 " %" PRId64, row->seed, row->replicate);
    add(state, text);
    for (size_t i = 0; i < source->axis_count; i++) {
        const struct sweep_value *value = &row->values[i];

        (void)snprintf(text, sizeof text, "%" PRId64 " %a", value->integer, value->real);
        add(state, text);
        add(state, value->text);
    }
    add(state, source->errors[index]);
    if (!source->errors[index]) {
        char *path = sweep_store_run_path(store, row->key);

        stamp(path, text);
        add(state, text);
        free(path);
    }
}

/* Digest of what sweep.h5 is made from. False: no memory. */
static bool digest(const struct sweep_store *store, const struct sweep_source *source,
                   char text[DIGEST_SIZE])
{
    XXH3_state_t *state = XXH3_createState();
    XXH128_hash_t hash;

    if (!state || XXH3_128bits_reset(state) != XXH_OK) {
        (void)XXH3_freeState(state);
        return false;
    }
    add(state, result_git_commit());
    add(state, source->name);
    add(state, source->config);
    for (size_t i = 0; i < source->axis_count; i++) {
        const struct sweep_axis *axis = &source->axes[i];

        add(state, axis->key);
        add(state, axis->unit);
        add(state, axis->doc);
        add(state, axis->type == SWEEP_INT ? "int" : axis->type == SWEEP_REAL ? "real" : "text");
        add(state, axis->is_policy ? "policy" : "");
    }
    for (size_t i = 0; i < source->row_count; i++) {
        add_row(state, store, source, i);
    }
    hash = XXH3_128bits_digest(state);
    (void)XXH3_freeState(state);
    (void)snprintf(text, DIGEST_SIZE, "%016" PRIx64 "%016" PRIx64, (uint64_t)hash.high64,
                   (uint64_t)hash.low64);
    return true;
}

/* What the file `merged` has to say of sweep.h5 as it lies there. */
static void describe(const char *path, const char *hash, char text[DIGEST_SIZE + STAMP_SIZE])
{
    char file[STAMP_SIZE];

    stamp(path, file);
    (void)snprintf(text, DIGEST_SIZE + STAMP_SIZE, "%s %s\n", hash, file);
}

bool sweep_store_is_merged(const struct sweep_store *store, const struct sweep_source *source,
                           char hash[SWEEP_KEY_SIZE])
{
    char wanted[DIGEST_SIZE + STAMP_SIZE];
    char found[DIGEST_SIZE + STAMP_SIZE] = "";
    char *path = sweep_store_path(store, "merged");
    FILE *file = path ? fopen(path, "re") : NULL;

    if (file) {
        found[fread(found, 1, sizeof found - 1, file)] = '\0';
        (void)fclose(file);
    }
    free(path);
    *hash = '\0';
    if (!digest(store, source, hash)) {
        return false;
    }
    describe(source->path, hash, wanted);
    return access(source->path, F_OK) == 0 && strcmp(wanted, found) == 0;
}

enum hs_err sweep_store_merged(struct sweep_store *store, const struct sweep_source *source,
                               const char *hash, struct hs_error *error)
{
    char text[DIGEST_SIZE + STAMP_SIZE];

    describe(source->path, hash, text);
    return *hash ? sweep_store_write(store, "merged", text, error) : HS_OK;
}
