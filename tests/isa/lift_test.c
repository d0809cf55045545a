/* SPDX-License-Identifier: MIT */
/* lift_test.c [BATCHES [SEED]]: random programs, interpreted and compiled, must leave the same
 * registers, LDS and memory, bit for bit. Programs of a batch are compiled together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "driver/emulator/isa/jit_run.h"
#include "tests/isa/fake_gpu.h"
#include "tests/isa/jit_link.h"

#define CODE_VA    UINT64_C(0x200000001000)
#define DATA_VA    UINT64_C(0x200000100000)
#define SCRATCH_VA UINT64_C(0x200000200000)
enum {
    PROGRAMS = 6,
    PROGRAM_DWORDS = 90,
    CODE_BYTES = PROGRAMS * PROGRAM_DWORDS * 4,
    DATA_BYTES = 65536,
    LDS_BYTES = 2048,
    SCRATCH_BYTES = 64 * 512, /* of a wave */
    VGPRS = 32,
    SGPRS = 104,
    DATA_SGPR = 90 /* pair: address of the data */
};

static unsigned batches = 1;
static uint64_t seed = 0x2545f4914f6cdd1d;

static uint32_t random32(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 16);
}

static uint32_t random_value(void) {
    static const uint32_t special[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
                                       0xff800000, 1,          0x807fffff, 0x7f7fffff, 0x00800000,
                                       0xffffffff, 0x3c00,     0x7c00,     0x40490fdb, 0x7fffffff};
    uint32_t r = random32();
    if (r % 4 == 0) return special[random32() % (sizeof special / sizeof *special)];
    if (r % 4 == 1) return random32() % 300;
    if (r % 4 == 2) return (random32() & 0x807fffff) | (100 + random32() % 56) << 23;
    return random32();
}

/* --- programs --- */

struct bed {
    enum isa_arch arch;
    unsigned wave_size;
    uint32_t mode; /* RSRC1 */
    struct fake_gpu gpu;
    struct isa_group *g; /* for binding */
    struct code_page *page;
    uint8_t *code, *data, *scratch;
    struct isa_dispatch d;
};

static uint32_t scalar_operand(bool dst) {
    uint32_t r = random32();
    if (dst)
        return r % 12 == 0 ? ISA_SRC_VCC_LO : r % 40 == 1 ? ISA_SRC_EXEC_LO : r / 64 % 88 & ~1u;
    switch (r % 8) {
    case 0:
        return 128 + random32() % 81;
    case 1:
        return 240 + random32() % 9;
    case 2:
        return ISA_SRC_VCC_LO;
    case 3:
        return r % 16 == 3 ? ISA_SRC_LITERAL : ISA_SRC_SCC;
    default:
        return random32() % 88 & ~1u;
    }
}

static uint32_t field_value(enum isa_field f, unsigned width) {
    uint32_t r = random32();
    switch (f) {
    case ISA_F_src0:
    case ISA_F_src1:
    case ISA_F_src2:
    case ISA_F_srcx0:
    case ISA_F_srcy0:
        return width == 9 && r % 3 ? 256 + random32() % VGPRS : scalar_operand(false);
    case ISA_F_ssrc0:
    case ISA_F_ssrc1:
        return scalar_operand(false);
    case ISA_F_sdst:
        return scalar_operand(true);
    case ISA_F_vdst:
    case ISA_F_vsrc1:
    case ISA_F_vsrcx1:
    case ISA_F_vsrcy1:
    case ISA_F_addr:
    case ISA_F_data0:
    case ISA_F_data1:
    case ISA_F_vdstx:
        return r % (VGPRS - 4);
    case ISA_F_vdsty:
        return r % (VGPRS / 2 - 2);
    case ISA_F_offset1:
        return r % 4;
    case ISA_F_clmp:
    case ISA_F_omod:
    case ISA_F_opsel:
        return random32() % 4 ? 0 : r;
    default:
        return r;
    }
}

