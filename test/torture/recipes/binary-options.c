/* SPDX-License-Identifier: MIT */
/* Built in unusual ways. */
/* torture: flags=-O3 -flto -fwhole-program */
/* torture: flags=-Os -fno-pic -no-pie -Wl,--hash-style=sysv */
/* torture: flags=-O2 -fcf-protection=full -fstack-protector-all -D_FORTIFY_SOURCE=2 */
/* torture: flags=-O2 -fomit-frame-pointer -fno-asynchronous-unwind-tables -s */
/* torture: flags=-O1 -g -gdwarf-4 -gz */
/* torture: flags=-O2 -ffunction-sections -Wl,--gc-sections,-z,now,-z,relro */
/* torture: flags=-O2 -fpie -pie -static-pie */
/* torture: flags=-O2 -finstrument-functions -fno-builtin -Wl,-z,noexecstack */
/* torture: flags=-O2 -mcmodel=large -fPIC */
#include <stdio.h>
static __thread int local = 4;
__attribute__((noinline)) static int recurse(int n) { return n < 2 ? n : recurse(n - 1) + recurse(n - 2); }
int main(void) {
  long s = 0;
  for (int i = 0; i < 18; i++) s += recurse(i) * local++;
  printf("%ld\n", s);
}
