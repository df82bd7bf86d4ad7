/* SPDX-License-Identifier: MIT */
/* execve that fails leaves the program running, with the kernel's errno. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
static void try(const char *path) {
  char *argv[] = {"x", NULL}, *env[] = {NULL};
  execve(path, argv, env);
  printf("%s: %s\n", path, strerror(errno));
  fflush(stdout);
}
static void make(const char *path, const char *text, mode_t mode) {
  int fd = open(path, O_WRONLY | O_CREAT, mode);
  write(fd, text, strlen(text));
  close(fd);
}
int main(void) {
  make("text", "just text\n", 0755);
  make("locked", "#!/bin/sh\n", 0644);
  make("empty", "", 0755);
  symlink("loop", "loop");
  try("missing");
  try("locked");
  try("/");
  try("text");
  try("empty");
  try("locked/below");
  try("loop");
  try("");
  return 8;
}
