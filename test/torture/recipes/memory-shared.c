/* SPDX-License-Identifier: MIT */
/* Shared memory between processes: a mapping, a file mapping and System V. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  int fd = open("shared.bin", O_RDWR | O_CREAT, 0644);
  ftruncate(fd, 4096);
  int *a = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int *b = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  int id = shmget(IPC_PRIVATE, 4096, 0600);
  int *c = shmat(id, NULL, 0);
  shmctl(id, IPC_RMID, NULL);
  for (int i = 0; i < 5; i++) {
    pid_t p = fork();
    if (p == 0) {
      __atomic_fetch_add(&a[0], i, __ATOMIC_SEQ_CST);
      b[i] = i * i;
      c[0] += 10;
      _exit(0);
    }
    waitpid(p, NULL, 0);
  }
  pwrite(fd, "\x7f", 1, 100);
  printf("%d %d %d %d %d\n", a[0], b[3], b[4], c[0], ((char *)b)[100]);
}
