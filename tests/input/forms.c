/* SPDX-License-Identifier: GPL-3.0-or-later */
/* forms.c - CSV that is not as usual: quotes over several lines, other separators, no header; and
 * lines that are joined and parted. */
#include "input/csv.h"
#include "input/lines.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[64];

static void write_file(const void *bytes, size_t length)
{
    int file;

    (void)snprintf(path, sizeof path, "/tmp/hsim-forms-XXXXXX");
    file = mkstemp(path);
    CU_ASSERT_FATAL(file >= 0);
    CU_ASSERT_FATAL(write(file, bytes, length) == (ssize_t)length);
    CU_ASSERT_FATAL(close(file) == 0);
}

/* Rows as "line:a|b" with the problem for rows that have one, a newline behind each. */
static void read_rows(const char *text, const struct csv_form *form,
                      const struct csv_column *columns, size_t count, char *found, size_t size)
{
    struct hs_error error = {0};
    struct csv *csv;
    struct csv_row row;
    bool has_row = true;
    size_t used = 0;

    write_file(text, strlen(text));
    CU_ASSERT_EQUAL_FATAL(csv_open_form(path, "a test", form, columns, count, &csv, &error), HS_OK);
    CU_ASSERT_FATAL(unlink(path) == 0);
    found[0] = '\0';
    while (csv_next(csv, &row, &has_row, &error) == HS_OK && has_row) {
        used += (size_t)snprintf(found + used, size - used, "%lld:", (long long)row.line);
        for (size_t i = 0; !row.problem && i < count; i++) {
            used +=
                (size_t)snprintf(found + used, size - used, "%s%s", i ? "|" : "", row.fields[i]);
        }
        used += (size_t)snprintf(found + used, size - used, "%s\n", row.problem ? row.problem : "");
    }
    csv_close(csv);
}

static const struct csv_column named[] = {{"a", true}, {"b", true}};

static void test_multiline(void)
{
    static const struct csv_form form = {.separator = ',', .is_multiline = true};
    char found[1024];

    read_rows("\xEF\xBB\xBF"
              "a,b,c\r\n"
              "1,\"x\ny, z\",3\r\n"
              "2,\"he said \"\"no\nyes\"\"\",3\r\n"
              "3,5\" disk,4\n"
              "4,\"open,5\n"
              "6,7,8\n"
              "9,\"never closed,1\n"
              "10,11,12",
              &form, named, 2, found, sizeof found);
    CU_ASSERT_STRING_EQUAL(
        found, "2:1|x\ny, z\n"
               "4:2|he said \"no\nyes\"\n"
               "6:3|5\" disk\n"
               "7:the quotes of field 2 are not closed in this line (a quote inside is doubled)\n"
               "8:6|7\n"
               "9:the quotes of field 2 are not closed in this line (a quote inside is doubled)\n"
               "10:10|11\n");
}

static void test_separators(void)
{
    static const struct csv_form semicolon = {.separator = ';'}, tab = {.separator = '\t'};
    char found[256];

    read_rows("b;a\n\"x;y\" ; 1,5\n", &semicolon, named, 2, found, sizeof found);
    CU_ASSERT_STRING_EQUAL(found, "2:1,5|x;y\n");
    read_rows("a\tb\n1\t\t\n\t2\n", &tab, named, 2, found, sizeof found);
    CU_ASSERT_STRING_EQUAL(found, "2:3 fields; the header names 2\n3:|2\n");
}

static void test_headless(void)
{
    static const struct csv_form form = {.separator = ',', .is_headless = true};
    static const struct csv_column numbered[] = {{"#3", true}, {"#1", true}};
    static const struct csv_column beyond[] = {{"#4", true}};
    static const struct csv_column wrong[] = {{"a", true}};
    struct hs_error error = {0};
    struct csv *csv;
    char found[256];

    read_rows("\xEF\xBB\xBF"
              "1,2,3\n4,5\n6,7,8\n",
              &form, numbered, 2, found, sizeof found);
    CU_ASSERT_STRING_EQUAL(found, "1:3|1\n2:2 fields; the first row has 3\n3:8|6\n");
    read_rows("1,2,3\n", &form, beyond, 1, found, sizeof found);
    CU_ASSERT_STRING_EQUAL(found, "1:3 fields, and column #4 is asked for\n");
    write_file("1\n", 2);
    CU_ASSERT_EQUAL(csv_open_form(path, "a test", &form, wrong, 1, &csv, &error), HS_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "columns are called #1 to #256; 'a' is none"));
    CU_ASSERT(unlink(path) == 0);
}

