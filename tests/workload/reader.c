/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reader.c - files of all shapes: packings, line ends, bad rows, broken files. */
#define ZLIB_CONST
#include <zlib.h>
#include <zstd.h>

#include "support.h"

#define ROW(id, submit) id " " submit " -1 10 2 -1 -1 2 20 -1 1 3 4 5 6 7 8 9\n"

static const char plain[] = "; MaxProcs: 64\n"
                            "; MaxNodes: 16\n"
                            ";UnixStartTime:  12345\n" ROW("1", "100") ROW("2", "200");

static void check_plain(const struct stream *stream)
{
    CHECK_INT(stream->err, HS_OK);
    CHECK_INT(stream->count, 2);
    CHECK_INT(stream->jobs[1].submit_ns, 200 * S);
    CHECK_INT(stream->jobs[1].line, 5);
    CHECK_INT(stream->stats.lines, 5);
    CHECK_INT(stream->stats.records, 2);
    CHECK_INT(stream->stats.jobs, 2);
    CHECK_INT(stream->stats.header_max_procs, 64);
    CHECK_INT(stream->stats.header_max_nodes, 16);
    CHECK_INT(stream->stats.epoch_unix, 12345);
}

static struct stream stream;

static void bytes_read(const void *bytes, size_t length)
{
    struct workload_options options;
    struct scratch scratch = scratch_bytes(bytes, length);

    workload_options_defaults(&options);
    options.file = scratch.path;
    stream_read(&stream, &options);
    scratch_remove(&scratch);
}

static void test_fields(void)
{
    stream_text(&stream, "17 1.5 2 3 4 5.5 600 8 20 700 1 12 13 14 15 16 -1 18\n", NULL);
    CHECK_INT(stream.count, 1);
    CHECK_INT(stream.jobs[0].id, 0);
    CHECK_INT(stream.jobs[0].trace_id, 17);
    CHECK_INT(stream.jobs[0].submit_ns, 1500000000);
    CHECK_INT(stream.jobs[0].trace_submit_ns, 1500000000);
    CHECK_INT(stream.jobs[0].trace_wait_ns, 2 * S);
    CHECK_INT(stream.jobs[0].trace_start_ns, 1500000000 + 2 * S);
    CHECK_INT(stream.jobs[0].run_ns, 3 * S);
    CHECK_INT(stream.jobs[0].walltime_ns, 20 * S);
    CHECK_INT(stream.jobs[0].cancel_ns, HS_TIME_NEVER);
    CHECK_INT(stream.jobs[0].demand.tasks, 8);
    CHECK_INT(stream.jobs[0].demand.cores_milli, 1000);
    CHECK_INT(stream.jobs[0].demand.mem_bytes, 0);
    CHECK_INT(stream.jobs[0].user, 12);
    CHECK_INT(stream.jobs[0].group, 13);
    CHECK_INT(stream.jobs[0].executable, 14);
    CHECK_INT(stream.jobs[0].queue, 15);
    CHECK_INT(stream.jobs[0].partition, 16);
    CHECK_INT(stream.jobs[0].preceding, -1);
    CHECK_INT(stream.jobs[0].think_ns, 18 * S);
    CHECK_INT(stream.jobs[0].trace_status, 1);
    CHECK_INT(stream.stats.epoch_unix, -1);
    CHECK_INT(stream.stats.header_max_procs, -1);
}

