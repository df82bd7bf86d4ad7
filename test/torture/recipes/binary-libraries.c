/* SPDX-License-Identifier: MIT */
/* A library that is opened, found by name, closed and opened again; weak symbols, constructors, RTLD_NEXT. */
/* torture: flags=-O0 -fno-builtin -rdynamic -ldl */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
extern int nothing_has_this(void) __attribute__((weak));
static int calls;
size_t strlen(const char *s) {
  static size_t (*real)(const char *);
  if (!real) real = (size_t(*)(const char *))dlsym(RTLD_NEXT, "strlen");
  calls++;
  return real(s);
}
int main(int argc, char **argv) {
  printf("%d\n", nothing_has_this != NULL);
  for (int i = 0; i < 3; i++) {
    void *m = dlopen("libm.so.6", RTLD_LAZY | RTLD_LOCAL);
    double (*cosine)(double) = (double (*)(double))dlsym(m, "cos");
    printf("%.10f %d\n", cosine(1.0), dlsym(m, "no_such_name") == NULL);
    dlclose(m);
  }
  printf("%d\n", dlopen("libdoesnotexist.so", RTLD_NOW) == NULL);
  Dl_info info;
  printf("%d %s\n", dladdr((void *)main, &info) != 0, info.dli_sname ? info.dli_sname : "-");
  printf("%zu %d\n", strlen(argv[0] + 1) > 0, calls > 0);
}
