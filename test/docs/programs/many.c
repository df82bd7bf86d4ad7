// SPDX-License-Identifier: MIT
// A little of what fields of documents tell of: threads, a signal, a child, a file, strings,
// arrays, tail calls, a longjmp.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define KEPT __attribute__((noinline))
static jmp_buf back;
static volatile sig_atomic_t caught;
struct point {
  int x;
  double y;
};
static struct point corner = {1, 0.5};
static int table[8];

static void handler(int number) { caught = number; }

__attribute__((noinline)) static int work(int n, const char* name, bool fast) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    if (i % 3 == 0)
      sum += 2;
    else
      sum -= name[0] == 'x';
  return fast ? sum : -sum;
}

#ifdef KEPT
KEPT static int tail(int n) { return work(n, "tail", false); }
#else
static int tail(int n) { return work(n + 1, "tail", false); }
#endif

static void leave(int n) {
  if (n == 0) longjmp(back, 1);
  leave(n - 1);
}

static void* count(void* to) {
  for (int i = 0; i < 5; i++) table[i] += work(i, "thread", true);
  *(int*)to = table[4];
  return NULL;
}

int main(int argc, char** argv) {
  bool more = argc > 1;
  int result = 0;
  pthread_t thread;
  signal(SIGUSR1, handler);
  pthread_create(&thread, NULL, count, &result);
  pthread_join(thread, NULL);
  raise(SIGUSR1);
  char* text = malloc(32);
  char* left = malloc(more ? 80 : 40);
  strcpy(text, more ? "more" : "few");
  left[0] = text[0];
  corner.x += more;
  corner.y *= more ? 3 : 1;
  FILE* file = fopen("/proc/self/comm", "r");
  char line[64] = "";
  if (file && fgets(line, sizeof line, file)) result += (int)strlen(line);
  if (file) fclose(file);
  access("/nonexistent", R_OK);
  if (setjmp(back) == 0) leave(3);
  for (int i = 0; i < (more ? 40 : 30); i++) result += tail(i);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) _exit(work(3, argv[0], true) & 1);
  waitpid(child, NULL, 0);
  if (more) {
    pthread_create(&thread, NULL, count, &result);
    pthread_join(thread, NULL);
  }
  free(text);
  printf("%d %s %c\n", result, line, left[0]);
  return caught != SIGUSR1;
}
