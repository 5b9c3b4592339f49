/* SPDX-License-Identifier: MIT */
/* predict_last_two.c - the mean of the user's last two run times, never above the request.
 *
 * The last two are those of the user's jobs that ended last before the question; jobs killed at
 * their request count with the time they ran, jobs that their user cancelled do not count. Until
 * two have ended (none or one), and for jobs of nobody, the answer is the request. Source: Tsafrir,
 * Etsion and Feitelson, "Backfilling using system-generated predictions rather than user runtime
 * estimates", IEEE TPDS 18(6), 2007. */
#include <stdlib.h>

#include "hs/policy.h"
#include "lib/keys.h"

struct runs {
    hs_time last_ns, before_ns; /* before_ns < 0: there is one only */
};

struct last_two {
    struct hp_keys users;
    struct runs *runs; /* by index of the user */
    uint32_t room;
};

static struct hp_key key_of(const struct hs_predict_question *question)
{
    return (struct hp_key){(uint64_t)question->user, 0};
}

static hs_time last_two_predict(void *state, const struct hs_predict_question *question)
{
    const struct last_two *self = state;
    uint32_t user =
        question->user < 0 ? HP_KEYS_NONE : hp_keys_find(&self->users, key_of(question));
    const struct runs *runs = user == HP_KEYS_NONE ? NULL : &self->runs[user];

    if (!runs || runs->before_ns < 0) {
        return question->request_ns;
    }
    /* The mean rounded down, without a sum that may overflow. */
    return hs_predict_within(runs->last_ns / 2 + runs->before_ns / 2 +
                                 (runs->last_ns % 2 + runs->before_ns % 2) / 2,
                             question->request_ns);
}

static bool last_two_learn(void *state, const struct hs_predict_question *question,
                           const struct hs_predict_run *run)
{
    struct last_two *self = state;
    uint32_t count = self->users.count;
    uint32_t user;

    if (question->user < 0) {
        return true;
    }
    if (count == self->room) {
        uint32_t room = self->room ? self->room * 2 : 32;
        struct runs *moved = realloc(self->runs, room * sizeof *moved);

        if (!moved) {
            return false;
        }
        self->runs = moved;
        self->room = room;
    }
    user = hp_keys_add(&self->users, key_of(question));
    if (user == HP_KEYS_NONE) {
        return false;
    }
    self->runs[user].before_ns = user == count ? -1 : self->runs[user].last_ns;
    self->runs[user].last_ns = run->run_ns;
    return true;
}

static void last_two_fini(void *state)
{
    struct last_two *self = state;

    hp_keys_fini(&self->users);
    free(self->runs);
}

HS_PREDICT_DEFINE(last_two) = {
    HS_PREDICT_HEADER,
    .name = "last-two",
    .summary = "mean of the user's last two run times, at most the request",
    .state_size = sizeof(struct last_two),
    .fini = last_two_fini,
    .predict = last_two_predict,
    .learn = last_two_learn,
};
