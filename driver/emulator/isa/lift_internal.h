/* SPDX-License-Identifier: MIT */
/* lift_internal.h - what the files of the lifter share.
 *
 * lift_code.c finds the instructions and what they read and write, lift_graph.c makes nodes of them
 * (straight pieces, each in a version for EXEC = all ones and one for any EXEC) and their liveness,
 * lift_nodes.c writes their LLVM IR with the values of lift_emit.c, lift_valu.c, lift_scalar.c and
 * lift_mem.c an instruction's, lift_clone.c copies the body of a semantic function, lift_llvm.c
 * owns modules and targets. */
#ifndef RAWCL_ISA_LIFT_INTERNAL_H
#define RAWCL_ISA_LIFT_INTERNAL_H

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#include "driver/emulator/isa/lift.h"
#include "driver/emulator/isa/mem_ops.h"

/* Registers as one number: VGPR n, then SGPR n (by operand code; VCC, M0, EXEC among them). */
enum { LREG_SGPR0 = 256, LREG_COUNT = 384, LREG_WORDS = LREG_COUNT / 64 };
struct regset {
    uint64_t w[LREG_WORDS];
};

enum lift_kind {
    L_SKIP, /* hints */
    L_VALU, /* by cloning */
    L_VOPD,
    L_LANE,
    L_SALU,
    L_SFLOAT, /* scalar float by the vector function */
    L_SMEM,
    L_LDS,
    L_GLOBAL, /* also FLAT */
    L_SCRATCH,
    L_PERMUTE, /* ds_bpermute */
    L_GETPC,
    L_STEP, /* the interpreter runs it, called by compiled code */
    L_BRANCH,
    L_LEFT, /* compiled code ends; the interpreter runs it and comes back after it */
    L_END   /* s_endpgm: nothing comes after */
};

struct lift_inst {
    uint32_t off; /* bytes */
    uint8_t kind, len;
    bool writes_exec;
    bool no_next; /* control never continues behind it */
    struct regset reads, writes;
    struct isa_inst in;
    struct xinst x;
    struct xinst y; /* VOPD */
    const struct sem_vrow *row, *row_y;
    const struct mem_op *mem;
    unsigned salu; /* row number + 1 */
};

/* How a node ends. */
enum lift_end {
    END_FALL,   /* goes on at target */
    END_BRANCH, /* last instruction is a branch: target, or next if it is conditional */
    END_EXEC,   /* the last instruction wrote EXEC: goes on at target, in the version that fits */
    END_LEFT    /* leaves compiled code at `target` */
};

struct lift_node {
    uint32_t off;
    uint32_t first, count; /* instructions */
    bool full;             /* EXEC is all ones */
    bool is_entry;
    uint8_t end;
    uint8_t succ_count;
    uint32_t target, next; /* byte offsets */
    int succ[4];           /* nodes, for the data flow */
    struct regset live_in, live_out, dirty_in, dirty_out;
    unsigned chunk;
    LLVMBasicBlockRef bb;
};

/* One register of the function being written. */
struct lift_reg {
    LLVMValueRef slot; /* alloca */
    LLVMValueRef val;  /* value in this block, or NULL */
    bool dirty;        /* val is newer than the slot */
};

struct lift {
    const struct lift_request *rq;
    struct lift_result *out;
    unsigned halves;
    bool gfx12;
    /* code */
    struct isa_group *g; /* for binding */
    struct code_page *page;
    struct lift_inst *insts;
    uint32_t inst_count, inst_room;
    int32_t *at;     /* by dword: instruction, -1 */
    uint8_t *leader; /* by dword: LEADER_* */
    struct lift_node *nodes;
    uint32_t node_count, node_room;
    int32_t *node_at[2]; /* by dword and version */
    unsigned chunks;
    /* LLVM */
    LLVMContextRef cx;
    LLVMModuleRef mod; /* the inline functions (jit_inline.c); the result grows in it */
    LLVMModuleRef sem; /* vector semantics, to clone from */
    LLVMBuilderRef b;
    LLVMTypeRef i1, i8, i32, i64, ptr, v32, v32f, v1;
    LLVMValueRef *sem_fn; /* by row of sem_valu_rows_base */
    LLVMTypeRef fn_type, step_type;
    /* the function being written */
    LLVMValueRef fn, w, h, base, vbase, lds, lds_bytes, vseg, sseg, budget;
    LLVMBasicBlockRef alloca_bb;
    struct lift_reg v[2][ISA_VGPRS], s[128], scc;
    LLVMValueRef mask[2]; /* EXEC as lanes */
    struct lift_node *node;
    struct lift_inst *inst;
    struct regset dirty; /* registers that differ from the wave's memory, here */
    struct {
        const char *name;
        unsigned count;
    } missing[64];
    unsigned missing_count;
};

enum { LEADER_NODE = 1, LEADER_ENTRY = 2 };

static inline void regset_add(struct regset *s, unsigned r, unsigned n) {
    for (; n; n--, r++)
        if (r < LREG_COUNT) s->w[r / 64] |= UINT64_C(1) << r % 64;
}
static inline bool regset_has(const struct regset *s, unsigned r) {
    return s->w[r / 64] >> r % 64 & 1;
}

/* --- lift_code.c --- */
int lift_decode(struct lift *l);
void lift_code_free(struct lift *l);
void lift_count_missing(struct lift *l, const char *name);

/* --- lift_graph.c --- */
int lift_graph(struct lift *l);

/* --- lift_llvm.c --- */
int lift_llvm_open(struct lift *l);
void lift_llvm_close(struct lift *l);
LLVMValueRef lift_llvm_function(struct lift *l, const char *name); /* of jit_inline.c, or NULL */
int lift_llvm_finish(struct lift *l);
int lift_fail(struct lift *l, int err, const char *what);

