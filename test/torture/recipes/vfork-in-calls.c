/* SPDX-License-Identifier: MIT */
/* While one thread makes processes by vfork, others wait in calls into whose memory the kernel writes: on the pages that the
   children write too. */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static struct {
  char read[8][16];
  volatile int by_children;
} page __attribute__((aligned(4096)));
static int pipes[8][2];
static volatile int done;
static void *wait_in_read(void *of) {
  long i = (long)of;
  long got = read(pipes[i][0], page.read[i], 16);
  return (void *)got;
}
static void *write_later(void *of) {
  for (int i = 0; i < 8; i++) {
    usleep(20000);
    if (write(pipes[i][1], "from the kernel", 16) != 16) return NULL;
  }
  done = 1;
  return of;
}
int main(void) {
  pthread_t readers[8];
  int rounds = 0, wrong = 0;
  for (long i = 0; i < 8; i++) {
    if (pipe(pipes[i])) return 1;
    pthread_create(&readers[i], NULL, wait_in_read, (void *)i);
  }
  pid_t writer = fork();
  if (writer == 0) _exit(write_later(&done) != &done);
  int status = 1;
  while (waitpid(writer, &status, WNOHANG) == 0) {
    const int before = page.by_children;
    pid_t p = vfork();
    if (p == 0) {
      page.by_children++;
      usleep(15000);
      _exit(0);
    }
    waitpid(p, NULL, 0);
    wrong += page.by_children != before + 1;
    rounds++;
  }
  for (int i = 0; i < 8; i++) {
    pthread_join(readers[i], NULL);
    wrong += strcmp(page.read[i], "from the kernel") != 0;
  }
  printf("%d wrong, %d, status %d\n", wrong, rounds > 0, status);
}