static void test_join(void)
{
    struct hs_error error = {0};
    struct lines *lines;
    char *line;
    size_t length;
    bool is_joined;

    write_file("a\nbc\n\nd", 7);
    CU_ASSERT_EQUAL_FATAL(lines_open(path, &lines, &error), HS_OK);
    CU_ASSERT(unlink(path) == 0);
    CU_ASSERT_EQUAL(lines_next(lines, &line, &length, &error), HS_OK);
    CU_ASSERT_STRING_EQUAL(line, "a");
    for (int i = 0; i < 2; i++) {
        CU_ASSERT_EQUAL(lines_join(lines, &line, &length, &is_joined, &error), HS_OK);
        CU_ASSERT(is_joined);
    }
    CU_ASSERT_STRING_EQUAL(line, "a\nbc\n");
    CU_ASSERT_EQUAL(length, 5);
    CU_ASSERT_EQUAL(lines_number(lines), 1);
    lines_part(lines);
    CU_ASSERT_STRING_EQUAL(line, "a");
    CU_ASSERT_EQUAL(lines_next(lines, &line, &length, &error), HS_OK);
    CU_ASSERT_STRING_EQUAL(line, "bc");
    CU_ASSERT_EQUAL(lines_number(lines), 2);
    for (int i = 0; i < 2; i++) {
        CU_ASSERT_EQUAL(lines_join(lines, &line, &length, &is_joined, &error), HS_OK);
        CU_ASSERT(is_joined);
    }
    CU_ASSERT_STRING_EQUAL(line, "bc\n\nd");
    CU_ASSERT_EQUAL(lines_join(lines, &line, &length, &is_joined, &error), HS_OK);
    CU_ASSERT_FALSE(is_joined);
    lines_part(lines);
    CU_ASSERT_EQUAL(lines_next(lines, &line, &length, &error), HS_OK);
    CU_ASSERT_STRING_EQUAL(line, "");
    CU_ASSERT_EQUAL(lines_next(lines, &line, &length, &error), HS_OK);
    CU_ASSERT_STRING_EQUAL(line, "d");
    CU_ASSERT_EQUAL(lines_number(lines), 4);
    CU_ASSERT_EQUAL(lines_next(lines, &line, &length, &error), HS_OK);
    CU_ASSERT_PTR_NULL(line);
    lines_close(lines);
}

/* Joining while the buffer moves: rows of two lines, many times the buffer. */
static void test_long(void)
{
    enum { ROWS = 40000 };
    static const struct csv_form form = {.separator = ',', .is_multiline = true};
    struct hs_error error = {0};
    struct csv *csv;
    struct csv_row row;
    bool has_row = true;
    FILE *file;
    int64_t count = 0;

    write_file("", 0);
    file = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    (void)fputs("a,b\n", file);
    for (int i = 0; i < ROWS; i++) {
        (void)fprintf(file, "%d,\"first\nsecond %d\"\n", i, i);
    }
    CU_ASSERT_EQUAL_FATAL(fclose(file), 0);
    CU_ASSERT_EQUAL_FATAL(csv_open_form(path, "a test", &form, named, 2, &csv, &error), HS_OK);
    CU_ASSERT(unlink(path) == 0);
    while (csv_next(csv, &row, &has_row, &error) == HS_OK && has_row) {
        char due[64];

        (void)snprintf(due, sizeof due, "first\nsecond %lld", (long long)count);
        if (row.problem || strcmp(row.fields[1], due) != 0 || row.line != 2 + 2 * count) {
            CU_FAIL("a row differs");
            break;
        }
        count++;
    }
    CU_ASSERT_EQUAL(count, ROWS);
    csv_close(csv);
}

static const struct unit_test tests[] = {{"quotes over lines", test_multiline},
                                         {"separators", test_separators},
                                         {"no header", test_headless},
                                         {"lines joined", test_join},
                                         {"many rows of two lines", test_long}};

UNIT_MAIN("forms of CSV", tests)
