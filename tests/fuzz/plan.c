/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan.c - a policy that decides whatever the bytes say: any job, any nodes, rejections, undone
 * plans, broken rules. Either the core stops it with a sentence, or the decisions agree with books
 * that are kept here with nothing but additions.
 *
 * The bytes reach the policy through a parameter that holds the address of the world. */
#include "builtin.h"
#include "fuzz.h"
#include "hs/sched.h"

#define NODE_MAX  6u
#define JOB_MAX   48u
#define SPAN_MAX  8u
#define GIVEN_MAX 32u /* devices of a job */
#define SEEN_MAX  12u

#define RESTART_NS 3

enum own_state { OWN_GONE, OWN_WAITING, OWN_STARTING, OWN_RUNNING };

struct own_job {
    struct hs_job_spec spec;
    enum own_state state;
    struct hs_span spans[NODE_MAX];
    uint32_t span_count;
    struct hs_device_share given[GIVEN_MAX];
    uint32_t given_count;
    hs_time start_ns;
    hs_time work_ns; /* of its walltime, what is left */
    bool has_run;
};

struct world {
    struct fuzz_bytes bytes;
    struct hs_cluster *cluster;
    struct hs_sched *sched;
    struct own_job jobs[JOB_MAX];
    uint32_t job_count;
    hs_time now;
    bool has_devices;
    bool has_restarts;         /* that take time */
    const struct hs_job *kept; /* by the policy, against the rules beyond the job's end */
};

struct any {
    int64_t world;
};

/* Cores that our books say are taken on a node. */
static int64_t taken(const struct world *world, uint32_t node, int64_t capacity, uint32_t *jobs)
{
    int64_t sum = 0;

    *jobs = 0;
    for (uint32_t i = 0; i < world->job_count; i++) {
        const struct own_job *job = &world->jobs[i];

        for (uint32_t s = 0; job->state >= OWN_STARTING && s < job->span_count; s++) {
            const struct hs_span *span = &job->spans[s];

            if (node >= span->first_node && node - span->first_node < span->node_count) {
                bool is_whole = job->spec.demand.flags & HS_DEMAND_EXCLUSIVE;

                sum += is_whole ? capacity : job->spec.demand.cores_milli * span->tasks;
                *jobs += 1;
            }
        }
    }
    return sum;
}

static void check_devices(const struct world *world, const struct hs_free *state)
{
    for (uint32_t d = 0; d < hs_cluster_device_count(world->cluster); d++) {
        const struct hs_device *device = hs_cluster_device(world->cluster, d);
        int64_t share = HS_SHARES_PER_UNIT;
        int64_t mem = device->mem_bytes;
        bool is_whole = false;

        for (uint32_t i = 0; i < world->job_count; i++) {
            const struct own_job *job = &world->jobs[i];

            for (uint32_t g = 0; job->state >= OWN_STARTING && g < job->given_count; g++) {
                if (job->given[g].device == d) {
                    share -= job->given[g].share;
                    mem -= mem == HS_MEM_UNLIMITED ? 0 : job->spec.demand.device_mem;
                }
            }
            for (uint32_t s = 0; job->state >= OWN_STARTING && s < job->span_count; s++) {
                is_whole |= (job->spec.demand.flags & HS_DEMAND_EXCLUSIVE) &&
                            device->node - job->spans[s].first_node < job->spans[s].node_count;
            }
        }
        FUZZ_CHECK(share >= 0 && mem >= 0);
        if (state) {
            FUZZ_CHECK(hs_free_device_share(state, d) == (is_whole ? 0 : share));
            FUZZ_CHECK(hs_free_device_mem(state, d) == (is_whole ? 0 : mem));
        }
    }
}

static void check_books(const struct world *world, const struct hs_free *state)
{
    int64_t total = 0;

    check_devices(world, state);

    for (uint32_t i = 0; i < hs_cluster_node_count(world->cluster); i++) {
        int64_t capacity = hs_cluster_node(world->cluster, i)->cores_milli;
        uint32_t jobs;
        int64_t rest = capacity - taken(world, i, capacity, &jobs);

        FUZZ_CHECK(rest >= 0);
        total += rest;
        if (state) {
            FUZZ_CHECK(hs_free_cores_milli(state, i) == rest);
            FUZZ_CHECK(hs_free_node_jobs(state, i) == jobs);
        }
    }
    if (state) {
        FUZZ_CHECK(hs_free_total_cores_milli(state) == total);
    }
}

