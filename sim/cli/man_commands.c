/* SPDX-License-Identifier: GPL-3.0-or-later */
/* man_commands.c - hsim.1: every command with its options. */
#include <ctype.h>
#include <string.h>

#include "cli/completion.h"
#include "cli/man.h"

#define NAME_BYTES 64

static const char about[] =
    "hsim simulates the scheduling of clusters of CPUs, GPUs, FPGAs and NPUs: it replays a trace "
    "of jobs, real or generated, under one or many scheduling policies, and says exactly when and "
    "where each job runs, on which devices, and what energy that takes.\n"
    "\n"
    "An experiment is a YAML file; hsim-experiment(5) tells its keys. A run leaves one HDF5 file, "
    "which holds the experiment that made it and every result.\n";

static const struct entry {
    const char *name, *text;
} exit_codes[] =
    {
        {"0", "All went well."},
        {"1", "The run failed: disk, memory, descriptors, a schedule that is not the same again; "
              "in a sweep, "
              "some run failed."},
        {"2", "Usage or configuration."},
        {"4", "A policy broke a rule."},
        {"5", "Bad input data, also a result file that does not agree with itself."},
        {"130",
         "Interrupted. What was done is kept in NAME.interrupted.h5, of a sweep all finished "
         "runs."},
},
  variables[] =
      {
          {"HSIM_CATALOGUE", "The device catalogue, in place of the one that comes with hsim."},
          {"HSIM_CLASSES", "The library of job classes, likewise."},
          {"HSIM_MODULE_PATH", "The folder of the module that reads SimGrid's platform files."},
          {"HSIM_NVML_LIBRARY", "The library of NVIDIA that `hsim platform probe` asks."},
          {"HSIM_OPENCL_LIBRARY", "The OpenCL library that it asks."},
          {"HWLOC_XMLFILE", "A topology of hwloc that it takes for that of the machine."},
          {"NO_COLOR", "If it is set, messages have no colours."},
          {"TMPDIR", "The folder for temporary files."},
},
  files[] =
      {
          {"results/NAME/POLICY.h5",
           "Where results go unless -o or the key output.path says otherwise. FILE.part is one "
           "that is "
           "being written, NAME.interrupted.h5 what a run had done when it was interrupted."},
          {"FOLDER/sweep.h5",
           "What `hsim sweep -o FOLDER` has merged; the runs are in FOLDER/runs."},
},
  examples[] = {
      {"hsim validate first.yaml", "Checks an experiment without running it."},
      {"hsim run first.yaml --set policy=sjf-easy -o first.h5", "Runs it with another policy."},
      {"hsim sweep study.yaml -o results/study -j 2", "Runs all that the block sweep asks for."},
      {"hsim inspect --check first.h5", "Do the numbers agree with each other?"},
      {"hsim export first.h5 --to sqlite -o first.db", "All of it as a database."},
      {"hsim explain workload.load", "What a key means."},
};

static void put_entries(FILE *file, const char *title, const struct entry *entries, size_t count)
{
    (void)fprintf(file, ".SH %s\n", title);
    for (size_t i = 0; i < count; i++) {
        (void)fputs(".TP\n.B ", file);
        man_inline(file, entries[i].name);
        (void)fputc('\n', file);
        man_text(file, entries[i].text);
    }
}

#define PUT_ENTRIES(file, title, entries)                                                          \
    put_entries(file, title, entries, sizeof(entries) / sizeof(entries)[0])

/* The first sentence of an option's text begins with a capital; nothing else is changed. */
static void put_option(const struct argp_option *option, void *context)
{
    FILE *file = context;
    bool is_optional = option->flags & OPTION_ARG_OPTIONAL;

    if (completion_is_heading(option)) {
        (void)fputs(".PP\n", file);
        man_text(file, option->doc);
        return;
    }
    (void)fputs(".TP\n", file);
    if (completion_letter(option)) {
        (void)fprintf(file, "\\fB\\-%c\\fR, ", completion_letter(option));
    }
    (void)fputs("\\fB\\-\\-", file);
    man_inline(file, option->name);
    (void)fputs("\\fR", file);
    if (option->arg) {
        (void)fputs(is_optional ? "[=\\fI" : "=\\fI", file);
        man_inline(file, option->arg);
        (void)fputs(is_optional ? "\\fR]" : "\\fR", file);
    }
    (void)fputc('\n', file);
    man_text(file, option->doc ? option->doc : "");
}

/* "hsim trace info [OPTION...] TRACE", a line for each form. */
static void put_usage(FILE *file, const char *path, const char *forms)
{
    do {
        size_t length = strcspn(forms, "\n");
        char form[512];

        (void)snprintf(form, sizeof form, "%.*s", (int)length, forms);
        (void)fputs(".B hsim ", file);
        man_inline(file, path);
        (void)fprintf(file, "\n[\\fIOPTION\\fR...]%s", *form ? " " : "");
        man_inline(file, form);
        forms += length;
        (void)fputs(*forms ? "\n.br\n" : "\n", file);
        forms += *forms == '\n';
    } while (*forms);
}

static void put_command(const struct completion_command *command, void *context)
{
    FILE *file = context;
    const struct argp *argp = command->argp;
    const char *more = argp->doc ? strchr(argp->doc, '\v') : NULL;
    char path[NAME_BYTES];
    char text[8192];

    (void)snprintf(path, sizeof path, "%s%s%s", command->family ? command->family->name : "",
                   command->family ? " " : "", command->command->name);
    (void)fputs(".SS hsim ", file);
    man_inline(file, path);
    (void)fputc('\n', file);
    put_usage(file, path, argp->args_doc ? argp->args_doc : "");
    (void)fputs(".PP\n", file);
    (void)snprintf(text, sizeof text, "%.*s", argp->doc ? (int)strcspn(argp->doc, "\v") : 0,
                   argp->doc ? argp->doc : "");
    man_text(file, text);
    cli_each_option(argp, put_option, file);
    if (more) {
        (void)fputs(".PP\n", file);
        man_text(file, more[1] == ' ' ? "Examples:" : "");
        man_text(file, more + 1);
    }
}

enum hs_err man_commands(FILE *file, struct hs_error *error)
{
    enum hs_err code;

    (void)fprintf(file,
                  ".\\\" Made by `hsim man hsim.1` from the table of commands.\n"
                  ".TH HSIM 1 2026-11-30 \"hsim %s\" \"User Commands\"\n"
                  ".SH NAME\nhsim \\- simulate scheduling policies on heterogeneous clusters\n"
                  ".SH SYNOPSIS\n.B hsim\n.I COMMAND\n[\\fIARGUMENT\\fR...]\n.br\n.B hsim help\n"
                  "[\\fICOMMAND\\fR]\n.SH DESCRIPTION\n",
                  HSIM_VERSION);
    man_text(file, about);
    (void)fputs(".SH COMMANDS\nEach command also knows \\fB\\-\\-help\\fR and "
                "\\fB\\-\\-usage\\fR.\n",
                file);
    code = completion_each_command(put_command, file, error);
    PUT_ENTRIES(file, "EXIT STATUS", exit_codes);
    PUT_ENTRIES(file, "ENVIRONMENT", variables);
    PUT_ENTRIES(file, "FILES", files);
    PUT_ENTRIES(file, "EXAMPLES", examples);
    (void)fputs(".SH SEE ALSO\n.BR hsim\\-experiment (5)\n", file);
    return code;
}
