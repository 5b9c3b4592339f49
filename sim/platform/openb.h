/* SPDX-License-Identifier: GPL-3.0-or-later */
/* openb.h - a cluster from a list of nodes as Alibaba published it (clusterdata, cluster-trace-gpu-
 * v2023): sn,cpu_milli,memory_mib,gpu,model. */
#ifndef HSIM_PLATFORM_OPENB_H
#define HSIM_PLATFORM_OPENB_H

#include "platform/platform.h"

/* Is it such a list, by the name (.csv, .csv.gz, .csv.zst)? */
bool openb_is_list(const char *path);

/* Fills the platform: each row is a node, in the order of the file, with `gpu` devices of kind gpu.
 * Memory, features and power of a model are those of platform->catalogue, if that is there and
 * knows it; the model keeps the name that the list gives it, which is the one that pods ask for.
 * HS_ERR_INPUT with file and line; the platform is then to be given to platform_fini. */
enum hs_err openb_load(const char *path, struct platform *platform,
                       struct hs_error *error) HS_MUST_USE;

#endif
