/* SPDX-License-Identifier: GPL-3.0-or-later */
/* complaint.c - SimGrid's messages, and the ways in which a process dies, as sentences.
 *
 * SimGrid 3.32 prints either "Parse error at FILE:LINE: TEXT" or "Uncaught exception TYPE: TEXT"
 * or the bare text of an assertion, and then aborts. The text is quoted; a table adds what to do
 * about it, and replaces texts that would not help. */
#include "platform/complaint.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define QUOTE_MAX 600

#define UNITS                                                                                      \
    "Speeds take f, kf, Mf, Gf, Tf, Pf; bandwidths Bps, kBps, MBps, GBps or bps, kbps, Mbps, "     \
    "Gbps; times ns, us, ms, s; sizes B, kB, MB, GB, KiB, MiB, GiB."
#define XML "Correct the XML here; a platform file has the root element <platform>."
#define SHAPES                                                                                     \
    "The attribute topo_parameters has whole numbers > 0: TORUS X,Y,Z; FAT_TREE LEVELS;DOWN,...;"  \
    "UP,...;LINKS,...; DRAGONFLY GROUPS,LINKS;CHASSIS,LINKS;BLADES,LINKS;NODES."
#define MEMORY                                                                                     \
    "Its numbers of hosts, groups or links are negative or too large: correct them. If they are "  \
    "right, it needs more memory than the process may have (`ulimit -v`)."

struct remedy {
    const char *needle;  /* part of SimGrid's text */
    const char *instead; /* said instead of the text, or NULL: the text is quoted */
    const char *advice;
};

/* The first row that matches counts; the last matches everything. */
static const struct remedy remedies[] = {
    {"unknown unit", NULL, UNITS},
    {"no unit", NULL, UNITS},
    {"cannot parse number", NULL, "Write a number before the unit. " UNITS},
    {"Link not found", NULL, "A route may only name links that are declared above it."},
    {"EOF", NULL,
     "The file ends too early: it may be cut off, or a quote or an end tag is missing."},
    {"Bad attribute `topology'", "the topology of the cluster is unknown",
     "Topologies are FLAT, TORUS, FAT_TREE, DRAGONFLY."},
    {"Bad attribute", NULL,
     "Remove the attribute, or write it as <prop id=\"...\" value=\"...\"/> inside the element."},
    {"Required attribute", NULL, "Add the attribute."},
    {"is not allowed here", NULL,
     "Order and nesting matter: one root <zone> or <cluster> in <platform>, hosts and links before "
     "routes."},
    {"Spurious", NULL, "A quote or a '>' is missing before it, or text needs &lt; for '<'."},
    {"Unexpected end-tag", NULL, "Close the elements in the order in which they were opened."},
    {"Multiple definition", NULL, "Keep one of them."},
    {"Bad declaration", NULL, XML},
    {"Syntax error", NULL, XML},
    {"Unexpected character", NULL, XML},
    {"ancient", "the file has no version, or an ancient one",
     "Write <platform version=\"4.1\"> and units on all numbers; simgrid_update_xml converts old "
     "files."},
    {"BIG FAT WARNING", "the file has no version, or an ancient one",
     "Write <platform version=\"4.1\"> and units on all numbers; simgrid_update_xml converts old "
     "files."},
    {"TOO OLD", "the version of the file is too old",
     "simgrid_update_xml converts it to version 4.1."},
    {"FROM THE FUTURE", "the version of the file is newer than this SimGrid",
     "Write <platform version=\"4.1\"> if the file uses nothing newer."},
    {"second host named", NULL, "Give each host an id of its own."},
    {"at least one core", NULL, "Write core=\"1\" or more, or leave the attribute away."},
    {"Not a valid model", "the routing of the zone is unknown",
     "Routings of a zone are Full, Floyd, Dijkstra, DijkstraCache, Cluster, Vivaldi, Wifi, None."},
    {"does name a node", NULL,
     "A route may only name hosts and routers that are declared above it."},
    {"Bad config key", NULL, "Remove the <prop> from <config>, or correct its id."},
    {"Cannot open file", NULL,
     "Give the path of the file relative to the current folder, or leave the attribute away."},
    {"is not an int", NULL, "Write a whole number."},
    {"is not a double", NULL, "Write a number."},
    {"stoi", "a number is too large or is not a number", "Write a whole number below 2^31."},
    {"stod", "a number is too large or is not a number", "Write a plain number."},
    {"bad_alloc", "SimGrid ran out of memory", MEMORY},
    {"length_error", "SimGrid ran out of memory", MEMORY},
    {"xbt_malloc", "SimGrid ran out of memory", MEMORY},
    {"Memory allocation", "SimGrid ran out of memory", MEMORY},
    {"Malformed radical", NULL, "A radical is a list like 0-3,7,10-12."},
    {"greater than 0", NULL, SHAPES},
    {"must be > 0", NULL, SHAPES},
    {"You specified", NULL, SHAPES},
    {"are defined by", NULL, SHAPES},
    {"Invalid parent count", NULL, SHAPES},
    {"radical", NULL, "Make the radical name as many hosts as the topology has."},
    {"", NULL, "platforms/README.md shows what a platform file consists of."},
};

/* Copies the first line of a message, without frills, and with unprintable bytes as \xNN. */
static void clean_message(const char *message, char *text, size_t size)
{
    size_t length = 0;
    size_t end;

    message += strspn(message, "* \t\n");
    for (; *message && *message != '\n' && length + 5 < size; message++) {
        if (isprint((unsigned char)*message)) {
            text[length++] = *message;
        } else {
            length += (size_t)snprintf(text + length, size - length, "\\x%02x",
                                       (unsigned)(unsigned char)*message);
        }
    }
    text[length] = '\0';
    for (end = length; end && strchr("*!.: ", text[end - 1]); end--) {
        text[end - 1] = '\0';
    }
}

