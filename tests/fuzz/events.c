/* SPDX-License-Identifier: GPL-3.0-or-later */
/* events.c - events in any order on the core, under built-in policies: the core accepts exactly
 * those that can be, as a list of jobs and of nodes that are away kept here says, and counts right.
 *
 * Times are small steps, or (by a bit of the first byte) anything that fits hs_time. */
#include "builtin.h"
#include "fuzz.h"
#include "hs/sched.h"

#define KEY_MAX 24u
#define NODES   5u
#define CORES   2

enum own_state { OWN_GONE, OWN_WAITING, OWN_STARTING, OWN_RUNNING };

struct own_job {
    struct hs_job_key key;
    int64_t cores_milli; /* of all tasks */
    enum own_state state;
};

struct world {
    struct fuzz_bytes bytes;
    struct hs_sched *sched;
    struct own_job jobs[KEY_MAX]; /* in slots of the id */
    bool is_away[NODES];
    hs_time now;
    hs_time time_max; /* waits fit 64 bits until then */
    bool has_any_time;
    bool has_memory;  /* cores do not tell what a demand takes */
    bool has_devices; /* likewise */
};

static const char *const stacks[] = {
    "fcfs",
    "easy",
    "conservative",
    "conservative-rebuilt",
    "depth",
    "first-fit",
    "easy-hosts",
    "easy-noextra",
    "sjf-easy",
    "wfp3-easy",
    "unicep-easy",
    "expansion-factor-depth",
    "random-easy",
    "lcfs-first-fit",
    "largest-easy-hosts",
    "unicef-conservative",
    "f1-conservative",
    "priority-easy",
    "saf-conservative-rebuilt",
    "wfp3-easy-hosts",
};
#define STACKS (sizeof stacks / sizeof stacks[0])
/* Bytes from here on choose this one, so that the corpora keep their meaning. */
#define MORE_FROM 0xd0u
static const char more_stack[] = "easy-sjbf";

/* Instead of them by the last values of the byte: a policy that preempts. */
#define LAS_FROM 0xe0u
static const struct hs_choice_param las_params[] = {{"threshold", "9"}, {"queues", "3"}};

/* While nodes have devices. */
static const char *const places[] = {"left-most", "best-fit", "worst-fit", "packing",
                                     "topology",  "random",   "affinity"};

static hs_time step(struct world *world)
{
    int64_t number = fuzz_number(&world->bytes);

    if (world->has_any_time) {
        return number;
    }
    return (number % 16) * HS_NS_PER_S;
}

/* now + step, as far as that can be told. */
static hs_time later(struct world *world)
{
    hs_time target;

    if (__builtin_add_overflow(world->now == INT64_MIN ? 0 : world->now, step(world), &target)) {
        return world->now;
    }
    return target;
}

static bool is_time(const struct world *world, hs_time time)
{
    return time >= world->now && time <= world->time_max;
}

static uint32_t count_away(const struct world *world)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < NODES; i++) {
        count += world->is_away[i];
    }
    return count;
}

static uint32_t count_state(const struct world *world, enum own_state state)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < KEY_MAX; i++) {
        count += world->jobs[i].state == state;
    }
    return count;
}

static void check_stats(const struct world *world)
{
    struct hs_sched_stats stats = hs_sched_stats(world->sched);
    int64_t running_milli = 0;
    int64_t held_milli = 0;

    FUZZ_CHECK(stats.pending_jobs == count_state(world, OWN_WAITING));
    FUZZ_CHECK(stats.starting_jobs == count_state(world, OWN_STARTING));
    FUZZ_CHECK(stats.running_jobs == count_state(world, OWN_RUNNING));
    for (uint32_t i = 0; i < KEY_MAX; i++) {
        const struct own_job *job = &world->jobs[i];

        running_milli += job->state == OWN_RUNNING ? job->cores_milli : 0;
        held_milli += job->state >= OWN_STARTING ? job->cores_milli : 0;
    }
    FUZZ_CHECK(held_milli <= (int64_t)NODES * CORES * 1000);
    FUZZ_CHECK(world->has_memory || world->has_devices || stats.alloc_milli == running_milli);
    FUZZ_CHECK(stats.away_nodes == count_away(world));
    FUZZ_CHECK(stats.alloc_milli <= stats.avail_milli);
    FUZZ_CHECK(stats.avail_milli >= (int64_t)(NODES - count_away(world)) * CORES * 1000);
    FUZZ_CHECK(stats.avail_milli <= (int64_t)NODES * CORES * 1000);
}

