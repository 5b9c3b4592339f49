/* SPDX-License-Identifier: GPL-3.0-or-later */
/* power.h - whether the energy of a run is accounted, and what its platform draws. Internal to
 * sim/run. */
#ifndef HSIM_RUN_POWER_H
#define HSIM_RUN_POWER_H

#include "engine/energy.h"
#include "experiment/experiment.h"
#include "result/result.h"

/* Zero it before use. */
struct run_power {
    struct hs_power *nodes;   /* by node; NULL: not known of all */
    struct hs_power *devices; /* by device; likewise */
    bool has_energy;
};

/* HS_ERR_CONFIG if the experiment wants energy and the platform does not say what it draws: which
 * node or device, and what to do. power_fini in any case. */
enum hs_err run_power_init(struct run_power *power, const struct experiment *experiment,
                           const struct platform *platform, struct hs_error *error) HS_MUST_USE;
void run_power_fini(struct run_power *power);

/* The model of one run; NULL: without energy. */
enum hs_err run_power_open(const struct run_power *power, const struct experiment *experiment,
                           const struct hs_cluster *cluster, struct energy **energy,
                           struct hs_error *error) HS_MUST_USE;

/* What the model says at the end, for the result. */
struct run_energy {
    struct result_energy sums;
    hs_int128 *nodes, *devices; /* owned */
};
enum hs_err run_energy_collect(struct run_energy *collected, const struct energy *energy,
                               const struct hs_cluster *cluster,
                               struct hs_error *error) HS_MUST_USE;
void run_energy_fini(struct run_energy *collected);

#endif