/* Skips "Invalid XML (XML input line 5, state 74): ", which adds nothing. */
static const char *skip_state(const char *text)
{
    const char *after = strstr(text, "): ");

    return after ? after + 3 : text;
}

/* Skips "Parse error at FILE:LINE: " (and keeps the line) or "Uncaught exception TYPE: ". */
static const char *skip_prefix(const char *message, const char *path, uint32_t *line)
{
    static const char parse_error[] = "Parse error at ";
    static const char exception[] = "Uncaught exception ";

    if (strncmp(message, parse_error, strlen(parse_error)) == 0) {
        const char *at = message + strlen(parse_error);

        if (strncmp(at, path, strlen(path)) == 0 && at[strlen(path)] == ':') {
            char *end;
            unsigned long number = strtoul(at + strlen(path) + 1, &end, 10);

            if (*end == ':' && number <= UINT32_MAX) {
                *line = (uint32_t)number;
                return end + 1 + strspn(end + 1, " ");
            }
        }
    } else if (strncmp(message, exception, strlen(exception)) == 0) {
        const char *colon = strstr(message, ": ");

        return colon ? colon + 2 : message;
    }
    return message;
}

static enum hs_err quote_message(const struct source *source, const char *message, uint32_t line,
                                 struct hs_error *error)
{
    static const char syntax[] = "Invalid XML (";
    char text[QUOTE_MAX];
    const struct remedy *remedy = remedies;

    message = skip_prefix(message + strspn(message, " \t\n"), source->path, &line);
    if (strncmp(message, syntax, strlen(syntax)) == 0) {
        message = skip_state(message);
    } else {
        line = (uint32_t)source_start_line(source, (long)line);
    }
    clean_message(message, text, sizeof text);
    while (!strstr(text, remedy->needle)) {
        remedy++;
    }
    return hs_error_set(error, HS_ERR_INPUT, "%.1000s:%u: SimGrid refuses the file: %s. %s",
                        source->path, (unsigned)(line ? line : 1),
                        remedy->instead ? remedy->instead : text, remedy->advice);
}

/* Whether these are the last words of the C library, which tell of a crash and help nobody. */
static bool is_from_allocator(const char *message)
{
    static const char *const words[] = {
        "malloc()",       "realloc()", "free()",        "calloc()",   "malloc_",
        "munmap_chunk()", "sysmalloc", "double free",   "corrupted ", "smallbin",
        "stack smashing", "tcache",    "mremap_chunk()"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strstr(message, words[i]) && !strstr(message, "xbt_")) {
            return true;
        }
    }
    return false;
}

static enum hs_err signal_error(const struct source *source, const struct loader_output *output,
                                uint32_t line, struct hs_error *error)
{
    int number = WTERMSIG(output->status);

    if (number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT) {
        return hs_error_set(error, HS_ERR_INTERRUPTED,
                            "%s: Interrupted while the platform was loaded.", source->path);
    }
    if (number == SIGXCPU) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s: SimGrid used up its processor time (at most %d s) on this file. "
                            "Use fewer hosts, or a routing that costs less than Floyd and "
                            "Dijkstra.",
                            source->path, LOADER_CPU_S);
    }
    if (number == SIGKILL) {
        return hs_error_set(error, HS_ERR_SYSTEM,
                            "%s: SimGrid was killed while it read this file, most likely because "
                            "memory ran out. Close programs, or use fewer hosts.",
                            source->path);
    }
    if (number == SIGABRT && *output->message && !is_from_allocator(output->message)) {
        return quote_message(source, output->message, line, error);
    }
    return hs_error_set(error, HS_ERR_INPUT,
                        "%s:%u: SimGrid crashed (%s) on this file (nested too deep?). Zones inside "
                        "zones, or unusual shapes of clusters (topo_parameters), are the likely "
                        "cause: use fewer levels, and try a regular shape.",
                        source->path, (unsigned)(line ? line : 1), strsignal(number));
}

enum hs_err complaint_set(const struct source *source, const struct loader_output *output,
                          uint32_t line, struct hs_error *error)
{
    char text[QUOTE_MAX];
    int code;

    if (WIFSIGNALED(output->status)) {
        return signal_error(source, output, line, error);
    }
    code = WEXITSTATUS(output->status);
    clean_message(output->message, text, sizeof text);
    switch (code) {
    case EXIT_SUCCESS:
        return hs_error_set(error, HS_ERR_SYSTEM,
                            "%s: The platform loader gave a damaged answer. The module "
                            "hsim-simgrid.so may be of another build: build hsim anew.",
                            source->path);
    case LOADER_EXIT_MODULE:
        return hs_error_set(error, HS_ERR_SYSTEM,
                            "The module for platform files cannot be opened: %s. Install SimGrid "
                            "(Debian: libsimgrid3.32), or build hsim anew.",
                            text);
    case LOADER_EXIT_SETUP:
    case LOADER_EXIT_WRITE:
        return hs_error_set(error, HS_ERR_SYSTEM,
                            "%s: The platform loader ran out of memory or descriptors. Close "
                            "programs, or use fewer hosts.",
                            source->path);
    default:
        break;
    }
    if (*text) {
        return quote_message(source, output->message, line, error);
    }
    return hs_error_set(error, HS_ERR_INPUT,
                        "%s: SimGrid ended with code %d on this file and said nothing. "
                        "platforms/README.md shows what a platform file consists of.",
                        source->path, code);
}
