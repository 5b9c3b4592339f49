/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fake_bare.c - a library that has none of the functions that are looked for. */
int bare(void);

int bare(void)
{
    return 0;
}
