/* SPDX-License-Identifier: MIT */
/* jit_run.c - the table of compiled code, and its hooks in decoded pages. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "driver/emulator/isa/jit_abi.h"
#include "driver/emulator/isa/jit_run.h"

struct published {
    uint64_t va;
    uint8_t *code; /* copy, object->code_size bytes */
    const struct jit_object *object;
};

struct isa_jit {
    pthread_mutex_t lock;
    struct published *p;
    unsigned count, room;
};

struct isa_jit *isa_jit_create(void) {
    struct isa_jit *j = calloc(1, sizeof *j);
    if (j) pthread_mutex_init(&j->lock, NULL);
    return j;
}

void isa_jit_destroy(struct isa_jit *j) {
    if (!j) return;
    for (unsigned i = 0; i < j->count; i++)
        free(j->p[i].code);
    free(j->p);
    pthread_mutex_destroy(&j->lock);
    free(j);
}

/* Compiled for no more than what the interpreter uses here. */
static bool host_can(uint32_t host) {
    const struct isa_variant *v = isa_pick_variant();
    if (v == &isa_variant_v4) return host <= JIT_HOST_V4;
    return host <= (uint32_t)(v == &isa_variant_v3 ? JIT_HOST_V3 : JIT_HOST_BASE);
}

static bool valid(const struct jit_object *o) {
    return o && o->magic == JIT_MAGIC && o->version == JIT_VERSION && o->layout == jit_layout() &&
           host_can(o->host) && o->code_size && (o->entries || !o->entry_count);
}

static bool same_facts(const struct jit_object *a, const struct jit_object *b) {
    return a->mode == b->mode && a->wave_size == b->wave_size && a->vgpr_limit == b->vgpr_limit &&
           a->shared_aperture == b->shared_aperture && a->private_aperture == b->private_aperture;
}

static int add(struct isa_jit *j, uint64_t va, const void *code, const struct jit_object *o) {
    for (unsigned i = 0; i < j->count; i++)
        if (j->p[i].va == va && same_facts(j->p[i].object, o)) return -EEXIST;
    if (j->count == j->room) {
        unsigned room = j->room ? j->room * 2 : 16;
        struct published *p = realloc(j->p, room * sizeof *p);
        if (!p) return -ENOMEM;
        j->p = p;
        j->room = room;
    }
    uint8_t *copy = malloc(o->code_size);
    if (!copy) return -ENOMEM;
    memcpy(copy, code, o->code_size);
    j->p[j->count++] = (struct published){.va = va, .code = copy, .object = o};
    return 0;
}

int isa_jit_publish(struct isa_jit *j, uint64_t va, const void *code,
                    const struct jit_object *object) {
    if (!j || !code || !valid(object)) return -EINVAL;
    pthread_mutex_lock(&j->lock);
    int err = add(j, va, code, object);
    pthread_mutex_unlock(&j->lock);
    if (!err) isa_invalidate_code();
    return err;
}

void isa_jit_withdraw(struct isa_jit *j, uint64_t va, uint64_t size) {
    bool any = false;
    if (!j) return;
    pthread_mutex_lock(&j->lock);
    for (unsigned i = 0; i < j->count;) {
        const struct published *p = &j->p[i];
        if (p->va >= va + size || va >= p->va + p->object->code_size) {
            i++;
            continue;
        }
        free(p->code);
        j->p[i] = j->p[--j->count];
        any = true;
    }
    pthread_mutex_unlock(&j->lock);
    if (any) isa_invalidate_code();
}

/* --- hooks --- */

static bool matches(const struct isa_group *g, const struct jit_object *o) {
    return o->arch == g->d.arch && o->wave_size == g->d.wave_size &&
           o->vgpr_limit == g->vgpr_limit && o->shared_aperture == g->d.shared_aperture &&
           o->private_aperture == g->d.private_aperture;
}

/* Does memory hold the code? Piece by piece, and no further than the first difference, so that
 * addresses that are no code any more are not touched. */
static bool memory_holds(struct isa_group *g, const struct published *p) {
    for (unsigned i = 0; i < sizeof g->jit_checked / sizeof *g->jit_checked; i++)
        if (g->jit_checked[i] == p->object) return true;
    uint8_t piece[256];
    for (uint64_t at = 0; at < p->object->code_size;) {
        uint64_t n = p->object->code_size - at;
        if (n > sizeof piece) n = sizeof piece;
        if (!isa_mem_read(g, ISA_CLIENT_INST, ISA_EXEC, p->va + at, piece, (unsigned)n) ||
            memcmp(piece, p->code + at, n))
            return false;
        at += n;
    }
    memmove(g->jit_checked + 1, g->jit_checked, sizeof g->jit_checked - sizeof *g->jit_checked);
    g->jit_checked[0] = p->object;
    return true;
}

static void hook(struct isa_group *g, struct code_page *page, const struct published *p) {
    const struct jit_object *o = p->object;
    for (uint32_t i = 0; i < o->entry_count; i++) {
        uint64_t at = p->va + o->entries[i].offset - page->va;
        if (at >= CODE_PAGE_BYTES) continue;
        struct xinst *x = &page->x[at / 4];
        x->fn = g->variant->jit_enter;
        x->s[0] = (uintptr_t)o->entries[i].fn;
        x->s[1] = p->va;
        x->s[2] = o->mode;
        x->imm = (int32_t)o->entries[i].number;
    }
}

void isa_jit_hook(struct wave *w, struct code_page *page) {
    struct isa_group *g = w->g;
    struct isa_jit *j = g->d.jit;
    pthread_mutex_lock(&j->lock);
    for (unsigned i = 0; i < j->count; i++) {
        const struct published *p = &j->p[i];
        if (p->va >= page->va + CODE_PAGE_BYTES || page->va >= p->va + p->object->code_size)
            continue;
        if (matches(g, p->object) && memory_holds(g, p)) hook(g, page, p);
    }
    pthread_mutex_unlock(&j->lock);
}
