/* SPDX-License-Identifier: MIT */
/* free_internal.h - the free state from inside. */
#ifndef HSI_FREE_H
#define HSI_FREE_H

#include <math.h>

#include "hs/free.h"

#define HSI_FIT_LEVELS 12 /* of the tournament: enough for 8^12 nodes */

/* What every node takes of the tasks of one demand, as of the change number `seen`. */
struct hsi_fit {
    struct hs_demand demand; /* with one task, unless all must be on one node: how it is known */
    struct hs_demand unit;   /* as scores see it: with one task */
    uint64_t hash;
    uint64_t seen;
    uint64_t used;      /* when it was asked last, for the choice of whom to forget; 0: unused */
    int64_t total;      /* tasks on all nodes */
    uint32_t entrants;  /* nodes that take part in the tournament */
    uint32_t *tasks;    /* per node */
    uint64_t *admitted; /* per class of nodes: hsi_admitted */
    bool *can_serve;    /* per class of nodes: an empty one takes a task */
    uint64_t *open;     /* bit per node: tasks > 0 */
    double *scores;     /* per node: HSI_NO_SCORE: takes no part; NULL: left-most */
    /* Tournament: [0] has the best of each 8 nodes, [1] the best of each 8 of these, and so on up
     * to the last level, which is one node; UINT32_MAX: none. */
    uint32_t *winners[HSI_FIT_LEVELS];
    uint32_t level_count;
    bool is_tournament; /* scores and winners are kept */
    bool is_blank;      /* nothing has been looked at yet */
    bool has_scores;    /* as of the change number `scored` */
    uint64_t scored;
};

#define HSI_NO_SCORE (-INFINITY)

/* Notes changes and keeps the fits. */
struct hsi_tracker {
    uint32_t *log; /* ring of changed nodes */
    uint64_t log_count;
    uint32_t log_mask;
    struct hsi_fit *fits;
    uint32_t fit_room;
    uint64_t clock;
    struct hs_placement placement; /* of the scores in the fits */
    const struct hs_free *followed;
    uint64_t followed_seen; /* of the followed state's changes */
    uint64_t own_seen;      /* of the own changes, when it followed last */
};

/* What is free on nodes that are away, and shows when they are back; means nothing for others. */
struct hsi_hidden {
    int64_t *cores_milli; /* per node */
    int64_t *mem_bytes;   /* per node */
    uint32_t *shares;     /* per device */
    int64_t *device_mem;  /* per device */
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
    uint64_t *idle;                  /* bit per node: all its cores are free */
    int64_t unit_milli;              /* cores of every node if all have as many, else 0 */
    uint32_t *shares;                /* per device: free thousandths */
    uint64_t *whole;                 /* per node: bit d: its device d is wholly free */
    uint64_t *partly;                /* per node: bit d: a part of its device d is free */
    uint32_t *node_shares;           /* per node: free thousandths of all its devices */
    int64_t *device_mem;             /* per device: free bytes; unlimited as mem_bytes */
    uint32_t *classes;               /* per node and hs_size_class: allocations on it */
    int64_t *rack_tasks;             /* per rack: scratch of the placement */
    uint64_t *away;                  /* bit per node: it is not available */
    struct hsi_hidden hidden;
    int64_t total_cores_milli;
    int64_t hidden_cores_milli; /* on all nodes that are away */
    uint32_t away_count;
    uint32_t node_count;
    uint32_t word_count;
    uint32_t device_count;
    uint64_t change_count; /* of takes and releases */
    uint64_t looked_count; /* nodes that were asked what they take */
    struct hsi_tracker *tracker;
};

#define HSI_ALTERNATIVES_MAX 16u

/* unit.c: machines of equal nodes, and tasks of which each takes all cores of a node and nothing
 * else. Most traces of parallel machines are such; they are handled by runs of bits. */
bool hsi_unit_serves(const struct hs_free *state, const struct hs_demand *demand);
bool hsi_unit_place(const struct hs_free *state, const struct hs_demand *demand,
                    struct hs_alloc_buffer *buffer);