static bool wanted(const struct isa_op *op) {
    switch ((enum isa_format)op->format) {
    case ISA_FMT_SOP1:
    case ISA_FMT_SOP2:
    case ISA_FMT_SOPC:
    case ISA_FMT_SOPK:
    case ISA_FMT_VOP1:
    case ISA_FMT_VOP2:
    case ISA_FMT_VOPC:
    case ISA_FMT_VOP3:
    case ISA_FMT_VOP3P:
    case ISA_FMT_VOP3SD:
    case ISA_FMT_VOPD:
        break;
    case ISA_FMT_DS:
        return strstr(op->name, "GS_") == NULL;
    default:
        return false;
    }
    static const char *const never[] = {"PC_B64", "S_CALL", "S_RFE",  "SENDMSG", "S_BARRIER",
                                        "MODE",   "SETREG", "SLEEP",  "GETREG",  "S_GET_",
                                        "WMMA",   "SWMMAC", "S_WAIT", "DIV_FMAS"};
    for (unsigned i = 0; i < sizeof never / sizeof *never; i++)
        if (strstr(op->name, never[i])) return false;
    return true;
}

/* The words of an instruction with these fields; its length without a literal. */
static unsigned assemble(const struct bed *t, const struct isa_op *op, const uint32_t *f,
                         uint32_t *w) {
    const struct isa_format_row *row = isa_tables_of(t->arch)->formats;
    while (row->format != op->format)
        row++;
    memset(w, 0, row->dwords * sizeof *w);
    for (unsigned i = 0; i < row->field_count; i++) {
        const struct isa_field_pos *p = &row->fields[i];
        uint64_t v = f[p->field] & ((UINT64_C(1) << p->width) - 1);
        w[p->lo / 32] |= (uint32_t)(v << p->lo % 32);
        if (p->lo % 32 + p->width > 32) w[p->lo / 32 + 1] |= (uint32_t)(v >> (32 - p->lo % 32));
    }
    uint32_t mask = row->mask | ((1u << row->op_width) - 1) << row->op_lo;
    w[0] = (w[0] & ~mask) | row->value | (uint32_t)op->opcode << row->op_lo;
    return row->dwords;
}

/* One random instruction that binds; its length. */
static unsigned instruction(struct bed *t, uint32_t *code) {
    const struct isa_tables *tables = isa_tables_of(t->arch);
    for (;;) {
        const struct isa_op *op = &tables->ops[random32() % tables->op_count];
        if (!wanted(op)) continue;
        const struct isa_format_row *row = tables->formats;
        while (row->format != op->format)
            row++;
        uint32_t w[CODE_MAX_INST_DWORDS] = {0}, f[ISA_F_COUNT] = {0};
        for (unsigned i = 0; i < row->field_count; i++)
            f[row->fields[i].field] = field_value(row->fields[i].field, row->fields[i].width);
        assemble(t, op, f, w);
        for (unsigned i = row->dwords; i < CODE_MAX_INST_DWORDS; i++)
            w[i] = random_value();
        struct isa_inst in;
        int len = isa_decode(t->arch, w, CODE_MAX_INST_DWORDS, &in);
        if (len < 0 || in.op != op || (in.op_y && !wanted(in.op_y))) continue;
        struct xinst x = {.len = (uint8_t)len};
        isa_variant_base.bind(t->g, t->page, &in, &x, 0);
        if (x.fn == isa_variant_base.illegal) continue;
        if (strstr(op->name, "MOVREL") || strstr(op->name, "SWAPREL")) continue;
        memcpy(code, w, (unsigned)len * 4);
        return (unsigned)len;
    }
}

/* v_and_b32 v4, 0xfffc, v5; then a global load or store at s[DATA_SGPR] + v4. */
static unsigned global_access(struct bed *t, uint32_t *code) {
    static const uint8_t ops[] = {0x10, 0x12, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19,
                                  0x1a, 0x1b, 0x1c, 0x1d, 0x20, 0x24, 0x34, 0x35};
    uint32_t op = ops[random32() % sizeof ops], data = 8 + random32() % 16;
    uint32_t mask = random32() % 3 ? 0x7ffc : random32() % 2 ? 0x3c : 0x7fff;
    code[0] = 0x360800ff | 5 << 9; /* V_AND_B32 v4, literal, v5 */
    code[1] = mask;
    if (t->arch == ISA_GFX12) { /* VGLOBAL: saddr 6:0, op 21:14; vdst 7:0, vsrc 30:23; vaddr */
        code[2] = 0xee000000u | op << 14 | DATA_SGPR;
        code[3] = data | data << 23;
        code[4] = 4 | (random32() % 64) << 8;
        return 5;
    }
    code[2] = 0xdc000000u | 2u << 16 | op << 18 | (random32() % 64);
    code[3] = 4 | data << 8 | (uint32_t)DATA_SGPR << 16 | data << 24;
    return 4;
}

