/* SPDX-License-Identifier: GPL-3.0-or-later */
/* syntax.h - sentences for text that is no YAML. */
#ifndef HSIM_TEXT_SYNTAX_H
#define HSIM_TEXT_SYNTAX_H

#include <yaml.h>

#include "text/report.h"

/* Is every byte part of valid UTF-8 text without control characters? If not, one problem says
 * where it breaks. */
bool text_syntax_check_bytes(struct report *report, int source, const char *text, size_t length);

/* Reports why libyaml stopped, in words that say what to do. */
void text_syntax_explain(struct report *report, int source, const yaml_parser_t *parser,
                         const char *text, size_t length);

#endif
