# SPDX-License-Identifier: MIT
"""embed_kernels.py OUT.h SOURCE.cl TARGET...: compiles the kernels for every target and writes
their loadable images with the places of the kernel descriptors as C arrays."""
import os, struct, subprocess, sys, tempfile

out, source, targets = sys.argv[1], sys.argv[2], sys.argv[3:]
clang = os.environ.get("RAWCL_CLANG", "clang-22")
text = ["/* Made by embed_kernels.py. */", "#include <stdint.h>",
        "struct test_kernel { const char *name; uint32_t descriptor, lds, scratch; };",
        "struct test_image { const char *target; const uint8_t *image; uint32_t bytes;",
        "                    const struct test_kernel *kernels; uint32_t count; };"]

def load(path):
    elf = open(path, "rb").read()
    phoff, shoff = struct.unpack_from("<QQ", elf, 32)
    phsize, phnum, shsize, shnum = struct.unpack_from("<HHHH", elf, 54)
    segments = [struct.unpack_from("<IIQQQQQQ", elf, phoff + i * phsize) for i in range(phnum)]
    segments = [s for s in segments if s[0] == 1]
    image = bytearray(max(s[3] + s[6] for s in segments))
    for s in segments:
        image[s[3]:s[3] + s[5]] = elf[s[2]:s[2] + s[5]]
    kernels = []
    for i in range(shnum):
        s = struct.unpack_from("<IIQQQQIIQQ", elf, shoff + i * shsize)
        if s[1] != 11: continue  # SHT_DYNSYM
        names = struct.unpack_from("<IIQQQQIIQQ", elf, shoff + s[6] * shsize)[4]
        for at in range(s[4], s[4] + s[5], 24):
            name, info, _, _, value, size = struct.unpack_from("<IBBHQQ", elf, at)
            end = elf.index(b"\0", names + name)
            word = elf[names + name:end].decode()
            if word.endswith(".kd"):
                kernels.append((word[:-3], value) + struct.unpack_from("<II", image, value))
    return image, sorted(kernels)

images = []
for target in targets:
    with tempfile.TemporaryDirectory() as tmp:
        elf = os.path.join(tmp, "k.elf")
        subprocess.run([clang, "-target", "amdgcn-amd-amdhsa", "-mcpu=" + target, "-x", "cl",
                        "-cl-std=CL2.0", "-Xclang", "-finclude-default-header", "-nogpulib", "-Wno-all",
                        "-mcode-object-version=5", "-O2", "-o", elf, source], check=True)
        image, kernels = load(elf)
    text.append("static const uint8_t image_%s[] = {" % target)
    for i in range(0, len(image), 20):
        text.append("    " + " ".join("%d," % b for b in image[i:i + 20]))
    text.append("};")
    text.append("static const struct test_kernel kernels_%s[] = {" % target)
    text += ['    {"%s", %d, %d, %d},' % k for k in kernels]
    text.append("};")
    images.append('    {"%s", image_%s, sizeof(image_%s), kernels_%s, %d},' %
                  (target, target, target, target, len(kernels)))
text += ["static const struct test_image test_images[] = {"] + images + ["};"]
open(out, "w").write("\n".join(text) + "\n")
