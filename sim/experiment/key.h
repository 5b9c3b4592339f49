/* SPDX-License-Identifier: GPL-3.0-or-later */
/* key.h - the table of all keys of an experiment.
 *
 * One row per key: path, type, default, range, unit, documentation and the field of struct
 * experiment that it fills. The check of files and of --set, the schema, `hsim explain` and the
 * resolved YAML are all made from the rows; a key without a row does not exist. Rows stand in the
 * order of the resolved YAML, a map before its children; row 0 is the file itself, path "". */
#ifndef HSIM_EXPERIMENT_KEY_H
#define HSIM_EXPERIMENT_KEY_H

#include "experiment/experiment.h"

enum key_type {
    KEY_MAP,
    KEY_BOOL,
    KEY_INT,
    KEY_DOUBLE,
    KEY_TIME,
    KEY_BYTES,
    KEY_STRING,
    KEY_PATH,
    KEY_CHOICE,
    KEY_CHOICE_TIME, /* one of the choices, or a duration */
    KEY_INT_LIST,    /* int32_t; a single number is a list of one */
    KEY_PATH_LIST,
    KEY_MAP_LIST, /* maps with equal keys, each filling an element of an array */
    KEY_POLICY,   /* a name, or a map with name, order, place, label and parameters */
    KEY_POLICY_LIST,
    KEY_AXES,      /* keys of the experiment, each with the values that it takes */
    KEY_AXES_LIST, /* lists of such maps */
    KEY_CASES,     /* a list of maps: keys of the experiment, each with one value */
};

/* What a key says of a run. */
enum key_part {
    KEY_PART_RUN,    /* what it runs on, and what is measured */
    KEY_PART_POLICY, /* the policy */
    KEY_PART_SEED,
    KEY_PART_NAME,  /* what it is called, and where and how its result is kept */
    KEY_PART_SWEEP, /* nothing: it makes many runs of the experiment */
};

struct key_choice {
    const char *name; /* NULL ends the list */
    int value;
};

struct key {
    const char *path; /* "workload.estimate.missing" */
    const char *doc;  /* a sentence or two */
    const char *example;
    const char *fallback; /* the default as text; NULL: none */
    const struct key_choice *choices;
    const char *one_of;     /* of a map: children of which exactly one is given, with blanks */
    const char *excludes;   /* sibling beside which the key has no place */
    const char *only_with;  /* sibling, a choice, that gives the key a meaning if it is ... */
    int only_value;         /* ... this */
    const char *short_form; /* of a map: the child for which a single value stands */
    enum key_type type;
    enum key_part part;
    bool is_required;
    bool is_file_name;   /* of a string: becomes part of a file name */
    bool is_min_open;    /* of a number: must be above min_real */
    size_t offset, size; /* field in struct experiment, or in the element of the list of maps in
                            which the key lies; size 0: none */
    size_t offset_more;  /* of a duration beside choices, of the count of a list */
    size_t item_size;    /* of an element of a list of maps */
    int duration_choice; /* value of the choice field when a duration is given */
    int64_t min, max;    /* integers, times in ns, bytes */
    double min_real, max_real;
};

/* So far ahead or back in time (93 years) nothing overflows, and the workload takes it. */
#define KEY_TIME_MAX (INT64_C(34000) * 86400 * HS_NS_PER_S)

#define KEY_COUNT_MAX 224
extern const struct key experiment_keys[];
extern const size_t experiment_key_count;

/* Last part of the path: "missing". */
const char *experiment_key_name(const struct key *key);

/* Row with this path, or NULL. */
const struct key *experiment_key_find(const char *path);

/* The row nearest to the top whose path ends with this name, or NULL. The map of columns does not
 * count: its keys are words for many things. */
const struct key *experiment_key_find_name(const char *name);

/* Is `child` one level below `parent`? */
bool experiment_key_is_child(const struct key *parent, const struct key *child);

/* Child of a map, or NULL. A policy in a list of policies has the children of `policy`. */
const struct key *experiment_key_child(const struct key *parent, const char *name);

/* The list of maps in which the key lies, or NULL. */
const struct key *experiment_key_list(const struct key *key);

/* Names of the children; the number of them. `names` has KEY_COUNT_MAX places. */
size_t experiment_key_children(const struct key *parent, const char **names);

/* Is `word` one of the words of `list`? */
bool experiment_key_has_word(const char *list, const char *word);

/* May the key be given as null, which means not at all? */
bool experiment_key_is_nullable(const struct key *key);

/* "an integer", "a duration", ... */
const char *experiment_key_type_text(const struct key *key);

/* "1 to 100", "at least 0s", "above 0", or an empty text for types without a range. */
#define KEY_RANGE_MAX 96
void experiment_key_range(const struct key *key, char *text);

/* What `hsim explain` and the manual tell of a key beside its meaning. */
enum experiment_fact {
    EXPERIMENT_FACT_TYPE,
    EXPERIMENT_FACT_CHOICES,
    EXPERIMENT_FACT_UNIT,
    EXPERIMENT_FACT_RANGE,
    EXPERIMENT_FACT_DEFAULT,
    EXPERIMENT_FACT_REQUIRED,
    EXPERIMENT_FACT_CONDITION,
    EXPERIMENT_FACT_NEEDS,
    EXPERIMENT_FACT_EXAMPLE,
    EXPERIMENT_FACT_COUNT
};
const char *experiment_fact_name(enum experiment_fact fact);
/* The fact as text, which the caller frees; NULL: the key has none, or no memory. */
char *experiment_key_fact(const struct key *key, enum experiment_fact fact);

#endif
