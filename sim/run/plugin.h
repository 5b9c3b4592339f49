/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plugin.h - whether a file can be given to the dynamic loader at all. Internal to sim/run.
 *
 * The loader maps what the headers of a shared object promise and trusts it: a file that is cut off
 * or damaged ends the process by a signal. What its code does when it is loaded (constructors)
 * cannot be checked: a plug-in that crashes there ends the process, too. */
#ifndef HSIM_RUN_PLUGIN_H
#define HSIM_RUN_PLUGIN_H

#include "hs/base.h"

/* HS_ERR_CONFIG with the remedy for what is no whole shared object of this machine. A missing file
 * passes; the loader names it. */
enum hs_err plugin_check(const char *path, struct hs_error *error) HS_MUST_USE;

/* Calls `visit` with each symbol that a relocation of the shared object takes from elsewhere (a
 * symbol may come twice). Reads the file; loads nothing. A missing file has none. */
enum hs_err plugin_imports(const char *path, void (*visit)(void *context, const char *symbol),
                           void *context, struct hs_error *error) HS_MUST_USE;

#endif
