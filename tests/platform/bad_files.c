/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bad_files.c - platform files that are refused: code, place, what is wrong, what to do. */
#include "files.h"

#include <sys/stat.h>

#define HOST(attributes, inside) "<host id=\"h\" speed=\"1Gf\" " attributes ">" inside "</host>"
#define CLUSTER(attributes)                                                                        \
    "<cluster id=\"c\" prefix=\"n\" suffix=\"\" speed=\"1Gf\" bw=\"1GBps\" "                       \
    "lat=\"1us\" " attributes "/>"

/* `line` 0: the sentence names the file alone. */
struct bad_file {
    const char *text;
    int line;
    const char *what;
    const char *remedy;
};

static const struct bad_file bad_files[] = {
    /* XML */
    {FILES_ZONE("<host id=\"h\" speed=\"1Gf\">"), 5, "Unexpected end-tag `</zone>'", "Close the"},
    {FILES_ZONE("<host id=\"h\" speed=\"1Gf/>"), 5, "Spurious `<'", "quote"},
    {FILES_HEAD "<platform version=\"4.1\">\n<zone id=\"z\" routing=\"Fu", 4, "EOF",
     "ends too early"},
    {FILES_HEAD, 1, "no host", "at least one <host>"},
    {"hello world\n", 1, "does not start with '<'", "starts with <?xml"},
    {"\xef\xbb\xbf" FILES_ZONE(HOST("", "")), 1, "byte order mark", "without one"},
    {FILES_ZONE(HOST("", "") "\n<host id=\"h:g\" speed=\"1Gf\"><prop id=\"kind\" value=\"GPU\"/>"
                             "</host>"),
     5, "Host 'h:g' has the property kind=\"GPU\"", "small letters"},
    {FILES_ZONE(HOST("", "") "\n<host id=\"h:g\" speed=\"1Gf\"><prop id=\"kind\" value=\"a/b\"/>"
                             "</host>"),
     5, "kind=\"a/b\"", "small letters"},
    {FILES_ZONE(HOST("", "") "\n<host id=\"h:g\" speed=\"1Gf\"><prop id=\"kind\" value=\"cores\"/>"
                             "</host>"),
     5, "kind=\"cores\"", "not cores, power or device"},
    {"<?xml version='1.0'?>\n<html><body/></html>\n", 2, "Unexpected character", "<platform>"},
    {FILES_ZONE("<host id=\"h\" speed=\"1Gf\" gpu=\"4\"/>"), 4, "Bad attribute `gpu'", "<prop id="},
    {FILES_ZONE("<host id=\"h\" id=\"i\" speed=\"1Gf\"/>"), 4, "Multiple definition", "Keep one"},
    {"<?xml versio?>\n<platform/>", 1, "Bad declaration", "Correct the XML"},
    {FILES_ZONE(HOST("", "") "<route src=\"h\" dst=\"h\"><link_ctn id=\"l\"/></route>"), 4,
     "Link not found: l", "declared above"},
    {FILES_ZONE("<host id=\"h\" speed=\"Gf\"/>"), 4, "cannot parse number", "before the unit"},
    {FILES_ZONE("<host speed=\"1Gf\"/>"), 4, "Required attribute `id'", "Add the attribute"},
    {FILES_ZONE("<host id=\"h\"/>"), 4, "Required attribute `speed'", "Add the attribute"},
    {FILES_ZONE(HOST("", "<host id=\"i\" speed=\"1Gf\"/>")), 4, "<host> is not allowed here",
     "Order and nesting"},
    {FILES_HEAD "<platform version=\"4.1\">\n<host id=\"h\" speed=\"1Gf\"/></platform>", 4,
     "<host> is not allowed here", "one root <zone>"},
    {FILES_HEAD "<platform>\n</platform>", 3, "no version", "version=\"4.1\""},
    {FILES_HEAD "<platform version=\"3\">\n</platform>", 3, "too old", "simgrid_update_xml"},
    {FILES_HEAD "<platform version=\"99\">\n</platform>", 3, "newer", "version=\"4.1\""},
    /* units and numbers */
    {FILES_ZONE("\n<host id=\"h\" speed=\"1Gx\"/>"), 5, "unknown unit: Gx", "Mf, Gf"},
    {FILES_ZONE(HOST("", "") "\n<link id=\"l\" bandwidth=\"1Zip\" latency=\"1us\"/>"), 5,
     "unknown unit: Zip", "kBps"},
    {FILES_HEAD
     "<platform version=\"4.1\"> <zone id=\"z\" routing=\"Floyd\">\n<cluster id=\"b\" "
     "prefix=\"b\" suffix=\"\" radical=\"0-1\" speed=\"1Gf\" bw=\"1GBps\" "
     "lat=\"1us\">\n</cluster>\n<cluster id=\"c\" prefix=\"c\" suffix=\"\" radical=\"0-1\"\n"
     "speed=\"1Gx\" bw=\"1GBps\" lat=\"1us\">\n<prop id=\"a\" value=\"b\"/>\n</cluster>\n"
     "</zone> </platform>",
     6, "unknown unit: Gx", "Mf, Gf"},
    {FILES_ZONE("<host id=\"h\" speed=\"1Gf\" core=\"four\"/>"), 4, "four is not an int",
     "whole number"},
    {FILES_ZONE("<host id=\"h\" speed=\"1Gf\" core=\"99999999999\"/>"), 4, "too large",
     "below 2^31"},
    {FILES_ZONE("<host id=\"h\" speed=\"1Gf\" core=\"0\"/>"), 4, "at least one core", "core=\"1\""},
    {FILES_ZONE("<host id=\"h\" speed=\"-1f\"/>"), 4, "Host 'h' has the speed -1 flop/s",
     "for instance 10Gf"},
    {FILES_ZONE("<host id=\"h\" speed=\"2Gf,nanf\"/>"), 4, "Host 'h' has the speed", "10Gf"},
    {FILES_HEAD "<platform version=\"4.1\">\n\n<cluster id=\"c\" prefix=\"n\" suffix=\"\" "
                "radical=\"0-3\" speed=\"-1f\" bw=\"1GBps\" lat=\"1us\"/></platform>",
     5, "Host 'n0' has the speed -1 flop/s", "for instance 10Gf"},
    /* hosts, names, routes */
    {FILES_ZONE("<host id=\"h\" speed=\"1Gf\"/>\n<host id=\"h\" speed=\"1Gf\"/>"), 5,
     "second host named 'h'", "id of its own"},
    {FILES_ZONE(""), 1, "no host", "at least one <host>"},
    {FILES_ZONE(CLUSTER("radical=\"5-2\"")), 1, "no host", "radical"},
    {FILES_ZONE(CLUSTER("radical=\"0-x\"")), 4, "x is not an int", "whole number"},
    {FILES_ZONE("<host id=\"\" speed=\"1Gf\"/>"), 4, "empty name", "an id"},
    {FILES_ZONE("<host id=\"a&#10;b\" speed=\"1Gf\"/>"), 4, "control character (code 10) after 'a'",
     "printable"},
    {FILES_ZONE(HOST("", "") "<link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\"/>\n"
                             "<route src=\"h\" dst=\"i\"><link_ctn id=\"l\"/></route>"),
     5, "dst='i'", "declared above"},
    {FILES_ZONE(HOST("state_file=\"missing.txt\"", "")), 4, "Cannot open file 'missing.txt'",
     "Give the path"},
    {FILES_HEAD "<platform version=\"4.1\">\n<zone id=\"z\" routing=\"Best\"></zone></platform>", 4,
     "routing of the zone is unknown", "Full, Floyd"},
    {FILES_HEAD "<platform version=\"4.1\"><config>\n<prop id=\"bogus/key\" "
                "value=\"1\"/></config>\n<zone id=\"z\" routing=\"Full\"/></platform>",
     4, "Bad config key: bogus/key", "Remove the <prop>"},
    {FILES_ZONE("<include file=\"other.xml\"/>"), 4, "<include> tag was removed", "README"},
    /* what hsim reads itself */
    {FILES_ZONE(
         "<host id=\"g\" speed=\"1Gf\"/>\n" HOST("", "\n<prop id=\"role\" value=\"boss\"/>")),
     6, "Host 'h' has the property role=\"boss\"", "compute_node, master and storage"},
    {FILES_ZONE(HOST("", "<prop id=\"role\" value=\"master,boss\"/>")), 4, "role=\"master,boss\"",
     "separated by commas"},
    {FILES_ZONE(HOST("", "\n<prop id='role' value='&lt;&#x62;oss&#62;&apos;'/>")), 5,
     "role=\"<boss>'\"", "compute_node"},
    {FILES_ZONE(HOST("", "<prop id=\"memory\" value=\"64Gib\"/>")), 4,
     "Host 'h' has the property memory=\"64Gib\"", "64GiB"},
    {FILES_ZONE(HOST("", "<prop id=\"mem\" value=\"0\"/>")), 4, "mem=\"0\"", "units are B, kB"},
    {FILES_ZONE(HOST("", "<prop id=\"mem\" value=\"1GB\"/><prop id=\"memory\" value=\"2GB\"/>")), 4,
     "mem=\"1GB\"", "keep one"},
    {FILES_ZONE(HOST("", "<prop id=\"role\" value=\"master\"/>")), 4, "None of the 1 hosts",
     "Add a host"},
    {FILES_ZONE("<host id=\"master_host\" speed=\"1Gf\"/>"), 4, "takes jobs", "Add a host"},
    {FILES_ZONE(HOST("", "<prop id=\"kind\" value=\"gpu\"/>")), 4, "takes jobs", "role and kind"},
    /* shapes */
    {FILES_ZONE(
         "<!-- <cluster topology=\"DRAGONFLY\" topo_parameters=\"9,1;1,1;1,1;1\"/> -->\n" CLUSTER(
             "radical=\"0-29\" topology=\"DRAGONFLY\" topo_parameters=\"15,3;1,4;2,5;1\"")),
     5, "15 groups but only 1 x 2 routers", "fewer groups"},
    {FILES_ZONE("<host id=\"h\" speed=\"1Gf\"/>\n" CLUSTER("radical=\"0-499999,600000-1099999\"")),
     5, "1000001 hosts", "fewer hosts"},
    {FILES_ZONE(CLUSTER("radical=\"0-23\" topology=\"DRAGONFLY\" topo_parameters=\"6;2;1;2\"")), 4,
     "6 groups but only 2 x 1 routers", "fewer groups"},
    {FILES_ZONE(
         CLUSTER("radical=\"0-7\" topology=\"DRAGONFLY\" topo_parameters=\"-1,1;2,1;2,1;2\"")),
     4, "-1,1;2,1;2,1;2", "whole numbers > 0"},
    {FILES_ZONE(
         CLUSTER("radical=\"0-15\" topology=\"FAT_TREE\" topo_parameters=\"2;4,4;1,-2;1,1\"")),
     4, "is negative", "whole numbers > 0"},
    {FILES_ZONE(CLUSTER("radical=\"0-15\" topology=\"FAT_TREE\" topo_parameters=\"2;4,4;1,2\"")), 4,
     "Fat trees are defined", "FAT_TREE LEVELS"},
    {FILES_ZONE(
         CLUSTER("radical=\"0-7\" topology=\"DRAGONFLY\" topo_parameters=\"2,0;2,0;2,0;1\"")),
     4, "must be > 0", "DRAGONFLY GROUPS"},
    {FILES_ZONE(CLUSTER("radical=\"0-7\" topology=\"TORUS\" topo_parameters=\"0,2,2\"")), 4,
     "must be > 0", "TORUS X,Y,Z"},
    {FILES_ZONE(CLUSTER("radical=\"0-3\" topology=\"TORUS\" topo_parameters=\"2,2,2\"")), 4,
     "Insufficient number of radicals", "as many hosts"},
    {FILES_ZONE(CLUSTER("radical=\"0--5\" topology=\"FLAT\" topo_parameters=\"\"")), 4,
     "Malformed radical", "0-3,7,10-12"},
    {FILES_ZONE(CLUSTER("radical=\"0-3\" topology=\"RING\" topo_parameters=\"4\"")), 4,
     "topology of the cluster is unknown", "FLAT, TORUS"},
};

