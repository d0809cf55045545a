#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the benchmark on RawCL and on PoCL in the same run and prints one table.

usage: bench.py BUILD_DIR [--device emu:gfx1100]... [--rounds N] [--markdown FILE]

The columns alternate (RawCL, PoCL, RawCL, PoCL ...) over the rounds and each figure is the median,
since machines are noisy: read the ratios, not the times.
"""
import argparse
import math
import os
import statistics
import subprocess
import sys
import tempfile

ap = argparse.ArgumentParser()
ap.add_argument("build")
ap.add_argument("--device", action="append", default=[])
ap.add_argument("--rounds", type=int, default=3)
ap.add_argument("--markdown")
ap.add_argument("--pocl", default="/etc/OpenCL/vendors/pocl.icd")
args = ap.parse_args()
build = os.path.abspath(args.build)
program = os.path.join(build, "tests/bench/rawcl_bench")
devices = args.device or ["emu:gfx1100", "emu:gfx1201"]
columns = [(d, {"OCL_ICD_VENDORS": os.path.join(build, "icd/rawcl.icd"), "RAWCL_DEVICE": d}) for d in devices]
if os.path.exists(args.pocl):
    columns.append(("PoCL", {"OCL_ICD_VENDORS": args.pocl, "PROGRAMS_PLATFORM": "Portable"}))

figures, units, order = {}, {}, []
for _ in range(args.rounds):
    for name, env in columns:
        with tempfile.TemporaryDirectory() as cache:
            e = dict(os.environ, RAWCL_CACHE_DIR=cache, POCL_CACHE_DIR=cache, **env)
            r = subprocess.run([program], env=e, capture_output=True, text=True, timeout=900)
        if r.returncode:
            sys.exit("%s: exit %d\n%s%s" % (name, r.returncode, r.stdout, r.stderr))
        for line in r.stdout.splitlines():
            what, value, unit = line.split("\t")
            if what not in units:
                order.append(what)
                units[what] = unit
            figures.setdefault((what, name), []).append(float(value))

names = [c[0] for c in columns]
lines = ["| what | unit | " + " | ".join(names) + " | " +
         " | ".join("%s : PoCL" % n for n in names if n != "PoCL") + " |",
         "|" + " --- |" * (2 + len(names) + sum(n != "PoCL" for n in names))]
logs = {}
for what in order:
    med = {n: statistics.median(figures[what, n]) for n in names if (what, n) in figures}
    cells = ["%.4g" % med[n] if n in med else "-" for n in names]
    for n in names:
        if n == "PoCL":
            continue
        if "PoCL" not in med or n not in med:
            cells.append("-")
            continue
        # speed relative to PoCL: above 1 is faster
        speed = med[n] / med["PoCL"] if units[what].endswith("/s") else med["PoCL"] / med[n]
        cells.append("%.2f" % speed)
        if what.startswith("kernel "):
            logs.setdefault(n, []).append(math.log(speed))
    lines.append("| %s | %s | %s |" % (what, units[what], " | ".join(cells)))
for n, v in logs.items():
    lines.append("\nGeometric mean of the kernels' speed, %s : PoCL = %.3f" % (n, math.exp(sum(v) / len(v))))
text = "\n".join(lines)
print(text)
if args.markdown:
    with open(args.markdown, "w") as f:
        f.write(text + "\n")
