/* SPDX-License-Identifier: GPL-3.0-or-later */
/* energy.c - integration of power, unit by unit, at the unit's own changes.
 *
 * What a job pays is never looked up among the holders of a unit. A unit sums up what a holder of
 * it has paid since the begin of time: `alone`, while there was one holder, and `price`, per
 * thousandth held, while there were several. A job takes both away from its account when it comes
 * and adds them when it goes; the difference is its own, since it was a holder all the while.
 * Accounts and prices wrap around; differences do not. */
#include "engine/energy.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "hs/free.h"

#define MICROWATTS_PER_WATT 1e6
#define POWER_MAX_UW        INT64_C(1000000000000000000) /* of the cluster */

__extension__ typedef unsigned __int128 account;

struct unit {
    int64_t capacity;
    int64_t off_uw, idle_uw, context_uw;
    int64_t dynamic_uw; /* (busy - context) x load */
    int64_t held, used;
    uint32_t holders;
    bool is_off;
    hs_time since_ns;  /* all below is right until then; the power holds from there on */
    int64_t power_uw;  /* drawn */
    int64_t charge_uw; /* of that, charged to the holders */
    hs_int128 energy;
    account alone, price;
};

struct energy {
    const struct hs_cluster *cluster;
    enum energy_attribution attribution;
    uint32_t node_count;
    struct unit *units; /* the nodes, then the devices */
    size_t unit_count;
    account *accounts; /* by token */
    bool *is_away;     /* by node; NULL: none ever leaves; likewise the next */
    uint32_t *jobs;    /* by node: that hold a part of it */
    size_t account_room;
    int64_t power_uw;
    struct energy_totals totals;
};

/* value x part / whole, towards zero; value and part are below 2^63. */
static int64_t share_of(int64_t value, int64_t part, int64_t whole)
{
    if (part == whole || part == 0) {
        return part ? value : 0;
    }
    return (int64_t)((hs_int128)value * part / whole);
}

/* Brings the sums of a unit up to `now`. */
static void settle(struct energy *energy, struct unit *unit, hs_time now)
{
    hs_int128 duration = (hs_int128)now - unit->since_ns;
    hs_int128 drawn = unit->power_uw * duration;
    hs_int128 charged = unit->charge_uw * duration;
    struct energy_totals *totals = &energy->totals;

    HS_ASSERT(duration >= 0);
    if (duration == 0) {
        return;
    }
    unit->since_ns = now;
    unit->energy += drawn;
    totals->total += drawn;
    if (unit->is_off) {
        totals->states[ENERGY_OFF] += drawn;
    } else if (unit->used == 0) {
        totals->states[ENERGY_IDLE] += drawn;
    } else {
        hs_int128 context = unit->context_uw * duration;

        totals->states[ENERGY_CONTEXT] += context;
        totals->states[ENERGY_BUSY] += drawn - context;
    }
    if (unit->holders == 1) {
        unit->alone += (account)charged;
    } else if (unit->holders > 1) {
        hs_int128 price = charged / unit->held;

        unit->price += (account)price;
        charged = price * unit->held;
    }
    totals->jobs += charged;
    totals->uncharged += drawn - charged;
}

/* What is charged of the power of a unit, of which `fixed_uw` does not depend on its use. */
static int64_t charge_of(const struct unit *unit, enum energy_attribution attribution,
                         int64_t fixed_uw)
{
    if (unit->holders == 0) {
        return 0;
    }
    switch (attribution) {
    case ENERGY_PROPORTIONAL:
        return share_of(fixed_uw, unit->held, unit->capacity) + unit->power_uw - fixed_uw;
    case ENERGY_DYNAMIC:
        return unit->power_uw - unit->idle_uw;
    case ENERGY_EXCLUSIVE:
        break;
    }
    return unit->power_uw;
}

