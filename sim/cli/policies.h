/* SPDX-License-Identifier: GPL-3.0-or-later */
/* policies.h - the parts of `hsim policies` that are commands of their own. */
#ifndef HSIM_CLI_POLICIES_H
#define HSIM_CLI_POLICIES_H

struct argp;

/* `hsim policies new NAME`: writes a plug-in to begin with. */
extern const struct argp policies_new_argp;
int policies_new(int argc, char **argv);

/* `hsim policies test FILE.so`: property tests of a plug-in. */
extern const struct argp policies_test_argp;
int policies_test(int argc, char **argv);

#endif
