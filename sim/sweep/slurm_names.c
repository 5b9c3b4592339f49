/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slurm_names.c - names of jobs and files. */
#include "sweep/slurm_names.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* FNV-1a, 64 bits: few folders, and squeue shows only the jobs of one user. */
#define DIGEST_BEGIN UINT64_C(0xcbf29ce484222325)
#define DIGEST_PRIME UINT64_C(0x100000001b3)

void slurm_mark(const char *folder, char mark[SLURM_MARK_SIZE])
{
    char *true_path = realpath(folder, NULL);
    uint64_t digest = DIGEST_BEGIN;

    for (const char *letter = true_path ? true_path : folder; *letter; letter++) {
        digest = (digest ^ (unsigned char)*letter) * DIGEST_PRIME;
    }
    free(true_path);
    (void)snprintf(mark, SLURM_MARK_SIZE, ".%016" PRIx64 ".", digest);
}

void slurm_study(const char *study, char name[SLURM_STUDY_SIZE])
{
    size_t length = strnlen(study, SLURM_STUDY_SIZE - 1);

    for (size_t i = 0; i < length; i++) {
        unsigned char letter = (unsigned char)study[i];

        name[i] = (char)(letter < 128 && isalnum(letter) ? letter : letter == '_' ? '_' : '-');
    }
    name[length] = '\0';
}

char *slurm_place(const char *folder, uint64_t submission)
{
    char *path = NULL;

    return asprintf(&path, "%s/slurm/%" PRIu64, folder, submission) < 0 ? NULL : path;
}

char *slurm_task_path(const char *folder, uint64_t submission, uint64_t task)
{
    char *path = NULL;

    return asprintf(&path, "%s/slurm/%" PRIu64 "/tasks/%" PRIu64, folder, submission, task) < 0
               ? NULL
               : path;
}
