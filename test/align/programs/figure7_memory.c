// SPDX-License-Identifier: MIT
// Figure 7 of the memory indexing paper; statements are numbered as there. The paper has one run of
// a program with a fault in statement 4 and one without; here the number of arguments decides.
#include <stdio.h>
#include <stdlib.h>

struct Node {
  long val;
  struct Node *next;
};
static const long kValues[] = {3, 1, 0};
struct Node *h, *p, *r;
int C;

static struct Node *new_node(long val, struct Node *next) {
  struct Node *n = malloc(sizeof *n);
  n->val = val;
  n->next = next;
  return n;
}

static void F(int passing) {
  for (int i = 0; i <= 2; i++)               // 1
    h = new_node(kValues[i], h);             // 2
  p = r = h;                                 // 3
  C = passing ? p->val >= 0 : p->val > 0;    // 4
  if (C) {                                   // 5
    r = r->next;                             // 6
    h = new_node(0, h);                      // 7
  } else {                                   // 8
    p = p->next;                             // 9
  }
  p = p->next;                               // 10
  printf("%ld\n", p->val + r->val);          // 11
}

int main(int argc, char **argv) {
  (void)argv;
  F(argc > 1);
  return 0;
}
