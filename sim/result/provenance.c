/* SPDX-License-Identifier: GPL-3.0-or-later */
/* provenance.c - attributes, experiment, inputs, platform, parameters and summary. */
#include "result/provenance.h"

#include <stdio.h>
#include <stdlib.h>

#include "hsim_commit.h"
#include "result/devices.h"

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

const char *result_git_commit(void)
{
    return HSIM_GIT_COMMIT;
}

static const char *text_or_none(const char *text)
{
    return text ? text : "none";
}

static bool begin_attributes(hid_t file, const struct result_meta *meta)
{
    char hdf5_version[64];
    unsigned major = 0;
    unsigned minor = 0;
    unsigned release = 0;
    hs_time to_ns = meta->measure_to_ns == HS_TIME_NEVER ? -1 : meta->measure_to_ns;

    (void)H5get_libversion(&major, &minor, &release);
    (void)snprintf(hdf5_version, sizeof hdf5_version, "%u.%u.%u", major, minor, release);
    return store_attr_int(file, "hsim_schema", RESULT_SCHEMA_VERSION) &&
           store_attr_text(file, "hsim_version", HSIM_VERSION) &&
           store_attr_text(file, "git_commit", HSIM_GIT_COMMIT) &&
           store_attr_text(file, "compiler", COMPILER) &&
           store_attr_text(file, "hdf5_version", hdf5_version) &&
           store_attr_text(file, "gsl_version", HSIM_GSL_VERSION) &&
           store_attr_text(file, "simgrid_version", text_or_none(meta->simgrid_version)) &&
           store_attr_text(file, "command_line", text_or_none(meta->command_line)) &&
           store_attr_text(file, "base_dir", text_or_none(meta->base_dir)) &&
           store_attr_text(file, "policy", meta->policy) &&
           store_attr_text(file, "run_key", text_or_none(meta->run_key)) &&
           store_attr_int(file, "seed", (int64_t)meta->seed) &&
           store_attr_int(file, "tau_ns", meta->tau_ns) &&
           store_attr_int(file, "measure_from_ns", meta->measure_from_ns) &&
           store_attr_int(file, "measure_to_ns", to_ns);
}

struct node_columns {
    const char **names;
    int32_t *ids, *classes;
    int64_t *cores, *mems;
};

static bool write_node_columns(hid_t group, const struct node_columns *columns, uint32_t count)
{
    static const struct result_column id = {"id", "1", "index of the node", RESULT_I32};
    static const struct result_column class_index = {
        "class", "1", "nodes of equal cores, memory and devices share a class", RESULT_I32};
    static const struct result_column cores = {"cores_milli", "core/1000",
                                               "cores of the node, in thousandths", RESULT_I64};
    static const struct result_column mem = {"mem", "B", "memory of the node; -1: not modelled",
                                             RESULT_I64};

    return store_values(group, &id, columns->ids, count) &&
           store_texts(group, "name", "name of the node", columns->names, count) &&
           store_values(group, &class_index, columns->classes, count) &&
           store_values(group, &cores, columns->cores, count) &&
           store_values(group, &mem, columns->mems, count);
}

static bool write_nodes(hid_t platform, const struct hs_cluster *cluster)
{
    uint32_t count = hs_cluster_node_count(cluster);
    struct node_columns columns = {
        .names = calloc(count, sizeof *columns.names),
        .ids = calloc(count, sizeof *columns.ids),
        .classes = calloc(count, sizeof *columns.classes),
        .cores = calloc(count, sizeof *columns.cores),
        .mems = calloc(count, sizeof *columns.mems),
    };
    bool is_ok = columns.names && columns.ids && columns.classes && columns.cores && columns.mems;

    for (uint32_t i = 0; is_ok && i < count; i++) {
        const struct hs_node *node = hs_cluster_node(cluster, i);

        columns.names[i] = node->name;
        columns.ids[i] = (int32_t)i;
        columns.classes[i] = (int32_t)node->class_index;
        columns.cores[i] = node->cores_milli;
        columns.mems[i] = node->mem_bytes == HS_MEM_UNLIMITED ? -1 : node->mem_bytes;
    }
    if (is_ok) {
        hid_t group = store_group(platform, "nodes");

        is_ok = group >= 0 && write_node_columns(group, &columns, count);
        is_ok = H5Gclose(group) >= 0 && is_ok;
    }
    free(columns.names);
    free(columns.ids);
    free(columns.classes);
    free(columns.cores);
    free(columns.mems);
    return is_ok;
}

static bool write_params(hid_t policy, const struct result_param *params, size_t count)
{
    hid_t group = store_group(policy, "params");
    const char **texts = calloc(3 * count + 1, sizeof *texts);
    const char **names = texts + count;
    const char **values = names + count;
    bool is_ok = group >= 0 && texts;

    for (size_t i = 0; is_ok && i < count; i++) {
        texts[i] = params[i].part;
        names[i] = params[i].name;
        values[i] = params[i].value;
    }
    is_ok = is_ok && store_texts(group, "part", "what takes the parameter", texts, count) &&
            store_texts(group, "name", "name of the parameter", names, count) &&
            store_texts(group, "value", "its value", values, count);
    is_ok = H5Gclose(group) >= 0 && is_ok;
    free(texts);
    return is_ok;
}

