/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "driver/emulator/isa/jit_abi.h"
#include "driver/emulator/jit_code.h"
#include "driver/emulator/jit_priv.h"

/* A kernel's time in the interpreter, all dispatches together, before it is looked up among what
 * was compiled before (that takes about 0.1 ms of the other thread), and before it is compiled (15
 * to 100 ms of another process for a small kernel). */
enum { LOOK_NS = 200 * 1000, ASK_NS = 2 * 1000 * 1000 };
enum { WINDOW_BYTES = 512 << 10 }; /* of code that is looked at, to either side of the entry */

enum stage { STAGE_COLD, STAGE_LOOKED, STAGE_ASKED };

static struct jit *jit_of(struct gpu *g) {
    return *gpu_slot(g, GPU_SLOT_JIT);
}

void jit_init(struct gpu *g) {
    const char *how = getenv("RAWCL_EMU_JIT");
    const struct emu_config *config = gpu_config(g);
    if (!config->jit_compile || (how && (!strcmp(how, "0") || !strcmp(how, "off")))) return;
    struct jit *j = calloc(1, sizeof *j);
    if (!j) return;
    j->table = isa_jit_create();
    if (!j->table) {
        free(j);
        return;
    }
    pthread_mutex_init(&j->lock, NULL);
    pthread_mutex_init(&j->counter_lock, NULL);
    pthread_cond_init(&j->work, NULL);
    pthread_cond_init(&j->settled, NULL);
    j->owners = 1;
    j->sync = how && !strcmp(how, "sync");
    j->g = g;
    j->compile = config->jit_compile;
    j->compile_ctx = config->jit_ctx;
    j->queue_end = &j->queue;
    *gpu_slot(g, GPU_SLOT_JIT) = j;
}

void jit_quit(struct gpu *g) {
    struct jit *j = jit_of(g);
    if (!j) return;
    pthread_mutex_lock(&j->lock);
    j->quitting = true;
    pthread_cond_broadcast(&j->settled);
    pthread_mutex_unlock(&j->lock);
}

void jit_fini(struct gpu *g) {
    struct jit *j = jit_of(g);
    if (!j) return;
    *gpu_slot(g, GPU_SLOT_JIT) = NULL;
    pthread_mutex_lock(&j->lock);
    j->closing = true;
    isa_jit_destroy(j->table);
    j->table = NULL;
    j->g = NULL;
    pthread_cond_broadcast(&j->work);
    jit_release(j);
}

void jit_code_changed(struct gpu *g) {
    struct jit *j = jit_of(g);
    if (j) atomic_fetch_add(&j->epoch, 1);
}

void emu_get_jit_counters(struct bus *bus, struct emu_jit_counters *out) {
    struct jit *j = jit_of((struct gpu *)bus);
    *out = (struct emu_jit_counters){0};
    if (!j) return;
    pthread_mutex_lock(&j->counter_lock);
    *out = j->counters;
    pthread_mutex_unlock(&j->counter_lock);
}

/* ---- code in memory ---- */

/* The contiguous memory around va that may be executed. No message where there is none: waves that
 * get there will say so. */
static bool window_at(struct gpu *g, uint64_t va, const uint8_t **host, uint64_t *lo,
                      uint64_t *size) {
    struct gpu_xlat x;
    if (gpu_translate(g, HUB_GC, AGENT_SHADER, GPU_EXEC, va, &x)) return false;
    uint64_t from = x.va, to = x.va + x.size;
    if (va - from > WINDOW_BYTES) from = va - WINDOW_BYTES;
    if (to - va > WINDOW_BYTES) to = va + WINDOW_BYTES;
    from = (from + 3) & ~3ull;
    *host = x.host + (from - x.va);
    *lo = from;
    *size = (to - from) & ~3ull;
    return true;
}

static const uint8_t *code_of(const struct jit_code *c) {
    return (const uint8_t *)(c->request + 1) + c->request->entry_count * sizeof(uint32_t);
}

static bool window_holds(const uint8_t *host, uint64_t lo, uint64_t size,
                         const struct jit_piece *p) {
    uint64_t skip = p->va - lo, n = p->code->request->size;
    return p->va >= lo && skip <= size && n <= size - skip &&
           !memcmp(host + skip, code_of(p->code), n);
}

static enum jit_host host_level(void) {
    const struct isa_variant *v = isa_pick_variant();
    return v == &isa_variant_v4 ? JIT_HOST_V4 : v == &isa_variant_v3 ? JIT_HOST_V3 : JIT_HOST_BASE;
}

