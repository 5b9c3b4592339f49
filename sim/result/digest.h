/* SPDX-License-Identifier: GPL-3.0-or-later */
/* digest.h - XXH3-128 of schedules and of files. Internal to sim/result.
 *
 * The schedule digest goes over the jobs in order of completion: id, start, end, state, and the
 * runs of nodes in canonical form (as the rows of /allocations), then its devices, all
 * little-endian. Of a job that was preempted the start and end of each attempt go before its nodes;
 * others have one attempt, whose times are the job's. */
#ifndef HSIM_RESULT_DIGEST_H
#define HSIM_RESULT_DIGEST_H

#include "result/schema.h"

#define DIGEST_TEXT_MAX 33

struct digest;

struct digest *digest_create(void); /* NULL: no memory */
void digest_destroy(struct digest *digest);
/* A job, then its rows, then its devices. */
void digest_job(struct digest *digest, int64_t id, hs_time start_ns, hs_time end_ns,
                enum result_state state);
void digest_attempt(struct digest *digest, hs_time start_ns, hs_time end_ns);
void digest_span(struct digest *digest, uint32_t first_node, uint32_t node_count, uint32_t tasks);
void digest_device(struct digest *digest, uint32_t device, uint32_t share);
/* 32 hexadecimal digits, as `xxh128sum` prints them. */
void digest_result(struct digest *digest, char text[DIGEST_TEXT_MAX]);

#endif
