/* SPDX-License-Identifier: MIT */
/* /proc/self/comm and prctl(PR_SET_NAME): the names that ps shows. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>
static void show(void) {
  char buf[100] = "";
  int fd = open("/proc/self/comm", O_RDONLY);
  read(fd, buf, 99);
  close(fd);
  fputs(buf, stdout);
}
int main(void) {
  prctl(PR_SET_NAME, "my-new-name");
  show();
}
