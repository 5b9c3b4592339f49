/* SPDX-License-Identifier: GPL-3.0-or-later */
/* errors.c - what is wrong with a file, where, and what to do: the exact sentences. */
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"

#define AT "dir/e.yaml:"
#define SMALLEST                                                                                   \
    "The smallest experiment has the four keys `hsim: 1`, `platform`, `workload` and `policy`."

struct sample {
    const char *text, *report;
};

static void check_samples(const struct sample *samples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        check_report(samples[i].text, samples[i].report);
    }
}

#define CHECK_SAMPLES(samples) check_samples(samples, sizeof(samples) / sizeof(samples)[0])

static void test_syntax(void)
{
    static const struct sample samples[] = {
        {"hsim: 1\nplatform:\n\tnodes: 4\n\tcores: 1\n",
         AT "3:1: A tab indents this line, and YAML takes only spaces for that. Replace the tab by "
            "spaces.\n" AT "4:1: A tab indents this line, and YAML takes only spaces for that. "
            "Replace the tab by spaces."},
        {"hsim: 1\nplatform: {nodes: 4\nworkload: x\n",
         AT "3:9: A '{' is not closed. Separate its entries by commas and end it with '}'. What it "
            "belongs to begins at line 2."},
        {"[1, 2\n", AT "2:1: A '[' is not closed. Separate its entries by commas and end it with "
                       "']'. What it belongs to begins at line 1."},
        {"hsim: 1\nname: \"abc\nworkload: x\n",
         AT "4:1: A quotation is not closed. Add the missing quote. What it belongs to begins at "
            "line 2."},
        {"hsim: 1\n platform: x\n",
         AT "2:10: A ':' cannot stand here. Either the line is indented differently from its "
            "neighbours, or a value that contains ': ' needs quotes."},
        {"hsim: 1\nname: @x\n",
         AT "2:7: A value cannot begin with this character. Put the value in double quotes."},
        {"hsim: 1\nplatform x\nworkload: x\n",
         AT "3:1: A ':' is missing. Every line of a map is `key: value`. What it belongs to begins "
            "at line 2."},
        {"a: [,]\n",
         AT "1:5: A value is missing before this character. Write the value, or remove the "
            "character."},
        {"a: \"\\xzz\"\n",
         AT "1:7: This escape needs hexadecimal digits. Write a backslash as \\\\, or "
            "use single quotes."},
        {"a: \"\\uD800\"\n",
         AT "1:7: This escape names no character. Write a backslash as \\\\, or use "
            "single quotes."},
        {"a: |x\n  b\n",
         AT "1:5: The block of text after '|' or '>' is not well formed. Indent all its "
            "lines equally by spaces, or put the value in quotes."},
        {"a: !<x\n", AT "1:7: Tags ('!') have no meaning here. Remove it or quote the value."},
        {"a: *\n",
         AT "1:5: An anchor '&' or alias '*' needs a name of letters and digits. Quote the "
            "value if the '*' is part of it."},
        {"%FOO\n---\na: 1\n",
         AT "1:5: This '%' line is no directive of YAML 1.1 or 1.2. Remove it."},
        {"%YAML 3.0\n---\na: 1\n",
         AT "1:1: Only YAML 1.1 and 1.2 are read. Remove the '%YAML' line."},
        {"a: {k:}\n", AT "1:6: A ':' inside braces needs a blank behind it: `{key: value}`."},
        {"a: b\n- c\n", AT "2:1: No key can stand here. Indent the keys of one map equally, and "
                           "write each as `key: value`. What it belongs to begins at line 1."},
        {"a: \"\\q\"\n", AT "1:5: This escape is unknown in double quotes. Write a backslash as "
                            "\\\\, or use single quotes."},
    };

    CHECK_SAMPLES(samples);
}

