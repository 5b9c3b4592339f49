/* SPDX-License-Identifier: GPL-3.0-or-later */
/* csv.c - headers, quotes, lines of all lengths, and what is no CSV. */
#include "input/csv.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { A, B, C, COLUMNS };
static const struct csv_column columns[COLUMNS] = {
    [A] = {"alpha", true}, [B] = {"beta", true}, [C] = {"gamma", false}};

static char path[64];

static struct csv *open_bytes(const void *bytes, size_t length, enum hs_err expected,
                              const char *part)
{
    struct hs_error error = {0};
    struct csv *csv;
    int file;

    (void)snprintf(path, sizeof path, "/tmp/hsim-csv-XXXXXX");
    file = mkstemp(path);
    CU_ASSERT_FATAL(file >= 0);
    CU_ASSERT_FATAL(write(file, bytes, length) == (ssize_t)length);
    CU_ASSERT_FATAL(close(file) == 0);
    CU_ASSERT_EQUAL(csv_open(path, "a test", columns, COLUMNS, &csv, &error), expected);
    CU_ASSERT(unlink(path) == 0);
    if (part && !strstr(error.text, part)) {
        printf("\n  '%s' lacks '%s'\n", error.text, part);
        CU_FAIL("another sentence");
    }
    return csv;
}

static struct csv *open_text(const char *text)
{
    return open_bytes(text, strlen(text), HS_OK, NULL);
}

/* The next row is this; `c` NULL: it has the problem that `a` is a part of. */
static void expect(struct csv *csv, int64_t line, const char *a, const char *b, const char *c)
{
    struct csv_row row;
    bool has_row;

    CU_ASSERT_EQUAL_FATAL(csv_next(csv, &row, &has_row, NULL), HS_OK);
    CU_ASSERT_FATAL(has_row);
    CU_ASSERT_EQUAL(row.line, line);
    if (!c) {
        CU_ASSERT_PTR_NOT_NULL_FATAL(row.problem);
        CU_ASSERT_PTR_NOT_NULL(strstr(row.problem, a));
        return;
    }
    CU_ASSERT_PTR_NULL_FATAL(row.problem);
    CU_ASSERT_STRING_EQUAL(row.fields[A], a);
    CU_ASSERT_STRING_EQUAL(row.fields[B], b);
    CU_ASSERT_STRING_EQUAL(row.fields[C], c);
}

static void expect_end(struct csv *csv)
{
    struct csv_row row;
    bool has_row = true;

    CU_ASSERT_EQUAL(csv_next(csv, &row, &has_row, NULL), HS_OK);
    CU_ASSERT_FALSE(has_row);
    csv_close(csv);
}

static void test_plain(void)
{
    struct csv *csv = open_text("\xEF\xBB\xBF gamma , other,beta\t,alpha\r\n"
                                "3,x,2,1\r\n\n  \n , , ,\n6,y z , 5 4 ,\t4");

    CU_ASSERT_TRUE(csv_has(csv, C));
    expect(csv, 2, "1", "2", "3");
    expect(csv, 5, "", "", "");
    expect(csv, 6, "4", "5 4", "6");
    expect_end(csv);
    csv = open_text("\n\nalpha,beta\n1,2\n");
    CU_ASSERT_FALSE(csv_has(csv, C));
    expect(csv, 4, "1", "2", "");
    expect_end(csv);
}

static void test_quotes(void)
{
    struct csv *csv = open_text("\"alpha\",\"beta\"\n"
                                "\"a,b\" , \"say \"\"hi\"\"\"\n"
                                "\"\",\" x \"\n"
                                "a\"b,\"\"\"\"\n"
                                "\"open,2\n"
                                "\"closed\"x,2\n"
                                "1,2\n");

    expect(csv, 2, "a,b", "say \"hi\"", "");
    expect(csv, 3, "", " x ", "");
    expect(csv, 4, "a\"b", "\"", "");
    expect(csv, 5, "field 1 are not closed", "", NULL);
    expect(csv, 6, "field 1 are followed by text", "", NULL);
    expect(csv, 7, "1", "2", "");
    expect_end(csv);
}

