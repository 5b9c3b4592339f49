/* SPDX-License-Identifier: MIT */
/* jobs.c - the table of live jobs: chunks of slots, and a table from key to slot.
 *
 * Jobs mostly come, and often go, in the order of their ids, so the table from key to slot keeps
 * neighbours together: a job has its home in a line of eight entries, and ids that follow each
 * other share one. So a deep queue fetches a line of the table from memory for eight jobs, not for
 * each. Ids that crowd in few lines (all the same, all multiples of 1024) overflow into a plain
 * hash table: the strays. */
#include "sched_internal.h"

#include <stdlib.h>
#include <string.h>

#include "random.h"

#define EMPTY        UINT64_MAX
#define LINE_ENTRIES ((uint32_t)(HSI_LINE_BYTES / sizeof(uint64_t)))

/* An entry holds a tag beside the slot: a search touches a job only when the tag is right. At home
 * the tag is the lower half of the id; that of a stray is this hash. */
static uint32_t hash_of(struct hs_job_key key)
{
    return (uint32_t)(hsi_mix64((uint64_t)key.id ^ hsi_mix64((uint64_t)key.submit_ns)) >> 32);
}

static uint64_t home_entry(struct hs_job_key key, uint32_t slot)
{
    return (uint64_t)key.id << 32 | slot;
}

static uint64_t stray_entry(struct hs_job_key key, uint32_t slot)
{
    return (uint64_t)hash_of(key) << 32 | slot;
}

static bool is_key(struct hs_job_key left, struct hs_job_key right)
{
    return left.id == right.id && left.submit_ns == right.submit_ns;
}

static void *take_lines(struct hsi_lines *lines, size_t bytes)
{
    char *memory = malloc(bytes + HSI_LINE_BYTES);

    lines->memory = memory;
    lines->start = memory ? memory + (HSI_LINE_BYTES - (uintptr_t)memory % HSI_LINE_BYTES) : NULL;
    return lines->start;
}

static uint64_t *home_line(const struct hsi_jobs *jobs, uint32_t tag)
{
    return &jobs->homes[tag & (jobs->home_count - 1) & ~(LINE_ENTRIES - 1)];
}

/* The place of `entry`, or of none (EMPTY), in the home line of a tag; NULL: it is not there. The
 * place that the tag points to is looked at first. */
static uint64_t *home_place(const struct hsi_jobs *jobs, uint32_t tag, uint64_t entry)
{
    uint64_t *line = home_line(jobs, tag);

    for (uint32_t i = 0; i < LINE_ENTRIES; i++) {
        uint64_t *place = &line[(tag + i) % LINE_ENTRIES];

        if (*place == entry) {
            return place;
        }
    }
    return NULL;
}

static bool grow_homes(struct hsi_jobs *jobs)
{
    struct hsi_lines old_lines = jobs->home_lines;
    const uint64_t *old = jobs->homes;
    uint32_t old_count = jobs->home_count;
    uint32_t count = old_count ? old_count * 2 : 256;

    jobs->homes = take_lines(&jobs->home_lines, count * sizeof *jobs->homes);
    if (!jobs->homes) {
        jobs->home_lines = old_lines;
        jobs->homes = old_lines.start;
        return false;
    }
    memset(jobs->homes, 0xff, count * sizeof *jobs->homes); /* EMPTY */
    jobs->home_count = count;
    /* What was in one line is now in two: there is room. */
    for (uint32_t i = 0; i < old_count; i++) {
        if (old[i] != EMPTY) {
            *home_place(jobs, (uint32_t)(old[i] >> 32), EMPTY) = old[i];
        }
    }
    free(old_lines.memory);
    return true;
}

/* Linear probing; at most three quarters of the places are in use. */
static void insert_stray(struct hsi_jobs *jobs, uint64_t entry)
{
    uint32_t mask = jobs->stray_room - 1;
    uint32_t place = (uint32_t)(entry >> 32) & mask;

    while (jobs->strays[place] != EMPTY) {
        place = (place + 1) & mask;
    }
    jobs->strays[place] = entry;
}

