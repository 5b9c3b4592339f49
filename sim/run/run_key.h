/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run_key.h - the key of a run: equal keys, equal results.
 *
 * XXH3-128 over a text that holds all from which a run is computed: RESULT_ABI, the experiment as
 * it is resolved, the formats and digests of its inputs in place of their names, the seed, the
 * policy, and the digests of the plug-ins. Left out is what tells nothing of a result: `name`,
 * `policy.label`, and where and how it is kept (`output.path`, `output.compression`). What else
 * stands under `output` decides what the file holds, and counts.
 * The situation of a run is the same without policy and plug-ins. */
#ifndef HSIM_RUN_KEY_H
#define HSIM_RUN_KEY_H

#include "run/inputs.h"

#define RUN_KEY_SIZE 33 /* 32 hexadecimal digits and the end */

struct run_key {
    char key[RUN_KEY_SIZE];
    char situation[RUN_KEY_SIZE];
};

/* What the runs of an experiment have in common, whatever their policies and seeds. */
struct run_basis {
    char situation[RUN_KEY_SIZE];
    char plugins[RUN_KEY_SIZE];
};

/* Reads the inputs that `digests` does not know yet. */
enum hs_err run_basis_init(struct run_basis *basis, const struct experiment *experiment,
                           struct run_digests *digests, struct hs_error *error) HS_MUST_USE;

/* Of policy number `policy` with a seed. `experiment` is that of the basis. */
enum hs_err run_key_make(const struct run_basis *basis, const struct experiment *experiment,
                         size_t policy, uint64_t seed, struct run_key *key,
                         struct hs_error *error) HS_MUST_USE;

#endif
