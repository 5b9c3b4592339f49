/* SPDX-License-Identifier: GPL-3.0-or-later */
/* source.h - the text of a platform file, for what must be known before SimGrid reads it, and
 * for the line at which something stands.
 *
 * SimGrid judges the XML; this is only a walk over the tags that never fails: comments and
 * declarations are skipped, and broken text gives fewer tags. */
#ifndef HSIM_PLATFORM_SOURCE_H
#define HSIM_PLATFORM_SOURCE_H

#include "hs/base.h"

struct source {
    const char *path; /* borrowed, as the user wrote it */
    char *text;       /* owned; ends with a zero that is not counted */
    size_t length;
};

/* A start tag. Pointers go into the text. */
struct source_tag {
    const char *name;
    size_t name_length;
    const char *end; /* the '>' that ends it, or the end of the text */
    long line;
};

/* A place in the walk; start with {0} and the text. */
struct source_cursor {
    const char *at;
    const char *counted; /* lines are counted up to here */
    long line;
};

/* Reads the file and refuses what cannot be a platform: HS_ERR_INPUT for a missing, unreadable,
 * empty, compressed or binary file, a folder or a device. */
enum hs_err source_init(struct source *source, const char *path,
                        struct hs_error *error) HS_MUST_USE;
void source_fini(struct source *source);

/* The walk: true with the next start tag, false at the end. */
struct source_cursor source_begin(const struct source *source);
bool source_next(struct source_cursor *cursor, struct source_tag *tag);
bool source_tag_is(const struct source_tag *tag, const char *name);

/* The value of an attribute, with its entities replaced. False if the tag has none of this name
 * or the value is longer than `size` - 1 bytes. */
bool source_attribute(const struct source_tag *tag, const char *name, char *value, size_t size);

/* Line of the <host> of this name, else of the first <cluster> that can have made it; 0 if there
 * is neither. */
long source_locate_host(const struct source *source, const char *host);

/* SimGrid judges a <cluster> or <host> at its end tag: if one ends on `line`, the line of its start
 * tag, else `line` itself. */
long source_start_line(const struct source *source, long line);

/* Line of the first <prop> with this id and value; 0 if there is none. */
long source_locate_property(const struct source *source, const char *id, const char *value);

#endif
