/* SPDX-License-Identifier: MIT */
/* code.c - pages of decoded instructions. A page is decoded entry by entry when control first
 * reaches it and stays until the instruction cache is invalidated, as on silicon. */
#include <stdlib.h>
#include <string.h>

#include "driver/emulator/isa/wave.h"

struct code_block {
    struct code_block *next;
    unsigned used, size;
    _Alignas(16) uint8_t bytes[];
};

static unsigned bucket(const struct isa_group *g, uint64_t va) {
    return va / CODE_PAGE_BYTES % (sizeof g->code / sizeof *g->code);
}

static struct code_page *page_new(struct isa_group *g, uint64_t va) {
    struct code_page *p = malloc(sizeof *p);
    if (!p) return NULL;
    memset(p, 0, sizeof *p);
    p->va = va;
    for (unsigned i = 0; i < CODE_PAGE_DWORDS; i++)
        p->x[i].fn = g->variant->decode_here;
    for (unsigned i = CODE_PAGE_DWORDS; i < CODE_PAGE_DWORDS + CODE_MAX_INST_DWORDS; i++)
        p->x[i].fn = g->variant->cross_page;
    p->next = g->code[bucket(g, va)];
    g->code[bucket(g, va)] = p;
    return p;
}

/* Executors go to x + x->len: that is the entry that ends the step. */
static struct code_page *step_page_new(struct isa_group *g, uint64_t va, struct code_page **slot) {
    struct code_page *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->va = va;
    p->step = true;
    for (unsigned i = 0; i + 1 < CODE_PAGE_DWORDS; i += 2) {
        p->x[i].fn = g->variant->decode_here;
        p->x[i + 1].fn = g->variant->step_end;
    }
    p->next = *slot;
    return *slot = p;
}

uint32_t isa_step(struct wave *w, uint64_t va) {
    struct isa_group *g = w->g;
    enum { BYTES = CODE_PAGE_BYTES / 2 };
    uint64_t base = va & ~(uint64_t)(BYTES - 1);
    struct code_page **slot = &g->steps[va / BYTES % (sizeof g->steps / sizeof *g->steps)];
    struct code_page *p = *slot;
    while (p && p->va != base)
        p = p->next;
    if (!p) p = step_page_new(g, base, slot);
    if (!p) {
        w->pc = va;
        isa_stop_illegal(w, NULL, true, "no host memory for decoded code");
        return 1;
    }
    g->touched = true;
    w->page = p;
    struct xinst *x = &p->x[(va - base) / 2];
    if (x->fn == g->variant->decode_here && !isa_code_decode(w, x)) return 1;
    x->fn(w, x);
    return w->exit != EXIT_NONE;
}

const struct xinst *isa_code_at(struct wave *w, uint64_t va) {
    struct isa_group *g = w->g;
    uint64_t base = va & ~(uint64_t)(CODE_PAGE_BYTES - 1);
    struct code_page *p = g->code[bucket(g, base)];
    while (p && p->va != base)
        p = p->next;
    if (!p) {
        p = page_new(g, base);
        if (p && g->d.jit) isa_jit_hook(w, p);
    }
    if (!p) {
        w->pc = va;
        return isa_stop_illegal(w, NULL, true, "no host memory for decoded code");
    }
    w->page = p;
    return &p->x[(va - base) / 4];
}

uint64_t isa_code_pc(const struct wave *w, const struct xinst *x) {
    uint64_t n = (uint64_t)(x - w->page->x);
    return w->page->va + (w->page->step ? n / 2 : n) * 4;
}

/* Reads as many dwords as the instruction may have and memory holds. */
static unsigned fetch(struct wave *w, uint64_t va, uint32_t *dw) {
    unsigned n = 0;
    while (n < CODE_MAX_INST_DWORDS) {
        if (n && (va + 4 * n) % CODE_PAGE_BYTES == 0) {
            /* The next page is touched only if the instruction reaches into it. */
            struct isa_inst inst;
            if (isa_decode(w->g->d.arch, dw, n, &inst) != -ISA_DECODE_TRUNCATED) break;
        }
        if (!isa_mem_read(w->g, ISA_CLIENT_INST, ISA_EXEC, va + 4 * n, &dw[n], 4)) break;
        n++;
    }
    return n;
}

