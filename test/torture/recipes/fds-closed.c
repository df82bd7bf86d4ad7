/* SPDX-License-Identifier: MIT */
/* Started with any of descriptors 0, 1 and 2 closed: what the program opens lands there, and
 * nothing of the recorder's does. */
/* torture: launch=true */
/* torture: launch=exec 0<&- */
/* torture: launch=exec 1>&- */
/* torture: launch=exec 2>&- */
/* torture: launch=exec 0<&- 1>&- */
/* torture: launch=exec 0<&- 2>&- */
/* torture: launch=exec 1>&- 2>&- */
/* torture: launch=exec 0<&- 1>&- 2>&- */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  int open_before[3], got[4];
  for (int i = 0; i < 3; i++) open_before[i] = fcntl(i, F_GETFD) >= 0;
  write(1, "to stdout\n", 10);
  write(2, "to stderr\n", 10);
  for (int i = 0; i < 4; i++) got[i] = open("file", O_RDWR | O_CREAT | O_APPEND, 0644);
  dprintf(got[0], "first %d %d %d %d\n", got[0], got[1], got[2], got[3]);
  dprintf(got[3], "open %d%d%d\n", open_before[0], open_before[1], open_before[2]);
  fsync(got[0]);
  if (fork() == 0) {
    dprintf(got[1], "child %d\n", dup(0) >= 0 || errno == EBADF);
    execl("/bin/sh", "sh", "-c", "echo grandchild >> file", (char *)NULL);
  }
  wait(NULL);
  return 5;
}
