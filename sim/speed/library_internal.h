/* SPDX-License-Identifier: GPL-3.0-or-later */
/* library_internal.h - the class library from inside. */
#ifndef HSIM_SPEED_LIBRARY_INTERNAL_H
#define HSIM_SPEED_LIBRARY_INTERNAL_H

#include "speed/library.h"
#include "text/arena.h"
#include "text/name_index.h"
#include "text/report.h"

struct speed_library {
    struct arena arena; /* strings, entries and names of all classes */
    struct speed_class *classes;
    size_t count, room;
    struct name_index names; /* names and aliases */
};

/* The keys of a class, for the check, the help and suggestions. */
struct library_key {
    const char *name;
    const char *example;
    const char *doc;
};
extern const struct library_key library_keys[];
extern const size_t library_key_count;

extern const char *const library_fallbacks[]; /* by enum speed_fallback; NULL at the end */

/* Reads a text into the library; problems go to the report. A class with a known name replaces it.
 */
void library_read(struct speed_library *library, const struct catalogue *catalogue,
                  struct report *report, const char *text, size_t length);

#endif