static void test_structure(void)
{
    static const struct sample samples[] = {
        {"", "dir/e.yaml: The file is empty. " SMALLEST},
        {"# nothing\n", "dir/e.yaml: The file is empty. " SMALLEST},
        {"- a\n",
         AT "1:1: An experiment consists of lines `key: value`, but here is a list. " SMALLEST},
        {"lorem ipsum", AT "1:1: An experiment consists of lines `key: value`, but here is a "
                           "single value. " SMALLEST},
        {"hsim: 1\n---\nhsim: 1\n",
         AT "2:1: A second document begins here. A file holds one: remove the '---', or "
            "put the rest into a file of its own."},
        {"a: &x [*x]\n", AT "1:8: The alias '*x' stands inside its own anchor (line 1), so the "
                            "value would contain itself. Remove the alias."},
        {"a: {b: &x {c: [1, *x]}}\n",
         AT "1:19: The alias '*x' stands inside its own anchor (line 1), so the value would "
            "contain itself. Remove the alias."},
        {"a: *y\n", AT "1:4: The alias '*y' has no anchor '&y' before it. Define the anchor first, "
                       "or quote the value if the '*' is part of it."},
        {"a: !foo b\n", AT "1:4: The tag '!foo' has no meaning here. Remove it, or quote the value "
                           "if the '!' is part of it."},
        {"a: \"x\\0y\"\n", AT "1:4: The value contains a NUL character. Remove the '\\0'."},
        {"? [a]\n: b\n", AT "1:3: A key is a single word, not a list or a map. Put the value in "
                            "quotes if a '{' or '[' is part of it."},
        {"hsim: 1\nname: caf\xe9\n",
         AT "2:10: The byte 0xe9 is no UTF-8 text. Save the file as UTF-8, or name a YAML file "
            "here if this is another kind of file."},
        {"name: \xed\xa0\x80\n", AT "1:7: The byte 0xed is no UTF-8 text. Save the file as UTF-8, "
                                    "or name a YAML file here if this is another kind of file."},
        {"name: \xc0\x80\n", AT "1:7: The byte 0xc0 is no UTF-8 text. Save the file as UTF-8, or "
                                "name a YAML file here if this is another kind of file."},
        {"name: \xf4\x90\x80\x80\n",
         AT "1:7: The byte 0xf4 is no UTF-8 text. Save the file as UTF-8, or name a YAML file here "
            "if this is another kind of file."},
        {"name: \xf0\x9f\n", AT "1:7: The byte 0xf0 is no UTF-8 text. Save the file as UTF-8, or "
                                "name a YAML file here if this is another kind of file."},
        {"\xc3\xa4: \x01\n",
         AT "1:4: The control character U+0001 does not belong into YAML. Remove "
            "it, or name a YAML file here if this is another kind of file."},
        {"a: \xc2\x80\n",
         AT "1:4: The control character U+0080 does not belong into YAML. Remove it, "
            "or name a YAML file here if this is another kind of file."},
        {"\xff\xfeh", AT "1:1: The text is UTF-16. Save it as UTF-8."},
    };

    CHECK_SAMPLES(samples);
}

static void test_keys(void)
{
    static const struct sample samples[] = {
        {FOUR "polcy: x\n", AT "5:1: Unknown key 'polcy'. Did you mean 'policy'?"},
        {FOUR "load: 1\n", AT "5:1: Unknown key 'load'. Its place is 'workload.load': did you mean "
                              "that?"},
        {FOUR "measure: {xyzzy: 1}\n",
         AT "5:11: Unknown key 'xyzzy' in 'measure'. Allowed here: warmup, cooldown."},
        {FOUR "seed: 1\nname: a\nseed: 2\nseed: 3\n",
         AT "7:1: The key 'seed' is given twice; the first time is at line 5, column 1. Remove one "
            "of them.\n" AT "8:1: The key 'seed' is given twice; the first time is at line 5, "
            "column 1. Remove one of them."},
        {"platform: {nodes: 1}\nworkload: w\npolicy: p\n",
         AT "1:1: The key 'hsim' is missing. Version of the format of this file. Write for "
            "instance `hsim: 1`."},
        {"hsim: 1\nworkload: w\npolicy: p\n",
         AT "1:1: The key 'platform' is missing. The machine: a SimGrid platform file or a list of "
            "nodes, or so many equal nodes. A single value is the path of the file. Write for "
            "instance `platform: "
            "{nodes: 256, cores: 1}`."},
        {HEAD "workload: w\n", AT "1:1: An experiment needs one of 'policy' and 'policies'. Write "
                                  "for instance `policy: easy`."},
        {HEAD "workload: w\npolicies: [a]\npolicy: b\n",
         AT "5:1: 'policy' and 'policies' exclude each other. Remove one of them."},
        {HEAD "workload: {file: w, generate: {}}\npolicy: b\n",
         AT "3:21: 'file' and 'generate' exclude each other in workload. Remove one of them."},
        {HEAD "workload: {head: 3}\npolicy: b\n",
         AT "3:11: 'workload' needs one of 'file' and 'generate'. Write for instance `file: "
            "traces/my-cluster.swf.gz`."},
        {"hsim: 1\nplatform: {file: x, cores: 3}\nworkload: w\npolicy: b\n",
         AT "2:21: 'platform.cores' has no meaning beside 'file'. Remove one of them."},
        {HEAD "policy: b\nworkload: {file: w, shake: 1s, inflation: {}}\n",
         AT "4:21: 'workload.shake' has no meaning beside 'inflation'. Remove one of them."},
        {"hsim: 1\nplatform:\nworkload: w\npolicy: b\n",
         AT "2:10: 'platform' has no value. Write for instance `platform: {nodes: 256, cores: "
            "1}`."},
    };

    CHECK_SAMPLES(samples);
}

