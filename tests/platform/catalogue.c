/* SPDX-License-Identifier: GPL-3.0-or-later */
/* catalogue.c - the device catalogue: what texts mean, and that the one we ship is complete. */
#include "platform/catalogue_key.h"
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PLAIN(model)                                                                               \
    "  - {model: " model ", kind: gpu, name: A B, power: {idle: 20 W, busy: 200 W}}\n"

static struct catalogue *add_text(struct catalogue *catalogue, const char *text)
{
    struct hs_error error = {0};

    CU_ASSERT_PTR_NOT_NULL_FATAL(catalogue);
    if (catalogue_add_text(catalogue, text, strlen(text), "c.yaml", &error) != HS_OK) {
        (void)printf("%s\n", error.text);
        CU_FAIL_FATAL("a good catalogue was refused");
    }
    return catalogue;
}

static size_t figure_of(const char *name)
{
    for (size_t i = 0; i < CATALOGUE_FIGURE_COUNT; i++) {
        if (strcmp(catalogue_figure_name(i), name) == 0) {
            return i;
        }
    }
    CU_FAIL_FATAL("no such figure");
    return 0;
}

/* All fields of one entry. */
static void test_entry(void)
{
    struct catalogue *catalogue = add_text(
        catalogue_create(),
        "devices:\n"
        "  - model: x-1.0+b\n    aliases: [X One, xx]\n    kind: npu\n    name: 'The X'\n"
        "    vendor: V\n    year: 2024\n    cores: 12\n"
        "    memory: {size: 40 GB, bandwidth: 1555 GB/s}\n"
        "    peak: {fp64: 9.7 Tf, fp16-matrix: 312 Tflop/s, bf16-matrix: 0.5Pf, int8: 624 Top/s}\n"
        "    efficiency: {matmul: 0.87}\n    power: {off: 500 mW, idle: 55, busy: 0.4 kW}\n"
        "    interconnect: PCIe\n    features: [a-b, c.1]\n    note: n\n"
        "    sources: {all: book, peak: sheet, peak.fp64: measured}\n"
        "    unconfirmed: [peak.fp64, power]\n");
    const struct catalogue_device *device = catalogue_find(catalogue, "x-1.0+b");
    static const struct {
        const char *figure;
        const char *text;
        const char *source;
        bool is_unconfirmed;
    } figures[] = {
        {"cores", "12", "book", false},
        {"memory.size", "40 GB", "book", false},
        {"memory.bandwidth", "1.555 TB/s", "book", false},
        {"peak.fp64", "9.7 Tf", "measured", true},
        {"peak.fp16-matrix", "312 Tf", "sheet", false},
        {"peak.bf16-matrix", "500 Tf", "sheet", false},
        {"peak.int8", "624 Top/s", "sheet", false},
        {"efficiency.matmul", "0.87", "book", false},
        {"power.off", "0.5 W", "book", true},
        {"power.idle", "55 W", "book", true},
        {"power.busy", "400 W", "book", true},
    };

    CU_ASSERT_PTR_NOT_NULL_FATAL(device);
    CU_ASSERT_STRING_EQUAL(device->kind, "npu");
    CU_ASSERT_STRING_EQUAL(device->name, "The X");
    CU_ASSERT_STRING_EQUAL(device->vendor, "V");
    CU_ASSERT_STRING_EQUAL(device->interconnect, "PCIe");
    CU_ASSERT_STRING_EQUAL(device->note, "n");
    CU_ASSERT_STRING_EQUAL(device->path, "c.yaml");
    CU_ASSERT_EQUAL(device->line, 2);
    CU_ASSERT_EQUAL(device->year, 2024);
    CU_ASSERT_EQUAL(device->cores, 12);
    CU_ASSERT_EQUAL(device->mem_bytes, INT64_C(40000000000));
    CU_ASSERT_EQUAL(device->mem_bandwidth, 1555e9);
    CU_ASSERT_EQUAL(device->peak_flops[CATALOGUE_FP64], 9.7e12);
    CU_ASSERT_EQUAL(device->peak_flops[CATALOGUE_FP32], 0);
    CU_ASSERT_EQUAL(catalogue_peak_half(device), 500e12);
    CU_ASSERT_EQUAL(device->power.off_w, 0.5);
    CU_ASSERT_EQUAL(device->power.context_w, 55); /* as idle */
    CU_ASSERT_EQUAL(device->power.busy_w, 400);
    CU_ASSERT_EQUAL_FATAL(device->feature_count, 2);
    CU_ASSERT_STRING_EQUAL(device->features[0], "a-b");
    CU_ASSERT_STRING_EQUAL(device->features[1], "c.1");
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        size_t figure = figure_of(figures[i].figure);
        char text[CATALOGUE_TEXT_MAX];

        catalogue_figure_format(device, figure, text);
        CU_ASSERT_STRING_EQUAL(text, figures[i].text);
        CU_ASSERT_STRING_EQUAL(device->sources[figure], figures[i].source);
        CU_ASSERT_EQUAL(device->is_unconfirmed[figure], figures[i].is_unconfirmed);
    }
    CU_ASSERT_FALSE(catalogue_has_figure(device, figure_of("peak.fp32")));
    CU_ASSERT_FALSE(catalogue_has_figure(device, figure_of("power.context")));
    CU_ASSERT_STRING_EQUAL(catalogue_precision_name(CATALOGUE_BF16_MATRIX), "bf16-matrix");
    CU_ASSERT_STRING_EQUAL(catalogue_precision_name(CATALOGUE_INT8), "int8");
    catalogue_destroy(catalogue);
}

