/* SPDX-License-Identifier: MIT */
/* client.h - what the client offers to rawclc and the tests beyond compiler.h. */
#ifndef RAWCL_COMPILER_CLIENT_H
#define RAWCL_COMPILER_CLIENT_H

#include "compiler/compiler.h"

/* Disassembles a code object in the worker; out->binary is text. Never cached. */
void compiler_disassemble(const char *target, const void *data, size_t size,
                          struct compiler_result *out);

#endif
