/* SPDX-License-Identifier: GPL-3.0-or-later */
/* devices.c - placement on random clusters with devices, against the plain arrays of vector.h.
 *
 * Jobs come and go by random; every placement of the registry, with every local strategy and tie
 * rule, runs on a state that is tracked and on one that is not. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "builtin.h"
#include "peek.h"
#include "unit.h"
#include "vector.h"

#define HELD_MAX 48u
#define DEMANDS  10u
#define MIX      6u

/* A job that holds something. */
struct held {
    struct hs_demand demand;
    struct hs_demand alternatives[VECTOR_ALTERNATIVES_MAX];
    struct vector_alloc alloc;
    struct hs_alloc core; /* its arrays are owned */
    struct hs_span spans[VECTOR_NODES_MAX];
    struct hs_device_share given[VECTOR_GIVEN_MAX];
};

struct scene {
    struct model_random random;
    struct vector_cluster cluster;
    struct vector_state state;
    struct hs_demand demands[DEMANDS];
    struct hs_demand alternatives[DEMANDS][VECTOR_ALTERNATIVES_MAX];
    struct held held[HELD_MAX];
    uint32_t held_count;
    struct hs_cluster *core;
    struct peek peek;
    struct hs_mix mix;
    double weights[MIX];
    struct hs_placement placement;
    struct hs_free *plain;
    struct hs_free *tracked;
    struct hs_free *follower; /* tracked too; follows `tracked` now and then */
    struct hs_alloc_buffer buffer;
    struct hs_alloc_buffer other;
    const char *what; /* has gone wrong */
};

/* All free. */
static void scene_states(struct scene *scene)
{
    hs_free_destroy(scene->plain);
    hs_free_destroy(scene->tracked);
    hs_free_destroy(scene->follower);
    scene->plain = hs_free_create(scene->core);
    scene->tracked = hs_free_create(scene->core);
    scene->follower = hs_free_create(scene->core);
    CU_ASSERT_FATAL(scene->plain && scene->tracked && scene->follower);
    CU_ASSERT_TRUE(hs_free_track(scene->tracked, &scene->placement));
    CU_ASSERT_TRUE(hs_free_track(scene->follower, &scene->placement));
}

static struct scene *scene_open(uint64_t seed, const char *place, const char *local,
                                const char *tie)
{
    struct scene *scene = calloc(1, sizeof(*scene));
    bool is_small;

    CU_ASSERT_PTR_NOT_NULL_FATAL(scene);
    scene->random.state = seed;
    is_small = model_chance(&scene->random, 60);
    vector_draw_cluster(&scene->cluster, &scene->random,
                        model_between(&scene->random, 1, is_small ? 6 : 60));
    scene->core = vector_build(&scene->cluster);
    for (uint32_t i = 0; i < DEMANDS; i++) {
        vector_draw_demand(&scene->cluster, &scene->random, &scene->demands[i],
                           scene->alternatives[i]);
    }
    for (uint32_t i = 0; i < MIX; i++) {
        scene->weights[i] = 1.0 / MIX;
    }
    scene->mix =
        (struct hs_mix){.demands = scene->demands, .weights = scene->weights, .count = MIX};
    peek_open(&scene->peek, scene->core, place, local, tie, &scene->mix);
    scene->placement = scene->peek.placement;
    vector_open(&scene->cluster, &scene->state);
    scene_states(scene);
    return scene;
}

static void scene_close(struct scene *scene)
{
    hs_free_destroy(scene->plain);
    hs_free_destroy(scene->tracked);
    hs_free_destroy(scene->follower);
    hs_alloc_buffer_fini(&scene->buffer);
    hs_alloc_buffer_fini(&scene->other);
    peek_close(&scene->peek);
    hs_cluster_destroy(scene->core);
    free(scene);
}

static bool goes_wrong(struct scene *scene, const char *what)
{
    if (!scene->what) {
        scene->what = what;
    }
    return false;
}

