/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lublin.h - the workload model of Lublin and Feitelson.
 *
 * U. Lublin, D. G. Feitelson: The workload on parallel supercomputers: modeling the
 * characteristics of rigid jobs. J. Parallel Distrib. Comput. 63(11), 1105-1122, 2003.
 *
 * Size: 1 with the serial probability; else 2^x with x two-stage uniform: in [low, medium] with
 * u_probability, else in [medium, high]; x is rounded with the power-of-two probability. Run
 * time: ln seconds is hyper-gamma, gamma(a1, b1) with probability p = pa size + pb, else
 * gamma(a2, b2). Arrivals: each job costs exp(gamma(a_arrival arrival_ratio, b_arrival)) / 1800
 * points; the 48 half-hours of a day offer points in proportion to a gamma(a_num, b_num)
 * distribution that begins at slot 11, 48 a day in all; a job arrives when its points are used.
 * As in the authors' program ln of run times is at most 12, of gaps 13 (drawn again), and both
 * times are cut to whole seconds.
 *
 * Left out: separate interactive and batch classes; the parameters are the ones fitted to all jobs.
 * Deviations: a power of two that would exceed the machine becomes the largest that fits; medium is
 * kept between low and high; no rounding of times is carried from job to job. */
#ifndef HSIM_WORKLOAD_LUBLIN_H
#define HSIM_WORKLOAD_LUBLIN_H

#include "workload/swf.h"

struct lublin;

/* `options` must have passed workload_options_check; only read during the call. */
enum hs_err lublin_create(const struct workload_options *options, struct lublin **lublin,
                          struct hs_error *error) HS_MUST_USE;
void lublin_destroy(struct lublin *lublin);

/* The next job as a record with line 0; the requested time is the run time. */
enum hs_err lublin_next(struct lublin *lublin, struct swf_record *record, bool *has_record,
                        struct hs_error *error) HS_MUST_USE;

#endif
