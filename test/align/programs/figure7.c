// SPDX-License-Identifier: MIT
// Figure 7 (a) of "Memory indexing and its use in cause transition computation". A line that ends in
// a number is that statement of the figure. With an argument the bug of statement 4 is there.
#define WITH_ARGUMENTS
#include "small.h"

struct Node {
  int val;
  struct Node *next;
};
static struct Node heap[8];
static const int values[] = {3, 1, 0};
static int used, limit, C;
static struct Node *h, *p, *r;

KEEP static struct Node *new_node(int val, struct Node *next) {
  struct Node *const node = &heap[used++];
  node->val = val;
  node->next = next;
  return node;
}
KEEP static void print(int value) {
  char text = (char)('0' + value);
  kernel(1, 1, (long)&text, 1, 0);
}

KEEP static void F(void) {
  int i;
  for (i = 0; i <= 2; i++)        // 1
    h = new_node(values[i], h);   // 2
  p = r = h;                      // 3
  C = p->val > limit;             // 4
  if (C) {                        // 5
    r = r->next;                  // 6
    h = new_node(0, h);           // 7
  } else
    p = p->next;                  // 9
  p = p->next;                    // 10
  print(p->val + r->val);         // 11
}

PUBLIC int run(int argc, char **argv) {
  (void)argv;
  limit = argc == 1 ? -1 : 0;
  F();
  return 0;
}