/* Power and charge after a change. */
static void reckon(struct energy *energy, struct unit *unit)
{
    int64_t before_uw = unit->power_uw;
    int64_t fixed_uw = unit->used ? unit->context_uw : unit->idle_uw;

    unit->power_uw = unit->is_off
                         ? unit->off_uw
                         : fixed_uw + share_of(unit->dynamic_uw, unit->used, unit->capacity);
    unit->charge_uw = charge_of(unit, energy->attribution, fixed_uw);
    energy->power_uw += unit->power_uw - before_uw;
}

/* A holding of a job: of a unit it holds `held` and uses `used`; sign 1: from now on, -1: until
 * now. Nothing held is no holding. */
static void change(struct energy *energy, size_t index, hs_time now, int64_t held, int64_t used,
                   int sign, account *account_of_job)
{
    struct unit *unit = &energy->units[index];
    account paid;

    if (held == 0) {
        return;
    }
    settle(energy, unit, now);
    HS_ASSERT(!unit->is_off);
    paid = unit->alone + (account)held * unit->price;
    *account_of_job = sign > 0 ? *account_of_job - paid : *account_of_job + paid;
    unit->held += sign * held;
    unit->used += sign * used;
    unit->holders = sign > 0 ? unit->holders + 1 : unit->holders - 1;
    HS_ASSERT(unit->used >= 0 && unit->held >= unit->used && unit->held <= unit->capacity);
    reckon(energy, unit);
}

/* A whole node with its devices, none of which is used yet. */
static void change_whole(struct energy *energy, uint32_t index, hs_time now, int sign,
                         account *account_of_job)
{
    const struct hs_node *node = hs_cluster_node(energy->cluster, index);

    change(energy, index, now, node->cores_milli, node->cores_milli, sign, account_of_job);
    for (uint32_t i = 0; i < node->device_count; i++) {
        change(energy, energy->node_count + node->first_device + i, now, HS_SHARES_PER_UNIT, 0,
               sign, account_of_job);
    }
}

/* The use of a device that is held already. */
static void change_use(struct energy *energy, size_t index, hs_time now, int64_t used, int sign)
{
    struct unit *unit = &energy->units[index];

    settle(energy, unit, now);
    unit->used += sign * used;
    HS_ASSERT(unit->used >= 0 && unit->used <= unit->held);
    reckon(energy, unit);
}

static void change_devices(struct energy *energy, const struct hs_alloc *alloc, hs_time now,
                           int sign, account *account_of_job)
{
    for (uint32_t i = 0; i < alloc->device_count; i++) {
        size_t index = energy->node_count + alloc->devices[i].device;
        int64_t share = alloc->devices[i].share;

        if (alloc->is_exclusive) {
            change_use(energy, index, now, share, sign);
        } else {
            change(energy, index, now, share, share, sign, account_of_job);
        }
    }
}

static void change_nodes(struct energy *energy, const struct hs_demand *demand,
                         const struct hs_alloc *alloc, hs_time now, int sign,
                         account *account_of_job)
{
    const struct hs_demand *chosen = hs_demand_chosen(demand, alloc);

    for (uint32_t s = 0; s < alloc->span_count; s++) {
        const struct hs_span *span = &alloc->spans[s];
        int64_t held = span->tasks * chosen->cores_milli;

        for (uint32_t i = 0; i < span->node_count; i++) {
            if (alloc->is_exclusive) {
                change_whole(energy, span->first_node + i, now, sign, account_of_job);
            } else {
                change(energy, span->first_node + i, now, held, held, sign, account_of_job);
            }
        }
    }
}

static void switch_unit(struct energy *energy, size_t index, hs_time now, bool is_off)
{
    struct unit *unit = &energy->units[index];

    HS_ASSERT(unit->holders == 0);
    settle(energy, unit, now);
    unit->is_off = is_off;
    reckon(energy, unit);
}

