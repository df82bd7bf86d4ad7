# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Misuse of memory is the headline of the answer, with the input behind it; healthy runs have none.
needs_recorder
cat >stock.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct part { struct part *next; int count; char name[20]; };
static struct part *all, *chosen;
static void put(const char *name) {
  struct part *made = malloc(sizeof *made);
  made->next = all;
  made->count = (int)strlen(name);
  strcpy(made->name, name);
  all = made;
}
static void take(const char *name) {
  for (struct part **at = &all; *at; at = &(*at)->next) {
    struct part *found = *at;
    if (strcmp(found->name, name) != 0) continue;
    *at = found->next;
    free(found);
    return;
  }
}
int main(int argc, char **argv) {
  char line[64];
  FILE *orders = fopen(argv[1], "r");
  while (fgets(line, sizeof line, orders)) {
    line[strcspn(line, "\n")] = 0;
    switch (line[0]) {
      case 'p': put(line + 1); break;
      case 't': take(line + 1); break;
      case 'c': chosen = all; break;
      case 's': printf("%d %s\n", chosen->count, chosen->name); break;
    }
  }
  return 0;
}
C
printf 'pnut\nc\nppin\ntpin\ns\n' >good
printf 'pnut\nc\nppin\ntnut\ns\n' >freed
printf 'pnut\nc\npbolts\ntbolts\npgears\ns\n' >good2
printf 'pnut\nc\npbolts\ntnut\npgears\ns\n' >reused
for level in $(levels); do
  cc -g $level -o stock stock.c
  status 1 twinrun why './stock good' './stock freed' >out 2>/dev/null
  has out "B reads memory that was freed at stock.c:18 (allocated at stock.c:7), at stock.c:31" \
    "   pointer by     stock.c:30  case 'c': chosen = all; break;"
  status 1 twinrun why './stock good2' './stock reused' >out 2>/dev/null
  has out "B reads a block that was freed at stock.c:18 and allocated again at stock.c:7 (allocated first at stock.c:7), at stock.c:31"
  # The misuse comes first, what it was about behind it, before the two runs.
  sed -n 1p out | grep -q '^B reads a block' || fail "it is not the headline"
  sed '/^$/q' out | grep -q '^They ' || fail "the input is not behind it"
  status 1 twinrun why --json @1 @ >json 2>/dev/null
  json json 'd["misuse"][0]["kind"] == "reused" and d["misuse"][0]["reused"]["line"] == 7 and not d["misuse"][0]["in_both"]'
  json json 'd["verdict"].startswith("B reads a block")'
  # Both ways are fine: nothing is said.
  status 1 twinrun why --json './stock good' './stock good2' >json 2>/dev/null
  json json 'd["misuse"] == []'
done
cat >prog.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct hook { char spare[8]; void (*call)(int); };
struct head { long size; int kind; };
static void hello(int n) { printf("hello %d\n", n); }
__attribute__((noinline)) static void copy(const char *from) {
  char to[16];
  strcpy(to, from);
  printf("<%s>\n", to);
}
__attribute__((noinline)) static int kind(struct head *of) { return of->kind; }
int main(int argc, char **argv) {
  char line[256];
  FILE *f = fopen(argv[2], "r");
  if (!fgets(line, sizeof line, f)) return 2;
  line[strcspn(line, "\n")] = 0;
  int n = (int)strlen(line);
  switch (argv[1][0]) {
    case 'p': {
      char *name = malloc(24);
      struct hook *hook = malloc(sizeof *hook);
      hook->call = hello;
      strcpy(name, line);
      hook->call(n);
      break;
    }
    case 'r': copy(line); break;
    case 'd': {
      void *block = malloc(40);
      free(block);
      if (n > 5) free(block);
      break;
    }
    case 'n': {
      struct head one = {8, 3};
      printf("%d\n", kind(n > 5 ? NULL : &one));
      break;
    }
  }
  return 0;
}
C
echo short >brief
printf 'A%.0s' {1..60} >long
for level in $(levels); do
  cc -g $level -fno-stack-protector -U_FORTIFY_SOURCE -w -o prog prog.c
  # Optimized, the call goes to where it would have gone, and a block that nobody uses is not there.
  if [[ $level == -O0 ]]; then
    status 1 twinrun why './prog p brief' './prog p long' >out 2>/dev/null
    has out "behind the end of a block of 24 bytes (allocated at prog.c:21), at prog.c:24 in strcpy"
    status 1 twinrun why './prog d brief' './prog d long' >out 2>/dev/null
    has out "B frees what was freed at prog.c:31 already (allocated at prog.c:30), at prog.c:32"
  fi
  status 1 twinrun why './prog r brief' './prog r long' >out 2>/dev/null
  has out "B writes over the return address of copy, at prog.c:9 in strcpy"
  status 1 twinrun why './prog n brief' './prog n long' >out 2>/dev/null
  has out "SIGSEGV: B reads address 8 (NULL + 8) at "