/* Devices that are sometimes right: those of the spans from the left, but where a byte says other.
 */
static void try_devices(struct world *world, const struct hs_job *job, struct hs_alloc *alloc,
                        struct hs_device_share *given)
{
    const struct hs_demand *demand = job->demand;

    alloc->devices = given;
    alloc->device_count = 0;
    for (uint32_t s = 0; s < alloc->span_count; s++) {
        const struct hs_span *span = &alloc->spans[s];

        for (uint32_t i = 0; i < span->node_count && i < NODE_MAX; i++) {
            uint32_t node = span->first_node + i;

            for (uint32_t k = 0; k < (uint64_t)span->tasks * demand->device_count; k++) {
                uint8_t other = fuzz_u8(&world->bytes);

                if (alloc->device_count == GIVEN_MAX ||
                    node >= hs_cluster_node_count(world->cluster)) {
                    return;
                }
                given[alloc->device_count++] = (struct hs_device_share){
                    hs_cluster_node(world->cluster, node)->first_device + (other & 7u),
                    demand->device_share + (other >= 0xf8)};
            }
        }
    }
    if (fuzz_u8(&world->bytes) == 0xff) {
        alloc->devices = NULL;
    }
}

/* Spans that are sometimes right: the middle of the numbers is small. */
static void try_spans(struct world *world, struct hs_plan *plan, const struct hs_job *job)
{
    struct hs_span spans[SPAN_MAX];
    struct hs_device_share given[GIVEN_MAX] = {{0, 1}};
    struct hs_alloc alloc = {.spans = spans, .devices = given};
    uint8_t form = fuzz_u8(&world->bytes);
    uint32_t node = 0;

    alloc.span_count = form % SPAN_MAX;
    alloc.is_exclusive = job && (job->demand->flags & HS_DEMAND_EXCLUSIVE);
    alloc.is_exclusive ^= (form & 0xc0u) == 0xc0u;
    alloc.device_count = (form & 0x38u) == 0x38u;
    for (uint32_t i = 0; i < alloc.span_count; i++) {
        uint8_t shape = fuzz_u8(&world->bytes);

        if (shape >= 0xf0) {
            spans[i] = (struct hs_span){fuzz_u32(&world->bytes), fuzz_u32(&world->bytes),
                                        fuzz_u32(&world->bytes)};
        } else {
            spans[i] = (struct hs_span){node + (shape & 1u), (shape >> 1) & 3u, shape >> 3};
        }
        node = spans[i].first_node + spans[i].node_count;
    }
    if (job && job->demand->device_count) {
        try_devices(world, job, &alloc, given);
    }
    (void)hs_plan_start_on(plan, job, &alloc);
}

/* One call on the plan; false: the pass is over. */
static bool decide_something(struct world *world, const struct hs_view *view, struct hs_plan *plan,
                             const struct hs_job *const *seen, uint32_t count, size_t *mark)
{
    uint8_t choice = fuzz_u8(&world->bytes);
    const struct hs_job *job = count ? seen[(choice >> 4) % count] : NULL;
    int64_t before = hs_free_total_cores_milli(hs_view_free(view));
    uint32_t running_count;
    const struct hs_job *const *running = hs_view_running(view, &running_count);

    switch (choice & 15u) {
    case 0:
        return false;
    case 1:
        hs_plan_wake(plan, choice & 128u ? hs_view_now(view) - 1 : hs_view_now(view) + choice);
        return true;
    case 2:
        (void)hs_plan_reject(plan, job, "the bytes say so");
        return true;
    case 3:
        *mark = hs_plan_mark(plan);
        return true;
    case 4:
        if (*mark <= hs_plan_mark(plan)) {
            hs_plan_undo(plan, *mark);
        }
        return true;
    case 5:
        if (choice == 0xf5) {
            hs_plan_fail(plan, "the bytes give up");
        } else if (choice == 0xe5 && running_count) {
            (void)hs_plan_start(plan, running[0]);
        } else if (choice == 0xd5) {
            (void)hs_plan_start(plan, NULL);
        } else if (choice == 0xc5 && world->kept) {
            (void)hs_plan_start(plan, world->kept);
        } else if (choice == 0xb5) {
            (void)hs_plan_preempt(plan, job);
        } else if (choice == 0xa5 && world->kept) {
            (void)hs_plan_preempt(plan, world->kept);
        } else if (choice < 0x80) {
            world->kept = job;
        }
        return true;
    case 6:
        if (running_count) {
            job = running[(choice >> 4) % running_count];
            if (job->state == HS_JOB_RUNNING || choice > 0xe0) {
                (void)hs_plan_preempt(plan, job);
            }
        }
        return true;
    case 7:
    case 8:
    case 9:
        try_spans(world, plan, job);
        return true;
    default:
        if (job && !hs_plan_start(plan, job)) {
            FUZZ_CHECK(hs_free_total_cores_milli(hs_view_free(view)) == before);
        }
        return true;
    }
}

