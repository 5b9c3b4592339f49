/* SPDX-License-Identifier: GPL-3.0-or-later */
/* draft.h - an experiment before it is checked: the tree of its file, with what --set changes.
 *
 * A sweep reads its file once, and fills an experiment from a changed copy of the tree for each
 * run. Most callers want experiment_load. */
#ifndef HSIM_EXPERIMENT_DRAFT_H
#define HSIM_EXPERIMENT_DRAFT_H

#include "experiment/experiment.h"
#include "experiment/key.h"
#include "text/report.h"
#include "text/tree.h"

struct experiment_draft {
    struct arena arena;
    struct report report; /* problems of the file */
    const char *path, *base_dir, *source;
    struct tree_node *root; /* a map; NULL: there is a problem */
};

/* Reads a file, or parses a text (which is copied). HS_OK also with problems in the report. */
enum hs_err experiment_draft_read(const char *path, const struct experiment_override *overrides,
                                  size_t override_count, struct experiment_draft *draft,
                                  struct hs_error *error) HS_MUST_USE;
enum hs_err experiment_draft_parse(const char *text, size_t length, const char *path,
                                   const char *base_dir,
                                   const struct experiment_override *overrides,
                                   size_t override_count, struct experiment_draft *draft,
                                   struct hs_error *error) HS_MUST_USE;
void experiment_draft_fini(struct experiment_draft *draft); /* takes a zeroed one too */

/* Checks `root` (the draft's, or a changed copy of it), fills an experiment, and adds problems to
 * `report`; with any the experiment is of no use. Its texts belong to the draft and to the tree.
 * experiment_fini in any case. */
enum hs_err experiment_draft_fill(const struct experiment_draft *draft,
                                  const struct tree_node *root, struct report *report,
                                  struct experiment *experiment,
                                  struct hs_error *error) HS_MUST_USE;

/* The experiment takes the memory of its tree, which must have been allocated there. */
void experiment_draft_give(struct experiment *experiment, struct arena *arena);

/* Does the key take this value, whatever else is in the file? If not, the report says so. */
enum hs_err experiment_draft_check(const struct experiment_draft *draft, const struct key *key,
                                   const struct tree_node *node, struct report *report,
                                   struct hs_error *error) HS_MUST_USE;

#endif