static void test_values(void)
{
    static const struct sample samples[] = {
        {FOUR "seed: [1, 2]\n", AT "5:7: 'seed' takes a single value (an integer), not a list. "
                                   "Write for instance `seed: 42`."},
        {FOUR "name: {a: b}\n", AT "5:7: 'name' takes a single value (a text), not a map. Write "
                                   "for instance `name: backfilling-study`."},
        {FOUR "seed: \"1\"\n",
         AT "5:7: 'seed' takes an integer, but \"1\" is a text in quotes. Remove the quotes."},
        {FOUR "clairvoyant: 'true'\nworkload.load: 'x'\n",
         AT "5:14: 'clairvoyant' takes true or false, but \"true\" is a text in quotes. Remove the "
            "quotes.\n" AT "6:1: Unknown key 'workload.load'. Allowed here: hsim, name, seed, "
            "clairvoyant, platform, workload, policy, policies, plugins, scheduler, speeds, "
            "energy, metrics, "
            "measure, output, sweep."},
        {FOUR "seed: -1\n",
         AT "5:7: 'seed' is '-1', but allowed is at least 0. Write for instance `seed: 42`."},
        {FOUR "seed: 9223372036854775808\n",
         AT "5:7: 'seed' is '9223372036854775808', but allowed is at least 0. Write for instance "
            "`seed: 42`."},
        {FOUR "seed: 1.5\n", AT "5:7: 'seed' is '1.5', but allowed is an integer without unit, "
                                "point or exponent. Write for instance `seed: 42`."},
        {FOUR "seed:\n", AT "5:6: 'seed' has no value. Write for instance `seed: 42`."},
        {FOUR "clairvoyant: yes\n", AT "5:14: 'clairvoyant' is 'yes', but allowed is true or "
                                       "false. Write for instance `clairvoyant: true`."},
        {FOUR "metrics: {tau: 5 parsec}\n",
         AT "5:16: 'metrics.tau' is '5 parsec', and 'parsec' is no unit of a duration. Units are "
            "ns, us, ms, s, m, h, d, w; a number without unit is in seconds. Write for instance "
            "`tau: 1m`."},
        {FOUR "metrics: {tau: soon}\n",
         AT "5:16: 'metrics.tau' is 'soon', but a duration is a number and a unit (ns, us, ms, s, "
            "m, h, d, w). Write for instance `tau: 1m`."},
        {FOUR "metrics: {tau: 0}\n", AT "5:16: 'metrics.tau' is '0', but allowed is 1ns to 34000d. "
                                        "Write for instance `tau: 1m`."},
        {FOUR "metrics: {tau: 0.1ns}\n",
         AT "5:16: 'metrics.tau' is '0.1ns', which is no whole number of nanoseconds. Write for "
            "instance `tau: 1m`."},
        {FOUR "metrics: {tau: 99999999999w}\n",
         AT "5:16: 'metrics.tau' is '99999999999w', but allowed is 1ns to 34000d. Write for "
            "instance `tau: 1m`."},
        {"hsim: 1\nplatform: {nodes: 1, memory: 4 gb}\nworkload: w\npolicy: p\n",
         AT "2:30: 'platform.memory' is '4 gb', and 'gb' is no unit of a size. Units are B, kB, "
            "MB, GB, TB, PB, KiB, MiB, GiB, TiB, PiB; a number without unit is in bytes. Write "
            "for instance `memory: 64GiB`."},
        {FOUR "output: {compression: deflate-0}\n",
         AT "5:23: 'output.compression' is 'deflate-0', but allowed is none, deflate-1, deflate-2, "
            "deflate-3, deflate-4, deflate-5, deflate-6, deflate-7, deflate-8, deflate-9. Did you "
            "mean 'deflate-1'?"},
        {FOUR "output: {series: evnts}\n",
         AT "5:18: 'output.series' is 'evnts', but allowed is events, none, or a duration such as "
            "12h. Did you mean 'events'?"},
        {FOUR "output: {series: 5x}\n",
         AT "5:18: 'output.series' is '5x', and 'x' is no unit of a duration. Units are ns, us, "
            "ms, s, m, h, d, w; a number without unit is in seconds. Write for instance `series: "
            "1h`."},
        {FOUR "output: {path: ''}\n", AT "5:16: 'output.path' is an empty text. Write for instance "
                                         "`path: results/study`."},
        {FOUR "output: [a]\n", AT "5:9: 'output' takes a map, not a list. Write for instance "
                                  "`output: {path: results/study, series: 1h}`."},
        {FOUR "name: ../x\n",
         AT "5:7: 'name' is '../x', but allowed is what can be part of a file name: 1 to 100 bytes "
            "without '/', not beginning with '.'. Write for instance `name: backfilling-study`."},
        {FOUR "plugins: [[a]]\n", AT "5:11: 'plugins' takes a single value (a list of paths), not "
                                     "a list. Write for instance `plugins: [./my_policy.so]`."},
    };

    CHECK_SAMPLES(samples);
}

