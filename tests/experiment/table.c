/* SPDX-License-Identifier: GPL-3.0-or-later */
/* table.c - the rows of the table are complete, and schema and explanations come from all. */
#include "experiment/key.h"
#include "fixture.h"

static char *written(void (*write)(FILE *file))
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    write(file);
    CHECK(fclose(file) == 0);
    return text;
}

static void test_rows(void)
{
    CHECK(*experiment_keys[0].path == '\0');
    for (size_t i = 1; i < experiment_key_count; i++) {
        const struct key *key = &experiment_keys[i];
        size_t length = strlen(key->doc);
        const struct key *parent = &experiment_keys[0];

        CHECK(length > 10 && key->doc[length - 1] == '.');
        CHECK(key->example && *key->example);
        CHECK((key->choices != NULL) == (key->type == KEY_CHOICE || key->type == KEY_CHOICE_TIME));
        CHECK(experiment_key_find(key->path) == key);
        if (strchr(key->path, '.')) {
            char path[64];

            (void)snprintf(path, sizeof path, "%.*s", (int)(strrchr(key->path, '.') - key->path),
                           key->path);
            parent = experiment_key_find(path);
        }
        CU_ASSERT_PTR_NOT_NULL_FATAL(parent);
        CHECK(parent < key && (parent->type == KEY_MAP || parent->type == KEY_MAP_LIST ||
                               parent->type == KEY_POLICY));
        CHECK(!key->only_with || experiment_key_child(parent, key->only_with)->choices);
        CHECK(experiment_key_child(parent, experiment_key_name(key)) == key);
    }
}

#define CLASSES "[{name: a, demand: 1x, run: 5m}]"

/* A key inside the list of classes, beside what a class must have. */
static void item_example(const struct key *key, char *text, size_t size)
{
    const struct key *list = experiment_key_list(key);
    bool is_class = strcmp(list->path, "workload.generate.classes") == 0;
    const char *name = key->path + strlen(list->path) + 1;
    bool is_run = strncmp(name, "run.", 4) == 0;
    const char *run_name = is_run ? name + 4 : "";
    bool is_mean = strcmp(run_name, "mean") == 0;

    if (!is_class) { /* its example has all its keys */
        CU_ASSERT_PTR_NOT_NULL(strstr(list->example, key->example));
        (void)snprintf(text, size, "%s=%s", list->path, list->example);
        return;
    }
    (void)snprintf(text, size,
                   "workload.generate={model: mix, load: 1, classes: [{%s%s%s%s%s%s%s%s%s}]}",
                   strcmp(name, "name") == 0 ? "" : "name: a, ",
                   strcmp(name, "demand") == 0 ? "" : "demand: 1x, ",
                   is_run                     ? "run: {"
                   : strcmp(name, "run") == 0 ? ""
                                              : "run: 5m, ",
                   is_run && !is_mean ? "mean: 5m, " : "",
                   strcmp(run_name, "cv") == 0 ? "distribution: lognormal, " : "",
                   is_run ? run_name : name, ": ", key->example, is_run ? "}" : "");
}

/* The example of each key is a value that the key takes. */
static void test_examples(void)
{
    for (size_t i = 1; i < experiment_key_count; i++) {
        const struct key *key = &experiment_keys[i];
        const char *base = FOUR;
        char text[512], choice[128];
        struct experiment_override overrides[] = {
            {"workload.estimate.model=factor"}, {choice}, {text}};
        struct fixture fixture;

        if (key->part == KEY_PART_SWEEP) {
            continue; /* tests/sweep */
        }
        if (strcmp(key->path, "platform.file") == 0 || strcmp(key->path, "workload.file") == 0 ||
            strcmp(key->path, "platform.catalogue") == 0) {
            base = "hsim: 1\nplatform: p\nworkload: w\npolicy: easy\n";
        }
        (void)snprintf(choice, sizeof choice, "seed=1");
        if (strcmp(key->path, "workload.generate.load") == 0 ||
            strcmp(key->path, "workload.generate.rate") == 0) {
            (void)snprintf(choice, sizeof choice,
                           "workload.generate={model: mix, classes: " CLASSES "}");
        } else if (strcmp(key->path, "workload.generate.classes") == 0) {
            (void)snprintf(choice, sizeof choice, "workload.generate={model: mix, load: 1}");
        } else if (strcmp(key->path, "speeds.class_of") == 0) {
            (void)snprintf(choice, sizeof choice, "speeds.class_map=[{number: 1, class: a}]");
        }
        if (experiment_key_list(key)) {
            item_example(key, text, sizeof text);
        } else {
            (void)snprintf(text, sizeof text, "%s=%s", key->path, key->example);
        }
        fixture_load_bytes(&fixture, base, strlen(base), overrides, 3);
        if (fixture.result != HS_OK) {
            printf("\n%s\n", fixture.report);
            CU_FAIL("an example is not valid");
        }
        fixture_fini(&fixture);
    }
}

