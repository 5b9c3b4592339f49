/* SPDX-License-Identifier: GPL-3.0-or-later */
/* topology.c - hwloc, and what it does not know: limits of control groups, memory, features. */
#include "probe/topology.h"

#include "probe/limits.h"
#include "probe/sysfile.h"
#include "probe/words.h"

#include <errno.h>
#include <hwloc.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CPUINFO_MAX   16384 /* the first processor is enough */
#define KIB           1024
#define CPUS_MAX      65536 /* of an affinity mask */
#define QUOTA_EPSILON 1e-9

/* The words of the kernel (x86, then Arm) that become features of the catalogue. */
static const struct {
    const char *flag, *feature;
} flags[] = {
    {"sse4_2", "sse4.2"},
    {"avx", "avx"},
    {"avx2", "avx2"},
    {"fma", "fma"},
    {"avx_vnni", "avx-vnni"},
    {"avx512f", "avx512"},
    {"avx512_vnni", "avx512-vnni"},
    {"avx512_bf16", "avx512-bf16"},
    {"avx512_fp16", "avx512-fp16"},
    {"amx_bf16", "amx-bf16"},
    {"amx_int8", "amx-int8"},
    {"asimd", "neon"},
    {"sve", "sve"},
    {"sve2", "sve2"},
    {"bf16", "bf16"},
    {"i8mm", "i8mm"},
};

/* The value of "KEY : value" in /proc/cpuinfo; terminates it in place. NULL if there is none. */
static char *find_value(char *text, const char *key)
{
    size_t length = strlen(key);

    for (char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, length) == 0 && strchr("\t :", line[length])) {
            char *value = strchr(line, ':');

            if (value) {
                value++;
                value[strcspn(value, "\n")] = '\0';
                return value;
            }
        }
    }
    return NULL;
}

static bool has_flag(const char *list, const char *flag)
{
    size_t length = strlen(flag);

    for (const char *at = list; (at = strstr(at, flag)) != NULL; at += length) {
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

static void read_cpuinfo(const char *root, struct probe_machine *machine)
{
    static const char *const keys[] = {"flags", "Features"};
    char text[CPUINFO_MAX];
    char copy[CPUINFO_MAX];
    const char *value;

    if (sysfile_read(root, text, sizeof text, "/proc/cpuinfo") <= 0) {
        return;
    }
    memcpy(copy, text, sizeof copy);
    value = find_value(copy, "model name");
    if (value && !machine->name[0]) {
        words_copy(machine->name, value);
    }
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        memcpy(copy, text, sizeof copy);
        value = find_value(copy, keys[k]);
        for (size_t i = 0; value && i < sizeof flags / sizeof flags[0]; i++) {
            if (has_flag(value, flags[i].flag)) {
                words_feature(&machine->features, "%s", flags[i].feature);
            }
        }
    }
}

/* Memory of the machine; 0 if unknown. Of /proc since hwloc's sum over the NUMA nodes lacks memory
 * that was plugged into a running machine. */
static int64_t read_memory(const char *root)
{
    char text[256];
    const char *value;
    int64_t kib;

    if (sysfile_read(root, text, sizeof text, "/proc/meminfo") <= 0) {
        return 0;
    }
    value = find_value(text, "MemTotal");
    kib = value ? strtoll(value, NULL, 10) : 0;
    return kib > 0 && kib < INT64_MAX / KIB ? kib * KIB : 0;
}

static void apply_limits(const char *root, struct probe_machine *machine)
{
    struct limits limits;

    limits_read(root, &limits);
    if (limits.cpus > 0 && limits.cpus + QUOTA_EPSILON < machine->core_count) {
        uint32_t cores = limits.cpus < 1 ? 1 : (uint32_t)(limits.cpus + QUOTA_EPSILON);

        words_note(&machine->notes,
                   "A control group allows the processor time of %.4g of %" PRIu32
                   " cores; %" PRIu32
                   " are described. Run the probe outside of the container to see all.",
                   limits.cpus, machine->core_count, cores);
        machine->core_count = cores;
        machine->is_part = true;
    }
    if (limits.mem_bytes && limits.mem_bytes < machine->mem_bytes) {
        words_note(&machine->notes,
                   "A control group allows %" PRId64 " of %" PRId64 " bytes of memory; that is "
                   "described. Run the probe outside of the container to see all.",
                   limits.mem_bytes, machine->mem_bytes);
        machine->mem_bytes = limits.mem_bytes;
    }
}

static enum hs_err check(const struct probe_machine *machine, struct hs_error *error)
{
    if (machine->core_count == 0 || machine->mem_bytes <= 0) {
        return hs_error_set(
            error, HS_ERR_SYSTEM,
            "The machine does not tell its %s, neither to hwloc nor in /proc. Mount "
            "/proc and /sys, or set HWLOC_XMLFILE to a file that `lstopo FILE.xml` "
            "wrote.",
            machine->core_count ? "memory" : "number of cores");
    }
    return HS_OK;
}

/* Processors that this process may use, by the kernel's word; 0 if it does not say. */
static uint32_t count_processors(void)
{
    cpu_set_t *set = CPU_ALLOC(CPUS_MAX);
    size_t size = CPU_ALLOC_SIZE(CPUS_MAX);
    int count = 0;

    if (set && sched_getaffinity(0, size, set) == 0) {
        count = CPU_COUNT_S(size, set);
    }
    CPU_FREE(set);
    return count > 0 ? (uint32_t)count : 0;
}

enum hs_err topology_read_plain(const char *root, struct probe_machine *machine,
                                struct hs_error *error)
{
    machine->is_here = true;
    machine->thread_count = machine->core_count = count_processors();
    machine->mem_bytes = read_memory(root);
    read_cpuinfo(root, machine);
    words_note(&machine->notes,
               "hwloc cannot describe this machine: %" PRIu32 " processors of the kernel count as "
               "cores, sockets and NUMA nodes are left out. `lstopo` shows what hwloc says.",
               machine->core_count);
    apply_limits(root, machine);
    return check(machine, error);
}

static uint32_t count_objects(hwloc_topology_t topology, hwloc_obj_type_t type)
{
    int count = hwloc_get_nbobjs_by_type(topology, type);

    return count > 0 ? (uint32_t)count : 0;
}

/* Of the level that lies farthest from the cores. */
static int64_t count_cache(hwloc_topology_t topology)
{
    static const hwloc_obj_type_t levels[] = {HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE,
                                              HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE,
                                              HWLOC_OBJ_L1CACHE};
    int64_t bytes = 0;

    for (size_t i = 0; bytes == 0 && i < sizeof levels / sizeof levels[0]; i++) {
        hwloc_obj_t cache = NULL;

        while ((cache = hwloc_get_next_obj_by_type(topology, levels[i], cache)) != NULL) {
            bytes += (int64_t)cache->attr->cache.size;
        }
    }
    return bytes;
}

static void read_name(hwloc_topology_t topology, struct probe_machine *machine)
{
    hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
    const char *name = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;

    if (!name) {
        name = hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), "CPUModel");
    }
    if (name) {
        words_copy(machine->name, name);
    }
}

