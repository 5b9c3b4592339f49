/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fixture.h - a small cluster with a scheduler on it, for tests of the core. */
#ifndef HSIM_TESTS_FIXTURE_H
#define HSIM_TESTS_FIXTURE_H

#include "builtin.h"
#include "hs/sched.h"
#include "unit.h"

struct fixture {
    struct hs_cluster *cluster;
    struct hs_registry *registry;
    struct hs_stack *stack;
    struct hs_sched *sched;
    struct hs_error error;
    const struct hs_decision *decisions;
    size_t decision_count;
};

/* `nodes` nodes of `cores` cores; `plugin` (may be NULL) is added to the built-in ones. */
void fixture_init(struct fixture *fixture, uint32_t nodes, uint32_t cores, int64_t mem_bytes,
                  const struct hs_plugin *plugin, const char *policy);
void fixture_fini(struct fixture *fixture);

/* A plain job of `procs` one-core tasks; times in seconds. */
struct hs_job_spec fixture_job(int64_t id, int64_t submit_s, uint32_t procs, int64_t walltime_s);

enum hs_err fixture_submit(struct fixture *fixture, const struct hs_job_spec *spec);
enum hs_err fixture_event(struct fixture *fixture, int64_t time_s, enum hs_event_kind kind,
                          const struct hs_job_spec *spec);
/* One pass; confirms all starts if asked. */
enum hs_err fixture_decide(struct fixture *fixture, int64_t time_s, bool is_confirmed);

/* The ids of the started jobs of the last pass: "1 4 5", or "" for none. */
const char *fixture_starts(const struct fixture *fixture, char *text, size_t size);
/* The nodes of a job: "0-3 7", each with its tasks if not one: "0-1x2". */
const char *fixture_nodes(const struct fixture *fixture, const struct hs_job_spec *spec, char *text,
                          size_t size);

#endif
