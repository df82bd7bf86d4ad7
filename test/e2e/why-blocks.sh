# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Equal numbers are equal pointers only when their blocks correspond: a block that was freed, and one that has its
# place since, are others. The answer leads to who freed it.
needs_recorder
# The block is free.
cat >session.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
__attribute__((noinline, noclone)) static void forget(char *name) { free(name); }
int main(int argc, char **argv) {
  char *user = strdup("ann");
  FILE *orders = fopen(argv[1], "r");
  int order = getc(orders);
  fclose(orders);
  if (order == 'q') forget(user);
  puts(strcmp(user, "ann") == 0 ? "known" : "unknown");
  return 0;
}
C
printf r >stays
printf q >quits
# Another one has its place.
cat >book.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct entry { struct entry *next; char name[40]; };
static struct entry *book, *marked;
static void enter(const char *name) {
  struct entry *made = malloc(sizeof *made);
  strcpy(made->name, name);
  made->next = book;
  book = made;
}
static void drop(const char *name) {
  for (struct entry **at = &book; *at; at = &(*at)->next) {
    struct entry *old = *at;
    if (strcmp(old->name, name) != 0) continue;
    *at = old->next;
    free(old);
    break;
  }
}
int main(int argc, char **argv) {
  char line[64];
  FILE *orders = fopen(argv[1], "r");
  while (fgets(line, sizeof line, orders)) {
    line[strcspn(line, "\n")] = 0;
    switch (line[0]) {
      case 'e': enter(line + 1); break;
      case 'd': drop(line + 1); break;
      case 'm': marked = book; break;
      case 'n': strcpy(malloc(sizeof *book), line + 1); break;
      case 'p': printf("%s\n", marked->name); break;
    }
  }
  return 0;
}
C
note=nxxxxxxxxxxxxxxxxxxxxxxxxx
printf '%s\n' eann ebob m dzoe $note p >good
printf '%s\n' eann ebob m dbob $note p >bad
# Both drop one, by the same call, but only one of them that is marked.
printf '%s\n' eann ebob m ecid dcid $note p >good2
printf '%s\n' eann ebob m ecid dbob $note p >bad2
for level in $(levels); do
  for program in session book; do cc -g $level -w -U_FORTIFY_SOURCE -o $program $program.c; done
  status 1 twinrun why './session stays' './session quits' >out 2>log
  has out "B reads memory that was freed at session.c:" "They differ because quits, line 1, column 1 has" "session.c:10"
  status 1 twinrun why './book good' './book bad' >out 2>log
  has out "B reads a block that was freed at book.c:17 and allocated again" "only B frees the memory that is used there" \
    'They differ because bad, line 4, column 2 has "dbob"'
  status 1 twinrun why --json @1 @ >json 2>log
  json json 'any(e.get("freed_by") == "b" and e.get("address") for e in d["graph"]["edges"])'
  status 1 twinrun why './book good2' './book bad2' >out 2>log
  has out "B reads a block that was freed at book.c:17" 'They differ because bad2, line 5, column 2 has "dbob"'
done

# Both free by the same call, what their input names.
cat >slots.c <<'C'
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  long *slots[4];
  for (int i = 0; i < 4; i++) slots[i] = malloc(80), *slots[i] = 10 + i;
  long *marked = slots[1];
  free(slots[atoi(argv[1])]);
  long *note = malloc(80);
  *note = 99;
  printf("%ld\n", *marked);
  return 0;
}
C
for level in $(levels); do
  cc -g $level -w -fno-builtin -o slots slots.c
  status 1 twinrun why './slots 2' './slots 1' >out 2>log
  has out "They differ because argv[1] is" "slots.c:7" "here B frees what is used above"
done

# No misuse: the chosen block of B has the place of the one that A has chosen. Why another one was chosen is the cause,
# and what only moved it is none of its own.
cat >choice.c <<'C'
#include <stdio.h>
#include <stdlib.h>
struct offer { long price, spare[5]; };
int main(int argc, char **argv) {
  struct offer *first = malloc(sizeof *first);
  first->price = 3;
  if (argv[1][0] == 'f') free(first);
  struct offer *second = malloc(sizeof *second);
  second->price = 5;
  struct offer *volatile chosen = argv[2][0] == 's' ? second : first;
  printf("%ld\n", chosen->price);
  return 0;
}
C
for level in $(levels); do
  cc -g $level -w -o choice choice.c
  status 1 twinrun why --json './choice keep first' './choice free second' >json 2>log
  json json '"argv[2]" in {n["input_b"]["input"] for n in d["graph"]["nodes"] if n["kind"] == "input"}'
done

# What both do alike is the same, wherever their blocks were before.
cat >churn.c <<'C'
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  long *slots[16] = {0}, sum = 0;
  for (int i = 0; i < 2000; i++) {
    int at = (i * 7 + i / 16) % 16;
    if (slots[at]) sum += *slots[at];
    slots[at] = realloc(slots[at], 16 + (i * 37) % 300);
    *slots[at] = i;
    if (i % 5 == 0) free(slots[at]), slots[at] = NULL;
  }
  printf("%ld\n", sum + atoi(argv[1]));
  return 0;
}
C
cc -g -O0 -o churn churn.c
twinrun why './churn 1' './churn 1' >out 2>log || { cat out; fail "two runs that are the same differ"; }
status 1 twinrun why --enhance none --json './churn 1' './churn 2' >json 2>log
json json '{n["input_b"]["input"] for n in d["graph"]["nodes"] if n["kind"] == "input"} == {"argv[1]"}'
