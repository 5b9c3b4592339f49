/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run_key.c - texts that say from what a run is computed, and their digests. */
#include "run/run_key.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "result/schema.h"

/* The digest of a text that was written to a stream, which is closed. */
static enum hs_err digest_stream(FILE *stream, char **text, size_t *length,
                                 char digest[RUN_KEY_SIZE], struct hs_error *error)
{
    bool has_failed = !stream || ferror(stream) != 0;
    XXH128_hash_t hash;

    if (stream && fclose(stream) != 0) {
        has_failed = true;
    }
    if (has_failed) {
        free(*text);
        return hs_error_memory(error);
    }
    hash = XXH3_128bits(*text, *length);
    (void)snprintf(digest, RUN_KEY_SIZE, "%016" PRIx64 "%016" PRIx64, (uint64_t)hash.high64,
                   (uint64_t)hash.low64);
    free(*text);
    return HS_OK;
}

/* A line for each input: what it is for, how it is read, and what it holds. */
static enum hs_err write_inputs(FILE *stream, const struct experiment *experiment,
                                const struct run_inputs *inputs, bool is_plugins,
                                struct run_digests *digests, struct hs_error *error)
{
    enum hs_err err = HS_OK;

    for (size_t i = 0; err == HS_OK && i < inputs->count; i++) {
        const struct run_input *input = &inputs->list[i];
        struct result_input file = {0};
        const char *format;

        if ((input->role == RUN_INPUT_PLUGIN) != is_plugins) {
            continue;
        }
        err = run_digests_file(digests, input->path, &file, error);
        if (err == HS_OK) {
            err = run_input_format(experiment, input, &format, error);
        }
        if (err == HS_OK) {
            fprintf(stream, "%s %s %s\n", input->key ? input->key : input->as_written, format,
                    file.xxh128);
        }
    }
    return err;
}

/* One of the two digests of a basis; `body` stands before the inputs. */
static enum hs_err digest_part(const struct experiment *experiment, const struct run_inputs *inputs,
                               bool is_plugins, const char *body, struct run_digests *digests,
                               char digest[RUN_KEY_SIZE], struct hs_error *error)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    enum hs_err err;

    if (!stream) {
        return hs_error_memory(error);
    }
    fprintf(stream, "hsim run %d\n%s", RESULT_ABI, body);
    err = write_inputs(stream, experiment, inputs, is_plugins, digests, error);
    if (err != HS_OK) {
        (void)fclose(stream);
        free(text);
        return err;
    }
    return digest_stream(stream, &text, &length, digest, error);
}

enum hs_err run_basis_init(struct run_basis *basis, const struct experiment *experiment,
                           struct run_digests *digests, struct hs_error *error)
{
    struct run_inputs inputs;
    char *body;
    enum hs_err err = run_inputs_init(&inputs, experiment, error);

    if (err != HS_OK) {
        return err;
    }
    body = experiment_identity(experiment);
    if (!body) {
        err = hs_error_memory(error);
    }
    if (err == HS_OK) {
        err = digest_part(experiment, &inputs, false, body, digests, basis->situation, error);
    }
    if (err == HS_OK) {
        err = digest_part(experiment, &inputs, true, "", digests, basis->plugins, error);
    }
    free(body);
    run_inputs_fini(&inputs);
    return err;
}

enum hs_err run_key_make(const struct run_basis *basis, const struct experiment *experiment,
                         size_t policy, uint64_t seed, struct run_key *key, struct hs_error *error)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    char *words = experiment_policy_identity(experiment, policy);
    enum hs_err err;

    if (stream) {
        fprintf(stream, "%s\nseed %" PRIu64 "\n", basis->situation, seed);
    }
    err = digest_stream(stream, &text, &length, key->situation, error);
    if (err == HS_OK) {
        text = NULL;
        stream = words ? open_memstream(&text, &length) : NULL;
        if (stream) {
            fprintf(stream, "%s\n%s\n%s", key->situation, basis->plugins, words);
        }
        err = digest_stream(stream, &text, &length, key->key, error);
    }
    free(words);
    return err;
}