void hsi_unit_apply(struct hs_free *state, const struct hs_span *span, int sign);

/* Which of its devices a node gives to tasks. On [0, tasks x device_count) of `out`. False: they do
 * not fit. device_score of the placement is asked for shares of one device. */
bool hsi_local_pick(const struct hs_free *state, uint32_t node, const struct hs_demand *demand,
                    uint32_t tasks, const struct hs_placement *placement,
                    struct hs_device_share *out);

/* The devices of the node that the demand admits and whose memory, when nobody uses it, suffices:
 * bit d for its device d. The same for all nodes of a class. */
uint64_t hsi_admitted(const struct hs_cluster *cluster, uint32_t node,
                      const struct hs_demand *demand);

/* Tasks of `demand` that the `admitted` devices of the node take, at most `limit`. */
uint32_t hsi_local_tasks(const struct hs_free *state, uint32_t node, const struct hs_demand *demand,
                         uint64_t admitted, uint32_t limit);

/* hs_free_node_tasks for who knows the admitted devices; at most `limit`. */
uint32_t hsi_node_tasks(const struct hs_free *state, uint32_t node, const struct hs_demand *demand,
                        uint64_t admitted, uint32_t limit);

/* The demand as fits and scores know it: without what is of no concern to a single node. */
struct hs_demand hsi_fit_demand(const struct hs_demand *demand);

/* fit.c: what nodes take of a demand now; NULL: the state is not tracked, or memory is short. It is
 * valid until the next call. The second way: with the tournament in the order of `placement`. */
struct hsi_fit *hsi_fit_get(struct hs_free *state, const struct hs_demand *demand);
struct hsi_fit *hsi_fit_get_scored(struct hs_free *state, const struct hs_demand *demand,
                                   const struct hs_placement *placement);
/* The best node; UINT32_MAX: none. */
uint32_t hsi_fit_best(const struct hsi_fit *fit);
/* Takes a node out of the tournament; its score, with which it can be put back. */
double hsi_fit_pass_over(struct hs_free *state, struct hsi_fit *fit, uint32_t node);
void hsi_fit_restore(struct hs_free *state, struct hsi_fit *fit, uint32_t node, double score);
/* Of one more task; never HSI_NO_SCORE. */
double hsi_score(const struct hs_free *state, const struct hs_placement *placement, uint32_t node,
                 const struct hs_demand *demand);
/* A number for a node (or the complement of a device) that changes with the state. */
double hsi_random_score(const struct hs_free *state, const struct hs_placement *placement,
                        uint32_t what);
void hsi_track_fini(struct hs_free *state);

/* free.c: what is free on a node or a device becomes so much; all that depends on it follows. */
void hsi_set_cores(struct hs_free *state, uint32_t node, int64_t cores_milli);
void hsi_set_share(struct hs_free *state, uint32_t device, uint32_t share);

/* away.c: nodes that are away. False: no memory. */
bool hsi_away_init(struct hs_free *state);
void hsi_away_fini(struct hs_free *state);
/* Shows what is free on the nodes of `alloc` that are away, and hides it again: a take or release
 * stands between. Only while a node is away. */
void hsi_away_show(struct hs_free *state, const struct hs_alloc *alloc);
void hsi_away_hide(struct hs_free *state, const struct hs_alloc *alloc);
/* Parts of copy and intersect: only if a node is away in one of the states. */
void hsi_away_copy(struct hs_free *to, const struct hs_free *from);
void hsi_away_copy_node(struct hs_free *to, const struct hs_free *from, uint32_t node);
void hsi_away_intersect_node(struct hs_free *to, const struct hs_free *other, uint32_t node);

static inline bool hsi_is_away(const struct hs_free *state, uint32_t node)
{
    return state->away[node / 64] >> (node % 64) & 1;
}

static inline bool hsi_any_away(const struct hs_free *left, const struct hs_free *right)
{
    return left->away_count || right->away_count;
}

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