static void test_schema(void)
{
    char *schema = written(experiment_write_schema);
    long braces = 0, brackets = 0;

    for (size_t i = 1; i < experiment_key_count; i++) {
        char member[64];

        (void)snprintf(member, sizeof member, "\"%s\": {",
                       experiment_key_name(&experiment_keys[i]));
        CU_ASSERT_PTR_NOT_NULL(strstr(schema, member));
        CU_ASSERT_PTR_NOT_NULL(strstr(schema, experiment_keys[i].doc));
    }
    for (const char *at = schema; *at; at++) {
        braces += (*at == '{') - (*at == '}');
        brackets += *at == '[' && at[1] != '^' ? 1 : 0;
    }
    CHECK(braces == 0 && brackets > 0);
    free(schema);
}

static bool explain(const char *key, char **text, const char **suggestion)
{
    size_t size = 0;
    FILE *file = open_memstream(text, &size);
    bool is_known;

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    is_known = experiment_explain(file, key, suggestion);
    CHECK(fclose(file) == 0);
    return is_known;
}

static void test_explain(void)
{
    const char *suggestion;
    char *text;

    CHECK(explain("workload.load", &text, &suggestion));
    check_text(text, "workload.load\n\n  Scales the gaps between submissions so that the offered "
                     "load of all jobs\n  that pass filter and window, before `head`, becomes "
                     "this. 0: as it is.\n\n  type      a number\n  range     0 to "
                     "100\n  default   0\n  example   workload: {load: 0.8}\n");
    free(text);
    CHECK(explain("metrics", &text, &suggestion));
    check_text(text, "metrics\n\n  Parameters of the metrics.\n\n  type      a map\n  example   "
                     "metrics: {tau: 10s}\n\n  metrics.tau                            a duration   "
                     "          default 10s\n");
    free(text);
    CHECK(explain("output.series", &text, &suggestion));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "  choices   events, none, or a duration\n  unit      ns, "
                                        "us, ms, s, m, h, d, w; a number without unit is in "
                                        "seconds\n  range     1ns to 34000d\n"));
    free(text);
    CHECK(explain("platform.memory", &text, &suggestion));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "  unit      B, kB, MB, GB, TB, PB, KiB, MiB, GiB, TiB, "
                                        "PiB; a number without unit is in bytes\n  range     at "
                                        "least 0\n"));
    free(text);
    CHECK(explain("platform", &text, &suggestion));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "  required  yes\n  needs     exactly one of 'file' and "
                                        "'nodes'\n"));
    free(text);
    CHECK(explain(NULL, &text, &suggestion));
    for (size_t i = 1; i < experiment_key_count; i++) {
        CU_ASSERT_PTR_NOT_NULL(strstr(text, experiment_keys[i].path));
    }
    free(text);
}

static void test_suggestions(void)
{
    static const char *const cases[][2] = {
        {"workload.lod", "workload.load"},
        {"load", "workload.load"},
        {"tauu", "metrics.tau"},
        {"polcy", "policy"},
        {"xyzzyxyzzy", NULL},
        {"", NULL},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *suggestion;
        char *text;

        CHECK(!explain(cases[i][0], &text, &suggestion));
        CHECK(*text == '\0');
        if (cases[i][1]) {
            check_text(suggestion, cases[i][1]);
        } else {
            CU_ASSERT_PTR_NULL(suggestion);
        }
        free(text);
    }
}

static const struct unit_test tests[] = {
    {"rows are complete", test_rows},
    {"examples are valid", test_examples},
    {"all keys are in the schema", test_schema},
    {"explanations", test_explain},
    {"suggestions", test_suggestions},
};

UNIT_MAIN("experiment table", tests)