static void test_workload(void)
{
    static const struct sample samples[] = {
        {HEAD "policy: p\nworkload: {file: w, load: 1e3}\n",
         AT "4:27: 'workload.load' is '1e3', but allowed is 0 to 100. Write for instance `load: "
            "0.8`."},
        {HEAD "policy: p\nworkload: {file: w, load: nan}\n",
         AT "4:27: 'workload.load' is 'nan', but allowed is a decimal number without unit. Write "
            "for instance `load: 0.8`."},
        {HEAD "policy: p\nworkload: {generate: {a1: 0}}\n",
         AT "4:27: 'workload.generate.a1' is '0', but allowed is above 0, up to 1000000. Write for "
            "instance `a1: 4.2`."},
        {HEAD "policy: p\nworkload: {generate: {serial_probability: 0.5}}\n",
         AT "4:43: 'serial_probability' and 'power2_probability' together are above 1. Both are "
            "shares of all jobs: lower one of them."},
        {HEAD "policy: p\nworkload: {file: w, window: {from: 2d, to: 2d}}\n",
         AT "4:44: 'workload.window.to' is not above 'workload.window.from', so no job would be "
            "left. Raise it, or remove it for no limit."},
        {HEAD "policy: p\nworkload: {file: w, filter: {max_procs: 3, min_procs: 4}}\n",
         AT "4:41: 'workload.filter.max_procs' is not above 'workload.filter.min_procs', so no job "
            "would be left. Raise it, or remove it for no limit."},
        {HEAD "policy: p\nworkload: {file: w, estimate: {factor: 2}}\n",
         AT "4:40: 'workload.estimate.factor' has no effect without `model: factor`. Add that, or "
            "remove the factor."},
        {HEAD "policy: p\nworkload: {file: w, filter: {users: [1, x, 99999999999]}}\n",
         AT "4:41: 'workload.filter.users' is 'x', but allowed is an integer without unit, point "
            "or exponent. Write for instance `users: [3, 14]`.\n" AT
            "4:44: 'workload.filter.users' is '99999999999', but allowed is -1 to 2147483647. "
            "Write for instance `users: [3, 14]`."},
    };

    CHECK_SAMPLES(samples);
}

#define MIX HEAD "policy: fcfs\nworkload:\n  generate:\n    model: mix\n"

