// SPDX-License-Identifier: MIT
// Calls of every kind. Built with -finstrument-functions: each function tells its entry, with its
// address and the depth of instrumented functions around it, by thread and by stack.
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#define PLAIN __attribute__((no_instrument_function))
#define KEEP __attribute__((noinline))

static __thread int current, depth[8], thread_number;
static const int log_fd = 1;

PLAIN static void tell(const char *what, void *function) {
  char line[64];
  int n = snprintf(line, sizeof line, "%s %d %d %p\n", what, thread_number, depth[current], function);
  if (write(log_fd, line, (size_t)n) != n) _exit(99);
}
PLAIN void __cyg_profile_func_enter(void *function, void *site) {
  (void)site;
  tell("enter", function);
  ++depth[current];
}
PLAIN void __cyg_profile_func_exit(void *function, void *site) {
  (void)site;
  --depth[current];
  tell("leave", function);
}

static volatile int sink;
KEEP static int leaf(int x) { return sink = x; }
KEEP static int odd(int n);
KEEP static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
KEEP static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
KEEP static int tree(int n) { return n < 2 ? leaf(n) : tree(n - 1) + tree(n - 2); }

static jmp_buf env;
KEEP static void dive(int n) {
  leaf(n);
  if (n == 0) longjmp(env, 1);
  dive(n - 1);
  leaf(-n);
}
KEEP static void jumps(void) {
  for (int i = 0; i < 3; ++i) {
    const int before = depth[current];
    if (setjmp(env) == 0) dive(i);
    depth[current] = before;
    leaf(100 + i);
  }
}

static sigjmp_buf out_of_handler;
KEEP static void handler(int sig) {
  leaf(sig);
  tree(3);
}
KEEP static void jumping_handler(int sig) {
  leaf(sig);
  siglongjmp(out_of_handler, 1);
}
KEEP static void signals(void) {
  static char other[1 << 16];
  stack_t alternate = {.ss_sp = other, .ss_size = sizeof other};
  sigaltstack(&alternate, NULL);
  for (int on_other = 0; on_other < 2; ++on_other) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = on_other ? SA_ONSTACK : 0};
    sigaction(SIGUSR1, &action, NULL);
    action.sa_handler = jumping_handler;
    sigaction(SIGUSR2, &action, NULL);
    raise(SIGUSR1);
    leaf(1);
    const int before = depth[current];
    if (sigsetjmp(out_of_handler, 1) == 0) raise(SIGUSR2);
    depth[current] = before;
    leaf(2);
    tree(2);
  }
}

static ucontext_t contexts[4];
static char stacks[4][1 << 16];
KEEP static void yield_to(int to) {
  const int from = current;
  leaf(to);
  // The depth of the other stack counts from here on.
  current = to;
  swapcontext(&contexts[from], &contexts[to]);
  leaf(-to);
}
KEEP static void inner(int to) { yield_to(to); }
static void coroutine(int number) {
  for (int i = 0; i < 3; ++i) {
    tree(2);
    inner(number == 3 ? 0 : number + 1);
  }
  leaf(number);
  for (;;) yield_to(0);
}
KEEP static void switches(void) {
  for (int i = 1; i < 4; ++i) {
    getcontext(&contexts[i]);
    contexts[i].uc_stack.ss_sp = stacks[i];
    contexts[i].uc_stack.ss_size = sizeof stacks[i];
    makecontext(&contexts[i], (void (*)(void))coroutine, 1, i);
  }
  for (int i = 0; i < 4; ++i) inner(1);
}

KEEP static int compare(const void *a, const void *b) { return leaf(*(const int *)a - *(const int *)b); }
KEEP static int variable(int n) {
  int sum = 0;
  for (int i = 1; i < n; ++i) {
    int room[i];
    memset(room, i, sizeof room);
    sum += leaf(room[i - 1]);
  }
  return sum;
}

PLAIN static void *work(void *argument) {
  thread_number = *(int *)argument;
  tree(4);
  return NULL;
}
KEEP static void threads(void) {
  pthread_t made[2];
  int numbers[2] = {1, 2};
  for (int i = 0; i < 2; ++i) {
    if (pthread_create(&made[i], NULL, work, &numbers[i]) != 0) abort();
  }
  for (int i = 0; i < 2; ++i) pthread_join(made[i], NULL);
}

int main(int argc, char **argv) {
  (void)argv;
  int (*volatile pointer)(int) = argc > 100 ? leaf : tree;
  pointer(5);
  even(7);
  jumps();
  signals();
  switches();
  int numbers[] = {3, 1, 2, 5, 4};
  qsort(numbers, 5, sizeof numbers[0], compare);
  variable(6);
  threads();
  leaf(42);
  exit(3);
}
