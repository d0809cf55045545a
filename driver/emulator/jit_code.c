/* SPDX-License-Identifier: MIT */
#include "driver/emulator/jit_code.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "driver/emulator/isa/decode.h"

enum { MAX_DWORDS = 5, MAX_STARTS = 4096, SGPRS = 128 };

struct walk {
    enum isa_arch arch;
    const uint8_t *window;
    size_t size;
    uint8_t *seen;           /* per dword: an instruction that was decoded begins here */
    size_t todo[MAX_STARTS]; /* offsets still to be followed */
    unsigned todo_count;
    /* s_getpc_b64 and what is added to it, by the first of the two SGPRs: how code names functions
     * and far branch targets (LLVM AMDGPUInstrInfo, SI_PC_ADD_REL_OFFSET and branch relaxation). */
    int64_t pc[SGPRS];
    bool known[SGPRS];
    struct jit_extent *out;
};

static void later(struct walk *w, int64_t off) {
    if (off < 0 || off % 4 || (size_t)off >= w->size || w->seen[off / 4]) return;
    if (w->todo_count < MAX_STARTS) w->todo[w->todo_count++] = (size_t)off;
}

static void call(struct walk *w, int64_t off) {
    struct jit_extent *o = w->out;
    if (off < 0 || off % 4 || (size_t)off >= w->size || o->calls == JIT_CALLS_MAX) return;
    for (unsigned i = 0; i < o->calls; i++)
        if (o->call[i] == (size_t)off) return;
    o->call[o->calls++] = (size_t)off;
}

static bool is(const struct isa_inst *in, const char *prefix) {
    return !strncmp(in->op->name, prefix, strlen(prefix));
}

/* s_add_u32 d, d, constant behind s_getpc_b64 d. */
static void add_to_pc(struct walk *w, const struct isa_inst *in) {
    uint32_t d = in->f[ISA_F_sdst], a = in->f[ISA_F_ssrc0], b = in->f[ISA_F_ssrc1];
    if (d >= SGPRS || a != d || !w->known[d]) return;
    if (b == ISA_SRC_LITERAL && in->has_literal)
        w->pc[d] += (int32_t)in->literal;
    else if (b >= ISA_SRC_INT0 && b <= ISA_SRC_INT0 + 64)
        w->pc[d] += (int64_t)b - ISA_SRC_INT0;
    else
        w->known[d] = false;
}

/* Follows what the instruction does to the program counter; false: nothing comes after it.
 */
static bool follow(struct walk *w, const struct isa_inst *in, size_t next) {
    uint32_t src = in->f[ISA_F_ssrc0], dst = in->f[ISA_F_sdst];
    int64_t label = (int64_t)next + 4 * (int64_t)(int16_t)in->f[ISA_F_simm16];
    switch ((enum isa_format)in->op->format) {
    case ISA_FMT_SOPP:
        if (is(in, "S_BRANCH") || is(in, "S_CBRANCH")) later(w, label);
        return !is(in, "S_BRANCH") && !is(in, "S_ENDPGM") && !is(in, "S_CODE_END");
    case ISA_FMT_SOPK:
        if (is(in, "S_CALL_B64")) call(w, label);
        return true;
    case ISA_FMT_SOP1:
        if (is(in, "S_GETPC_B64") && dst < SGPRS) {
            w->pc[dst] = (int64_t)next;
            w->known[dst] = true;
        }
        if ((is(in, "S_SWAPPC_B64") || is(in, "S_SETPC_B64")) && src < SGPRS && w->known[src])
            call(w, w->pc[src]);
        return !is(in, "S_SETPC_B64") && !is(in, "S_RFE");
    case ISA_FMT_SOP2:
        if (is(in, "S_ADD_U32") || is(in, "S_ADD_CO_U32")) add_to_pc(w, in);
        return true;
    default:
        return true;
    }
}

static void run(struct walk *w, size_t off) {
    struct jit_extent *o = w->out;
    memset(w->known, 0, sizeof w->known);
    while (off < w->size && !w->seen[off / 4]) {
        uint32_t dw[MAX_DWORDS];
        struct isa_inst in;
        size_t n = (w->size - off) / 4;
        if (n > MAX_DWORDS) n = MAX_DWORDS;
        memcpy(dw, w->window + off, n * 4);
        int len = isa_decode(w->arch, dw, (unsigned)n, &in);
        if (len <= 0) return;
        size_t next = off + 4 * (size_t)len;
        w->seen[off / 4] = 1;
        o->instructions++;
        if (off < o->lo) o->lo = off;
        if (next > o->hi) o->hi = next;
        if (!follow(w, &in, next)) return;
        off = next;
    }
}

int jit_code_extent(enum isa_arch arch, const uint8_t *window, size_t size, size_t entry,
                    struct jit_extent *out) {
    *out = (struct jit_extent){.lo = SIZE_MAX};
    struct walk *w = malloc(sizeof *w);
    uint8_t *seen = calloc(size / 4 + 1, 1);
    int err = w && seen ? 0 : -ENOMEM;
    if (!err) {
        *w = (struct walk){.arch = arch, .window = window, .size = size, .seen = seen, .out = out};
        later(w, (int64_t)entry);
        while (w->todo_count)
            run(w, w->todo[--w->todo_count]);
        if (!out->instructions) err = -ENOEXEC;
    }
    free(seen);
    free(w);
    return err;
}