static void test_find(void)
{
    struct catalogue *catalogue =
        add_text(catalogue_create(), "devices:\n" PLAIN("b") PLAIN("a") PLAIN(
                                         "c, aliases: [Long Name, B2]") PLAIN("d, aliases: [D]"));

    CU_ASSERT_EQUAL(catalogue_count(catalogue), 4);
    CU_ASSERT_STRING_EQUAL(catalogue_device(catalogue, 0)->model, "b"); /* order of the file */
    CU_ASSERT_STRING_EQUAL(catalogue_find(catalogue, "a")->model, "a");
    CU_ASSERT_STRING_EQUAL(catalogue_find(catalogue, "A")->model, "a");
    CU_ASSERT_STRING_EQUAL(catalogue_find(catalogue, "long name")->model, "c");
    CU_ASSERT_STRING_EQUAL(catalogue_find(catalogue, "b2")->model, "c");
    CU_ASSERT_PTR_NULL(catalogue_find(catalogue, ""));
    CU_ASSERT_PTR_NULL(catalogue_find(catalogue, "longname"));
    CU_ASSERT_STRING_EQUAL(catalogue_nearest(catalogue, "Long Nane"), "Long Name");
    CU_ASSERT_PTR_NULL(catalogue_nearest(catalogue, "quite another"));
    catalogue_destroy(catalogue);
}

/* A second file changes what it names, and adds. */
static void test_override(void)
{
    struct catalogue *catalogue = add_text(
        catalogue_create(),
        "devices:\n" PLAIN("a, aliases: [one], memory: {size: 1 GB}, sources: {all: book}"));
    const struct catalogue_device *device;
    size_t idle = figure_of("power.idle");

    CU_ASSERT_EQUAL(catalogue_find(catalogue, "a")->power.context_w, 20);
    add_text(catalogue, "devices:\n  - {model: a, power: {idle: 30 W}, features: [f]}\n" PLAIN(
                            "b, aliases: [two]"));
    device = catalogue_find(catalogue, "one");
    CU_ASSERT_PTR_NOT_NULL_FATAL(device);
    CU_ASSERT_EQUAL(catalogue_count(catalogue), 2);
    CU_ASSERT_EQUAL(device->mem_bytes, 1000000000);
    CU_ASSERT_EQUAL(device->power.idle_w, 30);
    CU_ASSERT_EQUAL(device->power.context_w, 30);
    CU_ASSERT_EQUAL(device->power.busy_w, 200);
    CU_ASSERT_EQUAL(device->feature_count, 1);
    /* The new figure has no source; the old ones keep theirs. */
    CU_ASSERT_PTR_NULL(device->sources[idle]);
    CU_ASSERT_TRUE(device->is_unconfirmed[idle]);
    CU_ASSERT_STRING_EQUAL(device->sources[figure_of("power.busy")], "book");
    CU_ASSERT_FALSE(device->is_unconfirmed[figure_of("power.busy")]);
    CU_ASSERT_PTR_NOT_NULL(catalogue_find(catalogue, "TWO"));
    /* A source for a known figure, without the figure. */
    add_text(catalogue, "devices:\n  - {model: a, sources: {power.idle: measured}}\n");
    CU_ASSERT_STRING_EQUAL(catalogue_find(catalogue, "a")->sources[idle], "measured");
    catalogue_destroy(catalogue);
}

