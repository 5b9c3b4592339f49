/* SPDX-License-Identifier: GPL-3.0-or-later */
/* library.c - the class library: what texts mean, which are refused, and that the one we ship is
 * sound. */
#include "speed/library.h"
#include "unit.h"

#include <stdio.h>
#include <string.h>

static struct catalogue *catalogue_of_hsim(void)
{
    struct catalogue *catalogue = catalogue_create();
    struct hs_error error = {0};

    CU_ASSERT_PTR_NOT_NULL_FATAL(catalogue);
    CU_ASSERT_EQUAL_FATAL(catalogue_add_file(catalogue, TEST_CATALOGUE, &error), HS_OK);
    return catalogue;
}

static void test_entry(void)
{
    static const char text[] =
        "classes:\n"
        "  - name: my-code\n    aliases: [My Code (batch 4)]\n    summary: a code\n"
        "    demand: 2x gpu=1\n    features: [tensor-cores]\n    reference: A100\n"
        "    rates: {a100-sxm4-40: {4: 30.5, 1: 10}, v100-sxm2-16: 5, k80-half: 0}\n"
        "    unit: steps/s\n    fallback: half\n    source: a book\n"
        "    sources: {k80-half: a sheet}\n    unconfirmed: [v100-sxm2-16]\n    note: n\n";
    struct catalogue *catalogue = catalogue_of_hsim();
    struct speed_library *library = speed_library_create();
    struct hs_error error = {0};
    const struct speed_class *class;

    CU_ASSERT_EQUAL_FATAL(
        speed_library_add_text(library, text, strlen(text), "c.yaml", catalogue, &error), HS_OK);
    class = speed_library_find(library, "MY CODE (batch 4)");
    CU_ASSERT_PTR_NOT_NULL_FATAL(class);
    CU_ASSERT_PTR_EQUAL(class, speed_library_find(library, "my-code"));
    CU_ASSERT_STRING_EQUAL(class->name, "my-code");
    CU_ASSERT_STRING_EQUAL(class->reference, "a100-sxm4-40");
    CU_ASSERT(class->is_rate);
    CU_ASSERT_EQUAL(class->fallback, SPEED_FALLBACK_HALF);
    CU_ASSERT_EQUAL_FATAL(class->entry_count, 4);
    /* Sorted by model, then scale. */
    CU_ASSERT_STRING_EQUAL(class->entries[0].model, "a100-sxm4-40");
    CU_ASSERT_EQUAL(class->entries[0].scale, 1);
    CU_ASSERT_DOUBLE_EQUAL(class->entries[1].value, 30.5, 0);
    CU_ASSERT_EQUAL(class->entries[1].scale, 4);
    CU_ASSERT_STRING_EQUAL(class->entries[1].source, "a book");
    CU_ASSERT_STRING_EQUAL(class->entries[2].source, "a sheet");
    CU_ASSERT_DOUBLE_EQUAL(class->entries[2].value, 0, 0);
    CU_ASSERT(class->entries[3].is_unconfirmed);
    CU_ASSERT(!class->entries[2].is_unconfirmed);
    CU_ASSERT_STRING_EQUAL(speed_library_nearest(library, "my-cod"), "my-code");
    speed_library_destroy(library);
    catalogue_destroy(catalogue);
}

#define CLASS(more) "classes:\n  - {name: x, reference: a100-sxm4-40, " more "}\n"

/* What is refused, and words that the message must have. */
static const struct {
    const char *text;
    const char *place;
    const char *words;
} wrong[] = {
    {"", "c.yaml: ", "The file is empty"},
    {"klasses: []\n", "c.yaml:1:1: ", "a class library has only `classes:`"},
    {"classes: []\n", "c.yaml:1:10: ", "There is no list of classes"},
    {"classes: [3]\n", "c.yaml:1:11: ", "is a map"},
    {"classes:\n  - {reference: a100-sxm4-40}\n", "c.yaml:2:5: ", "A class needs a `name:`"},
    {CLASS("times: {a100-sxm4-41: 3}"), "c.yaml:2:48: ", "did you mean 'a100-sxm4-40'?"},
    {CLASS("times: {a100-sxm4-40: -3}"), "c.yaml:2:", "is '-3', but allowed is a number"},
    {CLASS("times: {a100-sxm4-40: nan}"), "c.yaml:2:", "is 'nan'"},
    {CLASS("times: {a100-sxm4-40: {0: 1}}"), "c.yaml:2:", "The scale '0'"},
    {CLASS("times: {a100-sxm4-40: 1, A100: 2}"), "c.yaml:2:", "two values for the model"},
    {CLASS("times: {a100-sxm4-40: 1}, rates: {a100-sxm4-40: 1}"), "c.yaml:2:", "once"},
    {CLASS("times: {h100-sxm5: 1}"), "c.yaml:2:5: ", "no value above 0 for its reference"},
    {CLASS("summary: y"), "c.yaml:2:5: ", "lacks `times` or `rates`"},
    {CLASS("time: {a100-sxm4-40: 1}"), "c.yaml:2:", "did you mean 'times'?"},
    {CLASS("times: {a100-sxm4-40: 1}, fallback: fp65"), "c.yaml:2:", "is 'fp65'"},
    {CLASS("times: {a100-sxm4-40: 1}, sources: {t4: a}"), "c.yaml:2:", "has no value for it"},
    {CLASS("times: {a100-sxm4-40: 1}") "  - {name: x, reference: t4, times: {t4: 1}}\n",
     "c.yaml:3:1: ", "is described twice; the first time is at line 2"},
    {CLASS(
         "times: {a100-sxm4-40: 1}") "  - {name: z, aliases: [X], reference: t4, times: {t4: 1}}\n",
     "c.yaml:3:1: ", "names both 'z' and 'x'"},
};