static void test_bad_rows(void)
{
    static const char text[] = "alpha,beta\n1\n1,2,3\n1,\0002\n7,8\n";
    struct csv *csv = open_bytes(text, sizeof text - 1, HS_OK, NULL);

    expect(csv, 2, "1 field; the header names 2", "", NULL);
    expect(csv, 3, "3 fields; the header names 2", "", NULL);
    expect(csv, 4, "a zero byte at 2", "", NULL);
    expect(csv, 5, "7", "8", "");
    expect_end(csv);
}

/* Lines around the limit and the size of the buffer. */
static void test_lengths(void)
{
    static const size_t lengths[] = {32700, 32768, 32769, 40000, 131071, 131072, 131073, 400000};

    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        size_t length = lengths[i];
        char *text = malloc(length + 64);
        size_t used;
        struct csv *csv;

        CU_ASSERT_PTR_NOT_NULL_FATAL(text);
        used = (size_t)snprintf(text, 64, "alpha,beta\n");
        memset(text + used, 'x', length - 2);
        memcpy(text + used + length - 2, ",2\n1,2", 6);
        csv = open_bytes(text, used + length + 4, HS_OK, NULL);
        if (length > 32768) {
            expect(csv, 2, "longer than 32768 bytes", "", NULL);
        } else {
            struct csv_row row;
            bool has_row;

            CU_ASSERT_EQUAL(csv_next(csv, &row, &has_row, NULL), HS_OK);
            CU_ASSERT_FATAL(has_row && !row.problem);
            CU_ASSERT_EQUAL(strlen(row.fields[A]), length - 2);
        }
        expect(csv, 3, "1", "2", "");
        expect_end(csv);
        free(text);
    }
}

/* Thousands of rows come one after another, across the ends of the buffer. */
static void test_many(void)
{
    char *text = malloc(20 * 50000);
    size_t used;
    struct csv *csv;

    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    used = (size_t)snprintf(text, 64, "beta,alpha\n");
    for (int i = 0; i < 50000; i++) {
        used += (size_t)snprintf(text + used, 20, "%d,x%d\n", i, i);
    }
    csv = open_bytes(text, used, HS_OK, NULL);
    for (int i = 0; i < 50000; i++) {
        char a[16], b[16];

        (void)snprintf(a, sizeof a, "x%d", i);
        (void)snprintf(b, sizeof b, "%d", i);
        expect(csv, i + 2, a, b, "");
    }
    expect_end(csv);
    free(text);
}

static void refuse(const char *text, const char *part)
{
    struct csv *csv = open_bytes(text, strlen(text), HS_ERR_INPUT, part);

    CU_ASSERT_PTR_NULL(csv);
}

static void test_headers(void)
{
    char wide[1200];

    refuse("", "the file is empty");
    refuse("\n\n", "the file is empty");
    refuse("alpha,gamma\n", ":1: the header has no column 'beta'. The header of a test names "
                            "alpha,beta, in any order.");
    refuse("alpha,betta\n", "no column 'beta' (but 'betta')");
    refuse("alpha,beta,alpha\n", ":1: the header has the column 'alpha' twice");
    refuse("\"alpha,beta\n", ":1: the quotes of field 1 are not closed");
    memset(wide, ',', sizeof wide - 1);
    wide[sizeof wide - 1] = '\0';
    refuse(wide, ":1: more than 256 fields");
    CU_ASSERT_PTR_NULL(open_bytes("alp\0ha,beta\n", 12, HS_ERR_INPUT, "no line of text"));
}

/* Writes the file that an opening function of its own then reads. */
static void write_file(const char *text)
{
    int file;

    (void)snprintf(path, sizeof path, "/tmp/hsim-csv-XXXXXX");
    file = mkstemp(path);
    CU_ASSERT_FATAL(file >= 0);
    CU_ASSERT_FATAL(write(file, text, strlen(text)) == (ssize_t)strlen(text));
    CU_ASSERT_FATAL(close(file) == 0);
}

