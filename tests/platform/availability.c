/* SPDX-License-Identifier: GPL-3.0-or-later */
/* availability.c - tables of when nodes are available. */
#include "platform/availability.h"

#include "files.h"

#define S HS_NS_PER_S

/* Nodes n0 to n4; n1, n2 and n3 have two GPUs each. */
static struct hs_cluster *make_cluster(void)
{
    struct hs_cluster *cluster = hs_cluster_create();
    struct hs_error error = {0};

    for (int i = 0; i < 5; i++) {
        char name[8];

        (void)snprintf(name, sizeof name, "n%d", i);
        CU_ASSERT_EQUAL_FATAL(hs_cluster_add_node(cluster, name, 1000, HS_MEM_UNLIMITED, &error),
                              HS_OK);
        for (int d = 0; d < (i >= 1 && i <= 3 ? 2 : 0); d++) {
            CU_ASSERT_EQUAL_FATAL(
                hs_cluster_add_device(cluster, "gpu", "g", HS_NO_GROUP, HS_MEM_UNLIMITED, &error),
                HS_OK);
        }
    }
    CU_ASSERT_EQUAL_FATAL(hs_cluster_seal(cluster, &error), HS_OK);
    return cluster;
}

static enum hs_err load(const char *text, const char *column, struct availability *availability,
                        struct hs_error *error)
{
    struct hs_cluster *cluster = make_cluster();
    struct test_file file = files_write("a.csv", text, strlen(text));
    enum hs_err err;

    *error = (struct hs_error){0};
    err = availability_load(file.path, column, cluster, availability, error);
    CU_ASSERT_TRUE(err == HS_OK || strncmp(error->text, file.path, strlen(file.path)) == 0);
    files_remove(&file);
    hs_cluster_destroy(cluster);
    return err;
}

/* "+" comes back, "-" leaves, at seconds: "10-0 10-1 20+1". */
static void expect(const char *text, const char *column, bool is_absolute, const char *expected)
{
    struct availability availability;
    struct hs_error error;
    char found[512] = "";
    size_t length = 0;

    CU_ASSERT_EQUAL_FATAL(load(text, column, &availability, &error), HS_OK);
    for (size_t i = 0; i < availability.count; i++) {
        const struct availability_change *change = &availability.changes[i];

        length += (size_t)snprintf(found + length, sizeof found - length, "%s%lld%c%u",
                                   i ? " " : "", (long long)(change->time_ns / S),
                                   change->is_available ? '+' : '-', change->node);
    }
    if (strcmp(found, expected) != 0) {
        printf("\n  '%s' instead of '%s'\n", found, expected);
    }
    CU_ASSERT_STRING_EQUAL(found, expected);
    CU_ASSERT_EQUAL(availability.is_absolute, is_absolute);
    availability_fini(&availability);
}

static void states(void)
{
    expect("time,nodes,state\n", "total", false, "");
    expect("state,nodes,time\ndown,0-1 n4,10\ndown,n1,15\nup,1,20\nup,all,1m\n", "total", false,
           "10-0 10-1 10-4 20+1 60+0 60+4");
    expect("time,nodes,state\n-5,all,down\n-5,2-3,up\n", "total", false,
           "-5-0 -5-1 -5-2 -5-3 -5-4 -5+2 -5+3");
    expect("time,nodes,state\n1970-01-02,2,down\n2000-03-01T00:00:01,2,up\n", "total", true,
           "86400-2 951868801+2");
}

static void counts(void)
{
    expect("date,total\n1970-01-01,6\n1970-01-02,5\n1970-01-03,4\n1970-01-04,0\n"
           "1970-01-04 01:00,1\n",
           "total", true, "172800-3 259200-1 259200-2 262800+1");
    expect("date,vcA,total\n2020-04-01,2,6\n", "vcA", true, "1585699200-2 1585699200-3");
}

