/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plugin.c - the headers of a shared object, read before the dynamic loader trusts them.
 *
 * Checked: kind of file, machine, that all segments lie in the file, and that the tables which the
 * loader follows (dynamic section, symbols, strings, relocations) lie in what is mapped. */
#include "run/plugin.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SEGMENTS_MAX 256
#define DYNAMIC_MAX  4096 /* entries */
#define PAGE_MIN     4096
#define SPAN_MAX     (UINT64_C(1) << 32) /* bytes; no plug-in is larger */

typedef ElfW(Ehdr) elf_header;
typedef ElfW(Phdr) elf_segment;
typedef ElfW(Dyn) elf_dynamic;

struct object {
    const char *path;
    int file;
    uint64_t bytes;
    elf_header header;
    elf_segment *segments;
    elf_dynamic *dynamic;
    size_t dynamic_count;
};

static enum hs_err fail(const struct object *object, const char *what, struct hs_error *error)
{
    return hs_error_set(error, HS_ERR_CONFIG,
                        "Plug-in '%s' cannot be loaded: %s. Build it with `cc -shared -fPIC`.",
                        object->path, what);
}

/* Reads exactly so many bytes. */
static enum hs_err read_at(const struct object *object, uint64_t offset, void *target, size_t size,
                           struct hs_error *error)
{
    size_t done = 0;

    if (offset > object->bytes || size > object->bytes - offset) {
        return fail(object, "it is cut off or damaged (a table lies beyond its end)", error);
    }
    while (done < size) {
        ssize_t length =
            pread(object->file, (char *)target + done, size - done, (off_t)(offset + done));

        if (length < 0 && errno == EINTR) {
            continue;
        }
        if (length <= 0) {
            return fail(object, length ? strerror(errno) : "it became shorter while it was read",
                        error);
        }
        done += (size_t)length;
    }
    return HS_OK;
}

static enum hs_err check_header(struct object *object, struct hs_error *error)
{
    const elf_header *header = &object->header;
    elf_header own;
    enum hs_err err;
    int self;
    bool has_own;

    if (object->bytes < sizeof *header) {
        return fail(object, "it is no shared object, or cut off", error);
    }
    err = read_at(object, 0, &object->header, sizeof object->header, error);
    if (err != HS_OK) {
        return err;
    }
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) {
        return fail(object, "it is no shared object (no ELF file)", error);
    }
    /* What runs here is what this program is built for. */
    self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    has_own = self >= 0 && pread(self, &own, sizeof own, 0) == (ssize_t)sizeof own;
    if (self >= 0) {
        (void)close(self);
    }
    if (has_own &&
        (header->e_ident[EI_CLASS] != own.e_ident[EI_CLASS] ||
         header->e_ident[EI_DATA] != own.e_ident[EI_DATA] || header->e_machine != own.e_machine)) {
        return fail(object, "it is built for another machine", error);
    }
    if (header->e_type != ET_DYN) {
        return fail(object, "it is an ELF file, but no shared object", error);
    }
    if (header->e_phentsize != sizeof(elf_segment) || header->e_phnum == 0 ||
        header->e_phnum > SEGMENTS_MAX) {
        return fail(object, "it is damaged (its program headers make no sense)", error);
    }
    return HS_OK;
}

/* What the format demands of a segment that is mapped: behind the ones before it, from a page of
 * the file to a page of memory, and not larger in the file than there. */
static bool is_sound(const elf_segment *segment, uint64_t end, uint64_t file_end)
{
    uint64_t align = segment->p_align;

    return (segment->p_flags & PF_R) && segment->p_filesz <= segment->p_memsz &&
           segment->p_memsz <= SPAN_MAX && segment->p_vaddr <= SPAN_MAX &&
           segment->p_vaddr >= end && segment->p_offset >= file_end &&
           (end > 0 || segment->p_vaddr == segment->p_offset) && align >= PAGE_MIN &&
           align <= SPAN_MAX && (align & (align - 1)) == 0 &&
           segment->p_vaddr % align == segment->p_offset % align;
}

