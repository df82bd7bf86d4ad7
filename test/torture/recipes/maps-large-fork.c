/* SPDX-License-Identifier: MIT */
/* A large mapping through fork, vfork, threads and a signal handler that makes its pages. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static char *p;
static void fault(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)context;
  char *page = (char *)((unsigned long)info->si_addr & ~4095UL);
  if (page < p || mprotect(page, 4096, PROT_READ | PROT_WRITE)) _exit(9);
}
static void *work(void *of) {
  char *from = of;
  for (int i = 0; i < 50; i++) from[(size_t)i << 30] = (char)i;
  return NULL;
}
int main(void) {
  int status = 0, sum = 0;
  p = mmap(NULL, 256UL << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return puts("no map"), 1;
  struct sigaction act = {.sa_sigaction = fault, .sa_flags = SA_SIGINFO};
  sigaction(SIGSEGV, &act, NULL);
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, work, p + ((size_t)i << 36) + 128);
  for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 50; i++) sum += p[((size_t)k << 36) + 128 + ((size_t)i << 30)];
  pid_t child = vfork();
  if (child == 0) {
    p[128] = 77;
    _exit(1);
  }
  waitpid(child, &status, 0);
  printf("%d %d\n", sum, p[128]);
  fflush(stdout);
  if (fork() == 0) {
    p[128]++;
    p[200UL << 30] = 2;
    _exit(p[128] + p[200UL << 30]);
  }
  wait(&status);
  printf("%d %d\n", WEXITSTATUS(status), p[128]);
}