static void bad(void)
{
    static const struct {
        const char *text;
        const char *sentence;
    } cases[] = {
        {"time,nodes\n", ":1: the columns time, nodes and state are due, or date and total."},
        {"date,vcA\n", ":1: there is no column 'total' beside date; set "
                       "platform.availability_column to one of: vcA."},
        {"time,nodes,state\n0,n5,up\n", ":2: The platform has no node 'n5'. Did you mean 'n"},
        {"time,nodes,state\n0,rack7,up\n", ":2: The platform has no node 'rack7'. Names, "},
        {"time,nodes,state\n0,3-5,up\n", ":2: the nodes '3-5' are none of the platform"},
        {"time,nodes,state\n0,3-1,up\n", ":2: the nodes '3-1' are none"},
        {"time,nodes,state\n0, ,up\n", ":2: no nodes are named"},
        {"time,nodes,state\n0,1,dwon\n", ":2: the state is 'dwon'; up or down is due. Did you "
                                         "mean 'down'?"},
        {"time,nodes,state\n9,1,down\n8,1,up\n", ":3: the time '8' lies before that of the row"},
        {"time,nodes,state\n9,1,down\n2020-01-01,1,up\n", ":3: the time '2020-01-01' is a date"},
        {"time,nodes,state\nnoon,1,down\n", ":2: 'noon' is no time;"},
        {"time,nodes,state\n2021-02-29,1,down\n", ":2: '2021-02-29' is no time;"},
        {"time,nodes,state\n2021-02-28 24:00,1,down\n", ":2: '2021-02-28 24:00' is no time;"},
        {"time,nodes,state\n7e9,1,down\n", ":2: '7e9' is no time;"},
        {"time,nodes,state\n7000000000,1,down\n", ":2: '7000000000' is no time;"},
        {"time,nodes,state\n0,1\n", ":2: 2 fields; the header names 3."},
        {"date,total\n2020-01-01,7\n", ":2: total is 7, but the platform has 6 accelerators"},
        {"date,total\n2020-01-01,-1\n", ":2: total is '-1'; a number of accelerators is due."},
        {"date,total\n2020-01-01,\n", ":2: total is ''; a number of accelerators is due."},
        {"date,total\n2020-01-01,3\n2020-01-01,5\n", ":3: the date '2020-01-01' is that of the "},
        {"date\n2020-01-01\n", ":1: there is no column 'total' beside date."},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct availability availability;
        struct hs_error error;

        CU_ASSERT_EQUAL(load(cases[i].text, "total", &availability, &error), HS_ERR_INPUT);
        if (!strstr(error.text, cases[i].sentence)) {
            printf("\n  '%s' lacks '%s'\n", error.text, cases[i].sentence);
            CU_FAIL("another sentence");
        }
        availability_fini(&availability);
    }
}

/* The published table, where it is there: 784 GPUs at first, 1,208 at the end, 1,232 at most. */
static void published(void)
{
    const char *folder = getenv("HSIM_SHARED");
    struct hs_cluster *cluster = hs_cluster_create();
    struct availability availability;
    struct hs_error error = {0};
    uint32_t away = 0;
    char path[512];

    (void)snprintf(path, sizeof path, "%s/data/helios/Earth_gpu_number.csv",
                   folder ? folder : TEST_SHARED);
    if (access(path, R_OK)) {
        printf("\n  skipped: %s is not there (set HSIM_SHARED)\n", path);
        hs_cluster_destroy(cluster);
        return;
    }
    for (int i = 0; i < 154; i++) {
        char name[8];

        (void)snprintf(name, sizeof name, "n%d", i);
        CU_ASSERT_EQUAL(hs_cluster_add_node(cluster, name, 1000, HS_MEM_UNLIMITED, &error), HS_OK);
        for (int d = 0; d < 8; d++) {
            CU_ASSERT_EQUAL(
                hs_cluster_add_device(cluster, "gpu", "g", HS_NO_GROUP, HS_MEM_UNLIMITED, &error),
                HS_OK);
        }
    }
    CU_ASSERT_EQUAL_FATAL(hs_cluster_seal(cluster, &error), HS_OK);
    CU_ASSERT_EQUAL_FATAL(availability_load(path, "total", cluster, &availability, &error), HS_OK);
    CU_ASSERT_EQUAL(availability.changes[0].time_ns, 1585699200 * S); /* 2020-04-01 */
    CU_ASSERT_EQUAL(availability.changes[0].node, 784 / 8);
    for (size_t i = 0; i < availability.count; i++) {
        away += availability.changes[i].is_available ? UINT32_MAX : 1;
    }
    CU_ASSERT_EQUAL(away, (1232 - 1208) / 8);
    availability_fini(&availability);
    hs_cluster_destroy(cluster);
}

static const struct unit_test tests[] = {
    {"states of nodes", states},
    {"numbers of accelerators", counts},
    {"bad tables", bad},
    {"the published table", published},
};

UNIT_MAIN("availability of nodes", tests)
