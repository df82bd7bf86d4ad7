/* SPDX-License-Identifier: MIT */
/* Built with -pg: the profiler's SIGPROF timer does not run as it does natively. */
/* torture: flags=-pg */
/* torture: listed=W016 */
/* torture: files=no */
#include <stdio.h>
int main(void) { puts("profiled"); }
