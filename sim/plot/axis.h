/* SPDX-License-Identifier: GPL-3.0-or-later */
/* axis.h - numbers of axes: few digits, a unit that fits, powers of ten as such. */
#ifndef HSIM_PLOT_AXIS_H
#define HSIM_PLOT_AXIS_H

#include "plot/figure.h"

/* What is shown is value / divisor, in `unit`. */
struct axis_unit {
    const char *unit;
    double divisor;
};

/* Of a span of time in s: days, hours, minutes or seconds, such that there are more than four. */
struct axis_unit axis_time_unit(double span_s);
/* Of the quantity `unit` ("W", "J", "B") up to `highest`: with its prefix, "kW". The text is one of
 * a fixed set and needs no freeing; units that take no prefix, and plain numbers, stay as they are
 * with divisor 1. */
struct axis_unit axis_prefix_unit(const char *unit, double highest);

/* "TEXT (UNIT)", or the text alone for plain numbers ("1" or ""). */
void axis_text(char *label, size_t size, const char *text, const char *unit);
/* The same as a command: "set xlabel ...". */
void axis_label(struct figure *figure, const char *axis, const char *text, const char *unit);

/* How many numbers an axis has room for, of six letters or of a line each; that of a panel, if
 * there are some. */
double axis_room(const struct figure *figure, const char *axis);

/* Least step of 1, 2, 2.5 or 5 times a power of ten at which an axis of this length has room for
 * its numbers. */
double axis_step(const struct figure *figure, const char *axis, double length);

/* A linear axis ("x" or "y") from 0 to the first number from `high` on, with as many numbers as
 * there is room for. */
void axis_linear(struct figure *figure, const char *axis, double high);

/* An axis of things that are counted, from 0 to exactly `high`; numbers are whole. */
void axis_whole(struct figure *figure, const char *axis, double high);

/* A logarithmic axis ("x" or "y") from `low` to `high`, both > 0: its range, and as many numbers as
 * there is room for. Those of seconds are times of the day ("1 s", "10 min", "1 h", "10 d"), those
 * of J and W have prefixes, plain numbers are powers of ten from 10 000 on. The label need not have
 * a unit where the numbers have one: true. */
bool axis_log(struct figure *figure, const char *axis, const char *unit, double low, double high);

#endif
