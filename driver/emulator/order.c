/* SPDX-License-Identifier: MIT */
#include "driver/emulator/order.h"

static uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static struct order_place *place_at(struct order *o, uint64_t key) {
    return &o->place[(key * 0x9e3779b97f4a7c15ull) >> 58];
}

void order_fence(struct order *o, enum order_queue q, uint64_t key, uint32_t value, uint64_t now) {
    struct order_place *p = place_at(o, key);
    p->key = key;
    p->value = value;
    for (int i = 0; i < ORDER_QUEUES; i++)
        p->clock[i] = o->known[q][i];
    p->clock[q] = now;
    o->seen[q] = now;
}

void order_waited(struct order *o, enum order_queue q, uint64_t key, uint32_t value, uint64_t now) {
    const struct order_place *p = place_at(o, key);
    bool known = p->key == key && p->value == value;
    for (int i = 0; i < ORDER_QUEUES; i++)
        o->known[q][i] = later(o->known[q][i], known ? p->clock[i] : now);
}

void order_doorbell(struct order *o, enum order_queue q) {
    for (int i = 0; i < ORDER_QUEUES; i++)
        o->known[q][i] = later(o->known[q][i], o->seen[i]);
}

void order_gone(struct order *o, uint64_t now) {
    for (int q = 0; q < ORDER_QUEUES; q++) {
        o->seen[q] = now;
        for (int i = 0; i < ORDER_QUEUES; i++)
            o->known[q][i] = now;
    }
}

void order_copy(struct order *o, bool write, bool system, uint64_t pa, uint64_t len,
                uint64_t stamp) {
    if (!o->data) return;
    o->newest = stamp;
    for (unsigned back = 1; back <= 2; back++) { /* reads and writes alternate */
        struct order_range *r = &o->range[(o->next + ORDER_RANGES - back) % ORDER_RANGES];
        if (r->packet != o->packet || r->write != write || r->system != system ||
            r->pa + r->len != pa)
            continue;
        r->len += len;
        return;
    }
    o->range[o->next] = (struct order_range){pa, len, stamp, o->packet, system, write, false};
    o->next = (o->next + 1) % ORDER_RANGES;
}

static bool overlaps(const struct order_range *r, bool system, uint64_t pa, uint64_t len) {
    return r->system == system && pa < r->pa + r->len && r->pa < pa + len;
}

bool order_copy_hazard(struct order *o, bool system, uint64_t pa, uint64_t len) {
    if (!o->data || o->newest <= o->known[ORDER_COPY][ORDER_COPY]) return false;
    for (unsigned i = 0; i < ORDER_RANGES; i++) {
        struct order_range *r = &o->range[i];
        if (r->write && !r->told && r->packet != o->packet &&
            r->stamp > o->known[ORDER_COPY][ORDER_COPY] && overlaps(r, system, pa, len))
            return r->told = true;
    }
    return false;
}

bool order_shader_hazard(struct order *o, bool write, bool system, uint64_t pa) {
    if (o->newest <= o->known[ORDER_COMPUTE][ORDER_COPY]) return false;
    for (unsigned i = 0; i < ORDER_RANGES; i++) {
        struct order_range *r = &o->range[i];
        if ((r->write || write) && !r->told && r->stamp > o->known[ORDER_COMPUTE][ORDER_COPY] &&
            overlaps(r, system, pa, 4))
            return r->told = true;
    }
    return false;
}
