/* SPDX-License-Identifier: GPL-3.0-or-later */
/* drivers.c - whole probes with libraries in place of NVML and OpenCL, good and bad ones. */
#include "probe/probe.h"
#include "tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FAKE(name) TEST_FAKES "/fake-" name ".so"
#define WAIT_MS    10000
#define TOO_LONG   "a0123456789-0123456789-0123456789-0123456789-0123456789-0123456789"

/* A probe without measurement; the caller frees it. */
static struct probe_machine *probe(const char *nvml, const char *opencl, int wait_ms)
{
    const struct probe_options options = {.name = "n0",
                                          .nvml_library = nvml,
                                          .opencl_library = opencl,
                                          .root = "",
                                          .library_wait_ms = wait_ms};
    struct probe_machine *machine = calloc(1, sizeof *machine);
    struct hs_error error = {0};

    CU_ASSERT_PTR_NOT_NULL_FATAL(machine);
    CU_ASSERT_EQUAL_FATAL(probe_run(&options, machine, &error), HS_OK);
    CU_ASSERT(machine->core_count > 0 && machine->mem_bytes > 0);
    return machine;
}

static struct probe_machine *probe_in(const char *nvml_mode, const char *opencl_mode, int wait_ms)
{
    struct probe_machine *machine;

    (void)setenv("HSIM_FAKE", nvml_mode, 1);
    (void)setenv("HSIM_FAKE_OPENCL", opencl_mode, 1);
    machine = probe(FAKE("nvml"), FAKE("opencl"), wait_ms);
    (void)unsetenv("HSIM_FAKE");
    (void)unsetenv("HSIM_FAKE_OPENCL");
    return machine;
}

static size_t count_notes(const struct probe_machine *machine, const char *part)
{
    size_t count = 0;

    for (size_t i = 0; i < machine->notes.count; i++) {
        count += strstr(machine->notes.texts[i], part) != NULL;
    }
    return count;
}

static void test_nvml(void)
{
    struct probe_machine *machine = probe_in("two", "none", WAIT_MS);
    const struct probe_device *device = &machine->devices.items[1];

    CU_ASSERT_EQUAL_FATAL(machine->devices.count, 2);
    CU_ASSERT_STRING_EQUAL(machine->devices.items[0].id, "gpu0");
    CU_ASSERT_STRING_EQUAL(device->id, "gpu1");
    CU_ASSERT_STRING_EQUAL(device->kind, "gpu");
    CU_ASSERT_STRING_EQUAL(device->name, "NVIDIA A100-SXM4-40GB");
    CU_ASSERT_STRING_EQUAL(device->model, "a100-sxm4-40gb");
    CU_ASSERT_STRING_EQUAL(device->bus_id, "0000:3c:00.0");
    CU_ASSERT_STRING_EQUAL(device->group, "nvlink0");
    CU_ASSERT_EQUAL(device->mem_bytes, INT64_C(40) << 30);
    CU_ASSERT_DOUBLE_EQUAL(device->peak_fp32_flops, 6912 * 2 * 1.41e9, 1); /* 19.5 Tflop/s */
    CU_ASSERT_DOUBLE_EQUAL(device->mem_bytes_per_s, 1555.2e9, 1);
    CU_ASSERT_EQUAL(device->busy_w, 400);
    CU_ASSERT_DOUBLE_EQUAL(device->idle_w, 55.5, 1e-9);
    CU_ASSERT_EQUAL_FATAL(device->features.count, 4);
    CU_ASSERT_STRING_EQUAL(device->features.words[0], "cuda-sm80");
    free(machine);
}

static void test_islands(void)
{
    static const char *const groups[] = {"nvlink0", "nvlink1", "nvlink0", "nvlink1"};
    struct probe_machine *machine = probe_in("four", "none", WAIT_MS);

    CU_ASSERT_EQUAL_FATAL(machine->devices.count, 4);
    for (size_t i = 0; i < 4; i++) {
        CU_ASSERT_STRING_EQUAL(machine->devices.items[i].group, groups[i]);
    }
    free(machine);
}

