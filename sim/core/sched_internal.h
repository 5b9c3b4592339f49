/* SPDX-License-Identifier: MIT */
/* sched_internal.h - the scheduler from inside: job table, queue, shapes, view and plan.
 *
 * Jobs live in chunks and are linked by 32-bit slots, so that a waiting job costs little memory and
 * a table of 10^5 of them stays in the cache longer. */
#ifndef HSI_SCHED_H
#define HSI_SCHED_H

#include "hs/sched.h"
#include "registry_internal.h"

#define HSI_NONE        UINT32_MAX
#define HSI_CHUNK_SHIFT 10u
#define HSI_CHUNK_JOBS  (1u << HSI_CHUNK_SHIFT)

#define HSI_LINE_BYTES 64u /* of a cache */

/* An allocation with room for its spans and devices; blocks are used again. */
struct hsi_block {
    struct hs_alloc alloc; /* first: a job's allocation is a block */
    struct hs_span *spans;
    struct hs_device_share *devices;
    struct hsi_block *next_free;
    int64_t cores_milli; /* held in all */
    uint32_t span_room;
    uint32_t device_room;
};

/* Two lines of a cache: in a deep queue a job is touched when it comes, much later when it starts,
 * and each line then has to be fetched from memory. */
struct hsi_job {
    struct hs_job pub; /* first: the two pointers are interchangeable */
    uint32_t previous; /* waiting jobs by (submit, sequence); `next` also chains free slots */
    uint32_t next;
    uint32_t rank;      /* place in this pass's ranking of all jobs */
    bool is_rejected;   /* in the plan under construction */
    bool was_preempted; /* its walltime has the time of a restart in it */
};

_Static_assert(sizeof(struct hsi_job) == 2 * HSI_LINE_BYTES, "a job fills two lines of a cache");

/* What the index keeps of a waiting job, apart from it: not every policy needs an index. All that
 * a step in a tree looks at is in one line of a cache. */
struct hsi_node {
    union {
        double key;  /* by a static order */
        double rate; /* by a time-varying one */
    };
    hs_time submit_ns; /* of the job, likewise the next two */
    uint64_t sequence;
    hs_time walltime_ns;
    hs_time shortest_ns; /* least walltime in the subtree */
    hs_time expiry_ns;   /* time-varying: until then `best` is the best of the subtree */
    uint32_t left;       /* the tree of the shape; slots */
    uint32_t right;
    uint32_t best;
    uint32_t weight; /* no child is heavier */
};

_Static_assert(sizeof(struct hsi_node) == HSI_LINE_BYTES, "a node fills a line of a cache");

/* hs_view_is_counted: tasks of one kind, of which `capacity` fit on the empty cluster. */
struct hsi_unit {
    int64_t cores_milli; /* -1: whole nodes */
    int64_t mem_bytes;
    int64_t capacity; /* without nodes that are away */
    int64_t live_jobs;
};

struct hsi_shape {
    struct hs_demand demand;
    uint32_t unit;  /* HSI_NONE: cannot be counted */
    uint32_t units; /* of one job */
    uint32_t procs;
    uint32_t group; /* of the index; HSI_NONE: no waiting job of this shape */
    bool can_run;   /* on the empty cluster */
};

#define HSI_UNIT_MAX    256u
#define HSI_TASKS_KNOWN 2048u

struct hsi_shapes {
    struct hsi_shape **list;
    uint32_t *buckets; /* open addressing; HSI_NONE: empty */
    uint32_t count;
    uint32_t room;
    uint32_t bucket_count;
    struct hs_demand usual;             /* the first demand, without its tasks */
    uint32_t by_tasks[HSI_TASKS_KNOWN]; /* shapes that differ from it in their tasks alone */
    struct hsi_unit units[HSI_UNIT_MAX];
    uint32_t unit_count;
    uint32_t live_units;    /* units with live jobs */
    int64_t live_capacity;  /* of the one unit with live jobs, if it is one */
    int64_t uncounted_jobs; /* live jobs of shapes without a unit */
};

