/* SPDX-License-Identifier: GPL-3.0-or-later */
/* unit.h - the main function of a CUnit program: a table of tests in one suite. */
#ifndef HSIM_TESTS_UNIT_H
#define HSIM_TESTS_UNIT_H

#include <CUnit/Basic.h>
#include <stdlib.h>

struct unit_test {
    const char *name;
    void (*run)(void);
};

/* Runs the tests; the exit code of the program. */
static inline int unit_main(const char *suite_name, const struct unit_test *tests, size_t count)
{
    unsigned failures;
    CU_pSuite suite;

    if (CU_initialize_registry() != CUE_SUCCESS) {
        return EXIT_FAILURE;
    }
    suite = CU_add_suite(suite_name, NULL, NULL);
    for (size_t i = 0; suite && i < count; i++) {
        if (!CU_add_test(suite, tests[i].name, tests[i].run)) {
            suite = NULL;
        }
    }
    if (!suite) {
        return EXIT_FAILURE;
    }
    CU_basic_set_mode(CU_BRM_VERBOSE);
    (void)CU_basic_run_tests();
    failures = CU_get_number_of_failures();
    CU_cleanup_registry();
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}

#define UNIT_MAIN(suite_name, tests)                                                               \
    int main(void)                                                                                 \
    {                                                                                              \
        return unit_main(suite_name, tests, sizeof(tests) / sizeof(tests)[0]);                     \
    }

#endif
