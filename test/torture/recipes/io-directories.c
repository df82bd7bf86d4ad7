/* SPDX-License-Identifier: MIT */
/* Names: mkdir, rename, links, readlink, getdents, statx, access, utimensat, xattrs. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
static int by_name(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }
int main(void) {
  mkdir("d", 0755);
  for (int i = 0; i < 40; i++) {
    char name[20];
    snprintf(name, sizeof name, "d/%d", i * 7 % 40);
    close(open(name, O_CREAT | O_WRONLY, 0644));
  }
  symlink("d/7", "link");
  link("d/7", "hard");
  char where[20] = "";
  printf("%ld %s\n", (long)readlink("link", where, 19), where);
  struct dirent **list;
  int n = scandir("d", &list, NULL, by_name);
  printf("%d %s %s\n", n, list[2]->d_name, list[n - 1]->d_name);
  struct statx x;
  statx(AT_FDCWD, "hard", 0, STATX_BASIC_STATS, &x);
  printf("%u %o %llu\n", x.stx_nlink, x.stx_mode, (unsigned long long)x.stx_size);
  struct timespec t[2] = {{1000, 5}, {2000, 6}};
  utimensat(AT_FDCWD, "hard", t, 0);
  struct stat s;
  fstatat(AT_FDCWD, "link", &s, 0);
  printf("%ld %ld\n", (long)s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
  printf("%d %d\n", renameat2(AT_FDCWD, "hard", AT_FDCWD, "link", RENAME_NOREPLACE), errno == EEXIST);
  printf("%d\n", renameat2(AT_FDCWD, "hard", AT_FDCWD, "link", RENAME_EXCHANGE));
  printf("%d %d\n", access("nothing", R_OK), errno == ENOENT);
  char value[10] = "";
  int set = setxattr("link", "user.key", "value", 5, 0);
  if (set == 0) printf("%ld %s\n", (long)getxattr("link", "user.key", value, 9), value);
  rmdir("d");
  printf("%s\n", strerror(errno));
}
