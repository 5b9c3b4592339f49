/* SPDX-License-Identifier: MIT */
/* base.c - errors as sentences, suggestions for misspelt names, exact times as text. */
#include "hs/base.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum hs_err hs_error_set(struct hs_error *error, enum hs_err code, const char *format, ...)
{
    if (error) {
        va_list arguments;

        error->code = code;
        va_start(arguments, format);
        (void)vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
    }
    return code;
}

enum hs_err hs_error_memory(struct hs_error *error)
{
    return hs_error_set(error, HS_ERR_SYSTEM, "Out of memory.");
}

#define WORD_MAX 64u

/* Small, if it is a letter of ASCII: a word in other letters is no other word. */
static int small(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter;
}

/* Edits from one word to the other, where swapped neighbours count once (optimal string alignment:
 * Damerau, Comm. ACM 7(3), 1964), over three rows; words are cut at WORD_MAX. */
static unsigned edit_distance(const char *left, const char *right)
{
    size_t right_length = strnlen(right, WORD_MAX);
    unsigned rows[3][WORD_MAX + 1] = {{0}};
    unsigned *before = rows[0];
    unsigned *above = rows[1];
    unsigned *row = rows[2];

    for (size_t j = 0; j <= right_length; j++) {
        row[j] = (unsigned)j;
    }
    for (size_t i = 0; left[i] && i < WORD_MAX; i++) {
        unsigned *unused = before;

        before = above;
        above = row;
        row = unused;
        row[0] = (unsigned)i + 1;
        for (size_t j = 1; j <= right_length; j++) {
            unsigned change = above[j - 1] + (small(left[i]) != small(right[j - 1]));
            unsigned insert = row[j - 1] + 1;
            unsigned erase = above[j] + 1;

            row[j] = insert < erase ? insert : erase;
            row[j] = change < row[j] ? change : row[j];
            if (i && j > 1 && small(left[i]) == small(right[j - 2]) &&
                small(left[i - 1]) == small(right[j - 1]) && before[j - 2] + 1 < row[j]) {
                row[j] = before[j - 2] + 1;
            }
        }
    }
    return row[right_length];
}

static bool begins_with(const char *name, const char *word, size_t length)
{
    size_t i = 0;

    while (i < length && small(name[i]) == small(word[i])) {
        i++;
    }
    return i == length;
}

static bool holds(const char *name, const char *word, size_t length)
{
    for (; *name; name++) {
        if (begins_with(name, word, length)) {
            return true;
        }
    }
    return false;
}

/* The word is part of a name: the shortest that begins with it, else the first that holds it. */
static const char *completion(const char *word, size_t length, const char *const *names,
                              size_t count)
{
    const char *best = NULL;

    for (size_t i = 0; length >= 3 && i < count; i++) {
        if (begins_with(names[i], word, length) && (!best || strlen(names[i]) < strlen(best))) {
            best = names[i];
        }
    }
    for (size_t i = 0; length >= 4 && !best && i < count; i++) {
        best = holds(names[i], word, length) ? names[i] : NULL;
    }
    return best;
}

const char *hs_nearest(const char *word, const char *const *names, size_t count)
{
    const char *best = NULL;
    size_t length = strnlen(word, WORD_MAX);
    unsigned limit = length <= 3 ? 1 : length <= 6 ? 2 : 3;

    for (size_t i = 0; i < count; i++) {
        unsigned distance = edit_distance(word, names[i]);
        /* Of equally near names one that only goes on is the likelier one. */
        bool is_longer = best && distance == limit + 1 && begins_with(names[i], word, length) &&
                         !begins_with(best, word, length);

        /* A word of which nothing is left is no misspelling. */
        if ((distance <= limit || is_longer) && distance < length) {
            best = names[i];
            limit = distance ? distance - 1 : 0;
            if (distance == 0) {
                break;
            }
        }
    }
    return best ? best : completion(word, length, names, count);
}

int hs_time_format(hs_time time, char *text)
{
    uint64_t magnitude = time < 0 ? (uint64_t)0 - (uint64_t)time : (uint64_t)time;
    uint64_t seconds = magnitude / (uint64_t)HS_NS_PER_S;
    uint64_t fraction = magnitude % (uint64_t)HS_NS_PER_S;
    int length = snprintf(text, HS_TIME_TEXT_MAX, "%s%" PRIu64, time < 0 ? "-" : "", seconds);

    if (fraction) {
        length +=
            snprintf(text + length, HS_TIME_TEXT_MAX - (size_t)length, ".%09" PRIu64, fraction);
        while (text[length - 1] == '0') {
            text[--length] = '\0';
        }
    }
    return length;
}

_Noreturn void hs_assert_fail(const char *condition, const char *file, int line)
{
    /* The core does not print; a debugger or a core file shows these three. */
    (void)condition;
    (void)file;
    (void)line;
    abort();
}
