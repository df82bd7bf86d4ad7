/* SPDX-License-Identifier: MIT */
/* atexit, on_exit, destructors, quick_exit, and what _exit leaves out. */
/* torture: args= */
/* torture: args=quick */
/* torture: args=_exit */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void one(void) { printf("one\n"); }
static void two(void) { printf("two\n"); }
static void quick(void) { write(1, "quick\n", 6); }
static void with(int status, void *p) { printf("with %d %s\n", status, (char *)p); }
__attribute__((destructor)) static void last(void) { printf("destructor\n"); }
__attribute__((constructor)) static void first(void) { printf("constructor\n"); fflush(stdout); }
int main(int argc, char **argv) {
  atexit(one);
  on_exit(with, "text");
  atexit(two);
  at_quick_exit(quick);
  if (argc > 1 && strcmp(argv[1], "quick") == 0) quick_exit(3);
  if (argc > 1 && strcmp(argv[1], "_exit") == 0) _exit(4);
  exit(5);
}
