/* SPDX-License-Identifier: GPL-3.0-or-later */
/* platform.c - `hsim platform`: what hsim understands of a platform.
 *
 * `show` groups hosts that are equal in role, kind, cores, memory and speed, and names each group
 * by ranges of names that count up ("n0-n127,n130"). */
#include "platform/platform.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

#define TEXT_MAX    48 /* a number with its unit */
#define NAMES_WIDTH 60 /* characters of names in a row of the table, about */
#define COLUMNS     6  /* of the widest table */

/* What the command line says. Numbers stay text until all of it is read. */
struct show {
    const char *file;
    const char *nodes;
    const char *cores;
    const char *memory;
    bool is_json;
    bool has_hosts; /* list every host */
};

struct entry {
    const struct platform_host *host;
    size_t index; /* in the platform */
};

/* Equal hosts: entries [first, first + count) in the order of the platform. */
struct group {
    const struct entry *first;
    size_t count;
};

struct groups {
    struct entry *entries;
    struct group *groups;
    size_t count;
};

static int compare_numbers(int64_t left, int64_t right)
{
    return (left > right) - (left < right);
}

static int compare_kinds(const struct platform_host *a, const struct platform_host *b)
{
    int order = compare_numbers(a->role, b->role);

    if (order == 0) {
        order = strcmp(a->kind, b->kind);
    }
    if (order == 0) {
        order = compare_numbers(a->cores, b->cores);
    }
    if (order == 0) {
        order = compare_numbers(a->mem_bytes, b->mem_bytes);
    }
    return order ? order : (a->speed > b->speed) - (a->speed < b->speed);
}

static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left;
    const struct entry *b = right;
    int order = compare_kinds(a->host, b->host);

    return order ? order : (a->index > b->index) - (a->index < b->index);
}

/* Groups go by their first host, those of one role together. */
static int compare_groups(const void *left, const void *right)
{
    const struct group *a = left;
    const struct group *b = right;
    int order = compare_numbers(a->first->host->role, b->first->host->role);

    return order ? order
                 : (a->first->index > b->first->index) - (a->first->index < b->first->index);
}

static void groups_fini(struct groups *groups)
{
    free(groups->entries);
    free(groups->groups);
}

static enum hs_err groups_init(struct groups *groups, const struct platform *platform,
                               struct hs_error *error)
{
    size_t count = platform->host_count;