bool provenance_begin(hid_t file, const struct result_meta *meta,
                      const struct result_options *options)
{
    hid_t provenance = store_group(file, "provenance");
    hid_t platform = store_group(file, "platform");
    hid_t policy = store_group(file, "policy");
    bool is_ok = provenance >= 0 && platform >= 0 && policy >= 0;

    is_ok =
        is_ok && begin_attributes(file, meta) &&
        store_attr_int(file, "compression", options->compression) &&
        store_text(provenance, "config", meta->config ? meta->config : "") &&
        store_text(provenance, "config_source", meta->config_source ? meta->config_source : "") &&
        write_nodes(platform, meta->cluster) && devices_write_platform(platform, meta) &&
        store_attr_int(platform, "node_count", hs_cluster_node_count(meta->cluster)) &&
        store_attr_int(platform, "device_count", hs_cluster_device_count(meta->cluster)) &&
        store_attr_int(platform, "cores_milli", hs_cluster_cores_milli(meta->cluster)) &&
        store_attr_text(policy, "label", meta->policy) &&
        write_params(policy, meta->params, meta->param_count);
    is_ok = H5Gclose(policy) >= 0 && is_ok;
    is_ok = H5Gclose(platform) >= 0 && is_ok;
    is_ok = H5Gclose(provenance) >= 0 && is_ok;
    return is_ok;
}

static bool write_input_columns(hid_t group, const struct result_input *inputs, size_t count,
                                const char **texts, int64_t *numbers)
{
    static const struct result_column bytes = {"bytes", "B", "size of the file", RESULT_I64};
    static const struct result_column rows = {"rows", "1", "records read; -1: no table",
                                              RESULT_I64};

    for (size_t i = 0; i < count; i++) {
        texts[i] = inputs[i].path;
        texts[count + i] = inputs[i].format;
        texts[2 * count + i] = inputs[i].xxh128;
        numbers[i] = inputs[i].bytes;
        numbers[count + i] = inputs[i].rows;
    }
    return store_texts(group, "path", "as the experiment names it", texts, count) &&
           store_texts(group, "format", "how it was read", texts + count, count) &&
           store_texts(group, "xxh128", "XXH3-128 of its bytes (xxh128sum)", texts + 2 * count,
                       count) &&
           store_values(group, &bytes, numbers, count) &&
           store_values(group, &rows, numbers + count, count);
}

static bool write_inputs(hid_t file, const struct result_input *inputs, size_t count)
{
    hid_t group = store_group(file, "provenance/inputs");
    const char **texts = calloc(3 * count + 1, sizeof *texts);
    int64_t *numbers = calloc(2 * count + 1, sizeof *numbers);
    bool is_ok =
        group >= 0 && texts && numbers && write_input_columns(group, inputs, count, texts, numbers);

    is_ok = H5Gclose(group) >= 0 && is_ok;
    free(texts);
    free(numbers);
    return is_ok;
}

static bool write_summary(hid_t file, const struct result_summary *summary)
{
    static const struct result_column value = {"value", "1", "value, in the unit of its row",
                                               RESULT_F64};
    static const struct result_column number = {"n", "1", "jobs or points behind it", RESULT_I64};
    size_t count = summary->metric_count;
    hid_t group = store_group(file, "summary");
    const char **texts = calloc(3 * count, sizeof *texts);
    double *values = calloc(count, sizeof *values);
    int64_t *counts = calloc(count, sizeof *counts);
    bool is_ok = group >= 0 && texts && values && counts;

    for (size_t i = 0; is_ok && i < count; i++) {
        texts[i] = summary->metrics[i].name;
        texts[count + i] = summary->metrics[i].unit;
        texts[2 * count + i] = summary->metrics[i].doc;
        values[i] = summary->metrics[i].value;
        counts[i] = summary->metrics[i].count;
    }
    is_ok = is_ok && store_texts(group, "name", "name of the metric", texts, count) &&
            store_values(group, &value, values, count) &&
            store_texts(group, "unit", "its unit", texts + count, count) &&
            store_values(group, &number, counts, count) &&
            store_texts(group, "doc", "what it means", texts + 2 * count, count);
    is_ok = H5Gclose(group) >= 0 && is_ok;
    free(texts);
    free(values);
    free(counts);
    return is_ok;
}

bool provenance_end(hid_t file, const struct result_meta *meta, const struct result_final *final,
                    const struct result_summary *summary)
{
    int64_t epoch = final->epoch_unix >= 0 ? final->epoch_unix : meta->epoch_unix;
    const struct result_input *inputs = final->inputs ? final->inputs : meta->inputs;
    size_t input_count = final->inputs ? final->input_count : meta->input_count;

    return write_inputs(file, inputs, input_count) && write_summary(file, summary) &&
           store_attr_text(file, "status", final->status) &&
           store_attr_text(file, "schedule_digest", summary->schedule_digest) &&
           store_attr_int(file, "epoch_unix", epoch) &&
           store_attr_int(file, "clairvoyant", meta->is_clairvoyant || final->is_clairvoyant) &&
           store_attr_double(file, "wall_s", final->wall_s) &&
           store_attr_double(file, "cpu_s", final->cpu_s) &&
           store_attr_int(file, "rss_bytes", final->rss_bytes) &&
           store_attr_int(file, "events", final->events) &&
           store_attr_int(file, "passes", final->passes) &&
           store_attr_int(file, "decisions", final->decisions) &&
           store_attr_int(file, "jobs_examined", final->jobs_examined) &&
           store_attr_int(file, "records_bad", final->records_bad) &&
           store_attr_int(file, "records_dropped", final->records_dropped) &&
           store_attr_int(file, "records_overrun", final->records_overrun) &&
           store_attr_int(file, "records_missing", final->records_missing);
}
