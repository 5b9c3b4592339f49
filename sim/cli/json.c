/* SPDX-License-Identifier: GPL-3.0-or-later */
/* json.c - printing JSON. */
#include "cli/json.h"

#include <math.h>
#include <stdlib.h>

void cli_json_string(FILE *file, const char *text)
{
    if (!text) {
        (void)fputs("null", file);
        return;
    }
    (void)putc('"', file);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\') {
            (void)fprintf(file, "\\%c", *c);
        } else if (*c < 0x20) {
            (void)fprintf(file, "\\u%04x", *c);
        } else {
            (void)putc(*c, file);
        }
    }
    (void)putc('"', file);
}

void cli_json_number(FILE *file, double value)
{
    char text[64];

    if (!isfinite(value)) {
        (void)fputs("null", file);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    (void)fputs(text, file);
}
