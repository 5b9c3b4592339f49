/* SPDX-License-Identifier: GPL-3.0-or-later */
/* words_workload.h - the words that keys of the block `workload` may have; for table.c. */
#ifndef HSIM_WORDS_WORKLOAD_H
#define HSIM_WORDS_WORKLOAD_H

#include "experiment/key.h"
#include "workload/workload.h"

static const struct key_choice models[] = {
    {"lublin", WORKLOAD_MODEL_LUBLIN}, {"mix", WORKLOAD_MODEL_MIX}, {NULL, 0}};
static const struct key_choice distributions[] = {{"fixed", WORKLOAD_RUN_FIXED},
                                                  {"exponential", WORKLOAD_RUN_EXPONENTIAL},
                                                  {"lognormal", WORKLOAD_RUN_LOGNORMAL},
                                                  {"uniform", WORKLOAD_RUN_UNIFORM},
                                                  {NULL, 0}};
static const struct key_choice formats[] = {{"auto", WORKLOAD_FORMAT_AUTO},
                                            {"swf", WORKLOAD_FORMAT_SWF},
                                            {"jobs", WORKLOAD_FORMAT_JOBS},
                                            {"openb", WORKLOAD_FORMAT_OPENB},
                                            {"gavel", WORKLOAD_FORMAT_GAVEL},
                                            {"csv", WORKLOAD_FORMAT_CSV},
                                            {"helios", WORKLOAD_FORMAT_HELIOS},
                                            {"acme", WORKLOAD_FORMAT_ACME},
                                            {"philly-sia", WORKLOAD_FORMAT_PHILLY},
                                            {"pai", WORKLOAD_FORMAT_PAI},
                                            {"sacct", WORKLOAD_FORMAT_SACCT},
                                            {"jobcomp", WORKLOAD_FORMAT_JOBCOMP},
                                            {NULL, 0}};
static const struct key_choice column_times[] = {{"auto", WORKLOAD_TIMES_AUTO},
                                                 {"dates", WORKLOAD_TIMES_DATES},
                                                 {"seconds", WORKLOAD_TIMES_SECONDS},
                                                 {"unix", WORKLOAD_TIMES_UNIX},
                                                 {NULL, 0}};
static const struct key_choice durations[] = {
    {"times", WORKLOAD_DURATION_TIMES}, {"column", WORKLOAD_DURATION_COLUMN}, {NULL, 0}};
static const struct key_choice gpu_models[] = {
    {"trace", WORKLOAD_MODELS_TRACE}, {"any", WORKLOAD_MODELS_ANY}, {NULL, 0}};
static const struct key_choice procs[] = {{"requested", WORKLOAD_PROCS_REQUESTED},
                                          {"allocated", WORKLOAD_PROCS_ALLOCATED},
                                          {"max", WORKLOAD_PROCS_MAX},
                                          {NULL, 0}};
static const struct key_choice missing[] = {
    {"run", WORKLOAD_MISSING_RUN}, {"drop", WORKLOAD_MISSING_DROP}, {NULL, 0}};
static const struct key_choice estimates[] = {{"trace", WORKLOAD_ESTIMATE_TRACE},
                                              {"exact", WORKLOAD_ESTIMATE_EXACT},
                                              {"factor", WORKLOAD_ESTIMATE_FACTOR},
                                              {NULL, 0}};
static const struct key_choice overruns[] = {{"kill", WORKLOAD_OVERRUN_KILL},
                                             {"run", WORKLOAD_OVERRUN_RUN},
                                             {"extend", WORKLOAD_OVERRUN_EXTEND},
                                             {NULL, 0}};
static const struct key_choice zeros[] = {{"keep", WORKLOAD_ZERO_KEEP},
                                          {"one-second", WORKLOAD_ZERO_ONE_SECOND},
                                          {"drop", WORKLOAD_ZERO_DROP},
                                          {NULL, 0}};
static const struct key_choice oversizes[] = {
    {"reject", WORKLOAD_OVERSIZED_REJECT}, {"clamp", WORKLOAD_OVERSIZED_CLAMP}, {NULL, 0}};
static const struct key_choice memories[] = {{"ignore", WORKLOAD_MEMORY_IGNORE},
                                             {"requested", WORKLOAD_MEMORY_REQUESTED},
                                             {"used", WORKLOAD_MEMORY_USED},
                                             {NULL, 0}};
static const struct key_choice cancels[] = {
    {"replay", WORKLOAD_CANCEL_REPLAY}, {"drop", WORKLOAD_CANCEL_DROP}, {NULL, 0}};
static const struct key_choice shifts[] = {{"zero", true}, {NULL, 0}};

#endif
