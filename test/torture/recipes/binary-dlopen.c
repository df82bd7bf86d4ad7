/* SPDX-License-Identifier: MIT */
/* dlopen, dlsym, dlclose, a plugin with constructors; an own ifunc. */
/* torture: flags=-ldl */
#include <dlfcn.h>
#include <stdio.h>
static int one(void) { return 1; }
static int (*pick(void))(void) { return one; }
int picked(void) __attribute__((ifunc("pick")));
static void __attribute__((constructor)) before(void) { puts("constructor"); }
static void __attribute__((destructor)) after(void) { puts("destructor"); }
int main(void) {
  for (int i = 0; i < 3; i++) {
    void *h = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
    double (*f)(double) = (double (*)(double))dlsym(h, "cbrt");
    printf("%.6f %d\n", f(27.5), picked());
    dlclose(h);
  }
  printf("%d\n", dlopen("libnothing.so.9", RTLD_LAZY) == NULL);
}
