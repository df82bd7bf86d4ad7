/* SPDX-License-Identifier: MIT */
/* A script whose interpreter is missing: execve fails and the program goes on. */
/* torture: listed=W020 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(void) {
  char *argv[] = {"x", NULL}, *env[] = {NULL};
  int fd = open("script", O_WRONLY | O_CREAT, 0755);
  write(fd, "#!/no/such/interpreter\n", 23);
  close(fd);
  execve("script", argv, env);
  printf("%s\n", strerror(errno));
  return 8;
}