static const struct hs_demand narrow = {
    .tasks = 1, .cores_milli = 1000, .device_count = 1, .device_share = 1000};

static void fill_devices(struct world *world, struct hs_demand *demand)
{
    uint8_t form = fuzz_u8(&world->bytes);

    demand->device_count = form & 3u;
    demand->device_share = form & 4u ? 1000 : 100 + 300 * ((form >> 3) & 3u);
    demand->device_mem = form & 32u ? 3 : 0;
    demand->device_kind = HS_ANY_KIND;
    demand->flags |= form & 64u ? HS_DEMAND_SAME_ISLAND : 0;
    if (form & 128u) {
        demand->alternatives = &narrow;
        demand->alternative_count = 1;
    }
}

static void fill_spec(struct world *world, struct hs_job_spec *spec, uint32_t id, hs_time time)
{
    uint8_t shape = fuzz_u8(&world->bytes);
    uint8_t more = fuzz_u8(&world->bytes);

    *spec = (struct hs_job_spec){
        .key = {id, time},
        .walltime_ns =
            world->has_any_time ? fuzz_number(&world->bytes) : HS_NS_PER_S * (1 + (more >> 2)),
        .priority = more,
        .demand = {.tasks = 1 + (shape & 7u), .cores_milli = 1000},
    };
    if (shape & 8u) {
        spec->demand.cores_milli = 500;
    }
    if (world->has_memory) {
        spec->demand.mem_bytes = (shape >> 4) & 3;
        spec->demand.flags = shape >> 6;
    }
    if (world->has_devices) {
        fill_devices(world, &spec->demand);
    }
    if ((more & 3u) == 3u) {
        spec->walltime_ns = HS_TIME_NEVER;
    }
    if (shape == 0xf7) { /* what no job can have */
        spec->demand.tasks = more & 1u;
        spec->demand.cores_milli = fuzz_number(&world->bytes);
        spec->demand.mem_bytes = fuzz_number(&world->bytes);
        spec->demand.flags = fuzz_u8(&world->bytes);
        spec->demand.device_count = fuzz_u8(&world->bytes) & 1u;
    }
    if (world->has_any_time && more & 128u) {
        spec->key.submit_ns = fuzz_number(&world->bytes);
    }
}

static void submit(struct world *world, uint32_t id)
{
    struct own_job *job = &world->jobs[id];
    hs_time time = later(world);
    struct hs_error error = {0};
    struct hs_job_spec spec;
    struct hs_event event = {.kind = HS_EVENT_SUBMITTED, .spec = &spec};
    bool is_twice;
    hs_time waited;
    enum hs_err err;

    fill_spec(world, &spec, id, time);
    is_twice = job->state != OWN_GONE && job->key.submit_ns == spec.key.submit_ns;
    if (job->state != OWN_GONE && !is_twice) {
        return; /* our list has one slot an id */
    }
    err = hs_sched_event(world->sched, time, &event, &error);
    if (err != HS_OK) {
        fuzz_check_error(err, &error);
        FUZZ_CHECK(err == HS_ERR_STATE || err == HS_ERR_CONFIG);
        if (is_time(world, time) && is_twice) {
            world->now = time;
        } else if (is_time(world, time)) {
            world->now = time;
            FUZZ_CHECK(spec.demand.cores_milli != 1000 || spec.walltime_ns <= 0 ||
                       spec.demand.tasks == 0 ||
                       __builtin_sub_overflow(time, spec.key.submit_ns, &waited));
        }
        return;
    }
    FUZZ_CHECK(is_time(world, time) && !is_twice);
    world->now = time;
    FUZZ_CHECK(!event.job != !event.refusal);
    if (event.job) {
        if (spec.key.submit_ns < 0 && spec.key.submit_ns + INT64_MAX < world->time_max) {
            world->time_max = spec.key.submit_ns + INT64_MAX;
        }
        job->key = spec.key;
        job->cores_milli =
            spec.demand.alternative_count ? 0 : spec.demand.cores_milli * spec.demand.tasks;
        job->state = OWN_WAITING;
    }
}

