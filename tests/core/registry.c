/* SPDX-License-Identifier: GPL-3.0-or-later */
/* registry.c - plug-ins by name, their compositions, parameters, and the interface's layout. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "builtin.h"
#include "hs/registry.h"
#include "unit.h"

struct tunable {
    int64_t depth;
    double weight;
    bool is_bold;
    hs_time patience;
};

static const struct hs_param tunable_params[] = {
    HS_PARAM_INT(struct tunable, depth, "3", 1, 10, "jobs", "a number"),
    HS_PARAM_DOUBLE(struct tunable, weight, "0.5", 0, 1, "", "a weight"),
    HS_PARAM_BOOL(struct tunable, is_bold, "false", "a switch"),
    HS_PARAM_TIME(struct tunable, patience, "15m", 0, 86400, "a time"),
    HS_PARAM_END,
};

static void do_nothing(void *self, const struct hs_view *view, struct hs_plan *plan)
{
    (void)self;
    (void)view;
    (void)plan;
}

static const struct hs_policy tunable = {
    HS_POLICY_HEADER,
    .name = "tunable",
    .summary = "has parameters",
    .params = tunable_params,
    .state_size = sizeof(struct tunable),
    .schedule = do_nothing,
};
static const struct hs_policy *const tunables[] = {&tunable, NULL};
static const struct hs_plugin tunable_plugin = {
    .abi = HS_ABI, .size = sizeof(struct hs_plugin), .policies = tunables};

static struct hs_registry *new_registry(void)
{
    struct hs_registry *registry = hs_registry_create();
    struct hs_error error = {0};

    CU_ASSERT_EQUAL_FATAL(hs_registry_add(registry, &hp_builtin, "built-in", &error), HS_OK);
    CU_ASSERT_EQUAL_FATAL(hs_registry_add(registry, &tunable_plugin, "tunable.so", &error), HS_OK);
    return registry;
}

/* The label of a composition, or the error's text. */
static const char *compose(const struct hs_choice *choice, char *text)
{
    struct hs_registry *registry = new_registry();
    struct hs_stack *stack = NULL;
    struct hs_error error = {0};

    if (hs_stack_create(registry, choice, &stack, &error) == HS_OK) {
        (void)snprintf(text, HS_ERROR_TEXT_MAX, "%s", hs_stack_label(stack));
    } else {
        CU_ASSERT_EQUAL(error.code, HS_ERR_CONFIG);
        (void)snprintf(text, HS_ERROR_TEXT_MAX, "%s", error.text);
    }
    hs_stack_destroy(stack);
    hs_registry_destroy(registry);
    return text;
}

