/* SPDX-License-Identifier: MIT */
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv) {
  if (argc > 1) return 3;
  char *again[] = {argv[0], "child", 0};
  pid_t child = fork();
  if (child == 0) execve(argv[0], again, 0);
  int status;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status) - 3;
}
