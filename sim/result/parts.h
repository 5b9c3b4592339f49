/* SPDX-License-Identifier: GPL-3.0-or-later */
/* parts.h - the measured jobs of a run with speeds, by class and by the model that they computed
 * on. Internal to sim/result.
 *
 * In the file: /dict/class/name and /dict/model/name, into which the columns class and model of
 * /jobs point, and the groups /classes and /models, with a row for each name in the same order;
 * behind the classes one named "-" for the jobs without a class, if there are any. */
#ifndef HSIM_RESULT_PARTS_H
#define HSIM_RESULT_PARTS_H

#include "result/metrics.h"
#include "result/store.h"

struct parts_sums {
    int64_t jobs, killed, rejected, slowdowns;
    hs_int128 wait_ns, run_ns, ref_ns;
    hs_int128 devices, cores; /* shares x time, core/1000 x time; ns */
    double slowdown_ref, bsld, energy_j;
};

/* Zero it before use. Index 0 is that of jobs without a class or a model. */
struct parts {
    struct parts_sums *classes, *models;
    size_t class_room, model_room;
    hs_time tau_ns;
};

void parts_fini(struct parts *parts);

/* A job at its end; `sample` is NULL if it is not measured; `cores` and `devices`: what it held x
 * how long. False: no memory. */
bool parts_job(struct parts *parts, const struct result_job *job,
               const struct metrics_sample *sample, hs_int128 cores, hs_int128 devices);

/* Fills the classes and models of the summary, and appends metrics to it. */
enum hs_err parts_summarise(const struct parts *parts, const struct result_final *final,
                            bool has_energy, struct result_summary *summary,
                            struct hs_error *error) HS_MUST_USE;

/* Writes the groups; false if HDF5 failed. */
bool parts_write(hid_t file, const struct result_final *final,
                 const struct result_summary *summary);

#endif
