/* SPDX-License-Identifier: MIT */
/* Files in every way: pread, pwritev, sendfile, splice, copy_file_range, locks, truncate, dirs. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
static int order(const void *a, const void *b) { return strcmp(a, b); }
int main(void) {
  char buf[100] = "", names[10][32];
  int a = open("a", O_RDWR | O_CREAT, 0644), b = open("b", O_RDWR | O_CREAT | O_EXCL, 0600), p[2], n = 0;
  struct iovec v[2] = {{"0123456789", 10}, {"abcdef", 6}};
  pwritev(a, v, 2, 5);
  off_t from = 3;
  sendfile(b, a, &from, 8);
  pipe(p);
  loff_t at = 7;
  splice(a, &at, p[1], NULL, 6, 0);
  ssize_t got = read(p[0], buf, 99);
  printf("%zd %.6s %ld\n", got, buf, (long)lseek(b, 0, SEEK_END));
  loff_t o1 = 0, o2 = 20;
  printf("%zd\n", copy_file_range(a, &o1, b, &o2, 10, 0));
  ftruncate(b, 25);
  flock(a, LOCK_EX);
  mkdir("dir", 0700);
  link("a", "dir/hard");
  symlink("../b", "dir/soft");
  rename("dir/hard", "dir/harder");
  struct stat st;
  lstat("dir/soft", &st);
  printf("%d %ld\n", S_ISLNK(st.st_mode), (long)st.st_size);
  DIR *d = opendir("dir");
  for (struct dirent *e; (e = readdir(d));) snprintf(names[n++], 32, "%.31s", e->d_name);
  qsort(names, n, 32, order);
  for (int i = 0; i < n; i++) puts(names[i]);
  memset(buf, 0, sizeof buf);
  pread(b, buf, 30, 0);
  for (int i = 0; i < 25; i++) putchar(buf[i] ? buf[i] : '.');
  puts("");
}
