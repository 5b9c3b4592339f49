/* SPDX-License-Identifier: GPL-3.0-or-later */
/* slurm.c - Slurm's accounting: fields, free text with separators and newlines, steps, jobs that
 * never started, and the file of jobcomp/filetxt. */
#include "support.h"

static struct stream stream;
static struct workload_options options;

static void read_as(enum workload_format_id format, const char *text)
{
    workload_options_defaults(&options);
    options.format = format;
    options.zone = "+01:00";
    stream_text(&stream, text, &options);
}

#define HEADER                                                                                     \
    "JobID|JobIDRaw|User|Account|Partition|Submit|Eligible|Start|End|Elapsed|Timelimit|State|"     \
    "NNodes|NCPUS|ReqTRES|ReqMem\n"

#define T(second)  "1970-01-02T00:00:" second
#define AT(second) ((86400 - 3600 + (second)) * S)

static void test_fields(void)
{
    const struct workload_job *jobs = stream.jobs;

    read_as(
        WORKLOAD_FORMAT_SACCT,
        HEADER "12|12|anna|phys|main|" T("01") "|" T("01") "|" T("05") "|" T(
            "15") "|00:00:10|1-00:00:00|COMPLETED|2|8|billing=8,cpu=8,mem=4G,node=1,gres/gpu=4,"
                  "gres/gpu:v100=4|4G\n"
                  "12.batch|12.batch|||||" T("05") "|" T("05") "|" T(
                      "15") "|00:00:10||COMPLETED|1|4||\n"
                            "13_4|15|anna|phys|main|" T("02") "|" T("12") "|" T("20") "|" T(
                                "25") "|00:00:05|UNLIMITED|TIMEOUT|1|4|cpu=4|2800Mc\n"
                                      "16+1|17|bob||gpu|" T("03") "|" T("03") "|Unknown|" T(
                                          "33") "|00:00:00|Partition_Limit|CANCELLED by "
                                                "1001|1|2|cpu=2|4Gn\n"
                                                "18|18|bob||gpu|" T("04") "|" T("04") "|" T(
                                                    "06") "|Unknown|00:01:00|00:02:00|"
                                                          "RUNNING|1|2|cpu=2|0\n"
                                                          "19|19|bob||gpu|" T(
                                                              "05") "|Unknown|None|" T("06") "|00:"
                                                                                             "00:"
                                                                                             "00|"
                                                                                             "00:"
                                                                                             "02:"
                                                                                             "00|"
                                                                                             "CANCE"
                                                                                             "LLED "
                                                                                             "by "
                                                                                             "0|1|"
                                                                                             "2|"
                                                                                             "cpu="
                                                                                             "2|"
                                                                                             "0\n");
    CHECK_INT(stream.err, HS_OK);
    CHECK_INT(stream.stats.bad.count, 0);
    CHECK_INT(stream.stats.records, 5);
    CHECK_INT(stream.stats.steps, 1);
    CHECK_INT(stream.count, 4);
    CHECK_INT(jobs[0].trace_id, 12);
    CHECK_INT(jobs[0].submit_ns, AT(1));
    CHECK_INT(jobs[0].trace_start_ns, AT(5));
    CHECK_INT(jobs[0].run_ns, 10 * S);
    CHECK_INT(jobs[0].walltime_ns, 86400 * S);
    CHECK_INT(jobs[0].demand.tasks, 2);
    CHECK_INT(jobs[0].demand.cores_milli, 4000);
    CHECK_INT(jobs[0].demand.device_count, 2);
    CHECK_INT(jobs[0].demand.model_count, 1);
    CHECK_INT(jobs[0].demand.mem_bytes, INT64_C(2) << 30);
    CHECK_INT(jobs[0].user, 0);
    CHECK_INT(jobs[0].queue, 0);
    CHECK_INT(jobs[1].trace_id, 17);
    CHECK_INT(jobs[1].user, 1);
    CHECK_INT(jobs[1].queue, 1);
    CHECK_INT(jobs[1].group, -1);
    CHECK_INT(jobs[1].run_ns, HS_TIME_NEVER); /* given up after 30 s */
    CHECK_INT(jobs[1].cancel_ns, AT(33));
    CHECK_INT(jobs[1].trace_start_ns, -1);
    CHECK_INT(jobs[1].demand.mem_bytes, INT64_C(4) << 30); /* on its one node */
    CHECK_INT(jobs[2].trace_id, 19);
    CHECK_INT(jobs[2].cancel_ns, AT(6));
    CHECK_INT(jobs[3].trace_id, 15);
    CHECK_INT(jobs[3].submit_ns, AT(12)); /* when it was released */
    CHECK_INT(jobs[3].trace_status, WORKLOAD_STATUS_TIMEOUT);
    CHECK_INT(jobs[3].demand.tasks, 1);
    CHECK_INT(jobs[3].demand.mem_bytes, INT64_C(4) * 2800 << 20);
    CHECK_INT(stream.stats.held.count, 1);
    CHECK_INT(stream.stats.dropped.count, 1); /* 18 still runs */
    CHECK_INT(stream.stats.missing.count, 1); /* 15; 17 never ran */
}

