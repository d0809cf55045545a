/* SPDX-License-Identifier: MIT */
/* Image and sampler descriptors: bits where the two generations want them, and what is refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "driver/am.h"

static const char *const targets[] = {"gfx1100", "gfx1201"};

static struct am_image plain(enum am_image_type type) {
    return (struct am_image){
        .type = type,
        .texel = AM_TEXEL_8_8_8_8,
        .number = AM_UINT,
        .select = {AM_SELECT_Z, AM_SELECT_Y, AM_SELECT_X, AM_SELECT_W},
        .va = 0x123456789a00,
        .width = 1000,
        .height = 77,
        .slices = 1,
        .row_pitch = 4096,
    };
}

static void two_dimensions(void **state) {
    uint32_t d[AM_IMAGE_DESCRIPTOR_DW];
    struct am_image m = plain(AM_IMAGE_2D);

    (void)state;
    for (int g = 0; g < 2; g++) {
        assert_int_equal(am_image_descriptor(targets[g], &m, d), 0);
        assert_int_equal(d[0], 0x3456789a);
        assert_int_equal(d[1] & 0xff, 0x12);
        /* FORMAT 46 (8_8_8_8_UINT) at 20 (gfx11) or 17 (gfx12); width - 1 = 999, low two bits. */
        assert_int_equal(d[1] >> (g ? 17 : 20) & 0xff, 46);
        assert_int_equal(d[1] >> 30, 999 & 3);
        assert_int_equal(d[2] & 0xfff, 999 >> 2);
        assert_int_equal(d[2] >> 14 & 0x3fff, 76);
        assert_int_equal(d[3] & 0xfff, 6 | 5 << 3 | 4 << 6 | 7 << 9);
        assert_int_equal(d[3] >> 20 & 31, 0); /* linear */
        assert_int_equal(d[3] >> 28, 9);
        assert_int_equal(d[4], 4096 / 4 - 1);
        assert_int_equal(d[5] | d[6] | d[7], 0);
    }
}

static void widest_pitch(void **state) {
    uint32_t d[AM_IMAGE_DESCRIPTOR_DW];
    struct am_image m = plain(AM_IMAGE_2D);

    (void)state;
    m.width = 16384;
    m.row_pitch = 65536; /* 16384 texels: the extension bit of gfx11 */
    for (int g = 0; g < 2; g++) {
        assert_int_equal(am_image_descriptor(targets[g], &m, d), 0);
        assert_int_equal(d[4] & 0x3fff, 16383);
    }
    m.row_pitch = 131072;
    assert_int_equal(am_image_descriptor("gfx1100", &m, d), -EINVAL);
    assert_int_equal(am_image_descriptor("gfx1201", &m, d), 0);
    assert_int_equal(d[4] & 0xffff, 32767);
}

static void slices(void **state) {
    uint32_t d[AM_IMAGE_DESCRIPTOR_DW];
    struct am_image m = plain(AM_IMAGE_3D);

    (void)state;
    m.slices = 50;
    for (int g = 0; g < 2; g++) {
        assert_int_equal(am_image_descriptor(targets[g], &m, d), 0);
        assert_int_equal(d[3] >> 28, 10);
        assert_int_equal(d[4], 49);
        m.row_pitch = 8192; /* the hardware would not know */
        assert_int_equal(am_image_descriptor(targets[g], &m, d), -EINVAL);
        m.row_pitch = 4096;
    }
    /* 130 texels of 4 bytes: rows of 768 bytes on gfx11, of 640 on gfx12. */
    m.width = 130;
    m.row_pitch = 768;
    assert_int_equal(am_image_descriptor("gfx1100", &m, d), 0);
    assert_int_equal(am_image_descriptor("gfx1201", &m, d), -EINVAL);
    m.row_pitch = 640;
    assert_int_equal(am_image_descriptor("gfx1100", &m, d), -EINVAL);
    assert_int_equal(am_image_descriptor("gfx1201", &m, d), 0);
}

static void buffers(void **state) {
    uint32_t d[AM_IMAGE_DESCRIPTOR_DW];
    struct am_image m = plain(AM_IMAGE_BUFFER);

    (void)state;
    m.width = 1 << 20;
    m.va = 0x123456789a04;
    for (int g = 0; g < 2; g++) {
        assert_int_equal(am_image_descriptor(targets[g], &m, d), 0);
        assert_int_equal(d[0], 0x56789a04);
        assert_int_equal(d[1] & 0xffff, 0x1234);
        assert_int_equal(d[1] >> 16 & 0x3fff, 4);
        assert_int_equal(d[2], 1 << 20);
        assert_int_equal(d[3] >> 12 & 63, 46);
        assert_int_equal(d[3] >> 28, 0); /* bounds by index, type buffer */
    }
    m.va++;
    assert_int_equal(am_image_descriptor("gfx1100", &m, d), -EINVAL);
}

static void refused(void **state) {
    uint32_t d[AM_IMAGE_DESCRIPTOR_DW];
    struct am_image m = plain(AM_IMAGE_2D);
    struct am_image_limits l;

    (void)state;
    assert_int_equal(am_image_descriptor("gfx900", &m, d), -ENOTSUP);
    assert_int_equal(am_image_limits("gfx900", &l), -ENOTSUP);
    m.number = AM_FLOAT; /* of 8 bits */
    assert_int_equal(am_image_descriptor("gfx1100", &m, d), -EINVAL);
    m = plain(AM_IMAGE_2D);
    m.va += 128;
    assert_int_equal(am_image_descriptor("gfx1100", &m, d), -EINVAL);
    m = plain(AM_IMAGE_2D);
    m.row_pitch = 4000;
    assert_int_equal(am_image_descriptor("gfx1100", &m, d), -EINVAL);
    m = plain(AM_IMAGE_2D);
    m.row_pitch = 3840; /* less than a row */
    assert_int_equal(am_image_descriptor("gfx1100", &m, d), -EINVAL);
    m = plain(AM_IMAGE_2D);
    m.height = 0;
    assert_int_equal(am_image_descriptor("gfx1100", &m, d), -EINVAL);
    m = plain((enum am_image_type)99);
    assert_int_equal(am_image_descriptor("gfx1100", &m, d), -EINVAL);
}

static void samplers(void **state) {
    uint32_t d[AM_SAMPLER_DESCRIPTOR_DW];
    struct am_sampler s = {.normalized = false, .linear = true};

    (void)state;
    s.address = AM_ADDRESS_CLAMP_TO_BORDER;
    for (int g = 0; g < 2; g++) {
        assert_int_equal(am_sampler_descriptor(targets[g], &s, d), 0);
        assert_int_equal(d[0] & 0x1ff, 6 | 6 << 3 | 6 << 6);
        assert_int_equal(d[0] >> 15 & 1, 1);
        assert_int_equal(d[1] >> (g ? 13 : 12) & 0xfff, 0xfff);
        assert_int_equal(d[2] >> 20 & 15, 1 | 1 << 2);
        assert_int_equal(d[3] >> 30, 0); /* transparent black */
    }
    s = (struct am_sampler){.normalized = true, .address = AM_ADDRESS_MIRRORED_REPEAT};
    assert_int_equal(am_sampler_descriptor("gfx1100", &s, d), 0);
    assert_int_equal(d[0] & 0x81ff, 1 | 1 << 3 | 1 << 6);
    assert_int_equal(am_sampler_descriptor("gfx900", &s, d), -ENOTSUP);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_dimensions), cmocka_unit_test(widest_pitch),
        cmocka_unit_test(slices),         cmocka_unit_test(buffers),
        cmocka_unit_test(refused),        cmocka_unit_test(samplers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