void energy_switch(struct energy *energy, hs_time now, uint32_t node, bool is_off)
{
    const struct hs_node *its = hs_cluster_node(energy->cluster, node);

    switch_unit(energy, node, now, is_off);
    for (uint32_t i = 0; i < its->device_count; i++) {
        switch_unit(energy, energy->node_count + its->first_device + i, now, is_off);
    }
}

void energy_set_available(struct energy *energy, hs_time now, uint32_t node, bool is_available)
{
    HS_ASSERT(energy->is_away);
    energy->is_away[node] = !is_available;
    if (energy->jobs[node] == 0) {
        energy_switch(energy, now, node, !is_available);
    }
}

/* Jobs on nodes that may be away: before a start, and after an end. */
static void count_jobs(struct energy *energy, const struct hs_alloc *alloc, hs_time now, int sign)
{
    for (uint32_t s = 0; energy->is_away && s < alloc->span_count; s++) {
        const struct hs_span *span = &alloc->spans[s];

        for (uint32_t i = span->first_node; i < span->first_node + span->node_count; i++) {
            energy->jobs[i] += (uint32_t)sign;
            if (energy->is_away[i] && energy->jobs[i] == (sign > 0 ? 1u : 0u)) {
                energy_switch(energy, now, i, sign < 0);
            }
        }
    }
}

static bool reserve_account(struct energy *energy, uint32_t token)
{
    size_t room = energy->account_room ? energy->account_room : 1024;
    account *moved;

    if (token < energy->account_room) {
        return true;
    }
    while (room <= token) {
        room *= 2;
    }
    moved = realloc(energy->accounts, room * sizeof *moved);
    if (!moved) {
        return false;
    }
    energy->accounts = moved;
    energy->account_room = room;
    return true;
}

enum hs_err energy_start(struct energy *energy, hs_time now, uint32_t token,
                         const struct hs_demand *demand, const struct hs_alloc *alloc,
                         struct hs_error *error)
{
    account *account_of_job;

    if (!reserve_account(energy, token)) {
        return hs_error_memory(error);
    }
    account_of_job = &energy->accounts[token];
    *account_of_job = 0;
    count_jobs(energy, alloc, now, 1);
    change_nodes(energy, demand, alloc, now, 1, account_of_job);
    change_devices(energy, alloc, now, 1, account_of_job);
    return HS_OK;
}

hs_int128 energy_stop(struct energy *energy, hs_time now, uint32_t token,
                      const struct hs_demand *demand, const struct hs_alloc *alloc)
{
    account *account_of_job = &energy->accounts[token];

    change_devices(energy, alloc, now, -1, account_of_job);
    change_nodes(energy, demand, alloc, now, -1, account_of_job);
    count_jobs(energy, alloc, now, -1);
    return (hs_int128)*account_of_job;
}

void energy_begin(struct energy *energy, hs_time now)
{
    for (size_t i = 0; i < energy->unit_count; i++) {
        HS_ASSERT(energy->units[i].energy == 0);
        energy->units[i].since_ns = now;
    }
}

void energy_settle(struct energy *energy, hs_time now)
{
    for (size_t i = 0; i < energy->unit_count; i++) {
        settle(energy, &energy->units[i], now);
    }
}

int64_t energy_power_uw(const struct energy *energy)
{
    return energy->power_uw;
}

struct energy_totals energy_totals(const struct energy *energy)
{
    return energy->totals;
}

hs_int128 energy_of_node(const struct energy *energy, uint32_t node)
{
    return energy->units[node].energy;
}

hs_int128 energy_of_device(const struct energy *energy, uint32_t device)
{
    return energy->units[energy->node_count + device].energy;
}

/* Watts as whole microwatts; false if there is no such power. */
static bool to_microwatts(double watts, int64_t *microwatts)
{
    if (!(watts >= 0 && watts <= (double)POWER_MAX_UW / MICROWATTS_PER_WATT)) {
        return false;
    }
    *microwatts = llround(watts * MICROWATTS_PER_WATT);
    return true;
}