/* v_and_b32 v4, 0x7c or so, v5; then a load or store of private memory at v4, or a scalar load. */
static unsigned scratch_access(struct bed *t, uint32_t *code) {
    const struct isa_tables *tables = isa_tables_of(t->arch);
    for (;;) {
        const struct isa_op *op = &tables->ops[random32() % tables->op_count];
        bool smem = !strncmp(op->name, "S_LOAD_", 7);
        bool scratch = op->format == ISA_FMT_SCRATCH || op->format == ISA_FMT_VSCRATCH;
        if (!smem && (!scratch || strstr(op->name, "LDS"))) continue;
        uint32_t f[ISA_F_COUNT] = {0}, data = 8 + random32() % 16;
        f[ISA_F_addr] = f[ISA_F_vaddr] = 4;
        f[ISA_F_saddr] = f[ISA_F_soffset] = ISA_SRC_NULL;
        f[ISA_F_sve] = 1;
        f[ISA_F_offset] = f[ISA_F_ioffset] = random32() % 128;
        f[ISA_F_data] = f[ISA_F_vsrc] = f[ISA_F_vdst] = data;
        f[ISA_F_sbase] = DATA_SGPR / 2;
        f[ISA_F_sdata] = 4 * (random32() % 16);
        if (smem) return assemble(t, op, f, code);
        code[0] = 0x360800ff | 5 << 9;
        code[1] = random32() % 3 ? 0x7c : random32() % 2 ? 0 : 0x7f;
        return 2 + assemble(t, op, f, code + 2);
    }
}

static void write_program(struct bed *t, uint32_t *code) {
    uint32_t starts[PROGRAM_DWORDS], jumps[16], at = 0;
    unsigned count = 0, jump_count = 0;
    while (at < PROGRAM_DWORDS - 14) {
        starts[count++] = at;
        uint32_t r = random32() % 16;
        if (r == 0 && jump_count < 16) {
            jumps[jump_count++] = at;
            code[at++] = 0xbfa00000u | (1 + random32() % 6) << 16; /* S_CBRANCH_*, from SCC0 on */
        } else if (r == 1) {
            at += global_access(t, code + at);
        } else if (r == 3) {
            at += scratch_access(t, code + at);
        } else if (r == 2) { /* s_mov_b32 exec_lo, -1 or a literal */
            bool all = random32() % 2;
            code[at++] = 0xbe800000u | ISA_SRC_EXEC_LO << 16 | (all ? 193 : 255);
            if (!all) code[at++] = random32();
        } else {
            at += instruction(t, code + at);
        }
    }
    starts[count++] = at;
    code[at] = 0xbfb00000;                      /* S_ENDPGM */
    for (unsigned j = 0; j < jump_count; j++) { /* forward, to the start of an instruction */
        unsigned k = 0;
        while (starts[k] <= jumps[j])
            k++;
        k += random32() % (count - k < 6 ? count - k : 6);
        code[jumps[j]] |= (starts[k] - jumps[j] - 1) & 0xffff;
    }
}

/* --- running --- */

struct state {
    uint32_t v[2][VGPRS][32], s[ISA_SREG_SCRAP], scc;
    uint8_t lds[LDS_BYTES], data[DATA_BYTES], scratch[SCRATCH_BYTES];
    enum isa_end end;
};

static void prepare(struct bed *t, struct isa_group *g, uint64_t state_seed) {
    uint64_t keep = seed;
    seed = state_seed;
    struct wave *w = &g->waves[0];
    for (unsigned h = 0; h < t->wave_size / 32; h++)
        for (unsigned r = 0; r < VGPRS; r++)
            for (unsigned i = 0; i < 32; i++) {
                uint32_t v = random_value();
                memcpy((uint8_t *)&w->v[h * ISA_VGPRS + r] + 4 * i, &v, 4);
            }
    for (unsigned r = 0; r < SGPRS; r++)
        w->s[r] = random_value();
    w->s[ISA_SRC_VCC_LO] = random32();
    w->s[ISA_SRC_VCC_LO + 1] = random32();
    w->s[DATA_SGPR] = (uint32_t)DATA_VA;
    w->s[DATA_SGPR + 1] = (uint32_t)(DATA_VA >> 32);
    if (random32() % 2) w->s[ISA_SRC_EXEC_LO] = random32();
    for (unsigned i = 0; i < LDS_BYTES; i++)
        g->lds[i] = (uint8_t)random32();
    for (unsigned i = 0; i < DATA_BYTES; i++)
        t->data[i] = (uint8_t)random32();
    memset(t->scratch, 0x5a, SCRATCH_BYTES);
    seed = keep;
}

