/* SPDX-License-Identifier: MIT */
/* wire.h - what travels between client and worker: growable byte strings, a bounds-checked reader,
 * frames on a socket, and the job and result encodings. Both ends run on one machine: host order.
 */
#ifndef RAWCL_COMPILER_WIRE_H
#define RAWCL_COMPILER_WIRE_H

#include "compiler/compiler.h"

/* A growable byte string. An allocation failure is sticky: check failed once at the end. */
struct bytes {
    char *data;
    size_t size, capacity;
    bool failed;
};

void bytes_free(struct bytes *b);
void bytes_put(struct bytes *b, const void *data, size_t size);
void bytes_put_u32(struct bytes *b, uint32_t value);
void bytes_put_u64(struct bytes *b, uint64_t value);
/* Length-prefixed, and NUL terminated so that a reader may use it in place. NULL is "". */
void bytes_put_blob(struct bytes *b, const void *data, size_t size);
void bytes_put_string(struct bytes *b, const char *text);
void bytes_printf(struct bytes *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The content as malloc'ed NUL-terminated text, never NULL unless memory is out; empties b. */
char *bytes_take_text(struct bytes *b);

/* Reads what bytes_put_* wrote. After an overrun everything reads as zero and failed is set. */
struct reader {
    const char *at;
    size_t left;
    bool failed;
};

uint32_t reader_u32(struct reader *r);
uint64_t reader_u64(struct reader *r);
const char *reader_blob(struct reader *r, size_t *size); /* never NULL; NUL terminated */
const char *reader_string(struct reader *r);             /* never NULL */

enum wire_kind {
    WIRE_HELLO = 1,   /* worker -> client, once: ready */
    WIRE_JOB,         /* a job; answered by WIRE_RESULT */
    WIRE_WARM_UP,     /* target; no answer: the worker does a build for practice */
    WIRE_DISASSEMBLE, /* target, code object; answered by WIRE_RESULT with text as binary */
    WIRE_RESULT,
    WIRE_LIFT, /* a request of the emulated GPU's; answered by WIRE_RESULT, its binary a reply */
};

#define WIRE_FRAME_MAX (1u << 30) /* bytes; a longer frame is a broken peer */

/* Both return 0, -EPIPE when the peer is gone, -ETIMEDOUT, or -errno. timeout_ms < 0: no limit.
 * wire_receive replaces the content of payload. */
int wire_send(int fd, enum wire_kind kind, const struct bytes *payload);
int wire_receive(int fd, enum wire_kind *kind, struct bytes *payload, int timeout_ms);

/* A job as the worker sees it: pointers into the frame; arrays are malloc'ed. */
struct wire_job {
    struct compiler_job job;
    const char *directory; /* the application's current directory: relative -I starts there */
    struct compiler_blob *blobs;
};

void wire_put_job(struct bytes *b, const struct compiler_job *job, const char *directory);
/* Returns 0 or -EINVAL. The frame must outlive the job; free with wire_job_free. */
int wire_get_job(const struct bytes *frame, struct wire_job *out);
void wire_job_free(struct wire_job *job);

/* A file that a build read, with the hash of its text (XXH3, 128 bits). */
struct dependency {
    char *path;
    uint64_t hash[2];
};

struct wire_result {
    enum compiler_status status;
    bool ending; /* the worker ends after this answer: a fatal error left LLVM unusable */
    char *log;   /* malloc'ed */
    char *binary;
    size_t binary_size;
    struct dependency *dependencies;
    size_t dependency_count;
};

void wire_put_result(struct bytes *b, const struct wire_result *result);
/* Copies everything out of the frame. Returns 0 or -EINVAL/-ENOMEM. */
int wire_get_result(const struct bytes *frame, struct wire_result *out);
void wire_result_free(struct wire_result *result);

/* Hash of a file's text. Returns 0 or -errno. */
int wire_hash_file(const char *path, uint64_t hash[2]);

#endif