struct bad_text {
    const char *text;
    const char *sentences[3]; /* parts of the message */
};

static const struct bad_text bad_texts[] = {
    {"", {"c.yaml: The file is empty. A catalogue is a list `devices:`"}},
    {"devices:\n", {"c.yaml:1:9: There is no list of devices here"}},
    {"devices: []\n", {"c.yaml:1:10: There is no list of devices here"}},
    {"devices: {}\n", {"c.yaml:1:10: There is no list of devices here"}},
    {"- a\n", {"c.yaml:1:1: There is no list of devices here"}},
    {"device:\n" PLAIN("a"), {"1:1: The key 'device' is unknown; a catalogue has only `devices:`"}},
    {"devices: [a]\n", {"1:11: An entry of `devices:` is a map."}},
    {"devices:\n  - {kind: gpu}\n", {"2:5: An entry needs a `model:`"}},
    {"devices:\n" PLAIN("A100"), {"2:13: An entry needs a `model:`", "not 'A100'"}},
    {"devices:\n" PLAIN("[a]"), {"2:13: An entry needs a `model:`"}},
    {"devices:\n" PLAIN("''"), {"2:13: An entry needs a `model:`"}},
    {"devices:\n" PLAIN("a") PLAIN("a"),
     {"3:13: The model 'a' is described twice; the first time is at line 2."}},
    {"devices:\n" PLAIN("a") PLAIN("b, aliases: [x]") PLAIN("c, aliases: [X]"),
     {"4:1: 'X' names both 'c' and 'b' (described in c.yaml:3)"}},
    {"devices:\n" PLAIN("a") PLAIN("b, aliases: [A]"), {"3:1: 'A' names both 'b' and 'a'"}},
    {"devices:\n  - {model: a, kind: gpu, name: n}\n",
     {"2:5: The entry 'a' lacks 'power.idle'. Add for instance `idle: 55 W`.",
      "lacks 'power.busy'"}},
    {"devices:\n  - {model: a, kind: gpu, name: n, power: {idle: 1 W}}\n",
     {"lacks 'power.busy'. Add for instance `busy: 400 W`."}},
    {"devices:\n  - {model: a, power: {idle: 1 W, busy: 2 W}}\n", {"lacks 'kind'", "lacks 'name'"}},
    {"devices:\n  - {model: a, kind: gpu, name: n, power: 200 W}\n",
     {"2:43: 'power' of 'a' is '200 W', but allowed is a map in braces"}},
    {"devices:\n" PLAIN("a, kidn: gpu"),
     {"2:16: The key 'kidn' is unknown in the entry of 'a'; did you mean 'kind'?"}},
    {"devices:\n" PLAIN("a, peak: {fp65: 1 Tf}"),
     {"The key 'fp65' is unknown in 'peak' of 'a'; did you mean 'fp64'?"}},
    {"devices:\n" PLAIN("a, kind: gpu"), {"The key 'kind' is given twice"}},
    {"devices:\n  - {model: a, kind: gpo, name: n, power: {idle: 1 W, busy: 2 W}}\n",
     {"2:22: 'kind' of 'a' is 'gpo', but allowed is cpu, gpu, fpga, npu", "did you mean 'gpu'?"}},
    {"devices:\n  - {model: a, kind: [gpu], name: n, power: {idle: 1 W, busy: 2 W}}\n",
     {"'kind' of 'a' is '(a list)'"}},
    {"devices:\n" PLAIN("a, year: 20x"), {"'year' of 'a' is '20x'", "a whole number from 1940"}},
    {"devices:\n" PLAIN("a, year: 1066"), {"a whole number from 1940 to 2100"}},
    {"devices:\n" PLAIN("a, cores: 0"), {"a whole number from 1 to 1000000"}},
    {"devices:\n" PLAIN("a, cores: 99999999999999999999"), {"a whole number from 1 to 1000000"}},
    {"devices:\n" PLAIN("a, memory: {size: 40}"), {"a size from 1 MB to 1 PB"}},
    {"devices:\n" PLAIN("a, memory: {size: -40 GB}"), {"a size from 1 MB to 1 PB"}},
    {"devices:\n" PLAIN("a, memory: {bandwidth: 1555}"),
     {"a number with a unit, 1 MB/s to 1 EB/s (MB/s, GB/s, TB/s, PB/s)"}},
    {"devices:\n" PLAIN("a, memory: {bandwidth: 1555 GB}"), {"a number with a unit"}},
    {"devices:\n" PLAIN("a, peak: {fp64: nan Tf}"), {"'nan Tf', but allowed is a number with"}},
    {"devices:\n" PLAIN("a, peak: {fp64: .inf}"), {"a number with a unit, 1 Mf to 1 Zf"}},
    {"devices:\n" PLAIN("a, peak: {fp64: -1 Tf}"), {"a number with a unit"}},
    {"devices:\n" PLAIN("a, peak: {fp64: 1e400 Tf}"), {"a number with a unit"}},
    {"devices:\n" PLAIN("a, peak: {int8: 1 Tf}"), {"(Mop/s, Gop/s, Top/s, Pop/s)"}},
    {"devices:\n" PLAIN("a, peak: [1 Tf]"), {"'peak' of 'a' is '(a list)'"}},
    {"devices:\n" PLAIN("a, peak: {fp64: }"), {"'peak.fp64' of 'a' is ''"}},
    {"devices:\n" PLAIN("a, efficiency: {matmul: 1.2}"), {"a fraction above 0, at most 1"}},
    {"devices:\n" PLAIN("a, efficiency: {matmul: 0}"), {"a fraction above 0, at most 1"}},
    {"devices:\n  - {model: a, kind: gpu, name: n, power: {idle: -1 W, busy: 2 W}}\n",
     {"'power.idle' of 'a' is '-1 W'", "0 W to 1e+06 W"}},
    {"devices:\n  - {model: a, kind: gpu, name: n, power: {idle: 3 W, busy: 2 W}}\n",
     {"2:5: The power of 'a' is off 0, idle 3, context 3, busy 2 W",
      "off <= idle <= context <= busy"}},
    {"devices:\n  - {model: a, kind: gpu, name: n, power: {off: 2 W, idle: 1 W, busy: 2 W}}\n",
     {"off 2, idle 1"}},
    {"devices:\n  - {model: a, kind: gpu, name: n, power: {idle: 1, context: 3, busy: 2}}\n",
     {"context 3, busy 2"}},
    {"devices:\n" PLAIN("a, features: mig"), {"'features' of 'a' is 'mig'", "a list in brackets"}},
    {"devices:\n" PLAIN("a, features: [Mig]"), {"a name of small letters"}},
    {"devices:\n" PLAIN("a, aliases: ['']"), {"a text of one line"}},
    {"devices:\n" PLAIN("a, note: {}"), {"a text of one line"}},
    {"devices:\n" PLAIN("a, sources: {power.idel: x}"),
     {"'power.idel' is no figure; did you mean 'power.idle'?"}},
    {"devices:\n" PLAIN("a, sources: {peak.fp64: x}"),
     {"'peak.fp64' is named here, but the entry 'a' does not give it"}},
    {"devices:\n" PLAIN("a, sources: book"), {"'sources' of 'a' is 'book'"}},
    {"devices:\n" PLAIN("a, sources: {all: [x]}"), {"'sources' of 'a' is '(a list)'"}},
    {"devices:\n" PLAIN("a, unconfirmed: power"), {"a list in brackets"}},
    {"devices:\n" PLAIN("a, unconfirmed: [peak]"), {"'peak' is named here"}},
    {"devices:\n" PLAIN("a, unconfirmed: [[x]]"), {"the name of a figure"}},
    {"devices:\n\t- a\n", {"A tab indents this line"}},
    /* every problem is told, in the order of the text; what is wrong does not lack too */
    {"devices:\n  - {model: a, kind: gpuu, name: n, power: {idle: 1 W, busy: x}}\n",
     {"c.yaml:2:22: 'kind' of 'a' is 'gpuu', but allowed is cpu, gpu, fpga, npu, asic, dpu, dsp, "
      "qpu (did you mean 'gpu'?). Write for instance `kind: gpu`.\nc.yaml:2:62: 'power.busy'"}},
    {"devices:\n" PLAIN("a, year: x") PLAIN("b, year: y"),
     {"c.yaml:2:22: 'year' of 'a'", "\nc.yaml:3:22: 'year' of 'b'"}},
};

