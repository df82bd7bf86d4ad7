/* SPDX-License-Identifier: MIT */
/* Exit statuses, exit handlers in order, buffered output, quick_exit, _exit, return. */
/* torture: args=0 */
/* torture: args=1 */
/* torture: args=2 */
/* torture: args=125 */
/* torture: args=126 */
/* torture: args=127 */
/* torture: args=128 */
/* torture: args=255 */
/* torture: args=256 */
/* torture: args=-1 */
/* torture: args=7 quick */
/* torture: args=8 raw */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void a(void) { puts("a"); }
static void b(void) { puts("b"); }
static void q(void) { write(1, "q\n", 2); }
int main(int argc, char **argv) {
  atexit(a);
  atexit(b);
  at_quick_exit(q);
  printf("buffered");
  if (argc > 2 && !strcmp(argv[2], "quick")) quick_exit(atoi(argv[1]));
  if (argc > 2) _exit(atoi(argv[1]));
  return argc > 1 ? atoi(argv[1]) : 0;
}
