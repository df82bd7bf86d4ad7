/* SPDX-License-Identifier: MIT */
/* posix_spawn with what can fail in the child: a directory that is not there, a descriptor that is closed, a group. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
extern char **environ;
int main(void) {
  char *argv[] = {"sh", "-c", "pwd; exit 3", NULL};
  for (int i = 0; i < 5; i++) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    if (i == 0) posix_spawn_file_actions_addchdir_np(&actions, "/no/such/directory");
    if (i == 1) posix_spawn_file_actions_adddup2(&actions, 77, 78);
    if (i == 2) posix_spawn_file_actions_addopen(&actions, 3, "/no/such/file", O_RDONLY, 0);
    if (i == 3) posix_spawn_file_actions_addchdir_np(&actions, "/usr");
    if (i == 4) {
      posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
      posix_spawnattr_setpgroup(&attributes, 1);
    }
    pid_t p = 0;
    int status = 0, got = posix_spawnp(&p, "sh", &actions, &attributes, argv, environ);
    if (got == 0) waitpid(p, &status, 0);
    printf("%d: %s, status %d\n", i, strerror(got), WEXITSTATUS(status));
    fflush(stdout);
  }
}
