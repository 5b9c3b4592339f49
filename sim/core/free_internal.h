/* SPDX-License-Identifier: MIT */
/* free_internal.h - the free state from inside. */
#ifndef HSI_FREE_H
#define HSI_FREE_H

#include "hs/free.h"

/* What every node takes of one demand, as of the change number `seen`. */
struct hsi_fit {
    const struct hs_demand *key; /* the address that it is known by; NULL: unused */
    struct hs_demand demand;     /* what stood there */
    uint64_t seen;
    uint64_t used;      /* when it was asked last, for the choice of whom to forget */
    int64_t total;      /* tasks on all nodes */
    uint32_t full;      /* nodes that take all tasks */
    uint32_t *tasks;    /* per node */
    uint64_t *open;     /* bit per node: tasks > 0 */
    double *scores;     /* per node with tasks > 0; NULL: the placement has no order of nodes */
    uint32_t *winners;  /* tournament over the nodes: [1] is the best, leaves begin at leaf_count */
    bool is_same_node;  /* of the demand: only full nodes take part in the tournament */
    bool is_tournament; /* scores and winners are kept */
    bool is_blank;      /* nothing has been looked at yet */
};

/* Notes changes and keeps the fits. */
struct hsi_tracker {
    uint32_t *log; /* ring of changed nodes */
    uint64_t log_count;
    uint32_t log_mask;
    uint32_t leaf_count; /* power of two >= nodes */
    struct hsi_fit *fits;
    uint32_t fit_room;
    uint64_t clock;
    struct hs_placement placement; /* of the scores in the fits */
    const struct hs_free *followed;
    uint64_t followed_seen; /* of the followed state's changes */
    uint64_t own_seen;      /* of the own changes, when it followed last */
};

struct hs_free {
    const struct hs_cluster *cluster;
    const struct hs_node *nodes;     /* of the cluster */
    const struct hs_device *devices; /* of the cluster; NULL: it has none */
    int64_t *capacity_milli;         /* per node: its cores */
    int64_t *cores_milli;            /* per node */
    int64_t *mem_bytes;              /* per node; unlimited stays so but under an exclusive job */
    uint32_t *jobs;                  /* per node: allocations on it */
    uint64_t *open;                  /* bit per node: cores_milli > 0 */
    uint32_t *shares;                /* per device: free thousandths */
    int64_t *device_mem;             /* per device: free bytes; unlimited as mem_bytes */
    uint32_t *classes;               /* per node and hs_size_class: allocations on it */
    int64_t *rack_tasks;             /* per rack: scratch of the placement */
    int64_t total_cores_milli;
    uint32_t node_count;
    uint32_t word_count;
    uint32_t device_count;
    uint64_t change_count; /* of takes and releases */
    struct hsi_tracker *tracker;
};

#define HSI_ALTERNATIVES_MAX 16u

/* Which of its devices a node gives to tasks. On [0, tasks x device_count) of `out`. False: they do
 * not fit. device_score of the placement is asked for shares of one device. */
bool hsi_local_pick(const struct hs_free *state, uint32_t node, const struct hs_demand *demand,
                    uint32_t tasks, const struct hs_placement *placement,
                    struct hs_device_share *out);

/* Tasks of `demand` that the devices of the node take, at most `limit`. */
uint32_t hsi_local_tasks(const struct hs_free *state, uint32_t node, const struct hs_demand *demand,
                         uint32_t limit);

/* fit.c: the fit of a demand, up to date, in the order of `placement`; NULL: the state is not
 * tracked, or memory is short. It is valid until the next call. */
struct hsi_fit *hsi_fit_get(struct hs_free *state, const struct hs_demand *demand,
                            const struct hs_placement *placement);
/* Takes a node out of the tournament, and puts all that were taken back. */
void hsi_fit_pass_over(struct hs_free *state, struct hsi_fit *fit, uint32_t node);
void hsi_fit_restore(struct hs_free *state, struct hsi_fit *fit, uint32_t node);
double hsi_score(const struct hs_free *state, const struct hs_placement *placement, uint32_t node,
                 const struct hs_demand *demand);
void hsi_track_fini(struct hs_free *state);

/* Has the placement an order of the nodes other than the index? */
static inline bool hsi_is_ordered(const struct hs_placement *placement)
{
    return placement && (placement->score || placement->rank);
}

static inline void hsi_note_change(struct hs_free *state, uint32_t node)
{
    struct hsi_tracker *tracker = state->tracker;

    if (tracker) {
        tracker->log[tracker->log_count++ & tracker->log_mask] = node;
    }
}

#endif
