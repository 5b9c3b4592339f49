/* SPDX-License-Identifier: GPL-3.0-or-later */
/* energy.h - parts of the test program of the energy model. */
#ifndef HSIM_TESTS_ENERGY_H
#define HSIM_TESTS_ENERGY_H

/* Random clusters and jobs against a plain integration. */
void energy_equals_plain_integration(void);

#endif
