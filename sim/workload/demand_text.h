/* SPDX-License-Identifier: GPL-3.0-or-later */
/* demand_text.h - the small language in which a person writes a demand.
 *
 *     4x cores=8 mem=32GiB gpu:a100|h100=2 device-mem=40GB same-island or 8x cores=4 gpu=1
 *
 * Words with blanks between, in any order; `or` parts alternatives. Nx is the number of tasks, all
 * else is for each task. A device is a kind (gpu, fpga, npu, ...; `device` is any), perhaps with
 * models, and a number, a share of one device (0.25 or 250m), or shares of several (2*0.5). One
 * table of words gives parser, writer, messages and the columns of a jobs CSV. */
#ifndef HSIM_WORKLOAD_DEMAND_TEXT_H
#define HSIM_WORKLOAD_DEMAND_TEXT_H

#include "hs/demand.h"
#include "workload/names.h"

#define DEMAND_OPTION_MAX 17u /* the demand and 16 alternatives, as many as the core takes */

/* The parts between `or`, each with its alternatives left empty. Unused bits and fields are such
 * that equal demands are equal bytes. */
struct demand_options {
    struct hs_demand list[DEMAND_OPTION_MAX];
    uint32_t count;
    /* Parts that ask for what the names lack are left out, and so are models of which others are
     * known. If nothing is left, `list[0]` is the first part without its devices and features, and
     * this says why; "" else. */
    char refusal[160];
};

/* HS_ERR_INPUT: the text is no demand; error->text is half a sentence without the place of the
 * text: "column 4: 'coers' is no word of a demand (did you mean 'cores'?)". */
enum hs_err demand_text_parse(const char *text, size_t length, struct workload_names *names,
                              struct demand_options *options, struct hs_error *error) HS_MUST_USE;

/* Writes a demand with its alternatives, so that it parses to the same again; what does not fit is
 * cut. Returns the length. */
#define DEMAND_TEXT_MAX 8192
size_t demand_text_format(const struct hs_demand *demand, const struct workload_names *names,
                          char text[DEMAND_TEXT_MAX]);

/* Words and the usual kinds, for messages, help and columns; at most DEMAND_WORD_MAX of them. */
#define DEMAND_WORD_MAX 32
size_t demand_text_words(const char *words[DEMAND_WORD_MAX]);

/* What a word is about; NONE: it has no value (`or`). */
enum demand_word_class { DEMAND_CLASS_NONE, DEMAND_CLASS_WORD, DEMAND_CLASS_KIND };
enum demand_word_class demand_text_word_class(const char *name);

#endif