static void test_opencl(void)
{
    struct probe_machine *machine = probe("/nonexistent/nvml.so", FAKE("opencl"), WAIT_MS);
    const struct probe_device *devices = machine->devices.items;

    CU_ASSERT_EQUAL(count_notes(machine, "/nonexistent/nvml.so: the library cannot be opened"), 1);
    CU_ASSERT_EQUAL_FATAL(machine->devices.count, 3);
    CU_ASSERT_STRING_EQUAL(devices[0].kind, "gpu");
    CU_ASSERT_STRING_EQUAL(devices[0].name, "AMD Radeon \"Pro\" <W6800>");
    CU_ASSERT_STRING_EQUAL(devices[0].bus_id, "0000:41:00.0");
    CU_ASSERT_EQUAL(devices[0].mem_bytes, INT64_C(16) << 30);
    CU_ASSERT(isnan(devices[0].busy_w) && devices[0].peak_fp32_flops == 0);
    CU_ASSERT_EQUAL_FATAL(devices[0].features.count, 2);
    CU_ASSERT_STRING_EQUAL(devices[1].id, "fpga0");
    CU_ASSERT_STRING_EQUAL(devices[1].kind, "fpga");
    CU_ASSERT_STRING_EQUAL(devices[2].id, "gpu1");
    CU_ASSERT_EQUAL(count_notes(machine, "OpenCL tells neither peak rates nor power"), 3);
    free(machine);
}

/* NVIDIA's boards, which both tell, come from NVML. */
static void test_both(void)
{
    struct probe_machine *machine = probe_in("two", "all", WAIT_MS);

    CU_ASSERT_EQUAL_FATAL(machine->devices.count, 4);
    CU_ASSERT_EQUAL(machine->devices.items[1].source, PROBE_NVML);
    CU_ASSERT_EQUAL(machine->devices.items[2].source, PROBE_OPENCL);
    CU_ASSERT_STRING_EQUAL(machine->devices.items[2].id, "gpu2");
    CU_ASSERT_STRING_EQUAL(machine->devices.items[3].id, "fpga0");
    free(machine);
}

/* Whatever a driver does, the probe ends well, and says what happened. */
static void test_failures(void)
{
    static const struct {
        const char *nvml, *opencl, *note;
        int wait_ms;
        size_t devices;
    } cases[] = {
        {"init", "none", "cannot be asked for NVIDIA devices: Driver Not Loaded", WAIT_MS, 0},
        {"crash", "none", "crashed when asked", WAIT_MS, 0},
        {"leave", "none", "crashed when asked", WAIT_MS, 0},
        {"hang", "none", "did not answer within 0.3 s", 300, 0},
        {"one", "none", "NVIDIA device 1 does not answer: GPU is lost", WAIT_MS, 1},
        {"one", "none", "in use, so its idle power is left out", WAIT_MS, 1},
        {"init", "error", "cannot be asked for devices (error -6)", WAIT_MS, 0},
        {"init", "devices", "cannot list the devices of a platform (error -5)", WAIT_MS, 0},
        {"init", "silent", "does not tell its name", WAIT_MS, 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct probe_machine *machine = probe_in(cases[i].nvml, cases[i].opencl, cases[i].wait_ms);

        CU_ASSERT_EQUAL(machine->devices.count, cases[i].devices);
        CU_ASSERT(count_notes(machine, cases[i].note) > 0);
        free(machine);
    }
}

static void test_bare(void)
{
    struct probe_machine *machine = probe(FAKE("bare"), FAKE("bare"), WAIT_MS);

    CU_ASSERT_EQUAL(machine->devices.count, 0);
    CU_ASSERT_EQUAL(count_notes(machine, "has no function nvmlInit_v2"), 1);
    CU_ASSERT_EQUAL(count_notes(machine, "has no function clGetPlatformIDs"), 1);
    free(machine);
}

static char *written(const struct probe_machine *machine, bool is_catalogue, bool has_catalogue)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    if (is_catalogue) {
        probe_write_catalogue(machine, file);
    } else {
        probe_write_platform(machine, has_catalogue, file);
    }
    CU_ASSERT_EQUAL_FATAL(fclose(file), 0);
    return text;
}

