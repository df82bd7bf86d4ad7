/* SPDX-License-Identifier: MIT */
#include <pthread.h>
static int found[2];
static void *work(void *arg) {
  int n = *(int *)arg;
  for (int i = 1; i <= 5; i++) found[n] += i * (n + 1);
  return 0;
}
int main(void) {
  int numbers[2] = {0, 1};
  pthread_t thread;
  pthread_create(&thread, 0, work, &numbers[1]);
  work(&numbers[0]);
  pthread_join(thread, 0);
  return found[0] + found[1] == 45 ? 0 : 1;
}
