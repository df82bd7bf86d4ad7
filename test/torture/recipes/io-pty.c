/* SPDX-License-Identifier: MIT */
/* A pseudo terminal: raw and cooked mode, window size, echo. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
int main(void) {
  int master = posix_openpt(O_RDWR | O_NOCTTY);
  grantpt(master);
  unlockpt(master);
  int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
  printf("%d %d\n", isatty(slave), isatty(0) > 1);
  struct winsize size = {24, 80, 0, 0}, got = {0};
  ioctl(master, TIOCSWINSZ, &size);
  ioctl(slave, TIOCGWINSZ, &got);
  printf("%d %d\n", got.ws_row, got.ws_col);
  struct termios t;
  tcgetattr(slave, &t);
  printf("%d %d\n", (t.c_lflag & ECHO) != 0, (t.c_lflag & ICANON) != 0);
  write(master, "typed\n", 6);
  char buffer[50] = "";
  long n = read(slave, buffer, 49);
  printf("%ld %.5s\n", n, buffer);
  n = read(master, buffer, 49);
  printf("echo %ld\n", n);
  cfmakeraw(&t);
  tcsetattr(slave, TCSANOW, &t);
  write(master, "ab", 2);
  n = read(slave, buffer, 49);
  printf("%ld %.2s\n", n, buffer);
  write(slave, "xyz\n", 4);
  n = read(master, buffer, 49);
  printf("%ld\n", n);
}
