#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Generates the decode tables (C) from the CSV files in tables/.

usage: gen_decode.py TABLES_DIR OUT.h OUT.c

Rejects two opcodes, or two encodings, that would match the same instruction word.
"""
import csv
import os
import sys

ARCHS = ("rdna3", "rdna4")
VARIANTS = ("LIT", "DPP16", "DPP8", "SDST")


def fail(message):
    sys.exit("gen_decode.py: " + message)


class Format:
    def __init__(self, name, bits):
        self.name, self.bits, self.fields = name, bits, []
        self.mask = self.value = 0

    def add(self, field, lo, hi, fixed):
        if fixed:
            width = hi - lo + 1
            value = int(fixed, 2)
            if value >> width:
                fail(f"{self.name}.{field}: fixed value wider than the field")
            if hi > 31:
                fail(f"{self.name}.{field}: fixed bits outside the first dword")
            mask = ((1 << width) - 1) << lo
            if self.mask & mask:
                fail(f"{self.name}.{field}: fixed bits overlap")
            self.mask |= mask
            self.value |= value << lo
        else:
            self.fields.append((field, lo, hi - lo + 1))

    def field(self, name):
        for f in self.fields:
            if f[0] == name:
                return f
        return None


def base_name(name):
    parts = name.split("_")
    while len(parts) > 1 and parts[-1] in VARIANTS:
        parts.pop()
    return "_".join(parts)


def read_formats(path):
    formats = {}
    with open(path, newline="") as f:
        for row in csv.DictReader(f):
            name = row["format"]
            if base_name(name) != name:
                continue  # variants are the base encoding plus one dword: see decode.c
            fmt = formats.setdefault(name, Format(name, int(row["size_bits"])))
            fmt.add(row["field"], int(row["lo"]), int(row["hi"]), row["fixed_value"])
    for fmt in formats.values():
        used = fmt.mask
        for name, lo, width in fmt.fields:
            bits = ((1 << width) - 1) << lo
            if used & bits:
                fail(f"{fmt.name}.{name}: overlaps another field")
            used |= bits
    return formats


class Op:
    def __init__(self, row):
        self.space, self.opcode = row["op_space"], int(row["opcode"])
        self.name = row["mnemonic"]
        for suffix in ("_E32", "_E64"):
            if self.name.endswith(suffix):
                self.name = self.name[: -len(suffix)]
        self.variants = set()
        forms = [f.split(".")[0] for f in row["formats"].split("|") if f] or [self.space]
        self.has_base = False
        for f in forms:
            suffixes = f[len(self.space):].strip("_").split("_") if f != self.space else []
            if not suffixes or suffixes == ["SDST"]:
                self.has_base = True
            self.variants.update(suffixes)
        self.operands = []
        for text in row["operands"].split(";"):
            if not text:
                continue
            field, data, bits, kind = text.split(":")
            if self.space in ("VOP3", "VOP3P", "VOP3SD") and field == "vsrc0":
                field = "src0"  # listed under its DPP field
            self.operands.append((field, data, int(bits), kind))
        # The tables leave out that compares take DPP in their VOP3 form too (LLVM: v_cmp_*_e64_dpp).
        if self.space == "VOP3" and self.name.startswith("V_CMP"):
            if all(o[2] < 64 for o in self.operands if o[0] != "vdst"):
                self.variants.update(("DPP16", "DPP8"))
        self.only_gfx11_5 = row["llvm22_valid"] == "gfx1150|gfx1151"


def read_ops(path, formats):
    ops = []
    with open(path, newline="") as f:
        for row in csv.DictReader(f):
            op = Op(row)
            if op.space not in formats:
                fail(f"{op.name}: no encoding {op.space}")
            ops.append(op)
    ops.sort(key=lambda o: (o.space, o.opcode))
    return ops


def op_field(fmt):
    return fmt.field("op") or fmt.field("opy")


def check_overlaps(arch, formats, ops):
    patterns = {}
    for op in ops:
        fmt = formats[op.space]
        mask, value = fmt.mask, fmt.value
        field = op_field(fmt)
        if field:
            _, lo, width = field
            if op.opcode >> width:
                fail(f"{arch} {op.space}.{op.name}: opcode {op.opcode} wider than its field")
            mask |= ((1 << width) - 1) << lo
            value |= op.opcode << lo
        patterns.setdefault(op.space, []).append((mask, value, op))
    spaces = sorted(patterns)
    for i, a in enumerate(spaces):
        seen = {}
        for _, value, op in patterns[a]:
            if value in seen:
                fail(f"{arch}: {op.space}.{op.name} and {seen[value].name} share an opcode")
            seen[value] = op
        for b in spaces[i + 1:]:
            fa, fb = formats[a], formats[b]
            if (fa.value ^ fb.value) & fa.mask & fb.mask:
                continue
            for ma, va, oa in patterns[a]:
                for mb, vb, ob in patterns[b]:
                    if not (va ^ vb) & ma & mb:
                        fail(f"{arch}: {a}.{oa.name} and {b}.{ob.name} match the same word")


def c_ident(text):
    return "".join(c if c.isalnum() else "_" for c in text)


def main():
    if len(sys.argv) != 4:
        fail("usage: gen_decode.py TABLES_DIR OUT.h OUT.c")
    tables, out_h, out_c = sys.argv[1:]
    data = {}
    for arch in ARCHS:
        formats = read_formats(os.path.join(tables, arch + "_encodings.csv"))
        ops = read_ops(os.path.join(tables, arch + "_ops.csv"), formats)
        check_overlaps(arch, formats, ops)
        data[arch] = (formats, ops)

    all_formats = sorted({n for a in ARCHS for n in data[a][0]})
    all_fields = sorted({f[0] for a in ARCHS for fmt in data[a][0].values() for f in fmt.fields}
                        | {o[0] for a in ARCHS for op in data[a][1] for o in op.operands})
    all_data = sorted({o[1] for a in ARCHS for op in data[a][1] for o in op.operands})
    all_kinds = sorted({o[3] for a in ARCHS for op in data[a][1] for o in op.operands})

    h = ["/* SPDX-License-Identifier: MIT */", "/* Generated by gen_decode.py. */",
         "#ifndef RAWCL_ISA_DECODE_GEN_H", "#define RAWCL_ISA_DECODE_GEN_H", ""]
    for enum, prefix, names in (("isa_format", "ISA_FMT_", all_formats),
                                ("isa_field", "ISA_F_", all_fields),
                                ("isa_data", "ISA_D_", all_data),
                                ("isa_kind", "ISA_K_", all_kinds)):
        h.append(f"enum {enum} {{")
        h += [f"    {prefix}{c_ident(n)}," for n in names]
        h += [f"    {prefix}COUNT", "};", ""]
    h += ["#endif", ""]

    c = ["/* SPDX-License-Identifier: MIT */", "/* Generated by gen_decode.py. */",
         '#include "driver/emulator/isa/decode.h"', ""]
    for arch in ARCHS:
        formats, ops = data[arch]
        operands, rows, index = [], [], {}
        for i, op in enumerate(ops):
            index.setdefault(op.space, {})[op.opcode] = i
            flags = ["ISA_OP_" + v for v in VARIANTS if v in op.variants]
            if not op.has_base:
                flags.append("ISA_OP_ONLY_LIT")
            if op.only_gfx11_5:
                flags.append("ISA_OP_GFX11_5")
            rows.append(f'    {{"{op.name}", ISA_FMT_{op.space}, {op.opcode}, '
                        f'{" | ".join(flags) or "0"}, {len(op.operands)}, {len(operands)}}},')
            for field, dtype, bits, kind in op.operands:
                operands.append(f"    {{ISA_F_{c_ident(field)}, ISA_D_{c_ident(dtype)}, "
                                f"ISA_K_{c_ident(kind)}, {bits}}},")
        c += [f"static const struct isa_operand {arch}_operands[] = {{"] + operands + ["};"]
        c += [f"static const struct isa_op {arch}_ops[] = {{"] + rows + ["};"]
        order = sorted(formats.values(), key=lambda f: -bin(f.mask).count("1"))
        for fmt in order:
            c.append(f"static const struct isa_field_pos {arch}_{fmt.name}_fields[] = {{")
            c += [f"    {{ISA_F_{n}, {lo}, {w}}}," for n, lo, w in fmt.fields]
            c.append("};")
            by_op = index.get(fmt.name, {})
            field = op_field(fmt)
            size = 1 << field[2] if field else 1
            c.append(f"static const int16_t {arch}_{fmt.name}_index[{size}] = {{")
            cells = [str(by_op.get(k, -1)) for k in range(size)]
            c += ["    " + ", ".join(cells[k:k + 24]) + "," for k in range(0, size, 24)]
            c.append("};")
        c.append(f"static const struct isa_format_row {arch}_formats[] = {{")
        for fmt in order:
            field = op_field(fmt) or ("", 0, 0)
            c.append(f"    {{ISA_FMT_{fmt.name}, {fmt.bits // 32}, {fmt.mask:#010x}u, "
                     f"{fmt.value:#010x}u, {field[1]}, {field[2]}, {len(fmt.fields)}, "
                     f"{arch}_{fmt.name}_fields, {arch}_{fmt.name}_index}},")
        c.append("};")
        c += [f"const struct isa_tables isa_tables_{arch} = {{", f"    {arch}_formats, {len(order)},",
              f"    {arch}_ops, {len(ops)}, {arch}_operands,", "};", ""]
    with open(out_h, "w") as f:
        f.write("\n".join(h))
    with open(out_c, "w") as f:
        f.write("\n".join(c))


if __name__ == "__main__":
    main()