static void any_schedule(void *state, const struct hs_view *view, struct hs_plan *plan)
{
    const struct any *self = state;
    struct world *world = (struct world *)(uintptr_t)self->world;
    const struct hs_job *seen[SEEN_MAX];
    uint32_t count = 0;
    size_t mark = 0;

    check_books(world, hs_view_free(view));
    for (const struct hs_job *job = hs_view_first(view); job && count < SEEN_MAX;
         job = hs_view_next(view, job)) {
        FUZZ_CHECK(job->state == HS_JOB_PENDING && !job->alloc);
        seen[count++] = job;
    }
    while (fuzz_left(&world->bytes) && decide_something(world, view, plan, seen, count, &mark)) {
    }
}

static const struct hs_param any_params[] = {
    HS_PARAM_INT(struct any, world, "0", 0, 9e15, "", "address of the world"),
    HS_PARAM_END,
};

HS_POLICY_DEFINE(any) = {
    HS_POLICY_HEADER,
    .name = "any",
    .summary = "decides what the bytes say",
    .params = any_params,
    .state_size = sizeof(struct any),
    .schedule = any_schedule,
    .flags = HS_POLICY_PREEMPTS,
};

/* Up to three devices, of two kinds, with islands and memory or not. */
static void add_devices(struct world *world, uint8_t form)
{
    for (uint32_t d = 0; d < (form & 3u); d++) {
        FUZZ_CHECK(hs_cluster_add_device(world->cluster, form & 4u && d ? "npu" : "gpu", "model",
                                         form & 8u ? d / 2 : HS_NO_GROUP,
                                         form & 16u ? 1 + (form >> 5) : HS_MEM_UNLIMITED,
                                         NULL) == HS_OK);
    }
}

static void build_cluster(struct world *world)
{
    uint8_t shape = fuzz_u8(&world->bytes);
    uint32_t nodes = 1 + shape % NODE_MAX;

    world->has_devices = shape & 0x40u;
    world->has_restarts = shape & 0x80u;
    world->cluster = hs_cluster_create();
    FUZZ_CHECK(world->cluster);
    for (uint32_t i = 0; i < nodes; i++) {
        uint8_t size = fuzz_u8(&world->bytes);
        char name[16];

        (void)snprintf(name, sizeof name, "n%u", (unsigned)i);
        FUZZ_CHECK(
            hs_cluster_add_node(
                world->cluster, name, size == 0xff ? INT64_C(1) << 50 : 1000 * (1 + (size & 3)),
                size & 4 && size != 0xff ? 1 + (size >> 3) : HS_MEM_UNLIMITED, NULL) == HS_OK);
        if (world->has_devices) {
            add_devices(world, fuzz_u8(&world->bytes));
        }
    }
    FUZZ_CHECK(hs_cluster_seal(world->cluster, NULL) == HS_OK);
}

static enum hs_err tell(struct world *world, enum hs_event_kind kind, const struct own_job *job,
                        struct hs_event *event)
{
    struct hs_error error = {0};
    enum hs_err err;

    *event = (struct hs_event){.kind = kind, .key = job->spec.key, .spec = &job->spec};
    err = hs_sched_event(world->sched, world->now, event, &error);
    if (err != HS_OK) {
        fuzz_check_error(err, &error);
    }
    return err;
}