    *groups = (struct groups){0};
    groups->entries = calloc(count, sizeof *groups->entries);
    groups->groups = calloc(count, sizeof *groups->groups);
    if (!groups->entries || !groups->groups) {
        return hs_error_memory(error);
    }
    for (size_t i = 0; i < count; i++) {
        groups->entries[i] = (struct entry){&platform->hosts[i], i};
    }
    qsort(groups->entries, count, sizeof *groups->entries, compare_entries);
    for (size_t i = 0; i < count; i++) {
        const struct entry *entry = &groups->entries[i];

        if (i == 0 || compare_kinds(entry[-1].host, entry->host) != 0) {
            groups->groups[groups->count++].first = entry;
        }
        groups->groups[groups->count - 1].count++;
    }
    qsort(groups->groups, groups->count, sizeof *groups->groups, compare_groups);
    return HS_OK;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Whether `next` is `name` with one run of digits raised by one ("n9", "n10"; "r08.x", "r09.x").
 * *start is where the run starts. */
static bool counts_up(const char *name, const char *next, size_t *start)
{
    size_t at = 0;
    char *name_end;
    char *next_end;
    unsigned long long number;

    while (name[at] && name[at] == next[at]) {
        at++;
    }
    while (at && is_digit(name[at - 1])) {
        at--;
    }
    if (!is_digit(name[at]) || !is_digit(next[at])) {
        return false;
    }
    errno = 0;
    number = strtoull(name + at, &name_end, 10);
    if (strtoull(next + at, &next_end, 10) != number + 1 || errno ||
        strcmp(name_end, next_end) != 0) {
        return false;
    }
    *start = at;
    /* 9 is followed by 10, 09 by 10, but 09 not by 010. */
    return name_end - name == next_end - next || (name[at] != '0' && next[at] != '0');
}

/* Entries from `first` on, at most `count`, whose names count up in one place. */
static size_t range_length(const struct entry *first, size_t count)
{
    size_t length = 1;
    size_t place = 0;

    while (length < count) {
        size_t start;

        if (!counts_up(first[length - 1].host->name, first[length].host->name, &start) ||
            (length > 1 && start != place)) {
            break;
        }
        place = start;
        length++;
    }
    return length;
}

/* Ranges of names with commas; ends with "..." when the row gets wide. */
static void print_names(const struct group *group)
{
    size_t width = 0;

    for (size_t i = 0; i < group->count;) {
        const struct entry *first = &group->first[i];
        size_t length = range_length(first, group->count - i);

        if (width > NAMES_WIDTH) {
            (void)printf(",...");
            break;
        }
        width += (size_t)printf("%s%s", i ? "," : "", first->host->name);
        if (length > 1) {
            width += (size_t)printf("-%s", first[length - 1].host->name);
        }
        i += length;
    }
}

/* "64 GiB", "40 GB", "1.5 TiB"; "-" for none. Sizes that are whole in neither are rounded. */
static void format_bytes(hs_int128 bytes, char *text)
{
    static const char letters[] = "KMGTPEZY";
    hs_int128 binary = 1;
    hs_int128 decimal = 1;
    int power = 0;

    if (bytes <= 0) {
        (void)snprintf(text, TEXT_MAX, "-");
        return;
    }
    while (power < 8 && bytes / binary >= 1024) {
        binary *= 1024;
        decimal *= 1000;
        power++;
    }
    if (power == 0) {
        (void)snprintf(text, TEXT_MAX, "%d B", (int)bytes);
    } else if (bytes % decimal == 0) {
        (void)snprintf(text, TEXT_MAX, "%" PRId64 " %cB", (int64_t)(bytes / decimal),
                       power == 1 ? 'k' : letters[power - 1]);
    } else {
        (void)snprintf(text, TEXT_MAX, "%.6g %ciB", (double)bytes / (double)binary,
                       letters[power - 1]);
    }
}

/* "10 Gf"; "-" if the platform does not say. */
static void format_speed(double speed, char *text)
{
    static const char *const units[] = {"f", "kf", "Mf", "Gf", "Tf", "Pf", "Ef"};
    size_t unit = 0;

    while (speed >= 1000 && unit + 1 < sizeof units / sizeof units[0]) {
        speed /= 1000;
        unit++;
    }
    if (speed > 0) {
        (void)snprintf(text, TEXT_MAX, "%.6g %s", speed, units[unit]);
    } else {
        (void)snprintf(text, TEXT_MAX, "-");
    }
}

static const char *role_name(enum platform_role role)
{
    switch (role) {
    case PLATFORM_COMPUTE:
        return "compute";
    case PLATFORM_MASTER:
        return "master";
    case PLATFORM_STORAGE:
        return "storage";
    case PLATFORM_DEVICE:
        return "device";
    }
    return "";
}

/* One row of a table; the last column is printed by the caller. */
struct row {
    const char *cells[COLUMNS];
    char texts[COLUMNS][TEXT_MAX];
};

static void widen(const struct row *row, size_t columns, int *widths)
{
    for (size_t i = 0; i < columns; i++) {
        int width = (int)strlen(row->cells[i]);

        widths[i] = width > widths[i] ? width : widths[i];
    }
}

/* Columns with a bit in `rights` are aligned to the right. */
static void print_cells(const struct row *row, size_t columns, const int *widths, unsigned rights)
{
    for (size_t i = 0; i < columns; i++) {
        bool is_right = rights >> i & 1;

        (void)printf("%*s  ", is_right ? widths[i] : -widths[i], row->cells[i]);
    }
}

/* role, kind, hosts, cores, memory, speed */
static void fill_group(const struct group *group, struct row *row)
{
    const struct platform_host *host = group->first->host;

    row->cells[0] = role_name(host->role);
    row->cells[1] = host->kind;
    for (size_t i = 2; i < COLUMNS; i++) {
        row->cells[i] = row->texts[i];
    }
    (void)snprintf(row->texts[2], TEXT_MAX, "%zu", group->count);
    (void)snprintf(row->texts[3], TEXT_MAX, "%" PRId64, host->cores);
    format_bytes(host->mem_bytes, row->texts[4]);
    format_speed(host->speed, row->texts[5]);
}

/* name, role, kind, cores, memory, speed */
static void fill_host(const struct platform_host *host, struct row *row)
{
    row->cells[0] = host->name;
    row->cells[1] = role_name(host->role);
    row->cells[2] = host->kind;
    for (size_t i = 3; i < COLUMNS; i++) {
        row->cells[i] = row->texts[i];
    }
    (void)snprintf(row->texts[3], TEXT_MAX, "%" PRId64, host->cores);
    format_bytes(host->mem_bytes, row->texts[4]);
    format_speed(host->speed, row->texts[5]);
}

static void print_groups(const struct groups *groups)
{
    const struct row head = {.cells = {"role", "kind", "hosts", "cores", "memory", "speed"}};
    int widths[COLUMNS] = {0};
    struct row row;

    widen(&head, COLUMNS, widths);
    for (size_t i = 0; i < groups->count; i++) {
        fill_group(&groups->groups[i], &row);
        widen(&row, COLUMNS, widths);
    }
    print_cells(&head, COLUMNS, widths, 0x3c);
    (void)printf("names\n");
    for (size_t i = 0; i < groups->count; i++) {
        fill_group(&groups->groups[i], &row);
        print_cells(&row, COLUMNS, widths, 0x3c);
        print_names(&groups->groups[i]);
        (void)putchar('\n');
    }
}

static void print_hosts(const struct platform *platform)
{
    const struct row head = {.cells = {"host", "role", "kind", "cores", "memory", "speed"}};
    int widths[COLUMNS] = {0};
    struct row row;

    widen(&head, COLUMNS, widths);
    for (size_t i = 0; i < platform->host_count; i++) {
        fill_host(&platform->hosts[i], &row);
        widen(&row, COLUMNS, widths);
    }
    print_cells(&head, COLUMNS, widths, 0x38);
    (void)printf("node\n");
    for (size_t i = 0; i < platform->host_count; i++) {
        fill_host(&platform->hosts[i], &row);
        print_cells(&row, COLUMNS, widths, 0x38);
        if (platform->hosts[i].node == UINT32_MAX) {
            (void)printf("-\n");
        } else {
            (void)printf("%" PRIu32 "\n", platform->hosts[i].node);
        }
    }
}

/* Sum of the memory of all nodes, and how many do not say theirs. */
static hs_int128 sum_memory(const struct platform *platform, size_t *silent_count)
{
    hs_int128 sum = 0;

    *silent_count = 0;
    for (size_t i = 0; i < platform->host_count; i++) {
        const struct platform_host *host = &platform->hosts[i];

        if (host->node != UINT32_MAX) {
            sum += host->mem_bytes;
            *silent_count += host->mem_bytes == 0;
        }
    }
    return sum;
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void print_totals(const struct platform *platform)
{
    uint32_t nodes = hs_cluster_node_count(platform->cluster);
    uint64_t cores = (uint64_t)hs_cluster_cores_milli(platform->cluster) / 1000;
    size_t others = platform->host_count - nodes;
    size_t silent_count;
    hs_int128 memory = sum_memory(platform, &silent_count);
    char text[TEXT_MAX];

    format_bytes(memory, text);
    (void)printf("\n%" PRIu32 " node%s, %" PRIu64 " core%s", nodes, plural(nodes), cores,
                 plural(cores));
    if (silent_count == nodes) {
        (void)printf("; memory is not modelled");
    } else if (silent_count) {
        (void)printf(", %s of memory; %zu node%s without a stated memory", text, silent_count,
                     plural(silent_count));
    } else {
        (void)printf(", %s of memory", text);
    }
    (void)putchar('\n');
    if (others) {
        (void)printf("%zu host%s take%s no jobs: masters, storage, and devices (accelerators)\n",
                     others, plural(others), others == 1 ? "s" : "");
    }
}

static void print_json_text(const char *text)
{
    (void)putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') {
            (void)printf("\\%c", *text);
        } else if ((unsigned char)*text < ' ') {
            (void)printf("\\u%04x", (unsigned)(unsigned char)*text);
        } else {
            (void)putchar(*text);
        }
    }
    (void)putchar('"');
}

