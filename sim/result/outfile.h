/* SPDX-License-Identifier: GPL-3.0-or-later */
/* outfile.h - a file that appears under its name only when it is complete.
 *
 * It is written as PATH.part, then flushed to the disk and renamed. A lock keeps a second run
 * from writing the same PATH.part. Internal to sim/result. */
#ifndef HSIM_RESULT_OUTFILE_H
#define HSIM_RESULT_OUTFILE_H

#include "hs/base.h"

struct outfile {
    char *path;
    char *part_path;
    int lock;       /* descriptor of PATH.part that holds the lock; only if there is a path */
    bool is_forced; /* an existing file is replaced */
};

/* Creates an empty PATH.part; refuses an existing PATH unless forced, and a PATH that another run
 * is writing. outfile_fini in any case. */
enum hs_err outfile_init(struct outfile *file, const char *path, bool is_forced,
                         struct hs_error *error) HS_MUST_USE;
/* Another final name; it may exist only where the first might, too. */
enum hs_err outfile_redirect(struct outfile *file, const char *path,
                             struct hs_error *error) HS_MUST_USE;
/* PATH.part becomes PATH, durably. */
enum hs_err outfile_complete(struct outfile *file, struct hs_error *error) HS_MUST_USE;
/* Removes PATH.part. */
void outfile_remove(struct outfile *file);
void outfile_fini(struct outfile *file);

#endif