static void names_combine(void)
{
    static const struct {
        struct hs_choice choice;
        const char *label;
    } cases[] = {
        {{.name = "fcfs"}, "fcfs"},
        {{.name = "sjf"}, "sjf"},
        {{.name = "easy"}, "easy"},
        {{.name = "fcfs-easy"}, "easy"},
        {{.name = "sjf-easy"}, "sjf-easy"},
        {{.name = "easy", .order = "sjf"}, "sjf-easy"},
        {{.name = "expansion-factor-easy-hosts"}, "expansion-factor-easy-hosts"},
        {{.name = "expansion-factor"}, "expansion-factor"},
        {{.name = "f1-conservative-rebuilt"}, "f1-conservative-rebuilt"},
        {{.name = "fcfs-none"}, "fcfs"},
        {{.name = "easy", .place = "left-most"}, "easy@left-most"},
        {{.name = "tunable"}, "tunable"},
        {{.name = "easy", .predictor = "request"}, "easy"},
        {{.name = "easy", .predictor = "last-two"}, "easy+last-two"},
        {{.name = "sjf-easy", .place = "best-fit", .predictor = "oracle"},
         "sjf-easy@best-fit+oracle"},
        {{.name = "tunable", .predictor = "rls"}, "tunable+rls"},
        {{.name = "easy", .predictor = "last-tow"},
         "There is no predictor 'last-tow'; did you mean 'last-two'?"},
        {{.name = "easy", .predictor = "crystal-ball"},
         "There is no predictor 'crystal-ball'; `hsim policies list` shows what there is."},
        {{.name = "sfj"}, "There is no policy 'sfj'; did you mean 'sjf'?"},
        {{.name = "sjf-eazy"}, "There is no policy 'sjf-eazy'; did you mean 'sjf-easy'?"},
        {{.name = "easy", .order = "wfp"}, "There is no order 'wfp'; did you mean 'wfp3'?"},
        {{.name = "easy", .place = "leftmost"},
         "There is no placement 'leftmost'; did you mean 'left-most'?"},
        {{.name = "quantum"},
         "There is no policy 'quantum'; `hsim policies list` shows what there is."},
        {{.name = "left-most"},
         "There is no policy 'left-most': 'left-most' is a placement. Write for instance {name: "
         "easy, place: left-most}."},
        {{.name = "sjf-easy-left-most"},
         "There is no policy 'sjf-easy-left-most': 'left-most' is a placement. Write for instance "
         "{name: easy, place: left-most}."},
        {{.name = "tunable", .order = "sjf"},
         "Policy 'tunable' is a whole policy and takes no order; leave `order` out, or name a "
         "reservation rule such as easy."},
        {{.name = "sjf", .order = "sjf"},
         "Policy 'sjf' already has an order; leave `order: sjf` out, or name only the reservation "
         "rule."},
    };
    char text[HS_ERROR_TEXT_MAX];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CU_ASSERT_STRING_EQUAL(compose(&cases[i].choice, text), cases[i].label);
    }
}

static void every_order_combines_with_every_rule(void)
{
    struct hs_registry *registry = new_registry();
    size_t combinations = 0;

    for (size_t o = 0; o < hs_registry_count(registry, HS_KIND_ORDER); o++) {
        for (size_t r = 0; r < hs_registry_count(registry, HS_KIND_RESERVE); r++) {
            struct hs_choice choice = {
                .name = hs_registry_info(registry, HS_KIND_RESERVE, r).name,
                .order = hs_registry_info(registry, HS_KIND_ORDER, o).name,
            };
            struct hs_stack *stack = NULL;
            struct hs_error error = {0};

            CU_ASSERT_EQUAL(hs_stack_create(registry, &choice, &stack, &error), HS_OK);
            hs_stack_destroy(stack);
            combinations++;
        }
    }
    CU_ASSERT_EQUAL(combinations, 18 * 10);
    hs_registry_destroy(registry);
}

