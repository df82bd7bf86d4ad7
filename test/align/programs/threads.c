// SPDX-License-Identifier: MIT
// Threads beside the first one. One of them decides differently; what the others do is the same,
// whenever they do it.
//@ build library
#include <pthread.h>

#define KEEP __attribute__((noinline))

static int sums[3];

KEEP static void step(int *sum, int i, int odd) {  // @step
  if (i == odd)                                    // @odd?
    *sum += 100;                                   // @odd
  *sum += i;                                       // @add
}  // @close-step

KEEP static void count(int *sum, int rounds, int odd) {  // @count
  for (int i = 0; i < rounds; i++)                       // @for
    step(sum, i, odd);                                   // @each
}  // @close-count

static void *same(void *unused) {  // @same
  count(&sums[0], 2, 1);           // @call-same
  return unused;                   // @return-same
}  // @close-same

static void *other(void *argument) {                    // @other
  const char *how = argument;                           // @how
  count(&sums[1], how[0] - '0', how[1] - '0');          // @call
  return argument;                                      // @return
}  // @close-other

static void *extra(void *unused) {  // @extra
  sums[2] = 1;                      // @one
  return unused;                    // @return-extra
}  // @close-extra

int main(int argc, char **argv) {            // @main
  pthread_t threads[3];
  pthread_create(&threads[0], 0, same, 0);         // @first
  pthread_create(&threads[1], 0, other, argv[1]);  // @second
  if (argc > 2)                                    // @more?
    pthread_create(&threads[2], 0, extra, 0);      // @third
  pthread_join(threads[0], 0);                     // @join
  pthread_join(threads[1], 0);                     // @join
  if (argc > 2)                                    // @join?
    pthread_join(threads[2], 0);                   // @join-third
  return 0;                                        // @end
}  // @close
// A branch of the second thread.
//@ case: 39 / 31
//@ = main first second more? join join? end close
//@ thread 2
//@ = same call-same count for each step odd? add close-step for each step odd? odd add close-step for close-count return-same close-same
//@ thread 3
//@ = other how call count for each step odd? add close-step for each step odd?
//@ ! - | odd
//@ = add close-step for each step odd? add close-step for close-count return close-other
// It goes round once more.
//@ case: 19 / 29
//@ = main first second more? join join? end close
//@ thread 3
//@ = other how call count for each step odd? add close-step for
//@ ! - | each step odd? add close-step for
//@ = close-count return close-other
// A thread that the other run does not have.
//@ case: 19 / 19 x
//@ = main first second more?
//@ ! - | third
//@ = join join?
//@ ! - | join-third
//@ = end close
//@ thread 3
//@ = other how call count for each step odd? add close-step for close-count return close-other
//@ thread 4
//@ ! - | extra one return-extra close-extra
//@ functions: 39 / 31
//@ = main
//@ thread 3
//@ = other count step step step