/* Known models are named in any case, and their figures are left to the catalogue. */
static void test_known(void)
{
    struct probe_machine *machine = probe_in("two", "all", WAIT_MS);
    char *text;

    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(machine->devices.items[i].model, PROBE_TEXT_MAX, "a100-sxm4-40");
        machine->devices.items[i].is_known = true;
    }
    text = written(machine, false, false);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "id=\"model\" value=\"a100-sxm4-40\""));
    CU_ASSERT_PTR_NULL(strstr(text, "pro-w6800"));
    free(text);
    text = written(machine, false, true);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "pro-w6800"));
    free(text);
    text = written(machine, true, true);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "nothing is changed.\n  - model: \"a100-sxm4-40\"\n  - "));
    CU_ASSERT_PTR_NULL(strstr(text, "1555"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "model: \"pro-w6800\"\n    kind: gpu\n"));
    free(text);
    free(machine);
}

/* A machine whose counters of energy stand still, with little memory: rates, but no power. */
static void test_measured(void)
{
    struct tree tree;
    const struct probe_options options = {.name = "n0",
                                          .nvml_library = FAKE("bare"),
                                          .opencl_library = FAKE("bare"),
                                          .root = tree.root,
                                          .has_measurement = true};
    struct probe_machine *machine = calloc(1, sizeof *machine);
    struct hs_error error = {0};

    CU_ASSERT_PTR_NOT_NULL_FATAL(machine);
    tree_init(&tree);
    tree_put(&tree, "/proc/self/cgroup", "0::/\n");
    tree_put(&tree, "/sys/fs/cgroup/memory.max", "100000000\n");
    tree_put(&tree, "/sys/class/powercap/intel-rapl:0/name", "package-0\n");
    tree_put(&tree, "/sys/class/powercap/intel-rapl:0/energy_uj", "0\n");
    tree_put(&tree, "/sys/class/powercap/intel-rapl:0/max_energy_range_uj", "100000000\n");
    CU_ASSERT_EQUAL_FATAL(probe_run(&options, machine, &error), HS_OK);
    CU_ASSERT_EQUAL(machine->mem_bytes, 100000000);
    CU_ASSERT_EQUAL(count_notes(machine, "100000000 of"), 1);
    CU_ASSERT_EQUAL(machine->measured.thread_count, machine->core_count);
    CU_ASSERT(machine->measured.array_bytes <= 25000000);
    CU_ASSERT(machine->measured.triad_bytes_per_s > 0 && machine->measured.fp64_flops > 0);
    CU_ASSERT(isnan(machine->idle_w) && isnan(machine->busy_w));
    CU_ASSERT_EQUAL(count_notes(machine, "(RAPL) stand still") +
                        count_notes(machine, "Only a part of the machine"),
                    1);
    tree_fini(&tree);
    free(machine);
}

static void test_names(void)
{
    static const char *const bad[] = {"", "a b", "n0:gpu0", "n\"", "\xc3\xa4", TOO_LONG};
    struct probe_machine *machine = calloc(1, sizeof *machine);

    CU_ASSERT_PTR_NOT_NULL_FATAL(machine);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const struct probe_options options = {.name = bad[i], .root = ""};
        struct hs_error error = {0};

        CU_ASSERT_EQUAL(probe_run(&options, machine, &error), HS_ERR_CONFIG);
        CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "a name has 1 to 63 letters"));
    }
    free(machine);
}

static const struct unit_test tests[] = {
    {"two boards by NVML", test_nvml},    {"islands", test_islands},
    {"boards by OpenCL", test_opencl},    {"both libraries", test_both},
    {"drivers that fail", test_failures}, {"libraries without functions", test_bare},
    {"known models", test_known},         {"a measured machine", test_measured},
    {"names of nodes", test_names},
};

UNIT_MAIN("probe_drivers", tests)
