/* SPDX-License-Identifier: MIT */
/* jit_run.h - compiled code that the interpreter may enter. One table per GPU, named by
 * isa_dispatch.jit; whoever compiles (../jit.c) publishes into it. */
#ifndef RAWCL_ISA_JIT_RUN_H
#define RAWCL_ISA_JIT_RUN_H

#include <stddef.h>
#include <stdint.h>

struct isa_jit;
struct jit_object;

struct isa_jit *isa_jit_create(void); /* NULL without memory */
/* No group may run with it any more. Objects are not touched: their owner unmaps them after this.
 */
void isa_jit_destroy(struct isa_jit *j);

/* From now on waves that reach an entry of `object` in [va, va + object->code_size) run it, if
 * memory still holds `code` (copied here) there when the page is decoded; running groups change
 * over at their next slice. The object stays mapped until isa_jit_destroy, also when withdrawn. Any
 * thread. 0; -EINVAL: not made for this build (magic, version, layout, host level); -EEXIST: an
 * object of the same MODE, VGPR limit, wave size and apertures is there; -ENOMEM. */
int isa_jit_publish(struct isa_jit *j, uint64_t va, const void *code,
                    const struct jit_object *object);
/* Forgets all objects that overlap [va, va + size): the code there is gone. Any thread. */
void isa_jit_withdraw(struct isa_jit *j, uint64_t va, uint64_t size);

#endif