static void change(struct world *world, enum hs_event_kind kind, uint32_t id, bool is_other)
{
    static const enum own_state next[] = {
        [HS_EVENT_STARTED] = OWN_RUNNING,
        [HS_EVENT_START_FAILED] = OWN_WAITING,
        [HS_EVENT_FINISHED] = OWN_GONE,
        [HS_EVENT_CANCELLED] = OWN_GONE,
    };
    struct own_job *job = &world->jobs[id];
    hs_time time = later(world);
    struct hs_event event = {.kind = kind, .key = job->key};
    struct hs_error error = {0};
    bool can_be = is_time(world, time) && job->state != OWN_GONE && !is_other;
    enum hs_err err;

    event.key.id += is_other ? (int64_t)KEY_MAX : 0;
    switch (kind) {
    case HS_EVENT_STARTED:
    case HS_EVENT_START_FAILED:
        can_be = can_be && job->state == OWN_STARTING;
        break;
    case HS_EVENT_FINISHED:
        can_be = can_be && job->state == OWN_RUNNING;
        break;
    default:
        break;
    }
    err = hs_sched_event(world->sched, time, &event, &error);
    FUZZ_CHECK(err == (can_be ? HS_OK : HS_ERR_STATE));
    if (err == HS_OK) {
        job->state = next[kind];
    } else {
        fuzz_check_error(err, &error);
    }
    world->now = is_time(world, time) ? time : world->now;
}

/* A node leaves or comes back; or an event that cannot be. */
static void change_node(struct world *world)
{
    uint8_t choice = fuzz_u8(&world->bytes);
    uint32_t node = choice % (NODES + 1);
    bool is_available = choice & 128u;
    hs_time time = later(world);
    struct hs_event event = {.kind = HS_EVENT_NODE, .node = node, .is_available = is_available};
    struct hs_error error = {0};
    bool can_be = is_time(world, time) && node < NODES && world->is_away[node] == is_available;
    enum hs_err err = hs_sched_event(world->sched, time, &event, &error);

    FUZZ_CHECK(err == (can_be ? HS_OK : HS_ERR_STATE));
    if (err == HS_OK) {
        world->is_away[node] = !is_available;
    } else {
        fuzz_check_error(err, &error);
    }
    world->now = is_time(world, time) ? time : world->now;
}

/* The host says when a running job will end. */
static void expect(struct world *world, uint32_t id)
{
    struct own_job *job = &world->jobs[id];
    hs_time time = later(world);
    struct hs_event event = {.kind = HS_EVENT_EXPECTED, .key = job->key};
    struct hs_error error = {0};
    enum hs_err err;
    bool can_be;

    if (__builtin_add_overflow(time, step(world), &event.expected_end_ns)) {
        event.expected_end_ns = HS_TIME_NEVER;
    }
    can_be = is_time(world, time) && job->state == OWN_RUNNING && event.expected_end_ns >= time;
    err = hs_sched_event(world->sched, time, &event, &error);
    FUZZ_CHECK(err == (can_be ? HS_OK : HS_ERR_STATE));
    if (err == HS_OK) {
        FUZZ_CHECK(event.job && event.job->expected_end_ns == event.expected_end_ns);
    } else {
        fuzz_check_error(err, &error);
    }
    world->now = is_time(world, time) ? time : world->now;
}

/* False: the core has stopped, as it may after very many passes at one instant. */
static bool decide(struct world *world, hs_time time)
{
    bool is_idle = !count_state(world, OWN_STARTING) && !count_state(world, OWN_RUNNING);
    uint32_t waiting = count_state(world, OWN_WAITING);
    const struct hs_decision *decisions;
    struct hs_error error = {0};
    size_t count;
    enum hs_err err = hs_sched_decide(world->sched, time, &decisions, &count, &error);

    if (time != world->now) {
        FUZZ_CHECK(err == HS_ERR_STATE);
        return true;
    }
    if (err != HS_OK) {
        FUZZ_CHECK(err == HS_ERR_POLICY && strstr(error.text, " passes"));
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        struct own_job *job = &world->jobs[decisions[i].key.id % KEY_MAX];

        if (decisions[i].kind == HS_DECISION_START) {
            FUZZ_CHECK(job->state == OWN_WAITING);
            FUZZ_CHECK(job->key.submit_ns == decisions[i].key.submit_ns);
            FUZZ_CHECK(hs_sched_find(world->sched, job->key) == decisions[i].job);
            job->state = OWN_STARTING;
        } else if (decisions[i].kind == HS_DECISION_PREEMPT) {
            FUZZ_CHECK(job->state == OWN_RUNNING && decisions[i].alloc->span_count > 0);
            FUZZ_CHECK(hs_sched_find(world->sched, job->key) == decisions[i].job);
            job->state = OWN_WAITING;
        } else {
            FUZZ_CHECK(decisions[i].kind == HS_DECISION_WAKE && decisions[i].time_ns > time);
        }
    }
    /* On an empty machine every rule starts somebody. */
    FUZZ_CHECK(!is_idle || count_away(world) || !waiting || count_state(world, OWN_STARTING));
    return true;
}

