/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model_list.h - GPUs of lists of other systems: the kind, and models as "A|B". */
#ifndef HSIM_WORKLOAD_MODEL_LIST_H
#define HSIM_WORKLOAD_MODEL_LIST_H

#include "hs/demand.h"
#include "workload/names.h"

/* Enters the kind gpu and the models of `text` ("": any) into the demand, ascending and each once.
 * Models that the machine has not are left out; if it has none of them, or no GPUs, refusal->text
 * says why no node can serve it, else it is "". False: `problem` says what is wrong with the text
 * of the column `name`. */
bool model_list_read(struct workload_names *names, const char *name, const char *text,
                     struct hs_demand *demand, struct hs_error *refusal, char *problem,
                     size_t problem_size);

#endif
