/* SPDX-License-Identifier: MIT */
/* decode_test.c - isa_decode against LLVM's disassembler on sampled instruction words: what LLVM
 * decodes, we decode with the same length and mnemonic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>

#include "driver/emulator/isa/decode.h"

enum { SAMPLES_PER_OP = 24, RANDOM_SAMPLES = 60000, MAX_SHOWN = 20 };

static uint64_t seed = 88172645463325252u;

static uint32_t random32(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 16);
}

struct counts {
    unsigned both, neither, only_us, wrong_length, only_llvm, wrong_name, shown;
};

/* "v_add_f32_e32 v0, ..." -> "V_ADD_F32". */
static void plain_name(const char *text, char *out, size_t size) {
    size_t n = 0;
    while (isspace((unsigned char)*text))
        text++;
    while (*text && !isspace((unsigned char)*text) && n + 1 < size)
        out[n++] = (char)toupper((unsigned char)*text++);
    out[n] = 0;
    static const char *const suffixes[] = {"_E64_DPP", "_E32", "_E64", "_DPP"};
    for (unsigned i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t len = strlen(suffixes[i]);
        if (n > len && !strcmp(out + n - len, suffixes[i])) {
            out[n - len] = 0;
            return;
        }
    }
}

static void report(struct counts *c, const char *what, const uint32_t *dw, const char *ours,
                   int our_len, const char *llvm, unsigned llvm_len) {
    if (c->shown++ < MAX_SHOWN)
        print_message("%s: %08x %08x %08x: ours %s (%d), LLVM %s (%u)\n", what, dw[0], dw[1], dw[2],
                      ours, our_len, llvm, llvm_len);
}

/* Names that the public tables and LLVM spell differently are compared by length only. */
static bool same_name(const char *ours, const char *llvm) {
    return !strncmp(ours, llvm, strlen(ours)) || !strncmp(llvm, ours, strlen(llvm)) ||
           strchr(ours, ':') || !strncmp(ours, "TBUFFER", 7) || !strncmp(llvm, "S_WAIT", 6);
}

/* Words that LLVM's decoder takes (or dies of) although no such instruction exists: a literal as
 * the offset of a buffer, in an interpolation or as a barrier's name, a literal together with DPP.
 */
static bool not_an_instruction(const struct isa_inst *inst, const uint32_t *dw, int len) {
    if (dw[0] >> 23 == 0x17d && (dw[0] >> 8 & 0xff) >= 78 && (dw[0] >> 8 & 0xff) <= 82)
        return (dw[0] & 0xff) == ISA_SRC_LITERAL;
    if (len == -ISA_DECODE_BAD_FORM && inst->dpp) return true;
    if (dw[0] >> 23 == 0x1a7) return true; /* gfx9's encoding of v_fma_mix */
    if (len < 0) return false;
    enum isa_format f = inst->op->format;
    if (f == ISA_FMT_VINTERP)
        return inst->f[ISA_F_src0] == ISA_SRC_LITERAL || inst->f[ISA_F_src1] == ISA_SRC_LITERAL ||
               inst->f[ISA_F_src2] == ISA_SRC_LITERAL;
    return (f == ISA_FMT_MUBUF || f == ISA_FMT_MTBUF) && inst->f[ISA_F_soffset] == ISA_SRC_LITERAL;
}

static void compare(LLVMDisasmContextRef llvm, enum isa_arch arch, const uint32_t dw[5],
                    struct counts *c) {
    char text[256] = "";
    uint8_t bytes[20];
    memcpy(bytes, dw, 20);
    struct isa_inst inst;
    int len = isa_decode(arch, dw, 5, &inst);
    if (not_an_instruction(&inst, dw, len)) return;
    unsigned theirs = (unsigned)LLVMDisasmInstruction(llvm, bytes, 20, 0, text, sizeof text);
    if (strstr(text, "/*Invalid")) return; /* LLVM says itself that it is none */
    char ours[96] = "-", name[96] = "-";
    if (len > 0) isa_inst_name(&inst, ours, sizeof ours);
    if (theirs) plain_name(text, name, sizeof name);
    if (len > 0 && theirs) {
        c->both++;
        if ((unsigned)len * 4 != theirs) {
            c->wrong_length++;
            report(c, "length", dw, ours, len * 4, text, theirs);
        } else if (!same_name(ours, name)) {
            c->wrong_name++;
            report(c, "name", dw, ours, len * 4, text, theirs);
        }
    } else if (len > 0) {
        c->only_us++; /* LLVM refuses operands that make no sense; we do so when binding */
    } else if (theirs) {
        c->only_llvm++;
        report(c, "only LLVM", dw, ours, len, text, theirs);
    } else {
        c->neither++;
    }
}

