/* SPDX-License-Identifier: MIT */
/* isa-replay FILE.vec [-v] [--mcpu NAME]: replays instruction vectors (vectors/README.md) and
 * checks the registers they assert. Exit status 0 only if none failed. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/emulator/isa/wave.h"
#include "tests/isa/fake_gpu.h"

enum { MAX_CODE = 65536, MAX_CHECKS = 4096, MAX_PARTS = 8 };

#define CODE_VA    UINT64_C(0x200000010000)
#define KERNARG_VA UINT64_C(0x200000100000)
#define OUT_VA     UINT64_C(0x200000200000)
#define SCRATCH_VA UINT64_C(0x200001000000)
enum { OUT_BYTES = 65536, LDS_BYTES = 65536, SCRATCH_LANE_BYTES = 65536, STEP_LIMIT = 10000 };

struct part {
    char kind[8];
    unsigned index, lane, src_bit, bits, dst_bit;
};

struct check {
    bool pred;
    char fmt[16], op[16];
    int abs;
    uint64_t a, b; /* pred: double bits; exact: mask, value */
    struct part parts[MAX_PARTS];
    unsigned part_count; /* exact: 1 */
};

struct vector {
    char id[256], mcpu[32], profile[16], needs[128];
    unsigned wave, lanes, poison_ok;
    uint8_t code[MAX_CODE];
    unsigned code_bytes;
    struct check checks[MAX_CHECKS];
    unsigned check_count;
};

static uint32_t read_register(const struct isa_group *g, const struct part *p) {
    const struct wave *w0 = &g->waves[0];
    if (!strcmp(p->kind, "v")) {
        const struct wave *w = &g->waves[p->lane / g->d.wave_size];
        unsigned lane = p->lane % g->d.wave_size;
        return w->v[lane / 32 * ISA_VGPRS + p->index][lane % 32];
    }
    if (!strcmp(p->kind, "s")) return w0->s[p->index];
    if (!strcmp(p->kind, "vcc")) return w0->s[ISA_SRC_VCC_LO];
    if (!strcmp(p->kind, "exec")) return w0->s[ISA_SRC_EXEC_LO];
    return w0->scc;
}

static double half_value(uint32_t h) {
    uint32_t e = h >> 10 & 31, f = h & 0x3ff;
    double v = e == 31 ? (f ? NAN : INFINITY) : ldexp(e ? f | 0x400 : f, e ? (int)e - 25 : -24);
    return h & 0x8000 ? -v : v;
}

static double raw_value(const char *fmt, uint64_t raw) {
    double d;
    float f;
    uint32_t lo = (uint32_t)raw;
    if (!strcmp(fmt, "f16")) return half_value(lo & 0xffff);
    if (!strcmp(fmt, "f32")) return memcpy(&f, &lo, 4), f;
    if (!strcmp(fmt, "f64")) return memcpy(&d, &raw, 8), d;
    return (double)raw;
}

static double bits_double(uint64_t bits) {
    double d;
    memcpy(&d, &bits, 8);
    return d;
}

static bool holds(const char *op, double x, double a, double b) {
    if (!strcmp(op, "range")) return a <= x && x <= b;
    if (!strcmp(op, "lt")) return x < a;
    if (!strcmp(op, "le")) return x <= a;
    if (!strcmp(op, "gt")) return x > a;
    if (!strcmp(op, "ge")) return x >= a;
    if (!strcmp(op, "ne")) return x != a;
    if (!strcmp(op, "isnan")) return isnan(x);
    if (!strcmp(op, "isinf")) return isinf(x);
    if (!strcmp(op, "not_isnan")) return !isnan(x);
    if (!strcmp(op, "not_isinf")) return !isinf(x);
    return false;
}

/* Fills why with the first check that does not hold. */
static bool evaluate(const struct vector *v, const struct isa_group *g, char *why, size_t size) {
    for (unsigned i = 0; i < v->check_count; i++) {
        const struct check *c = &v->checks[i];
        if (!c->pred) {
            const struct part *p = &c->parts[0];
            uint32_t got = read_register(g, p);
            if ((got & c->a) == c->b) continue;
            snprintf(why, size, "%s%u lane %u: %08x & %08" PRIx64 " is not %08" PRIx64, p->kind,
                     p->index, p->lane, got, c->a, c->b);
            return false;
        }
        uint64_t raw = 0;
        for (unsigned k = 0; k < c->part_count; k++) {
            const struct part *p = &c->parts[k];
            uint64_t bits = read_register(g, p) >> p->src_bit & ((UINT64_C(1) << p->bits) - 1);
            raw |= bits << p->dst_bit;
        }
        double x = raw_value(c->fmt, raw);
        if (c->abs) x = fabs(x);
        if (holds(c->op, x, bits_double(c->a), bits_double(c->b))) continue;
        snprintf(why, size, "%s%u lane %u: %s %g (%" PRIx64 ") not %s %g %g", c->parts[0].kind,
                 c->parts[0].index, c->parts[0].lane, c->fmt, x, raw, c->op, bits_double(c->a),
                 bits_double(c->b));
        return false;
    }
    return true;
}

