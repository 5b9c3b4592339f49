/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tree.h - a folder with files of /proc and /sys. */
#ifndef HSIM_TESTS_PROBE_TREE_H
#define HSIM_TESTS_PROBE_TREE_H

#include "unit.h"

#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct tree {
    char root[32];
};

static inline void tree_init(struct tree *tree)
{
    (void)snprintf(tree->root, sizeof tree->root, "/tmp/hsim-probe-XXXXXX");
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(tree->root));
}

/* Writes root + path and the folders above it. */
static inline void tree_put(const struct tree *tree, const char *path, const char *text)
{
    char joined[256];
    FILE *file;

    (void)snprintf(joined, sizeof joined, "%s%s", tree->root, path);
    for (char *slash = strchr(joined + strlen(tree->root) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(joined, 0700);
        *slash = '/';
    }
    file = fopen(joined, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_FATAL(fputs(text, file) >= 0 && fclose(file) == 0);
}

static inline int tree_remove_one(const char *path, const struct stat *status, int type,
                                  struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

static inline void tree_fini(const struct tree *tree)
{
    (void)nftw(tree->root, tree_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

#endif
