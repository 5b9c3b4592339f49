/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fault.c - a library to preload, which counts the calls of one function and fails the n-th.
 *
 * Told by the environment:
 *   HSIM_FAULT_CALL   alloc, write, pwrite, fsync, rename, open, ftruncate, close, read, fork
 *   HSIM_FAULT_AT     number of the call that fails, from 1; 0 or absent: none does
 *   HSIM_FAULT_MANY   how many fail from there on; absent: 1
 *   HSIM_FAULT_ERRNO  with which errno; absent: what suits the call
 *   HSIM_FAULT_SPARE  libraries whose calls are passed over, by parts of their names:
 * "libhdf5:libc." HSIM_FAULT_LOG    file that gets the number of calls, and whether one failed, at
 * the end
 *
 * Only calls through the dynamic linker are seen, which are all of hsim's and of its libraries'.
 * What the C library does inside itself is not, apart from allocations; strdup and its like are
 * here so that they count as their callers'. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum call { ALLOC, WRITE, PWRITE, FSYNC, RENAME, OPEN, FTRUNCATE, CLOSE, READ, FORK, CALL_COUNT };

static const struct {
    const char *name;
    int cause;
} calls[CALL_COUNT] = {
    [ALLOC] = {"alloc", ENOMEM},      [WRITE] = {"write", ENOSPC}, [PWRITE] = {"pwrite", ENOSPC},
    [FSYNC] = {"fsync", EIO},         [RENAME] = {"rename", EIO},  [OPEN] = {"open", EMFILE},
    [FTRUNCATE] = {"ftruncate", EIO}, [CLOSE] = {"close", EIO},    [READ] = {"read", EIO},
    [FORK] = {"fork", EAGAIN},
};

/* One process, one thread; set up before main by `begin`. */
static struct {
    enum call call; /* CALL_COUNT: not set up yet, or nothing is wanted */
    long at;
    long many;
    long count;
    long failed;
    int cause;
    const char *spare;
    bool is_busy; /* inside dladdr, which may allocate */
} fault = {.call = CALL_COUNT};

static long number_of(const char *name, long otherwise)
{
    const char *text = getenv(name);

    return text ? strtol(text, NULL, 10) : otherwise;
}

__attribute__((constructor)) static void begin(void)
{
    const char *wanted = getenv("HSIM_FAULT_CALL");
    enum call call = CALL_COUNT;

    for (int i = 0; wanted && i < CALL_COUNT; i++) {
        if (strcmp(wanted, calls[i].name) == 0) {
            call = (enum call)i;
        }
    }
    if (call == CALL_COUNT) {
        return;
    }
    fault.at = number_of("HSIM_FAULT_AT", 0);
    fault.many = number_of("HSIM_FAULT_MANY", 1);
    fault.cause = (int)number_of("HSIM_FAULT_ERRNO", calls[call].cause);
    fault.spare = getenv("HSIM_FAULT_SPARE");
    fault.call = call;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("HSIM_FAULT_LOG");
    char text[64];
    int length;
    int file;

    if (!path || fault.call == CALL_COUNT) {
        return;
    }
    fault.call = CALL_COUNT;
    length = snprintf(text, sizeof text, "%ld %ld\n", fault.count, fault.failed);
    file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file >= 0) {
        (void)!syscall(SYS_write, file, text, (size_t)length);
        (void)syscall(SYS_close, file);
    }
}

/* Is the object of this path one of the spared libraries? */
static bool is_spared(const char *path)
{
    const char *name = fault.spare;

    while (path && name && *name) {
        size_t length = strcspn(name, ":");

        if (memmem(path, strlen(path), name, length)) {
            return true;
        }
        name += length + (name[length] == ':');
    }
    return false;
}

#define MEMORY_SIZE 4096u

/* The same for the code at `caller`; what was looked up is remembered. */
static bool is_from_spared(const void *caller)
{
    static struct {
        const void *caller;
        bool is_spared;
    } memory[MEMORY_SIZE];
    size_t place = ((uintptr_t)caller >> 2) % MEMORY_SIZE;

    if (memory[place].caller != caller) {
        Dl_info info = {0};

        fault.is_busy = true;
        memory[place].is_spared = dladdr(caller, &info) && is_spared(info.dli_fname);
        memory[place].caller = caller;
        fault.is_busy = false;
    }
    return memory[place].is_spared;
}