/* The state says of every node and device what the arrays say. */
static bool agrees(struct scene *scene, const struct hs_free *state)
{
    for (uint32_t i = 0; i < scene->cluster.node_count; i++) {
        bool is_whole = scene->state.is_whole[i] || scene->state.is_away[i];
        const struct vector_node *node = &scene->cluster.nodes[i];
        uint32_t shares = 0;
        uint32_t whole = 0;

        if (hs_free_cores_milli(state, i) != (is_whole ? 0 : scene->state.cores_milli[i]) ||
            hs_free_mem_bytes(state, i) != (is_whole ? 0 : scene->state.mem_bytes[i]) ||
            hs_free_node_jobs(state, i) != scene->state.jobs[i] ||
            hs_free_is_available(state, i) == scene->state.is_away[i]) {
            return goes_wrong(scene, "free cores, memory or jobs of a node");
        }
        for (uint32_t d = node->first_device; d < node->first_device + node->device_count; d++) {
            uint32_t share = is_whole ? 0 : scene->state.shares[d];

            shares += share;
            whole += share == HS_SHARES_PER_UNIT;
            if (hs_free_device_share(state, d) != share ||
                hs_free_device_mem(state, d) != (is_whole ? 0 : scene->state.device_mem[d])) {
                return goes_wrong(scene, "free shares or memory of a device");
            }
        }
        if (hs_free_node_shares(state, i) != shares || hs_free_node_devices(state, i) != whole) {
            return goes_wrong(scene, "sums over the devices of a node");
        }
    }
    return true;
}

static bool same_alloc(const struct scene *scene, const struct hs_alloc *left,
                       const struct hs_alloc *right)
{
    struct vector_alloc a;
    struct vector_alloc b;

    return vector_read(&scene->cluster, left, &a) && vector_read(&scene->cluster, right, &b) &&
           vector_is_equal(&scene->cluster, &a, &b);
}

/* Room on each node and in all, against the arrays. */
static bool check_room(struct scene *scene, const struct hs_demand *demand)
{
    bool fits = vector_fits(&scene->cluster, &scene->state, demand);

    for (uint32_t i = 0; i < scene->cluster.node_count; i++) {
        if (hs_free_node_tasks(scene->plain, i, demand) !=
            vector_node_tasks(&scene->cluster, &scene->state, i, demand)) {
            return goes_wrong(scene, "tasks that a node takes");
        }
    }
    if (hs_free_fits(scene->plain, demand) != fits ||
        hs_free_fits(scene->tracked, demand) != fits) {
        return goes_wrong(scene, "whether it fits");
    }
    return true;
}

/* The way of vector.h that the placement stands for, or VECTOR_WAY_COUNT. */
static enum vector_way way_of(const char *place, const char *local, const char *tie)
{
    if (strcmp(local, "tight") != 0 || strcmp(tie, "index") != 0) {
        return VECTOR_WAY_COUNT;
    }
    return strcmp(place, "left-most") == 0   ? VECTOR_LEFT_MOST
           : strcmp(place, "best-fit") == 0  ? VECTOR_BEST_FIT
           : strcmp(place, "worst-fit") == 0 ? VECTOR_WORST_FIT
                                             : VECTOR_WAY_COUNT;
}

/* Places the demand in all ways; the answer, if there is one, lies in scene->buffer and *alloc. */
static bool check_place(struct scene *scene, const struct hs_demand *demand, enum vector_way way,
                        struct vector_alloc *alloc, bool *is_placed)
{
    struct vector_alloc expected;
    const char *why;
    char reason[160];

