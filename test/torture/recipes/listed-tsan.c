/* SPDX-License-Identifier: MIT */
/* A program built with ThreadSanitizer: refused with one clear line. */
/* torture: flags=-fsanitize=thread -g */
/* torture: refused=R006 */
#include <stdio.h>
int main(void) { puts("sanitized"); }
