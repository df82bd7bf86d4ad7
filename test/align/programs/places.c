// SPDX-License-Identifier: MIT
// Tells the addresses of memory of every kind, and what it is, when all of it is live: stacks of
// threads, coroutines and signal handlers among them.
#define _GNU_SOURCE
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define TELL(what, pointer) printf("%s\t%p\n", what, (void *)(pointer))

int global = 1;
static int in_bss[1000];
static __thread int in_thread;
static char alternate[65536];
static ucontext_t to_main, to_first, to_second;
static int ready[2], done[2];
extern char **environ;

void stop(void) { fflush(stdout); }

static void *in_other_thread(void *unused) {
  int local = 1;
  char *heap = malloc(100);
  TELL("stack in_other_thread", &local);
  TELL("heap in_other_thread", heap + 50);
  TELL("thread 2", &in_thread);
  fflush(stdout);
  (void)!write(ready[1], "x", 1);
  (void)!read(done[0], &local, 1);
  free(heap);
  return unused;
}

static void handler(int signal) {
  int local = signal;
  TELL("stack handler", &local);
  stop();  // looked at here
}

static void interrupted(void) {
  int local = 3;
  TELL("stack interrupted", &local);
  raise(SIGUSR1);
}

static void second(void) {
  int local = 2;
  TELL("stack second", &local);
  interrupted();
  setcontext(&to_main);
}

static void first(void) {
  int local = 1;
  char *dynamic = alloca(100 + local);
  TELL("stack first", &local);
  TELL("stack first", dynamic + 60);
  swapcontext(&to_first, &to_second);
}

static void recurse(int n) {
  volatile int local = n;
  char what[40];
  sprintf(what, "stack recurse %d", n);
  TELL(what, &local);
  if (n > 1) {
    recurse(n - 1);
    return;
  }
  swapcontext(&to_main, &to_first);
}

int main(int argc, char **argv) {
  int local = argc;
  pthread_t thread;
  TELL("stack main", &local);
  TELL("module", &global);
  TELL("module", &in_bss[999]);
  TELL("module", main);
  TELL("module", "constant");
  TELL("module", stdout);
  TELL("thread 1", &in_thread);
  TELL("argv[0]", argv[0]);
  TELL("argv", &argv[0]);
  TELL("envp", &environ[0]);
  TELL("heap main", strdup("text"));
  char *grown = malloc(10);
  char *other = malloc(10);
  grown = realloc(grown, 300000);
  TELL("heap main", grown + 299999);
  TELL("heap main", other);
  TELL("heap main", calloc(3, 7));
  void *aligned = 0;
  (void)!posix_memalign(&aligned, 4096, 100);
  TELL("heap main", aligned);
  char *mapped = mmap(0, 20000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(mapped + 4096, 4096);
  TELL("mapping", mapped + 100);
  TELL("mapping", mapped + 9000);
  if (pipe(ready) != 0 || pipe(done) != 0)
    return 1;
  pthread_create(&thread, 0, in_other_thread, 0);
  (void)!read(ready[0], &local, 1);
  const stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
  sigaltstack(&stack, 0);
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
  sigaction(SIGUSR1, &action, 0);
  char *first_stack = malloc(65536);
  getcontext(&to_first);
  to_first.uc_stack = (stack_t){.ss_sp = first_stack, .ss_size = 65536};
  makecontext(&to_first, first, 0);
  getcontext(&to_second);
  to_second.uc_stack = (stack_t){.ss_sp = mmap(0, 65536, PROT_READ | PROT_WRITE,
                                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
                                 .ss_size = 65536};
  makecontext(&to_second, second, 0);
  TELL("heap main", first_stack + 16);
  recurse(3);
  (void)!write(done[1], "x", 1);
  pthread_join(thread, 0);
  return 0;
}