/* The request for what begins at an entry; NULL without memory or code. */
static struct jit_code *code_at(struct jit *j, const struct jit_kernel *k, enum isa_arch arch,
                                const uint8_t *window, const struct jit_extent *e, size_t entry) {
    size_t n = e->hi - e->lo, size = sizeof(struct jit_request) + sizeof(uint32_t) + n;
    struct jit_request *r = malloc(size);
    if (!r) return NULL;
    *r = (struct jit_request){.magic = JIT_REQUEST_MAGIC,
                              .version = JIT_VERSION,
                              .layout = jit_layout(),
                              .arch = arch,
                              .wave_size = k->wave_size,
                              .vgpr_limit = k->vgpr_limit,
                              .mode = k->mode,
                              .host = host_level(),
                              .entry_count = 1,
                              .shared_aperture = k->shared_aperture,
                              .private_aperture = k->private_aperture,
                              .size = n};
    uint32_t offset = (uint32_t)(entry - e->lo);
    memcpy(r + 1, &offset, sizeof offset);
    memcpy((uint8_t *)(r + 1) + sizeof offset, window + e->lo, n);
    struct jit_code *c = jit_code_get(j, r, size);
    free(r);
    return c;
}

/* The kernel's pieces: from its entry, and from whatever is called from there on. */
static void discover(struct jit *j, struct jit_kernel *k, enum isa_arch arch) {
    const uint8_t *window;
    uint64_t lo, size;
    struct jit_extent *e = malloc(sizeof *e);
    if (!k->piece) k->piece = calloc(JIT_PIECES_MAX, sizeof *k->piece);
    k->pieces = 0;
    k->epoch = j->epoch;
    if (e && k->piece && window_at(j->g, k->entry_va, &window, &lo, &size)) {
        uint64_t todo[JIT_PIECES_MAX] = {k->entry_va};
        unsigned found = 1;
        for (unsigned i = 0; i < found; i++) {
            size_t entry = todo[i] - lo;
            if (jit_code_extent(arch, window, size, entry, e)) continue;
            struct jit_code *c = code_at(j, k, arch, window, e, entry);
            if (c) k->piece[k->pieces++] = (struct jit_piece){lo + e->lo, todo[i], c, 0};
            for (unsigned n = 0; n < e->calls && found < JIT_PIECES_MAX; n++) {
                bool known = false;
                for (unsigned m = 0; m < found; m++)
                    known |= todo[m] == lo + e->call[n];
                if (!known) todo[found++] = lo + e->call[n];
            }
        }
    }
    free(e);
}

/* ---- what waves may run ---- */

static void publish(struct jit *j, struct jit_piece *p) {
    if (p->code->state != CODE_READY || p->published == j->withdrawals + 1) return;
    /* -EEXIST: another kernel has the same function, or it survived the last withdrawal. */
    isa_jit_publish(j->table, p->va, code_of(p->code), p->code->map.object);
    p->published = j->withdrawals + 1;
}

void jit_publish_code(struct jit *j, const struct jit_code *c) {
    for (unsigned b = 0; b < JIT_BUCKETS; b++)
        for (struct jit_kernel *k = j->bucket[b]; k; k = k->next)
            for (unsigned i = 0; i < k->pieces; i++)
                if (k->piece[i].code == c) publish(j, &k->piece[i]);
}

/* Memory holds something else now. */
static void forget(struct jit *j, struct jit_kernel *k) {
    for (unsigned i = 0; i < k->pieces; i++) {
        struct jit_piece *p = &k->piece[i];
        if (!p->published) continue;
        isa_jit_withdraw(j->table, p->va, p->code->request->size);
        j->withdrawals++;
    }
    k->pieces = 0;
    k->spent_ns = 0;
    k->stage = STAGE_COLD;
    pthread_mutex_lock(&j->counter_lock);
    j->counters.changed++;
    pthread_mutex_unlock(&j->counter_lock);
}

/* Only what lies around the entry is looked at, as when the pieces were found: the rest need not be
 * mapped any more. */
static void compare(struct jit *j, struct jit_kernel *k) {
    uint64_t epoch = j->epoch, lo, size;
    const uint8_t *host;
    if (k->epoch == epoch || !k->pieces) return;
    bool same = window_at(j->g, k->entry_va, &host, &lo, &size);
    for (unsigned i = 0; same && i < k->pieces; i++)
        same = window_holds(host, lo, size, &k->piece[i]);
    if (same)
        k->epoch = epoch;
    else
        forget(j, k);
}