static void test_lenient(void)
{
    /* Blanks, tabs, CRLF, 17 fields, decimals, exponents, empty lines, no newline at the end. */
    stream_text(&stream,
                "; x\r\n\r\n   \t\r\n"
                "  1\t100  -1 10 2 -1 -1 2 20 -1 1 3 4 5 6 7 8 9 \t\r\n"
                "2 1.01e2 -1 1e3 2.0 -1 -1 2 2000.000000001 -1 1 3 4 5 6 7 8\r\n"
                "# remark\n"
                "3 +102 -1 10 2 -1 -1 2 20 -1 1 3 4 5 6 7 8 9",
                NULL);
    CHECK_INT(stream.err, HS_OK);
    CHECK_INT(stream.count, 3);
    CHECK_INT(stream.stats.bad.count, 0);
    CHECK_INT(stream.jobs[0].line, 4);
    CHECK_INT(stream.jobs[1].submit_ns, 101 * S);
    CHECK_INT(stream.jobs[1].run_ns, 1000 * S);
    CHECK_INT(stream.jobs[1].walltime_ns, 2000000000001);
    CHECK_INT(stream.jobs[1].think_ns, -1);
    CHECK_INT(stream.jobs[2].submit_ns, 102 * S);
    CHECK_INT(stream.jobs[2].line, 7);
    stream_text(&stream, "\xEF\xBB\xBF" ROW("1", "5"), NULL);
    CHECK_INT(stream.count, 1);
}

/* As many digits as 64 bits always hold, and each place a number may have in a row. */
static void test_lengths_of_numbers(void)
{
    int64_t id = 0, submit = 0;

    for (int digits = 1; digits <= 18; digits++) {
        char text[256];

        id = id * 10 + digits % 10;
        submit = digits <= 9 ? id : submit;
        snprintf(text, sizeof text,
                 "%lld %lld  007\t%lld 2 -1 -1 3 %lld -1 1 3 4 %lld 6 7 %lld -1\n", (long long)id,
                 (long long)submit, (long long)submit, (long long)submit + 1, (long long)id + 1,
                 (long long)id - 1);
        stream_text(&stream, text, NULL);
        CHECK_INT(stream.count, 1);
        CHECK_INT(stream.jobs[0].trace_id, id);
        CHECK_INT(stream.jobs[0].submit_ns, submit * S);
        CHECK_INT(stream.jobs[0].trace_wait_ns, 7 * S);
        CHECK_INT(stream.jobs[0].run_ns, submit * S);
        CHECK_INT(stream.jobs[0].walltime_ns, (submit + 1) * S);
        CHECK_INT(stream.jobs[0].executable, id + 1);
        CHECK_INT(stream.jobs[0].preceding, id - 1);
    }
}

