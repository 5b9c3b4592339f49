/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stop.c - counts signals. */
#include "cli/stop.h"

#include <stddef.h>

/* The only mutable file-scope variable of the program: a signal handler has no other way in. */
static volatile sig_atomic_t stop_count;

static void count_stop(int signal_number)
{
    (void)signal_number;
    stop_count = stop_count < 2 ? stop_count + 1 : 2;
}

void cli_stop_catch(bool has_children)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};
    size_t count = sizeof signals / sizeof signals[0] - has_children;
    struct sigaction action = {.sa_handler = count_stop,
                               .sa_flags = has_children ? 0 : (int)SA_RESETHAND};

    (void)sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < count; i++) {
        struct sigaction present;

        if (sigaction(signals[i], NULL, &present) != 0 || present.sa_handler != SIG_IGN) {
            (void)sigaction(signals[i], &action, NULL);
        }
    }
}

const volatile sig_atomic_t *cli_stop_count(void)
{
    return &stop_count;
}
