/* SPDX-License-Identifier: MIT */
/* Thread-specific data with destructors that set it again; names and attributes of threads. */
/* torture: flags=-pthread */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static pthread_key_t key;
static void destroy(void *p) {
  printf("destroy %s\n", (char *)p);
  if (strcmp(p, "first") == 0) pthread_setspecific(key, "second");
}
static void *run(void *arg) {
  pthread_setspecific(key, "first");
  pthread_setname_np(pthread_self(), "worker");
  char name[16] = "";
  pthread_getname_np(pthread_self(), name, sizeof name);
  printf("%s %s\n", name, (char *)pthread_getspecific(key));
  pthread_attr_t a;
  size_t size;
  pthread_getattr_np(pthread_self(), &a);
  pthread_attr_getstacksize(&a, &size);
  printf("%zu\n", size);
  pthread_exit(arg);
}
int main(void) {
  pthread_key_create(&key, destroy);
  pthread_attr_t a;
  pthread_attr_init(&a);
  pthread_attr_setstacksize(&a, 300 * 1024);
  pthread_t t;
  void *result;
  pthread_create(&t, &a, run, (void *)42);
  pthread_join(t, &result);
  printf("%ld\n", (long)result);
}