static void test_bad_rows(void)
{
    static const struct {
        const char *row, *reason;
    } cases[] = {
        {"1 2 3\n", "3 fields; 18 are due"},
        {"1 2 -1 10 2 -1 -1 2 20 -1 1 3 4 5 6 7 8 9 10\n", "more than 18 fields; 18 are due"},
        {"1 2 -1 abc 2 -1 -1 2 20 -1 1 3 4 5 6 7 8 9\n",
         "field 4 (run time) is 'abc'; a number is due"},
        {"1 -2 -1 10 2 -1 -1 2 20 -1 1 3 4 5 6 7 8 9\n",
         "field 2 (submit time) is '-2'; 0 or more is due"},
        {"-1 2 -1 10 2 -1 -1 2 20 -1 1 3 4 5 6 7 8 9\n",
         "field 1 (job number) is '-1'; 0 or more is due"},
        {"1 2 -1 nan 2 -1 -1 2 20 -1 1 3 4 5 6 7 8 9\n",
         "field 4 (run time) is 'nan'; a number is due"},
        {"1 2 -1 inf 2 -1 -1 2 20 -1 1 3 4 5 6 7 8 9\n",
         "field 4 (run time) is 'inf'; a number is due"},
        {"1 1e10 -1 10 2 -1 -1 2 20 -1 1 3 4 5 6 7 8 9\n",
         "field 2 (submit time) is '1e10'; that is too large"},
        {"1 6000000001 -1 10 2 -1 -1 2 20 -1 1 3 4 5 6 7 8 9\n",
         "field 2 (submit time) is '6000000001'; at most 6000000000 s is due"},
        {"1 2 -1 3000000000.5 2 -1 -1 2 20 -1 1 3 4 5 6 7 8 9\n",
         "field 4 (run time) is '3000000000.5'; at most 3000000000 s is due"},
        {"1 99999999999999999999999999 -1 10 2 -1 -1 2 20 -1 1 3 4 5 6 7 8 9\n",
         "field 2 (submit time) is '99999999999999999999...'; that is too large"},
        {"1 2 -1 10 2147483648 -1 -1 2 20 -1 1 3 4 5 6 7 8 9\n",
         "field 5 (allocated processors) is '2147483648'; at most 2147483647 is due"},
        {"1 2 -1 10 2.5 -1 -1 2 20 -1 1 3 4 5 6 7 8 9\n",
         "field 5 (allocated processors) is '2.5'; a whole number is due"},
        {"1 2 -1 1,5 2 -1 -1 2 20 -1 1 3 4 5 6 7 8 9\n",
         "field 4 (run time) is '1,5'; a number is due"},
        {"1 2 -1 - 2 -1 -1 2 20 -1 1 3 4 5 6 7 8 9\n",
         "field 4 (run time) is '-'; a number is due"},
        {"1 2 -1 10 2 -1 -1 2 20 -1 1 3 4 5 6 7 8 9\x01\n",
         "field 18 (think time) is '9?'; a number is due"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct workload_options options;
        char text[512], sentence[256];

        snprintf(text, sizeof text, "; x\n" ROW("7", "1") "%s" ROW("8", "3"), cases[i].row);
        stream_text(&stream, text, NULL);
        CHECK_INT(stream.err, HS_OK);
        CHECK_INT(stream.count, 2);
        CHECK_INT(stream.stats.records, 3);
        CHECK_INT(stream.stats.bad.count, 1);
        CHECK_INT(stream.stats.bad.lines[0], 3);
        CU_ASSERT_STRING_EQUAL(stream.stats.bad.reasons[0], cases[i].reason);
        workload_options_defaults(&options);
        options.is_strict = true;
        stream_text(&stream, text, &options);
        CHECK_INT(stream.err, HS_ERR_INPUT);
        snprintf(sentence, sizeof sentence, ":3: %s. Correct or remove this row", cases[i].reason);
        CHECK_HAS(stream.error.text, sentence);
    }
}

static void test_unneeded_fields(void)
{
    /* Fields without a part in the replay do not cost a job when they are too large. */
    stream_text(&stream, "1 2 -1 10 2 1e30 1e30 2 20 1e30 1 3 4 5 6 7 8 9e20\n", NULL);
    CHECK_INT(stream.count, 1);
    CHECK_INT(stream.jobs[0].think_ns, -1);
    CHECK_INT(stream.jobs[0].queue, 6);
}

static void test_many_bad_rows(void)
{
    char text[4096] = ROW("1", "1");

    for (int i = 0; i < 20; i++) {
        memcpy(text + strlen(text), "x y\n", 5);
    }
    stream_text(&stream, text, NULL);
    CHECK_INT(stream.err, HS_OK);
    CHECK_INT(stream.stats.bad.count, 20);
    CHECK_INT(stream.stats.bad.lines[WORKLOAD_NOTE_MAX - 1], 9);
    stream_text(&stream, "x y\nx y\n", NULL);
    CHECK_INT(stream.err, HS_ERR_INPUT);
    CHECK_HAS(stream.error.text, ":1: field 1 (job number) is 'x'");
    CHECK_HAS(stream.error.text, "none of the 2 rows can be read");
}

static void test_truncated_row(void)
{
    /* 17 fields are a row of their own, but not where the file breaks off after longer rows. */
    stream_text(&stream, ROW("1", "1") "2 2 -1 10 2 -1 -1 2 20 -1 1 3 4 5 6 7 8", NULL);
    CHECK_INT(stream.count, 1);
    CHECK_INT(stream.stats.bad.lines[0], 2);
    CHECK_HAS(stream.stats.bad.reasons[0], "the file ends in the middle of this row");
    stream_text(&stream, "2 2 -1 10 2 -1 -1 2 20 -1 1 3 4 5 6 7 8", NULL);
    CHECK_INT(stream.count, 1);
    stream_text(&stream, ROW("1", "1") "2 2 -1 10", NULL);
    CHECK_INT(stream.count, 1);
    CU_ASSERT_STRING_EQUAL(stream.stats.bad.reasons[0], "4 fields; 18 are due");
}

/* `length` characters, the row of job 1, and a second row. */
static void long_line_read(char filler, size_t length, bool has_newline)
{
    char *text = malloc(length + 200);

    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    memset(text, filler, length);
    snprintf(text + length, 200, "%s%s", has_newline ? "\n" : "", ROW("1", "1") ROW("2", "2"));
    bytes_read(text, strlen(text));
    free(text);
}

static void test_long_lines(void)
{
    static const size_t lengths[] = {65536, 65537, 262143, 262144, 262145, 1000000};

    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        long_line_read('7', lengths[i], true);
        CHECK_INT(stream.err, HS_OK);
        CHECK_INT(stream.count, 2);
        CHECK_INT(stream.stats.bad.count, 1);
        CHECK_INT(stream.stats.bad.lines[0], 1);
        CHECK_INT(stream.jobs[0].line, 2);
        long_line_read(';', lengths[i], true);
        CHECK_INT(stream.count, 2);
        CHECK_INT(stream.stats.bad.count, 0);
        long_line_read(' ', lengths[i], true);
        CHECK_INT(stream.count, 2);
        long_line_read('x', lengths[i], false); /* swallows the first row */
        CHECK_INT(stream.count, 1);
        CHECK_INT(stream.jobs[0].trace_id, 2);
    }
    long_line_read(' ', 1000, false);
    CHECK_INT(stream.count, 2);
}

