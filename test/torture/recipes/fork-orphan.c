/* SPDX-License-Identifier: MIT */
/* A child that outlives its parent and finishes its work alone. */
/* torture: settle=orphan.txt */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
  pid_t parent = getpid();
  if (fork() == 0) {
    while (getppid() == parent) usleep(1000);
    long x = 0;
    for (int i = 0; i < 100000; i++) x += i ^ (x >> 3);
    FILE *f = fopen("orphan.tmp", "w");
    fprintf(f, "%ld\n", x);
    fclose(f);
    rename("orphan.tmp", "orphan.txt");
    _exit(0);
  }
  puts("the parent ends first");
  return 3;
}
