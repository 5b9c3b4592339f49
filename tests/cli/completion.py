#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion with the tab key: bash and zsh on a terminal of their own.

Usage: completion.py hsim.bash hsim.zsh. In place of hsim stands a function that prints its
arguments, so that a line with a tab and a return tells what the shell made of it.
"""
import os
import pty
import select
import shutil
import sys
import time

LINES = [
    ("hsim ru\t", "<run>"),
    ("hsim trace gen\t", "<trace><generate>"),
    ("hsim export --to sql\tx", "<export><--to><sqlite><x>"),
    ("hsim export --to=sql\tx", "<export><--to=sqlite><x>"),
    ("hsim run --set scheduler.lat\t5s", "<run><--set><scheduler.latency=5s>"),
    ("hsim run --set policy=sjf-easy-ho\tx", "<run><--set><policy=sjf-easy-hosts><x>"),
    ("hsim run --set=policy=sjf-easy-ho\tx", "<run><--set=policy=sjf-easy-hosts><x>"),
    ("hsim run stu\tx", "<run><study.yaml><x>"),
    ("hsim run two\tx", "<run><two words.yaml><x>"),
    ("hsim inspect stu\tx", "<inspect><study.h5><x>"),
    ("hsim explain scheduler.lat\tx", "<explain><scheduler.latency><x>"),
    ("hsim policies show dot\tx", "<policies><show><dot-product><x>"),
    ("hsim run --forc\tx", "<run><--force><x>"),
]


def read_until(terminal, mark, seconds=20):
    text = ""
    end = time.monotonic() + seconds
    while mark not in text and time.monotonic() < end:
        if select.select([terminal], [], [], 0.2)[0]:
            text += os.read(terminal, 65536).decode("utf-8", "replace")
    return text


def check(shell, arguments, setup):
    """Types the lines into the shell; says which of them came out otherwise."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ.update(TERM="dumb", PS1="", HISTFILE="")
        os.execvp(shell, [shell, *arguments])
    bad = []
    os.write(terminal, (setup + "; echo set-'up'\n").encode())
    read_until(terminal, "set-up")
    for line, want in LINES:
        os.write(terminal, (line + "\n").encode())
        text = read_until(terminal, "END")
        got = text[text.rfind("GOT") + 3:text.rfind("END")]
        if got != want:
            bad.append(f"{shell}: {line!r} became {got!r}, not {want!r}; seen: {text!r}")
    os.write(terminal, b"exit\n")
    os.close(terminal)
    os.waitpid(process, 0)
    return bad


def main():
    function = "hsim() { printf 'GO''T'; printf '<%s>' \"$@\"; printf 'EN''D\\n'; }"
    bad = check("bash", ["--norc", "--noprofile", "-i"], f"{function}; . ./{sys.argv[1]}")
    if shutil.which("zsh"):
        bad += check("zsh", ["-f", "-i"],
                     f"autoload -U compinit; compinit -u -D; {function}; . ./{sys.argv[2]}")
    else:
        print("zsh is not installed")
    for line in bad:
        print(line)
    return 1 if bad else 0


sys.exit(main())