static void run(struct bed *t, unsigned program, struct isa_jit *jit, uint64_t state_seed,
                struct state *out) {
    struct isa_dispatch d = t->d;
    d.entry_va = CODE_VA + program * PROGRAM_DWORDS * 4;
    d.jit = jit;
    struct isa_group *g = isa_group_create(&d);
    assert_non_null(g);
    struct isa_group_start s = {.size = {t->wave_size, 1, 1}};
    isa_group_start(g, &s);
    prepare(t, g, state_seed);
    memset(out, 0, sizeof *out);
    out->end = isa_group_run(g, 0);
    const struct wave *w = &g->waves[0];
    for (unsigned h = 0; h < t->wave_size / 32; h++)
        memcpy(out->v[h], w->v + h * ISA_VGPRS, sizeof out->v[h]);
    memcpy(out->s, w->s, sizeof out->s);
    out->scc = w->scc;
    memcpy(out->lds, g->lds, LDS_BYTES);
    memcpy(out->data, t->data, DATA_BYTES);
    memcpy(out->scratch, t->scratch, SCRATCH_BYTES);
    isa_group_destroy(g);
}

static bool is_nan(uint32_t v) {
    return (v & INT32_MAX) > 0x7f800000;
}

static unsigned show(const struct state *a, const struct state *b, unsigned halves) {
    unsigned n = 0;
    for (unsigned h = 0; h < halves; h++)
        for (unsigned r = 0; r < VGPRS; r++)
            for (unsigned i = 0; i < 32; i++)
                if (a->v[h][r][i] != b->v[h][r][i] && n++ < 4)
                    printf("  v%u lane %u: %08x, compiled %08x%s\n", r, 32 * h + i, a->v[h][r][i],
                           b->v[h][r][i],
                           is_nan(a->v[h][r][i]) && is_nan(b->v[h][r][i]) ? " (NaN)" : "");
    for (unsigned r = 0; r < ISA_SREG_SCRAP; r++)
        if (a->s[r] != b->s[r] && n++ < 8)
            printf("  s%u: %08x, compiled %08x\n", r, a->s[r], b->s[r]);
    if (a->scc != b->scc) printf("  scc %u, compiled %u\n", a->scc, b->scc), n++;
    if (memcmp(a->lds, b->lds, LDS_BYTES)) printf("  LDS\n"), n++;
    if (memcmp(a->data, b->data, DATA_BYTES)) printf("  memory\n"), n++;
    if (memcmp(a->scratch, b->scratch, SCRATCH_BYTES)) printf("  scratch\n"), n++;
    if (a->end != b->end) printf("  end %d, compiled %d\n", a->end, b->end), n++;
    return n;
}

static void list(const struct bed *t, unsigned program) {
    const uint32_t *code = (const uint32_t *)t->code + program * PROGRAM_DWORDS;
    for (unsigned at = 0; at < PROGRAM_DWORDS;) {
        struct isa_inst in;
        char name[80];
        int len = isa_decode(t->arch, code + at, PROGRAM_DWORDS - at, &in);
        if (len <= 0) break;
        isa_inst_name(&in, name, sizeof name);
        printf("  %3u %-40s", at, name);
        for (int i = 0; i < len; i++)
            printf(" %08x", code[at + (unsigned)i]);
        printf("\n");
        at += (unsigned)len;
        if (!strcmp(name, "S_ENDPGM")) break;
    }
}

static const struct jit_object *compile(struct bed *t, struct lift_result *r) {
    uint32_t entries[PROGRAMS];
    for (unsigned p = 0; p < PROGRAMS; p++)
        entries[p] = p * PROGRAM_DWORDS * 4;
    uint32_t rsrc1 = t->d.pgm_rsrc1, mode = rsrc1 >> 12 & 0xff;
    if (t->arch != ISA_GFX12) mode |= (rsrc1 >> 21 & 1) << 8 | (rsrc1 >> 23 & 1) << 9;
    struct lift_request rq = {.arch = t->arch,
                              .wave_size = t->wave_size,
                              .vgpr_limit = VGPRS,
                              .mode = mode,
                              .host = jit_link_host(),
                              .shared_aperture = t->d.shared_aperture,
                              .private_aperture = t->d.private_aperture,
                              .code = t->code,
                              .size = CODE_BYTES,
                              .entries = entries,
                              .entry_count = PROGRAMS,
                              .keep_all = true};
    return jit_link(&rq, r);
}

