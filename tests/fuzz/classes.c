/* SPDX-License-Identifier: GPL-3.0-or-later */
/* classes.c - class libraries: any text is refused with a sentence, or becomes classes that are
 * sound, whose names lead to them, and whose factors on a cluster are numbers.
 *
 * What stands behind a zero byte is a second file, which adds to the first. */
#include "speed/library.h"

#include "fuzz.h"
#include "speed/model.h"

static void check_class(const struct speed_library *library, const struct speed_class *class)
{
    bool has_reference = false;

    FUZZ_CHECK(class->name && *class->name && class->reference && class->path);
    FUZZ_CHECK(speed_library_find(library, class->name) == class);
    FUZZ_CHECK(class->entry_count > 0);
    for (size_t i = 0; i < class->alias_count; i++) {
        FUZZ_CHECK(speed_library_find(library, class->aliases[i]) == class);
    }
    for (size_t i = 0; i < class->entry_count; i++) {
        const struct speed_entry *entry = &class->entries[i];

        FUZZ_CHECK(entry->value >= 0 && entry->value <= 1e15 && entry->scale >= 1);
        FUZZ_CHECK(entry->source || entry->is_unconfirmed);
        has_reference |= entry->value > 0 && strcmp(entry->model, class->reference) == 0;
        FUZZ_CHECK(i == 0 || strcmp(entry[-1].model, entry->model) < 0 ||
                   (strcmp(entry[-1].model, entry->model) == 0 && entry[-1].scale < entry->scale));
    }
    FUZZ_CHECK(has_reference);
}

/* The factors on processors of the first model of each class: one, or what is told. */
static void check_factors(const struct speed_library *library)
{
    const char *models[] = {speed_library_class(library, 0)->entries[0].model};
    struct hs_cluster *cluster = hs_cluster_create();
    struct speed_options options = {.node_models = models, .library = library};
    struct speed_model *model = NULL;
    struct hs_error error = {0};

    FUZZ_CHECK(cluster &&
               hs_cluster_add_node(cluster, "n", 1000, HS_MEM_UNLIMITED, &error) == HS_OK &&
               hs_cluster_seal(cluster, &error) == HS_OK);
    options.cluster = cluster;
    FUZZ_CHECK(speed_model_create(&options, &model, &error) == HS_OK);
    for (size_t i = 0; i < speed_library_count(library); i++) {
        const struct speed_class *class = speed_library_class(library, i);
        int32_t number;
        enum hs_err err = speed_model_job_class(model, class->name, &number, &error);

        if (err != HS_OK) { /* a ratio of more than a million */
            fuzz_check_error(err, &error);
            continue;
        }
        for (int64_t scale = 1; scale <= 16; scale *= 2) {
            speed_factor factor = speed_model_factor(model, number, 0, scale);

            FUZZ_CHECK(factor <= SPEED_ONE * 1000001);
            FUZZ_CHECK(strcmp(class->reference, models[0]) != 0 || factor == SPEED_ONE);
        }
    }
    speed_model_destroy(model);
    hs_cluster_destroy(cluster);
}

static bool add(struct speed_library *library, const char *text, size_t length)
{
    struct hs_error error = {0};
    enum hs_err err = speed_library_add_text(library, text, length, "fuzz.yaml", NULL, &error);

    if (err != HS_OK) {
        fuzz_check_error(err, &error);
        return false;
    }
    for (size_t i = 0; i < speed_library_count(library); i++) {
        check_class(library, speed_library_class(library, i));
    }
    check_factors(library);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
    size_t length = zero ? (size_t)(zero - data) : size;
    struct speed_library *library = speed_library_create();
    char *text = malloc(size + 1);

    FUZZ_CHECK(library && text);
    memcpy(text, data, size);
    text[size] = '\0';
    if (add(library, text, length)) {
        const char *near = speed_library_nearest(library, text);

        FUZZ_CHECK(!near || speed_library_find(library, near));
        if (zero) {
            (void)add(library, text + length + 1, size - length - 1);
        }
    }
    speed_library_destroy(library);
    free(text);
    return 0;
}