static enum hs_err read_segments(struct object *object, struct hs_error *error)
{
    size_t count = object->header.e_phnum;
    uint64_t end = 0, file_end = 0; /* of the segments mapped so far */
    enum hs_err err;

    object->segments = calloc(count, sizeof *object->segments);
    if (!object->segments) {
        return hs_error_memory(error);
    }
    err = read_at(object, object->header.e_phoff, object->segments,
                  count * sizeof *object->segments, error);
    for (size_t i = 0; err == HS_OK && i < count; i++) {
        const elf_segment *segment = &object->segments[i];

        if (segment->p_type == PT_NULL) {
            continue;
        }
        if (segment->p_offset > object->bytes ||
            segment->p_filesz > object->bytes - segment->p_offset) {
            err = fail(object, "it is cut off or damaged (a segment lies beyond its end)", error);
        } else if (segment->p_type == PT_LOAD && !is_sound(segment, end, file_end)) {
            err = fail(object, "it is damaged (a segment cannot be mapped)", error);
        }
        if (segment->p_type == PT_LOAD) {
            end = segment->p_vaddr + segment->p_memsz;
            file_end = segment->p_offset + segment->p_filesz;
        }
    }
    return err;
}

/* The mapped segment in which [address, address + size) lies with its bytes in the file, or, if
 * they need not come from there, in its memory; NULL: none. */
static const elf_segment *find_segment(const struct object *object, uint64_t address, uint64_t size,
                                       bool is_in_file)
{
    for (size_t i = 0; i < object->header.e_phnum; i++) {
        const elf_segment *segment = &object->segments[i];
        uint64_t length = is_in_file ? segment->p_filesz : segment->p_memsz;

        if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
            address - segment->p_vaddr < length && size <= length - (address - segment->p_vaddr)) {
            return segment;
        }
    }
    return NULL;
}

/* Whether the part that becomes read-only lies in the pages of one segment. */
static bool is_protectable(const struct object *object, const elf_segment *part)
{
    const elf_segment *load = find_segment(object, part->p_vaddr, 0, false);

    return load && part->p_memsz <= load->p_memsz + load->p_align - (part->p_vaddr - load->p_vaddr);
}

static enum hs_err read_dynamic(struct object *object, struct hs_error *error)
{
    const elf_segment *found = NULL;
    const elf_segment *load;

    for (size_t i = 0; i < object->header.e_phnum; i++) {
        const elf_segment *segment = &object->segments[i];

        found = segment->p_type == PT_DYNAMIC ? segment : found;
        if (segment->p_type == PT_GNU_RELRO && !is_protectable(object, segment)) {
            return fail(object, "it is damaged (a segment cannot be protected)", error);
        }
    }
    if (!found) {
        return fail(object, "it is an ELF file without a dynamic section", error);
    }
    load = find_segment(object, found->p_vaddr, found->p_filesz, true);
    object->dynamic_count = found->p_filesz / sizeof *object->dynamic;
    if (object->dynamic_count == 0 || object->dynamic_count > DYNAMIC_MAX ||
        found->p_memsz != found->p_filesz || !load ||
        found->p_vaddr - load->p_vaddr != found->p_offset - load->p_offset) {
        return fail(object, "it is damaged (its dynamic section makes no sense)", error);
    }
    object->dynamic = calloc(object->dynamic_count, sizeof *object->dynamic);
    if (!object->dynamic) {
        return hs_error_memory(error);
    }
    return read_at(object, found->p_offset, object->dynamic,
                   object->dynamic_count * sizeof *object->dynamic, error);
}

/* Value of an entry of the dynamic section; false: it is not there. */
static bool find_entry(const struct object *object, int64_t tag, uint64_t *value)
{
    for (size_t i = 0; i < object->dynamic_count && object->dynamic[i].d_tag != DT_NULL; i++) {
        if (object->dynamic[i].d_tag == tag) {
            *value = object->dynamic[i].d_un.d_val;
            return true;
        }
    }
    return false;
}