    *is_placed = hs_free_place(scene->plain, demand, &scene->placement, &scene->buffer);
    if (*is_placed != vector_fits(&scene->cluster, &scene->state, demand) ||
        *is_placed != hs_free_place(scene->tracked, demand, &scene->placement, &scene->other)) {
        return goes_wrong(scene, "whether there is a place");
    }
    if (!*is_placed) {
        return true;
    }
    if (!same_alloc(scene, &scene->buffer.alloc, &scene->other.alloc)) {
        return goes_wrong(scene, "a tracked state places otherwise");
    }
    if (!vector_read(&scene->cluster, &scene->buffer.alloc, alloc) ||
        !vector_holds(&scene->cluster, &scene->state, demand, alloc, &why)) {
        return goes_wrong(scene, "an allocation that does not serve");
    }
    if (!hs_free_holds(scene->tracked, demand, &scene->buffer.alloc, reason, sizeof(reason))) {
        return goes_wrong(scene, "an allocation that does not hold");
    }
    if (way != VECTOR_WAY_COUNT &&
        (!vector_place(&scene->cluster, &scene->state, demand, way, &expected) ||
         !vector_is_equal(&scene->cluster, alloc, &expected))) {
        return goes_wrong(scene, "another place than by the words of the headers");
    }
    return true;
}

static void take(struct scene *scene, const struct hs_demand *demand,
                 const struct vector_alloc *alloc)
{
    struct held *held = &scene->held[scene->held_count++];
    const struct hs_alloc *core = &scene->buffer.alloc;

    held->demand = *demand;
    held->alloc = *alloc;
    for (uint32_t a = 0; a < demand->alternative_count; a++) {
        held->alternatives[a] = demand->alternatives[a];
        held->demand.alternatives = held->alternatives;
    }
    held->core = *core;
    memcpy(held->spans, core->spans, core->span_count * sizeof(held->spans[0]));
    if (core->device_count > 0) {
        memcpy(held->given, core->devices, core->device_count * sizeof(held->given[0]));
    }
    held->core.spans = held->spans;
    held->core.devices = held->given;
    hs_free_take(scene->plain, &held->demand, &held->core);
    hs_free_take(scene->tracked, &held->demand, &held->core);
    vector_take(&scene->cluster, &scene->state, &held->demand, &held->alloc);
}

static void release(struct scene *scene, uint32_t index)
{
    struct held *held = &scene->held[index];
    struct held *last = &scene->held[--scene->held_count];

    hs_free_release(scene->plain, &held->demand, &held->core);
    hs_free_release(scene->tracked, &held->demand, &held->core);
    vector_release(&scene->cluster, &scene->state, &held->demand, &held->alloc);
    *held = *last;
    held->demand.alternatives = held->demand.alternative_count ? held->alternatives : NULL;
    held->core.spans = held->spans;
    held->core.devices = held->given;
}

/* The follower goes its own way for some steps, then follows: it must be equal and place equally.
 */
static bool check_follower(struct scene *scene, const struct hs_demand *demand)
{
    bool is_placed;

    for (uint32_t i = model_below(&scene->random, 4); i > 0 && scene->held_count > 0; i--) {
        const struct held *held = &scene->held[model_below(&scene->random, scene->held_count)];

        /* Give back what one job holds; follow makes it undone. */
        hs_free_follow(scene->follower, scene->tracked);
        hs_free_release(scene->follower, &held->demand, &held->core);
        (void)hs_free_fits(scene->follower, demand);
        if (model_chance(&scene->random, 30)) {
            hs_free_copy_node(scene->follower, scene->tracked,
                              model_below(&scene->random, scene->cluster.node_count));
        }
        if (hs_free_place(scene->follower, demand, &scene->placement, &scene->other)) {
            hs_free_take(scene->follower, demand, &scene->other.alloc);
        }
    }
    hs_free_follow(scene->follower, scene->tracked);
    if (!agrees(scene, scene->follower)) {
        return goes_wrong(scene, "a state that has followed another");
    }
    is_placed = hs_free_place(scene->follower, demand, &scene->placement, &scene->other);
    if (is_placed != hs_free_place(scene->plain, demand, &scene->placement, &scene->buffer) ||
        (is_placed && !same_alloc(scene, &scene->other.alloc, &scene->buffer.alloc))) {
        return goes_wrong(scene, "a state that has followed another places otherwise");
    }
    return true;
}

/* A node leaves or comes back. */
static void change_node(struct scene *scene, uint32_t node)
{
    bool is_away = scene->state.is_away[node];

    hs_free_set_available(scene->plain, node, is_away);
    hs_free_set_available(scene->tracked, node, is_away);
    scene->state.is_away[node] = !is_away;
}

