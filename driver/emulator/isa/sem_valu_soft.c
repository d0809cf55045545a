/* SPDX-License-Identifier: MIT */
/* sem_valu_soft.c - one fused multiply-add in integer arithmetic, rounded in any direction to any
 * format up to binary64. It serves rounding modes that the host is not in, and formats it lacks. */
#include "driver/emulator/isa/sem_float.h"

typedef unsigned __int128 u128;

const struct soft_format SEM_SYM(soft_f16) = {11, -14, 15, 16};
const struct soft_format SEM_SYM(soft_f32) = {24, -126, 127, 32};
const struct soft_format SEM_SYM(soft_f64) = {53, -1022, 1023, 64};

static int top_bit(u128 m) {
    const uint64_t hi = (uint64_t)(m >> 64), lo = (uint64_t)m;
    return hi ? 127 - __builtin_clzll(hi) : 63 - __builtin_clzll(lo);
}

/* Whether a magnitude of that sign is rounded away from zero. half: -1, 0, 1 below, at, above the
 * middle; the remainder is not zero. */
static bool rounds_away(int round, bool negative, int half, bool odd) {
    switch (round) {
    case RNE:
        return half > 0 || (half == 0 && odd);
    case RUP:
        return !negative;
    case RDOWN:
        return negative;
    default:
        return false;
    }
}

static uint64_t encode_sign(bool negative, const struct soft_format *f) {
    return negative ? 1ull << (f->bits - 1) : 0;
}

/* m * 2^exp (m not zero) plus, if sticky, something below m's last bit. */
static uint64_t soft_round(bool negative, u128 m, int exp, bool sticky, const struct soft_format *f,
                           int round) {
    const uint64_t sign = encode_sign(negative, f);
    const int stored = f->precision - 1;
    int e = exp + top_bit(m);                        /* exponent of the leading bit */
    int last = (e < f->emin ? f->emin : e) - stored; /* exponent of the last kept bit */
    const int drop = last - exp;
    uint64_t kept;
    int half = -1;
    bool inexact = sticky;
    if (drop <= 0) {
        kept = (uint64_t)(m << -drop);
    } else if (drop > 127) {
        kept = 0;
        inexact = true;
    } else {
        const u128 rest = m & (((u128)1 << drop) - 1), mid = (u128)1 << (drop - 1);
        kept = (uint64_t)(m >> drop);
        half = rest > mid || (rest == mid && sticky) ? 1 : rest == mid ? 0 : -1;
        inexact = inexact || rest != 0;
    }
    if (inexact && rounds_away(round, negative, half, kept & 1)) kept++;
    if (kept >> f->precision) {
        kept >>= 1;
        last++;
    }
    const int top = last + stored;
    if (top > f->emax) {
        const uint64_t inf = (uint64_t)(2 * f->emax + 1) << stored;
        const bool to_inf =
            round == RNE || (round == RUP && !negative) || (round == RDOWN && negative);
        return sign | (to_inf ? inf : inf - 1);
    }
    if (!(kept >> stored)) return sign | kept;
    const uint64_t exponent = (uint64_t)(top + f->emax) << stored;
    return sign | exponent | (kept & ((1ull << stored) - 1));
}

/* A finite double as m * 2^exp; false for zero. */
static bool split(double x, uint64_t *m, int *exp) {
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    const int biased = (int)(u >> 52 & 0x7ff);
    *m = (u & 0xfffffffffffffull) | (biased ? 1ull << 52 : 0);
    *exp = (biased ? biased : 1) - 1075;
    return *m != 0;
}

static bool negative(double x) {
    return __builtin_signbit(x) != 0;
}

static uint64_t special(double r, const struct soft_format *f) {
    const uint64_t inf = (uint64_t)(2 * f->emax + 1) << (f->precision - 1);
    if (r != r) return encode_sign(true, f) | inf | 1ull << (f->precision - 2);
    return encode_sign(negative(r), f) | inf;
}

uint64_t SEM_SYM(soft_fma)(double a, double b, double c, int scale, const struct soft_format *f,
                           int round) {
    const bool finite = a - a == 0 && b - b == 0;
    if (!finite) return special(a * b + c, f);
    if (c - c != 0) return special(c, f);
    uint64_t ma, mb, mc;
    int ea, eb, ec;
    const bool sp = negative(a) != negative(b), sc = negative(c);
    const bool has_a = split(a, &ma, &ea), has_b = split(b, &mb, &eb), has_c = split(c, &mc, &ec);
    const bool has_p = has_a && has_b;
    if (!has_p && !has_c) return encode_sign(sp == sc ? sp : round == RDOWN, f);
    if (!has_p) return soft_round(sc, mc, ec + scale, false, f, round);
    u128 p = (u128)ma * mb, q = mc;
    int ep = ea + eb;
    if (!has_c) return soft_round(sp, p, ep + scale, false, f, round);
    /* Both to a leading bit at 125: what the smaller one loses is below anything that matters. */
    const int up = 125 - top_bit(p), uq = 125 - top_bit(q);
    p <<= up, ep -= up;
    q <<= uq, ec -= uq;
    const bool swap = ec > ep || (ec == ep && q > p);
    const u128 big = swap ? q : p;
    u128 small = swap ? p : q;
    const int e = swap ? ec : ep, shift = swap ? ec - ep : ep - ec;
    const bool sign = swap ? sc : sp;
    bool sticky = false;
    if (shift > 127) {
        small = 0;
        sticky = true;
    } else if (shift) {
        sticky = (small & (((u128)1 << shift) - 1)) != 0;
        small >>= shift;
    }
    if (sp == sc) return soft_round(sign, big + small, e + scale, sticky, f, round);
    const u128 m = big - small - (sticky ? 1 : 0);
    if (!m) return encode_sign(round == RDOWN, f);
    return soft_round(sign, m, e + scale, sticky, f, round);
}