static void parameters_are_checked(void)
{
    static const struct {
        const char *name;
        const char *value;
        const char *result; /* of the parameter as text, or a part of the error */
    } cases[] = {
        {"depth", "7", "7"},
        {"weight", "0.25", "0.25"},
        {"is_bold", "true", "true"},
        {"patience", "90", "90"},
        {"patience", "1.5h", "5400"},
        {"patience", "250ms", "0.25"},
        {"depth", "11", "Parameter 'depth' is '11'; it must be a whole number from 1 to 10 jobs."},
        {"depth", "3.5", "it must be a whole number"},
        {"depth", "", "it must be a whole number"},
        {"weight", "nan", "it must be a number from 0 to 1"},
        {"weight", "x", "it must be a number from 0 to 1"},
        {"is_bold", "yes", "Parameter 'is_bold' is 'yes'; it must be true or false."},
        {"patience", "3 parsecs", "a duration such as 90s, 15m, 2h or 1d"},
        {"dept", "3", "Policy 'tunable' has no parameter 'dept'; did you mean 'depth'?"},
        {"colour", "3", "has no parameter 'colour'"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hs_registry *registry = new_registry();
        struct hs_choice_param param = {cases[i].name, cases[i].value};
        struct hs_choice choice = {.name = "tunable", .params = &param, .param_count = 1};
        struct hs_stack *stack = NULL;
        struct hs_error error = {0};
        const struct hs_param *row;
        enum hs_kind kind;
        char text[64];
        bool is_found = false;

        if (hs_stack_create(registry, &choice, &stack, &error) != HS_OK) {
            CU_ASSERT_PTR_NOT_NULL(strstr(error.text, cases[i].result));
        } else {
            for (size_t p = 0; hs_stack_param(stack, p, &kind, &row, text, sizeof text); p++) {
                if (strcmp(row->name, cases[i].name) == 0) {
                    CU_ASSERT_STRING_EQUAL(text, cases[i].result);
                    is_found = true;
                }
            }
            CU_ASSERT_TRUE(is_found);
        }
        hs_stack_destroy(stack);
        hs_registry_destroy(registry);
    }
}

static void defaults_are_resolved(void)
{
    struct hs_registry *registry = new_registry();
    struct hs_choice choice = {.name = "tunable"};
    struct hs_stack *stack = NULL;
    struct hs_error error = {0};
    const struct hs_param *row;
    enum hs_kind kind;
    char text[64];

    CU_ASSERT_EQUAL_FATAL(hs_stack_create(registry, &choice, &stack, &error), HS_OK);
    CU_ASSERT_TRUE(hs_stack_param(stack, 3, &kind, &row, text, sizeof text));
    CU_ASSERT_STRING_EQUAL(row->name, "patience");
    CU_ASSERT_STRING_EQUAL(text, "900");
    CU_ASSERT_EQUAL(kind, HS_KIND_POLICY);
    CU_ASSERT_FALSE(hs_stack_param(stack, 4, &kind, &row, text, sizeof text));
    hs_stack_destroy(stack);
    hs_registry_destroy(registry);
}

/* A plug-in that was built against an older, shorter struct: what it lacks is zero. */
static void older_plugins_go_on_working(void)
{
    struct hs_order order = {
        .abi = HS_ABI,
        .size = (uint32_t)offsetof(struct hs_order, is_time_varying),
        .name = "old",
        .summary = "from an older header",
        .key = NULL,
        .is_time_varying = true, /* behind the end of the older struct: must not be read */
    };
    const struct hs_order *orders[] = {&order, NULL};
    struct hs_plugin plugin = {.abi = HS_ABI, .size = sizeof plugin, .orders = orders};
    struct hs_registry *registry = new_registry();
    struct hs_error error = {0};
    size_t count = hs_registry_count(registry, HS_KIND_ORDER);

    CU_ASSERT_EQUAL(hs_registry_add(registry, &plugin, "old.so", &error), HS_ERR_CONFIG);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "The order 'old' of old.so lacks its function"));
    order.key = hp_builtin.orders[0]->key;
    CU_ASSERT_EQUAL(hs_registry_add(registry, &plugin, "old.so", &error), HS_OK);
    CU_ASSERT_FALSE(hs_registry_info(registry, HS_KIND_ORDER, count).is_time_varying);
    CU_ASSERT_EQUAL(hs_registry_add(registry, &plugin, "old.so", &error), HS_ERR_CONFIG);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "the name is taken"));
    order.abi = HS_ABI + 1;
    order.name = "new";
    CU_ASSERT_EQUAL(hs_registry_add(registry, &plugin, "new.so", &error), HS_ERR_CONFIG);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "was built for plug-in interface 3"));
    plugin.abi = HS_ABI + 1;
    CU_ASSERT_EQUAL(hs_registry_add(registry, &plugin, "new.so", &error), HS_ERR_CONFIG);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "this program has 2"));
    hs_registry_destroy(registry);
}

/* The layout that plug-ins are built against. A change here breaks them: raise HS_ABI, or append.
 */
