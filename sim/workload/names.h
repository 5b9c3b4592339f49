/* SPDX-License-Identifier: GPL-3.0-or-later */
/* names.h - numbers for the names of device kinds, models and features, and of classes of
 * jobs, users and queues.
 *
 * With a cluster the numbers are those of the cluster, and a name that it lacks has none. Without
 * one (`hsim trace info`) names are numbered as they come. Classes, users and
 * queues are numbered as they come in any case, since no cluster has them. */
#ifndef HSIM_WORKLOAD_NAMES_H
#define HSIM_WORKLOAD_NAMES_H

#include "hs/cluster.h"

enum workload_noun {
    WORKLOAD_KIND,
    WORKLOAD_MODEL,
    WORKLOAD_FEATURE,
    WORKLOAD_CLASS,
    WORKLOAD_USER, /* these three only for lists of other systems, to be shown */
    WORKLOAD_GROUP,
    WORKLOAD_QUEUE,
};
#define WORKLOAD_NOUN_COUNT 7

struct workload_names;

/* `cluster` NULL: an own table; else it is borrowed. NULL: no memory. */
struct workload_names *workload_names_create(const struct hs_cluster *cluster);
void workload_names_destroy(struct workload_names *names);

/* The number of a name. HS_ERR_CONFIG: the cluster has none of it, or an own table is full (64
 * features, 4,096 classes, users and queues, 65,535 others); the text is half a sentence, "no node
 * has a device of model 'a1000' (did you mean 'a100'?)". */
enum hs_err workload_names_number(struct workload_names *names, enum workload_noun noun,
                                  const char *name, uint16_t *number,
                                  struct hs_error *error) HS_MUST_USE;

/* Does the cluster or the table so far have it? */
bool workload_names_has(const struct workload_names *names, enum workload_noun noun,
                        const char *name);

/* How many there are, and the name of a number; it lives as long as the cluster or `names`. */
uint16_t workload_names_count(const struct workload_names *names, enum workload_noun noun);
const char *workload_names_text(const struct workload_names *names, enum workload_noun noun,
                                uint16_t number);

#endif
