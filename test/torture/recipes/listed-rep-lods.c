/* SPDX-License-Identifier: MIT */
/* rep lods, which no compiler emits: loads once instead of n times. */
/* torture: listed=W022 */
#include <stdio.h>
int main(void) {
  static const char text[] = "0123456789";
  const char *s = text;
  unsigned long n = 5, a = 0;
  __asm__ volatile("rep lodsb" : "+S"(s), "+c"(n), "+a"(a));
  printf("%ld %lu %c\n", (long)(s - text), n, (char)a);
}