static void check_error(const char *path, int line, const char *what, const char *remedy)
{
    struct platform platform;
    struct hs_error error;
    enum hs_err err = files_load(path, &platform, &error);
    char place[256];

    (void)snprintf(place, sizeof place, line ? "%s:%d: " : "%s: ", path, line);
    if (err != HS_ERR_INPUT || error.code != HS_ERR_INPUT ||
        strncmp(error.text, place, strlen(place)) != 0 || !strstr(error.text, what) ||
        !strstr(error.text, remedy) || strchr(error.text, '\n') ||
        error.text[strlen(error.text) - 1] != '.') {
        (void)printf("\n%s expected, with '%s' and '%s', but code %d and:\n%s\n", place, what,
                     remedy, (int)err, error.text);
        CU_FAIL("another error");
    }
    CU_ASSERT_PTR_NULL(platform.cluster);
    CU_ASSERT_PTR_NULL(platform.storage);
    platform_fini(&platform);
}

static void test_bad_files(void)
{
    for (size_t i = 0; i < sizeof bad_files / sizeof bad_files[0]; i++) {
        const struct bad_file *bad = &bad_files[i];
        struct test_file file = files_write("bad.xml", bad->text, strlen(bad->text));

        check_error(file.path, bad->line, bad->what, bad->remedy);
        files_remove(&file);
    }
}

