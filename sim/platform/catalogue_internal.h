/* SPDX-License-Identifier: GPL-3.0-or-later */
/* catalogue_internal.h - the catalogue and how its text is read. */
#ifndef HSIM_PLATFORM_CATALOGUE_INTERNAL_H
#define HSIM_PLATFORM_CATALOGUE_INTERNAL_H

#include "platform/catalogue.h"
#include "text/arena.h"
#include "text/name_index.h"
#include "text/report.h"

struct catalogue {
    struct arena arena; /* all strings and lists */
    struct catalogue_device *devices;
    size_t count, room;
    struct name_index names; /* models and aliases */
};

/* Reads the text of a file into the catalogue, entry by entry. Problems go to the report; without
 * memory the arena has failed. Names are not indexed yet. */
void catalogue_read(struct catalogue *catalogue, struct report *report, const char *text,
                    size_t length);

#endif