/* Initial registers. fill 0: the profile's zeroes; else a poisoned start (0x5a or 0xa5). */
static void set_state(const struct vector *v, struct isa_group *g, unsigned fill) {
    for (unsigned n = 0; n < g->wave_count; n++) {
        struct wave *w = &g->waves[n];
        for (unsigned r = 0; r < ISA_VGPRS; r++)
            for (unsigned l = 0; l < v->wave; l++)
                w->v[l / 32 * ISA_VGPRS + r][l % 32] = fill ? (fill << 24) + 256 * r + l : 0;
        for (unsigned r = 0; r < ISA_SRC_VCC_LO; r++)
            w->s[r] = fill ? (fill << 24) + 256 * r : 0;
        w->s[ISA_SRC_VCC_LO] = w->s[ISA_SRC_VCC_LO + 1] = fill * 0x01010101u;
        w->scc = fill == 0xa5;
        w->s[80] = (uint32_t)KERNARG_VA;
        w->s[81] = (uint32_t)(KERNARG_VA >> 32);
        bool bare = !strcmp(v->profile, "bare");
        if (bare) w->s[0] = w->s[80], w->s[1] = w->s[81];
        for (unsigned l = 0; l < v->wave; l++) {
            unsigned id = n * v->wave + l;
            w->v[l / 32 * ISA_VGPRS + 255][l % 32] = id;
            if (bare) w->v[l / 32 * ISA_VGPRS][l % 32] = id;
        }
    }
    memset(g->lds, (int)fill, g->lds_bytes);
}

static bool run(const struct vector *v, struct fake_gpu *f, enum isa_arch arch, unsigned fill,
                char *why, size_t size) {
    struct isa_dispatch d = {
        .arch = arch,
        .host = &f->host,
        .name = v->id,
        .entry_va = CODE_VA,
        .wave_size = v->wave,
        /* 256 VGPRs; f32 denormals flushed, others kept; DX10_CLAMP, IEEE_MODE. */
        .pgm_rsrc1 = 0x3f | 0xc0 << 12 | (arch == ISA_GFX12 ? 0 : 1 << 21 | 1 << 23),
        .group_size = {v->lanes, 1, 1},
        .lds_bytes = arch == ISA_GFX12 ? 0 : LDS_BYTES,
        .scratch_base_va = SCRATCH_VA,
        .scratch_wave_bytes = SCRATCH_LANE_BYTES * 64,
        .shared_aperture = UINT64_C(0x2000) << 48,
        .private_aperture = UINT64_C(0x1000) << 48,
    };
    struct isa_group *g = isa_group_create(&d);
    if (!g) {
        snprintf(why, size, "no work-group");
        return false;
    }
    for (unsigned i = 0; i < f->count; i++)
        if (f->maps[i].va != CODE_VA &&
            (f->maps[i].va != SCRATCH_VA || strstr(v->needs, "scratch")))
            memset(f->maps[i].host, (int)fill, f->maps[i].size);
    uint64_t out = OUT_VA;
    memcpy(f->maps[1].host, &out, 8);
    struct isa_group_start s = {.size = {v->lanes, 1, 1}};
    isa_group_start(g, &s);
    set_state(v, g, fill);
    enum isa_end end = isa_group_run(g, STEP_LIMIT);
    bool ok = end == ISA_DONE;
    if (ok) {
        ok = evaluate(v, g, why, size);
    } else if (end == ISA_YIELD) {
        snprintf(why, size, "step limit");
    } else {
        struct isa_report r;
        isa_group_report(g, &r);
        snprintf(why, size, "%s", r.text);
    }
    isa_group_destroy(g);
    return ok;
}

/* --- parsing --- */

static bool parse_part(const char *text, struct part *p) {
    return sscanf(text, "%7[^:]:%u:%u:%u:%u:%u", p->kind, &p->index, &p->lane, &p->src_bit,
                  &p->bits, &p->dst_bit) == 6;
}

