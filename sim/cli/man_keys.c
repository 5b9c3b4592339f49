/* SPDX-License-Identifier: GPL-3.0-or-later */
/* man_keys.c - hsim-experiment.5: every key of an experiment. */
#include <stdlib.h>

#include "cli/man.h"
#include "experiment/key.h"

static const char about[] =
    "An experiment says what is simulated: a platform, a workload, and one policy or several. It "
    "is a YAML file; four keys suffice, and everything else has a default:\n"
    "\n"
    "    hsim: 1\n"
    "    platform: {nodes: 64, cores: 1}\n"
    "    workload: {generate: {jobs: 500}}\n"
    "    policy: easy\n"
    "\n"
    "A name with dots stands for keys within keys: scheduler.interval is the key interval in the "
    "map scheduler. `hsim run EXPERIMENT --set KEY=VALUE` changes a key for one run; `hsim "
    "validate` names every problem of a file with its place, `hsim explain KEY` tells what stands "
    "here, and `hsim schema` prints a JSON Schema for editors. Paths are relative to the folder of "
    "the file. The parameters of a policy stand beside its name; `hsim policies show NAME` lists "
    "them.\n";

static void put_key(FILE *file, const struct key *key)
{
    (void)fputs(".TP\n.B ", file);
    man_inline(file, key->path);
    (void)fputc('\n', file);
    man_text(file, key->doc);
    for (int fact = 0; fact < EXPERIMENT_FACT_COUNT; fact++) {
        char *text = experiment_key_fact(key, (enum experiment_fact)fact);

        if (text) {
            (void)fprintf(file, ".br\n\\fI%s\\fR:\n",
                          experiment_fact_name((enum experiment_fact)fact));
            man_text(file, text);
        }
        free(text);
    }
}

void man_keys(FILE *file)
{
    (void)fprintf(file,
                  ".\\\" Made by `hsim man hsim-experiment.5` from the table of keys.\n"
                  ".TH HSIM\\-EXPERIMENT 5 2026-11-30 \"hsim %s\" \"File Formats\"\n"
                  ".SH NAME\nhsim\\-experiment \\- experiments of hsim\n.SH DESCRIPTION\n",
                  HSIM_VERSION);
    man_text(file, about);
    (void)fputs(".SH KEYS\n", file);
    for (size_t i = 1; i < experiment_key_count; i++) {
        put_key(file, &experiment_keys[i]);
    }
    (void)fputs(".SH SEE ALSO\n.BR hsim (1)\n", file);
}
