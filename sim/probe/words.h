/* SPDX-License-Identifier: GPL-3.0-or-later */
/* words.h - notes, words and names of what is found. */
#ifndef HSIM_PROBE_WORDS_H
#define HSIM_PROBE_WORDS_H

#include "probe/probe.h"

/* Appends a sentence; what is more than PROBE_NOTES_MAX is dropped. */
void words_note(struct probe_notes *notes, const char *format, ...) HS_PRINTF(2, 3);
void words_feature(struct probe_features *features, const char *format, ...) HS_PRINTF(2, 3);

/* Copies what a driver or the kernel says to `copy`, which has PROBE_TEXT_MAX bytes: printable
 * ASCII, blanks once, none at the ends; what does not fit is cut. */
void words_copy(char *copy, const char *text);

/* From a name ("Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz") to the word of a model
 * ("xeon-gold-6148"): without makers, marks, clocks and the number of cores. `word` has
 * PROBE_TEXT_MAX bytes and is `fallback` if nothing is left. */
void words_model(char *word, const char *name, const char *fallback);

#endif