/* Columns that nobody asked for lie behind those that were, in the order of the file. */
static void test_rest(void)
{
    struct csv *csv;
    struct csv_row row;
    bool has_row;

    write_file("x,beta,y,alpha\n1,2,3,4\n5,6,7\n");
    CU_ASSERT_EQUAL_FATAL(csv_open_rest(path, "a test", columns, COLUMNS, &csv, NULL), HS_OK);
    CU_ASSERT_EQUAL(csv_rest_count(csv), 2);
    CU_ASSERT_STRING_EQUAL(csv_rest_name(csv, 0), "x");
    CU_ASSERT_STRING_EQUAL(csv_rest_name(csv, 1), "y");
    CU_ASSERT_EQUAL_FATAL(csv_next(csv, &row, &has_row, NULL), HS_OK);
    CU_ASSERT_FATAL(has_row && !row.problem);
    CU_ASSERT_STRING_EQUAL(row.fields[A], "4");
    CU_ASSERT_STRING_EQUAL(row.fields[B], "2");
    CU_ASSERT_STRING_EQUAL(row.fields[C], "");
    CU_ASSERT_STRING_EQUAL(row.fields[COLUMNS], "1");
    CU_ASSERT_STRING_EQUAL(row.fields[COLUMNS + 1], "3");
    CU_ASSERT_EQUAL_FATAL(csv_next(csv, &row, &has_row, NULL), HS_OK);
    CU_ASSERT_PTR_NOT_NULL_FATAL(row.problem);
    CU_ASSERT_STRING_EQUAL(row.problem, "3 fields; the header names 4");
    csv_close(csv);
    CU_ASSERT(unlink(path) == 0);
}

static void refuse_rest(const char *text, const char *part)
{
    struct hs_error error = {0};
    struct csv *csv;

    write_file(text);
    CU_ASSERT_EQUAL(csv_open_rest(path, "a test", columns, COLUMNS, &csv, &error), HS_ERR_INPUT);
    CU_ASSERT_PTR_NULL(csv);
    CU_ASSERT(unlink(path) == 0);
    if (!strstr(error.text, part)) {
        printf("\n  '%s' lacks '%s'\n", error.text, part);
        CU_FAIL("another sentence");
    }
}

static void test_rest_headers(void)
{
    char many[1024] = "alpha,beta";
    size_t used = strlen(many);

    refuse_rest("alpha,x,beta,x\n", ":1: the header has the column 'x' twice");
    refuse_rest("alpha,,beta\n", "has a column without a name, number 2");
    refuse_rest("alpha,x\n", "no column 'beta'");
    for (int i = 0; i < CSV_COLUMNS_MAX; i++) {
        used += (size_t)snprintf(many + used, sizeof many - used, ",x%d", i);
    }
    (void)snprintf(many + used, sizeof many - used, "\n");
    refuse_rest(many, "the header of a test has more than 64 columns");
}

/* Without a header: tabs separate, so that they are no padding, and quotes are text. */
static void test_bare(void)
{
    struct csv *csv;

    write_file("\xEF\xBB\xBF"
               "a \"b\t c,d \t\n\n\t\te\r\n\"\tx\ny\t\t\t\n");
    CU_ASSERT_EQUAL_FATAL(csv_open_bare(path, '\t', COLUMNS, &csv, NULL), HS_OK);
    expect(csv, 1, "a \"b", "c,d", "");
    expect(csv, 3, "", "", "e");
    expect(csv, 4, "2 fields; 3 are due", NULL, NULL);
    expect(csv, 5, "4 fields; 3 are due", NULL, NULL);
    csv_close(csv);
    CU_ASSERT(unlink(path) == 0);
}

static void test_numbers(void)
{
    static const struct {
        const char *text;
        int64_t value;
        bool is_number;
    } cases[] = {
        {"0", 0, true},
        {"-12", -12, true},
        {"+7", 7, true},
        {"9223372036854775807", INT64_MAX, true},
        {"9223372036854775808", 0, false},
        {"", 0, false},
        {"-", 0, false},
        {" 1", 0, false},
        {"1 ", 0, false},
        {"1.0", 0, false},
        {"0x10", 0, false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t value;

        CU_ASSERT_EQUAL(csv_parse_int(cases[i].text, &value), cases[i].is_number);
        CU_ASSERT(!cases[i].is_number || value == cases[i].value);
    }
}

static const struct unit_test tests[] = {
    {"columns in any order", test_plain},
    {"quotes", test_quotes},
    {"bad rows", test_bad_rows},
    {"lengths of lines", test_lengths},
    {"many rows", test_many},
    {"headers", test_headers},
    {"whole numbers", test_numbers},
    {"further columns", test_rest},
    {"further headers", test_rest_headers},
    {"without a header", test_bare},
};

UNIT_MAIN("rows of CSV", tests)
