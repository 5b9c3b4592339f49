/* SPDX-License-Identifier: GPL-3.0-or-later */
/* peek.c - a policy whose only work is to tell which placement it is composed with. */
#include "peek.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "builtin.h"
#include "unit.h"

struct peek_policy {
    int64_t address; /* where the placement goes */
};

static enum hs_err peek_init(void *self, const struct hs_view *view, struct hs_error *error)
{
    const struct hs_placement *placement = hs_view_placement(view);

    (void)error;
    if (placement) {
        *(struct hs_placement *)(uintptr_t)((struct peek_policy *)self)->address = *placement;
    }
    return HS_OK;
}

static void peek_schedule(void *self, const struct hs_view *view, struct hs_plan *plan)
{
    (void)self;
    (void)view;
    (void)plan;
}

static const struct hs_param peek_params[] = {
    HS_PARAM_INT(struct peek_policy, address, "0", 0, 9e18, "", "where the placement goes"),
    HS_PARAM_END,
};

HS_POLICY_DEFINE(peek) = {
    HS_POLICY_HEADER,
    .name = "peek",
    .summary = "looks at the placement",
    .params = peek_params,
    .state_size = sizeof(struct peek_policy),
    .init = peek_init,
    .schedule = peek_schedule,
};

void peek_open(struct peek *peek, const struct hs_cluster *cluster, const char *place,
               const char *local, const char *tie, const struct hs_mix *mix)
{
    const struct hs_policy *const policies[] = {&hs_policy_peek, NULL};
    const struct hs_plugin plugin = {.abi = HS_ABI, .size = sizeof(plugin), .policies = policies};
    char address[24];
    struct hs_choice_param param = {"address", address};
    struct hs_choice choice = {.name = "peek",
                               .place = place,
                               .local = local,
                               .tie = tie,
                               .params = &param,
                               .param_count = 1};
    struct hs_sched_options options = {.cluster = cluster, .seed = 5, .mix = mix};

    memset(peek, 0, sizeof(*peek));
    (void)snprintf(address, sizeof(address), "%" PRIuPTR, (uintptr_t)&peek->placement);
    peek->registry = hs_registry_create();
    CU_ASSERT_EQUAL_FATAL(hs_registry_add(peek->registry, &hp_builtin, "built-in", NULL), HS_OK);
    CU_ASSERT_EQUAL_FATAL(hs_registry_add(peek->registry, &plugin, "test", NULL), HS_OK);
    CU_ASSERT_EQUAL_FATAL(hs_stack_create(peek->registry, &choice, &peek->stack, NULL), HS_OK);
    options.stack = peek->stack;
    CU_ASSERT_EQUAL_FATAL(hs_sched_create(&options, &peek->sched, NULL), HS_OK);
}

void peek_close(struct peek *peek)
{
    hs_sched_destroy(peek->sched);
    hs_stack_destroy(peek->stack);
    hs_registry_destroy(peek->registry);
}