/* "KEY": NUMBER, with null for 0: not stated. */
static void print_json_memory(hs_int128 bytes)
{
    if (bytes > 0 && bytes <= INT64_MAX) {
        (void)printf("\"mem_bytes\": %" PRId64, (int64_t)bytes);
    } else if (bytes > 0) {
        (void)printf("\"mem_bytes\": %.17g", (double)bytes);
    } else {
        (void)printf("\"mem_bytes\": null");
    }
}

static void print_json_kind(const struct platform_host *host)
{
    (void)printf("\"role\": \"%s\", \"kind\": ", role_name(host->role));
    print_json_text(host->kind);
    (void)printf(", \"cores\": %" PRId64 ", ", host->cores);
    print_json_memory(host->mem_bytes);
    if (host->speed > 0) {
        (void)printf(", \"speed_flops\": %.17g", host->speed);
    } else {
        (void)printf(", \"speed_flops\": null");
    }
}

static void print_json_group(const struct group *group)
{
    (void)printf("    {\"hosts\": %zu, ", group->count);
    print_json_kind(group->first->host);
    (void)printf(", \"names\": [");
    for (size_t i = 0; i < group->count;) {
        size_t length = range_length(&group->first[i], group->count - i);

        (void)printf("%s[", i ? ", " : "");
        print_json_text(group->first[i].host->name);
        (void)printf(", ");
        print_json_text(group->first[i + length - 1].host->name);
        (void)printf("]");
        i += length;
    }
    (void)printf("]}");
}

