/* SPDX-License-Identifier: GPL-3.0-or-later */
/* policies_new.c - hsim policies new: a plug-in out of the tree, ready to be built and tested. */
#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/policies.h"
#include "cli/template.h"
#include "hs/registry.h"
#include "run/run.h"

#define NAME_LENGTH_MAX 48

/* What differs between the kinds. */
static const struct kind {
    const char *word, *template, *what;
    const char *policies; /* of the experiment; @ is the name */
} kinds[] = {
    {"policy", "policy.c.in", "a whole policy",
     "  - fcfs\n  - easy\n  - @\n  - {name: @, patience: 4h, label: @-4h}"},
    {"order", "order.c.in", "an order of the queue",
     "  - easy\n  - sjf-easy\n  - {name: easy, order: @}\n  - {name: easy, order: @, "
     "width_power: 0.5, label: @-half}"},
    {"reserve", "reserve.c.in", "a reservation rule",
     "  - first-fit\n  - easy\n  - @\n  - {name: @, order: sjf, window: 5}"},
    {"place", "place.c.in", "a placement",
     "  - easy                # left-most\n  - {name: easy, place: best-fit}\n  - {name: easy, "
     "place: @}"},
    {"predictor", "predictor.c.in", "a predictor of run times",
     "  - easy                # by the requests\n  - {name: easy, predictor: last-two}\n  - {name: "
     "easy, predictor: @}"},
};

enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

struct new
{
    const char *name, *folder;
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
    cli_usage(state,
              "There is no kind '%s'; %s%s%sit is policy, order, reserve, place or predictor.",
              word, near ? "did you mean '" : "", near ? near : "", near ? "'? Else " : "");
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct new *new = state->input;

    switch (key) {
    case 'o':
        new->folder = value;
        return 0;
    case 'k':
        new->kind = find_kind(state, value);
        return 0;
    case ARGP_KEY_ARG:
        if (new->name) {
            cli_usage(state, "One name at a time; '%s' is one too many.", value);
        }
        new->name = value;
        return 0;
    case ARGP_KEY_NO_ARGS:
        cli_usage(state, "Give the plug-in a name: hsim policies new my-policy");
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"output", 'o', "DIR", 0, "Folder to write to (the name, in the current folder)", 0},
    {"kind", 'k', "KIND", 0, "policy (default), order, reserve, place or predictor", 0},
    {0},
};

const struct argp policies_new_argp = {
    .options = options,
    .parser = parse_option,
    .args_doc = "NAME",
    .doc = "Writes a plug-in to begin with into a folder of its own: C source with comments that "
           "explain the interface, CMakeLists.txt, a test, an experiment, README.md.\v"
           "The name is made of a-z, 0-9 and -, and none that hsim has already. Files that are "
           "there are not overwritten. The plug-in is built against the installed headers, which "
           "CMake finds through pkg-config (hsched.pc):\n\n"
           "  hsim policies new my-policy && cd my-policy\n"
           "  cmake -B build && cmake --build build && ctest --test-dir build",
};

/* What the name might have been meant to be: other characters become dashes. */
static void repair(const char *name, char *text, size_t size)
{
    size_t length = 0;

    for (; *name && length + 1 < size; name++) {
        char c = (char)tolower((unsigned char)*name);
        bool is_good = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');

        if (is_good || (length && text[length - 1] != '-')) {
            text[length++] = is_good ? c : '-';
        }
    }
    while (length && text[length - 1] == '-') {
        length--;
    }
    text[length] = '\0';
}

static enum hs_err check_form(const char *name, struct hs_error *error)
{
    char repaired[NAME_LENGTH_MAX + 1];
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");

    if (*name && !name[length] && length <= NAME_LENGTH_MAX && *name != '-' &&
        name[length - 1] != '-') {
        return HS_OK;
    }
    repair(name, repaired, sizeof repaired);
    return hs_error_set(error, HS_ERR_CONFIG,
                        "A plug-in cannot be called '%.100s': a name has at most %d characters of "
                        "a-z, 0-9 and -, and no - at either end%s%s%s",
                        name, NAME_LENGTH_MAX, *repaired ? "; did you mean '" : ".", repaired,
                        *repaired ? "'?" : "");
}

