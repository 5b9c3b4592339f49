/* SPDX-License-Identifier: GPL-3.0-or-later */
/* words.c - notes, words and names. */
#include "probe/words.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

void words_note(struct probe_notes *notes, const char *format, ...)
{
    va_list arguments;

    if (notes->count == PROBE_NOTES_MAX) {
        return;
    }
    va_start(arguments, format);
    (void)vsnprintf(notes->texts[notes->count++], PROBE_NOTE_MAX, format, arguments);
    va_end(arguments);
}

void words_feature(struct probe_features *features, const char *format, ...)
{
    va_list arguments;

    if (features->count == PROBE_FEATURES_MAX) {
        return;
    }
    va_start(arguments, format);
    (void)vsnprintf(features->words[features->count++], PROBE_WORD_MAX, format, arguments);
    va_end(arguments);
}

void words_copy(char *copy, const char *text)
{
    size_t length = 0;

    for (; *text && length + 1 < PROBE_TEXT_MAX; text++) {
        bool is_blank = *text < '!' || *text > '~';

        if (!is_blank) {
            copy[length++] = *text;
        } else if (length && copy[length - 1] != ' ') {
            copy[length++] = ' ';
        }
    }
    while (length && copy[length - 1] == ' ') {
        length--;
    }
    copy[length] = '\0';
}

/* Words that say nothing of the model. "64-Core" and "2.40GHz" are known by their form. */
static bool is_noise(const char *word, size_t length)
{
    static const char *const noise[] = {
        "intel", "amd",     "nvidia", "cpu",    "processor", "xilinx", "corporation",
        "inc",   "genuine", "with",   "radeon", "graphics",  "core",
    };
    const char *core = memchr(word, '-', length);

    for (size_t i = 0; i < sizeof noise / sizeof noise[0]; i++) {
        if (strlen(noise[i]) == length && memcmp(noise[i], word, length) == 0) {
            return true;
        }
    }
    if (!isdigit((unsigned char)word[0])) {
        return false;
    }
    return (core && word + length - core == 5 && memcmp(core, "-core", 5) == 0) ||
           (length > 3 && memcmp(word + length - 3, "ghz", 3) == 0);
}

/* Small letters; what is not allowed in a word becomes a blank, "(R)" and "(TM)" as well. */
static void simplify(char *simple, const char *name)
{
    size_t length = 0;

    for (; *name && length + 1 < PROBE_TEXT_MAX; name++) {
        if (strncasecmp(name, "(r)", 3) == 0) {
            name += 2;
            simple[length++] = ' ';
        } else if (strncasecmp(name, "(tm)", 4) == 0) {
            name += 3;
            simple[length++] = ' ';
        } else if (isalnum((unsigned char)*name) || (*name && strchr("+-.", *name))) {
            simple[length++] = (char)tolower((unsigned char)*name);
        } else {
            simple[length++] = ' ';
        }
    }
    simple[length] = '\0';
}

void words_model(char *word, const char *name, const char *fallback)
{
    char simple[PROBE_TEXT_MAX];
    size_t length = 0;
    const char *at = simple;

    simplify(simple, name);
    for (;;) {
        size_t part;

        at += strspn(at, " ");
        part = strcspn(at, " ");
        if (part == 0) {
            break;
        }
        if (!is_noise(at, part) && strspn(at, "+-.") < part) {
            if (length) {
                word[length++] = '-';
            }
            memcpy(word + length, at, part);
            length += part;
        }
        at += part;
    }
    word[length] = '\0';
    if (length == 0) {
        (void)snprintf(word, PROBE_TEXT_MAX, "%s", fallback);
    }
}
