/* SPDX-License-Identifier: MIT */
/* A shared mapping of a file: msync, writes through the file, a second mapping, SIGBUS behind its end. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static sigjmp_buf back;
static void on_bus(int sig) { siglongjmp(back, sig); }
int main(void) {
  int fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0644);
  ftruncate(fd, 8192);
  char *a = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  char *b = mmap(NULL, 8192, PROT_READ, MAP_SHARED, fd, 0);
  char *own = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
  strcpy(a + 100, "through a");
  printf("%s\n", b + 100);
  own[100] = 'T';
  printf("%s %s\n", own + 100, b + 100);
  pwrite(fd, "written", 7, 5000);
  printf("%s %s\n", a + 5000, own + 5000);
  msync(a, 8192, MS_SYNC);
  ftruncate(fd, 4096);
  signal(SIGBUS, on_bus);
  int sig = sigsetjmp(back, 1);
  if (sig == 0) printf("%d\n", b[5000]);
  printf("%d\n", sig == SIGBUS);
}
