/* SPDX-License-Identifier: GPL-3.0-or-later */
/* demand.c - demands: any text is refused with a sentence, or is a demand that the core takes, and
 * what is written from it reads back to the same. */
#include "fuzz.h"
#include "hs/cluster.h"
#include "workload/demand_text.h"

static void check_part(const struct hs_demand *demand)
{
    FUZZ_CHECK(demand->tasks >= 1 && demand->cores_milli >= 0 && demand->mem_bytes >= 0);
    FUZZ_CHECK(demand->cores_milli <= INT64_MAX / 4 / demand->tasks);
    FUZZ_CHECK(demand->mem_bytes <= INT64_MAX / 4 / demand->tasks);
    FUZZ_CHECK(demand->device_count <= HS_NODE_DEVICES_MAX);
    FUZZ_CHECK(demand->device_share >= 1 && demand->device_share <= HS_SHARES_PER_UNIT);
    FUZZ_CHECK(demand->device_mem >= 0 && demand->model_count <= HS_MODEL_MAX);
    FUZZ_CHECK(demand->cores_milli || demand->mem_bytes || demand->device_count);
    FUZZ_CHECK(demand->reserved == 0 && !demand->alternatives && !demand->alternative_count);
    for (uint16_t i = 1; i < demand->model_count; i++) {
        FUZZ_CHECK(demand->models[i - 1] < demand->models[i]);
    }
}

/* Do all names consist of what stands for itself in a demand? */
static bool has_plain_names(const struct workload_names *names)
{
    for (int noun = 0; noun < WORKLOAD_NOUN_COUNT; noun++) {
        for (uint16_t i = 0; i < workload_names_count(names, (enum workload_noun)noun); i++) {
            const char *name = workload_names_text(names, (enum workload_noun)noun, i);

            if (strlen(name) > 12 || strpbrk(name, "=:|,*") || !strcmp(name, "device")) {
                return false;
            }
        }
    }
    return true;
}

static void check_round_trip(const struct demand_options *options, struct workload_names *names)
{
    static struct demand_options again;
    struct hs_demand whole = options->list[0];
    char text[DEMAND_TEXT_MAX];
    struct hs_error error = {0};
    size_t length;

    whole.alternatives = options->count > 1 ? &options->list[1] : NULL;
    whole.alternative_count = options->count - 1;
    length = demand_text_format(&whole, names, text);
    FUZZ_CHECK(length == strlen(text));
    if (length + 1 == DEMAND_TEXT_MAX || *options->refusal || !has_plain_names(names)) {
        return;
    }
    FUZZ_CHECK(demand_text_parse(text, length, names, &again, &error) == HS_OK);
    FUZZ_CHECK(again.count == options->count);
    FUZZ_CHECK(!memcmp(again.list, options->list, again.count * sizeof again.list[0]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct demand_options options;
    struct workload_names *names = workload_names_create(NULL);
    char *text = malloc(size ? size : 1); /* no byte more, so that a read behind it is seen */
    struct hs_error error = {0};
    enum hs_err err;

    FUZZ_CHECK(names && text);
    if (size) {
        memcpy(text, data, size);
    }
    err = demand_text_parse(text, size, names, &options, &error);
    if (err) {
        FUZZ_CHECK(err == HS_ERR_INPUT);
        fuzz_check_error(err, &error);
    } else {
        FUZZ_CHECK(options.count >= 1 && options.count <= DEMAND_OPTION_MAX);
        for (uint32_t i = 0; i < options.count; i++) {
            check_part(&options.list[i]);
        }
        check_round_trip(&options, names);
    }
    workload_names_destroy(names);
    free(text);
    return 0;
}
