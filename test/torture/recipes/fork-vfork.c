/* SPDX-License-Identifier: MIT */
/* vfork + exec, vfork + _exit, posix_spawn with file actions, system, popen. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
int main(void) {
  int st;
  pid_t p = vfork();
  if (p == 0) {
    execl("/bin/echo", "echo", "vforked", (char *)NULL);
    _exit(127);
  }
  waitpid(p, &st, 0);
  p = vfork();
  if (p == 0) _exit(12);
  waitpid(p, &st, 0);
  printf("%d\n", WEXITSTATUS(st));
  fflush(stdout);
  posix_spawn_file_actions_t fa;
  posix_spawn_file_actions_init(&fa);
  posix_spawn_file_actions_addopen(&fa, 1, "spawned.txt", O_WRONLY | O_CREAT, 0644);
  char *argv[] = {"sh", "-c", "echo spawned; exit 5", NULL};
  posix_spawn(&p, "/bin/sh", &fa, NULL, argv, environ);
  waitpid(p, &st, 0);
  printf("%d\n", WEXITSTATUS(st));
  fflush(stdout);
  printf("%d\n", WEXITSTATUS(system("exit 9")));
  char line[100];
  FILE *f = popen("echo popened; cat spawned.txt", "r");
  while (fgets(line, sizeof line, f)) fputs(line, stdout);
  printf("%d\n", pclose(f));
}