static bool grow_strays(struct hsi_jobs *jobs)
{
    uint32_t old_room = jobs->stray_room;
    uint64_t *old = jobs->strays;
    uint32_t room = old_room ? old_room * 2 : 64;
    uint64_t *strays = malloc(room * sizeof *strays);

    if (!strays) {
        return false;
    }
    memset(strays, 0xff, room * sizeof *strays); /* EMPTY */
    jobs->strays = strays;
    jobs->stray_room = room;
    for (uint32_t i = 0; i < old_room; i++) {
        if (old[i] != EMPTY) {
            insert_stray(jobs, old[i]);
        }
    }
    free(old);
    return true;
}

static void remove_stray(struct hsi_jobs *jobs, uint64_t entry)
{
    uint32_t mask = jobs->stray_room - 1;
    uint32_t hole = (uint32_t)(entry >> 32) & mask;

    while (jobs->strays[hole] != entry) {
        hole = (hole + 1) & mask;
    }
    /* Move back what the hole would cut off from its place. */
    for (uint32_t i = (hole + 1) & mask; jobs->strays[i] != EMPTY; i = (i + 1) & mask) {
        uint32_t wanted = (uint32_t)(jobs->strays[i] >> 32) & mask;

        if (((i - wanted) & mask) >= ((i - hole) & mask)) {
            jobs->strays[hole] = jobs->strays[i];
            hole = i;
        }
    }
    jobs->strays[hole] = EMPTY;
    jobs->stray_count--;
}

/* Room for one more job, at home or as a stray. */
static bool reserve_key(struct hsi_jobs *jobs)
{
    if (jobs->live_count >= jobs->home_count / 4 * 3 && !grow_homes(jobs)) {
        return false;
    }
    return jobs->stray_count < jobs->stray_room / 4 * 3 || grow_strays(jobs);
}

static void insert_key(struct hsi_jobs *jobs, struct hs_job_key key, uint32_t slot)
{
    uint64_t *place = home_place(jobs, (uint32_t)key.id, EMPTY);

    if (place) {
        *place = home_entry(key, slot);
    } else {
        insert_stray(jobs, stray_entry(key, slot));
        jobs->stray_count++;
    }
}

static void remove_key(struct hsi_jobs *jobs, struct hs_job_key key, uint32_t slot)
{
    uint64_t *place = home_place(jobs, (uint32_t)key.id, home_entry(key, slot));

    if (place) {
        *place = EMPTY;
    } else {
        remove_stray(jobs, stray_entry(key, slot));
    }
}

/* Nodes for the chunk of the given number. */
static bool add_node_chunk(struct hsi_jobs *jobs, uint32_t chunk)
{
    struct hsi_node **nodes = realloc(jobs->nodes, (chunk + 1) * sizeof *nodes);
    struct hsi_lines *lines;

    if (!nodes) {
        return false;
    }
    jobs->nodes = nodes;
    lines = realloc(jobs->node_lines, (chunk + 1) * sizeof *lines);
    if (!lines) {
        return false;
    }
    jobs->node_lines = lines;
    nodes[chunk] = take_lines(&lines[chunk], HSI_CHUNK_JOBS * sizeof **nodes);
    return nodes[chunk] != NULL;
}

bool hsi_jobs_add_nodes(struct hs_sched *sched)
{
    struct hsi_jobs *jobs = &sched->jobs;

    while (!jobs->has_nodes && jobs->node_chunk_count < jobs->chunk_count) {
        if (!add_node_chunk(jobs, jobs->node_chunk_count)) {
            return false;
        }
        jobs->node_chunk_count++;
    }
    jobs->has_nodes = true;
    return true;
}

