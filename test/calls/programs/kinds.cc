// SPDX-License-Identifier: MIT
// Every way to allocate and free, again and again, in one of several surroundings.
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <new>

namespace {

void* volatile sink;
jmp_buf out_of_new;

void all_kinds(unsigned seed) {
  char area[16 + seed % 40];  // an area of the frame
  memset(area, static_cast<int>(seed), sizeof area);
  sink = malloc(10 + seed % 300);
  void* grown = realloc(sink, 2000 + seed % 700);
  grown = realloc(grown, 100000 + seed);
  grown = reallocarray(grown, 3, 11);
  free(grown);
  free(nullptr);
  sink = realloc(nullptr, seed % 90 + 1);
  free(realloc(sink, 0) == nullptr ? nullptr : sink);
  sink = calloc(seed % 9 + 1, 24);
  free(sink);
  sink = memalign(64, 100);
  free(sink);
  sink = aligned_alloc(32, 64);
  free(sink);
  sink = valloc(100);
  free(sink);
  void* stored = nullptr;
  if (posix_memalign(&stored, 128, seed % 500 + 1) == 0) free(stored);
  sink = new int(area[seed % sizeof area]);
  delete static_cast<int*>(sink);
  sink = new char[seed % 77 + 1];
  delete[] static_cast<char*>(sink);
  sink = new (std::nothrow) double;
  delete static_cast<double*>(sink);
  sink = operator new(96, std::align_val_t(64));
  operator delete(sink, std::align_val_t(64));
  if (seed % 50 == 0) sink = malloc(seed % 33);  // is left
}

// Out of an allocator that never returns.
void give_up() { longjmp(out_of_new, 1); }

void left_early(unsigned seed) {
  const size_t most = SIZE_MAX / 4 + seed;
  try {
    sink = operator new(most);
  } catch (const std::bad_alloc&) {
    sink = malloc(5);
    free(sink);
  }
  std::set_new_handler(give_up);
  if (setjmp(out_of_new) == 0) sink = operator new(most);
  std::set_new_handler(nullptr);
}

void rounds(unsigned count) {
  for (unsigned i = 0; i < count; ++i) all_kinds(i * 7919);
}

void* in_thread(void*) {
  rounds(300);
  return nullptr;
}

}  // namespace

extern "C" __attribute__((noinline)) void work(const char* how) {
  if (strcmp(how, "threads") == 0) {
    pthread_t all[3];
    for (pthread_t& one : all) pthread_create(&one, nullptr, in_thread, nullptr);
    for (pthread_t& one : all) pthread_join(one, nullptr);
  } else if (strcmp(how, "fork") == 0) {
    void* inherited = malloc(1234);
    if (fork() == 0) {
      free(inherited);
      rounds(600);
      _exit(0);
    }
    wait(nullptr);
  } else if (strcmp(how, "unwind") == 0) {
    for (unsigned i = 0; i < 200; ++i) left_early(i);
  }
  rounds(strcmp(how, "cut") == 0 ? 6000 : 600);
}

int main(int argc, char** argv) {
  rounds(argc == 0 ? 1 : 100);
  work(argv[1]);
  puts("done");
  return 0;
}
