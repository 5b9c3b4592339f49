/* SPDX-License-Identifier: GPL-3.0-or-later */
/* source.c - reading a platform file as text, and walking over its tags. */
#include "platform/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_BYTES_MAX (INT64_C(1) << 30)
#define BLANKS         " \t\r\n"

/* Opens a regular file that is neither empty nor absurdly large. */
static enum hs_err open_file(const char *path, int *fd, size_t *length, struct hs_error *error)
{
    struct stat status;

    /* Without O_NONBLOCK a named pipe would wait for a writer for ever. */
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM)) {
        return hs_error_set(error, HS_ERR_SYSTEM,
                            "%s: The platform file cannot be opened now: %s. Close programs, or "
                            "raise the limits (ulimit -n, ulimit -v).",
                            path, strerror(errno));
    }
    if (*fd < 0 || fstat(*fd, &status) != 0) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s: The platform file cannot be opened: %s. Check the path and its "
                            "permissions; relative paths count from the current folder on the "
                            "command line and from the experiment's folder in an experiment.",
                            path, strerror(errno));
    }
    if (!S_ISREG(status.st_mode)) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s: This is %s, not a file. Name a SimGrid platform file (.xml).",
                            path, S_ISDIR(status.st_mode) ? "a folder" : "a pipe or a device");
    }
    if (status.st_size == 0) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s:1: The platform file is empty. A platform needs at least one "
                            "<host> or <cluster>; platforms/README.md shows a minimal one.",
                            path);
    }
    if (status.st_size > FILE_BYTES_MAX) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s: The platform file has %lld bytes; at most %lld are read. Describe "
                            "equal hosts by <cluster> elements instead of one element each.",
                            path, (long long)status.st_size, (long long)FILE_BYTES_MAX);
    }
    *length = (size_t)status.st_size;
    return HS_OK;
}

/* Reads up to `length` bytes; a file that became shorter meanwhile gives less. */
static enum hs_err read_file(struct source *source, int fd, size_t length, struct hs_error *error)
{
    source->text = malloc(length + 1);
    if (!source->text) {
        return hs_error_memory(error);
    }
    while (source->length < length) {
        ssize_t got = read(fd, source->text + source->length, length - source->length);

        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return hs_error_set(error, HS_ERR_INPUT, "%s: The platform file cannot be read: %s.",
                                source->path, strerror(errno));
        }
        if (got == 0) {
            break;
        }
        source->length += (size_t)got;
    }
    source->text[source->length] = '\0';
    return HS_OK;
}

/* Says what a file is that does not start like XML. */
static enum hs_err check_text(const struct source *source, struct hs_error *error)
{
    const char *text = source->text;
    const char *zero = memchr(text, '\0', source->length);
    long line = 1;

    if (source->length >= 4 &&
        (memcmp(text, "\x1f\x8b", 2) == 0 || memcmp(text, "\x28\xb5\x2f\xfd", 4) == 0)) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s:1: The platform file is compressed. Decompress it with gunzip or "
                            "unzstd first; SimGrid reads plain XML only.",
                            source->path);
    }
    if (source->length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s:1: The file begins with a byte order mark, which SimGrid does not "
                            "read. Save it as UTF-8 without one.",
                            source->path);
    }
    if (text[strspn(text, BLANKS)] != '<') {
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s:1: This is no XML, since it does not start with '<'. A platform "
                            "file starts with <?xml version='1.0'?>.",
                            source->path);
    }
    if (zero) {
        for (const char *at = text; (at = memchr(at, '\n', (size_t)(zero - at))); at++) {
            line++;
        }
        return hs_error_set(error, HS_ERR_INPUT,
                            "%s:%ld: The file has a zero byte here, so it is binary, damaged, or "
                            "in UTF-16. A platform file is XML text in ASCII or UTF-8.",
                            source->path, line);
    }
    return HS_OK;
}

enum hs_err source_init(struct source *source, const char *path, struct hs_error *error)
{
    size_t length = 0;
    int fd = -1;
    enum hs_err err;