static void test_wrong(void)
{
    struct catalogue *catalogue = catalogue_of_hsim();

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct speed_library *library = speed_library_create();
        struct hs_error error = {0};
        enum hs_err err = speed_library_add_text(library, wrong[i].text, strlen(wrong[i].text),
                                                 "c.yaml", catalogue, &error);

        CU_ASSERT_EQUAL(err, HS_ERR_INPUT);
        if (strncmp(error.text, wrong[i].place, strlen(wrong[i].place)) != 0 ||
            !strstr(error.text, wrong[i].words)) {
            (void)printf("\n%s -> %s\n", wrong[i].text, error.text);
            CU_FAIL("another message was due");
        }
        speed_library_destroy(library);
    }
    catalogue_destroy(catalogue);
}

/* A second file replaces a class, and adds others. */
static void test_replace(void)
{
    static const char first[] = "classes:\n"
                                "  - {name: x, reference: t4, times: {t4: 1, a10: 2}}\n"
                                "  - {name: y, reference: t4, times: {t4: 1}}\n";
    static const char second[] = "classes:\n"
                                 "  - {name: x, reference: a10, rates: {a10: 7}}\n"
                                 "  - {name: z, reference: t4, times: {t4: 1}}\n";
    struct speed_library *library = speed_library_create();
    struct hs_error error = {0};

    CU_ASSERT_EQUAL(speed_library_add_text(library, first, strlen(first), "a.yaml", NULL, &error),
                    HS_OK);
    CU_ASSERT_EQUAL(speed_library_add_text(library, second, strlen(second), "b.yaml", NULL, &error),
                    HS_OK);
    CU_ASSERT_EQUAL_FATAL(speed_library_count(library), 3);
    CU_ASSERT_STRING_EQUAL(speed_library_class(library, 0)->reference, "a10");
    CU_ASSERT_EQUAL(speed_library_class(library, 0)->entry_count, 1);
    CU_ASSERT_STRING_EQUAL(speed_library_class(library, 2)->name, "z");
    speed_library_destroy(library);
}

/* Every class that we ship has a source for each value, and a demand. */
static void test_shipped(void)
{
    struct catalogue *catalogue = catalogue_of_hsim();
    struct speed_library *library = speed_library_create();
    struct hs_error error = {0};

    if (speed_library_add_file(library, TEST_CLASSES, catalogue, &error) != HS_OK) {
        (void)printf("%s\n", error.text);
        CU_FAIL_FATAL("the library of hsim is refused");
    }
    CU_ASSERT(speed_library_count(library) >= 25);
    for (size_t i = 0; i < speed_library_count(library); i++) {
        const struct speed_class *class = speed_library_class(library, i);

        CU_ASSERT_PTR_NOT_NULL(class->summary);
        CU_ASSERT_PTR_NOT_NULL(class->demand);
        CU_ASSERT_PTR_NOT_NULL(class->unit);
        CU_ASSERT(class->entry_count >= 2);
        for (size_t k = 0; k < class->entry_count; k++) {
            CU_ASSERT_PTR_NOT_NULL(class->entries[k].source);
        }
    }
    speed_library_destroy(library);
    catalogue_destroy(catalogue);
}

static const struct unit_test tests[] = {
    {"all fields of a class", test_entry},
    {"what is wrong is told with its place", test_wrong},
    {"a later file replaces classes", test_replace},
    {"the library that comes with hsim", test_shipped},
};

UNIT_MAIN("speed_library", tests)
