/* SPDX-License-Identifier: GPL-3.0-or-later */
/* provenance.h - what a result file says of its own making. Internal to sim/result. */
#ifndef HSIM_RESULT_PROVENANCE_H
#define HSIM_RESULT_PROVENANCE_H

#include "result/store.h"

/* Root attributes, /provenance, /platform and /policy, as far as known before the run. */
bool provenance_begin(hid_t file, const struct result_meta *meta,
                      const struct result_options *options);
/* The rest. */
bool provenance_end(hid_t file, const struct result_meta *meta, const struct result_final *final,
                    const struct result_summary *summary);

#endif