static bool unit_init(struct unit *unit, const struct hs_power *power, int64_t capacity,
                      double load)
{
    double context_w = isnan(power->context_w) ? power->idle_w : power->context_w;
    int64_t busy_uw;

    *unit = (struct unit){.capacity = capacity};
    if (!to_microwatts(power->off_w, &unit->off_uw) ||
        !to_microwatts(power->idle_w, &unit->idle_uw) ||
        !to_microwatts(context_w, &unit->context_uw) || !to_microwatts(power->busy_w, &busy_uw)) {
        return false;
    }
    unit->dynamic_uw = llround((double)(busy_uw - unit->context_uw) * load);
    unit->power_uw = unit->idle_uw;
    return true;
}

static int64_t highest(const struct unit *unit)
{
    int64_t power_uw = unit->context_uw + (unit->dynamic_uw > 0 ? unit->dynamic_uw : 0);

    power_uw = unit->idle_uw > power_uw ? unit->idle_uw : power_uw;
    return unit->off_uw > power_uw ? unit->off_uw : power_uw;
}

static enum hs_err init_units(struct energy *energy, const struct energy_options *options,
                              struct hs_error *error)
{
    hs_int128 sum_uw = 0;

    for (size_t i = 0; i < energy->unit_count; i++) {
        struct unit *unit = &energy->units[i];
        bool is_node = i < energy->node_count;
        uint32_t device = is_node ? 0 : (uint32_t)(i - energy->node_count);
        uint32_t index = is_node ? (uint32_t)i : hs_cluster_device(options->cluster, device)->node;
        const struct hs_node *node = hs_cluster_node(options->cluster, index);
        const struct hs_power *power = is_node ? &options->nodes[i] : &options->devices[device];

        if (!unit_init(unit, power, is_node ? node->cores_milli : HS_SHARES_PER_UNIT,
                       options->load)) {
            return hs_error_set(error, HS_ERR_INPUT,
                                "The power of %s '%s' is no number of watts from 0 to 1e12 (off "
                                "%g, idle %g, context %g, busy %g W).",
                                is_node ? "node" : "a device of node", node->name, power->off_w,
                                power->idle_w, power->context_w, power->busy_w);
        }
        energy->power_uw += unit->power_uw;
        sum_uw += highest(unit);
        if (sum_uw > POWER_MAX_UW) {
            return hs_error_set(error, HS_ERR_INPUT,
                                "The platform would draw more than 1e12 W; correct the power of "
                                "its nodes and devices.");
        }
    }
    return HS_OK;
}

enum hs_err energy_create(const struct energy_options *options, struct energy **energy,
                          struct hs_error *error)
{
    struct energy *self = calloc(1, sizeof *self);
    enum hs_err err = HS_OK;

    *energy = NULL;
    if (!self) {
        return hs_error_memory(error);
    }
    HS_ASSERT(options->load >= 0 && options->load <= 1);
    self->cluster = options->cluster;
    self->attribution = options->attribution;
    self->node_count = hs_cluster_node_count(options->cluster);
    self->unit_count = (size_t)self->node_count + hs_cluster_device_count(options->cluster);
    self->units = calloc(self->unit_count, sizeof *self->units);
    if (options->has_away) {
        self->is_away = calloc(self->node_count, sizeof *self->is_away);
        self->jobs = calloc(self->node_count, sizeof *self->jobs);
    }
    err = self->units && (!options->has_away || (self->is_away && self->jobs))
              ? init_units(self, options, error)
              : hs_error_memory(error);
    if (err != HS_OK) {
        energy_destroy(self);
        return err;
    }
    *energy = self;
    return HS_OK;
}

void energy_destroy(struct energy *energy)
{
    if (energy) {
        free(energy->accounts);
        free(energy->units);
        free(energy->is_away);
        free(energy->jobs);
        free(energy);
    }
}