#define FREE_HEADER "JobID|JobName|Submit|Start|End|State|NCPUS|SubmitLine\n"
#define TIMES       T("01") "|" T("02") "|" T("04")

/* Separators and newlines in free text, at one place, at two, and at the end. */
static void test_free_text(void)
{
    read_as(WORKLOAD_FORMAT_SACCT,
            FREE_HEADER "1|plain|" TIMES "|COMPLETED|1|sbatch a\n"
                        "2|a|b||" TIMES "|COMPLETED|2|sbatch b\n"
                        "3|plain|" TIMES "|COMPLETED|3|sbatch --wrap 'ls | wc | cat'\n"
                        "4|x|y|" TIMES "|COMPLETED|4|p | q\n"
                        "5|two\nlines\n\nof name|" TIMES "|COMPLETED|5|c\n"
                        "6|" T("09") "|" TIMES "|COMPLETED|6|d\n"
                                     "7|e|" TIMES "|COMPLETED|7|first\nsecond | third\n\n"
                                     "8|f|" TIMES "|COMPLETED|8|g\r\n");
    CHECK_INT(stream.err, HS_OK);
    CHECK_INT(stream.stats.bad.count, 0);
    CHECK_INT(stream.count, 8);
    for (size_t i = 0; i < stream.count; i++) {
        CHECK_INT(stream.jobs[i].trace_id, (int)i + 1);
        CHECK_INT(workload_job_procs(&stream.jobs[i]), (int)i + 1);
        CHECK_INT(stream.jobs[i].submit_ns, AT(1));
        CHECK_INT(stream.jobs[i].run_ns, 2 * S);
    }
    CHECK_INT(stream.jobs[4].line, 6);
    CHECK_INT(stream.jobs[5].line, 10);
}

/* Where a text is as good as a field nobody can tell; rows cut short do not take the next along. */
static void test_unclear(void)
{
    read_as(WORKLOAD_FORMAT_SACCT, "JobID|JobName|User|Comment|Submit|Start|End|NCPUS\n"
                                   "1|a|b|anna|c|" TIMES "|1\n"
                                   "2|a|anna|c\n"
                                   "3|a|anna|c|" TIMES "|3\n"
                                   "4|a|anna|c|" TIMES "\n");
    CHECK_INT(stream.err, HS_OK);
    CHECK_INT(stream.count, 1);
    CHECK_INT(stream.jobs[0].trace_id, 3);
    CHECK_INT(stream.stats.bad.count, 3);
    CHECK_INT(stream.stats.bad.lines[0], 2);
    CHECK_HAS(stream.stats.bad.reasons[0],
              "9 fields; the header names 8, and which text holds the separators cannot be told");
    CHECK_INT(stream.stats.bad.lines[1], 3);
    CHECK_HAS(stream.stats.bad.reasons[1], "4 fields; the header names 8");
    CHECK_INT(stream.stats.bad.lines[2], 5);
}

/* -p ends each row with a separator. */
static void test_parsable(void)
{
    read_as(WORKLOAD_FORMAT_SACCT, "JobID|JobName|Submit|Start|End|State|NCPUS|Comment|\n"
                                   "1|a|" TIMES "|COMPLETED|1||\n"
                                   "2|a|b|" TIMES "|COMPLETED|2|x|y|\n"
                                   "3|a|" TIMES "|COMPLETED|3|of two\nlines|\n"
                                   "JobID|JobName|Submit|Start|End|State|NCPUS|Comment|\n"
                                   "4|a|" TIMES "|COMPLETED|4|x\n");
    CHECK_INT(stream.err, HS_OK);
    CHECK_INT(stream.count, 3);
    for (size_t i = 0; i < stream.count; i++) {
        CHECK_INT(stream.jobs[i].trace_id, (int)i + 1);
        CHECK_INT(workload_job_procs(&stream.jobs[i]), (int)i + 1);
    }
    CHECK_INT(stream.stats.bad.count, 1);
    CHECK_INT(stream.stats.bad.lines[0], 7);
}

