/* SPDX-License-Identifier: GPL-3.0-or-later */
/* library.c - dlopen and dlsym. */
#include "probe/library.h"

#include "probe/words.h"

#include <dlfcn.h>
#include <string.h>

_Static_assert(sizeof(library_function *) == sizeof(void *), "dlsym yields functions (POSIX)");

bool library_open(const char *library, bool is_wanted, const char *remedy,
                  const struct library_symbol *symbols, size_t count, library_function **functions,
                  struct probe_notes *notes)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);

    if (!handle) {
        if (is_wanted) {
            const char *reason = dlerror();

            words_note(notes, "%s: the library cannot be opened: %s. %s", library,
                       reason ? reason : "no reason is given", remedy);
        }
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        void *address = dlsym(handle, symbols[i].name);

        if (!address && !symbols[i].is_optional) {
            words_note(notes, "%s: the library has no function %s, so it is not asked. %s", library,
                       symbols[i].name, remedy);
            return false;
        }
        memcpy(&functions[i], &address, sizeof address);
    }
    return true;
}