/* Memory that begins at a line of a cache. */
struct hsi_lines {
    void *memory; /* to be freed */
    void *start;
};

struct hsi_jobs {
    struct hsi_job **chunks;
    struct hsi_lines *chunk_lines; /* where the chunks are */
    struct hsi_node **nodes;       /* chunks like those of the jobs */
    struct hsi_lines *node_lines;
    /* Live jobs by key (jobs.c): a tag, and the slot in the low half; UINT64_MAX: empty. */
    struct hsi_lines home_lines;
    uint64_t *homes;
    uint64_t *strays;
    uint32_t home_count;
    uint32_t stray_room;
    uint32_t stray_count;
    uint32_t chunk_count;
    uint32_t slot_room;
    uint32_t free_slot;
    uint32_t live_count;
    uint32_t node_chunk_count;
    bool has_nodes;
};

struct hsi_ranked {
    double key;
    uint32_t slot;
};

struct hsi_queue {
    uint32_t first; /* list by (submit, sequence) */
    uint32_t last;
    uint32_t count; /* waiting jobs */
    int64_t procs;  /* that they ask for */
    /* All jobs in order, as far as asked in this pass: a heap in [0, heap_count), behind it the
     * jobs taken from it, the first one last. */
    struct hsi_ranked *ranked;
    uint32_t ranked_room;
    uint32_t ranked_count;
    uint32_t heap_count;
    bool is_ranked;
    bool is_arrival; /* the order is that of arrival */
};

/* The waiting jobs of one shape: a tree, and what a query asks first. */
struct hsi_group {
    hs_time expiry_ns;      /* time-varying: as in the root */
    hs_time best_submit_ns; /* of the best job, likewise the next three */
    hs_time best_walltime_ns;
    uint64_t best_sequence;
    double best_sort; /* time-varying: its rate; static: its key */
    uint32_t best;    /* static: the first job of the tree; time-varying: the best one */
    uint32_t root;
    uint32_t shape;
};

/* A group in an iteration, with the job it has to offer. */
struct hsi_cursor {
    uint32_t slot;
    uint32_t shape;
};

/* A group whose first job is too long, in the search of a scan. */
struct hsi_doubt {
    hs_time limit_ns;
    uint32_t group;
};

struct hsi_index {
    struct hsi_group *groups;   /* of shapes with waiting jobs, by units */
    int64_t *units;             /* of a job of each group */
    hs_time *shortest_ns;       /* walltime in each group: what a search asks first */
    struct hsi_cursor *cursors; /* heap by queue order */
    struct hsi_doubt *doubts;
    uint32_t group_count;
    uint32_t room; /* of all five */
    uint32_t cursor_count;
    struct hsi_job *last; /* handed out by the iteration or the scan */
    hs_scan_limit limit;
    const void *context;
    double rate_offset; /* of the order */
    bool has_rate;      /* the order changes with time, and has a rate */
    bool is_active;     /* the trees are kept */
    bool is_first;      /* `last` is the first of all */
    bool is_walking;    /* cursors belong to an iteration whose last job is `last` */
    bool is_passing;    /* the scan handed out a job that was not started: it walks on */
};

enum hsi_entry_kind { HSI_ENTRY_START, HSI_ENTRY_REJECT, HSI_ENTRY_PREEMPT };

/* A running job as it was before it was preempted. */
struct hsi_stop {
    struct hsi_block *block;
    hs_time walltime_ns;
    hs_time start_ns;
    hs_time expected_end_ns;
    uint32_t done;
    bool was_preempted;
};

struct hsi_plan_entry {
    enum hsi_entry_kind kind;
    struct hsi_job *job;
    union {
        char reason[96];      /* of a rejection */
        struct hsi_stop stop; /* of a preemption */
    };
};

struct hs_plan {
    struct hs_sched *sched;
    struct hsi_plan_entry *entries;
    size_t count;
    size_t room;
    hs_time wake_ns; /* HS_TIME_NEVER: no wish */
    bool is_broken;
    struct hs_error problem;
};

