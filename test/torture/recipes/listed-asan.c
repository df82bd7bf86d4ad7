/* SPDX-License-Identifier: MIT */
/* A program built with AddressSanitizer: refused with one clear line. */
/* torture: flags=-fsanitize=address -g */
/* torture: refused=R006 */
#include <stdio.h>
int main(void) { puts("sanitized"); }
