/* SPDX-License-Identifier: GPL-3.0-or-later */
/* power.c - power that is not known is not a number. */
#include "platform/power.h"

#include <math.h>

struct platform_power platform_power_unknown(void)
{
    return (struct platform_power){NAN, NAN, NAN, NAN};
}

bool platform_power_is_known(const struct platform_power *power)
{
    return !isnan(power->busy_w);
}
