/* SPDX-License-Identifier: MIT */
/* The stack overflows in its main thread and in another one, with a handler on a stack of its own and without. */
/* torture: args=main handler */
/* torture: args=main none */
/* torture: args=thread handler */
/* torture: args=thread none */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static volatile int depth;
static int down(int n) {
  volatile char frame[2000];
  frame[0] = (char)n;
  depth++;
  return down(n + 1) + frame[0];
}
static void handler(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)info, (void)context;
  static const char text[] = "overflow\n";
  if (write(1, depth > 1000 ? text : "too early\n", 9) != 9) _exit(1);
  _exit(11);
}
static char other[65536];
static void *run(void *with_handler) {
  stack_t stack = {.ss_sp = other, .ss_size = sizeof other};
  if (with_handler) {
    sigaltstack(&stack, NULL);
    struct sigaction act = {.sa_sigaction = handler, .sa_flags = SA_ONSTACK | SA_SIGINFO};
    sigaction(SIGSEGV, &act, NULL);
  }
  down(0);
  return NULL;
}
int main(int argc, char **argv) {
  pthread_t t;
  void *with = argc > 2 && strcmp(argv[2], "handler") == 0 ? other : NULL;
  if (strcmp(argv[1], "main") == 0) run(with);
  pthread_create(&t, NULL, run, with);
  pthread_join(t, NULL);
}
