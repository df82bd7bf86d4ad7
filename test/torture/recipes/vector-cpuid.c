/* SPDX-License-Identifier: MIT */
/* A program that asks for the CPU's features and gets those that the recorder supports. */
#include <stdio.h>
int main(void) {
  __builtin_cpu_init();
  printf("%d %d %d\n", !!__builtin_cpu_supports("sse4.2"), !!__builtin_cpu_supports("avx2"), !!__builtin_cpu_supports("popcnt"));
}
