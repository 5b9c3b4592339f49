/* SPDX-License-Identifier: MIT */
/* registry_dl.c - shared objects with plug-ins. */
#include "registry_internal.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A path without a slash is a file here; dlopen would look for it among the system's libraries. */
static void *open_file(const char *path)
{
    size_t size = strlen(path) + sizeof "./";
    char *file;
    void *library;

    if (strchr(path, '/')) {
        return dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    file = malloc(size);
    if (!file) {
        return NULL;
    }
    (void)snprintf(file, size, "./%s", path);
    library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    free(file);
    return library;
}

void *hsi_library_open(const char *path, const struct hs_plugin **plugin, struct hs_error *error)
{
    void *library = open_file(path);

    if (!library) {
        const char *reason = dlerror();

        (void)hs_error_set(error, HS_ERR_CONFIG,
                           "Plug-in '%s' cannot be loaded: %s. Build it with `cc -shared -fPIC`.",
                           path, reason ? reason : "out of memory");
        return NULL;
    }
    *plugin = dlsym(library, "hs_plugin");
    if (!*plugin) {
        (void)hs_error_set(error, HS_ERR_CONFIG,
                           "Plug-in '%s' has no symbol 'hs_plugin'; end its source with "
                           "HS_PLUGIN(...) from hs/policy.h.",
                           path);
        (void)dlclose(library);
        return NULL;
    }
    return library;
}

void hsi_library_close(void *library)
{
    if (library) {
        (void)dlclose(library);
    }
}