static void test_bad(void)
{
    for (size_t i = 0; i < sizeof bad_texts / sizeof bad_texts[0]; i++) {
        struct catalogue *catalogue = catalogue_create();
        struct hs_error error = {0};
        const char *text = bad_texts[i].text;
        enum hs_err err = catalogue_add_text(catalogue, text, strlen(text), "c.yaml", &error);

        CU_ASSERT_EQUAL(err, HS_ERR_INPUT);
        for (size_t k = 0; k < 3 && bad_texts[i].sentences[k]; k++) {
            if (!strstr(error.text, bad_texts[i].sentences[k])) {
                (void)printf("\n%s%s\nlacks: %s\n", text, error.text, bad_texts[i].sentences[k]);
                CU_FAIL("another message");
            }
        }
        catalogue_destroy(catalogue);
    }
}

static void test_quantities(void)
{
    static const struct {
        enum catalogue_type type;
        const char *text;
        double value; /* NaN: refused */
    } cases[] = {
        {CATALOGUE_BANDWIDTH, "1555 GB/s", 1555e9},
        {CATALOGUE_BANDWIDTH, "12.5GBps", 12.5e9},
        {CATALOGUE_BANDWIDTH, "1 B/s", 1},
        {CATALOGUE_BANDWIDTH, "1 GiB/s", NAN},
        {CATALOGUE_BANDWIDTH, "1 gB/s", NAN},
        {CATALOGUE_FLOPS, "9.7e3 Gf", 9.7e12},
        {CATALOGUE_FLOPS, "1Ef", 1e18},
        {CATALOGUE_FLOPS, "1E3f", 1000},
        {CATALOGUE_FLOPS, "5 flops", 5},
        {CATALOGUE_FLOPS, "5", NAN},
        {CATALOGUE_FLOPS, "", NAN},
        {CATALOGUE_FLOPS, "Tf", NAN},
        {CATALOGUE_FLOPS, "1 2 Tf", NAN},
        {CATALOGUE_FLOPS, "1..Tf", NAN},
        {CATALOGUE_FLOPS, "0x10 Tf", NAN},
        {CATALOGUE_FLOPS, "1 Tf ", NAN},
        {CATALOGUE_OPS, "4 kop/s", 4000},
        {CATALOGUE_WATTS, "12", 12},
        {CATALOGUE_WATTS, "12 mW", 0.012},
        {CATALOGUE_WATTS, "1 MW", 1e6},
        {CATALOGUE_WATTS, "12 w", NAN},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double value = 0;
        bool is_one = catalogue_quantity_parse(cases[i].type, cases[i].text, &value);

        if (is_one == isnan(cases[i].value) || (is_one && value != cases[i].value)) {
            (void)printf("\n'%s' is %g\n", cases[i].text, value);
            CU_FAIL("another value");
        }
    }
}

