/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shell.c - a shell reads words back as they were; programs and what they say. */
#include "sweep/shell.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

static char *written(const char *const *words, size_t count)
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);

    CU_ASSERT_FATAL(file != NULL);
    shell_write_words(file, words, count);
    CU_ASSERT_EQUAL_FATAL(fclose(file), 0);
    return text;
}

static void test_plain(void)
{
    const char *const words[] = {"/usr/bin/hsim", "--set", "seed=1", "a b", "", "it's", "$x"};
    char *text = written(words, 7);

    CU_ASSERT_STRING_EQUAL(text, "/usr/bin/hsim --set seed=1 'a b' '' 'it'\\''s' '$x'");
    free(text);
}

/* Each byte but zero, alone and between letters, through a real shell. */
static void test_round_trip(void)
{
    struct hs_error error = {0};

    for (int byte = 1; byte < 256; byte++) {
        const char single[] = {(char)byte, '\0'};
        const char inside[] = {'a', (char)byte, 'b', (char)byte, '\0'};
        const char *const words[] = {"printf", "%s|", single, inside, "~", "{a,b}", "*"};
        char expected[32];
        char *line = written(words, 7);
        const char *const call[] = {"sh", "-c", line, NULL};
        struct shell_answer answer = {0};

        CU_ASSERT_EQUAL_FATAL(shell_run(call, NULL, &answer, &error), HS_OK);
        (void)snprintf(expected, sizeof expected, "%s|%s|~|{a,b}|*|", single, inside);
        CU_ASSERT_STRING_EQUAL(answer.output, expected);
        CU_ASSERT_EQUAL(answer.status, 0);
        shell_answer_fini(&answer);
        free(line);
    }
}

static void test_answer(void)
{
    const char *const call[] = {"sh", "-c", "pwd; cat; echo sorry >&2; echo >&2; exit 3", NULL};
    const char *const killed[] = {"sh", "-c", "kill -9 $$", NULL};
    const char *const missing[] = {"hsim-no-such-program", NULL};
    struct shell_answer answer = {0};
    struct hs_error error = {0};

    CU_ASSERT_EQUAL_FATAL(shell_run(call, "/", &answer, &error), HS_OK);
    CU_ASSERT_STRING_EQUAL(answer.output, "/\n");
    CU_ASSERT_STRING_EQUAL(answer.words, "sorry");
    CU_ASSERT_EQUAL(answer.status, 3);
    shell_answer_fini(&answer);
    CU_ASSERT_EQUAL_FATAL(shell_run(killed, NULL, &answer, &error), HS_OK);
    CU_ASSERT_EQUAL(answer.status, 128 + 9);
    shell_answer_fini(&answer);
    CU_ASSERT_EQUAL_FATAL(shell_run(missing, NULL, &answer, &error), HS_OK);
    CU_ASSERT(answer.is_missing);
    shell_answer_fini(&answer);
    CU_ASSERT_EQUAL(shell_run(call, "/no/such/folder", &answer, &error), HS_ERR_SYSTEM);
    CU_ASSERT(strstr(error.text, "`sh` cannot be started") != NULL);
}

static const struct unit_test tests[] = {
    {"plain and quoted words", test_plain},
    {"round trip", test_round_trip},
    {"answers", test_answer},
};

UNIT_MAIN("words for a shell", tests)