/* A word of that format and opcode with random operands. VGPR-only and special codes are likely. */
static void sample(const struct isa_format_row *row, uint32_t opcode, uint32_t dw[5]) {
    for (unsigned i = 0; i < 5; i++)
        dw[i] = random32();
    dw[0] = (dw[0] & ~row->mask) | row->value;
    if (row->op_width) {
        uint32_t mask = ((1u << row->op_width) - 1) << row->op_lo;
        dw[0] = (dw[0] & ~mask) | opcode << row->op_lo;
    }
    for (unsigned i = 0; i < row->field_count; i++) {
        const struct isa_field_pos *f = &row->fields[i];
        bool src = f->field == ISA_F_src0 || f->field == ISA_F_src1 || f->field == ISA_F_src2 ||
                   f->field == ISA_F_srcx0 || f->field == ISA_F_srcy0;
        if (!src || random32() % 2) continue;
        static const uint32_t special[] = {250, 255, 233, 234, 124, 128, 242, 256};
        uint32_t v = special[random32() % 8], lo = f->lo % 32, *w = &dw[f->lo / 32];
        uint32_t mask = ((1u << f->width) - 1) << lo;
        *w = (*w & ~mask) | (v << lo & mask);
    }
}

static void run(enum isa_arch arch, const char *cpu, const char *features) {
    LLVMDisasmContextRef llvm =
        LLVMCreateDisasmCPUFeatures("amdgcn-amd-amdhsa", cpu, features, NULL, 0, NULL, NULL);
    assert_non_null(llvm);
    const struct isa_tables *t = isa_tables_of(arch);
    struct counts c = {0};
    uint32_t dw[5];
    for (unsigned i = 0; i < t->format_count; i++) {
        const struct isa_format_row *row = &t->formats[i];
        for (uint32_t op = 0; op < 1u << row->op_width; op++)
            for (unsigned n = 0; n < SAMPLES_PER_OP; n++) {
                sample(row, op, dw);
                compare(llvm, arch, dw, &c);
            }
    }
    for (unsigned n = 0; n < RANDOM_SAMPLES; n++) {
        for (unsigned i = 0; i < 5; i++)
            dw[i] = random32();
        compare(llvm, arch, dw, &c);
    }
    print_message("%s: both %u, neither %u, only us %u, only LLVM %u, length %u, name %u\n", cpu,
                  c.both, c.neither, c.only_us, c.only_llvm, c.wrong_length, c.wrong_name);
    LLVMDisasmDispose(llvm);
    assert_true(c.both > 30000);
    assert_int_equal(c.wrong_length, 0);
    assert_int_equal(c.wrong_name, 0);
    assert_int_equal(c.only_llvm, 0);
}

static void test_gfx11(void **state) {
    (void)state;
    run(ISA_GFX11, "gfx1100", "+wavefrontsize32");
}

static void test_gfx11_5(void **state) {
    (void)state;
    run(ISA_GFX11_5, "gfx1150", "+wavefrontsize32");
}

static void test_gfx12(void **state) {
    (void)state;
    run(ISA_GFX12, "gfx1201", "+wavefrontsize32");
}

/* Every prefix of an instruction that needs more is refused as truncated. */
static void test_truncation(void **state) {
    (void)state;
    struct isa_inst inst;
    static const struct {
        enum isa_arch arch;
        uint32_t dw[3];
        int len;
    } cases[] = {
        {ISA_GFX11, {0x7e0002ff, 0x12345678}, 2},             /* v_mov_b32 v0, literal */
        {ISA_GFX11, {0xdc520000, 0x007c0000}, 2},             /* global_load_b32 */
        {ISA_GFX12, {0xee05007c, 0x00000000, 0x00000000}, 3}, /* global_load_b32 */
        {ISA_GFX11, {0xd6130000, 0x03fe04ff, 0x3f800001}, 3}, /* v_fma_f32 with literal */
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        int len = cases[i].len;
        assert_int_equal(isa_decode(cases[i].arch, cases[i].dw, (unsigned)len, &inst), len);
        for (int n = 0; n < len; n++)
            assert_int_equal(isa_decode(cases[i].arch, cases[i].dw, (unsigned)n, &inst),
                             -ISA_DECODE_TRUNCATED);
    }
}

int main(void) {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gfx11),
        cmocka_unit_test(test_gfx11_5),
        cmocka_unit_test(test_gfx12),
        cmocka_unit_test(test_truncation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