static void print_json_host(const struct platform_host *host)
{
    (void)printf("    {\"name\": ");
    print_json_text(host->name);
    (void)printf(", ");
    print_json_kind(host);
    if (host->node == UINT32_MAX) {
        (void)printf(", \"node\": null");
    } else {
        (void)printf(", \"node\": %" PRIu32, host->node);
    }
    (void)printf(", \"pstate_flops\": [");
    for (size_t i = 0; i < host->pstate_count; i++) {
        (void)printf("%s%.17g", i ? ", " : "", host->pstate_speeds[i]);
    }
    (void)printf("], \"properties\": {");
    for (size_t i = 0; i < host->property_count; i++) {
        (void)printf("%s", i ? ", " : "");
        print_json_text(host->property_names[i]);
        (void)printf(": ");
        print_json_text(host->property_values[i]);
    }
    (void)printf("}}");
}

static void print_json(const struct show *show, const struct platform *platform,
                       const struct groups *groups)
{
    size_t silent_count;
    hs_int128 memory = sum_memory(platform, &silent_count);

    (void)printf("{\n  \"file\": ");
    if (show->file) {
        print_json_text(show->file);
        (void)printf(",\n  \"simgrid\": ");
        print_json_text(platform->simgrid_version);
    } else {
        (void)printf("null,\n  \"simgrid\": null");
    }
    (void)printf(",\n  \"nodes\": %" PRIu32 ",\n  \"cores\": %" PRId64 ",\n  ",
                 hs_cluster_node_count(platform->cluster),
                 hs_cluster_cores_milli(platform->cluster) / 1000);
    print_json_memory(silent_count ? 0 : memory);
    (void)printf(",\n  \"groups\": [\n");
    for (size_t i = 0; i < groups->count; i++) {
        print_json_group(&groups->groups[i]);
        (void)printf("%s\n", i + 1 < groups->count ? "," : "");
    }
    (void)printf("  ]");
    if (show->has_hosts) {
        (void)printf(",\n  \"hosts\": [\n");
        for (size_t i = 0; i < platform->host_count; i++) {
            print_json_host(&platform->hosts[i]);
            (void)printf("%s\n", i + 1 < platform->host_count ? "," : "");
        }
        (void)printf("  ]");
    }
    (void)printf("\n}\n");
}

static void print_table(const struct show *show, const struct platform *platform,
                        const struct groups *groups)
{
    if (show->file) {
        (void)printf("%s (SimGrid %s)\n\n", show->file, platform->simgrid_version);
    } else {
        (void)printf("inline platform\n\n");
    }
    if (show->has_hosts) {
        print_hosts(platform);
    } else {
        print_groups(groups);
    }
    print_totals(platform);
}