/* ---- kernels ---- */

/* As the interpreter allocates VGPRs and sets MODE at launch (isa/isa.c, isa/launch.c). If this
 * were wrong compiled code would not be used. */
static void facts(const struct isa_dispatch *d, struct jit_kernel *k) {
    unsigned vgprs = ((d->pgm_rsrc1 & 63) + 1) * (d->wave_size == 64 ? 4 : 8);
    uint32_t mode = d->pgm_rsrc1 >> 12 & 0xff;
    if (d->arch != ISA_GFX12) mode |= (d->pgm_rsrc1 >> 21 & 1) << 8 | (d->pgm_rsrc1 >> 23 & 1) << 9;
    k->entry_va = d->entry_va;
    k->wave_size = d->wave_size;
    k->vgpr_limit = vgprs < 256 ? vgprs : 256;
    k->mode = mode;
    k->shared_aperture = d->shared_aperture;
    k->private_aperture = d->private_aperture;
}

static struct jit_kernel *find(struct jit *j, const struct isa_dispatch *d) {
    struct jit_kernel like = {0};
    facts(d, &like);
    struct jit_kernel **head = &j->bucket[d->entry_va / 256 % JIT_BUCKETS];
    for (struct jit_kernel *k = *head; k; k = k->next)
        if (k->entry_va == like.entry_va && k->wave_size == like.wave_size &&
            k->vgpr_limit == like.vgpr_limit && k->mode == like.mode &&
            k->shared_aperture == like.shared_aperture &&
            k->private_aperture == like.private_aperture)
            return k;
    struct jit_kernel *k = calloc(1, sizeof *k);
    if (!k) return NULL;
    facts(d, k);
    k->next = *head;
    return *head = k;
}

static void ask(struct jit *j, struct jit_kernel *k, bool only_cached) {
    for (unsigned i = 0; i < k->pieces && !j->off; i++)
        jit_code_ask(j, k->piece[i].code, only_cached);
}

static void wait_settled(struct jit *j, struct jit_kernel *k) {
    for (unsigned i = 0; i < k->pieces; i++)
        while (k->piece[i].code->state == CODE_ASKED && !j->quitting)
            pthread_cond_wait(&j->settled, &j->lock);
}

/* Goes as far as the time that was spent is worth. */
static void advance(struct jit *j, struct jit_kernel *k, const struct isa_dispatch *d,
                    mem_guard *guard) {
    bool worth_it = j->sync || k->spent_ns >= ASK_NS;
    if (k->stage == STAGE_COLD) {
        mem_guard_enter(guard);
        discover(j, k, d->arch);
        mem_guard_leave(guard);
    }
    ask(j, k, !worth_it);
    k->stage = worth_it ? STAGE_ASKED : STAGE_LOOKED;
    if (j->sync) wait_settled(j, k);
    for (unsigned i = 0; i < k->pieces; i++)
        publish(j, &k->piece[i]);
}

struct jit_kernel *jit_begin(struct gpu *g, struct isa_dispatch *d, mem_guard *guard) {
    struct jit *j = jit_of(g);
    if (!j) return NULL;
    d->jit = j->table;
    pthread_mutex_lock(&j->lock);
    struct jit_kernel *k = find(j, d);
    if (k) {
        mem_guard_enter(guard);
        compare(j, k);
        mem_guard_leave(guard);
        for (unsigned i = 0; i < k->pieces; i++)
            publish(j, &k->piece[i]);
        if (j->sync && k->stage != STAGE_ASKED && !j->off) advance(j, k, d, guard);
        if (k->stage == STAGE_ASKED || j->off) k = NULL;
    }
    pthread_mutex_unlock(&j->lock);
    return k;
}

bool jit_ran(struct gpu *g, struct jit_kernel *k, const struct isa_dispatch *d, mem_guard *guard,
             uint64_t ns) {
    struct jit *j = jit_of(g);
    uint64_t spent = atomic_fetch_add(&k->spent_ns, ns) + ns;
    if (j->off || k->stage == STAGE_ASKED) return false;
    if (spent < (k->stage == STAGE_COLD ? LOOK_NS : ASK_NS)) return true;
    pthread_mutex_lock(&j->lock);
    if (k->stage != STAGE_ASKED) advance(j, k, d, guard);
    pthread_mutex_unlock(&j->lock);
    return k->stage != STAGE_ASKED;
}
