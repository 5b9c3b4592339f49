/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bad_nodes.c - devices, models and powers that are refused: place, what is wrong, what to do. */
#include "files.h"

#define PROP(name, value) "<prop id=\"" name "\" value=\"" value "\"/>"
#define NODE(more)        "<host id=\"n0\" speed=\"1Gf\">" more "</host>\n"
#define DEVICE(name, kind, more)                                                                   \
    "<host id=\"" name "\" speed=\"1Gf\">" PROP("kind", kind) more "</host>"

struct bad_node {
    const char *text;
    int line;
    const char *what;
    const char *remedy;
};

static const struct bad_node bad_nodes[] = {
    {FILES_ZONE(NODE("") DEVICE("g", "gpu", "")), 5, "The device 'g' (kind gpu) belongs to no node",
     "Name it NODE:DEVICE, for instance n0:gpu0"},
    {FILES_ZONE(NODE("") DEVICE("n1:g", "gpu", "")), 5, "belongs to the node 'n1', but no host",
     "correct the name before ':'"},
    {FILES_ZONE(NODE("") DEVICE("n0:g", "gpu", PROP("node", "n7"))), 5, "to the node 'n7'",
     "or the property node"},
    {FILES_ZONE(NODE("") DEVICE(":g", "gpu", "")), 5, "to the node ''", "Add the host"},
    {FILES_ZONE(NODE("")
                    DEVICE("n0:a", "gpu", "") "\n" DEVICE("n0:a:b", "gpu", PROP("node", "n0:a"))),
     6, "to the node 'n0:a'", "no host of kind cpu"},
    {FILES_ZONE(NODE("") DEVICE("n0:g", "gpu", PROP("model", "a100-sxm4-41"))), 5,
     "Host 'n0:g' has the property model=\"a100-sxm4-41\"", "did you mean 'a100-sxm4-40'?"},
    {FILES_ZONE(NODE("") DEVICE("n0:g", "gpu", PROP("model", ""))), 5, "model=\"\"",
     "`hsim platform devices list` shows all"},
    {FILES_ZONE(NODE("") DEVICE("n0:g", "npu", PROP("model", "t4"))), 5, "model=\"t4\"",
     "this is a gpu, but the kind of the host is 'npu'"},
    {FILES_ZONE(NODE(PROP("model", "t4"))), 4, "Host 'n0' has the property model=\"t4\"",
     "the kind of the host is 'cpu'"},
    {FILES_ZONE(NODE(PROP("wattage_per_state", "95"))), 4, "wattage_per_state=\"95\"",
     "90:110:350,70:85:200"},
    {FILES_ZONE(NODE(PROP("wattage_per_state", "1:2:3:4"))), 4, "1:2:3:4", "idle:context:busy"},
    {FILES_ZONE(NODE(PROP("wattage_per_state", "1:x"))), 4, "1:x", "idle:context:busy"},
    {FILES_ZONE(NODE(PROP("wattage_per_state", "1:2 W"))), 4, "1:2 W", "idle:context:busy"},
    {FILES_ZONE(NODE(PROP("watt_per_state", "2:1"))), 4, "watt_per_state=\"2:1\"",
     "less than the one before"},
    {FILES_ZONE(NODE(PROP("wattage_per_state", "-1:2"))), 4, "-1:2", "idle:context:busy"},
    {FILES_ZONE(NODE(PROP("wattage_per_state", "nan:nan"))), 4, "nan:nan", "idle:context:busy"},
    {FILES_ZONE(NODE(PROP("wattage_per_state", ""))), 4, "wattage_per_state=\"\"", "in W"},
    {FILES_ZONE(NODE(PROP("wattage_per_state", "1:2") PROP("wattage_off", "little"))), 4,
     "wattage_off=\"little\"", "for instance 8"},
};

static void test_bad(void)
{
    for (size_t i = 0; i < sizeof bad_nodes / sizeof bad_nodes[0]; i++) {
        const struct bad_node *bad = &bad_nodes[i];
        struct test_file file = files_write("platform.xml", bad->text, strlen(bad->text));
        struct platform platform;
        struct hs_error error;
        char place[160];
        enum hs_err err = files_load(file.path, &platform, &error);

        (void)snprintf(place, sizeof place, "%s:%d: ", file.path, bad->line);
        if (err != HS_ERR_INPUT || strncmp(error.text, place, strlen(place)) != 0 ||
            !strstr(error.text, bad->what) || !strstr(error.text, bad->remedy)) {
            (void)printf("\n%s%s (wanted: line %d, %s, %s)\n", bad->text, error.text, bad->line,
                         bad->what, bad->remedy);
            CU_FAIL("another message");
        }
        CU_ASSERT_PTR_NULL(platform.cluster);
        platform_fini(&platform);
        files_remove(&file);
    }
}

/* A node has room for so many devices, and says which file and host has more. */
static void test_too_many(void)
{
    char text[16384];
    size_t length = (size_t)snprintf(
        text, sizeof text, "%s",
        FILES_HEAD "<platform version=\"4.1\"> <zone id=\"z\" routing=\"Full\">\n" NODE(""));
    struct platform platform;
    struct hs_error error;
    struct test_file file;

    for (int i = 0; i <= (int)HS_NODE_DEVICES_MAX; i++) {
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "<host id=\"n0:%d\" speed=\"1Gf\"><prop id=\"kind\" "
                                   "value=\"gpu\"/></host>\n",
                                   i);
    }
    (void)snprintf(text + length, sizeof text - length, "</zone> </platform>\n");
    file = files_write("platform.xml", text, strlen(text));
    CU_ASSERT_EQUAL(files_load(file.path, &platform, &error), HS_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "platform.xml:4: "));
    CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "64"));
    platform_fini(&platform);
    files_remove(&file);
}

static const struct unit_test tests[] = {
    {"bad devices, models and powers", test_bad},
    {"too many devices", test_too_many},
};

UNIT_MAIN("bad nodes of platform files", tests)