static unsigned batch(struct bed *t) {
    uint64_t first = seed;
    for (unsigned p = 0; p < PROGRAMS; p++)
        write_program(t, (uint32_t *)t->code + p * PROGRAM_DWORDS);
    isa_invalidate_code();
    struct lift_result r;
    const struct jit_object *o = compile(t, &r);
    if (!o) printf("%s\n", r.error);
    assert_non_null(o);
    struct isa_jit *jit = isa_jit_create();
    assert_int_equal(isa_jit_publish(jit, CODE_VA, t->code, o), 0);
    static struct state a, b;
    unsigned wrong = 0;
    for (unsigned p = 0; p < PROGRAMS; p++)
        for (unsigned k = 0; k < 3; k++) {
            uint64_t state_seed = seed + p * 1000 + k;
            run(t, p, NULL, state_seed, &a);
            run(t, p, jit, state_seed, &b);
            if (!memcmp(&a, &b, sizeof a)) continue;
            if (!wrong) {
                printf("arch %d wave%u mode %x, program %u of seed %#llx:\n", t->arch, t->wave_size,
                       t->mode, p, (unsigned long long)first);
                list(t, p);
            }
            show(&a, &b, t->wave_size / 32);
            wrong++;
            break;
        }
    lift_result_free(&r);
    isa_jit_destroy(jit);
    return wrong;
}

static void bed_open(struct bed *t) {
    fake_gpu_init(&t->gpu);
    t->code = fake_gpu_map(&t->gpu, CODE_VA, CODE_BYTES);
    t->data = fake_gpu_map(&t->gpu, DATA_VA, DATA_BYTES);
    t->scratch = fake_gpu_map(&t->gpu, SCRATCH_VA, SCRATCH_BYTES);
    t->d = (struct isa_dispatch){.arch = t->arch,
                                 .host = &t->gpu.host,
                                 .entry_va = CODE_VA,
                                 .wave_size = t->wave_size,
                                 .pgm_rsrc1 = (t->wave_size == 64 ? 7 : 3) | t->mode,
                                 .group_size = {t->wave_size, 1, 1},
                                 .lds_bytes = LDS_BYTES,
                                 .scratch_base_va = SCRATCH_VA,
                                 .scratch_wave_bytes = SCRATCH_BYTES,
                                 .shared_aperture = UINT64_C(1) << 48,
                                 .private_aperture = UINT64_C(2) << 48};
    t->g = isa_group_create(&t->d);
    t->page = calloc(1, sizeof *t->page);
    assert_true(t->code && t->data && t->scratch && t->g && t->page);
    t->g->code[0] = t->page; /* freed with the group */
}

static void same_state(void **state) {
    (void)state;
    static const uint32_t modes[] = {0xf0 << 12 | 1 << 21 | 1 << 23, 0xc0 << 12 | 1 << 21,
                                     0xf0 << 12, 0xc0 << 12 | 1 << 21 | 1 << 23};
    unsigned wrong = 0, runs = 0;
    for (unsigned b = 0; b < batches; b++)
        for (unsigned arch = 0; arch < ISA_ARCH_COUNT; arch++)
            for (unsigned wave = 32; wave <= 64; wave *= 2) {
                struct bed t = {
                    .arch = (enum isa_arch)arch, .wave_size = wave, .mode = modes[(b + runs) % 4]};
                bed_open(&t);
                wrong += batch(&t);
                isa_group_destroy(t.g);
                fake_gpu_fini(&t.gpu);
                runs++;
            }
    print_message("%u programs, %u wrong\n", runs * PROGRAMS, wrong);
    assert_int_equal(wrong, 0);
}

int main(int argc, char **argv) {
    if (argc > 1) batches = (unsigned)strtoul(argv[1], NULL, 0);
    if (argc > 2) seed = strtoull(argv[2], NULL, 0);
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_state)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