static enum hs_err check_tables(const struct object *object, struct hs_error *error)
{
    /* Address and size in the dynamic section; without a size its first byte must be there. */
    static const struct {
        int64_t address, size;
        bool is_needed;
    } tables[] = {
        {DT_STRTAB, DT_STRSZ, true},
        {DT_SYMTAB, DT_NULL, true},
        {DT_RELA, DT_RELASZ, false},
        {DT_REL, DT_RELSZ, false},
        {DT_JMPREL, DT_PLTRELSZ, false},
        {DT_INIT_ARRAY, DT_INIT_ARRAYSZ, false},
        {DT_FINI_ARRAY, DT_FINI_ARRAYSZ, false},
        {DT_HASH, DT_NULL, false},
        {DT_GNU_HASH, DT_NULL, false},
        {DT_INIT, DT_NULL, false},
        {DT_FINI, DT_NULL, false},
        {DT_VERSYM, DT_NULL, false},
        {DT_VERNEED, DT_NULL, false},
        {DT_PLTGOT, DT_NULL, false},
    };

    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        uint64_t address;
        uint64_t size = 1;
        bool is_there = find_entry(object, tables[i].address, &address);

        if (is_there && tables[i].size != DT_NULL && !find_entry(object, tables[i].size, &size)) {
            is_there = false;
        } else if (!is_there && !tables[i].is_needed) {
            continue;
        }
        if (!is_there || !find_segment(object, address, size, true)) {
            return fail(object, "it is damaged (its dynamic section points to nothing)", error);
        }
    }
    return HS_OK;
}

/* Where the loader writes must be memory of the object, and the entries that it takes for the
 * simplest kind must be there. */
static enum hs_err check_relocations(const struct object *object, struct hs_error *error)
{
    uint64_t address;
    uint64_t size;
    uint64_t relative = 0; /* so many at the begin are all of one kind, without a symbol */
    uint64_t kind = 0;
    const elf_segment *load;

    if (!find_entry(object, DT_RELA, &address) || !find_entry(object, DT_RELASZ, &size) ||
        size < sizeof(ElfW(Rela))) {
        return HS_OK;
    }
    (void)find_entry(object, DT_RELACOUNT, &relative);
    load = find_segment(object, address, size, true);
    if (!load || relative > size / sizeof(ElfW(Rela))) {
        return fail(object, "it is damaged (its relocations make no sense)", error);
    }
    for (uint64_t i = 0; i < size / sizeof(ElfW(Rela)); i++) {
        uint64_t offset = load->p_offset + (address - load->p_vaddr) + i * sizeof(ElfW(Rela));
        ElfW(Rela) entry;
        const elf_segment *target;
        enum hs_err err = read_at(object, offset, &entry, sizeof entry, error);

        if (err != HS_OK) {
            return err;
        }
        target = find_segment(object, entry.r_offset, sizeof(void *), false);
        kind = i == 0 ? (uint64_t)entry.r_info : kind;
        if (!target || !(target->p_flags & PF_W) || (i < relative && entry.r_info != kind)) {
            return fail(object, "it is damaged (its relocations make no sense)", error);
        }
    }
    return HS_OK;
}

/* Opens the file and reads its headers; false: there is none. */
static bool open_object(struct object *object, enum hs_err *err, struct hs_error *error)
{
    struct stat status;

    *err = HS_OK;
    object->file = open(object->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* waits for no pipe */
    if (object->file < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM)) {
        *err = hs_error_set(error, HS_ERR_SYSTEM,
                            "Plug-in '%s' cannot be opened now: %s. Close programs, or raise the "
                            "limits (ulimit -n, ulimit -v).",
                            object->path, strerror(errno));
    }
    if (object->file < 0) {
        return false;
    }
    if (fstat(object->file, &status) != 0) {
        *err = fail(object, strerror(errno), error);
    } else if (!S_ISREG(status.st_mode)) {
        *err = hs_error_set(error, HS_ERR_CONFIG,
                            "Plug-in '%s' is no regular file. Name a shared object, built with "
                            "`cc -shared -fPIC`.",
                            object->path);
    }
    if (*err == HS_OK) {
        object->bytes = (uint64_t)status.st_size;
        *err = check_header(object, error);
    }
    if (*err == HS_OK) {
        *err = read_segments(object, error);
    }
    if (*err == HS_OK) {
        *err = read_dynamic(object, error);
    }
    if (*err == HS_OK) {
        *err = check_tables(object, error);
    }
    if (*err == HS_OK) {
        *err = check_relocations(object, error);
    }
    return true;
}

