// SPDX-License-Identifier: MIT
// What the files of the program share: a case is a call, or a few, with its memory.
#pragma once

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kSlot = 16 << 10 };

/// A case gets `m`, kSlot bytes that hold a pattern, for everything that it hands to the kernel, and is run
/// once with each of two patterns. It says what it calls by calling it: nothing else is written down.
typedef void (*Body)(unsigned char* m);
void add_case(const char* name, Body body);

#define CASE(name)                                                                             \
  static void case_##name(unsigned char* m);                                                   \
  __attribute__((constructor)) static void add_##name(void) { add_case(#name, case_##name); }  \
  static void case_##name(__attribute__((unused)) unsigned char* m)

/// The call itself; what failed is printed, for whoever wonders why a row was not reached.
long called(const char* name, long result);
#define CALL(name, ...) called(#name, syscall(SYS_##name, ##__VA_ARGS__))

#define U16(at) (*(uint16_t*)(m + (at)))
#define U32(at) (*(uint32_t*)(m + (at)))
#define U64(at) (*(uint64_t*)(m + (at)))
#define P(at) ((long)(m + (at)))