static bool parse_check(struct vector *v, char *line) {
    if (v->check_count == MAX_CHECKS) return false;
    struct check *c = &v->checks[v->check_count++];
    memset(c, 0, sizeof *c);
    if (line[0] == 'E') {
        struct part *p = &c->parts[0];
        c->part_count = 1;
        return sscanf(line, "E %7s %u %u %" SCNx64 " %" SCNx64, p->kind, &p->index, &p->lane, &c->a,
                      &c->b) == 5;
    }
    c->pred = true;
    int used = 0;
    if (sscanf(line, "P %15s %15s %d %" SCNx64 " %" SCNx64 "%n", c->fmt, c->op, &c->abs, &c->a,
               &c->b, &used) != 5)
        return false;
    char *rest = NULL;
    for (char *t = strtok_r(line + used, " \n", &rest); t; t = strtok_r(NULL, " \n", &rest))
        if (c->part_count == MAX_PARTS || !parse_part(t, &c->parts[c->part_count++])) return false;
    return c->part_count > 0;
}

static bool parse_code(struct vector *v, const char *hex) {
    v->code_bytes = 0;
    while (isxdigit((unsigned char)hex[0]) && isxdigit((unsigned char)hex[1])) {
        unsigned byte;
        if (v->code_bytes == MAX_CODE || sscanf(hex, "%2x", &byte) != 1) return false;
        v->code[v->code_bytes++] = (uint8_t)byte;
        hex += 2;
    }
    return v->code_bytes > 0;
}

/* The next vector. 1: read, 0: end of file, -1: malformed. */
static int next_vector(FILE *in, struct vector *v) {
    static char line[1 << 18];
    v->check_count = 0;
    v->id[0] = 0;
    while (fgets(line, sizeof line, in)) {
        bool ok = true;
        switch (line[0]) {
        case 'T':
            ok = sscanf(line, "T %255[^\n]", v->id) == 1;
            break;
        case 'A':
            ok = sscanf(line, "A %31s %u %u %15s %u", v->mcpu, &v->wave, &v->lanes, v->profile,
                        &v->poison_ok) == 5;
            break;
        case 'N':
            ok = sscanf(line, "N %127s", v->needs) == 1;
            break;
        case 'C':
            ok = parse_code(v, line + 2);
            break;
        case 'E':
        case 'P':
            ok = parse_check(v, line);
            break;
        case '.':
            return v->id[0] ? 1 : -1;
        default:
            ok = line[0] == '\n' || line[0] == '#';
        }
        if (!ok) return -1;
    }
    return v->id[0] ? -1 : 0;
}

static bool arch_of(const char *mcpu, enum isa_arch *arch) {
    if (!strncmp(mcpu, "gfx115", 6))
        *arch = ISA_GFX11_5;
    else if (!strncmp(mcpu, "gfx11", 5))
        *arch = ISA_GFX11;
    else if (!strncmp(mcpu, "gfx12", 5))
        *arch = ISA_GFX12;
    else
        return false;
    return true;
}

static bool replay(const struct vector *v, enum isa_arch arch) {
    struct fake_gpu f;
    char why[400];
    static const unsigned fills[] = {0, 0x5a, 0xa5};
    bool ok = true;
    fake_gpu_init(&f);
    uint8_t *code = fake_gpu_map(&f, CODE_VA, (MAX_CODE + 4096u) & ~4095u);
    bool mapped = code && fake_gpu_map(&f, KERNARG_VA, 4096) &&
                  fake_gpu_map(&f, OUT_VA, OUT_BYTES) &&
                  fake_gpu_map(&f, SCRATCH_VA, 2u * SCRATCH_LANE_BYTES * 64);
    if (!mapped) {
        printf("FAIL %s: no memory\n", v->id);
        ok = false;
    } else {
        memcpy(code, v->code, v->code_bytes);
    }
    for (unsigned i = 0; ok && i < (v->poison_ok ? 3u : 1u); i++) {
        ok = run(v, &f, arch, fills[i], why, sizeof why);
        if (!ok) printf("FAIL %s (start %02x): %s\n", v->id, fills[i], why);
    }
    fake_gpu_fini(&f);
    return ok;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: isa-replay FILE.vec [--mcpu NAME]\n");
        return 2;
    }
    const char *only = argc == 4 && !strcmp(argv[2], "--mcpu") ? argv[3] : NULL;
    FILE *in = fopen(argv[1], "r");
    struct vector *v = calloc(1, sizeof *v);
    if (!in || !v) {
        fprintf(stderr, "isa-replay: cannot read %s\n", argv[1]);
        return 2;
    }
    unsigned passed = 0, failed = 0, skipped = 0;
    int more;
    while ((more = next_vector(in, v)) > 0) {
        enum isa_arch arch;
        if (!arch_of(v->mcpu, &arch) || (only && strcmp(only, v->mcpu)))
            skipped++;
        else if (replay(v, arch))
            passed++;
        else
            failed++;
    }
    if (more < 0) {
        fprintf(stderr, "isa-replay: malformed vector after %u\n", passed + failed + skipped);
        failed++;
    }
    fclose(in);
    free(v);
    printf("%u passed, %u failed, %u skipped\n", passed, failed, skipped);
    return failed ? 1 : 0;
}
