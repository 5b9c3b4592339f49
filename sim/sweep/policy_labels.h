/* SPDX-License-Identifier: GPL-3.0-or-later */
/* policy_labels.h - the policies of a sweep: composed once each, to check them, and named so that
 * equal labels mean equal policies. Internal to sim/sweep. */
#ifndef HSIM_SWEEP_POLICY_LABELS_H
#define HSIM_SWEEP_POLICY_LABELS_H

#include "experiment/experiment.h"
#include "run/run.h"
#include "text/text_map.h"

struct label_policy {
    const char *base;  /* its label by itself: "depth" */
    const char *label; /* unique: "depth:depth=2"; NULL before policy_labels_settle */
    const char *more;  /* what tells it from others of that label: "depth=2"; may be empty */
};

struct policy_labels {
    struct arena arena;
    struct text_map registries; /* by plug-ins */
    struct hs_registry **registry;
    struct text_map compositions; /* by policy and what it is composed with */
    struct label_composition *composition;
    struct text_map policies; /* by policy and label */
    struct label_policy *policy;
};

/* What came of composing a policy. */
struct label_composition {
    const char *base;  /* label */
    enum hs_err err;   /* HS_ERR_CONFIG: it cannot be composed, ... */
    const char *error; /* ... and why; NULL */
};

/* Composes a policy of an experiment, or remembers what came of it. `is_lenient`: plug-ins that are
 * not there are passed over, and policies are named by their words. HS_OK also where a policy
 * cannot be composed: see *composition, which lives until the next call. */
enum hs_err policy_labels_compose(struct policy_labels *labels, const struct experiment *experiment,
                                  size_t policy, bool is_lenient,
                                  const struct label_composition **composition,
                                  struct hs_error *error) HS_MUST_USE;

/* The number of a policy. `more`: see above, for a new one. */
enum hs_err policy_labels_add(struct policy_labels *labels, const struct experiment *experiment,
                              size_t policy, const char *base, const char *more, uint32_t *number,
                              struct hs_error *error) HS_MUST_USE;

/* Names all policies. */
enum hs_err policy_labels_settle(struct policy_labels *labels, struct hs_error *error) HS_MUST_USE;

void policy_labels_fini(struct policy_labels *labels); /* takes a zeroed one too */

#endif