/* Every entry that comes with hsim: complete, plausible, each figure with a source. */
static void check_shipped(const struct catalogue_device *device)
{
    bool is_cpu = strcmp(device->kind, "cpu") == 0;

    if (!device->vendor || device->year < 2010 || device->year > 2030 ||
        device->feature_count == 0 || (is_cpu ? device->cores == 0 : device->mem_bytes == 0) ||
        (is_cpu && device->peak_flops[CATALOGUE_FP64] == 0)) {
        (void)printf("\n%s lacks a field\n", device->model);
        CU_FAIL("not complete");
    }
    for (size_t i = 0; i < CATALOGUE_FIGURE_COUNT; i++) {
        if (catalogue_has_figure(device, i) && !device->sources[i]) {
            (void)printf("\n%s: %s has no source\n", device->model, catalogue_figure_name(i));
            CU_FAIL("no source");
        }
    }
    if (!catalogue_has_figure(device, figure_of("power.off")) || device->power.busy_w < 50 ||
        device->power.busy_w > 1000 || device->power.idle_w < 5 ||
        device->power.idle_w > device->power.busy_w / 2) {
        (void)printf("\n%s: the power is not plausible\n", device->model);
        CU_FAIL("power");
    }
    if (device->peak_flops[CATALOGUE_FP64] > 0 &&
        device->peak_flops[CATALOGUE_FP32] < device->peak_flops[CATALOGUE_FP64]) {
        (void)printf("\n%s: fp64 is faster than fp32\n", device->model);
        CU_FAIL("rates");
    }
}

