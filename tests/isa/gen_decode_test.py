#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gen_decode.py refuses tables in which two instructions or fields claim the same bits.

usage: gen_decode_test.py GEN_DECODE.py TABLES_DIR
"""
import os
import shutil
import subprocess
import sys
import tempfile

CASES = [  # file, line to add, what the message must contain (None: accepted)
    (None, None, None),
    ("rdna3_ops.csv", "SOP2,0,S_TWIN_U32,SOP2|SOP2_LIT,,gfx1100,", "share an opcode"),
    ("rdna3_ops.csv", "VOP2,63,V_TWIN_F32,VOP2,,gfx1100,", "match the same word"),  # VOP1's prefix
    ("rdna3_ops.csv", "SOP2,128,S_WIDE_U32,SOP2,,gfx1100,", "wider than its field"),
    ("rdna3_ops.csv", "NONE,1,S_NONE,NONE,,gfx1100,", "no encoding NONE"),
    ("rdna4_encodings.csv", "SOP1,32,extra,0,3,,,", "overlaps another field"),
    ("rdna4_encodings.csv", "SOP1,32,encoding,20,24,0b1,Fixed,", "fixed bits overlap"),
    ("rdna4_encodings.csv", "SOP1,32,more,8,8,0b10,Fixed,", "wider than the field"),
]


def run(generator, tables, case):
    name, line, message = case
    with tempfile.TemporaryDirectory() as tmp:
        copy = os.path.join(tmp, "tables")
        shutil.copytree(tables, copy)
        if name:
            with open(os.path.join(copy, name), "a") as f:
                f.write(line + "\n")
        out = [os.path.join(tmp, n) for n in ("out.h", "out.c")]
        r = subprocess.run([sys.executable, generator, copy] + out, capture_output=True, text=True)
        if message is None:
            return r.returncode == 0 and all(os.path.getsize(o) > 1000 for o in out)
        return r.returncode != 0 and message in r.stderr and not os.path.exists(out[1])


def main():
    generator, tables = sys.argv[1:]
    failed = [c for c in CASES if not run(generator, tables, c)]
    for c in failed:
        print("FAIL", c)
    print(f"{len(CASES) - len(failed)} passed, {len(failed)} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