static void play(struct world *world)
{
    bool is_alive = true;
    struct hs_error error = {0};

    while (is_alive && fuzz_left(&world->bytes)) {
        uint8_t choice = fuzz_u8(&world->bytes);
        uint32_t id = (choice >> 3) % KEY_MAX;
        struct hs_event timer = {.kind = HS_EVENT_TIMER};
        hs_time time;

        switch (choice & 7u) {
        case 0:
        case 1:
            submit(world, id);
            break;
        case 2:
            change(world, HS_EVENT_STARTED, id, false);
            break;
        case 3:
            change(world, HS_EVENT_FINISHED, id, false);
            break;
        case 4:
            if (id == 22) {
                change_node(world);
                break;
            }
            change(world, id & 1u ? HS_EVENT_CANCELLED : HS_EVENT_START_FAILED, id, id == 23);
            break;
        case 5:
            if (id & 1u) {
                expect(world, id >> 1);
                break;
            }
            time = later(world);
            FUZZ_CHECK((hs_sched_event(world->sched, time, &timer, &error) == HS_OK) ==
                       is_time(world, time));
            world->now = is_time(world, time) ? time : world->now;
            break;
        default:
            is_alive = decide(world, choice == 0xff ? world->now / 2 - 1 : world->now);
        }
        check_stats(world);
        if (!count_state(world, OWN_WAITING)) {
            FUZZ_CHECK(hs_sched_check_stall(world->sched, &error) == HS_OK);
        }
    }
}

static struct hs_cluster *build_cluster(bool has_devices)
{
    struct hs_cluster *cluster = hs_cluster_create();

    FUZZ_CHECK(cluster);
    for (uint32_t i = 0; i < NODES; i++) {
        char name[16];

        (void)snprintf(name, sizeof name, "n%u", (unsigned)i);
        FUZZ_CHECK(hs_cluster_add_node(cluster, name, CORES * 1000, 4, NULL) == HS_OK);
        for (uint32_t d = 0; has_devices && d < i; d++) {
            FUZZ_CHECK(hs_cluster_add_device(cluster, "gpu", "model", d / 2, 4, NULL) == HS_OK);
        }
    }
    FUZZ_CHECK(hs_cluster_seal(cluster, NULL) == HS_OK);
    return cluster;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct world world = {
        .bytes = fuzz_begin(data, size), .now = INT64_MIN, .time_max = HS_TIME_NEVER - 1};
    struct hs_registry *registry = hs_registry_create();
    uint8_t flags = fuzz_u8(&world.bytes);
    uint8_t stack = fuzz_u8(&world.bytes);
    struct hs_choice choice = {
        .name = stack == UINT8_MAX  ? "recorded"
                : stack < MORE_FROM ? stacks[stack % STACKS]
                                    : more_stack,
        .place = flags & 128u ? places[(flags >> 3) % (sizeof places / sizeof places[0])] : NULL,
    };
    struct hs_sched_options options = {.seed = 1, .restart_ns = stack & 1u ? HS_NS_PER_S : 0};
    struct hs_cluster *cluster = build_cluster(flags & 128u);
    struct hs_error error = {0};

    FUZZ_CHECK(registry);
    if (stack >= LAS_FROM && stack != UINT8_MAX) {
        choice.name = "las";
        choice.params = las_params;
        choice.param_count = 2;
    }
    for (uint32_t i = 0; i < KEY_MAX; i++) {
        world.jobs[i].key.id = i;
    }
    world.has_any_time = flags & 1u;
    world.has_memory = flags & 2u;
    world.has_devices = flags & 128u;
    FUZZ_CHECK(hs_registry_add(registry, &hp_builtin, "built-in", &error) == HS_OK);
    FUZZ_CHECK(hs_stack_create(registry, &choice, &options.stack, &error) == HS_OK);
    options.cluster = cluster;
    FUZZ_CHECK(hs_sched_create(&options, &world.sched, &error) == HS_OK);
    play(&world);
    hs_sched_destroy(world.sched);
    hs_stack_destroy(options.stack);
    hs_registry_destroy(registry);
    hs_cluster_destroy(cluster);
    return 0;
}
