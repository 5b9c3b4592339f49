/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bad_module.c - stands in for the module with SimGrid and misbehaves as the file's name says. */
#include "platform/simgrid_module.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A sound answer: one host "a" with one core, one state of 1 flop/s and one property k=v. */
struct answer {
    char bytes[128];
    size_t length;
};

static void put(struct answer *answer, const void *bytes, size_t length)
{
    memcpy(answer->bytes + answer->length, bytes, length);
    answer->length += length;
}

static void put_string(struct answer *answer, const char *text)
{
    uint32_t size = (uint32_t)strlen(text) + 1;

    put(answer, &size, sizeof size);
    put(answer, text, size);
}

static struct answer sound_answer(void)
{
    struct answer answer = {.length = 0};
    int64_t cores = 1;
    uint32_t one = 1;
    double speed = 1;
    uint64_t hosts = 1;

    put(&answer, "V", 1);
    put_string(&answer, "9.9");
    put(&answer, "H", 1);
    put_string(&answer, "a");
    put(&answer, &cores, sizeof cores);
    put(&answer, &one, sizeof one);
    put(&answer, &speed, sizeof speed);
    put(&answer, &one, sizeof one);
    put_string(&answer, "k");
    put_string(&answer, "v");
    put(&answer, "E", 1);
    put(&answer, &hosts, sizeof hosts);
    return answer;
}

/* "cut-N" writes N bytes, "flip-N" inverts byte N, "sound" is as it should be. */
static int write_answer(const char *name)
{
    struct answer answer = sound_answer();
    size_t number = strtoul(name + strcspn(name, "0123456789"), NULL, 10);

    if (strncmp(name, "cut-", 4) == 0 && number < answer.length) {
        answer.length = number;
    } else if (strncmp(name, "flip-", 5) == 0 && number < answer.length) {
        answer.bytes[number] = (char)~answer.bytes[number];
    } else if (strncmp(name, "more", 4) == 0) {
        put(&answer, "H", 1);
    }
    return write(SIMGRID_MODULE_FD, answer.bytes, answer.length) == (ssize_t)answer.length ? 0 : -1;
}

static void flood(void)
{
    for (int i = 0; i < 100000; i++) {
        (void)printf("a line that nobody reads\n");
    }
    (void)fflush(stdout);
}

int hsim_simgrid_describe(const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    volatile int number = 0;

    if (strncmp(name, "crash", 5) == 0) {
        (void)raise(SIGSEGV);
    } else if (strncmp(name, "abort", 5) == 0) {
        abort();
    } else if (strncmp(name, "allocator", 9) == 0) {
        (void)fprintf(stderr, "malloc(): invalid next->prev_inuse (unsorted)\n");
        abort();
    } else if (strncmp(name, "memory", 6) == 0) {
        (void)fprintf(stderr, "\n\nUncaught exception std::bad_alloc: std::bad_alloc\nmore\n");
        abort();
    } else if (strncmp(name, "kill", 4) == 0) {
        (void)raise(SIGKILL);
    } else if (strncmp(name, "interrupt", 9) == 0) {
        (void)raise(SIGINT);
    } else if (strncmp(name, "exit", 4) == 0) {
        exit(7);
    } else if (strncmp(name, "fail", 4) == 0) {
        return -1;
    } else if (strncmp(name, "hang", 4) == 0) {
        for (;;) {
            number = number + 1;
        }
    } else if (strncmp(name, "flood", 5) == 0) {
        flood();
    }
    return write_answer(name);
}
