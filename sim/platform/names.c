/* SPDX-License-Identifier: GPL-3.0-or-later */
/* names.c - natural order of names.
 *
 * Names are compared piece by piece; a run of digits is one piece and counts as a number, of any
 * length. Names that are equal so far as numbers go ("n1", "n01") are told apart byte by byte, so
 * that the order is total. */
#include "platform/platform.h"

#include <string.h>

#define DIGITS "0123456789"

/* Compares the digit runs at *left and *right as numbers and moves both past them. */
static int compare_runs(const char **left, const char **right)
{
    const char *a = *left + strspn(*left, "0");
    const char *b = *right + strspn(*right, "0");
    size_t a_length = strspn(a, DIGITS);
    size_t b_length = strspn(b, DIGITS);

    *left = a + a_length;
    *right = b + b_length;
    if (a_length != b_length) {
        return a_length < b_length ? -1 : 1;
    }
    return memcmp(a, b, a_length);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

int platform_name_compare(const char *left, const char *right)
{
    const char *a = left;
    const char *b = right;

    while (*a && *b) {
        if (is_digit(*a) && is_digit(*b)) {
            int order = compare_runs(&a, &b);

            if (order) {
                return order;
            }
        } else if (*a != *b) {
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        } else {
            a++;
            b++;
        }
    }
    if (*a || *b) {
        return *a ? 1 : -1;
    }
    return strcmp(left, right);
}
