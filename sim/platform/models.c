/* SPDX-License-Identifier: GPL-3.0-or-later */
/* models.c - the model of a host in the catalogue, and what the host draws. */
#include "platform/models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/hosts.h"

#define WATTS_MAX 1e9

static enum hs_err read_model(const struct catalogue *catalogue, struct platform_host *host,
                              const struct source *source, struct hs_error *error)
{
    const char *name = hosts_property(host, "model");
    char remedy[512];

    if (!name) {
        return HS_OK;
    }
    host->model = catalogue_find(catalogue, name);
    if (!host->model) {
        const char *near = catalogue_nearest(catalogue, name);

        (void)snprintf(remedy, sizeof remedy,
                       "The device catalogue has no such model%s%.100s%s `hsim platform devices "
                       "list` shows all; a file of your own may add models (`--catalogue`, or "
                       "`platform: {catalogue: FILE}`).",
                       near ? "; did you mean '" : ".", near ? near : "", near ? "'?" : "");
        return hosts_fail_property(source, host, "model", remedy, error);
    }
    if (strcmp(host->model->kind, host->kind) != 0) {
        (void)snprintf(remedy, sizeof remedy,
                       "In the catalogue this is a %s, but the kind of the host is '%.100s'. "
                       "Correct its property model, or its property kind.",
                       host->model->kind, host->kind);
        return hosts_fail_property(source, host, "model", remedy, error);
    }
    if (!host->mem_bytes && host->role == PLATFORM_DEVICE) {
        host->mem_bytes = host->model->mem_bytes;
    }
    return HS_OK;
}

/* Reads a power, with blanks around it; *end is behind it. */
static bool parse_watts(const char *text, double *watts, const char **end)
{
    char *stop;

    *watts = strtod(text, &stop);
    *end = stop + strspn(stop, " \t");
    return stop != text && *watts >= 0 && *watts <= WATTS_MAX;
}

/* "idle:context:busy" or "idle:busy", of the first state; what stands behind a comma is of others.
 */
static bool parse_state(const char *text, struct platform_power *power)
{
    double watts[3];
    size_t count = 0;

    do {
        if (count == 3 || !parse_watts(text, &watts[count++], &text)) {
            return false;
        }
    } while (*text++ == ':');
    if (count < 2 || (text[-1] != '\0' && text[-1] != ',')) {
        return false;
    }
    power->idle_w = watts[0];
    power->context_w = watts[count == 3 ? 1 : 0];
    power->busy_w = watts[count - 1];
    return power->idle_w <= power->context_w && power->context_w <= power->busy_w;
}

/* Sockets of a node: as many CPUs of its model as its cores take. */
static double count_sockets(const struct platform_host *host)
{
    int64_t cores = host->model->cores;

    if (host->role != PLATFORM_COMPUTE || cores == 0) {
        return 1;
    }
    return (double)((host->cores + cores - 1) / cores);
}

static enum hs_err read_power(struct platform_host *host, const struct source *source,
                              struct hs_error *error)
{
    static const char *const states[] = {"wattage_per_state", "watt_per_state"};
    static const char *const offs[] = {"wattage_off", "watt_off"};

    if (host->model) {
        double sockets = count_sockets(host);

        host->power.off_w = host->model->power.off_w * sockets;
        host->power.idle_w = host->model->power.idle_w * sockets;
        host->power.context_w = host->model->power.context_w * sockets;
        host->power.busy_w = host->model->power.busy_w * sockets;
    }
    for (size_t i = 0; i < 2; i++) {
        const char *value = hosts_property(host, states[i]);

        if (value && !parse_state(value, &host->power)) {
            return hosts_fail_property(source, host, states[i],
                                       "It is what each state draws in W, idle:context:busy or "
                                       "idle:busy with a comma between states, and none of the "
                                       "three is less than the one before: 90:110:350,70:85:200.",
                                       error);
        }
    }
    if (!platform_power_is_known(&host->power)) {
        return HS_OK;
    }
    host->power.off_w = isnan(host->power.off_w) ? 0 : host->power.off_w;
    for (size_t i = 0; i < 2; i++) {
        const char *value = hosts_property(host, offs[i]);
        const char *end = "";

        if (value && (!parse_watts(value, &host->power.off_w, &end) || *end)) {
            return hosts_fail_property(source, host, offs[i],
                                       "It is what the host draws in W when it is switched off, "
                                       "for instance 8.",
                                       error);
        }
    }
    return HS_OK;
}

enum hs_err models_read(const struct catalogue *catalogue, struct platform_host *host,
                        const struct source *source, struct hs_error *error)
{
    enum hs_err err;

    host->power = platform_power_unknown();
    if (host->role != PLATFORM_COMPUTE && host->role != PLATFORM_DEVICE) {
        return HS_OK;
    }
    err = read_model(catalogue, host, source, error);
    return err == HS_OK ? read_power(host, source, error) : err;
}