static bool play(struct scene *scene, enum vector_way way, uint32_t steps)
{
    for (uint32_t step = 0; step < steps; step++) {
        const struct hs_demand *demand = &scene->demands[model_below(&scene->random, DEMANDS)];
        struct vector_alloc alloc;
        bool is_placed = false;

        if (model_chance(&scene->random, 10)) {
            change_node(scene, model_below(&scene->random, scene->cluster.node_count));
        }
        if (scene->held_count == HELD_MAX ||
            (scene->held_count > 0 && model_chance(&scene->random, 35))) {
            release(scene, model_below(&scene->random, scene->held_count));
            continue;
        }
        if (!check_room(scene, demand) || !check_place(scene, demand, way, &alloc, &is_placed)) {
            return false;
        }
        if (is_placed) {
            take(scene, demand, &alloc);
        }
        if (model_chance(&scene->random, 20) &&
            (!agrees(scene, scene->plain) || !agrees(scene, scene->tracked) ||
             !check_follower(scene, demand))) {
            return false;
        }
    }
    while (scene->held_count > 0) {
        release(scene, scene->held_count - 1);
    }
    if (!agrees(scene, scene->tracked)) {
        return false;
    }
    for (uint32_t node = 0; node < scene->cluster.node_count; node++) {
        if (scene->state.is_away[node]) {
            change_node(scene, node);
        }
    }
    return agrees(scene, scene->tracked) && agrees(scene, scene->plain);
}

static bool check_scene(uint64_t seed, const char *place, const char *local, const char *tie)
{
    struct scene *scene = scene_open(seed, place, local, tie);
    bool is_good = play(scene, way_of(place, local, tie), 60);

    if (!is_good) {
        (void)fprintf(stderr, "\nseed %" PRIu64 ", %s, %s, %s: %s\n", seed, place, local, tie,
                      scene->what);
    }
    scene_close(scene);
    return is_good;
}

static void placements_agree(void)
{
    uint64_t seed = 100;
    bool is_good = true;

    for (size_t p = 0; hp_builtin.places[p]; p++) {
        for (const char *const *local = hs_stack_locals(); *local; local++) {
            for (const char *const *tie = hs_stack_ties(); *tie; tie++) {
                for (uint32_t i = 0; i < 10 && is_good; i++) {
                    is_good = check_scene(seed++, hp_builtin.places[p]->name, *local, *tie);
                }
            }
        }
    }
    CU_ASSERT_TRUE(is_good);
}

static void places_as_the_headers_say(void)
{
    static const char *const places[] = {"left-most", "best-fit", "worst-fit"};
    bool is_good = true;

    for (uint32_t i = 0; i < 450 && is_good; i++) {
        is_good = check_scene(200000 + i, places[i % 3], "tight", "index");
    }
    CU_ASSERT_TRUE(is_good);
}

static double odd_score(const void *self, const struct hs_free *state, uint32_t node,
                        const struct hs_demand *demand)
{
    (void)self;
    if (node % 5 == 4) {
        return NAN;
    }
    return (double)((hs_free_cores_milli(state, node) + node * demand->alternative_count) % 3000);
}

/* Whatever a placement from outside the tree says: with or without a score, all flags. */
static void odd_placements_agree(void)
{
    bool is_good = true;

    for (uint32_t i = 0; i < 160 && is_good; i++) {
        struct scene *scene = scene_open(400000 + i, NULL, NULL, i % 3 ? NULL : "random");

        scene->placement.flags = i % 8;
        scene->placement.score = i % 16 < 8 ? odd_score : NULL;
        scene->placement.draw = i;
        scene_states(scene);
        is_good = play(scene, VECTOR_WAY_COUNT, 60);
        if (!is_good) {
            (void)fprintf(stderr, "\nodd placement %" PRIu32 ": %s\n", i, scene->what);
        }
        scene_close(scene);
    }
    CU_ASSERT_TRUE(is_good);
}