static void test_shipped(void)
{
    static const char *const names[] = {"G2",      "G3",    "T4",      "P100",  "V100M16",
                                        "V100M32", "A10",   "k80",     "V100",  "A100",
                                        "H100",    "TPUv3", "IPU-MK2", "Gaudi2"};
    static const char *const kinds[] = {"cpu", "gpu", "fpga", "npu"};
    struct catalogue *catalogue = NULL;
    struct hs_error error = {0};
    size_t counts[4] = {0};

    CU_ASSERT_EQUAL_FATAL(unsetenv(CATALOGUE_VARIABLE), 0);
    if (catalogue_load(NULL, &catalogue, &error) != HS_OK) {
        (void)printf("%s\n", error.text);
        CU_FAIL_FATAL("the catalogue that comes with hsim was refused");
    }
    CU_ASSERT(catalogue_count(catalogue) >= 30);
    for (size_t i = 0; i < catalogue_count(catalogue); i++) {
        check_shipped(catalogue_device(catalogue, i));
        for (size_t k = 0; k < 4; k++) {
            counts[k] += strcmp(catalogue_device(catalogue, i)->kind, kinds[k]) == 0;
        }
    }
    CU_ASSERT(counts[0] >= 5 && counts[1] >= 15 && counts[2] >= 2 && counts[3] >= 5);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        CU_ASSERT_PTR_NOT_NULL(catalogue_find(catalogue, names[i]));
    }
    catalogue_destroy(catalogue);
}

/* The variable names another file, and a file of the user comes on top. */
static void test_places(void)
{
    struct catalogue *catalogue = NULL;
    struct hs_error error = {0};

    CU_ASSERT_EQUAL_FATAL(setenv(CATALOGUE_VARIABLE, "/nowhere/c.yaml", 1), 0);
    CU_ASSERT_EQUAL(catalogue_load(NULL, &catalogue, &error), HS_ERR_INPUT);
    CU_ASSERT_PTR_NULL(catalogue);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(error.text, "/nowhere/c.yaml: The device catalogue cannot be opened"));
    CU_ASSERT_EQUAL_FATAL(setenv(CATALOGUE_VARIABLE, TEST_PLATFORMS "/devices.yaml", 1), 0);
    CU_ASSERT_EQUAL(catalogue_load("/nowhere/d.yaml", &catalogue, &error), HS_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "/nowhere/d.yaml"));
    CU_ASSERT_EQUAL(catalogue_load(NULL, &catalogue, &error), HS_OK);
    catalogue_destroy(catalogue);
    CU_ASSERT_EQUAL_FATAL(unsetenv(CATALOGUE_VARIABLE), 0);
}

static const struct unit_test tests[] = {
    {"all fields of an entry", test_entry},
    {"finding by model and alias", test_find},
    {"a second file", test_override},
    {"bad catalogues", test_bad},
    {"quantities", test_quantities},
    {"the catalogue that comes with hsim", test_shipped},
    {"places", test_places},
};

UNIT_MAIN("device catalogue", tests)