/* Formats whose instructions may use their own address or the next one's. */
static bool is_scalar_flow(enum isa_format f) {
    return f == ISA_FMT_SOP1 || f == ISA_FMT_SOPK || f == ISA_FMT_SOPP;
}

/* Lets x continue behind the hints that follow it: execution is in order here, so they do nothing.
 * n dwords have been read. A jump to a hint still finds it. */
static void skip_nops(enum isa_arch arch, const uint32_t *dw, unsigned n, struct xinst *x) {
    static const char *const hints[] = {"S_DELAY_ALU",  "S_CLAUSE",    "S_WAITCNT",
                                        "S_NOP",        "S_WAIT_ALU",  "S_WAIT_LOADCNT",
                                        "S_WAIT_DSCNT", "S_WAIT_KMCNT"};
    while (x->len < n) {
        struct isa_inst inst;
        bool hint = false;
        if (isa_decode(arch, &dw[x->len], n - x->len, &inst) != 1) return;
        for (unsigned i = 0; i < sizeof hints / sizeof *hints; i++)
            hint |= !strcmp(inst.op->name, hints[i]);
        if (!hint) return;
        x->len++;
    }
}

bool isa_code_decode(struct wave *w, struct xinst *x) {
    uint64_t va = isa_code_pc(w, x);
    uint32_t dw[CODE_MAX_INST_DWORDS] = {0};
    unsigned n = fetch(w, va, dw);
    struct isa_inst inst;
    int len = n ? isa_decode(w->g->d.arch, dw, n, &inst) : -ISA_DECODE_TRUNCATED;
    if (len == -ISA_DECODE_TRUNCATED) {
        isa_stop_fault(w, x, 0, va + 4 * n, "instruction fetch");
        return false;
    }
    if (len < 0) {
        isa_stop_illegal(w, x, false,
                         len == -ISA_DECODE_BAD_FORM ? "encoding that the instruction does not have"
                                                     : "no such instruction");
        return false;
    }
    struct xinst fresh = {.len = (uint8_t)len};
    w->g->variant->bind(w->g, w->page, &inst, &fresh, va);
    if (w->page->step)
        fresh.len = 1;
    else if (!is_scalar_flow(inst.op->format))
        skip_nops(w->g->d.arch, dw, n, &fresh);
    *x = fresh;
    return true;
}

static void drop_pages(struct code_page **head) {
    while (*head) {
        struct code_page *p = *head;
        *head = p->next;
        while (p->blocks) {
            struct code_block *b = p->blocks;
            p->blocks = b->next;
            free(b);
        }
        free(p);
    }
}

void isa_code_drop(struct isa_group *g) {
    for (unsigned i = 0; i < sizeof g->code / sizeof *g->code; i++)
        drop_pages(&g->code[i]);
    for (unsigned i = 0; i < sizeof g->steps / sizeof *g->steps; i++)
        drop_pages(&g->steps[i]);
    memset(g->jit_checked, 0, sizeof g->jit_checked);
}

void *isa_code_alloc(struct code_page *page, unsigned bytes) {
    bytes = (bytes + 15u) & ~15u;
    struct code_block *b = page->blocks;
    if (!b || b->size - b->used < bytes) {
        unsigned size = bytes > 4096 ? bytes : 4096;
        b = malloc(sizeof *b + size);
        if (!b) return NULL;
        *b = (struct code_block){.next = page->blocks, .size = size};
        page->blocks = b;
    }
    void *p = b->bytes + b->used;
    b->used += bytes;
    memset(p, 0, bytes);
    return p;
}
