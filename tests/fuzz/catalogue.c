/* SPDX-License-Identifier: GPL-3.0-or-later */
/* catalogue.c - device catalogues: any text is refused with a sentence, or becomes entries that are
 * complete and whose names lead to them.
 *
 * What stands behind a zero byte is a second file, which changes the first. */
#include "platform/catalogue.h"

#include <math.h>

#include "fuzz.h"

static void check_device(const struct catalogue *catalogue, const struct catalogue_device *device)
{
    const struct platform_power *power = &device->power;

    FUZZ_CHECK(device->model && *device->model && device->kind && device->name && device->path);
    FUZZ_CHECK(catalogue_find(catalogue, device->model) == device);
    for (size_t i = 0; i < device->alias_count; i++) {
        FUZZ_CHECK(catalogue_find(catalogue, device->aliases[i]) == device);
    }
    FUZZ_CHECK(platform_power_is_known(power) && power->off_w >= 0);
    FUZZ_CHECK(power->off_w <= power->idle_w && power->idle_w <= power->context_w &&
               power->context_w <= power->busy_w);
    for (size_t i = 0; i < CATALOGUE_FIGURE_COUNT; i++) {
        char text[CATALOGUE_TEXT_MAX];

        catalogue_figure_format(device, i, text);
        FUZZ_CHECK(strlen(text) > 0);
        if (catalogue_has_figure(device, i)) {
            FUZZ_CHECK(isfinite(catalogue_figure(device, i)));
            FUZZ_CHECK(device->sources[i] || device->is_unconfirmed[i]);
        } else {
            FUZZ_CHECK(!device->sources[i]);
        }
    }
}

static bool add(struct catalogue *catalogue, const char *text, size_t length)
{
    struct hs_error error = {0};
    enum hs_err err = catalogue_add_text(catalogue, text, length, "fuzz.yaml", &error);

    if (err != HS_OK) {
        fuzz_check_error(err, &error);
        return false;
    }
    for (size_t i = 0; i < catalogue_count(catalogue); i++) {
        check_device(catalogue, catalogue_device(catalogue, i));
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
    size_t length = zero ? (size_t)(zero - data) : size;
    struct catalogue *catalogue = catalogue_create();
    char *text = malloc(size + 1);

    FUZZ_CHECK(catalogue && text);
    memcpy(text, data, size);
    text[size] = '\0';
    if (add(catalogue, text, length)) {
        const char *near = catalogue_nearest(catalogue, text);

        FUZZ_CHECK(!near || catalogue_find(catalogue, near));
        if (zero) {
            (void)add(catalogue, text + length + 1, size - length - 1);
        }
    }
    free(text);
    catalogue_destroy(catalogue);
    return 0;
}
