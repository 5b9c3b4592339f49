/* SPDX-License-Identifier: GPL-3.0-or-later */
/* probe.c - the order of looking and measuring. */
#include "probe/probe.h"

#include "probe/devices.h"
#include "probe/measure.h"
#include "probe/rapl.h"
#include "probe/topology.h"
#include "probe/words.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define IDLE_NS       300000000L /* over which load and idle power are measured */
#define IDLE_LOAD_MAX 0.05
#define BUSY_LOAD_MIN 0.90

static bool is_name_letter(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c && strchr("._-", c));
}

/* A colon would make a device of the node: "NODE:gpu0". */
static enum hs_err choose_name(const char *name, char *node, struct hs_error *error)
{
    if (name) {
        size_t length = 0;

        while (is_name_letter(name[length])) {
            length++;
        }
        if (length == 0 || name[length] || length >= PROBE_TEXT_MAX / 2) {
            return hs_error_set(error, HS_ERR_CONFIG,
                                "The node cannot be named '%.80s': a name has 1 to %d letters, "
                                "digits, dots, dashes and underscores.",
                                name, PROBE_TEXT_MAX / 2 - 1);
        }
        memcpy(node, name, length + 1);
        return HS_OK;
    }
    if (gethostname(node, PROBE_TEXT_MAX / 2) != 0 || !node[0]) {
        (void)snprintf(node, PROBE_TEXT_MAX, "node0");
    }
    node[PROBE_TEXT_MAX / 2 - 1] = '\0';
    for (char *c = node; *c; c++) {
        *c = is_name_letter(*c) ? *c : '-';
    }
    return HS_OK;
}

/* Whether the power of the packages is that of the node; if not, a note says why. */
static bool is_power_told(const struct rapl *rapl, struct probe_machine *machine)
{
    if (machine->is_part) {
        words_note(
            &machine->notes,
            "Only a part of the machine is described, so the power of the processors is left "
            "out.");
    } else if (rapl->count == 0) {
        words_note(&machine->notes,
                   "The power of the processors is %s, so it is left out. %s, or add it to the "
                   "catalogue from the data sheet.",
                   rapl->is_forbidden ? "told to root only (RAPL)"
                                      : "not told (no readable RAPL in /sys/class/powercap)",
                   rapl->is_forbidden ? "Run the probe as root" : "Measure it at the wall");
    }
    return rapl->count && !machine->is_part;
}

/* Load and power while nothing is done here. */
static void measure_idle(const char *root, bool has_power, struct probe_machine *machine)
{
    struct timespec wait = {.tv_nsec = IDLE_NS};
    struct rapl before, after;
    double load;

    rapl_read(root, measure_now(), &before);
    (void)nanosleep(&wait, NULL);
    rapl_read(root, measure_now(), &after);
    load = rapl_load(&before, &after);
    if (load > IDLE_LOAD_MAX) { /* false for NaN */
        words_note(&machine->notes,
                   "The machine is busy (%.0f %%): the rates may be too low%s. Run the probe on an "
                   "idle machine.",
                   load * 100, has_power ? ", and the idle power is left out" : "");
    } else if (has_power) {
        machine->idle_w = rapl_power(&before, &after);
        if (isnan(machine->idle_w)) {
            words_note(
                &machine->notes,
                "The energy counters of the processors (RAPL) stand still, so power is left "
                "out. Measure it at the wall, or add it to the catalogue from the data sheet.");
        }
    }
}

/* Power while all cores multiply and add, one thread each. */
static void read_busy(const struct rapl *before, const struct rapl *after,
                      struct probe_machine *machine)
{
    double load = rapl_load(before, after) * machine->thread_count / machine->core_count;

    if (load < BUSY_LOAD_MIN) {
        words_note(&machine->notes,
                   "Not all cores could be kept busy (%.0f %%), so the busy power is left out. Run "
                   "the probe on an idle machine.",
                   load * 100);
    } else {
        machine->busy_w = rapl_power(before, after);
    }
}

static void measure(const char *root, const struct topology_places *places,
                    struct probe_machine *machine)
{
    struct measure_plan plan = {.thread_count = machine->core_count,
                                .places = places,
                                .cache_bytes = machine->cache_bytes,
                                .mem_bytes = machine->mem_bytes};
    struct rapl before, after;
    bool is_told;

    rapl_read(root, measure_now(), &before);
    is_told = is_power_told(&before, machine);
    measure_idle(root, is_told, machine);
    if (!measure_triad(&plan, &machine->measured, &machine->notes)) {
        return;
    }
    rapl_read(root, measure_now(), &before);
    if (measure_flops(&plan, &machine->measured, &machine->notes) && is_told) {
        rapl_read(root, measure_now(), &after);
        read_busy(&before, &after, machine);
    }
}

enum hs_err probe_run(const struct probe_options *options, struct probe_machine *machine,
                      struct hs_error *error)
{
    struct topology_places places = {0};
    enum hs_err err;

    memset(machine, 0, sizeof *machine);
    machine->idle_w = machine->busy_w = NAN;
    err = choose_name(options->name, machine->node, error);
    if (err == HS_OK) {
        err = topology_read(options->root, machine, &places, error);
    }
    if (err == HS_OK) {
        if (!machine->name[0]) {
            (void)snprintf(machine->name, sizeof machine->name, "unnamed processor");
        }
        words_model(machine->model, machine->name, "cpu");
        if (machine->is_here) {
            devices_read(options, machine);
        }
        if (machine->is_here && options->has_measurement) {
            measure(options->root, &places, machine);
        } else {
            words_note(&machine->notes,
                       "Nothing was measured: the speed of the cores is left out (0 flop/s in the "
                       "platform), and so is their power. Run the probe on the machine itself, and "
                       "let it measure.");
        }
    }
    topology_fini(&places);
    return err;
}
