/* SPDX-License-Identifier: MIT */
/* registry.h - plug-ins by name, and their composition into what a scheduler runs.
 *
 * A registry holds the built-in plug-ins (policies/builtin.c puts them there) and those loaded from
 * shared objects. A stack is one composition with its state and parameters: a whole policy, or an
 * order and a reservation rule; a placement; and a predictor. */
#ifndef HS_REGISTRY_H
#define HS_REGISTRY_H

#include "hs/policy.h"

enum hs_kind {
    HS_KIND_POLICY,
    HS_KIND_ORDER,
    HS_KIND_RESERVE,
    HS_KIND_PLACE,
    HS_KIND_PREDICT,
    HS_KIND_COUNT
};

/* What all kinds share, for lists and documentation. */
struct hs_plugin_info {
    const char *name;
    const char *summary;
    const struct hs_param *params;
    const char *origin;   /* "built-in", or the path of the shared object */
    bool is_time_varying; /* orders */
};

struct hs_registry;

struct hs_registry *hs_registry_create(void);
void hs_registry_destroy(struct hs_registry *registry); /* also unloads shared objects */

/* Adds all plug-ins of `plugin` (borrowed for the life of the registry). HS_ERR_CONFIG: another
 * ABI, a missing name or function, a name that is taken. */
enum hs_err hs_registry_add(struct hs_registry *registry, const struct hs_plugin *plugin,
                            const char *origin, struct hs_error *error) HS_MUST_USE;

/* dlopens a shared object and adds what its `hs_plugin` lists. */
enum hs_err hs_registry_load(struct hs_registry *registry, const char *path,
                             struct hs_error *error) HS_MUST_USE;

size_t hs_registry_count(const struct hs_registry *registry, enum hs_kind kind);
struct hs_plugin_info hs_registry_info(const struct hs_registry *registry, enum hs_kind kind,
                                       size_t index);
/* "policy", "order", "reservation rule", "placement", "predictor" */
const char *hs_kind_name(enum hs_kind kind);

/* A composition by name. `name` is a whole policy, an order (with rule none), a reservation rule
 * (with `order`, or fcfs), or ORDER-RULE. */
struct hs_choice_param {
    const char *name;
    const char *value;
};
struct hs_choice {
    const char *name;
    const char *order; /* NULL: not said */
    const char *place; /* NULL: left-most */
    const char *local; /* devices inside a node: "tight", "island" or "first"; NULL: tight */
    const char *tie;   /* of nodes that the placement finds equal: "index" or "random", one order
                          for all of the run; NULL: index */
    const struct hs_choice_param *params;
    size_t param_count;
    const char *predictor; /* NULL: policies see the request */
};

struct hs_stack;

/* Builds the composition. HS_ERR_CONFIG: an unknown name (with the nearest known one) or parameter,
 * a bad value. The registry must outlive the stack. */
enum hs_err hs_stack_create(const struct hs_registry *registry, const struct hs_choice *choice,
                            struct hs_stack **stack, struct hs_error *error) HS_MUST_USE;
void hs_stack_destroy(struct hs_stack *stack);

/* Does the composition need the demands to come (hs_sched_options.mix)? */
bool hs_stack_needs_mix(const struct hs_stack *stack);
/* Does it ask for recorded starts (HS_POLICY_REPLAYS)? */
bool hs_stack_replays(const struct hs_stack *stack);

/* May the composition preempt (HS_POLICY_PREEMPTS)? */
bool hs_stack_preempts(const struct hs_stack *stack);

/* Do policies see something else than the request, so that the host must ask (hs_sched_predict),
 * correct and teach? And is that the truth, or made from it? */
bool hs_stack_predicts(const struct hs_stack *stack);
bool hs_stack_knows_truth(const struct hs_stack *stack);

/* The words that hs_choice.local and .tie may be; NULL ends the list. */
const char *const *hs_stack_locals(void);
const char *const *hs_stack_ties(void);

/* "sjf-easy", "fcfs", "f1-depth", "easy+last-two": parts that are not the default; for tables and
 * file names. */
const char *hs_stack_label(const struct hs_stack *stack);

/* Parameter number `index` over all parts: its part, row, and value as text. False: no more. */
bool hs_stack_param(const struct hs_stack *stack, size_t index, enum hs_kind *kind,
                    const struct hs_param **row, char *text, size_t size);

#endif