struct hs_view {
    struct hs_sched *sched;
};

struct hs_sched {
    struct hs_view view;
    struct hs_plan plan;
    const struct hs_cluster *cluster;
    struct hs_stack *stack;
    const struct hs_mix *mix;         /* NULL: the host does not know */
    const struct hs_speeds *speeds;   /* NULL: all nodes are alike */
    const struct hs_history *history; /* NULL: the host knows none */
    uint32_t *rank;                   /* per node, for ties; NULL: by index */
    struct hs_free *free;
    struct hs_free *empty; /* nothing on it: for "could it ever run" */
    struct hs_alloc_buffer buffer;
    struct hsi_block *free_blocks; /* each with room for span_room spans, device_room devices */
    struct hsi_block *left_blocks; /* of preempted jobs; free at the next event; the last first */
    uint32_t span_room;            /* most that an allocation has had */
    uint32_t device_room;
    uint32_t free_block_count;
    struct hsi_jobs jobs;
    struct hsi_shapes shapes;
    struct hsi_queue queue;
    struct hsi_index index;
    const struct hs_job **running; /* by expected end, sequence */
    uint32_t running_count;
    uint32_t running_room;
    struct hs_decision *decisions;
    size_t decision_room;
    hs_time now;
    hs_time time_max; /* of events */
    hs_time restart_ns;
    uint64_t seed;
    uint64_t next_sequence;
    uint64_t next_decision;
    int64_t used_units;     /* of starting and running jobs; means something while counted */
    int64_t away_units;     /* of these, on nodes that are away */
    int64_t starting_milli; /* cores held by jobs that are not confirmed */
    uint32_t rejected;      /* jobs of the last decisions that leave at the next call, by `next` */
    int64_t idle_wakes;     /* passes since a job came, went or ran */
    int64_t idle_passes;    /* at this instant, without a job submitted, ended or cancelled */
    struct hs_sched_stats stats;
    bool is_dirty;
    bool is_initialised; /* the policy's init has run */
    bool is_placed;      /* the placement's init has run */
    bool is_predicting;  /* the predictor's init has run */
    bool is_dead;
    bool is_preemptive; /* what decides says so */
    bool is_plain;      /* no index: the queue is walked (the reference for tests) */
    bool is_key_broken; /* an order gave no number for the job `broken_key` */
    struct hs_job_key broken_key;
    char text[256]; /* refusal of the last event */
};

/* The expected end of a job of this walltime; HS_TIME_NEVER if there is none. */
static inline hs_time hsi_expected_end(hs_time start, hs_time walltime)
{
    bool is_endless = walltime == HS_TIME_NEVER || (start > 0 && walltime >= HS_TIME_NEVER - start);

    return is_endless ? HS_TIME_NEVER : start + walltime;
}

/* speed.c: how long a job that holds its allocation is expected to take, by the slowest class of
 * its nodes, at most its walltime. Needs speeds. */
hs_time hsi_speed_expect(const struct hs_sched *sched, const struct hs_job *job);

/* How long a job that holds its allocation is expected to take. */
static inline hs_time hsi_expected_time(const struct hs_sched *sched, const struct hs_job *job)
{
    return sched->speeds ? hsi_speed_expect(sched, job) : job->walltime_ns;
}

static inline struct hsi_job *hsi_job_at(const struct hs_sched *sched, uint32_t slot)
{
    return &sched->jobs.chunks[slot >> HSI_CHUNK_SHIFT][slot & (HSI_CHUNK_JOBS - 1)];
}

static inline struct hsi_node *hsi_node_at(const struct hs_sched *sched, uint32_t slot)
{
    return &sched->jobs.nodes[slot >> HSI_CHUNK_SHIFT][slot & (HSI_CHUNK_JOBS - 1)];
}

/* The public job is the first member; constness is the policy's, not ours. */
static inline struct hsi_job *hsi_job_from(const struct hs_sched *sched, const struct hs_job *job)
{
    return hsi_job_at(sched, job->slot);
}

