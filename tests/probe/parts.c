/* SPDX-License-Identifier: GPL-3.0-or-later */
/* parts.c - names, limits of control groups, PCI, RAPL, and the measurement, each by itself. */
#include "probe/devices.h"
#include "probe/limits.h"
#include "probe/measure.h"
#include "probe/rapl.h"
#include "probe/topology.h"
#include "probe/words.h"
#include "tree.h"

#include <math.h>

static void test_models(void)
{
    static const struct {
        const char *name, *model;
    } cases[] = {
        {"Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz", "xeon-gold-6148"},
        {"Intel(R) Xeon(R) Platinum 8480+", "xeon-platinum-8480+"},
        {"AMD EPYC 7742 64-Core Processor", "epyc-7742"},
        {"Intel(R) Core(TM) i7-8700 CPU @ 3.20GHz", "i7-8700"},
        {"NVIDIA A100-SXM4-40GB", "a100-sxm4-40gb"},
        {"Tesla T4", "tesla-t4"},
        {"AMD Instinct MI250X", "instinct-mi250x"},
        {"AMD Radeon \"Pro\" <W6800>", "pro-w6800"},
        {"Intel(R) Processor", "cpu"},
        {"  ", "cpu"},
        {"- + .", "cpu"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char model[PROBE_TEXT_MAX];

        words_model(model, cases[i].name, "cpu");
        CU_ASSERT_STRING_EQUAL(model, cases[i].model);
    }
}

static void test_copies(void)
{
    char copy[PROBE_TEXT_MAX];
    char text[2 * PROBE_TEXT_MAX];

    words_copy(copy, " a\t\n b\x80  ");
    CU_ASSERT_STRING_EQUAL(copy, "a b");
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    words_copy(copy, text);
    CU_ASSERT_EQUAL(strlen(copy), PROBE_TEXT_MAX - 1);
    words_model(copy, text, "cpu");
    CU_ASSERT_EQUAL(strlen(copy), PROBE_TEXT_MAX - 1);
}

/* Notes and features beyond their number are dropped, long ones are cut. */
static void test_overflow(void)
{
    struct probe_notes *notes = calloc(1, sizeof *notes);
    struct probe_features features = {0};

    CU_ASSERT_PTR_NOT_NULL_FATAL(notes);
    for (int i = 0; i < 2 * PROBE_NOTES_MAX; i++) {
        words_note(notes, "%d %0*d", i, PROBE_NOTE_MAX, 0);
        words_feature(&features, "%d %0*d", i, PROBE_WORD_MAX, 0);
    }
    CU_ASSERT_EQUAL(notes->count, PROBE_NOTES_MAX);
    CU_ASSERT_EQUAL(strlen(notes->texts[PROBE_NOTES_MAX - 1]), PROBE_NOTE_MAX - 1);
    CU_ASSERT_EQUAL(features.count, PROBE_FEATURES_MAX);
    free(notes);
}

static void check_limits(const struct tree *tree, double cpus, int64_t mem_bytes)
{
    struct limits limits;

    limits_read(tree->root, &limits);
    CU_ASSERT_DOUBLE_EQUAL(limits.cpus, cpus, 1e-12);
    CU_ASSERT_EQUAL(limits.mem_bytes, mem_bytes);
}

/* Version 2: the least of the group and those above it counts. */
static void test_limits_2(void)
{
    struct tree tree;

    tree_init(&tree);
    check_limits(&tree, 0, 0);
    tree_put(&tree, "/proc/self/cgroup", "0::/a/b\n");
    check_limits(&tree, 0, 0);
    tree_put(&tree, "/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
    tree_put(&tree, "/sys/fs/cgroup/a/b/memory.max", "max\n");
    check_limits(&tree, 0, 0);
    tree_put(&tree, "/sys/fs/cgroup/a/cpu.max", "250000 100000\n");
    tree_put(&tree, "/sys/fs/cgroup/a/memory.max", "1073741824\n");
    check_limits(&tree, 2.5, INT64_C(1) << 30);
    tree_put(&tree, "/sys/fs/cgroup/a/b/memory.max", "2073741824\n");
    tree_put(&tree, "/sys/fs/cgroup/cpu.max", "100000 100000\n");
    check_limits(&tree, 1, INT64_C(1) << 30);
    /* The group lies outside of what a container sees: its own root counts. */
    tree_put(&tree, "/proc/self/cgroup", "0::/../../x\n");
    check_limits(&tree, 1, 0);
    tree_fini(&tree);
}

/* Version 1: one hierarchy for each controller. */
static void test_limits_1(void)
{
    struct tree tree;

    tree_init(&tree);
    tree_put(&tree, "/proc/self/cgroup",
             "9:name=systemd:/x\n5:cpuset:/\n4:memory:/m/n\n3:cpu,cpuacct:/c\n0::/\n");
    tree_put(&tree, "/sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "-1\n");
    tree_put(&tree, "/sys/fs/cgroup/cpu/c/cpu.cfs_period_us", "100000\n");
    tree_put(&tree, "/sys/fs/cgroup/memory/m/n/memory.limit_in_bytes", "9223372036854771712\n");
    check_limits(&tree, 0, 0);
    tree_put(&tree, "/sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "50000\n");
    tree_put(&tree, "/sys/fs/cgroup/memory/m/memory.limit_in_bytes", "4096000\n");
    check_limits(&tree, 0.5, 4096000);
    tree_fini(&tree);
}

/* Without hwloc: the kernel's word; a quota leaves one core, and says so. */
static void test_plain(void)
{
    struct probe_machine *machine = calloc(1, sizeof *machine);
    struct hs_error error = {0};
    struct tree tree;

    CU_ASSERT_PTR_NOT_NULL_FATAL(machine);
    tree_init(&tree);
    CU_ASSERT_EQUAL(topology_read_plain(tree.root, machine, &error), HS_ERR_SYSTEM);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "does not tell its memory"));
    memset(machine, 0, sizeof *machine);
    tree_put(&tree, "/proc/meminfo", "MemTotal:       24684084 kB\nMemFree:  1 kB\n");
    tree_put(&tree, "/proc/cpuinfo",
             "processor\t: 0\nmodel name\t: Intel(R) Xeon(R)  CPU\n"
             "flags\t\t: fpu avx2 avx512f xfma fmax\n\nprocessor\t: 1\n");
    tree_put(&tree, "/proc/self/cgroup", "0::/\n");
    tree_put(&tree, "/sys/fs/cgroup/cpu.max", "50000 100000\n");
    CU_ASSERT_EQUAL(topology_read_plain(tree.root, machine, &error), HS_OK);
    CU_ASSERT_EQUAL(machine->core_count, 1);
    CU_ASSERT_EQUAL(machine->mem_bytes, INT64_C(24684084) * 1024);
    CU_ASSERT_STRING_EQUAL(machine->name, "Intel(R) Xeon(R) CPU");
    CU_ASSERT_EQUAL_FATAL(machine->features.count, 2);
    CU_ASSERT_STRING_EQUAL(machine->features.words[0], "avx2");
    CU_ASSERT_STRING_EQUAL(machine->features.words[1], "avx512");
    CU_ASSERT_PTR_NOT_NULL(strstr(machine->notes.texts[0], "hwloc cannot describe"));
    tree_fini(&tree);
    free(machine);
}

static void test_pci(void)
{
    struct probe_device device = {.bus_id = "0000:3b:00.0", .vendor_id = 0x10de};
    struct probe_devices *devices = calloc(1, sizeof *devices);
    struct probe_notes *notes = calloc(1, sizeof *notes);
    struct tree tree;

    CU_ASSERT_FATAL(devices && notes);
    tree_init(&tree);
    devices_read_pci(tree.root, 2, &device);
    CU_ASSERT_EQUAL(device.link_bytes_per_s, 0);
    tree_put(&tree, "/sys/bus/pci/devices/0000:3b:00.0/max_link_speed", "16.0 GT/s PCIe\n");
    tree_put(&tree, "/sys/bus/pci/devices/0000:3b:00.0/max_link_width", "16\n");
    tree_put(&tree, "/sys/bus/pci/devices/0000:3b:00.0/numa_node", "1\n");
    tree_put(&tree, "/sys/bus/pci/devices/0000:3b:00.0/class", "0x030200\n");
    tree_put(&tree, "/sys/bus/pci/devices/0000:3b:00.0/vendor", "0x10de\n");
    tree_put(&tree, "/sys/bus/pci/devices/0000:01:00.0/class", "0x030000\n"); /* of the board */
    tree_put(&tree, "/sys/bus/pci/devices/0000:01:00.0/vendor", "0x1a03\n");
    devices_read_pci(tree.root, 1, &device);
    CU_ASSERT_DOUBLE_EQUAL(device.link_bytes_per_s, 16e9 * 16 / 8 * 128 / 130, 1);
    CU_ASSERT_STRING_EQUAL(device.group, ""); /* one NUMA node is no group */
    devices_read_pci(tree.root, 2, &device);
    CU_ASSERT_STRING_EQUAL(device.group, "numa1");
    tree_put(&tree, "/sys/bus/pci/devices/0000:3b:00.0/max_link_speed", "5 GT/s\n");
    devices_read_pci(tree.root, 1, &device);
    CU_ASSERT_DOUBLE_EQUAL(device.link_bytes_per_s, 8e9, 1);
    tree_put(&tree, "/sys/bus/pci/devices/0000:3b:00.0/max_link_speed", "Unknown\n");
    devices_read_pci(tree.root, 1, &device);
    CU_ASSERT_EQUAL(device.link_bytes_per_s, 0);

    devices_note_silent(tree.root, devices, notes);
    CU_ASSERT_EQUAL_FATAL(notes->count, 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(notes->texts[0], "0000:3b:00.0 (maker 10de)"));
    devices->items[devices->count++] = device;
    devices_note_silent(tree.root, devices, notes);
    CU_ASSERT_EQUAL(notes->count, 1);
    tree_fini(&tree);
    free(notes);
    free(devices);
}

/* The same board by two drivers counts once; of one driver, boards of one maker all count. */
static void test_merge(void)
{
    struct probe_devices *all = calloc(1, sizeof *all);
    struct probe_devices *more = calloc(1, sizeof *more);

    CU_ASSERT_FATAL(all && more);
    more->items[0] = (struct probe_device){.bus_id = "0000:01:00.0", .vendor_id = 1};
    more->items[1] = (struct probe_device){.bus_id = "0000:02:00.0", .vendor_id = 1};
    more->count = 2;
    devices_merge(all, more);
    CU_ASSERT_EQUAL(all->count, 2);
    devices_merge(all, more);
    CU_ASSERT_EQUAL(all->count, 2);
    more->items[0] = (struct probe_device){.vendor_id = 1};                           /* known */
    more->items[1] = (struct probe_device){.bus_id = "0000:03:00.0", .vendor_id = 1}; /* new */
    devices_merge(all, more);
    CU_ASSERT_EQUAL_FATAL(all->count, 3);
    CU_ASSERT_STRING_EQUAL(all->items[2].bus_id, "0000:03:00.0");
    more->items[0] = (struct probe_device){.vendor_id = 2};
    more->items[1] = (struct probe_device){.vendor_id = 2};
    devices_merge(all, more);
    CU_ASSERT_EQUAL(all->count, 5);
    free(more);
    free(all);
}

static void test_rapl(void)
{
    struct rapl before, after;
    struct tree tree;

    tree_init(&tree);
    rapl_read(tree.root, 0, &before);
    CU_ASSERT_EQUAL(before.count, 0);
    CU_ASSERT(isnan(rapl_power(&before, &before)) && isnan(rapl_load(&before, &before)));
    tree_put(&tree, "/sys/class/powercap/intel-rapl:0/name", "package-0\n");
    tree_put(&tree, "/sys/class/powercap/intel-rapl:0/energy_uj", "1000000\n");
    tree_put(&tree, "/sys/class/powercap/intel-rapl:0/max_energy_range_uj", "100000000\n");
    tree_put(&tree, "/sys/class/powercap/intel-rapl:1/name", "psys\n");
    tree_put(&tree, "/sys/class/powercap/intel-rapl:1/energy_uj", "5\n");
    tree_put(&tree, "/sys/class/powercap/intel-rapl:1/max_energy_range_uj", "100000000\n");
    tree_put(&tree, "/sys/class/powercap/intel-rapl:2/name", "package-1\n");
    tree_put(&tree, "/sys/class/powercap/intel-rapl:2/energy_uj", "99000000\n");
    tree_put(&tree, "/sys/class/powercap/intel-rapl:2/max_energy_range_uj", "100000000\n");
    tree_put(&tree, "/proc/stat", "cpu  10 0 10 100 20 0 0 0 0 0\n");
    rapl_read(tree.root, 1, &before);
    CU_ASSERT_EQUAL(before.count, 2);
    tree_put(&tree, "/sys/class/powercap/intel-rapl:0/energy_uj", "41000000\n");
    tree_put(&tree, "/sys/class/powercap/intel-rapl:2/energy_uj", "19000000\n"); /* from 0 again */
    tree_put(&tree, "/proc/stat", "cpu  20 0 20 150 50 0 0 0 0 0\n");
    rapl_read(tree.root, 3, &after);
    CU_ASSERT_DOUBLE_EQUAL(rapl_power(&before, &after), 30, 1e-9); /* 40 J and 20 J in 2 s */
    CU_ASSERT_DOUBLE_EQUAL(rapl_load(&before, &after), 0.2, 1e-12);
    CU_ASSERT(isnan(rapl_power(&after, &before)));
    tree_fini(&tree);
}

static void test_array_bytes(void)
{
    const int64_t mib = INT64_C(1) << 20;

    CU_ASSERT_EQUAL(measure_array_bytes(0, 1024 * mib), 64 * mib);
    CU_ASSERT_EQUAL(measure_array_bytes(20 * mib, 8192 * mib), 240 * mib);
    CU_ASSERT_EQUAL(measure_array_bytes(260 * mib, 8192 * mib), 512 * mib);
    CU_ASSERT_EQUAL(measure_array_bytes(INT64_MAX, 8192 * mib), 512 * mib);
    CU_ASSERT_EQUAL(measure_array_bytes(20 * mib, 100 * mib), 25 * mib);
}

/* One thread and three, more than there may be cores; odd numbers of elements. */
static void test_measure(void)
{
    struct probe_notes *notes = calloc(1, sizeof *notes);
    int first[] = {0};
    const struct topology_places bound = {first, 1}, unbound = {0};

    CU_ASSERT_PTR_NOT_NULL_FATAL(notes);
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        struct measure_plan plan = {.thread_count = threads,
                                    .places = threads == 1 ? &bound : &unbound,
                                    .cache_bytes = 1 << 20,
                                    .mem_bytes = 60000007};
        struct probe_measured measured = {0};

        CU_ASSERT(measure_triad(&plan, &measured, notes));
        CU_ASSERT(measured.triad_bytes_per_s > 1e6 && measured.triad_bytes_per_s < 1e14);
        CU_ASSERT(measured.array_bytes > 14000000 && measured.array_bytes <= 15000001);
        CU_ASSERT(measure_flops(&plan, &measured, notes));
        CU_ASSERT_EQUAL(measured.thread_count, threads);
        CU_ASSERT(measured.fp64_flops > 1e7 && measured.fp64_flops < 1e15);
        CU_ASSERT(measured.fp32_flops > 1e7 && measured.fp32_flops < 1e15);
        CU_ASSERT(measured.kernel[0] != '\0');
    }
    CU_ASSERT_EQUAL(notes->count, 0);
    free(notes);
}

static const struct unit_test tests[] = {
    {"names of models", test_models},
    {"texts of drivers", test_copies},
    {"more than fits", test_overflow},
    {"control groups, version 2", test_limits_2},
    {"control groups, version 1", test_limits_1},
    {"without hwloc", test_plain},
    {"PCI", test_pci},
    {"two drivers", test_merge},
    {"RAPL", test_rapl},
    {"size of the arrays", test_array_bytes},
    {"measurement", test_measure},
};

UNIT_MAIN("probe_parts", tests)
