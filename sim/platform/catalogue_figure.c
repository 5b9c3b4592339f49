/* SPDX-License-Identifier: GPL-3.0-or-later */
/* catalogue_figure.c - figures by number, and the table of keys for a person. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "platform/catalogue_key.h"
#include "text/units.h"

const char *catalogue_figure_name(size_t figure)
{
    return catalogue_figure_key(figure)->path;
}

bool catalogue_has_figure(const struct catalogue_device *device, size_t figure)
{
    HS_ASSERT(figure < CATALOGUE_FIGURE_COUNT);
    return device->figures >> figure & 1;
}

double catalogue_figure(const struct catalogue_device *device, size_t figure)
{
    const struct catalogue_key *key = catalogue_figure_key(figure);
    const char *place = (const char *)device + key->offset;
    int64_t whole;
    double value;

    if (key->type == CATALOGUE_INTEGER || key->type == CATALOGUE_BYTES) {
        memcpy(&whole, place, sizeof whole);
        return (double)whole;
    }
    memcpy(&value, place, sizeof value);
    return value;
}

void catalogue_figure_format(const struct catalogue_device *device, size_t figure, char *text)
{
    const struct catalogue_key *key = catalogue_figure_key(figure);
    double value = catalogue_figure(device, figure);

    if (!catalogue_has_figure(device, figure)) {
        (void)snprintf(text, CATALOGUE_TEXT_MAX, "-");
    } else if (key->type == CATALOGUE_BYTES) {
        char size[UNITS_TEXT_MAX];
        size_t digits;

        text_units_format(UNITS_BYTES, (int64_t)value, size);
        digits = strspn(size, "0123456789");
        (void)snprintf(text, CATALOGUE_TEXT_MAX, "%.*s %s", (int)digits, size,
                       size[digits] ? size + digits : "B");
    } else if (key->type == CATALOGUE_INTEGER || key->type == CATALOGUE_FRACTION) {
        (void)snprintf(text, CATALOGUE_TEXT_MAX, "%.6g", value);
    } else {
        catalogue_quantity_format(key->type, value, text);
    }
}

const char *catalogue_precision_name(enum catalogue_precision precision)
{
    for (size_t i = 0; i < catalogue_key_count; i++) {
        if (catalogue_keys[i].is_figure &&
            catalogue_keys[i].offset ==
                offsetof(struct catalogue_device, peak_flops) + precision * sizeof(double)) {
            return catalogue_key_name(&catalogue_keys[i]);
        }
    }
    return NULL;
}

double catalogue_peak_half(const struct catalogue_device *device)
{
    return fmax(
        fmax(device->peak_flops[CATALOGUE_FP16_MATRIX], device->peak_flops[CATALOGUE_BF16_MATRIX]),
        device->peak_flops[CATALOGUE_FP16]);
}

/* Writes words in lines of at most `width` columns, all but the first behind an indentation. */
static void write_wrapped(FILE *file, const char *text, size_t width, int indent)
{
    size_t column = 0;

    while (*text) {
        size_t length = strcspn(text, " ");

        if (column && column + 1 + length > width) {
            (void)fprintf(file, "\n%*s", indent, "");
            column = 0;
        } else if (column) {
            (void)fputc(' ', file);
            column++;
        }
        (void)fwrite(text, 1, length, file);
        column += length;
        text += length;
        text += *text == ' ';
    }
}

void catalogue_explain(FILE *file)
{
    for (size_t i = 0; i < catalogue_key_count; i++) {
        const struct catalogue_key *key = &catalogue_keys[i];

        (void)fprintf(file, "  %-18s %-9s ", key->path, catalogue_type_text(key->type));
        write_wrapped(file, key->doc, 37, 31);
        (void)fprintf(file, "%s\n", key->is_required ? "; required" : "");
    }
}
