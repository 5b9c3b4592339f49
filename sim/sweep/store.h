/* SPDX-License-Identifier: GPL-3.0-or-later */
/* store.h - the folder of a sweep. What is in it is the state of the sweep; nothing else is kept.
 *
 *   runs/KEY.h5    finished runs; a link if the folder of runs is shared with other sweeps
 *   failed/KEY     why a run failed, text; there until the run is tried again
 *   sweep.h5       the merged file
 *   merged         what sweep.h5 was made from, so that it is not made again
 *   runs.csv       the rows of the sweep: which key is which run
 *   timings.csv    key, status, seconds and memory of what was computed, a line each
 *   status.json    how far the sweep is, while it runs
 *   lock           held by the sweep that runs
 *
 * Everything but timings.csv appears under its name only when it is complete. */
#ifndef HSIM_SWEEP_STORE_H
#define HSIM_SWEEP_STORE_H

#include "sweep/plan.h"

struct sweep_store;

enum sweep_access {
    SWEEP_ALONE,    /* a whole sweep: nobody else */
    SWEEP_TOGETHER, /* single runs of it: others like it, but no whole sweep */
    SWEEP_LOOK      /* only looks: no lock, and nothing is made */
};

/* Opens the folder, and but for SWEEP_LOOK makes what is missing and takes the lock. `runs`, if not
 * NULL, is where the finished runs lie; the folder remembers it. HS_ERR_CONFIG: another sweep has
 * the lock, the folder of runs is another one, or (SWEEP_LOOK) there is no sweep. A sweep that was
 * killed may take a moment to end; its lock is waited for. */
enum hs_err sweep_store_open(const char *folder, const char *runs, enum sweep_access access,
                             struct sweep_store **store, struct hs_error *error) HS_MUST_USE;
void sweep_store_close(struct sweep_store *store); /* takes NULL; gives the lock back */

/* Removes what killed sweeps have left half written. Only for SWEEP_ALONE. */
void sweep_store_clean(struct sweep_store *store);

/* Path of a file in the folder, or of the result of a run; the caller frees. NULL: no memory. */
char *sweep_store_path(const struct sweep_store *store, const char *name);
char *sweep_store_run_path(const struct sweep_store *store, const char *key);

enum sweep_state { SWEEP_MISSING, SWEEP_FINISHED, SWEEP_BROKEN /* failed */ };

enum sweep_state sweep_store_state(const struct sweep_store *store, const char *key);
/* Another process is writing the result at this moment. */
bool sweep_store_is_busy(const struct sweep_store *store, const char *key);
/* Removes what a run that was killed has half written. */
void sweep_store_remove_part(struct sweep_store *store, const char *key);

/* Why a run failed; the caller frees. NULL: it did not, or no memory. */
char *sweep_store_failure(const struct sweep_store *store, const char *key);
enum hs_err sweep_store_fail(struct sweep_store *store, const char *key, const char *text,
                             struct hs_error *error) HS_MUST_USE;
/* The run counts as missing again: neither finished nor failed. */
enum hs_err sweep_store_forget(struct sweep_store *store, const char *key,
                               struct hs_error *error) HS_MUST_USE;
/* It has not failed, and is finished if it was: another sweep may have put the result there. */
enum hs_err sweep_store_forget_failure(struct sweep_store *store, const char *key,
                                       struct hs_error *error) HS_MUST_USE;

/* What a run took. Lost if it cannot be written: nothing depends on it. */
struct sweep_timing {
    const char *key;
    const char *status; /* "complete", "failed" */
    double wall_s;
    double cpu_s; /* of the process, from fork to end */
    int64_t rss_bytes;
};
void sweep_store_timing(struct sweep_store *store, const struct sweep_timing *timing);
/* Mean wall clock of the runs that timings.csv has as complete; NaN: none. */
double sweep_store_mean_s(const struct sweep_store *store);

/* Replaces a small file of the folder. */
enum hs_err sweep_store_write(struct sweep_store *store, const char *name, const char *text,
                              struct hs_error *error) HS_MUST_USE;

/* DIR/runs is a link. */
bool sweep_store_has_shared_runs(const struct sweep_store *store);

/* Finished runs in the folder whose key is none of these, which are sorted; 0 if the folder of runs
 * is shared. */
size_t sweep_store_strangers(const struct sweep_store *store, const char *const *keys,
                             size_t count);

/* Whether sweep.h5 was made from these rows and these files: as it stands, and all of them have the
 * size, the time of change and the number that they had then. No file is opened. `hash` is for
 * sweep_store_merged, which remembers that it was made from what was there then. */
bool sweep_store_is_merged(const struct sweep_store *store, const struct sweep_source *source,
                           char hash[SWEEP_KEY_SIZE]);
enum hs_err sweep_store_merged(struct sweep_store *store, const struct sweep_source *source,
                               const char *hash, struct hs_error *error) HS_MUST_USE;

/* Whether the lock keeps `access` out now: SWEEP_ALONE by anybody, SWEEP_TOGETHER by a whole sweep.
 */
bool sweep_store_is_locked(const struct sweep_store *store, enum sweep_access access);

#endif
