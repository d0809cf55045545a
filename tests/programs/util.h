/* SPDX-License-Identifier: MIT */
/* util.h - what the example programs share: a device, a queue, a built program, checked calls.
 * Plain OpenCL through the ICD loader; nothing here knows RawCL. */
#ifndef RAWCL_PROGRAMS_UTIL_H
#define RAWCL_PROGRAMS_UTIL_H

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

struct cl {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue; /* in order, profiling on */
    cl_program program;
};

/* Ends the program with the call's name and the error's number. */
void cl_check(cl_int err, const char *what);
#define CHECK(call) cl_check((call), #call)

/* First device of the first platform; PROGRAMS_PLATFORM chooses a platform by a part of its name.
 */
void cl_start(struct cl *cl);
/* Builds a program; prints the log and ends on failure. */
void cl_build(struct cl *cl, const char *source, const char *options);
cl_kernel cl_kernel_named(struct cl *cl, const char *name);
cl_mem cl_buffer(struct cl *cl, cl_mem_flags flags, size_t bytes, void *host);
/* local NULL: the implementation chooses. Waits; returns nanoseconds on the device. */
cl_ulong cl_run(struct cl *cl, cl_kernel k, cl_uint dims, const size_t *global,
                const size_t *local);
void cl_read(struct cl *cl, cl_mem m, size_t bytes, void *host);
void cl_stop(struct cl *cl);

/* Prints "PASS name (...)" or "FAIL name (...)" and returns the exit status for main(). */
int report(const char *name, bool ok, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* xorshift64*, so that data is the same everywhere. */
unsigned long long next_random(unsigned long long *state);

#endif
