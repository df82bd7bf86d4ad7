/* SPDX-License-Identifier: MIT */
/* A limit of open files that leaves no room for the recorder: refused with one clear line. */
/* torture: launch=ulimit -n 8 */
/* torture: launch=ulimit -n 16 */
/* torture: refused=R025 */
#include <stdio.h>
int main(void) { puts("few files"); }