static void submit(struct world *world)
{
    struct own_job *job = &world->jobs[world->job_count % JOB_MAX];
    uint8_t shape = fuzz_u8(&world->bytes);
    uint8_t more = fuzz_u8(&world->bytes);
    struct hs_event event;

    if (world->job_count == JOB_MAX) {
        return;
    }
    job->spec = (struct hs_job_spec){
        .key = {world->job_count, world->now},
        .walltime_ns = 1 + (more >> 4),
        .demand = {.tasks = 1 + (shape & 7u),
                   .cores_milli = 500 * ((shape >> 3) & 3),
                   .mem_bytes = shape >> 5,
                   .flags = more & 15u,
                   .tasks_per_node = more & 16u ? 1 : 0},
    };
    if (shape == 0xfe) {
        job->spec.demand.cores_milli = INT64_C(1) << 45;
    }
    if (shape == 0xff) {
        job->spec.demand.tasks = fuzz_u32(&world->bytes);
        job->spec.demand.cores_milli = fuzz_number(&world->bytes);
        job->spec.demand.mem_bytes = fuzz_number(&world->bytes);
    }
    if (world->has_devices) {
        uint8_t form = fuzz_u8(&world->bytes);

        job->spec.demand.device_count = form & 3u;
        job->spec.demand.device_share = form & 4u ? 1000 : 100 + 300 * ((form >> 3) & 3u);
        job->spec.demand.device_mem = form & 32u ? 1 : 0;
        job->spec.demand.device_kind = form & 64u ? 1 : HS_ANY_KIND;
        job->spec.demand.flags |= form & 128u ? HS_DEMAND_SAME_ISLAND : 0;
    }
    job->state = OWN_GONE;
    if (tell(world, HS_EVENT_SUBMITTED, job, &event) == HS_OK && event.job) {
        FUZZ_CHECK(!event.refusal);
        job->state = OWN_WAITING;
        job->work_ns = job->spec.walltime_ns;
    }
    world->job_count++;
}

/* Something happens to a job that it can happen to. */
static void move_job(struct world *world, uint8_t choice)
{
    struct own_job *job = world->job_count ? &world->jobs[choice % world->job_count] : NULL;
    struct hs_event event;

    if (!job || job->state == OWN_GONE) {
        return;
    }
    if (job->state == OWN_STARTING && choice & 64u) {
        FUZZ_CHECK(tell(world, HS_EVENT_STARTED, job, &event) == HS_OK);
        job->start_ns = world->now;
        job->state = OWN_RUNNING;
    } else if (job->state == OWN_STARTING) {
        FUZZ_CHECK(tell(world, HS_EVENT_START_FAILED, job, &event) == HS_OK);
        job->state = OWN_WAITING;
    } else if (job->state == OWN_RUNNING) {
        FUZZ_CHECK(tell(world, HS_EVENT_FINISHED, job, &event) == HS_OK);
        job->state = OWN_GONE;
    } else {
        FUZZ_CHECK(tell(world, HS_EVENT_CANCELLED, job, &event) == HS_OK);
        job->state = OWN_GONE;
    }
}

/* What it held is told, and what is left of its walltime. */
static void check_preemption(struct world *world, const struct hs_decision *decision)
{
    struct own_job *job = &world->jobs[decision->key.id];
    hs_time restart = world->has_restarts && job->has_run ? RESTART_NS : 0;
    hs_time done = world->now - job->start_ns - restart;

    FUZZ_CHECK(job->state == OWN_RUNNING && decision->start_ns == job->start_ns);
    FUZZ_CHECK(decision->alloc->span_count == job->span_count &&
               decision->alloc->device_count == job->given_count);
    for (uint32_t i = 0; i < job->span_count; i++) {
        FUZZ_CHECK(decision->alloc->spans[i].first_node == job->spans[i].first_node);
    }
    job->work_ns -= done > 0 ? done : 0;
    job->work_ns = job->work_ns > 0 ? job->work_ns : 1;
    FUZZ_CHECK(decision->job->walltime_ns == job->work_ns + (world->has_restarts ? RESTART_NS : 0));
    FUZZ_CHECK(done <= 0 || decision->job->done > 0);
    job->has_run = true;
    job->state = OWN_WAITING;
}

static void check_start(struct world *world, const struct hs_decision *decision)
{
    struct own_job *job = &world->jobs[decision->key.id];
    const struct hs_alloc *alloc = decision->job->alloc;
    uint64_t tasks = 0;

    FUZZ_CHECK(job->state == OWN_WAITING && alloc && alloc->span_count <= NODE_MAX);
    FUZZ_CHECK(decision->job->state == HS_JOB_STARTING);
    for (uint32_t i = 0; i < alloc->span_count; i++) {
        job->spans[i] = alloc->spans[i];
        tasks += (uint64_t)alloc->spans[i].node_count * alloc->spans[i].tasks;
    }
    job->span_count = alloc->span_count;
    FUZZ_CHECK(alloc->device_count <= GIVEN_MAX);
    job->given_count = alloc->device_count;
    for (uint32_t i = 0; i < alloc->device_count; i++) {
        job->given[i] = alloc->devices[i];
    }
    job->state = OWN_STARTING;
    FUZZ_CHECK(tasks == job->spec.demand.tasks);
}