static void close_object(struct object *object)
{
    free(object->segments);
    free(object->dynamic);
    (void)close(object->file);
}

enum hs_err plugin_check(const char *path, struct hs_error *error)
{
    struct object object = {.path = path};
    enum hs_err err;

    if (open_object(&object, &err, error)) {
        close_object(&object);
    }
    return err;
}

/* Reads from an address of the mapped object. */
static enum hs_err read_mapped(const struct object *object, uint64_t address, void *target,
                               size_t size, struct hs_error *error)
{
    const elf_segment *load = find_segment(object, address, size, true);

    return load ? read_at(object, load->p_offset + (address - load->p_vaddr), target, size, error)
                : fail(object, "it is damaged (a table points to nothing)", error);
}

/* The name of symbol number `index`, if it is defined elsewhere; else "". */
static enum hs_err read_import(const struct object *object, uint64_t index, char *name, size_t size,
                               struct hs_error *error)
{
    uint64_t symbols = 0, strings = 0, length = 0;
    ElfW(Sym) symbol;
    enum hs_err err;

    *name = '\0';
    (void)find_entry(object, DT_SYMTAB, &symbols);
    (void)find_entry(object, DT_STRTAB, &strings);
    (void)find_entry(object, DT_STRSZ, &length);
    err = read_mapped(object, symbols + index * sizeof symbol, &symbol, sizeof symbol, error);
    if (err != HS_OK || symbol.st_shndx != SHN_UNDEF || symbol.st_name >= length) {
        return err;
    }
    length -= symbol.st_name;
    size = length < size ? length : size;
    err = read_mapped(object, strings + symbol.st_name, name, size, error);
    name[err == HS_OK ? size - 1 : 0] = '\0';
    return err;
}

/* All symbols of one table of relocations. */
static enum hs_err visit_imports(const struct object *object, int64_t table, int64_t bytes,
                                 void (*visit)(void *context, const char *symbol), void *context,
                                 struct hs_error *error)
{
    uint64_t address, size;
    enum hs_err err = HS_OK;

    if (!find_entry(object, table, &address) || !find_entry(object, bytes, &size)) {
        return HS_OK;
    }
    for (uint64_t i = 0; err == HS_OK && i < size / sizeof(ElfW(Rela)); i++) {
        ElfW(Rela) entry;
        char name[128];

        err = read_mapped(object, address + i * sizeof entry, &entry, sizeof entry, error);
        if (err == HS_OK && entry.r_info >> 32) { /* the symbol: ELF64_R_SYM */
            err = read_import(object, entry.r_info >> 32, name, sizeof name, error);
            if (err == HS_OK && *name) {
                visit(context, name);
            }
        }
    }
    return err;
}

enum hs_err plugin_imports(const char *path, void (*visit)(void *context, const char *symbol),
                           void *context, struct hs_error *error)
{
    struct object object = {.path = path};
    enum hs_err err;

    if (!open_object(&object, &err, error)) {
        return err;
    }
    if (err == HS_OK && object.header.e_ident[EI_CLASS] == ELFCLASS64) {
        err = visit_imports(&object, DT_RELA, DT_RELASZ, visit, context, error);
        err = err == HS_OK ? visit_imports(&object, DT_JMPREL, DT_PLTRELSZ, visit, context, error)
                           : err;
    }
    close_object(&object);
    return err;
}
