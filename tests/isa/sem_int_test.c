/* SPDX-License-Identifier: MIT */
/* sem_int_test.c - integer vector ALU semantics against scalar code, on edge and random values. */
#include "tests/isa/sem_test.h"

typedef uint32_t ref32(uint32_t a, uint32_t b, uint32_t c);

#define R(name, expr)                                                                              \
    static uint32_t ref_##name(uint32_t a, uint32_t b, uint32_t c) {                               \
        (void)a, (void)b, (void)c;                                                                 \
        return (uint32_t)(expr);                                                                   \
    }
#define I(x)      ((int32_t)(x))
#define H(x)      ((uint16_t)(x))
#define S(x)      ((int16_t)(x))
#define L(x)      ((int64_t)(x))
#define MIN(x, y) ((x) < (y) ? (x) : (y))
#define MAX(x, y) ((x) > (y) ? (x) : (y))
#define U24(x)    ((x)&0xffffff)
#define I24(x)    (I((x) << 8) >> 8)

static int32_t med(int64_t a, int64_t b, int64_t c) {
    return (int32_t)MAX(MIN(a, b), MIN(MAX(a, b), c));
}
static uint32_t clz(uint32_t x) {
    return x ? (uint32_t)__builtin_clz(x) : UINT32_MAX;
}
static uint32_t byte_of(uint32_t x, unsigned i) {
    return x >> 8 * i & 255;
}
static uint32_t diff(uint32_t x, uint32_t y) {
    return x > y ? x - y : y - x;
}
static uint32_t sad(uint32_t a, uint32_t b, int masked) {
    uint32_t r = 0;
    for (unsigned i = 0; i < 4; i++)
        if (!masked || byte_of(b, i)) r += diff(byte_of(a, i), byte_of(b, i));
    return r;
}
static uint32_t reverse(uint32_t x) {
    uint32_t r = 0;
    for (unsigned i = 0; i < 32; i++)
        r |= (x >> i & 1) << (31 - i);
    return r;
}
static uint32_t perm(uint32_t a, uint32_t b, uint32_t c) {
    uint64_t data = (uint64_t)a << 32 | b;
    uint32_t r = 0;
    for (unsigned i = 0; i < 4; i++) {
        uint32_t k = byte_of(c, i), v;
        if (k >= 13)
            v = 255;
        else if (k == 12)
            v = 0;
        else if (k >= 8)
            v = data >> (16 * (k - 8) + 15) & 1 ? 255 : 0;
        else
            v = data >> 8 * k & 255;
        r |= v << 8 * i;
    }
    return r;
}
static uint32_t bfe_i(uint32_t a, uint32_t b, uint32_t c) {
    unsigned w = c & 31;
    uint32_t v = (uint32_t)(I(a) >> (b & 31));
    return w ? (uint32_t)(I(v << (32 - w)) >> (32 - w)) : 0;
}
static uint32_t lerp(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t r = 0;
    for (unsigned i = 0; i < 4; i++)
        r |= (byte_of(a, i) + byte_of(b, i) + (byte_of(c, i) & 1)) / 2 << 8 * i;
    return r;
}
static uint32_t dot(uint32_t a, uint32_t b, uint32_t c, unsigned width) {
    for (unsigned i = 0; i < 32; i += width)
        c += (a >> i & ((1u << width) - 1)) * (b >> i & ((1u << width) - 1));
    return c;
}
static uint32_t sat8(int v) {
    return (uint32_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}
#define PK(e0, e1) ((uint32_t)(uint16_t)(e0) | (uint32_t)(uint16_t)(e1) << 16)

/* clang-format off: a table of macros, which the formatter reshapes at every run */
R(mov, a)
R(not, ~a)
R(and, a &b)
R(or, a | b)
R(xor, a ^ b) R(xnor, ~(a ^ b)) R(or3, a | b | c) R(xor3, a ^ b ^ c) R(and_or, (a & b) | c) R(
    lshl_or, (a << (b & 31)) | c) R(shl, b << (a & 31)) R(shr, b >> (a & 31)) R(sar,
                                                                                I(b) >> (a & 31))
    R(lshl_add, (a << (b & 31)) + c) R(add_lshl, (a + b) << (c & 31)) R(xad, (a ^ b) + c) R(
        add3,
        a + b +
            c) R(bfi, (a & b) | (~a & c))
        R(bfm, ((1u << (a & 31)) - 1) << (b & 31)) R(bfe_u, (a >> (b & 31)) & ((1u << (c & 31)) - 1)) R(
            bfe_i,
            bfe_i(
                a,
                b, c)) R(alignbit,
                         ((uint64_t)a << 32 | b) >>
                             (c & 31)) R(alignbyte, ((uint64_t)a << 32 | b) >> 8 * (c & 3))
            R(bfrev, reverse(a)) R(bcnt, (uint32_t)__builtin_popcount(a) + b) R(clz, clz(a)) R(
                ctz, a ? (uint32_t)
                             __builtin_ctz(a)
                       : UINT32_MAX) R(cls,
                                       clz(a ^ (uint32_t)(I(a) >> 31))) R(add, a + b)
                R(sub, a - b) R(subrev, b - a) R(min_u, MIN(a, b)) R(max_u, MAX(a, b)) R(
                    min_i,
                    MIN(I(a),
                        I(b))) R(max_i,
                                 MAX(I(a), I(b))) R(min3_u, MIN(MIN(a, b), c))
                    R(max3_u, MAX(MAX(a, b), c)) R(med3_u, med(a, b, c)) R(
                        min3_i,
                        MIN(MIN(I(a), I(b)),
                            I(c))) R(max3_i,
                                     MAX(MAX(I(a), I(b)), I(c))) R(med3_i, med(I(a), I(b), I(c)))
                        R(maxmin_u, MIN(MAX(a, b), c)) R(minmax_u, MAX(MIN(a, b), c)) R(
                            maxmin_i,
                            MIN(MAX(I(a), I(b)),
                                I(c))) R(minmax_i,
                                         MAX(MIN(I(a), I(b)),
                                             I(c))) R(mul, a *b) R(mulhi_u, (uint64_t)a *b >> 32)
                            R(mulhi_i, L(I(a)) * I(b) >> 32) R(mul_u24, U24(a) * U24(b)) R(mulhi_u24, (uint64_t)U24(a) * U24(b) >> 32) R(
                                mul_i24,
                                (uint64_t)(L(I24(a)) *
                                           I24(b))) R(mulhi_i24, L(I24(a)) * I24(b) >> 32) R(mad_u24, U24(a) * U24(b) + c)
                                R(mad_i24, (uint64_t)(L(I24(a)) * I24(b)) + c) R(mad_u16, (uint32_t)H(a) * H(b) + c) R(
                                    mad_i16,
                                    (uint32_t)(S(a) * S(b)) +
                                        c) R(sad8,
                                             sad(a, b, 0) +
                                                 c) R(sad_hi, (sad(a, b, 0) << 16) + c)
                                    R(msad, sad(a, b, 1) + c) R(sad32, diff(a, b) + c) R(
                                        sad16,
                                        diff(H(a), H(b)) +
                                            diff(a >> 16, b >> 16) +
                                            c) R(lerp,
                                                 lerp(a, b, c)) R(perm, perm(a, b, c))
                                        R(sat_pk, sat8(S(a)) | sat8(S(a >> 16)) << 8) R(h_not, H(~a)) R(
                                            h_and,
                                            H(a &b)) R(h_or,
                                                       H(a | b)) R(h_xor, H(a ^ b))
                                            R(h_mov, H(a)) R(h_add, H(a + b)) R(h_sub, H(a - b)) R(
                                                h_mul,
                                                H(a *b)) R(h_min_u,
                                                           MIN(H(a), H(b))) R(h_max_u, MAX(H(a), H(b)))
                                                R(h_min_i, H(MIN(S(a), S(b)))) R(h_max_i, H(MAX(S(a), S(b)))) R(
                                                    h_shl,
                                                    H(b
                                                      << (a &
                                                          15))) R(h_shr, H(b) >> (a & 15)) R(h_sar, H(S(b) >> (a & 15)))
                                                    R(h_mad, H(a *b + c)) R(
                                                        h_min3_u,
                                                        MIN(MIN(H(a), H(b)),
                                                            H(c))) R(h_max3_u,
                                                                     MAX(MAX(H(a), H(b)),
                                                                         H(c))) R(h_med3_u, med(H(a), H(b), H(c)))
                                                        R(h_min3_i, H(MIN(MIN(S(a), S(b)), S(c)))) R(
                                                            h_max3_i,
                                                            H(MAX(
                                                                MAX(S(a), S(b)), S(c)))) R(h_med3_i,
                                                                                           H(med(
                                                                                               S(a),
                                                                                               S(b),
                                                                                               S(c))))
                                                            R(pk_add, PK(a + b, (a >> 16) + (b >> 16))) R(
                                                                pk_sub,
                                                                PK(
                                                                    a - b,
                                                                    (a >> 16) -
                                                                        (b >>
                                                                         16))) R(pk_mul,
                                                                                 PK(a *b, (a >> 16) * (b >> 16)))
                                                                R(pk_mad, PK(a *b + c, (a >> 16) * (b >> 16) + (c >> 16))) R(
                                                                    pk_min_u,
                                                                    PK(MIN(H(a), H(b)),
                                                                       MIN(a >> 16, b >> 16)))
                                                                    R(pk_max_u, PK(MAX(H(a), H(b)), MAX(a >> 16, b >> 16))) R(
                                                                        pk_min_i,
                                                                        PK(MIN(S(a), S(b)),
                                                                           MIN(S(a >> 16),
                                                                               S(b >> 16))))
                                                                        R(pk_max_i,
                                                                          PK(MAX(S(a), S(b)),
                                                                             MAX(S(a >> 16),
                                                                                 S(b >> 16))))
                                                                            R(pk_shl,
                                                                              PK(b << (a & 15),
                                                                                 (b >> 16)
                                                                                     << (a >> 16 &
                                                                                         15)))
                                                                                R(pk_shr,
                                                                                  PK(H(b) >>
                                                                                         (a & 15),
                                                                                     (b >> 16) >>
                                                                                         (a >> 16 &
                                                                                          15)))
                                                                                    R(pk_sar,
                                                                                      PK(
                                                                                          S(b) >>
                                                                                              (a &
                                                                                               15),
                                                                                          S(b >>
                                                                                            16) >>
                                                                                              (a >>
                                                                                                   16 &
                                                                                               15))) R(pack,
                                                                                                       PK(a, b))
                                                                                        R(sext, (int32_t)S(a)) R(zext, H(a)) R(
                                                                                            pk_u16,
                                                                                            PK(MIN(a,
                                                                                                   0xffff),
                                                                                               MIN(b,
                                                                                                   0xffff)))
                                                                                            R(pk_i16,
                                                                                              PK(MAX(MIN(I(a),
                                                                                                         32767),
                                                                                                     -32768),
                                                                                                 MAX(MIN(I(b),
                                                                                                         32767),
                                                                                                     -32768)))
                                                                                                R(dot4,
                                                                                                  dot(a,
                                                                                                      b,
                                                                                                      c,
                                                                                                      8))
                                                                                                    R(dot8,
                                                                                                      dot(a,
                                                                                                          b,
                                                                                                          c,
                                                                                                          4))

                                                                                                        static const
    struct {
    const char *name;
    ref32 *ref;
} table[] = {
    {"V_MOV_B32", ref_mov},
    {"V_NOT_B32", ref_not},
    {"V_AND_B32", ref_and},
    {"V_OR_B32", ref_or},
    {"V_XOR_B32", ref_xor},
    {"V_XNOR_B32", ref_xnor},
    {"V_OR3_B32", ref_or3},
    {"V_XOR3_B32", ref_xor3},
    {"V_AND_OR_B32", ref_and_or},
    {"V_LSHL_OR_B32", ref_lshl_or},
    {"V_LSHLREV_B32", ref_shl},
    {"V_LSHRREV_B32", ref_shr},
    {"V_ASHRREV_I32", ref_sar},
    {"V_LSHL_ADD_U32", ref_lshl_add},
    {"V_ADD_LSHL_U32", ref_add_lshl},
    {"V_XAD_U32", ref_xad},
    {"V_ADD3_U32", ref_add3},
    {"V_BFI_B32", ref_bfi},
    {"V_BFM_B32", ref_bfm},
    {"V_BFE_U32", ref_bfe_u},
    {"V_BFE_I32", ref_bfe_i},
    {"V_ALIGNBIT_B32", ref_alignbit},
    {"V_ALIGNBYTE_B32", ref_alignbyte},
    {"V_BFREV_B32", ref_bfrev},
    {"V_BCNT_U32_B32", ref_bcnt},
    {"V_CLZ_I32_U32", ref_clz},
    {"V_CTZ_I32_B32", ref_ctz},
    {"V_CLS_I32", ref_cls},
    {"V_ADD_NC_U32", ref_add},
    {"V_SUB_NC_U32", ref_sub},
    {"V_SUBREV_NC_U32", ref_subrev},
    {"V_ADD_NC_I32", ref_add},
    {"V_SUB_NC_I32", ref_sub},
    {"V_MIN_U32", ref_min_u},
    {"V_MAX_U32", ref_max_u},
    {"V_MIN_I32", ref_min_i},
    {"V_MAX_I32", ref_max_i},
    {"V_MIN3_U32", ref_min3_u},
    {"V_MAX3_U32", ref_max3_u},
    {"V_MED3_U32", ref_med3_u},
    {"V_MIN3_I32", ref_min3_i},
    {"V_MAX3_I32", ref_max3_i},
    {"V_MED3_I32", ref_med3_i},
    {"V_MAXMIN_U32", ref_maxmin_u},
    {"V_MINMAX_U32", ref_minmax_u},
    {"V_MAXMIN_I32", ref_maxmin_i},
    {"V_MINMAX_I32", ref_minmax_i},
    {"V_MUL_LO_U32", ref_mul},
    {"V_MUL_HI_U32", ref_mulhi_u},
    {"V_MUL_HI_I32", ref_mulhi_i},
    {"V_MUL_U32_U24", ref_mul_u24},
    {"V_MUL_HI_U32_U24", ref_mulhi_u24},
    {"V_MUL_I32_I24", ref_mul_i24},
    {"V_MUL_HI_I32_I24", ref_mulhi_i24},
    {"V_MAD_U32_U24", ref_mad_u24},
    {"V_MAD_I32_I24", ref_mad_i24},
    {"V_MAD_U32_U16", ref_mad_u16},
    {"V_MAD_I32_I16", ref_mad_i16},
    {"V_SAD_U8", ref_sad8},
    {"V_SAD_HI_U8", ref_sad_hi},
    {"V_MSAD_U8", ref_msad},
    {"V_SAD_U32", ref_sad32},
    {"V_SAD_U16", ref_sad16},
    {"V_LERP_U8", ref_lerp},
    {"V_PERM_B32", ref_perm},
    {"V_SAT_PK_U8_I16", ref_sat_pk},
    {"V_NOT_B16", ref_h_not},
    {"V_AND_B16", ref_h_and},
    {"V_OR_B16", ref_h_or},
    {"V_XOR_B16", ref_h_xor},
    {"V_MOV_B16", ref_h_mov},
    {"V_ADD_NC_U16", ref_h_add},
    {"V_SUB_NC_U16", ref_h_sub},
    {"V_ADD_NC_I16", ref_h_add},
    {"V_SUB_NC_I16", ref_h_sub},
    {"V_MUL_LO_U16", ref_h_mul},
    {"V_MIN_U16", ref_h_min_u},
    {"V_MAX_U16", ref_h_max_u},
    {"V_MIN_I16", ref_h_min_i},
    {"V_MAX_I16", ref_h_max_i},
    {"V_LSHLREV_B16", ref_h_shl},
    {"V_LSHRREV_B16", ref_h_shr},
    {"V_ASHRREV_I16", ref_h_sar},
    {"V_MAD_U16", ref_h_mad},
    {"V_MAD_I16", ref_h_mad},
    {"V_MIN3_U16", ref_h_min3_u},
    {"V_MAX3_U16", ref_h_max3_u},
    {"V_MED3_U16", ref_h_med3_u},
    {"V_MIN3_I16", ref_h_min3_i},
    {"V_MAX3_I16", ref_h_max3_i},
    {"V_MED3_I16", ref_h_med3_i},
    {"V_PK_ADD_U16", ref_pk_add},
    {"V_PK_ADD_I16", ref_pk_add},
    {"V_PK_SUB_U16", ref_pk_sub},
    {"V_PK_SUB_I16", ref_pk_sub},
    {"V_PK_MUL_LO_U16", ref_pk_mul},
    {"V_PK_MAD_U16", ref_pk_mad},
    {"V_PK_MAD_I16", ref_pk_mad},
    {"V_PK_MIN_U16", ref_pk_min_u},
    {"V_PK_MAX_U16", ref_pk_max_u},
    {"V_PK_MIN_I16", ref_pk_min_i},
    {"V_PK_MAX_I16", ref_pk_max_i},
    {"V_PK_LSHLREV_B16", ref_pk_shl},
    {"V_PK_LSHRREV_B16", ref_pk_shr},
    {"V_PK_ASHRREV_I16", ref_pk_sar},
    {"V_PACK_B32_F16", ref_pack},
    {"V_CVT_I32_I16", ref_sext},
    {"V_CVT_U32_U16", ref_zext},
    {"V_CVT_PK_U16_U32", ref_pk_u16},
    {"V_CVT_PK_I16_I32", ref_pk_i16},
    {"V_DOT4_U32_U8", ref_dot4},
    {"V_DOT8_U32_U4", ref_dot8},
};

static void fill(struct sem_call *s) {
    for (unsigned i = 0; i < LANES; i++)
        for (unsigned k = 0; k < 2; k++) {
            s->a[k][i] = sem_pick32();
            s->b[k][i] = sem_pick32();
            s->c[k][i] = sem_pick32();
        }
}

static void check(const struct sem_call *s, unsigned lane, uint32_t got, uint32_t want) {
    if (got == want) return;
    fail_msg("%s(%08x, %08x, %08x) lane %u: %08x, expected %08x", s->row->name, s->a[0][lane],
             s->b[0][lane], s->c[0][lane], lane, got, want);
}

static void one_dword_ops(void **state) {
    (void)state;
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (unsigned t = 0; t < sizeof table / sizeof table[0]; t++) {
            sem_call_init(&s, build, table[t].name);
            for (unsigned n = 0; n < 200; n++) {
                fill(&s);
                sem_run(&s);
                for (unsigned i = 0; i < LANES; i++)
                    check(&s, i, s.d[0][i], table[t].ref(s.a[0][i], s.b[0][i], s.c[0][i]));
            }
        }
}

/* --- the clamp bit --- */

static uint32_t clamp(int64_t v, int64_t lo, int64_t hi) {
    return (uint32_t)(v < lo ? lo : v > hi ? hi : v);
}
#define CU(x) clamp(x, 0, UINT32_MAX)
#define CI(x) clamp(x, INT32_MIN, INT32_MAX)
#define CH(x) (clamp(x, 0, UINT16_MAX) & 0xffff)
#define CS(x) (clamp(x, INT16_MIN, INT16_MAX) & 0xffff)
/* clang-format off */
R(c_add, CU(L(a) + b))
R(c_sub, CU(L(a) - L(b)))
R(c_subrev, CU(L(b) - L(a)))
R(c_add_i, CI(L(I(a)) + I(b)))
R(c_sub_i, CI(L(I(a)) - I(b))) R(c_mad_u24, CU(L(U24(a)) * U24(b) + c))
    R(c_mad_i24, CI(L(I24(a)) * I24(b) + I(c))) R(c_mad_u16, CU(L(H(a)) * H(b) + c))
        R(c_mad_i16, CI(L(S(a)) * S(b) + I(c))) R(c_hadd, CH(L(H(a)) + H(b)))
            R(c_hsub, CH(L(H(a)) - H(b))) R(c_hadd_i, CS(L(S(a)) + S(b)))
                R(c_hsub_i, CS(L(S(a)) - S(b))) R(c_hmad, CH(L(H(a)) * H(b) + H(c)))
                    R(c_hmad_i, CS(L(S(a)) * S(b) + S(c)))
                        R(c_pk_add, CH(L(H(a)) + H(b)) | CH(L(a >> 16) + (b >> 16)) << 16)
                            R(c_pk_sub_i, CS(L(S(a)) - S(b)) | CS(L(S(a >> 16)) - S(b >> 16)) << 16)
                                R(c_sad, CU(L(sad(a, b, 0)) + c)) R(c_msad, CU(L(sad(a, b, 1)) + c))
                                    R(c_sad32, CU(L(diff(a, b)) + c))
                                        R(c_dot4, CU(L(dot(a, b, 0, 8)) + c))

                                            static void clamped_ops(void **state) {
    (void)state;
    static const struct {
        const char *name;
        ref32 *ref;
    } clamped[] = {
        {"V_ADD_NC_U32", ref_c_add},       {"V_SUB_NC_U32", ref_c_sub},
        {"V_SUBREV_NC_U32", ref_c_subrev}, {"V_ADD_CO_U32", ref_c_add},
        {"V_SUB_CO_U32", ref_c_sub},       {"V_SUBREV_CO_U32", ref_c_subrev},
        {"V_ADD_NC_I32", ref_c_add_i},     {"V_SUB_NC_I32", ref_c_sub_i},
        {"V_MAD_U32_U24", ref_c_mad_u24},  {"V_MAD_I32_I24", ref_c_mad_i24},
        {"V_MAD_U32_U16", ref_c_mad_u16},  {"V_MAD_I32_I16", ref_c_mad_i16},
        {"V_ADD_NC_U16", ref_c_hadd},      {"V_SUB_NC_U16", ref_c_hsub},
        {"V_ADD_NC_I16", ref_c_hadd_i},    {"V_SUB_NC_I16", ref_c_hsub_i},
        {"V_MAD_U16", ref_c_hmad},         {"V_MAD_I16", ref_c_hmad_i},
        {"V_PK_ADD_U16", ref_c_pk_add},    {"V_PK_SUB_I16", ref_c_pk_sub_i},
        {"V_SAD_U8", ref_c_sad},           {"V_MSAD_U8", ref_c_msad},
        {"V_SAD_U32", ref_c_sad32},        {"V_DOT4_U32_U8", ref_c_dot4},
    };
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (unsigned t = 0; t < sizeof clamped / sizeof clamped[0]; t++) {
            sem_call_init(&s, build, clamped[t].name);
            assert_true(s.row->flags & SEM_CLAMP_INT);
            s.e.cmod = 1;
            for (unsigned n = 0; n < 200; n++) {
                fill(&s);
                sem_run(&s);
                for (unsigned i = 0; i < LANES; i++)
                    check(&s, i, s.d[0][i], clamped[t].ref(s.a[0][i], s.b[0][i], s.c[0][i]));
            }
        }
}

/* --- carries and 64 bits --- */

typedef __int128 i128;

static void carries(void **state) {
    (void)state;
    static const char *const names[] = {"V_ADD_CO_U32",    "V_SUB_CO_U32",    "V_SUBREV_CO_U32",
                                        "V_ADD_CO_CI_U32", "V_SUB_CO_CI_U32", "V_SUBREV_CO_CI_U32"};
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (unsigned t = 0; t < 6; t++) {
            sem_call_init(&s, build, names[t]);
            for (unsigned n = 0; n < 300; n++) {
                fill(&s);
                s.e.mask_in = (uint32_t)sem_random();
                sem_run(&s);
                for (unsigned i = 0; i < LANES; i++) {
                    int64_t ci = t < 3 ? 0 : s.e.mask_in >> i & 1, x = s.a[0][i], y = s.b[0][i];
                    int64_t r = t % 3 == 0 ? x + y + ci : t % 3 == 1 ? x - y - ci : y - x - ci;
                    check(&s, i, s.d[0][i], (uint32_t)r);
                    check(&s, i, s.e.mask_out >> i & 1, r < 0 || r >> 32);
                }
            }
        }
}

static void mad_64(void **state) {
    (void)state;
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (unsigned is_signed = 0; is_signed < 2; is_signed++)
            for (unsigned n = 0; n < 1000; n++) {
                sem_call_init(&s, build, is_signed ? "V_MAD_I64_I32" : "V_MAD_U64_U32");
                fill(&s);
                sem_run(&s);
                for (unsigned i = 0; i < LANES; i++) {
                    uint64_t z = sem_get64(s.c, i);
                    i128 r = is_signed ? (i128)I(s.a[0][i]) * I(s.b[0][i]) + (int64_t)z
                                       : (i128)s.a[0][i] * s.b[0][i] + z;
                    check(&s, i, s.d[0][i], (uint32_t)r);
                    check(&s, i, s.d[1][i], (uint32_t)(r >> 32));
                    check(&s, i, s.e.mask_out >> i & 1, (uint32_t)(r >> 64) & 1);
                }
            }
}

static void shifts_64(void **state) {
    (void)state;
    static const char *const names[] = {"V_LSHLREV_B64", "V_LSHRREV_B64", "V_ASHRREV_I64"};
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (unsigned t = 0; t < 3; t++)
            for (unsigned n = 0; n < 64; n++) {
                sem_call_init(&s, build, names[t]);
                fill(&s);
                for (unsigned i = 0; i < LANES; i++)
                    s.a[0][i] = (s.a[0][i] & ~63u) | n;
                sem_run(&s);
                for (unsigned i = 0; i < LANES; i++) {
                    uint64_t v = sem_get64(s.b, i), r = t == 0 ? v << n : v >> n;
                    if (t == 2) r = (uint64_t)((int64_t)v >> n);
                    check(&s, i, s.d[0][i], (uint32_t)r);
                    check(&s, i, s.d[1][i], (uint32_t)(r >> 32));
                }
            }
}

static void quad_sad(void **state) {
    (void)state;
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (unsigned t = 0; t < 3; t++) {
            static const char *const names[] = {"V_QSAD_PK_U16_U8", "V_MQSAD_PK_U16_U8",
                                                "V_MQSAD_U32_U8"};
            sem_call_init(&s, build, names[t]);
            for (unsigned n = 0; n < 50; n++) {
                fill(&s);
                for (unsigned i = 0; i < LANES; i++) {
                    s.c[2][i] = sem_pick32();
                    s.c[3][i] = sem_pick32();
                }
                sem_run(&s);
                for (unsigned i = 0; i < LANES; i++)
                    for (unsigned k = 0; k < 4; k++) {
                        uint32_t w = (uint32_t)(sem_get64(s.a, i) >> 8 * k);
                        uint32_t v = sad(w, s.b[0][i], t > 0);
                        if (t == 2)
                            check(&s, i, s.d[k][i], v + s.c[k][i]);
                        else
                            check(&s, i, s.d[k / 2][i] >> 16 * (k & 1) & 0xffff,
                                  (v + (s.c[k / 2][i] >> 16 * (k & 1))) & 0xffff);
                    }
            }
        }
}

/* Signedness of v_dot4_i32_iu8 and v_dot8_i32_iu4 comes from the neg bits. */
static void dot_iu(void **state) {
    (void)state;
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (unsigned t = 0; t < 16; t++) {
            unsigned width = t & 4 ? 4 : 8;
            sem_call_init(&s, build, width == 8 ? "V_DOT4_I32_IU8" : "V_DOT8_I32_IU4");
            s.e.neg = t & 3;
            s.e.cmod = t >> 3;
            for (unsigned n = 0; n < 50; n++) {
                fill(&s);
                sem_run(&s);
                for (unsigned i = 0; i < LANES; i++) {
                    int64_t r = I(s.c[0][i]);
                    for (unsigned k = 0; k < 32; k += width) {
                        int32_t x = I(s.a[0][i] << (32 - width - k)),
                                y = I(s.b[0][i] << (32 - width - k));
                        int64_t p = t & 1 ? x >> (32 - width) : I((uint32_t)x >> (32 - width));
                        r += p * (t & 2 ? y >> (32 - width) : I((uint32_t)y >> (32 - width)));
                    }
                    check(&s, i, s.d[0][i], s.e.cmod ? CI(r) : (uint32_t)r);
                }
            }
        }
}

static void cndmask(void **state) {
    (void)state;
    struct sem_call s;
    for (unsigned build = 0; build < sem_builds(); build++)
        for (unsigned t = 0; t < 2; t++) {
            sem_call_init(&s, build, t ? "V_CNDMASK_B16" : "V_CNDMASK_B32");
            fill(&s);
            s.e.mask_in = 0x80f0a501;
            sem_run(&s);
            for (unsigned i = 0; i < LANES; i++) {
                uint32_t v = s.e.mask_in >> i & 1 ? s.b[0][i] : s.a[0][i];
                check(&s, i, s.d[0][i], t ? H(v) : v);
            }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_dword_ops), cmocka_unit_test(clamped_ops), cmocka_unit_test(carries),
        cmocka_unit_test(mad_64),        cmocka_unit_test(shifts_64),   cmocka_unit_test(quad_sad),
        cmocka_unit_test(dot_iu),        cmocka_unit_test(cndmask),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
