/* SPDX-License-Identifier: MIT */
/* Handlers that raise further signals, with and without SA_NODEFER, six levels deep. */
#include <signal.h>
#include <stdio.h>
static int depth, deepest, order[64], n;
static void usr1(int s) {
  (void)s;
  if (++depth > deepest) deepest = depth;
  order[n++] = depth;
  if (depth < 6) raise(SIGUSR1);
  raise(SIGUSR2);
  depth--;
}
static void usr2(int s) {
  (void)s;
  order[n++] = -depth;
  raise(SIGUSR2); /* blocked: runs after this one returns */
  if (n > 40) signal(SIGUSR2, SIG_IGN);
}
int main(void) {
  struct sigaction a = {.sa_handler = usr1, .sa_flags = SA_NODEFER}, b = {.sa_handler = usr2};
  sigaction(SIGUSR1, &a, NULL);
  sigaction(SIGUSR2, &b, NULL);
  raise(SIGUSR1);
  printf("%d %d:", deepest, n);
  for (int i = 0; i < n; i++) printf(" %d", order[i]);
  puts("");
}