/* Counts a call from `caller`; true: it shall fail, and errno is set. */
static bool fails(enum call call, const void *caller)
{
    if (call != fault.call || fault.is_busy) {
        return false;
    }
    if (fault.spare && is_from_spared(caller)) {
        return false;
    }
    fault.count++;
    if (fault.at == 0 || fault.count < fault.at || fault.count >= fault.at + fault.many) {
        return false;
    }
    fault.failed++;
    errno = fault.cause;
    return true;
}

#define CALLER __builtin_return_address(0)

/* The C library's own allocator, under its other names. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size)
{
    return fails(ALLOC, CALLER) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails(ALLOC, CALLER) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    return fails(ALLOC, CALLER) ? NULL : __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails(ALLOC, CALLER) ? NULL : __libc_memalign(alignment, size);
}

void *reallocarray(void *memory, size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes) || fails(ALLOC, CALLER)) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_realloc(memory, bytes);
}

char *strndup(const char *text, size_t size)
{
    size_t length = strnlen(text, size);
    char *copy = fails(ALLOC, CALLER) ? NULL : __libc_malloc(length + 1);

    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

char *strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = fails(ALLOC, CALLER) ? NULL : __libc_malloc(size);

    return copy ? memcpy(copy, text, size) : NULL;
}

int asprintf(char **text, const char *format, ...)
{
    va_list arguments;
    int length;

    if (fails(ALLOC, CALLER)) {
        return -1;
    }
    va_start(arguments, format);
    length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    *text = length < 0 ? NULL : __libc_malloc((size_t)length + 1);
    if (!*text) {
        return -1;
    }
    va_start(arguments, format);
    length = vsnprintf(*text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return length;
}

ssize_t write(int file, const void *bytes, size_t size)
{
    return fails(WRITE, CALLER) ? -1 : syscall(SYS_write, file, bytes, size);
}

ssize_t read(int file, void *bytes, size_t size)
{
    return fails(READ, CALLER) ? -1 : syscall(SYS_read, file, bytes, size);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset)
{
    return fails(PWRITE, CALLER) ? -1 : syscall(SYS_pwrite64, file, bytes, size, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t offset)
{
    return fails(PWRITE, CALLER) ? -1 : syscall(SYS_pwrite64, file, bytes, size, offset);
}

int fsync(int file)
{
    return fails(FSYNC, CALLER) ? -1 : (int)syscall(SYS_fsync, file);
}

int fdatasync(int file)
{
    return fails(FSYNC, CALLER) ? -1 : (int)syscall(SYS_fdatasync, file);
}

int rename(const char *from, const char *to)
{
    return fails(RENAME, CALLER) ? -1 : (int)syscall(SYS_rename, from, to);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
    return fails(RENAME, CALLER)
               ? -1
               : (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}

int ftruncate(int file, off_t length)
{
    return fails(FTRUNCATE, CALLER) ? -1 : (int)syscall(SYS_ftruncate, file, length);
}

int ftruncate64(int file, off64_t length)
{
    return fails(FTRUNCATE, CALLER) ? -1 : (int)syscall(SYS_ftruncate, file, length);
}

/* The descriptor is gone in either case, as on Linux. */
int close(int file)
{
    bool is_failure = fails(CLOSE, CALLER);
    int cause = errno;
    int status = (int)syscall(SYS_close, file);

    if (is_failure) {
        errno = cause;
        return -1;
    }
    return status;
}

pid_t fork(void)
{
    pid_t (*next)(void);
    void *symbol;

    if (fails(FORK, CALLER)) {
        return -1;
    }
    symbol = dlsym(RTLD_NEXT, "fork");
    memcpy(&next, &symbol, sizeof next);
    return next();
}

static int open_mode(const char *path, int flags, va_list arguments, const void *caller)
{
    unsigned mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, unsigned) : 0;

    return fails(OPEN, caller) ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
    va_list arguments;
    int file;

    va_start(arguments, flags);
    file = open_mode(path, flags, arguments, CALLER);
    va_end(arguments);
    return file;
}

int open64(const char *path, int flags, ...)
{
    va_list arguments;
    int file;

    va_start(arguments, flags);
    file = open_mode(path, flags, arguments, CALLER);
    va_end(arguments);
    return file;
}

FILE *fopen(const char *path, const char *mode)
{
    FILE *(*next)(const char *, const char *);
    void *symbol;

    if (fails(OPEN, CALLER)) {
        return NULL;
    }
    symbol = dlsym(RTLD_NEXT, "fopen");
    memcpy(&next, &symbol, sizeof next);
    return next(path, mode);
}