static size_t gzip_pack(const char *text, size_t length, unsigned char *packed, size_t capacity)
{
    z_stream zlib = {0};
    size_t packed_length;

    CU_ASSERT_FATAL(deflateInit2(&zlib, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    zlib.next_in = (const unsigned char *)text;
    zlib.avail_in = (uInt)length;
    zlib.next_out = packed;
    zlib.avail_out = (uInt)capacity;
    CU_ASSERT_FATAL(deflate(&zlib, Z_FINISH) == Z_STREAM_END);
    packed_length = capacity - zlib.avail_out;
    (void)deflateEnd(&zlib);
    return packed_length;
}

static void test_gzip(void)
{
    unsigned char packed[4096];
    size_t half = (size_t)(strstr(plain, "2 200") - plain);
    size_t length = gzip_pack(plain, strlen(plain), packed, sizeof packed);

    bytes_read(packed, length);
    check_plain(&stream);
    for (size_t cut = 2; cut < length; cut++) {
        bytes_read(packed, cut);
        CHECK_INT(stream.err, HS_ERR_INPUT);
        CHECK_HAS(stream.error.text, "truncated. Copy or download it again");
    }
    packed[length / 2] ^= 0x55;
    bytes_read(packed, length);
    CHECK_INT(stream.err, HS_ERR_INPUT);
    CHECK_HAS(stream.error.text, "the gzip data are broken");
    /* Two members, as `cat a.gz b.gz` makes. */
    length = gzip_pack(plain, half, packed, sizeof packed);
    length +=
        gzip_pack(plain + half, strlen(plain) - half, packed + length, sizeof packed - length);
    bytes_read(packed, length);
    check_plain(&stream);
}

static void test_zstd(void)
{
    unsigned char packed[4096];
    size_t half = (size_t)(strstr(plain, "2 200") - plain);
    size_t length = ZSTD_compress(packed, sizeof packed, plain, strlen(plain), 3);

    CU_ASSERT_FATAL(!ZSTD_isError(length));
    bytes_read(packed, length);
    check_plain(&stream);
    for (size_t cut = 5; cut < length; cut++) {
        bytes_read(packed, cut);
        CHECK_INT(stream.err, HS_ERR_INPUT);
        CHECK_HAS(stream.error.text, "truncated. Copy or download it again");
    }
    packed[4] ^= 0xFF;
    bytes_read(packed, length);
    CHECK_INT(stream.err, HS_ERR_INPUT);
    CHECK_HAS(stream.error.text, "the zstd data are broken");
    length = ZSTD_compress(packed, sizeof packed, plain, half, 3);
    length += ZSTD_compress(packed + length, sizeof packed - length, plain + half,
                            strlen(plain) - half, 3);
    bytes_read(packed, length);
    check_plain(&stream);
}

static void test_files(void)
{
    static const unsigned char empty_gzip[] = {0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3,
                                               3,    0,    0, 0, 0, 0, 0, 0, 0, 0};
    struct workload_options options;

    workload_options_defaults(&options);
    options.file = "/tmp/hsim-no-such-file.swf";
    stream_read(&stream, &options);
    CHECK_INT(stream.err, HS_ERR_INPUT);
    CHECK_HAS(stream.error.text, "/tmp/hsim-no-such-file.swf: cannot be opened: No such file");
    options.file = "/tmp";
    stream_read(&stream, &options);
    CHECK_INT(stream.err, HS_ERR_INPUT);
    CHECK_HAS(stream.error.text, "/tmp: is a folder");
    bytes_read("", 0);
    CHECK_INT(stream.err, HS_ERR_INPUT);
    CHECK_HAS(stream.error.text, "the file is empty (0 bytes)");
    bytes_read(empty_gzip, sizeof empty_gzip);
    CHECK_INT(stream.err, HS_ERR_INPUT);
    CHECK_HAS(stream.error.text, "the file is empty once unpacked");
    stream_text(&stream, "; only\n; comments\n\n", NULL);
    CHECK_INT(stream.err, HS_ERR_INPUT);
    CHECK_HAS(stream.error.text, "holds no job, only 3 comment or empty lines");
    bytes_read("\x7F"
               "ELF\0\0\0",
               7);
    CHECK_INT(stream.err, HS_ERR_INPUT);
    CHECK_HAS(stream.error.text, "binary data (a zero byte at offset 4)");
    bytes_read("BZh91AY", 7);
    CHECK_INT(stream.err, HS_ERR_INPUT);
    CHECK_HAS(stream.error.text, "this is a bzip2 file");
    bytes_read("x", 1);
    CHECK_INT(stream.err, HS_ERR_INPUT);
    CHECK_HAS(stream.error.text, ":1: field 1 (job number) is 'x'");
}

static void test_zero_bytes_later(void)
{
    static char text[20000];
    size_t length = 0;

    for (int i = 0; i < 200; i++) {
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "%d %d -1 10 2 -1 -1 2 20 -1 1 3 4 5 6 7 8 9\n", i, i);
    }
    memset(text + 5000, 0, 100);
    bytes_read(text, length);
    CHECK_INT(stream.err, HS_OK);
    CU_ASSERT(stream.stats.bad.count >= 1 && stream.stats.bad.count <= 4);
    CHECK_INT(stream.count + (size_t)stream.stats.bad.count, stream.stats.records);
}

static const struct unit_test tests[] = {
    {"fields", test_fields},
    {"lenient", test_lenient},
    {"lengths of numbers", test_lengths_of_numbers},
    {"bad rows", test_bad_rows},
    {"fields that are not needed", test_unneeded_fields},
    {"many bad rows", test_many_bad_rows},
    {"truncated row", test_truncated_row},
    {"long lines", test_long_lines},
    {"gzip", test_gzip},
    {"zstd", test_zstd},
    {"files", test_files},
    {"zero bytes later", test_zero_bytes_later},
};

UNIT_MAIN("workload reader", tests)
