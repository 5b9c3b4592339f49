/* SPDX-License-Identifier: GPL-3.0-or-later */
/* verify.c - a result file's experiment run again, and the digests compared. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/reader.h"
#include "run/inputs.h"
#include "run/run.h"

/* What the file says of itself. All texts are owned. */
struct record {
    char *config;
    char *base_dir;
    char *digest;
    char *input_paths;   /* one behind the other */
    char *input_digests; /* likewise */
    size_t input_count;
};

static void record_fini(struct record *record)
{
    free(record->config);
    free(record->base_dir);
    free(record->digest);
    free(record->input_paths);
    free(record->input_digests);
}

static enum hs_err read_record(const char *path, struct record *record, struct hs_error *error)
{
    struct result_reader *reader = NULL;
    size_t count = 0;
    enum hs_err err = result_reader_open(path, &reader, error);

    if (err == HS_OK) {
        err = result_reader_text(reader, NULL, "base_dir", &record->base_dir, error);
    }
    if (err == HS_OK) {
        err = result_reader_text(reader, NULL, "schedule_digest", &record->digest, error);
    }
    if (err == HS_OK) {
        err = result_reader_texts(reader, "provenance/config", &record->config, &count, error);
    }
    if (err == HS_OK) {
        err = result_reader_texts(reader, "provenance/inputs/path", &record->input_paths,
                                  &record->input_count, error);
    }
    if (err == HS_OK) {
        err = result_reader_texts(reader, "provenance/inputs/xxh128", &record->input_digests,
                                  &count, error);
    }
    result_reader_close(reader);
    return err;
}

/* The recorded digest of an input by its path as written; NULL if there is none. */
static const char *recorded_digest(const struct record *record, const char *as_written)
{
    const char *path = record->input_paths;
    const char *digest = record->input_digests;

    for (size_t i = 0; i < record->input_count; i++) {
        if (strcmp(path, as_written) == 0) {
            return digest;
        }
        path += strlen(path) + 1;
        digest += strlen(digest) + 1;
    }
    return NULL;
}

static enum hs_err check_input(const struct record *record, const char *path,
                               const char *as_written, struct hs_error *error)
{
    struct result_input input = {0};
    const char *recorded = recorded_digest(record, as_written);
    enum hs_err err;

    if (!recorded) {
        return HS_OK;
    }
    err = result_input_digest(path, &input, error);
    if (err == HS_OK && strcmp(input.xxh128, recorded) != 0) {
        err = hs_error_set(error, HS_ERR_INPUT,
                           "%s: the file has changed since the run: its XXH3-128 is %s, recorded "
                           "is %s. Bring the original back to verify the result.",
                           path, input.xxh128, recorded);
    }
    return err;
}

/* What comes with hsim may have changed, too. */
static enum hs_err check_inputs(const struct record *record, const struct experiment *experiment,
                                struct hs_error *error)
{
    struct run_inputs inputs = {0};
    enum hs_err err = run_inputs_init(&inputs, experiment, error);

    for (size_t i = 0; err == HS_OK && i < inputs.count; i++) {
        err = check_input(record, inputs.list[i].path, inputs.list[i].as_written, error);
    }
    run_inputs_fini(&inputs);
    return err;
}

/* hsim wrote the experiment itself: one that it does not accept is damage, and no wrong key. */
static enum hs_err fail_config(const char *path, const struct hs_error *found,
                               struct hs_error *error)
{
    if (found->code != HS_ERR_CONFIG) {
        return hs_error_set(error, found->code, "%.1900s", found->text);
    }
    return hs_error_set(error, HS_ERR_INPUT,
                        "%s: the experiment inside cannot be read (%.1500s) The file is damaged, "
                        "or not of this version of hsim: run the experiment again.",
                        path, found->text);
}

static enum hs_err run_again(const struct experiment *experiment, char computed[33],
                             struct hs_error *error)
{
    struct run_request request = {.has_no_file = true};
    struct run_outcome outcome = {0};
    struct run_session *session = NULL;
    enum hs_err err = run_open(experiment, &request, &session, error);

    if (err == HS_OK) {
        err = run_policy(session, 0, &outcome, error);
    }
    if (err == HS_OK) {
        (void)snprintf(computed, 33, "%s", outcome.summary.schedule_digest);
    }
    run_outcome_fini(&outcome);
    run_close(session);
    return err;
}

enum hs_err run_verify(const char *path, struct run_verification *verification,
                       struct hs_error *error)
{
    struct record record = {0};
    struct experiment experiment = {0};
    char *report = NULL;
    enum hs_err err = read_record(path, &record, error);

    if (err == HS_OK) {
        struct hs_error found = {0};

        (void)snprintf(verification->recorded, sizeof verification->recorded, "%s", record.digest);
        err = experiment_load_text(record.config, strlen(record.config), path, record.base_dir,
                                   NULL, 0, &experiment, &report, &found);
        err = err == HS_OK ? err : fail_config(path, &found, error);
    }
    if (err == HS_OK) {
        err = check_inputs(&record, &experiment, error);
    }
    if (err == HS_OK) {
        err = run_again(&experiment, verification->computed, error);
    }
    free(report);
    experiment_fini(&experiment);
    record_fini(&record);
    return err;
}