static error_t show_option(int key, char *value, struct argp_state *state)
{
    struct show *show = state->input;

    switch (key) {
    case 'n':
        show->nodes = value;
        return 0;
    case 'c':
        show->cores = value;
        return 0;
    case 'm':
        show->memory = value;
        return 0;
    case 'j':
        show->is_json = true;
        return 0;
    case 'H':
        show->has_hosts = true;
        return 0;
    case ARGP_KEY_ARG:
        if (show->file) {
            cli_usage(state, "One platform file at a time; '%s' is the second.", value);
        }
        show->file = value;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option show_options[] = {
    {"nodes", 'n', "N", 0, "An inline platform with this many nodes, instead of a file", 0},
    {"cores", 'c', "C", 0, "Cores of each node (default 1)", 0},
    {"memory", 'm', "SIZE", 0, "Memory of each node, e.g. 64GiB (default: not modelled)", 0},
    {"hosts", 'H', NULL, 0, "List every host", 0},
    {"json", 'j', NULL, 0, "Print JSON", 0},
    {0},
};

static const struct argp show_argp = {
    .options = show_options,
    .parser = show_option,
    .args_doc = "FILE.xml\n--nodes N [--cores C] [--memory SIZE]",
    .doc = "Shows the nodes of a platform, grouped by what they are, and the other hosts."
           "\vA platform file is a SimGrid platform (.xml); platforms/README.md says which "
           "properties are understood. A bad file ends with exit code 5.",
};

static enum hs_err parse_count(const char *option, const char *text, int64_t *count,
                               struct hs_error *error)
{
    char *end;
    long long number;

    errno = 0;
    number = strtoll(text, &end, 10);
    if (end == text || *end || errno) {
        return hs_error_set(error, HS_ERR_CONFIG, "--%s %s: a whole number is due, e.g. --%s 16.",
                            option, text, option);
    }
    *count = number;
    return HS_OK;
}

static enum hs_err read_options(const struct show *show, struct platform_options *options,
                                struct hs_error *error)
{
    enum hs_err err = HS_OK;

    *options = (struct platform_options){.file = show->file, .cores = 1};
    if (show->file && (show->nodes || show->cores || show->memory)) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "A platform is a file ('%s') or --nodes, --cores and --memory, not "
                            "both. Leave one of the two away.",
                            show->file);
    }
    if (!show->file && !show->nodes) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "No platform is named. Write `hsim platform show FILE.xml`, or "
                            "`hsim platform show --nodes 16 --cores 32`.");
    }
    if (show->nodes) {
        err = parse_count("nodes", show->nodes, &options->nodes, error);
    }
    if (err == HS_OK && show->cores) {
        err = parse_count("cores", show->cores, &options->cores, error);
    }
    if (err == HS_OK && show->memory && !platform_size_parse(show->memory, &options->mem_bytes)) {
        err = hs_error_set(error, HS_ERR_CONFIG,
                           "--memory %s: a size with a unit is due, e.g. 64GiB or 40GB.",
                           show->memory);
    }
    return err;
}

static int show_run(int argc, char **argv)
{
    struct show show = {0};
    struct platform_options options;
    struct platform platform = {0};
    struct groups groups = {0};
    struct hs_error error = {0};
    int code = cli_parse(&show_argp, argc, argv, 0, NULL, &show);
    enum hs_err err;

    if (code != CLI_OK) {
        return code;
    }
    err = read_options(&show, &options, &error);
    if (err == HS_OK) {
        err = platform_load(&options, &platform, &error);
    }
    if (err == HS_OK) {
        err = groups_init(&groups, &platform, &error);
    }
    if (err != HS_OK) {
        code = cli_fail(&error);
    } else {
        if (show.is_json) {
            print_json(&show, &platform, &groups);
        } else {
            print_table(&show, &platform, &groups);
        }
        code = cli_finish(CLI_OK);
    }
    groups_fini(&groups);
    platform_fini(&platform);
    return code;
}

static const struct cli_command commands[] = {
    {"show", "Show the nodes and other hosts of a platform", show_run},
};

static const struct cli_family family = {"platform",
                                         "Platforms: SimGrid files, or a number of equal nodes.",
                                         commands, sizeof commands / sizeof commands[0]};

static int platform_run(int argc, char **argv)
{
    return cli_run_family(&family, argc, argv);
}

const struct cli_command cli_platform = {"platform", "Look at platforms: nodes, cores, memory",
                                         platform_run};