static inline bool hsi_node_arrives_before(const struct hsi_node *left,
                                           const struct hsi_node *right)
{
    return left->submit_ns != right->submit_ns ? left->submit_ns < right->submit_ns
                                               : left->sequence < right->sequence;
}

/* Static orders: by the key, then by arrival. */
static inline bool hsi_node_before(const struct hsi_node *left, const struct hsi_node *right)
{
    return left->key != right->key ? left->key < right->key : hsi_node_arrives_before(left, right);
}

/* Of a job that holds resources. */
static inline struct hsi_block *hsi_block_of(const struct hsi_job *job)
{
    return (struct hsi_block *)(uintptr_t)job->pub.alloc;
}

/* The job will be looked at soon: both its lines come while other things are done. */
static inline void hsi_job_fetch(const struct hs_sched *sched, uint32_t slot)
{
    if (slot != HSI_NONE) {
        const char *job = (const char *)hsi_job_at(sched, slot);

        __builtin_prefetch(job, 1);
        __builtin_prefetch(job + HSI_LINE_BYTES, 1);
    }
}

static inline const struct hs_order *hsi_order(const struct hs_sched *sched)
{
    const struct hsi_entry *entry = sched->stack->parts[HS_KIND_ORDER].entry;

    return entry ? &entry->as.order : NULL;
}

/* jobs.c */
struct hsi_job *hsi_jobs_add(struct hs_sched *sched, struct hs_job_key key); /* NULL: no memory */
void hsi_jobs_remove(struct hs_sched *sched, struct hsi_job *job);
struct hsi_job *hsi_jobs_find(const struct hs_sched *sched, struct hs_job_key key);
bool hsi_jobs_add_nodes(struct hs_sched *sched); /* from now on each job has a node */
void hsi_jobs_fini(struct hs_sched *sched);

/* demand.c: can a job ask for this at all? HS_ERR_STATE. */
enum hs_err hsi_demand_check(const struct hs_job_spec *spec, struct hs_error *error);
/* Writes a clause into sched->text: why the empty cluster cannot run the demand. */
void hsi_demand_explain(struct hs_sched *sched, const struct hs_demand *demand);

/* shapes.c: index of the equal demand, entered if new. */
enum hs_err hsi_shape_find(struct hs_sched *sched, const struct hs_demand *demand, uint32_t *shape,
                           struct hs_error *error);
void hsi_shape_live(struct hs_sched *sched, uint32_t shape, int change);
/* The node has left or come back: what the machine holds of each unit. */
void hsi_shapes_change_node(struct hs_sched *sched, uint32_t node, bool is_available);
void hsi_shapes_fini(struct hs_sched *sched);

/* predict.c: init and fini of the predictor, if the stack has one. */
enum hs_err hsi_predict_begin(struct hs_sched *sched, struct hs_error *error);
void hsi_predict_end(struct hs_sched *sched);

/* queue.c */
bool hsi_arrives_before(const struct hsi_job *left, const struct hsi_job *right);
bool hsi_queue_reserve(struct hs_sched *sched); /* room for one more live job */
void hsi_queue_insert(struct hs_sched *sched, struct hsi_job *job);
void hsi_queue_remove(struct hs_sched *sched, struct hsi_job *job);
struct hsi_job *hsi_queue_first(struct hs_sched *sched);
struct hsi_job *hsi_queue_next(struct hs_sched *sched, struct hsi_job *job);
/* Forgets the ranking of an order that changes with time, at each event and pass. */
void hsi_queue_end(struct hs_sched *sched);
void hsi_queue_fini(struct hs_sched *sched);
double hsi_queue_key(struct hs_sched *sched, const struct hsi_job *job); /* by the order, now */

