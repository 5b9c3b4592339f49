/* SPDX-License-Identifier: MIT */
/* base.h - scalars, errors and assertions that everything else uses.
 *
 * Time is an int64_t number of nanoseconds on the trace's own clock: its zero is the trace's zero.
 * Sums of times, and time x resource integrals, overflow 64 bits and are hs_int128.
 *
 * Three kinds of failure: a bug is HS_ASSERT (always on); an error of the user or of the system
 * is an `enum hs_err` with a full sentence in a `struct hs_error`; an answer is a bool. */
#ifndef HS_BASE_H
#define HS_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Version of every struct that crosses the plug-in boundary. It is raised when a struct or the
 * meaning of a function changes incompatibly; appending a field does not raise it. */
#define HS_ABI 2u

typedef int64_t hs_time; /* nanoseconds */
__extension__ typedef __int128 hs_int128;

#define HS_TIME_NEVER INT64_MAX
#define HS_NS_PER_S   INT64_C(1000000000)

/* What went wrong. The command line maps these to its exit codes. */
enum hs_err {
    HS_OK = 0,
    HS_ERR_CONFIG,      /* usage or configuration */
    HS_ERR_INPUT,       /* bad input data: a trace, a platform file, a result file */
    HS_ERR_POLICY,      /* a policy broke a rule */
    HS_ERR_SYSTEM,      /* the operating system said no: files, memory, processes */
    HS_ERR_INTERRUPTED, /* the person asked to stop */
    HS_ERR_STATE,       /* the host called the core out of order (an event that cannot be) */
};

#define HS_ERROR_TEXT_MAX 2048

/* A failure that a person can act on. `text` is one or more full sentences without a final
 * newline: place (file:line), value, what is allowed. Caller's memory; zero it before use. */
struct hs_error {
    enum hs_err code;
    char text[HS_ERROR_TEXT_MAX];
};

#if defined(__GNUC__)
#define HS_PRINTF(format_index, first_index)                                                       \
    __attribute__((format(printf, format_index, first_index)))
#define HS_MUST_USE __attribute__((warn_unused_result))
#else
#define HS_PRINTF(format_index, first_index)
#define HS_MUST_USE
#endif

/* Fills *error (NULL is allowed) and returns `code`, so that callers write
 * `return hs_error_set(error, HS_ERR_INPUT, "%s:%ld: ...", ...);`. Text that is too long is cut. */
enum hs_err hs_error_set(struct hs_error *error, enum hs_err code, const char *format, ...)
    HS_PRINTF(3, 4);

/* Shorthand for a failed allocation. */
enum hs_err hs_error_memory(struct hs_error *error);

/* Name among `count` names nearest to `word` by edit distance, in which large and small letters are
 * the same; if none is near enough to be a likely misspelling, the shortest that begins with the
 * word (of 3 letters or more) or the first that holds it (4 or more); else NULL. `names` is an
 * array of borrowed strings; the answer is one of them. */
const char *hs_nearest(const char *word, const char *const *names, size_t count);

/* Writes `time` as an exact decimal number of seconds ("12", "12.5", "-0.25"): no trailing zeros,
 * no point for whole seconds. Returns the length. `text` holds at least HS_TIME_TEXT_MAX bytes. */
#define HS_TIME_TEXT_MAX 32
int hs_time_format(hs_time time, char *text);

/* A condition that only a bug can break. Stays on in every build. */
_Noreturn void hs_assert_fail(const char *condition, const char *file, int line);
#define HS_ASSERT(condition)                                                                       \
    ((condition) ? (void)0 : hs_assert_fail(#condition, __FILE__, __LINE__))

#endif
