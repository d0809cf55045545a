/* SPDX-License-Identifier: MIT */
/* The Mandelbrot set as a PNG that one can look at: mandelbrot [FILE]. */
#include "tests/programs/util.h"

#include <png.h>
#include <string.h>

static const char source[] = "kernel void mandelbrot(global uchar4 *out, int w, int h, int limit)\n"
                             "{\n"
                             "    int x = get_global_id(0), y = get_global_id(1);\n"
                             "    float cr = -2.2f + 3.0f * x / w, ci = -1.2f + 2.4f * y / h;\n"
                             "    float zr = 0, zi = 0;\n"
                             "    int i = 0;\n"
                             "    while (i < limit && zr * zr + zi * zi < 4.0f) {\n"
                             "        float t = zr * zr - zi * zi + cr;\n"
                             "        zi = 2.0f * zr * zi + ci;\n"
                             "        zr = t;\n"
                             "        i++;\n"
                             "    }\n"
                             "    float s = i == limit ? 0 : native_sqrt((float)i / limit);\n"
                             "    out[y * w + x] = (uchar4)((uchar)(255 * s), (uchar)(255 * s * "
                             "s), (uchar)(90 * s + (i == limit ? 0 : 40)), 255);\n"
                             "}\n";

enum { W = 640, H = 512, LIMIT = 256 };

static bool write_png(const char *path, const unsigned char *rgba) {
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.width = W;
    image.height = H;
    image.format = PNG_FORMAT_RGBA;
    return png_image_write_to_file(&image, path, 0, rgba, 0, NULL) != 0;
}

int main(int argc, char **argv) {
    static unsigned char out[W * H * 4];
    struct cl cl;
    cl_start(&cl);
    cl_build(&cl, source, NULL);
    cl_kernel k = cl_kernel_named(&cl, "mandelbrot");
    cl_mem m = cl_buffer(&cl, CL_MEM_WRITE_ONLY, sizeof out, NULL);
    int w = W, h = H, limit = LIMIT;
    CHECK(clSetKernelArg(k, 0, sizeof m, &m));
    CHECK(clSetKernelArg(k, 1, sizeof w, &w));
    CHECK(clSetKernelArg(k, 2, sizeof h, &h));
    CHECK(clSetKernelArg(k, 3, sizeof limit, &limit));
    size_t global[2] = {W, H};
    cl_ulong ns = cl_run(&cl, k, 2, global, NULL);
    cl_read(&cl, m, sizeof out, out);
    /* The set's area is 1.5066 and the view's 7.2; 256 iterations overestimate it a little. */
    int inside = 0;
    for (int i = 0; i < W * H; i++)
        inside += out[4 * i] == 0 && out[4 * i + 2] == 0;
    double area = 7.2 * inside / (W * H);
    bool ok = area > 1.49 && area < 1.56;
    if (argc > 1 && !write_png(argv[1], out)) {
        fprintf(stderr, "cannot write %s\n", argv[1]);
        ok = false;
    }
    CHECK(clReleaseMemObject(m));
    CHECK(clReleaseKernel(k));
    cl_stop(&cl);
    return report("mandelbrot", ok, "%dx%d, area %.4f, %.2f ms%s%s", W, H, area, ns / 1e6,
                  argc > 1 ? ", " : "", argc > 1 ? argv[1] : "");
}
