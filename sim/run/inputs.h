/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inputs.h - the files that an experiment reads, in one list, and their digests.
 *
 * The list is known without opening any of them: a run records those that it used, its key goes by
 * all of them, --verify asks whether they have changed, and no result takes the place of one. */
#ifndef HSIM_RUN_INPUTS_H
#define HSIM_RUN_INPUTS_H

#include "experiment/experiment.h"
#include "result/result.h"

enum run_input_role {
    RUN_INPUT_NAMED,     /* the experiment names it */
    RUN_INPUT_PLUGIN,    /* likewise; not among the inputs of a result file */
    RUN_INPUT_CATALOGUE, /* comes with hsim: devices, needed where the platform names models */
    RUN_INPUT_LIBRARY,   /* comes with hsim: classes, needed with `speeds` */
};

/* Texts are borrowed from the experiment and the list. */
struct run_input {
    enum run_input_role role;
    const char *key;        /* "workload.file"; NULL: comes with hsim */
    const char *path;       /* can be opened */
    const char *as_written; /* for logs */
    const char *format;     /* "simgrid"; NULL: a workload, see run_input_format */
};

struct run_inputs {
    struct run_input *list; /* in the order of result files, then plug-ins */
    size_t count;
    char *catalogue, *library; /* where they lie; NULL: not needed, or not there */
};

/* The catalogue counts as an input of every platform that is a file. */
enum hs_err run_inputs_init(struct run_inputs *inputs, const struct experiment *experiment,
                            struct hs_error *error) HS_MUST_USE;
void run_inputs_fini(struct run_inputs *inputs); /* takes a zeroed one too */

/* The format of an input; that of a workload may take a look into the file. */
enum hs_err run_input_format(const struct experiment *experiment, const struct run_input *input,
                             const char **format, struct hs_error *error) HS_MUST_USE;

/* Digests of files, each of which is read once. */
struct run_digests;

/* *stop nonzero ends reading with HS_ERR_INTERRUPTED; `stop` may be NULL. NULL: no memory. */
struct run_digests *run_digests_create(const volatile sig_atomic_t *stop);
/* Fills in bytes and xxh128. */
enum hs_err run_digests_file(struct run_digests *digests, const char *path,
                             struct result_input *input, struct hs_error *error) HS_MUST_USE;
void run_digests_destroy(struct run_digests *digests); /* takes NULL */

#endif
