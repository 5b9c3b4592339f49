/* SPDX-License-Identifier: GPL-3.0-or-later */
/* init.c - hsim init: an experiment to begin with, with comments instead of questions. */
#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/describe.h"
#include "cli/template.h"

#define FILE_DEFAULT "experiment.yaml"

static const struct kind {
    const char *word, *template, *what;
    const char *beside_template, *beside; /* a second file, which the experiment names; or NULL */
    const char *next;                     /* the command to run it, with the file for % */
} kinds[] = {
    {"first", "first.yaml", "policies compared on a generated workload", NULL, NULL,
     "hsim run % -o results/"},
    {"trace", "trace.yaml", "the replay of a trace", "trace.swf", "trace.swf",
     "hsim run % -o results/"},
    {"devices", "devices.yaml", "jobs on GPUs, and where to place them", "nodes.csv", "nodes.csv",
     "hsim run % -o results/"},
    {"sweep", "sweep.yaml", "a study of many runs", NULL, NULL, "hsim sweep % -o study/"},
};

enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

struct init {
    const char *target;
    const struct kind *kind;
};

static const struct kind *find_kind(const struct argp_state *state, const char *word)
{
    const char *words[KIND_COUNT];
    const char *near;

    for (int i = 0; i < KIND_COUNT; i++) {
        words[i] = kinds[i].word;
        if (strcmp(words[i], word) == 0) {
            return &kinds[i];
        }
    }
    near = hs_nearest(word, words, KIND_COUNT);
    cli_usage(state, "There is no kind '%s'; %s%s%s", word, near ? "did you mean '" : "`hsim init ",
              near ? near : "--help`", near ? "'?" : " lists them.");
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct init *init = state->input;

    switch (key) {
    case 'k':
        init->kind = find_kind(state, value);
        return 0;
    case ARGP_KEY_ARG:
        if (init->target) {
            cli_usage(state, "One file or folder at a time; '%s' is one too many.", value);
        }
        init->target = value;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"kind", 'k', "KIND", 0, "What the experiment is about (default first)", 0},
    {0},
};

static const struct argp init_argp = {
    .options = options,
    .parser = parse_option,
    .args_doc = "[FILE.yaml|DIR]",
    .doc = "Writes a commented experiment that runs at once: " FILE_DEFAULT " in the current "
           "folder, or the file or folder that is named. Files that are there are not "
           "overwritten.\v"
           "Kinds:\n"
           "  first     policies compared on a generated workload\n"
           "  trace     the replay of a trace; a small one is written beside it\n"
           "  devices   jobs on GPUs, and where to place them; with a list of nodes\n"
           "  sweep     a study: loads, policies and replications, for `hsim sweep`\n\n"
           "In the file, lines that begin with # and a blank explain; lines with # right before a "
           "key are ideas that can be uncommented one by one.",
};

/* Parts the target into a folder and the name of a file. What ends in .yaml or .yml and is no
 * folder is a file; else *name stays. */
static enum hs_err part(const char *target, char *folder, const char **name, struct hs_error *error)
{
    const char *slash = strrchr(target, '/');
    size_t length = strlen(target);
    struct stat status;
    bool is_folder = stat(target, &status) == 0 && S_ISDIR(status.st_mode);
    bool is_file = !is_folder && ((length > 5 && strcmp(target + length - 5, ".yaml") == 0) ||
                                  (length > 4 && strcmp(target + length - 4, ".yml") == 0));

    if (length == 0 || length >= PATH_MAX) {
        return hs_error_set(error, HS_ERR_CONFIG,
                            "The name of the file is empty or too long; `hsim init` without one "
                            "writes " FILE_DEFAULT ".");
    }
    if (!is_file) {
        memcpy(folder, target, length + 1);
        while (length > 1 && folder[length - 1] == '/') {
            folder[--length] = '\0';
        }
    } else if (slash) {
        memcpy(folder, target, (size_t)(slash - target));
        folder[slash - target] = '\0';
        *name = slash + 1;
    } else {
        memcpy(folder, ".", 2);
        *name = target;
    }
    if (is_file && slash == target) {
        memcpy(folder, "/", 2);
    }
    return HS_OK;
}

static void print_next(const struct kind *kind, const char *path)
{
    const char *hole = strchr(kind->next, '%');

    (void)printf("%s: %s. Read it, then:\n\n  hsim validate %s\n  %.*s%s%s\n", path, kind->what,
                 path, (int)(hole - kind->next), kind->next, path, hole + 1);
}

static int run_init(int argc, char **argv)
{
    struct init init = {.kind = &kinds[0]};
    const struct template_word words[] = {{NULL, NULL}};
    char folder[PATH_MAX], path[2 * PATH_MAX];
    struct hs_error error = {0};
    const char *name = FILE_DEFAULT;
    enum hs_err err;
    int code = cli_parse(&init_argp, argc, argv, 0, NULL, &init);

    if (code != CLI_OK) {
        return code;
    }
    err = part(init.target ? init.target : ".", folder, &name, &error);
    if (err == HS_OK) {
        const struct template_file files[] = {
            {init.kind->template, name, false},
            {init.kind->beside_template, init.kind->beside, false},
            {NULL, NULL, false},
        };

        err = template_write(folder, files, words, &error);
    }
    if (err != HS_OK) {
        return cli_fail(&error);
    }
    (void)snprintf(path, sizeof path, "%s%s%s", strcmp(folder, ".") == 0 ? "" : folder,
                   strcmp(folder, ".") == 0 ? "" : "/", name);
    print_next(init.kind, path);
    return cli_finish(CLI_OK);
}

static const char *kind_word(size_t index)
{
    return index < KIND_COUNT ? kinds[index].word : NULL;
}

static const struct cli_values values[] = {
    {"kind", NULL, kind_word},
    CLI_VALUES_END,
};

const struct cli_command cli_init = {
    .name = "init",
    .summary = "Write an experiment to begin with",
    .run = run_init,
    .argp = &init_argp,
    .values = values,
};