static bool add_chunk(struct hsi_jobs *jobs)
{
    struct hsi_job **chunks = realloc(jobs->chunks, (jobs->chunk_count + 1) * sizeof *chunks);
    struct hsi_lines *lines;
    struct hsi_job *chunk;

    if (!chunks) {
        return false;
    }
    jobs->chunks = chunks;
    lines = realloc(jobs->chunk_lines, (jobs->chunk_count + 1) * sizeof *lines);
    if (!lines) {
        return false;
    }
    jobs->chunk_lines = lines;
    if (jobs->has_nodes && jobs->node_chunk_count == jobs->chunk_count) {
        if (!add_node_chunk(jobs, jobs->chunk_count)) {
            return false;
        }
        jobs->node_chunk_count++;
    }
    chunk = take_lines(&lines[jobs->chunk_count], HSI_CHUNK_JOBS * sizeof *chunk);
    if (!chunk) {
        return false;
    }
    chunks[jobs->chunk_count] = chunk;
    for (uint32_t i = HSI_CHUNK_JOBS; i-- > 0;) {
        chunk[i].pub.slot = (jobs->chunk_count << HSI_CHUNK_SHIFT) + i;
        chunk[i].pub.key = (struct hs_job_key){INT64_MIN, INT64_MIN};
        chunk[i].next = jobs->free_slot;
        jobs->free_slot = chunk[i].pub.slot;
    }
    jobs->chunk_count++;
    jobs->slot_room += HSI_CHUNK_JOBS;
    return true;
}

struct hsi_job *hsi_jobs_add(struct hs_sched *sched, struct hs_job_key key)
{
    struct hsi_jobs *jobs = &sched->jobs;
    struct hsi_job *job;
    uint32_t slot;

    if (!reserve_key(jobs) || (jobs->free_slot == HSI_NONE && !add_chunk(jobs))) {
        return NULL;
    }
    slot = jobs->free_slot;
    job = hsi_job_at(sched, slot);
    jobs->free_slot = job->next;
    memset(job, 0, sizeof *job);
    job->pub.key = key;
    job->pub.slot = slot;
    jobs->live_count++;
    insert_key(jobs, key, slot);
    return job;
}

static struct hsi_job *find_stray(const struct hs_sched *sched, struct hs_job_key key)
{
    const struct hsi_jobs *jobs = &sched->jobs;
    uint32_t mask = jobs->stray_room - 1;
    uint32_t hash = hash_of(key);

    for (uint32_t i = hash & mask; jobs->strays[i] != EMPTY; i = (i + 1) & mask) {
        if ((uint32_t)(jobs->strays[i] >> 32) == hash) {
            struct hsi_job *job = hsi_job_at(sched, (uint32_t)jobs->strays[i]);

            if (is_key(job->pub.key, key)) {
                return job;
            }
        }
    }
    return NULL;
}

struct hsi_job *hsi_jobs_find(const struct hs_sched *sched, struct hs_job_key key)
{
    const struct hsi_jobs *jobs = &sched->jobs;
    uint32_t tag = (uint32_t)key.id;
    const uint64_t *line;

    if (!jobs->live_count) {
        return NULL;
    }
    line = home_line(jobs, tag);
    for (uint32_t i = 0; i < LINE_ENTRIES; i++) {
        if ((uint32_t)(line[i] >> 32) == tag && line[i] != EMPTY) {
            struct hsi_job *job = hsi_job_at(sched, (uint32_t)line[i]);

            if (is_key(job->pub.key, key)) {
                return job;
            }
        }
    }
    return jobs->stray_count ? find_stray(sched, key) : NULL;
}

void hsi_jobs_remove(struct hs_sched *sched, struct hsi_job *job)
{
    struct hsi_jobs *jobs = &sched->jobs;

    remove_key(jobs, job->pub.key, job->pub.slot);
    job->pub.key = (struct hs_job_key){INT64_MIN, INT64_MIN}; /* nobody takes it for alive */
    job->pub.state = HS_JOB_GONE;                             /* a decision on it breaks a rule */
    job->next = jobs->free_slot;
    jobs->free_slot = job->pub.slot;
    jobs->live_count--;
}

void hsi_jobs_fini(struct hs_sched *sched)
{
    struct hsi_jobs *jobs = &sched->jobs;

    for (uint32_t i = 0; i < jobs->chunk_count; i++) {
        free(jobs->chunk_lines[i].memory);
    }
    for (uint32_t i = 0; i < jobs->node_chunk_count; i++) {
        free(jobs->node_lines[i].memory);
    }
    free(jobs->node_lines);
    free(jobs->nodes);
    free(jobs->chunk_lines);
    free(jobs->chunks);
    free(jobs->home_lines.memory);
    free(jobs->strays);
}
