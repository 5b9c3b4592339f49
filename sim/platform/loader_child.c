/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loader_child.c - the child of the loader. It never returns and leaves nothing to clean up. */
#include "platform/loader_child.h"

#include "platform/loader.h"
#include "platform/simgrid_module.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

/* Lowers the soft limit of a resource; a lower one that is there already stays. */
static void lower_limit(__rlimit_resource_t resource, rlim_t wanted)
{
    struct rlimit limit;

    if (getrlimit(resource, &limit) == 0 && limit.rlim_cur > wanted) {
        limit.rlim_cur = wanted;
        (void)setrlimit(resource, &limit);
    }
}

/* The address space is limited to what the process has now and LOADER_MEMORY_GIB more, since an
 * instrumented build starts with terabytes. */
static void limit_memory(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    long pages = 0;

    if (file && fscanf(file, "%ld", &pages) == 1 && pages > 0) {
        rlim_t now = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);

        lower_limit(RLIMIT_AS, now + ((rlim_t)LOADER_MEMORY_GIB << 30));
    }
    if (file) {
        (void)fclose(file);
    }
}

/* Handlers and masks of the caller must not decide how the child dies. */
static void reset_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP,  SIGQUIT, SIGPIPE, SIGABRT,
                                  SIGBUS, SIGFPE,  SIGSEGV, SIGILL,  SIGXCPU};
    sigset_t none;

    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        (void)signal(signals[i], SIG_DFL);
    }
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* The pipes may have got any numbers, even 1 to 3: they move out of the way first. */
static void place_descriptors(int data_fd, int message_fd)
{
    int data = fcntl(data_fd, F_DUPFD, SIMGRID_MODULE_FD + 1);
    int message = fcntl(message_fd, F_DUPFD, SIMGRID_MODULE_FD + 1);

    if (data < 0 || message < 0 || dup2(message, STDOUT_FILENO) < 0 ||
        dup2(message, STDERR_FILENO) < 0 || dup2(data, SIMGRID_MODULE_FD) < 0) {
        _exit(LOADER_EXIT_SETUP);
    }
    (void)close(data);
    (void)close(message);
}

/* If SimGrid calls exit, the caller's half-written files must not be flushed by the child: this
 * runs before the flush of the C library. */
static void leave_at_once(void)
{
    _exit(EXIT_FAILURE);
}

_Noreturn void loader_child(const char *module, const char *path, pid_t parent, int data_fd,
                            int message_fd)
{
    simgrid_describe *describe = NULL;
    void *handle;
    void *symbol;

    reset_signals();
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || atexit(leave_at_once) != 0) {
        _exit(LOADER_EXIT_SETUP);
    }
    place_descriptors(data_fd, message_fd);
    __fpurge(stdout);
    __fpurge(stderr);
    lower_limit(RLIMIT_CORE, 0);
    lower_limit(RLIMIT_CPU, LOADER_CPU_S);
    limit_memory();

    handle = dlopen(module, RTLD_NOW | RTLD_LOCAL);
    symbol = handle ? dlsym(handle, SIMGRID_MODULE_ENTRY) : NULL;
    if (!symbol) {
        const char *reason = dlerror();

        (void)dprintf(STDERR_FILENO, "%s", reason ? reason : "no reason given");
        _exit(LOADER_EXIT_MODULE);
    }
    /* ISO C has no conversion from an object's address to a function's; POSIX says it works. */
    memcpy(&describe, &symbol, sizeof describe);
    _exit(describe(path) == 0 ? EXIT_SUCCESS : LOADER_EXIT_WRITE);
}
