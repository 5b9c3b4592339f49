/* SPDX-License-Identifier: GPL-3.0-or-later */
/* defaults.c - the defaults of the keys are those of the workload library. */
#include "fixture.h"

static void test_defaults(void)
{
    struct workload_options expected;
    struct fixture fixture;
    const struct workload_options *found = &fixture.experiment.workload;

    workload_options_defaults(&expected);
    if (fixture_is_valid(&fixture, HEAD "policy: easy\nworkload: {generate: {}}\n")) {
        const struct workload_lublin *left = &found->lublin, *right = &expected.lublin;

        CHECK(left->serial_probability == right->serial_probability);
        CHECK(left->power2_probability == right->power2_probability);
        CHECK(left->u_low == right->u_low && left->u_med_offset == right->u_med_offset);
        CHECK(left->u_high == right->u_high && left->u_probability == right->u_probability);
        CHECK(left->a1 == right->a1 && left->b1 == right->b1);
        CHECK(left->a2 == right->a2 && left->b2 == right->b2);
        CHECK(left->pa == right->pa && left->pb == right->pb);
        CHECK(left->a_arrival == right->a_arrival && left->b_arrival == right->b_arrival);
        CHECK(left->a_num == right->a_num && left->b_num == right->b_num);
        CHECK(left->arrival_ratio == right->arrival_ratio && left->start_ns == right->start_ns);
        CHECK(left->nodes == right->nodes);
        CHECK(found->is_strict == expected.is_strict && found->procs == expected.procs);
        CHECK(found->missing == expected.missing && found->overrun == expected.overrun);
        CHECK(found->zero == expected.zero && found->oversized == expected.oversized);
        CHECK(found->memory == expected.memory && found->cancel == expected.cancel);
        CHECK(found->priority_field == expected.priority_field);
        CHECK(found->sort_window == expected.sort_window);
        CHECK(found->shift_ns == expected.shift_ns && found->load == expected.load);
        CHECK(found->shift_to_zero == expected.shift_to_zero && found->head == expected.head);
        CHECK(found->window_from_ns == expected.window_from_ns);
        CHECK(found->window_to_ns == expected.window_to_ns);
        CHECK(found->estimate == expected.estimate && found->shake_ns == expected.shake_ns);
        CHECK(found->estimate_factor == expected.estimate_factor);
        CHECK(found->estimate_round_ns == expected.estimate_round_ns);
    }
    fixture_fini(&fixture);
}

static const struct unit_test tests[] = {{"defaults of the workload", test_defaults}};

UNIT_MAIN("experiment defaults", tests)
