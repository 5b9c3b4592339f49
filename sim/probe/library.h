/* SPDX-License-Identifier: GPL-3.0-or-later */
/* library.h - functions of a driver's library, as far as it has them. */
#ifndef HSIM_PROBE_LIBRARY_H
#define HSIM_PROBE_LIBRARY_H

#include "probe/devices.h"

typedef void library_function(void);

struct library_symbol {
    const char *name;
    bool is_optional; /* newer libraries have it */
};

/* Opens the library and looks up `count` symbols; functions[i] is NULL for an optional one that is
 * missing. False with a note if it cannot be used. Never closed: the child ends. */
bool library_open(const char *library, bool is_wanted, const char *remedy,
                  const struct library_symbol *symbols, size_t count, library_function **functions,
                  struct probe_notes *notes);

#endif
