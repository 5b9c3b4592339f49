/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model.h - how long a job takes on the devices that it got.
 *
 * A record's run time is the time of the job alone on its reference device. On another device it is
 * that time x factor(class of the job, model of the device, scale), rounded to whole nanoseconds;
 * the factor is a fixed-point number, rounded once, so that all times are exact integers from there
 * on. A job with devices computes on them, its scale is their number; any other computes on the
 * processors of its nodes, and its scale is 1. A share of a device counts as the whole: the
 * record's time is that on such a share. The slowest task governs: a gang ends when its last task
 * does.
 *
 * Factors come from a throughput table, else from the class library, by name; or a matrix of times
 * (ETC) has a row for each job and a column for each node, and no classes are looked at. A job
 * without a class runs equally fast everywhere. Between measured scales the next smaller one
 * counts, below the smallest that one. A device without a measured value is reached by the fallback
 * of the class (a figure of the device catalogue: library.h), else the class cannot run there; a
 * measured 0 means that it cannot run there either.
 *
 * "Unit": a model that tasks compute on: the models of the cluster's devices by their numbers
 * there, then the processor models of its nodes. "Speed class": nodes with the same units, by ETC
 * each node. */
#ifndef HSIM_SPEED_MODEL_H
#define HSIM_SPEED_MODEL_H

#include "hs/cluster.h"
#include "hs/demand.h"
#include "platform/catalogue.h"
#include "speed/library.h"

struct throughput_table;
struct speed_model;

/* A time x this / SPEED_ONE is another time; 0: cannot run. */
typedef uint64_t speed_factor;
#define SPEED_ONE       (UINT64_C(1) << 40)
#define SPEED_RATIO_MAX 1e6 /* of two times; its inverse is the least */

#define SPEED_NO_CLASS (-1)

/* All is borrowed and must outlive the model. */
struct speed_options {
    const struct hs_cluster *cluster;
    const char *const *node_models;    /* by node: catalogue model of its processors; NULL entries:
                                          not known; NULL: of none */
    const struct catalogue *catalogue; /* for fallbacks and aliases; NULL: none */
    const struct speed_library *library;        /* NULL: none */
    const struct throughput_table *throughputs; /* NULL: none */
    const char *reference; /* model on which the records' run times were measured; NULL: the
                              reference of each class, of a throughput table its first worker */
    const double *etc_s; /* [row * nodes + node], seconds >= 0; INFINITY: cannot run; NULL: none */
    int64_t etc_rows;
};

/* HS_ERR_CONFIG: the reference is unknown, or nothing of the options tells a speed. */
enum hs_err speed_model_create(const struct speed_options *options, struct speed_model **model,
                               struct hs_error *error) HS_MUST_USE;
void speed_model_destroy(struct speed_model *model); /* takes NULL */

/* The speed classes, as struct hs_speeds has them; live as long as the model. */
uint32_t speed_model_class_count(const struct speed_model *model);
const uint32_t *speed_model_class_of_node(const struct speed_model *model);

/* Units, and their names ("a100-sxm4-40"; "unknown" for processors without a model). */
uint32_t speed_model_unit_count(const struct speed_model *model);
const char *speed_model_unit_name(const struct speed_model *model, uint32_t unit);

/* The number of a job class, from 0 in the order of first use. HS_ERR_CONFIG: no table and no
 * library knows it, or it has no value for the reference; the text says which are meant. */
enum hs_err speed_model_job_class(struct speed_model *model, const char *name, int32_t *job_class,
                                  struct hs_error *error) HS_MUST_USE;

/* How many were used so far, and their names. */
size_t speed_model_job_class_count(const struct speed_model *model);
const char *speed_model_job_class_name(const struct speed_model *model, int32_t job_class);

/* What the model must know of a job besides its demand. */
struct speed_job {
    int32_t job_class; /* SPEED_NO_CLASS: none */
    int64_t row;       /* of the ETC matrix: number of the job in the stream */
    hs_time run_ns;    /* alone on the reference device; of an ETC job what its other times
                          (requests) relate to */
};

/* `time_ns`, a time on the reference device (HS_TIME_NEVER stays so), on what the allocation holds:
 * the longest over its tasks. *unit (may be NULL) becomes the unit of the slowest task, the first
 * of equals. The allocation must be one on which the job can run (speed_model_narrow). A positive
 * time gives at least 1 ns. */
hs_time speed_model_time(const struct speed_model *model, const struct speed_job *job,
                         const struct hs_demand *demand, const struct hs_alloc *alloc,
                         hs_time time_ns, uint32_t *unit);

/* The same before an allocation is known: if all tasks run on nodes of `speed_class`, on the
 * slowest devices there that the demand admits. `alternative`: of the demand, as in hs_alloc; -1:
 * the longest over all of them that can run there. HS_TIME_NEVER: none can. */
hs_time speed_model_predict(const struct speed_model *model, const struct speed_job *job,
                            const struct hs_demand *demand, int64_t alternative,
                            uint32_t speed_class, hs_time time_ns);

/* The longest prediction over all speed classes; HS_TIME_NEVER: it can run on none. */
hs_time speed_model_longest(const struct speed_model *model, const struct speed_job *job,
                            const struct hs_demand *demand, hs_time time_ns);

/* Keeps the job away from devices and nodes on which it cannot run: sets features that only others
 * have (mark.h), in the demand itself (not in its alternatives: call it for each of them). False:
 * it can run nowhere on this cluster. */
bool speed_model_narrow(const struct speed_model *model, const struct speed_job *job,
                        struct hs_demand *demand);

/* The factor of a class on a unit at a scale (no ETC). */
speed_factor speed_model_factor(const struct speed_model *model, int32_t job_class, uint32_t unit,
                                int64_t scale);

/* time x factor, rounded to the nearest nanosecond, halves up; HS_TIME_NEVER stays so, and what is
 * longer than 64 bits tell becomes HS_TIME_NEVER - 1. */
hs_time speed_scale(hs_time time_ns, speed_factor factor);

#endif