done

# An exception changes where functions return to, which is no misuse.
cat >thrown.cc <<'C'
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
static int check(int n) {
  if (n > 5) throw std::runtime_error("too many");
  return n * 2;
}
static int both(int n) {
  int left = check(n);
  return left + check(n + 1);
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  try {
    printf("%d\n", both(n));
  } catch (const std::exception &error) {
    printf("%s %d\n", error.what(), n);
  }
  return 0;
}
C
for level in $(levels); do
  c++ -g $level -o thrown thrown.cc
  status 1 twinrun why './thrown 3' './thrown 7' >out 2>/dev/null
  not grep 'return address' out
done

# A member that overflows into its neighbour, which is the same object: on the stack, in a block, and in the
# example. Copies of the whole object through its first member are fine.
cat >member.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct card { char name[12]; char city[12]; int limit; };
__attribute__((noinline)) static void label(struct card *of, const char *name, const char *city) {
  strcpy(of->city, city);
  strcpy(of->name, name);
}
__attribute__((noinline)) static int allowed(const struct card *of) { return of->limit < 100; }
int main(int argc, char **argv) {
  struct card own = {"", "", 5}, *kept = argv[1][0] == 'h' ? malloc(sizeof *kept) : &own, copy;
  kept->limit = 5;
  label(kept, "ann", argv[2]);
  memcpy(copy.name, kept->name, sizeof copy);
  memset(own.name, 0, sizeof own);
  printf(argv[1][1] ? "%2$d\n" : "%s %d\n", copy.city, allowed(&copy));
  return 0;
}
C
for level in $(levels); do
  cc -g $level -U_FORTIFY_SOURCE -w -o member member.c
  # With one letter the city is printed, whose first bytes are where they belong.
  for where in stack heap s h; do
    status 1 twinrun why "./member $where bonn" "./member $where constantinople" >out 2>/dev/null
    has out "B writes beyond the end of of->city (12 bytes), at member.c:6 in strcpy"
    twinrun why --json "./member $where bonn" "./member $where rome" >json 2>/dev/null || true
    json json 'd["misuse"] == []'
  done
done

# A structure is copied with the gaps between its members, which nobody has written and nobody uses.
cat >swap.cc <<'C'
#include <cstdio>
#include <cstdlib>
#include <utility>
struct Value {
  struct { unsigned kind : 8; unsigned owned : 1; } bits;
  explicit Value(int kind) { bits.kind = kind, bits.owned = 0; }
  void swap(Value &other) { std::swap(bits, other.bits); }
  int kind() const { return (int)bits.kind; }
};
__attribute__((noinline)) void dirty(int n) {
  volatile int room[64];
  for (int i = 0; i < 64; i++) room[i] = n * 1234567 + i;
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  dirty(n);
  Value *kept = (Value *)malloc(sizeof *kept);
  kept->bits.kind = 1, kept->bits.owned = 0;
  if (n > 5) {
    Value six(6);
    kept->swap(six);
  } else {
    Value four(4);
    kept->swap(four);
  }
  if (kept->kind() == 6) abort();
  return 0;
}
C
c++ -g -O0 -o swap swap.cc
status 1 twinrun why --json './swap 3' './swap 7' >json 2>/dev/null
json json 'd["misuse"] == []'
