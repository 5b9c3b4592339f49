/* SPDX-License-Identifier: GPL-3.0-or-later */
/* policies.h - the parts of `hsim policies` that are commands of their own. */
#ifndef HSIM_CLI_POLICIES_H
#define HSIM_CLI_POLICIES_H

/* `hsim policies new NAME`: writes a plug-in to begin with. argv[0] is "new". */
int policies_new(int argc, char **argv);

/* `hsim policies test FILE.so`: property tests of a plug-in. argv[0] is "test". */
int policies_test(int argc, char **argv);

#endif
