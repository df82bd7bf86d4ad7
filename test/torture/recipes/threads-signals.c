/* SPDX-License-Identifier: MIT */
/* pthread_kill of single threads, handlers run in the thread that was meant. */
/* torture: flags=-pthread */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static __thread int mine;
static volatile int hits[4];
static int ready[2];
static void handler(int s) {
  (void)s;
  hits[mine]++;
}
static void *work(void *arg) {
  mine = (int)(long)arg;
  sigset_t none;
  sigemptyset(&none);
  write(ready[1], "r", 1);
  while (hits[mine] < 5) {
    sigsuspend(&none);
    write(ready[1], "r", 1);
  }
  return NULL;
}
int main(void) {
  struct sigaction sa = {.sa_handler = handler};
  pthread_t t[4];
  sigset_t usr1;
  char c;
  sigaction(SIGUSR1, &sa, NULL);
  sigemptyset(&usr1);
  sigaddset(&usr1, SIGUSR1);
  sigprocmask(SIG_BLOCK, &usr1, NULL);
  pipe(ready);
  for (long i = 0; i < 4; i++) {
    pthread_create(&t[i], NULL, work, (void *)i);
    read(ready[0], &c, 1);
    for (int k = 0; k < 5; k++) {
      pthread_kill(t[i], SIGUSR1);
      read(ready[0], &c, 1);
    }
    pthread_join(t[i], NULL);
  }
  for (int i = 0; i < 4; i++) printf("%d ", hits[i]);
  puts("");
}
