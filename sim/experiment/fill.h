/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fill.h - from a tree to the fields of an experiment, by the table of keys.
 *
 * Every value is checked against its row and stored; what is missing gets its default. Problems
 * are collected, and checking goes on. */
#ifndef HSIM_EXPERIMENT_FILL_H
#define HSIM_EXPERIMENT_FILL_H

#include "experiment/experiment.h"
#include "experiment/key.h"
#include "text/report.h"
#include "text/tree.h"

/* What an experiment owns beside its fields; indexed like the table of keys. */
struct experiment_storage {
    struct arena arena;
    struct arena tree; /* the tree and the texts of the file, of an experiment that was loaded */
    const char *written[KEY_COUNT_MAX];              /* paths as they were written */
    const char *const *written_lists[KEY_COUNT_MAX]; /* the same for lists of paths */
    struct tree_place places[KEY_COUNT_MAX];         /* of the value; line 0: none in the file */
};

struct filler {
    struct experiment *experiment;
    void *base; /* whose fields are filled: the experiment, or an element of a list of maps */
    struct experiment_storage *storage;
    struct arena *arena;
    struct report *report;
    const struct tree_entry *seen[KEY_COUNT_MAX]; /* keys that were given */
};

/* Checks the whole tree and fills the experiment. */
void experiment_fill(struct filler *filler, const struct tree_node *root);

/* Checks a value and stores it. */
void experiment_fill_value(struct filler *filler, const struct key *key,
                           const struct tree_node *node);

/* Reads a policy of either form. */
void experiment_fill_policy(struct filler *filler, const struct key *key,
                            const struct tree_node *node, struct experiment_policy *policy);

/* Reads a list of policies, or one; refuses equal ones. */
void experiment_fill_policies(struct filler *filler, const struct key *key,
                              const struct tree_node *node);

/* Fills the elements of a list of maps. */
void experiment_fill_map_list(struct filler *filler, const struct key *key,
                              const struct tree_node *node);

/* Stores the default of a key, if it has one. */
void experiment_fill_default(struct filler *filler, const struct key *key);

/* Checks and stores what stands under the keys of a map. */
void experiment_fill_map(struct filler *filler, const struct key *parent,
                         const struct tree_node *map);

/* Is the node one value, and does it have one? If not, a problem says what is due. */
bool experiment_fill_is_single(struct filler *filler, const struct key *key,
                               const struct tree_node *node);

/* Checks a text that becomes part of a file name. */
bool experiment_fill_is_file_name(struct filler *filler, const struct key *key,
                                  const struct tree_node *node);

/* Checks the conditions between keys once all are filled. */
void experiment_fill_relations(struct filler *filler);

/* Reports an unknown key with what was probably meant. */
void experiment_fill_unknown(struct report *report, struct tree_place place,
                             const struct key *parent, const char *name);

#endif