    *source = (struct source){.path = path};
    err = open_file(path, &fd, &length, error);
    if (err == HS_OK) {
        err = read_file(source, fd, length, error);
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    if (err == HS_OK) {
        err = check_text(source, error);
    }
    if (err != HS_OK) {
        source_fini(source);
    }
    return err;
}

void source_fini(struct source *source)
{
    free(source->text);
    *source = (struct source){0};
}

struct source_cursor source_begin(const struct source *source)
{
    return (struct source_cursor){source->text, source->text, 1};
}

/* The byte after `end` from `at` on, or the end of the text. */
static const char *skip_past(const char *at, const char *end)
{
    const char *found = strstr(at, end);

    return found ? found + strlen(end) : at + strlen(at);
}

/* The '>' that ends the tag whose attributes start at `at`; quotes may hold others. */
static const char *find_tag_end(const char *at)
{
    while (*at && *at != '>') {
        if (*at == '"' || *at == '\'') {
            const char *quote = strchr(at + 1, *at);

            if (!quote) {
                return at + strlen(at);
            }
            at = quote;
        }
        at++;
    }
    return at;
}

bool source_next(struct source_cursor *cursor, struct source_tag *tag)
{
    const char *at = cursor->at;

    for (at = strchr(at, '<'); at; at = strchr(at, '<')) {
        if (strncmp(at, "<!--", 4) == 0) {
            at = skip_past(at + 4, "-->");
        } else if (strncmp(at, "<?", 2) == 0) {
            at = skip_past(at, "?>");
        } else if (at[1] == '!' || at[1] == '/') {
            at = skip_past(at, ">");
        } else {
            break;
        }
    }
    if (!at) {
        cursor->at += strlen(cursor->at);
        return false;
    }
    for (; cursor->counted < at; cursor->counted++) {
        cursor->line += *cursor->counted == '\n';
    }
    tag->line = cursor->line;
    tag->name = at + 1;
    tag->name_length = strcspn(tag->name, BLANKS "/>");
    tag->end = find_tag_end(tag->name + tag->name_length);
    cursor->at = tag->end;
    return true;
}

bool source_tag_is(const struct source_tag *tag, const char *name)
{
    return strlen(name) == tag->name_length && memcmp(tag->name, name, tag->name_length) == 0;
}

/* Replaces the entity at `at`; *used tells its length. Anything else stands for itself. */
static char decode_entity(const char *at, size_t length, size_t *used)
{
    static const struct {
        const char *name;
        char letter;
    } entities[] = {
        {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};

    for (size_t i = 0; i < sizeof entities / sizeof entities[0]; i++) {
        *used = strlen(entities[i].name);
        if (*used <= length && memcmp(at, entities[i].name, *used) == 0) {
            return entities[i].letter;
        }
    }
    if (length > 3 && at[0] == '&' && at[1] == '#') {
        char *end;
        long code = at[2] == 'x' ? strtol(at + 3, &end, 16) : strtol(at + 2, &end, 10);

        if (*end == ';' && code > 0 && code < 128) {
            *used = (size_t)(end + 1 - at);
            return (char)code;
        }
    }
    *used = 1;
    return *at;
}

static bool copy_value(const char *from, size_t length, char *value, size_t size)
{
    size_t written = 0;

    while (length) {
        size_t used = 0;
        char letter = decode_entity(from, length, &used);

        if (written + 1 >= size) {
            return false;
        }
        value[written++] = letter;
        from += used;
        length -= used;
    }
    value[written] = '\0';
    return true;
}

bool source_attribute(const struct source_tag *tag, const char *name, char *value, size_t size)
{
    const char *at = tag->name + tag->name_length;

    while (at < tag->end) {
        const char *key = at + strspn(at, BLANKS "/");
        size_t key_length = strcspn(key, BLANKS "=/>");
        const char *start = key + key_length;
        const char *end;

        start += strspn(start, BLANKS);
        if (key_length == 0 || *start != '=') {
            return false;
        }
        start += 1 + strspn(start + 1, BLANKS);
        if (start >= tag->end || (*start != '"' && *start != '\'')) {
            return false;
        }
        end = memchr(start + 1, *start, (size_t)(tag->end - start - 1));
        if (!end) {
            return false;
        }
        if (strlen(name) == key_length && memcmp(key, name, key_length) == 0) {
            return copy_value(start + 1, (size_t)(end - start - 1), value, size);
        }
        at = end + 1;
    }
    return false;
}

#define VALUE_MAX 4096

/* Whether a <cluster> can have made a host of this name: prefix, digits, suffix. */
static bool makes_host(const struct source_tag *tag, const char *host)
{
    char affix[VALUE_MAX];

    if (!source_attribute(tag, "prefix", affix, sizeof affix) ||
        strncmp(host, affix, strlen(affix)) != 0) {
        return false;
    }
    host += strlen(affix);
    host += strspn(host, "0123456789");
    return source_attribute(tag, "suffix", affix, sizeof affix) && strcmp(host, affix) == 0;
}

long source_locate_host(const struct source *source, const char *host)
{
    struct source_cursor cursor = source_begin(source);
    struct source_tag tag;
    char id[VALUE_MAX];
    long cluster_line = 0;

    while (source_next(&cursor, &tag)) {
        if ((source_tag_is(&tag, "host") || source_tag_is(&tag, "peer")) &&
            source_attribute(&tag, "id", id, sizeof id) && strcmp(id, host) == 0) {
            return tag.line;
        }
        if (!cluster_line && source_tag_is(&tag, "cluster") && makes_host(&tag, host)) {
            cluster_line = tag.line;
        }
    }
    return cluster_line;
}

/* Name of the last end tag on a line, among those of elements that do not nest; NULL if none. */
static const char *find_end_tag(const struct source *source, long line)
{
    static const char *const names[] = {"cluster", "host", "peer", "link"};
    const char *at = source->text;
    const char *found = NULL;
    const char *end;

    for (long i = 1; i < line && at; i++) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    end = at ? at + strcspn(at, "\n") : NULL;
    for (; at && at < end; at++) {
        for (size_t i = 0; i < sizeof names / sizeof names[0] && at[0] == '<' && at[1] == '/';
             i++) {
            size_t length = strlen(names[i]);

            if (strncmp(at + 2, names[i], length) == 0 && strchr(BLANKS ">", at[2 + length])) {
                found = names[i];
            }
        }
    }
    return found;
}

long source_start_line(const struct source *source, long line)
{
    const char *name = find_end_tag(source, line);
    struct source_cursor cursor = source_begin(source);
    struct source_tag tag;
    long start = line;

    while (name && source_next(&cursor, &tag) && tag.line <= line) {
        if (source_tag_is(&tag, name)) {
            start = tag.line;
        }
    }
    return start;
}

long source_locate_property(const struct source *source, const char *id, const char *value)
{
    struct source_cursor cursor = source_begin(source);
    struct source_tag tag;
    char found[VALUE_MAX];

    while (source_next(&cursor, &tag)) {
        if (source_tag_is(&tag, "prop") && source_attribute(&tag, "id", found, sizeof found) &&
            strcmp(found, id) == 0 && source_attribute(&tag, "value", found, sizeof found) &&
            strcmp(found, value) == 0) {
            return tag.line;
        }
    }
    return 0;
}