static void layout_is_pinned(void)
{
    CU_ASSERT_EQUAL(offsetof(struct hs_policy, name), 8);
    CU_ASSERT_EQUAL(offsetof(struct hs_policy, params), 24);
    CU_ASSERT_EQUAL(offsetof(struct hs_policy, state_size), 32);
    CU_ASSERT_EQUAL(offsetof(struct hs_policy, init), 40);
    CU_ASSERT_EQUAL(offsetof(struct hs_policy, fini), 48);
    CU_ASSERT_EQUAL(offsetof(struct hs_policy, notify), 56);
    CU_ASSERT_EQUAL(offsetof(struct hs_policy, schedule), 64);
    CU_ASSERT_EQUAL(offsetof(struct hs_policy, flags), 72);
    CU_ASSERT_EQUAL(offsetof(struct hs_reserve, schedule), 64);
    CU_ASSERT_EQUAL(offsetof(struct hs_reserve, flags), 72);
    CU_ASSERT_EQUAL(offsetof(struct hs_order, key), 40);
    CU_ASSERT_EQUAL(offsetof(struct hs_order, is_time_varying), 48);
    CU_ASSERT_EQUAL(offsetof(struct hs_place, score), 40);
    CU_ASSERT_EQUAL(offsetof(struct hs_place, device_score), 48);
    CU_ASSERT_EQUAL(offsetof(struct hs_place, flags), 72);
    CU_ASSERT_EQUAL(offsetof(struct hs_placement, rank), 24);
    CU_ASSERT_EQUAL(sizeof(struct hs_placement), 48);
    CU_ASSERT_EQUAL(sizeof(struct hs_device), 32);
    CU_ASSERT_EQUAL(sizeof(struct hs_node), 48);
    CU_ASSERT_EQUAL(offsetof(struct hs_plugin, places), 32);
    CU_ASSERT_EQUAL(offsetof(struct hs_plugin, predictors), 40);
    CU_ASSERT_EQUAL(offsetof(struct hs_predictor, init), 40);
    CU_ASSERT_EQUAL(offsetof(struct hs_predictor, predict), 56);
    CU_ASSERT_EQUAL(offsetof(struct hs_predictor, learn), 64);
    CU_ASSERT_EQUAL(offsetof(struct hs_predictor, flags), 72);
    CU_ASSERT_EQUAL(offsetof(struct hs_predict_question, draw), 32);
    CU_ASSERT_EQUAL(offsetof(struct hs_predict_question, user), 56);
    CU_ASSERT_EQUAL(sizeof(struct hs_predict_question), 88);
    CU_ASSERT_EQUAL(sizeof(struct hs_predict_run), 16);
    CU_ASSERT_EQUAL(offsetof(struct hs_job, key), 0);
    CU_ASSERT_EQUAL(offsetof(struct hs_job, walltime_ns), 16);
    CU_ASSERT_EQUAL(offsetof(struct hs_job, demand), 48);
    CU_ASSERT_EQUAL(offsetof(struct hs_job, alloc), 56);
    CU_ASSERT_EQUAL(offsetof(struct hs_job, units), 72);
    CU_ASSERT_EQUAL(offsetof(struct hs_job, job_class), 104);
    CU_ASSERT_EQUAL(offsetof(struct hs_job, done), 108);
    CU_ASSERT_EQUAL(sizeof(struct hs_job), 112);
    CU_ASSERT_EQUAL(sizeof(struct hs_demand), 96);
    CU_ASSERT_EQUAL(offsetof(struct hs_event, refusal), 40);
    CU_ASSERT_EQUAL(offsetof(struct hs_event, node), 48);
    CU_ASSERT_EQUAL(offsetof(struct hs_event, expected_end_ns), 56);
    CU_ASSERT_EQUAL(sizeof(struct hs_event), 64);
    CU_ASSERT_EQUAL(sizeof(struct hs_param), 80);
    CU_ASSERT_EQUAL(sizeof(struct hs_alloc_buffer), 56);
}

static const struct unit_test tests[] = {
    {"names combine", names_combine},
    {"every order combines with every rule", every_order_combines_with_every_rule},
    {"parameters are checked", parameters_are_checked},
    {"defaults are resolved", defaults_are_resolved},
    {"older plug-ins go on working", older_plugins_go_on_working},
    {"the layout is pinned", layout_is_pinned},
};

UNIT_MAIN("core: registry", tests)