/* Names that an experiment could mean something else by are taken, compositions included. */
static enum hs_err check_free(const char *name, struct hs_error *error)
{
    struct hs_registry *registry = NULL;
    struct hs_choice choice = {.name = name};
    struct hs_stack *stack = NULL;
    struct hs_error ignored = {0};
    const char *taken = NULL;
    enum hs_err err = run_registry_create(NULL, 0, &registry, error);

    if (err != HS_OK) {
        return err;
    }
    for (int kind = 0; kind < HS_KIND_COUNT; kind++) {
        for (size_t i = 0; i < hs_registry_count(registry, (enum hs_kind)kind); i++) {
            if (strcmp(hs_registry_info(registry, (enum hs_kind)kind, i).name, name) == 0) {
                taken = hs_kind_name((enum hs_kind)kind);
            }
        }
    }
    if (!taken && hs_stack_create(registry, &choice, &stack, &ignored) == HS_OK) {
        taken = "order with a reservation rule";
    }
    hs_stack_destroy(stack);
    hs_registry_destroy(registry);
    return taken ? hs_error_set(error, HS_ERR_CONFIG,
                                "'%s' is the name of a built-in %s; did you mean another, for "
                                "instance 'my-%s'?",
                                name, taken, name)
                 : HS_OK;
}

/* The policies of the experiment, with the name in place of each @. */
static void write_policies(const struct kind *kind, const char *name, char *text, size_t size)
{
    size_t length = 0;

    text[0] = '\0';
    for (const char *c = kind->policies; *c && length + NAME_LENGTH_MAX + 1 < size; c++) {
        length += (size_t)snprintf(text + length, size - length, "%.*s",
                                   *c == '@' ? NAME_LENGTH_MAX : 1, *c == '@' ? name : c);
    }
}

static enum hs_err write_all(const struct new *new, const char *folder, struct hs_error *error)
{
    char source[NAME_LENGTH_MAX + 3], identifier[NAME_LENGTH_MAX + 1], policies[1024];
    const struct template_file files[] = {
        {new->kind->template, source, false},
        {"CMakeLists.txt.in", "CMakeLists.txt", false},
        {"experiment.yaml.in", "experiment.yaml", false},
        {"test.sh.in", "test.sh", true},
        {"README.md.in", "README.md", false},
        {"gitignore.in", ".gitignore", false},
        {NULL, NULL, false},
    };
    const struct template_word words[] = {
        {"NAME", new->name},       {"ID", identifier},        {"POLICIES", policies},
        {"WHAT", new->kind->what}, {"VERSION", HSIM_VERSION}, {NULL, NULL},
    };

    (void)snprintf(source, sizeof source, "%s.c", new->name);
    (void)snprintf(identifier, sizeof identifier, "%s", new->name);
    for (char *c = identifier; *c; c++) {
        *c = *c == '-' ? '_' : *c;
    }
    write_policies(new->kind, new->name, policies, sizeof policies);
    return template_write(folder, files, words, error);
}

int policies_new(int argc, char **argv)
{
    struct new new = {.kind = &kinds[0]};
    struct hs_error error = {0};
    const char *folder;
    enum hs_err err;
    int code;

    code = cli_parse(&policies_new_argp, argc, argv, 0, NULL, &new);
    if (code != CLI_OK) {
        return code;
    }
    folder = new.folder ? new.folder : new.name;
    err = check_form(new.name, &error);
    err = err == HS_OK ? check_free(new.name, &error) : err;
    err = err == HS_OK ? write_all(&new, folder, &error) : err;
    if (err != HS_OK) {
        return cli_fail(&error);
    }
    (void)printf("%s/%s.c is %s to begin with. Build and test it:\n\n"
                 "  cd %s\n"
                 "  cmake -B build && cmake --build build && ctest --test-dir build\n",
                 folder, new.name, new.kind->what, folder);
    return cli_finish(CLI_OK);
}
