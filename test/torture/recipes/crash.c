/* SPDX-License-Identifier: MIT */
/* Every way for a program to die of a signal, after some output. */
/* torture: flags=-pthread -O1 */
/* torture: args=segv */
/* torture: args=abort */
/* torture: args=fpe */
/* torture: args=ill */
/* torture: args=bus */
/* torture: args=trap */
/* torture: args=kill */
/* torture: args=term */
/* torture: args=overflow */
/* torture: args=jump-null */
/* torture: args=jump-data */
/* torture: args=text-write */
/* torture: args=thread */
/* torture: args=pipe */
/* torture: args=alarm */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
static volatile int zero;
static int __attribute__((noinline)) overflow(int n) {
  volatile char room[1024];
  room[n & 1023] = 1;
  return overflow(n + 1) + room[0];
}
static void *in_thread(void *arg) {
  *(volatile int *)8 = 1;
  return arg;
}
static char data[64];
int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  printf("about to die of %s\n", how);
  fflush(stdout);
  if (!strcmp(how, "segv")) *(volatile int *)0 = 1;
  if (!strcmp(how, "abort")) abort();
  if (!strcmp(how, "fpe")) zero = 5 / zero;
  if (!strcmp(how, "ill")) __builtin_trap();
  if (!strcmp(how, "bus")) {
    int fd = open("file", O_RDWR | O_CREAT, 0600);
    char *p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    zero = p[100];
  }
  if (!strcmp(how, "trap")) __asm__ volatile("int3");
  if (!strcmp(how, "kill")) kill(getpid(), SIGKILL);
  if (!strcmp(how, "term")) raise(SIGTERM);
  if (!strcmp(how, "overflow")) overflow(0);
  if (!strcmp(how, "jump-null")) ((void (*)(void))(long)zero)();
  if (!strcmp(how, "jump-data")) ((void (*)(void))(void *)data)();
  if (!strcmp(how, "text-write")) *(volatile char *)(void *)&overflow = 1;
  if (!strcmp(how, "thread")) {
    pthread_t t;
    pthread_create(&t, NULL, in_thread, NULL);
    pthread_join(t, NULL);
  }
  if (!strcmp(how, "pipe")) {
    int p[2];
    pipe(p);
    close(p[0]);
    write(p[1], "x", 1);
  }
  if (!strcmp(how, "alarm")) alarm(1), pause();
  puts("still alive");
  return 1;
}