/* --- lift_nodes.c --- */
int lift_emit(struct lift *l);

/* --- lift_emit.c --- */
LLVMValueRef lift_read_reg(struct lift *l, struct lift_reg *r, LLVMTypeRef t);
void lift_write_reg(struct lift *l, struct lift_reg *r, LLVMTypeRef t, LLVMValueRef v);
/* Puts values into their slots and forgets them: the block ends. */
void lift_flush(struct lift *l);
/* The block has its terminator: nothing of it is known in the next. */
void lift_forget(struct lift *l);
/* A branch that nearly always takes its first way. */
void lift_likely(struct lift *l, LLVMValueRef cond, LLVMBasicBlockRef yes, LLVMBasicBlockRef no);
LLVMValueRef lift_at(struct lift *l, LLVMValueRef p, uint64_t off);
LLVMValueRef lift_sgpr_address(struct lift *l, unsigned r);
LLVMValueRef lift_reload_vgpr(struct lift *l, unsigned h, unsigned r);
LLVMValueRef lift_reload_scc(struct lift *l);
/* Stores the registers of the set into the wave; values stay as they are. */
void lift_spill(struct lift *l, const struct regset *set);
void lift_store_budget(struct lift *l);
/* Registers that must be in memory when control leaves for `live`. */
struct regset lift_to_store(const struct lift *l, const struct regset *live);
LLVMValueRef lift_address_of(struct lift *l, uint32_t off);
/* Ends the block: the interpreter goes on at off. */
void lift_leave_at(struct lift *l, uint32_t off, const struct regset *live);
LLVMValueRef lift_i32(struct lift *l, uint32_t v);
LLVMValueRef lift_i64(struct lift *l, uint64_t v);
/* Values of registers, i32 and <32 x i32>; NULL type f: float view. */
LLVMValueRef lift_sgpr(struct lift *l, unsigned r);
LLVMValueRef lift_sgpr64(struct lift *l, unsigned r);
void lift_set_sgpr(struct lift *l, unsigned r, LLVMValueRef v);
LLVMValueRef lift_scc(struct lift *l);
void lift_set_scc(struct lift *l, LLVMValueRef v);
LLVMValueRef lift_vgpr(struct lift *l, unsigned half, unsigned r);
/* All lanes. */
void lift_set_vgpr(struct lift *l, unsigned half, unsigned r, LLVMValueRef v);
/* Lanes of mask (<32 x i1>), NULL: of EXEC. v: 32 lanes of 32 bits, float or integer. */
void lift_write_vgpr(struct lift *l, unsigned half, unsigned r, LLVMValueRef v, LLVMValueRef mask);
LLVMValueRef lift_splat(struct lift *l, LLVMValueRef i32);
LLVMValueRef lift_const_lanes(struct lift *l, const uint32_t *lanes);
LLVMValueRef lift_exec(struct lift *l, unsigned half);         /* i32 */
LLVMValueRef lift_exec_mask(struct lift *l, unsigned half);    /* <32 x i1> */
LLVMValueRef lift_lanes_of(struct lift *l, LLVMValueRef i32);  /* -> <32 x i1> */
LLVMValueRef lift_mask_of(struct lift *l, LLVMValueRef lanes); /* -> i32 */
LLVMValueRef lift_cast(struct lift *l, LLVMValueRef v, LLVMTypeRef t);
LLVMValueRef lift_alloca(struct lift *l, LLVMTypeRef t);
LLVMBasicBlockRef lift_block(struct lift *l, const char *name);
/* Runs the instruction by the interpreter, unconditionally or where ok (i1) is false; then the
 * registers that it writes hold either what they hold now or what the interpreter left. */
void lift_step(struct lift *l);
void lift_step_unless(struct lift *l, LLVMValueRef ok, const struct lift_reg *before);

/* --- lift_clone.c --- */
struct clone {
    LLVMValueRef a[3][8];       /* operands, dwords */
    LLVMValueRef d[8];          /* results; on entry the old destination if it is read */
    LLVMValueRef sa[2];         /* scalar functions: i64 operands */
    LLVMValueRef ret;           /* scalar functions: i64 */
    LLVMValueRef env[4];        /* scalar: scc i32, no_write i8, dst i64, exec i64 */
    LLVMValueRef exec, mask_in; /* i32 */
    LLVMValueRef mask_out;      /* i32 or lanes */
    uint8_t op_sel, op_sel_hi, neg, neg_hi, half;
};
/* True if the function can be cloned. */
bool lift_clone_possible(struct lift *l, LLVMValueRef fn, bool scalar);
void lift_clone(struct lift *l, LLVMValueRef fn, bool scalar, struct clone *c);

/* --- instructions: each writes IR for l->inst --- */
void lift_valu(struct lift *l);
void lift_vopd(struct lift *l);
void lift_lane(struct lift *l);
bool lift_valu_can(struct lift *l, struct lift_inst *in);
bool lift_lane_can(struct lift *l, struct lift_inst *in);
void lift_salu(struct lift *l);
void lift_sfloat(struct lift *l);
void lift_getpc(struct lift *l);
void lift_smem(struct lift *l);
void lift_lds(struct lift *l);
void lift_global(struct lift *l);
void lift_scratch(struct lift *l);
void lift_permute(struct lift *l);
bool lift_mem_can(struct lift *l, struct lift_inst *in);
unsigned lift_salu_row(const char *name);
struct lift_salu_row {
    const char *name;
    uint8_t d, a, b, flags;
};
extern const struct lift_salu_row lift_salu_rows[];

unsigned lift_type_dwords(enum sem_type t);

#endif