static void test_bytes(void)
{
    static const struct {
        const char *bytes;
        size_t length;
        int line;
        const char *what;
        const char *remedy;
    } cases[] = {
        {"", 0, 1, "is empty", "at least one"},
        {"\x1f\x8b\x08\0\0\0\0", 7, 1, "is compressed", "gunzip"},
        {"\x28\xb5\x2f\xfd\x04", 5, 1, "is compressed", "unzstd"},
        {"\x7f"
         "ELF\x02\x01\x01\0",
         8, 1, "no XML", "starts with <?xml"},
        {"<?xml version='1.0'?>\n\n\0\0", 24, 3, "zero byte", "UTF-8"},
        {"<\xff\xfe\xfd\x01\x02>", 7, 1, "SimGrid refuses the file", "."},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct test_file file = files_write("bad.xml", cases[i].bytes, cases[i].length);

        check_error(file.path, cases[i].line, cases[i].what, cases[i].remedy);
        files_remove(&file);
    }
}

/* What is no file at all, or cannot be read. */
static void test_no_files(void)
{
    struct test_file file =
        files_write("good.xml", FILES_ZONE(HOST("", "")), strlen(FILES_ZONE(HOST("", ""))));
    char path[192];

    check_error("/nonexistent/platform.xml", 0, "No such file", "Check the path");
    check_error(file.folder, 0, "a folder", "platform file");
    check_error("/dev/null", 0, "a pipe or a device", "platform file");

    (void)snprintf(path, sizeof path, "%s/pipe", file.folder);
    CU_ASSERT_EQUAL_FATAL(mkfifo(path, 0600), 0);
    check_error(path, 0, "a pipe or a device", "platform file");
    CU_ASSERT_EQUAL(unlink(path), 0);

    CU_ASSERT_EQUAL(chmod(file.path, 0), 0);
    if (access(file.path, R_OK) != 0) { /* the superuser reads everything */
        check_error(file.path, 0, "Permission denied", "permissions");
    }
    files_remove(&file);
}

/* Too much: a sparse file beyond the limit, and 20 MB of garbage that starts like XML. */
static void test_huge(void)
{
    struct test_file file = files_write("huge.xml", "<", 1);
    size_t length = 20000000;
    char *garbage = malloc(length);

    CU_ASSERT_EQUAL_FATAL(truncate(file.path, (INT64_C(1) << 30) + 1), 0);
    check_error(file.path, 0, "at most 1073741824 are read", "<cluster>");
    files_remove(&file);

    CU_ASSERT_PTR_NOT_NULL_FATAL(garbage);
    memset(garbage, '<', length);
    file = files_write("garbage.xml", garbage, length);
    free(garbage);
    check_error(file.path, 1, "Unexpected character", "<platform>");
    files_remove(&file);
}

static const struct unit_test tests[] = {
    {"files that say something wrong", test_bad_files},
    {"bytes that are no XML", test_bytes},
    {"what is no file", test_no_files},
    {"huge files", test_huge},
};

UNIT_MAIN("bad platform files", tests)
