/* SPDX-License-Identifier: MIT */
/* policy.h - four of the five kinds of plug-ins, and all that their authors need.
 *
 *   hs_policy   a whole policy, for what does not decompose
 *   hs_order    a key per waiting job: who comes first
 *   hs_reserve  a reservation rule: who may overtake whom
 *   hs_place    a score per node: where a job goes
 * The fifth is hs_predictor (hs/predict.h): how long a job will run.
 *
 * An order, a reservation rule and a placement combine; an experiment names the parts. Each kind is
 * one constant struct with a parameter table. Only the header, name and summary are mandatory, and
 * the one function that the kind is for. The host allocates and zeroes `state_size` bytes, writes
 * the parameters into them, and passes them as `self`; init may allocate more, fini frees it.
 *
 * A plug-in is pure: no clock, no files, no threads, no printing, no random numbers but the view's.
 * Structs are append-only; the host reads min(size) bytes, so old plug-ins go on working. */
#ifndef HS_POLICY_H
#define HS_POLICY_H

#include "hs/event.h"
#include "hs/history.h"
#include "hs/mix.h"
#include "hs/param.h"
#include "hs/plan.h"
#include "hs/predict.h"
#include "hs/speed.h"
#include "hs/view.h"

/* Goes first in each plug-in struct. */
#define HS_POLICY_HEADER  .abi = HS_ABI, .size = sizeof(struct hs_policy)
#define HS_ORDER_HEADER   .abi = HS_ABI, .size = sizeof(struct hs_order)
#define HS_RESERVE_HEADER .abi = HS_ABI, .size = sizeof(struct hs_reserve)
#define HS_PLACE_HEADER   .abi = HS_ABI, .size = sizeof(struct hs_place)

enum hs_policy_flag {
    /* It may preempt (hs_plan_preempt): logs have room for that, and it has passes also while no
     * job waits, as long as some run. */
    HS_POLICY_PREEMPTS = 1,
    HS_POLICY_REPLAYS = 2, /* it asks for recorded starts (hs_view_recorded_start) */
};

struct hs_policy {
    uint32_t abi, size;            /* HS_POLICY_HEADER */
    const char *name;              /* [a-z0-9-]+, unique in its kind */
    const char *summary;           /* one line */
    const struct hs_param *params; /* NULL, or ends with HS_PARAM_END */
    size_t state_size;
    enum hs_err (*init)(void *self, const struct hs_view *view, struct hs_error *error);
    void (*fini)(void *self);
    /* After each event, before the pass. For FINISHED and CANCELLED the job still can be read. */
    void (*notify)(void *self, const struct hs_view *view, const struct hs_event *event);
    /* One pass: look at the view, write into the plan. */
    void (*schedule)(void *self, const struct hs_view *view, struct hs_plan *plan);
    uint32_t flags; /* enum hs_policy_flag */
};

/* A reservation rule is a policy that walks the queue in the composed order. */
struct hs_reserve {
    uint32_t abi, size; /* HS_RESERVE_HEADER */
    const char *name;
    const char *summary;
    const struct hs_param *params;
    size_t state_size;
    enum hs_err (*init)(void *self, const struct hs_view *view, struct hs_error *error);
    void (*fini)(void *self);
    void (*notify)(void *self, const struct hs_view *view, const struct hs_event *event);
    void (*schedule)(void *self, const struct hs_view *view, struct hs_plan *plan);
    uint32_t flags;
};

struct hs_order {
    uint32_t abi, size; /* HS_ORDER_HEADER */
    const char *name;
    const char *summary;
    const struct hs_param *params;
    size_t state_size;
    /* The key of a waiting job, smaller first, in double precision. Must not be NaN. */
    double (*key)(const void *self, const struct hs_view *view, const struct hs_job *job);
    bool is_time_varying; /* keys change with time: computed anew in each pass */
    bool is_arrival;      /* the key is the submit time: the queue is kept as a list */
    /* A time-varying order whose keys sort as -(w + rate_offset) / c does, where w is the time
     * waited in seconds and c > 0 a number of the job, may name c here: then a pass need not
     * compute all keys. The two sortings may differ by rounding (1e-6 relative), the keys decide.
     */
    double (*rate)(const void *self, const struct hs_view *view, const struct hs_job *job);
    double rate_offset;
};

struct hs_place {
    uint32_t abi, size; /* HS_PLACE_HEADER */
    const char *name;
    const char *summary;
    const struct hs_param *params;
    size_t state_size;
    /* See hs_placement in free.h; NULL: left-most. */
    double (*score)(const void *self, const struct hs_free *free, uint32_t node,
                    const struct hs_demand *demand);
    double (*device_score)(const void *self, const struct hs_free *free, uint32_t device,
                           const struct hs_demand *demand);
    enum hs_err (*init)(void *self, const struct hs_view *view, struct hs_error *error);
    void (*fini)(void *self);
    uint32_t flags; /* enum hs_place_flag */
};

/* Declares and begins the definition: HS_POLICY_DEFINE(mine) = {HS_POLICY_HEADER, ...}; */
#define HS_POLICY_DEFINE(id)                                                                       \
    extern const struct hs_policy hs_policy_##id;                                                  \
    const struct hs_policy hs_policy_##id
#define HS_ORDER_DEFINE(id)                                                                        \
    extern const struct hs_order hs_order_##id;                                                    \
    const struct hs_order hs_order_##id
#define HS_RESERVE_DEFINE(id)                                                                      \
    extern const struct hs_reserve hs_reserve_##id;                                                \
    const struct hs_reserve hs_reserve_##id
#define HS_PLACE_DEFINE(id)                                                                        \
    extern const struct hs_place hs_place_##id;                                                    \
    const struct hs_place hs_place_##id

/* What an out-of-tree shared object exports, under the name hs_plugin. Each list is NULL or ends
 * with NULL. */
struct hs_plugin {
    uint32_t abi, size;
    const struct hs_policy *const *policies;
    const struct hs_order *const *orders;
    const struct hs_reserve *const *reserves;
    const struct hs_place *const *places;
    const struct hs_predictor *const *predictors;
};

/* HS_PLUGIN(.policies = (const struct hs_policy *const[]){&hs_policy_mine, NULL}); */
#define HS_PLUGIN(...)                                                                             \
    extern const struct hs_plugin hs_plugin;                                                       \
    const struct hs_plugin hs_plugin = {                                                           \
        .abi = HS_ABI, .size = sizeof(struct hs_plugin), __VA_ARGS__}

#endif
