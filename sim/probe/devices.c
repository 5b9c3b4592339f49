/* SPDX-License-Identifier: GPL-3.0-or-later */
/* devices.c - one child per library, the PCI bus, and the union of what they tell. */
#include "probe/devices.h"

#include "probe/sysfile.h"
#include "probe/words.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define NVML_LIBRARY      "libnvidia-ml.so.1"
#define OPENCL_LIBRARY    "libOpenCL.so.1"
#define WAIT_MS           20000
#define NVIDIA_VENDOR     0x10de
#define AMD_VENDOR        0x1002
#define CLASS_DISPLAY     0x03
#define CLASS_ACCELERATOR 0x12
#define GIGA              1e9
#define BITS_PER_BYTE     8.0

/* Does not return: asks, and leaves the answer in shared memory. What drivers print is not shown,
 * and `alive` is closed by the child's end, whatever that is. */
_Noreturn static void ask_and_end(devices_ask *ask, const char *library, bool is_wanted,
                                  pid_t parent, struct devices_answer *answer)
{
    int nowhere = open("/dev/null", O_RDWR);

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(EXIT_FAILURE);
    }
    if (nowhere >= 0) {
        (void)dup2(nowhere, STDIN_FILENO);
        (void)dup2(nowhere, STDOUT_FILENO);
        (void)dup2(nowhere, STDERR_FILENO);
    }
    (void)signal(SIGINT, SIG_DFL);
    (void)signal(SIGTERM, SIG_DFL);
    ask(library, is_wanted, answer);
    answer->is_complete = true;
    _exit(EXIT_SUCCESS);
}

/* Waits until the child has ended, `wait_ms` at most; false if it had to be killed. */
static bool await(pid_t child, int alive, int wait_ms)
{
    struct pollfd waiting = {alive, POLLIN, 0};
    int ready;

    do {
        ready = poll(&waiting, 1, wait_ms);
    } while (ready < 0 && errno == EINTR);
    if (ready <= 0) {
        (void)kill(child, SIGKILL);
    }
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
        continue;
    }
    return ready > 0;
}

/* Runs `ask` in a child; the answer is in memory that both share. */
static void ask_in_child(devices_ask *ask, const char *library, bool is_wanted, int wait_ms,
                         struct devices_answer *answer, struct probe_notes *notes)
{
    pid_t parent = getpid();
    int alive[2];
    pid_t child;

    if (pipe2(alive, O_CLOEXEC) != 0) {
        words_note(notes,
                   "%s is not asked for accelerators: no pipe (%s). Close files or raise the "
                   "limit with ulimit -n.",
                   library, strerror(errno));
        return;
    }
    child = fork();
    if (child == 0) {
        ask_and_end(ask, library, is_wanted, parent, answer);
    }
    (void)close(alive[1]);
    if (child < 0) {
        words_note(notes,
                   "%s is not asked for accelerators: no process (%s). Close programs or "
                   "raise the limit with ulimit -u.",
                   library, strerror(errno));
    } else if (!await(child, alive[0], wait_ms)) {
        words_note(notes,
                   "%s did not answer within %g s; its devices are left out. Repair the driver.",
                   library, wait_ms / 1000.0);
    } else if (!answer->is_complete) {
        words_note(notes,
                   "%s crashed when asked for accelerators; its devices are left out. Repair "
                   "the driver.",
                   library);
    }
    (void)close(alive[0]);
}

