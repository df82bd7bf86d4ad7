// SPDX-License-Identifier: MIT
// Recursion of different depth, and functions that are called through pointers.
//@ build small
#define WITH_ARGUMENTS
#include "small.h"

static int x;

KEEP static int down(int n) {  // @open
  if (n == 0)                  // @if
    return 1;                  // @end
  return down(n - 1) + n;      // @again
}  // @close
// The calls that both have are aligned from the outside, so one run's deepest call is inside the other's.
//@ case: 0 1 / 0 2
//@ = ... open if again open if
//@ ! end | again open if end close again
//@ = close again close run
//@ case: 0 2 / 0 0
//@ = ... open if
//@ ! again open if again open if end close again close again | end
//@ = close run
//@ case: 0 3 / 0 3
//@ = ... open if again open if again open if again open if end close again close again close again close run

KEEP static int odd(int n);
KEEP static int even(int n) {  // @even
  if (n == 0) return 1;        // @if-even
  return odd(n - 1);           // @odd?
}  // @close-even
KEEP static int odd(int n) {  // @odd
  if (n == 0) return 0;       // @if-odd
  return even(n - 1);         // @even?
}  // @close-odd
//@ case: 1 1 / 1 2
//@ = ... even if-even odd? odd if-odd
//@ ! if-odd | even? even if-even close-even
//@ = close-odd close-even run

// A tree: the left part differs, the right one is aligned although more was executed before it.
KEEP static int tree(int n, int left) {            // @tree
  if (n == 0) return 1;                            // @leaf
  const int one = tree(left, 0);                   // @left
  return one + tree(n - 1, left > 0 ? left - 1 : 0);  // @right
}  // @close-tree
KEEP static int grow(int n) { return tree(1, n); }  // @grow
//@ case: 2 0 / 2 1
//@ = ... grow tree leaf left tree leaf
//@ ! leaf | left tree leaf close-tree left right tree leaf close-tree right
//@ = close-tree left right tree leaf close-tree right close-tree grow run

KEEP static int twice(int n) {  // @twice
  x += 2;                       // @two
  return 2 * n;                 // @return-twice
}  // @close-twice
KEEP static int square(int n) {  // @square
  x += 3;                        // @three
  return n * n;                  // @return-square
}  // @close-square
KEEP static int apply(int (*function)(int), int n) {  // @apply
  const int first = function(n);                      // @first
  return first + twice(n);                            // @second
}  // @close-apply
KEEP static int choose(int n) {                  // @choose
  static int (*const which[])(int) = {twice, square};
  return apply(which[n], n);  // @call
}  // @close-choose
// The call is aligned, the functions are not, even if one of them is called from the same place.
//@ case: 3 0 / 3 1
//@ = ... choose call apply first
//@ ! twice two return-twice close-twice | square three return-square close-square
//@ = first second twice two return-twice close-twice second close-apply close-choose run
//@ functions: 3 0 / 3 1
//@ = run choose apply
//@ ! twice | square
//@ = twice

PUBLIC int run(int argc, char **argv) {  // @run
  static int (*const all[])(int) = {down, even, grow, choose};
  (void)argc;
  x = all[argv[1][0] - '0'](argv[2][0] - '0');  // @run
  return x;                                     // @run
}  // @run