/* One processor of each core. Short memory only means that threads are not bound. */
static void read_places(hwloc_topology_t topology, hwloc_obj_type_t type, size_t count,
                        struct topology_places *places)
{
    places->processors = calloc(count, sizeof *places->processors);
    for (size_t i = 0; places->processors && i < count; i++) {
        hwloc_obj_t core = hwloc_get_obj_by_type(topology, type, (unsigned)i);
        int processor = core && core->cpuset ? hwloc_bitmap_first(core->cpuset) : -1;

        if (processor >= 0) {
            places->processors[places->count++] = processor;
        }
    }
}

static void note_withheld(hwloc_topology_t topology, struct probe_machine *machine)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    int kinds = hwloc_cpukinds_get_nr(topology, 0);

    if (machine->is_here && online > (long)machine->thread_count) {
        words_note(&machine->notes,
                   "This process may use %" PRIu32 " of %ld hardware threads, and only their cores "
                   "are described. Run the probe unbound, outside of the job or container, to see "
                   "all.",
                   machine->thread_count, online);
        machine->is_part = true;
    }
    if (kinds > 1) {
        words_note(&machine->notes,
                   "The cores are of %d kinds; the platform has one speed for all, their mean.",
                   kinds);
    }
}

/* All of it, or only the NUMA nodes that this process may use. */
static int64_t choose_memory(const char *root, hwloc_topology_t topology,
                             const struct probe_machine *machine)
{
    hwloc_const_nodeset_t allowed = hwloc_topology_get_allowed_nodeset(topology);
    hwloc_const_nodeset_t complete = hwloc_topology_get_complete_nodeset(topology);
    int64_t known = (int64_t)hwloc_get_root_obj(topology)->total_memory;
    int64_t told = machine->is_here ? read_memory(root) : 0;

    return hwloc_bitmap_isequal(allowed, complete) && told > known ? told : known;
}

static void read_objects(const char *root, hwloc_topology_t topology, struct probe_machine *machine,
                         struct topology_places *places)
{
    uint32_t cores = count_objects(topology, HWLOC_OBJ_CORE);

    machine->is_here = hwloc_topology_is_thissystem(topology);
    machine->package_count = count_objects(topology, HWLOC_OBJ_PACKAGE);
    machine->numa_count = count_objects(topology, HWLOC_OBJ_NUMANODE);
    machine->thread_count = count_objects(topology, HWLOC_OBJ_PU);
    machine->core_count = cores ? cores : machine->thread_count;
    machine->cache_bytes = count_cache(topology);
    machine->mem_bytes = choose_memory(root, topology, machine);
    read_name(topology, machine);
    note_withheld(topology, machine);
    if (machine->is_here) {
        read_cpuinfo(root, machine);
        read_places(topology, cores ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU, machine->core_count, places);
        apply_limits(root, machine);
        places->count = places->count < machine->core_count ? places->count : machine->core_count;
    } else {
        words_note(&machine->notes, "hwloc describes another machine (HWLOC_XMLFILE or "
                                    "HWLOC_SYNTHETIC is set): nothing is measured, and neither "
                                    "accelerators nor features of this one are listed.");
    }
}

enum hs_err topology_read(const char *root, struct probe_machine *machine,
                          struct topology_places *places, struct hs_error *error)
{
    hwloc_topology_t topology;
    bool is_loaded;

    *places = (struct topology_places){0};
    if (hwloc_topology_init(&topology) != 0) {
        return topology_read_plain(root, machine, error);
    }
    is_loaded = hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_RESTRICT_TO_CPUBINDING |
                                                       HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM) == 0 &&
                hwloc_topology_load(topology) == 0;
    if (is_loaded) {
        read_objects(root, topology, machine, places);
    }
    hwloc_topology_destroy(topology);
    return is_loaded ? check(machine, error) : topology_read_plain(root, machine, error);
}

void topology_fini(struct topology_places *places)
{
    free(places->processors);
    *places = (struct topology_places){0};
}