static void test_refusals(void)
{
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"12|a|b\n", "'12|a|b' is no header of sacct"},
        {"JobID|Start|End|NCPUS\n", ":1: the header lacks Submit"},
        {"JobID|Submit|End|NCPUS\n", "lacks ElapsedRaw"},
        {"JobID|Submit|Elapsed\n", "lacks ReqTRES"},
        {"Submit|Elapsed|NCPUS\n", "lacks JobID"},
        {"\n\n", "the file is empty"},
        {"JobID|Submit|Elapsed|NCPUS\n", "holds no job"},
    };
    static const struct {
        const char *row, *reason;
    } rows[] = {
        {"x|" T("01") "|" T("01") "|" T("02") "|1|", "JobID is 'x'"},
        {"1|soon|" T("01") "|" T("02") "|1|", "Submit is 'soon'; a time is due"},
        {"1|" T("01") "|" T("03") "|" T("02") "|1|", "the job ends 1 s before it starts"},
        {"1|" T("01") "|" T("03") "|" T("04") "|1|cpu=x", "ReqTRES is 'cpu=x'"},
        {"1|" T("01") "|" T("03") "|" T("04") "|1|cpu=99999999999", "more than can be counted"},
        {"1|Unknown|" T("03") "|" T("04") "|1|", "there is no submit time"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        read_as(WORKLOAD_FORMAT_SACCT, cases[i].text);
        CHECK_INT(stream.err, HS_ERR_INPUT);
        CHECK_HAS(stream.error.text, cases[i].part);
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[512];

        (void)snprintf(text, sizeof text,
                       "JobID|Submit|Start|End|NCPUS|ReqTRES\n%s\n2|" TIMES "|1|\n", rows[i].row);
        read_as(WORKLOAD_FORMAT_SACCT, text);
        CHECK_INT(stream.err, HS_OK);
        CHECK_INT(stream.count, 1);
        CHECK_INT(stream.stats.bad.count, 1);
        CHECK_INT(stream.stats.bad.lines[0], 2);
        CHECK_HAS(stream.stats.bad.reasons[0], rows[i].reason);
    }
}

/* Without a start the wait tells it, in the names of both versions. */
static void test_planned(void)
{
    static const char *const names[] = {"Planned", "Reserved"};

    for (size_t i = 0; i < 2; i++) {
        char text[256];

        (void)snprintf(text, sizeof text,
                       "JobID|Submit|Elapsed|%s|NCPUS\n1|" T(
                           "01") "|00:00:05|00:01:00|1\n"
                                 "2|" T("02") "|00:00:05||1\n3|" T("03") "|00:00:05|-00:00:01|1\n",
                       names[i]);
        read_as(WORKLOAD_FORMAT_SACCT, text);
        CHECK_INT(stream.count, 3);
        CHECK_INT(stream.jobs[0].trace_start_ns, AT(61));
        CHECK_INT(stream.jobs[1].trace_start_ns, -1);
        CHECK_INT(stream.jobs[2].trace_start_ns, -1);
    }
}

static void test_jobcomp(void)
{
    const struct workload_job *jobs = stream.jobs;

    read_as(
        WORKLOAD_FORMAT_JOBCOMP,
        "JobId=7 UserId=anna(1000) GroupId=x(1) Name=a JobId=9 b UserId=eve(0) JobState=FAILED "
        "Partition=main TimeLimit=10 StartTime=" T("05") " EndTime=" T(
            "09") " NodeList=n[1-2] NodeCnt=2 ProcCnt=4 WorkDir=/a b ReservationName= "
                  "Tres=cpu=4,mem=2G,node=2,gres/gpu=2 Account=phys QOS= WcKey= Cluster=unknown "
                  "SubmitTime=" T("01") " EligibleTime=" T(
                      "02") " DerivedExitCode=0:0 ExitCode=0:0 \n"
                            "nothing of the kind\n"
                            "JobId=8 UserId=bob(1001) Name=b JobState=CANCELLED Partition=main "
                            "TimeLimit=UNLIMITED "
                            "StartTime=" T("08") " EndTime=" T(
                                "08") " NodeCnt=0 ProcCnt=0 Tres=cpu=1,node=1 "
                                      "SubmitTime=" T("03") " EligibleTime=unknown \n");
    CHECK_INT(stream.err, HS_OK);
    CHECK_INT(stream.count, 2);
    CHECK_INT(stream.stats.bad.count, 1);
    CHECK_INT(stream.stats.bad.lines[0], 2);
    CHECK_HAS(stream.stats.bad.reasons[0], "'nothing of the kind' does not begin a row");
    CHECK_INT(jobs[0].trace_id, 7);
    CHECK_INT(jobs[0].user, 0);
    CHECK_INT(jobs[0].trace_status, 0);
    CHECK_INT(jobs[0].submit_ns, AT(2));
    CHECK_INT(jobs[0].trace_start_ns, AT(5));
    CHECK_INT(jobs[0].run_ns, 4 * S);
    CHECK_INT(jobs[0].walltime_ns, 600 * S);
    CHECK_INT(jobs[0].demand.tasks, 2);
    CHECK_INT(jobs[0].demand.device_count, 1);
    CHECK_INT(jobs[0].demand.mem_bytes, INT64_C(1) << 30);
    CHECK_INT(jobs[1].user, 1);
    CHECK_INT(jobs[1].run_ns, HS_TIME_NEVER);
    CHECK_INT(jobs[1].cancel_ns, AT(8));
}

static const struct unit_test tests[] = {
    {"fields", test_fields},     {"free text", test_free_text}, {"unclear rows", test_unclear},
    {"parsable", test_parsable}, {"refusals", test_refusals},   {"jobcomp", test_jobcomp},
    {"planned", test_planned},
};

UNIT_MAIN("Slurm", tests)