static void test_classes(void)
{
    static const struct sample samples[] = {
        {HEAD "policy: fcfs\nworkload: {generate: {classes: [{name: a, demand: 1x, run: 5}]}}\n",
         AT "4:23: 'workload.generate.classes' has no meaning with `model: lublin`. Remove it."},
        {MIX "    load: 1\n    a1: 3\n    classes: [{name: a, demand: 1x, run: 5m}]\n",
         AT "8:5: 'workload.generate.a1' has no meaning with `model: mix`. Remove it."},
        {MIX "    classes:\n    - {name: a, demand: 1x coers=3, run: 5m}\n"
             "    - {name: a, demand: 1x, run: {cv: 2, mean: 5m}, wait: 3}\n    load: 1\n",
         AT
         "8:25: The demand of class 'a', '1x coers=3', is wrong: column 4: 'coers' is no word of "
         "a demand (did you mean 'cores'?).\n" AT
         "9:14: Class 2 has the name of class 1, 'a'. Give it another.\n" AT
         "9:35: 'workload.generate.classes.run.cv' has no meaning with `distribution: fixed`. "
         "Remove it.\n" AT "9:53: Unknown key 'wait' in 'workload.generate.classes'. Allowed here: "
         "name, class, weight, "
         "demand, run, estimate, priority."},
        {MIX "    load: 1\n    rate: 1\n    classes: [{demand: 1x, run: {max: 1h}}, 5]\n", AT
         "8:11: `model: mix` needs one of 'workload.generate.load' and "
         "'workload.generate.rate', not both.\n" AT
         "9:15: The key 'workload.generate.classes.name' is missing. Name of the class. Write for "
         "instance `name: training`.\n" AT
         "9:33: The run time has no `mean`. Write for instance `run: {mean: 2h}`.\n" AT
         "9:45: 'workload.generate.classes' takes maps, but entry 2 is none. Write for instance "
         "`classes: [{name: small, demand: 1x cores=4, run: {mean: 10m}}]`."},
        {MIX "    classes: {name: a}\n",
         AT "6:12: `model: mix` needs one of 'workload.generate.load' and "
            "'workload.generate.rate'; write for instance `load: 0.8`.\n" AT
            "7:14: 'workload.generate.classes' takes a list of maps, 1 to 10000 of them. Write for "
            "instance `classes: [{name: small, demand: 1x cores=4, run: {mean: 10m}}]`."},
        {MIX "    rate: 3\n",
         AT "6:12: `model: mix` needs 'workload.generate.classes'. Write for instance `classes: "
            "[{name: small, demand: 1x cores=4, run: {mean: 10m}}]`."},
        {MIX "    rate: 3\n    classes:\n      - {name: a, demand: 1x, run: {distribution: "
             "uniform, mean: 3}}\n      - {name: b, demand: 1x, run: {mean: 3, min: 2, max: 1}}\n",
         AT "9:36: A uniform run time has `min` and `max`, and no `mean`.\n" AT
            "10:36: `max` is below `min`."},
    };

    CHECK_SAMPLES(samples);
}

static void test_speeds(void)
{
    static const struct sample samples[] = {
        {HEAD "workload: w\npolicy: fcfs\nspeeds: {etc: a, throughputs: b}\n",
         AT "5:15: 'speeds.etc' has no meaning beside 'speeds.throughputs'. Remove one of them."},
        {HEAD "workload: w\npolicy: fcfs\nspeeds: {class_of: quue}\n", AT
         "5:20: 'speeds.class_of' is 'quue', but allowed is class, executable, queue, user, group, "
         "partition. Did you mean 'queue'?"},
        {HEAD "workload: w\npolicy: fcfs\nspeeds: {class_map: [{class: hpl}]}\n",
         AT "5:22: The key 'speeds.class_map.number' is missing. Number of the executable, queue, "
            "user, group or partition. Write for instance `number: 3`."},
        {HEAD "workload: w\npolicy: fcfs\nspeeds: {class_of: queue}\n",
         AT "5:20: 'speeds.class_of' has no effect without 'speeds.class_map', which says what a "
            "number means. Write for instance `class_map: [{number: 3, class: hpl}]`."},
        {HEAD "workload: w\npolicy: fcfs\nspeeds: {class_of: queue, class_map: [{number: 1, class: "
              "a}, {number: 2, class: b}, {number: 1, class: c}]}\n",
         AT "5:38: 'speeds.class_map' has the number 1 twice, for the classes 'a' and 'c'. Remove "
            "one of the two."},
    };

    CHECK_SAMPLES(samples);
}

