#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How long a program takes that runs once: with the interpreter alone, with a cold and with a warm
cache of code compiled for the host. Built kernels are in the cache in all three.

usage: first_run.py BUILD_DIR [--device emu:gfx1100] [--rounds N] [--program "PROGRAM ARGUMENT..."]...

Without --program: each of tests/programs that does not fail on purpose. The columns alternate over
the rounds; each figure is the median: elapsed and user time of the process in ms. "lift" is the
processor time of the compiler in the background (from RAWCL_LOG=jit), which is not the process's.
"""
import argparse
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ap = argparse.ArgumentParser()
ap.add_argument("build")
ap.add_argument("--device", default="emu:gfx1100")
ap.add_argument("--rounds", type=int, default=5)
ap.add_argument("--program", action="append", default=[])
args = ap.parse_args()
build = os.path.abspath(args.build)
names = ["vector_add", "matmul", "mandelbrot", "reduction", "hash64", "stencil", "transcendental", "printf_kernel"]
programs = [shlex.split(p) for p in args.program] or \
    [[os.path.join(build, "tests/programs/program_" + n)] for n in names]


def run(program, cache, **more):
    """Elapsed ms, user ms, compiler's ms."""
    env = dict(os.environ, OCL_ICD_VENDORS=os.path.join(build, "icd/rawcl.icd"), RAWCL_DEVICE=args.device,
               RAWCL_CACHE_DIR=cache, RAWCL_LOG="jit", **more)
    start = time.monotonic()
    p = subprocess.Popen(program, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    err = p.stderr.read()
    _, status, usage = os.wait4(p.pid, 0)
    elapsed = time.monotonic() - start
    if status:
        sys.exit("%s: status %d\n%s" % (program[0], status, err))
    # A program may end before its code is compiled; then nothing is said of it.
    lift = sum(float(m) for m in re.findall(r"blocks.* ([0-9.]+) ms to compile", err) if "(cached)" not in err)
    return elapsed * 1e3, usage.ru_utime * 1e3, lift


print("| program | interpreter | | cold | | lift | warm | |\n|" + " --- |" * 8)
print("| | elapsed | user | elapsed | user | | elapsed | user |")
for program in programs:
    rows = []
    with tempfile.TemporaryDirectory() as cache:
        run(program, cache, RAWCL_EMU_JIT="0")
        for _ in range(args.rounds):
            interpreted = run(program, cache, RAWCL_EMU_JIT="0")
            shutil.rmtree(os.path.join(cache, "jit"), ignore_errors=True)
            cold = run(program, cache)
            shutil.rmtree(os.path.join(cache, "jit"), ignore_errors=True)
            run(program, cache, RAWCL_EMU_JIT="sync")
            rows.append((interpreted[0], interpreted[1]) + cold + run(program, cache)[:2])
    print("| %s | %s |" % (" ".join([os.path.basename(program[0])] + program[1:]).replace("program_", ""),
                           " | ".join("%.0f" % statistics.median(c) for c in zip(*rows))), flush=True)