/* One random change of a sound allocation. */
static void corrupt(struct scene *scene, struct held *held)
{
    struct hs_alloc *core = &held->core;
    uint32_t span = model_below(&scene->random, core->span_count);
    uint32_t device = core->device_count ? model_below(&scene->random, core->device_count) : 0;
    uint32_t choice = model_below(&scene->random, core->device_count ? 16 : 8);
    const struct vector_node *other;

    switch (choice) {
    case 0:
        held->spans[span].tasks += model_chance(&scene->random, 50) ? 1 : UINT32_MAX;
        break;
    case 1:
        held->spans[span].first_node += model_between(&scene->random, 1, 2);
        break;
    case 2:
        held->spans[span].node_count += model_chance(&scene->random, 50) ? 1 : UINT32_MAX;
        break;
    case 3:
        core->is_exclusive = !core->is_exclusive;
        break;
    case 4:
        core->alternative = model_below(&scene->random, 4);
        break;
    case 5:
        core->span_count--;
        break;
    case 6:
        held->spans[span].first_node = model_below(&scene->random, 70);
        break;
    case 7:
        held->demand.tasks++;
        break;
    case 8:
        held->given[device].device += model_chance(&scene->random, 50) ? 1 : UINT32_MAX;
        break;
    case 9:
        held->given[device].share += model_chance(&scene->random, 50) ? 1 : UINT32_MAX;
        break;
    case 10:
        core->device_count--;
        break;
    case 11:
        held->given[device] = held->given[model_below(&scene->random, core->device_count)];
        break;
    case 12:
        held->given[device].device = model_below(&scene->random, scene->cluster.device_count + 2);
        break;
    default: /* another one of the same node */
        other = &scene->cluster.nodes[scene->cluster.devices[held->given[device].device].node];
        held->given[device].device =
            other->first_device + model_below(&scene->random, other->device_count);
        break;
    }
}

/* The core finds an allocation good exactly if the arrays do. */
static void corrupted_allocations_are_refused(void)
{
    uint32_t refused = 0;
    uint32_t differing = 0;

    for (uint64_t seed = 0; seed < 400; seed++) {
        struct scene *scene = scene_open(300000 + seed, "left-most", "tight", "index");
        struct held *held = &scene->held[HELD_MAX - 1];

        for (uint32_t i = 0; i < 60; i++) {
            const struct hs_demand *demand = &scene->demands[i % DEMANDS];
            struct vector_alloc alloc;
            const char *why;
            bool is_good;

            if (!hs_free_place(scene->plain, demand, NULL, &scene->buffer)) {
                continue;
            }
            CU_ASSERT_TRUE(vector_read(&scene->cluster, &scene->buffer.alloc, &alloc));
            scene->held_count = HELD_MAX - 1;
            take(scene, demand, &alloc);
            release(scene, HELD_MAX - 1);
            scene->held_count = 0;
            corrupt(scene, held);
            is_good = vector_read(&scene->cluster, &held->core, &alloc) &&
                      vector_holds(&scene->cluster, &scene->state, &held->demand, &alloc, &why);
            differing +=
                hs_free_holds(scene->plain, &held->demand, &held->core, NULL, 0) != is_good;
            refused += !is_good;
            if (model_chance(&scene->random, 30)) { /* goes on with less room; never given back */
                CU_ASSERT_TRUE(vector_read(&scene->cluster, &scene->buffer.alloc, &alloc));
                hs_free_take(scene->plain, demand, &scene->buffer.alloc);
                vector_take(&scene->cluster, &scene->state, demand, &alloc);
            }
        }
        scene_close(scene);
    }
    CU_ASSERT_EQUAL(differing, 0);
    CU_ASSERT(refused > 5000);
}

static const struct unit_test tests[] = {
    {"tracked, followed and plain states agree under every placement", placements_agree},
    {"placement is what the headers say", places_as_the_headers_say},
    {"placements from outside agree, too", odd_placements_agree},
    {"corrupted allocations are refused", corrupted_allocations_are_refused},
};

UNIT_MAIN("core: devices", tests)