static void ask_library(devices_ask *ask, const char *chosen, const char *usual, int wait_ms,
                        struct probe_machine *machine)
{
    struct devices_answer *answer =
        mmap(NULL, sizeof *answer, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool is_wanted = chosen && *chosen;
    const char *library = is_wanted ? chosen : usual;

    if (answer == MAP_FAILED) {
        words_note(&machine->notes, "%s is not asked for accelerators: out of memory.", library);
        return;
    }
    ask_in_child(ask, library, is_wanted, wait_ms > 0 ? wait_ms : WAIT_MS, answer, &machine->notes);
    if (answer->is_complete) {
        devices_merge(&machine->devices, &answer->devices);
        for (size_t i = 0; i < answer->notes.count; i++) {
            words_note(&machine->notes, "%s", answer->notes.texts[i]);
        }
    }
    (void)munmap(answer, sizeof *answer);
}

/* Two drivers may offer the same device. Where both tell its place on the bus that decides; else
 * all devices of one maker come from the driver that was asked first. */
static bool is_known(const struct probe_devices *all, size_t count,
                     const struct probe_device *device)
{
    for (size_t i = 0; i < count; i++) {
        const struct probe_device *other = &all->items[i];

        if (device->bus_id[0] && other->bus_id[0] ? strcmp(device->bus_id, other->bus_id) == 0
                                                  : device->vendor_id == other->vendor_id) {
            return true;
        }
    }
    return false;
}

void devices_merge(struct probe_devices *all, const struct probe_devices *more)
{
    size_t first_count = all->count;

    for (size_t i = 0; i < more->count && all->count < PROBE_DEVICES_MAX; i++) {
        if (!is_known(all, first_count, &more->items[i])) {
            all->items[all->count++] = more->items[i];
        }
    }
}

/* Bytes per second of one lane, one way: transfers less the line code, 8b/10b up to 5 GT/s, then
 * 128b/130b (PCI Express Base Specification); the flits of 64 GT/s are counted as the latter. */
static double lane_rate(double transfers_g)
{
    double code = transfers_g > 5 ? 128.0 / 130.0 : 8.0 / 10.0;

    return transfers_g * GIGA * code / BITS_PER_BYTE;
}

void devices_read_pci(const char *root, uint32_t numa_count, struct probe_device *device)
{
    char text[64];
    int64_t width, numa;

    if (!device->bus_id[0]) {
        return;
    }
    if (sysfile_read(root, text, sizeof text, "/sys/bus/pci/devices/%s/max_link_speed",
                     device->bus_id) > 0 &&
        sysfile_number(root, &width, "/sys/bus/pci/devices/%s/max_link_width", device->bus_id) &&
        width >= 1 && width <= 32) {
        double transfers_g = strtod(text, NULL); /* "16.0 GT/s PCIe"; "Unknown" is 0 */

        device->link_bytes_per_s =
            transfers_g > 0 && transfers_g < 1000 ? lane_rate(transfers_g) * (double)width : 0;
    }
    if (!device->group[0] && numa_count > 1 &&
        sysfile_number(root, &numa, "/sys/bus/pci/devices/%s/numa_node", device->bus_id)) {
        (void)snprintf(device->group, sizeof device->group, "numa%" PRId64, numa);
    }
}

/* What looks like an accelerator: a display or processing device of the two makers of GPUs for
 * computing, or any processing accelerator. */
static bool is_accelerator(int64_t class, int64_t vendor)
{
    int64_t base = class >> 16;

    return base == CLASS_ACCELERATOR ||
           (base == CLASS_DISPLAY && (vendor == NVIDIA_VENDOR || vendor == AMD_VENDOR));
}

static bool is_told(const struct probe_devices *devices, const char *bus_id, int64_t vendor)
{
    for (size_t i = 0; i < devices->count; i++) {
        const struct probe_device *device = &devices->items[i];

        if (device->bus_id[0] ? strcmp(device->bus_id, bus_id) == 0 : device->vendor_id == vendor) {
            return true;
        }
    }
    return false;
}

void devices_note_silent(const char *root, const struct probe_devices *devices,
                         struct probe_notes *notes)
{
    char path[PATH_MAX];
    const struct dirent *entry;
    DIR *folder;

    (void)snprintf(path, sizeof path, "%s/sys/bus/pci/devices", root);
    folder = opendir(path);
    while (folder && (entry = readdir(folder)) != NULL) {
        int64_t class, vendor;

        if (entry->d_name[0] != '.' &&
            sysfile_number(root, &class, "/sys/bus/pci/devices/%s/class", entry->d_name) &&
            sysfile_number(root, &vendor, "/sys/bus/pci/devices/%s/vendor", entry->d_name) &&
            is_accelerator(class, vendor) && !is_told(devices, entry->d_name, vendor)) {
            words_note(notes,
                       "The PCI device %s (maker %04" PRIx64 ") looks like an accelerator, but "
                       "neither NVML nor OpenCL tells of it; it is left out. Install its driver%s, "
                       "or add it to the platform by hand.",
                       entry->d_name, (uint64_t)vendor,
                       vendor == NVIDIA_VENDOR ? " (nvidia-smi comes with it)" : " for OpenCL");
        }
    }
    if (folder) {
        (void)closedir(folder);
    }
}

/* Ids count per kind; the model is a word from the name. */
static void name_devices(struct probe_devices *devices)
{
    for (size_t i = 0; i < devices->count; i++) {
        struct probe_device *device = &devices->items[i];
        char id[PROBE_WORD_MAX];
        unsigned number = 0;

        for (size_t j = 0; j < i; j++) {
            number += strcmp(devices->items[j].kind, device->kind) == 0;
        }
        (void)snprintf(id, sizeof id, "%.16s%u", device->kind, number % PROBE_DEVICES_MAX);
        memcpy(device->id, id, sizeof id);
        words_model(device->model, device->name, device->kind);
    }
}

void devices_read(const struct probe_options *options, struct probe_machine *machine)
{
    struct probe_devices *devices = &machine->devices;

    ask_library(nvml_ask, options->nvml_library, NVML_LIBRARY, options->library_wait_ms, machine);
    ask_library(opencl_ask, options->opencl_library, OPENCL_LIBRARY, options->library_wait_ms,
                machine);
    name_devices(devices);
    for (size_t i = 0; i < devices->count; i++) {
        devices_read_pci(options->root, machine->numa_count, &devices->items[i]);
        if (devices->items[i].source == PROBE_OPENCL) {
            words_note(&machine->notes,
                       "%s: OpenCL tells neither peak rates nor power, so they are left out. Add "
                       "them to the catalogue from the data sheet.",
                       devices->items[i].name);
        }
    }
    devices_note_silent(options->root, devices, &machine->notes);
}