static void test_policies(void)
{
    static const struct sample samples[] = {
        {HEAD "workload: w\npolicy: [a, b]\n",
         AT "4:9: 'policy' takes one policy here, not a list. Write for instance `policies: [fcfs, "
            "easy]` for several."},
        {HEAD "workload: w\npolicy:\n",
         AT "4:8: 'policy' has no value. Write for instance `policy: easy`."},
        {HEAD "workload: w\npolicy: {name: '', k: }\n",
         AT "4:16: 'policy.name' is an empty text. Write for instance `name: easy`.\n" AT
            "4:23: The policy parameter 'k' takes a single value. Write for instance `k: 1`; `hsim "
            "policies show NAME` lists the parameters."},
        {HEAD "workload: w\npolicies: []\n",
         AT "4:11: 'policies' has 0 entries, but allowed are 1 to 1000. Write for instance "
            "`policies: [fcfs, easy, {name: easy, order: sjf}]`."},
        {HEAD "workload: w\npolicy: {order: sjf}\n",
         AT "4:9: This policy has no name. Add one, for instance `name: easy`."},
        {HEAD "workload: w\npolicy: {name: easy, k: [1]}\n",
         AT "4:25: The policy parameter 'k' takes a single value. Write for instance `k: 1`; `hsim "
            "policies show NAME` lists the parameters."},
        {HEAD "workload: w\npolicy: {name: easy, label: a/b}\n",
         AT "4:29: 'policy.label' is 'a/b', but allowed is what can be part of a file name: 1 to "
            "100 bytes without '/', not beginning with '.'. Write for instance `label: my-easy`."},
        {HEAD "workload: w\npolicies: [a, {name: b, k: 1}, {name: b, k: 2}, a]\n",
         AT "4:49: Policy 4 of the list is the same as policy 1 ('a'). Remove one of them, or give "
            "each its own `label`."},
        {HEAD "workload: w\npolicies: [{name: a, label: x}, {name: b, label: x}]\n",
         AT "4:33: Policy 2 of the list is the same as policy 1 ('x'). Remove one of them, or give "
            "each its own `label`."},
    };

    CHECK_SAMPLES(samples);
}

/* One pass names all problems, in the order of the lines. */
static void test_all_in_one_pass(void)
{
    check_report("seed: x\nhsim: 2\nworkload:\n  fil: w\n  load: -1\nplatform: {nodes: 0}\n"
                 "polcy: easy\n",
                 AT "1:1: An experiment needs one of 'policy' and 'policies'. Write for instance "
                    "`policy: easy`.\n" AT
                    "1:7: 'seed' is 'x', but allowed is an integer without unit, point or "
                    "exponent. Write for instance `seed: 42`.\n" AT
                    "2:7: 'hsim' is '2', but allowed is 1. Write for instance `hsim: 1`.\n" AT
                    "4:3: Unknown key 'fil' in 'workload'. Did you mean 'file'?\n" AT
                    "4:3: 'workload' needs one of 'file' and 'generate'. Write for instance "
                    "`file: traces/my-cluster.swf.gz`.\n" AT
                    "5:9: 'workload.load' is '-1', but allowed is 0 to 100. Write for instance "
                    "`load: 0.8`.\n" AT
                    "6:19: 'platform.nodes' is '0', but allowed is 1 to 10000000. Write for "
                    "instance `nodes: 256`.\n" AT
                    "7:1: Unknown key 'polcy'. Did you mean 'policy'?");
}

/* Repeats a piece of text behind a beginning. */
static char *repeat(const char *start, const char *piece, size_t count)
{
    size_t start_length = strlen(start), length = strlen(piece);
    char *text = malloc(start_length + count * length + 1);

    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    memcpy(text, start, start_length + 1);
    for (size_t i = 0; i < count; i++) {
        memcpy(text + start_length + i * length, piece, length + 1);
    }
    return text;
}

