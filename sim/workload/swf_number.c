/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swf_number.c - decimal text to scaled integers, exactly: no floating point is involved. */
#include "workload/swf.h"

/* So many significant digits fit 128 bits with room for a rounding digit. */
#define DIGITS_MAX   36
#define EXPONENT_MAX 100000

static bool is_digit(char character)
{
    return character >= '0' && character <= '9';
}

struct decimal {
    hs_int128 digits;
    int count;    /* significant digits in `digits` */
    int exponent; /* value = digits x 10^exponent */
    bool is_cut;  /* digits other than 0 were left out */
};

/* `places` is 1 behind the decimal point, else 0. */
static void decimal_digit(struct decimal *number, char character, int places)
{
    int digit = character - '0';

    if (number->count < DIGITS_MAX) {
        number->digits = number->digits * 10 + digit;
        number->count += number->digits != 0;
        number->exponent -= number->exponent > -EXPONENT_MAX ? places : 0;
    } else {
        number->is_cut = number->is_cut || digit != 0;
        number->exponent += places == 0 && number->exponent < EXPONENT_MAX;
    }
}

static bool exponent_read(const char **text, int *exponent)
{
    const char *at = *text + 1;
    bool is_negative = *at == '-';
    int value = 0;

    at += *at == '-' || *at == '+';
    if (!is_digit(*at)) {
        return false;
    }
    for (; is_digit(*at); at++) {
        value = value < EXPONENT_MAX ? value * 10 + (*at - '0') : value;
    }
    *exponent += is_negative ? -value : value;
    *text = at;
    return true;
}

static bool decimal_read(const char **text, struct decimal *number)
{
    const char *at = *text;
    bool has_digits = is_digit(*at);

    for (; is_digit(*at); at++) {
        decimal_digit(number, *at, 0);
    }
    if (*at == '.') {
        for (at++; is_digit(*at); at++) {
            decimal_digit(number, *at, 1);
            has_digits = true;
        }
    }
    if (!has_digits) {
        return false;
    }
    if ((*at == 'e' || *at == 'E') && !exponent_read(&at, &number->exponent)) {
        return false;
    }
    *text = at;
    return true;
}

/* digits x 10^exponent as an integer, halves up. */
static bool decimal_round(const struct decimal *number, int64_t *value, bool *is_exact)
{
    hs_int128 result = number->digits;
    int exponent = number->exponent;

    *is_exact = !number->is_cut;
    for (; exponent > 0 && result != 0; exponent--) {
        if (result > INT64_MAX) {
            return false;
        }
        result *= 10;
    }
    for (; exponent < -1 && result != 0; exponent++) {
        *is_exact = *is_exact && result % 10 == 0;
        result /= 10;
    }
    if (exponent < 0) {
        *is_exact = *is_exact && result % 10 == 0;
        result = (result + 5) / 10;
    }
    if (result > INT64_MAX) {
        return false;
    }
    *value = (int64_t)result;
    return true;
}

bool swf_number(const char **text, int scale, int64_t *value, bool *is_exact, bool *is_huge)
{
    struct decimal number = {0};
    const char *at = *text;
    bool is_negative = *at == '-';

    *is_huge = false;
    at += *at == '-' || *at == '+';
    if (!decimal_read(&at, &number)) {
        return false;
    }
    number.exponent += scale;
    if (!decimal_round(&number, value, is_exact)) {
        *is_huge = true;
        return false;
    }
    if (is_negative) {
        *value = -*value;
    }
    *text = at;
    return true;
}
