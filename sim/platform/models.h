/* SPDX-License-Identifier: GPL-3.0-or-later */
/* models.h - what the model of a host, and its properties of power, say. */
#ifndef HSIM_PLATFORM_MODELS_H
#define HSIM_PLATFORM_MODELS_H

#include "platform/platform.h"
#include "platform/source.h"

/* Reads the properties model, wattage_per_state and wattage_off of a host that is a node or a
 * device, and fills its memory and power from the catalogue where it says nothing. The catalogue
 * is NULL if no host names a model. HS_ERR_INPUT. */
enum hs_err models_read(const struct catalogue *catalogue, struct platform_host *host,
                        const struct source *source, struct hs_error *error) HS_MUST_USE;

#endif