/* tree.c: treaps of nodes. Roots are slots, HSI_NONE: empty. The results are the new roots. */
uint32_t hsi_tree_insert(struct hs_sched *sched, uint32_t root, uint32_t slot);
uint32_t hsi_tree_remove(struct hs_sched *sched, uint32_t root, uint32_t slot);
/* Static orders: the first job behind `after` (HSI_NONE: of all) with a walltime of at most
 * `limit`; HSI_NONE: there is none. */
uint32_t hsi_tree_first(struct hs_sched *sched, uint32_t root, uint32_t after, hs_time limit);

/* kinetic.c: trees of a time-varying order. */
void hsi_kinetic_update(struct hs_sched *sched, uint32_t slot);  /* from its children */
void hsi_kinetic_refresh(struct hs_sched *sched, uint32_t root); /* makes `best` true now */
/* The best job with a walltime of at most `limit`; HSI_NONE: none. */
uint32_t hsi_kinetic_best(struct hs_sched *sched, uint32_t root, hs_time limit);
/* A job of a time-varying order as a line in time. */
struct hsi_line {
    double height; /* w + offset now, seconds */
    double rate;
};
struct hsi_line hsi_kinetic_line(const struct hs_sched *sched, hs_time submit_ns, double rate);
/* Does the job `left` come before the job `right` now? */
bool hsi_kinetic_before(struct hs_sched *sched, uint32_t left, struct hsi_line left_line,
                        uint32_t right, struct hsi_line right_line);

/* index.c */
bool hsi_index_reserve(struct hs_sched *sched);                     /* room for all shapes */
void hsi_index_insert(struct hs_sched *sched, struct hsi_job *job); /* if active */
void hsi_index_remove(struct hs_sched *sched, struct hsi_job *job);
bool hsi_index_is_kept(const struct hs_sched *sched); /* the order needs it from the beginning */
bool hsi_index_any(struct hs_sched *sched);           /* does a waiting job fit? */
struct hsi_job *hsi_index_first(struct hs_sched *sched);
struct hsi_job *hsi_index_next(struct hs_sched *sched, struct hsi_job *job);
void hsi_scan_begin(struct hs_sched *sched, hs_scan_limit limit, const void *context);
struct hsi_job *hsi_scan_next(struct hs_sched *sched);
void hsi_index_fini(struct hs_sched *sched);

/* running.c */
bool hsi_running_reserve(struct hs_sched *sched, uint32_t more); /* room; false: no memory */
void hsi_running_insert(struct hs_sched *sched, struct hsi_job *job);
void hsi_running_remove(struct hs_sched *sched, struct hsi_job *job);
struct hsi_block *hsi_block_get(struct hs_sched *sched, const struct hs_alloc *alloc);
void hsi_block_put(struct hs_sched *sched, struct hsi_block *block);
/* At an event: room for a pass to come, which may start as many jobs as run now. */
void hsi_block_spare(struct hs_sched *sched);
/* Takes or gives back what the job holds, and its state with it. */
bool hsi_running_start(struct hs_sched *sched, struct hsi_job *job, const struct hs_alloc *alloc);
/* Another expected end; the walltime changes in proportion. */
void hsi_running_expect(struct hs_sched *sched, struct hsi_job *job, hs_time end);
void hsi_running_confirm(struct hs_sched *sched, struct hsi_job *job); /* starting -> running */
/* The node has left or come back: what jobs hold there. */
void hsi_running_change_node(struct hs_sched *sched, uint32_t node, bool is_available);
/* Units of a job's allocation that are on nodes that are away. */
int64_t hsi_running_away_units(const struct hs_sched *sched, const struct hs_job *job);
void hsi_running_stop(struct hs_sched *sched, struct hsi_job *job);
/* The running job waits again, with its progress; *stop is what hsi_running_resume needs to take
 * that back. The last job that was preempted is the first to be resumed. */
void hsi_running_preempt(struct hs_sched *sched, struct hsi_job *job, struct hsi_stop *stop);
void hsi_running_resume(struct hs_sched *sched, struct hsi_job *job, const struct hsi_stop *stop);
void hsi_running_forget(struct hs_sched *sched); /* the preemptions are final */

#endif
