/* SPDX-License-Identifier: MIT */
/* splice, tee, vmsplice, sendfile and copy_file_range move what they say. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>
int main(void) {
  int file = open("from", O_RDWR | O_CREAT | O_TRUNC, 0644), to = open("to", O_RDWR | O_CREAT | O_TRUNC, 0644);
  for (int i = 0; i < 200; i++) dprintf(file, "line %d\n", i);
  int a[2], b[2];
  pipe(a);
  pipe(b);
  loff_t at = 100;
  long n = splice(file, &at, a[1], NULL, 500, 0);
  printf("splice %ld at %ld\n", n, (long)at);
  n = tee(a[0], b[1], 300, 0);
  printf("tee %ld\n", n);
  char buffer[1000] = "";
  n = read(b[0], buffer, 999);
  printf("%ld %.20s\n", n, buffer);
  char text[] = "handed over";
  struct iovec v = {text, sizeof text - 1};
  printf("vmsplice %ld\n", (long)vmsplice(b[1], &v, 1, 0));
  n = read(b[0], buffer, 999);
  printf("%ld %.11s\n", n, buffer);
  off_t from = 10;
  n = sendfile(to, file, &from, 700);
  printf("sendfile %ld at %ld\n", n, (long)from);
  loff_t in = 0, out = 50;
  n = copy_file_range(file, &in, to, &out, 60, 0);
  printf("copy %ld at %ld, %ld\n", n, (long)in, (long)out);
}