static size_t line_count(const char *text)
{
    size_t count = 1;

    for (; *text; text++) {
        count += *text == '\n';
    }
    return count;
}

static void test_limits(void)
{
    struct fixture fixture;
    char *text = repeat("a: ", "[", 100000);

    check_report(text, AT "1:67: Lists and maps are nested more than 64 deep here. Five levels "
                          "are enough: remove the surplus brackets or indentation.");
    free(text);

    text = repeat("", "lorem: ipsum\n", 300000);
    check_report(text, AT "100000:8: The text has more than 100000 values, aliases counted with "
                          "what they stand for. Name another file here, or split this one.");
    free(text);

    check_report("a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
                 "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
                 "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n",
                 AT "5:35: The text has more than 100000 values, aliases counted with what they "
                    "stand for. Name another file here, or split this one.");

    text = repeat(FOUR, "lorem: ipsum\n", 70);
    fixture_load(&fixture, text);
    CHECK(fixture.result == HS_ERR_CONFIG && line_count(fixture.report) == 51);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(fixture.report, "\ndir/e.yaml: There are 89 more problems; mend these first."));
    fixture_fini(&fixture);
    free(text);

    text = repeat("a: [", "&x b, ", 2000);
    fixture_load(&fixture, text);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(fixture.report, "The text has more than 1000 anchors ('&'). Use fewer."));
    fixture_fini(&fixture);
    free(text);
}

/* Values in messages are short, and hold no control characters. */
static void test_long_values(void)
{
    char *text = repeat(FOUR "seed: x", "\xe2\x82\xac", 1000);
    struct fixture fixture;

    fixture_load(&fixture, text);
    CHECK(fixture.result == HS_ERR_CONFIG && strlen(fixture.report) < 250);
    CU_ASSERT_PTR_NOT_NULL(strstr(fixture.report, "\xe2\x82\xac...'"));
    fixture_fini(&fixture);
    free(text);
    check_report(FOUR "clairvoyant: \"a\\n\\eb\"\n",
                 AT "5:14: 'clairvoyant' takes true or false, but \"a??b\" is a text in quotes. "
                    "Remove the quotes.");
}

static void check_file(const char *path, const char *expected)
{
    struct fixture fixture = {0};

    CHECK(experiment_load(path, NULL, 0, &fixture.experiment, &fixture.report, &fixture.error) ==
          HS_ERR_CONFIG);
    check_text(fixture.report, expected);
    check_text(fixture.error.text, expected);
    CHECK(fixture.experiment.storage == NULL);
    fixture_fini(&fixture);
}

static void test_files(void)
{
    char path[] = "/tmp/hsim-experiment-XXXXXX";
    int file = mkstemp(path);
    char expected[512];

    check_file("/nowhere/e.yaml", "/nowhere/e.yaml: The experiment cannot be opened: No such file "
                                  "or directory. Check the path and its permissions.");
    check_file("/", "/: This is a folder. Name a YAML file in it, for instance //experiment.yaml.");
    CHECK(file >= 0);
    CHECK(ftruncate(file, (off_t)(17 << 20)) == 0);
    (void)snprintf(expected, sizeof expected,
                   "%s: The file is larger than 16 MiB, so it is no experiment. Name the YAML file "
                   "of one here; a trace goes behind its key `workload`.",
                   path);
    check_file(path, expected);
    CHECK(ftruncate(file, 0) == 0);
    (void)snprintf(expected, sizeof expected, "%s: The file is empty. " SMALLEST, path);
    check_file(path, expected);
    CHECK(close(file) == 0 && unlink(path) == 0);
}

static const struct unit_test tests[] = {
    {"text that is no YAML", test_syntax},
    {"YAML that is no experiment", test_structure},
    {"unknown, missing and repeated keys", test_keys},
    {"values of the wrong kind", test_values},
    {"values of a workload", test_workload},
    {"classes of jobs", test_classes},
    {"speeds of jobs", test_speeds},
    {"policies", test_policies},
    {"all problems in one pass", test_all_in_one_pass},
    {"depth, number of values, aliases, garbage", test_limits},
    {"long and odd values in messages", test_long_values},
    {"missing, empty, huge, folder", test_files},
};

UNIT_MAIN("experiment errors", tests)