/* One pass; false: the policy broke a rule, and the scheduler is dead. */
static bool pass(struct world *world)
{
    const struct hs_decision *decisions;
    struct hs_error error = {0};
    size_t count;
    enum hs_err err = hs_sched_decide(world->sched, world->now, &decisions, &count, &error);

    if (err != HS_OK) {
        struct hs_event event = {.kind = HS_EVENT_TIMER};

        FUZZ_CHECK(err == HS_ERR_POLICY);
        fuzz_check_error(err, &error);
        FUZZ_CHECK(strncmp(error.text, "Policy 'any' at time ", 21) == 0);
        FUZZ_CHECK(hs_sched_event(world->sched, world->now, &event, &error) == HS_ERR_STATE);
        FUZZ_CHECK(hs_sched_decide(world->sched, world->now, &decisions, &count, &error) ==
                   HS_ERR_STATE);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        switch (decisions[i].kind) {
        case HS_DECISION_START:
            check_start(world, &decisions[i]);
            break;
        case HS_DECISION_REJECT:
            FUZZ_CHECK(world->jobs[decisions[i].key.id].state == OWN_WAITING);
            FUZZ_CHECK(!world->jobs[decisions[i].key.id].has_run);
            FUZZ_CHECK(strcmp(decisions[i].reason, "the bytes say so") == 0);
            world->jobs[decisions[i].key.id].state = OWN_GONE;
            break;
        case HS_DECISION_WAKE:
            FUZZ_CHECK(decisions[i].time_ns > world->now);
            break;
        case HS_DECISION_PREEMPT:
            check_preemption(world, &decisions[i]);
            break;
        }
    }
    check_books(world, NULL);
    return true;
}

static void play(struct world *world)
{
    bool is_alive = true;

    while (is_alive && fuzz_left(&world->bytes)) {
        uint8_t choice = fuzz_u8(&world->bytes);
        struct hs_event event = {.kind = HS_EVENT_TIMER};

        switch (choice >> 6) {
        case 0:
            submit(world);
            break;
        case 1:
            move_job(world, choice & 63u);
            break;
        case 2:
            move_job(world, choice);
            break;
        default:
            world->now += choice & 15;
            FUZZ_CHECK(hs_sched_event(world->sched, world->now, &event, NULL) == HS_OK);
            is_alive = pass(world);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct hs_policy *const policies[] = {&hs_policy_any, NULL};
    const struct hs_plugin plugin = {.abi = HS_ABI, .size = sizeof plugin, .policies = policies};
    struct world *world = calloc(1, sizeof *world);
    struct hs_registry *registry = hs_registry_create();
    char address[24];
    struct hs_choice_param param = {"world", address};
    struct hs_choice choice = {.name = "any", .params = &param, .param_count = 1};
    struct hs_sched_options options = {.seed = 1};
    struct hs_error error = {0};

    FUZZ_CHECK(world && registry);
    world->bytes = fuzz_begin(data, size);
    (void)snprintf(address, sizeof address, "%llu", (unsigned long long)(uintptr_t)world);
    FUZZ_CHECK(hs_registry_add(registry, &hp_builtin, "built-in", &error) == HS_OK);
    FUZZ_CHECK(hs_registry_add(registry, &plugin, "fuzz", &error) == HS_OK);
    FUZZ_CHECK(hs_stack_create(registry, &choice, &options.stack, &error) == HS_OK);
    build_cluster(world);
    options.cluster = world->cluster;
    options.restart_ns = world->has_restarts ? RESTART_NS : 0;
    FUZZ_CHECK(hs_sched_create(&options, &world->sched, &error) == HS_OK);
    play(world);
    hs_sched_destroy(world->sched);
    hs_stack_destroy(options.stack);
    hs_registry_destroy(registry);
    hs_cluster_destroy(world->cluster);
    free(world);
    return 0;
}
