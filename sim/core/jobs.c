/* SPDX-License-Identifier: MIT */
/* jobs.c - the table of live jobs: chunks of slots, and a hash from key to slot. */
#include "sched_internal.h"

#include <stdlib.h>
#include <string.h>

#include "random.h"

#define EMPTY UINT64_MAX

/* A bucket holds the hash beside the slot: probing touches a job only when the hash is right. */
static uint32_t hash_of(struct hs_job_key key)
{
    return (uint32_t)(hsi_mix64((uint64_t)key.id ^ hsi_mix64((uint64_t)key.submit_ns)) >> 32);
}

static bool is_key(struct hs_job_key left, struct hs_job_key right)
{
    return left.id == right.id && left.submit_ns == right.submit_ns;
}

/* Linear probing; at most three quarters of the buckets are in use. */
static void bucket_insert(struct hsi_jobs *jobs, uint64_t entry)
{
    uint32_t mask = jobs->bucket_count - 1;
    uint32_t bucket = (uint32_t)(entry >> 32) & mask;

    while (jobs->buckets[bucket] != EMPTY) {
        bucket = (bucket + 1) & mask;
    }
    jobs->buckets[bucket] = entry;
}

static bool grow_buckets(struct hsi_jobs *jobs)
{
    uint32_t old_count = jobs->bucket_count;
    uint64_t *old = jobs->buckets;
    uint32_t count = old_count ? old_count * 2 : 256;
    uint64_t *buckets = malloc(count * sizeof *buckets);

    if (!buckets) {
        return false;
    }
    memset(buckets, 0xff, count * sizeof *buckets); /* EMPTY */
    jobs->buckets = buckets;
    jobs->bucket_count = count;
    for (uint32_t i = 0; i < old_count; i++) {
        if (old[i] != EMPTY) {
            bucket_insert(jobs, old[i]);
        }
    }
    free(old);
    return true;
}

/* Nodes for the chunk of the given number. */
static bool add_node_chunk(struct hsi_jobs *jobs, uint32_t chunk)
{
    struct hsi_node **nodes = realloc(jobs->nodes, (chunk + 1) * sizeof *nodes);

    if (!nodes) {
        return false;
    }
    jobs->nodes = nodes;
    nodes[chunk] = malloc(HSI_CHUNK_JOBS * sizeof **nodes);
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
    struct hsi_job *chunk;

    if (!chunks) {
        return false;
    }
    jobs->chunks = chunks;
    if (jobs->has_nodes && jobs->node_chunk_count == jobs->chunk_count) {
        if (!add_node_chunk(jobs, jobs->chunk_count)) {
            return false;
        }
        jobs->node_chunk_count++;
    }
    chunk = malloc(HSI_CHUNK_JOBS * sizeof *chunk);
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

    if (jobs->live_count >= jobs->bucket_count / 4 * 3 && !grow_buckets(jobs)) {
        return NULL;
    }
    if (jobs->free_slot == HSI_NONE && !add_chunk(jobs)) {
        return NULL;
    }
    slot = jobs->free_slot;
    job = hsi_job_at(sched, slot);
    jobs->free_slot = job->next;
    memset(job, 0, sizeof *job);
    job->pub.key = key;
    job->pub.slot = slot;
    jobs->live_count++;
    bucket_insert(jobs, (uint64_t)hash_of(key) << 32 | slot);
    return job;
}

struct hsi_job *hsi_jobs_find(const struct hs_sched *sched, struct hs_job_key key)
{
    const struct hsi_jobs *jobs = &sched->jobs;
    uint32_t mask = jobs->bucket_count - 1;
    uint32_t hash = hash_of(key);

    if (!jobs->bucket_count) {
        return NULL;
    }
    for (uint32_t i = hash & mask; jobs->buckets[i] != EMPTY; i = (i + 1) & mask) {
        if ((uint32_t)(jobs->buckets[i] >> 32) == hash) {
            struct hsi_job *job = hsi_job_at(sched, (uint32_t)jobs->buckets[i]);

            if (is_key(job->pub.key, key)) {
                return job;
            }
        }
    }
    return NULL;
}

void hsi_jobs_remove(struct hs_sched *sched, struct hsi_job *job)
{
    struct hsi_jobs *jobs = &sched->jobs;
    uint32_t mask = jobs->bucket_count - 1;
    uint32_t hash = hash_of(job->pub.key);
    uint32_t hole = hash & mask;

    while (jobs->buckets[hole] != ((uint64_t)hash << 32 | job->pub.slot)) {
        hole = (hole + 1) & mask;
    }
    /* Move back what the hole would cut off from its place. */
    for (uint32_t i = (hole + 1) & mask; jobs->buckets[i] != EMPTY; i = (i + 1) & mask) {
        uint32_t home = (uint32_t)(jobs->buckets[i] >> 32) & mask;

        if (((i - home) & mask) >= ((i - hole) & mask)) {
            jobs->buckets[hole] = jobs->buckets[i];
            hole = i;
        }
    }
    jobs->buckets[hole] = EMPTY;
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
        free(jobs->chunks[i]);
    }
    for (uint32_t i = 0; i < jobs->node_chunk_count; i++) {
        free(jobs->nodes[i]);
    }
    free(jobs->nodes);
    free(jobs->chunks);
    free(jobs->buckets);
}
