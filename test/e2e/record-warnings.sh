# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Each thing that a program may notice is said once, however often and in how many processes it happens, with the name of
# the call; what the C library only tries, a file of /proc that
# shows nothing of the recorder, a limit that is read, and posix_spawn of what is not there, is not.
needs_recorder
cat >calls.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static void *nothing(void *of) { return of; }
int main(int argc, char **argv) {
  char text[100];
  pthread_t thread;
  pthread_create(&thread, NULL, nothing, NULL);
  pthread_join(thread, NULL);
  readlink("/proc/self/exe", text, sizeof text);
  close(open("/proc/self/cmdline", O_RDONLY));
  close(open("/proc/filesystems", O_RDONLY));
  close(open("/proc/sys/fs/file-max", O_RDONLY));
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  setrlimit(RLIMIT_NOFILE, &files);
  if (posix_spawn(NULL, "/no/such", NULL, NULL, argv, NULL) == 0) return 1;
  if (argc < 2) return 0;
  for (int i = 0; i < 3; i++) {
    syscall(SYS_pidfd_open, getpid(), 0);
    syscall(SYS_openat2, AT_FDCWD, ".", NULL, 0);
    if (fork() == 0) return 0;
    wait(NULL);
  }
}
C
gcc -o calls calls.c -lpthread
twinrun record -o quiet.twin -- ./calls 2>err
[[ ! -s err ]] || { cat err; fail "warned of nothing"; }
twinrun record -o loud.twin -- ./calls loud 2>err
has err "warning[W005]: pidfd_open (system call 434)" "warning[W005]: openat2 (system call 437)"
[[ $(grep -c W005 err) == 2 ]] || { cat err; fail "said more than once"; }
