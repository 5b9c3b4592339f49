/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model_books.h - the books of the model test's host: what each node has left by its own count. */
#ifndef HSIM_TESTS_MODEL_BOOKS_H
#define HSIM_TESTS_MODEL_BOOKS_H

#include "model_drive.h"

void books_open(struct drive *drive);

/* Enters an allocation of the core for a job. False, with a complaint: it does not serve the job's
 * demand, or a node does not have what it takes. */
bool books_take(struct drive *drive, uint32_t job, const struct hs_alloc *alloc);
void books_release(struct drive *drive, uint32_t job);

/* Of all that it says. */
uint64_t books_hash(const struct vector_alloc *alloc);

/* Do the core's counters and its free state say the same as the books? */
bool books_agree(struct drive *drive);

/* Do the books have room for the whole job at once? */
bool books_fit(const struct model_case *model, const struct books *books, uint32_t job);

/* Gives back in `books` what the job holds by drive->outcome. */
void books_return(const struct drive *drive, struct books *books, uint32_t job);

#endif
