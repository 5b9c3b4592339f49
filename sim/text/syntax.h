/* SPDX-License-Identifier: GPL-3.0-or-later */
/* syntax.h - sentences for text that is no YAML. */
#ifndef HSIM_TEXT_SYNTAX_H
#define HSIM_TEXT_SYNTAX_H

#include <yaml.h>

#include "text/report.h"

/* Is every byte part of valid UTF-8 text without control characters? If not, one problem says
 * where it breaks. */
bool text_syntax_check_bytes(struct report *report, int source, const char *text, size_t length);

/* Bytes of the character at `text`, of which `left` > 0 are there; 0 if a terminal should not get
 * it as it is: no UTF-8, or a control character. */
size_t text_syntax_printable(const char *text, size_t left);

/* Reports why libyaml stopped, in words that say what to do. */
void text_syntax_explain(struct report *report, int source, const yaml_parser_t *parser,
                         const char *text, size_t length);

#endif
