// SPDX-License-Identifier: MIT
// Loops that go round differently often. The first argument selects the function, the others decide.
//@ build small
#define WITH_ARGUMENTS
#include "small.h"

static int x;
static const char *more;  // the third argument

// The first test is executed before the loop is entered, each other one inside the round before it.
KEEP static void plain_for(int n) {  // @open
  for (int i = 0; i < n; ++i)        // @for
    x += i;                          // @body
  x = 1;                             // @after
}  // @close
//@ case: 0 1 / 0 3
//@ = ... open for body for
//@ ! - | body for body for
//@ = after close run
//@ case: 0 0 / 0 1
//@ = ... open for
//@ ! - | body for
//@ = after close run
//@ case: 0 2 / 0 2
//@ = ... open for body for body for after close run
//@ case: 0 3 / 0 2
//@ = ... open for body for body for
//@ ! body for | -
//@ = after close run

KEEP static void plain_while(int n) {  // @open
  while (n > 0) {                      // @while
    x += n;                            // @body
    --n;                               // @less
  }
  x = 1;  // @after
}  // @close
//@ case: 1 1 / 1 2
//@ = ... open while body less while
//@ ! - | body less while
//@ = after close run

KEEP static void plain_do(int n) {  // @open
  do {
    x += n;         // @body
  } while (--n > 0);  // @while
  x = 1;            // @after
}  // @close
//@ case: 2 1 / 2 3
//@ = ... open body while
//@ ! - | body while body while
//@ = after close run

// The rows that both runs have are aligned, and in them the columns that both have.
KEEP static void nested(int n) {                      // @open
  for (int i = 0; i < n; ++i)                         // @rows
    for (const char *c = more; *c > '0' + i; ++c) {  // @columns
      x += *c;                                        // @body
    }
  x = 1;  // @after
}  // @close
//@ case: 3 1 2 / 3 1 22
//@ = ... open rows columns body columns
//@ ! - | body columns
//@ = rows after close run
//@ case: 3 2 21 / 3 2 12
//@ = ... open rows columns body columns body columns rows columns
//@ ! body columns | -
//@ = rows after close run
//@ case: 3 2 2 / 3 1 2
//@ = ... open rows columns body columns rows
//@ ! columns body columns rows | -
//@ = after close run

KEEP static void with_break(int n) {  // @open
  for (int i = 0; i < 3; ++i) {       // @for
    x += i;                           // @body
    if (i == n)                       // @if
      break;                          // @break
    x += 2;                           // @rest
  }
  x = 1;  // @after
}  // @close
// What leaves the loop is a predicate that all that follows in the loop depends on.
//@ case: 4 0 / 4 1
//@ = ... open for body if
//@ ! break | rest for body if break
//@ = after close run
//@ case: 4 1 / 4 9
//@ = ... open for body if rest for body if
//@ ! break | rest for body if rest for
//@ = after close run

KEEP static void with_continue(int n) {  // @open
  for (int i = 0; i < 3; ++i) {          // @for
    x += i;                              // @body
    if (i == n)                          // @if
      continue;                          // @continue
    x += 2;                              // @rest
  }
  x = 1;  // @after
}  // @close
//@ case: 5 1 / 5 9
//@ = ... open for body if rest for body if
//@ ! continue | rest
//@ = for body if rest for after close run

// A loop without a test, left from the middle.
KEEP static void endless(int n) {  // @open
  for (;;) {
    x += n;             // @body
    if (n-- == 0)       // @if
      return;           // @return
    x += 1;             // @rest
  }
}  // @close
//@ case: 6 0 / 6 1
//@ = ... open body if
//@ ! - | rest body if
//@ = return close run

KEEP static void leave_both(int n) {  // @open
  for (int i = 0; i < 2; ++i)         // @rows
    for (int j = 0; j < 2; ++j) {     // @columns
      x += j;                         // @body
      if (i + j == n)                 // @if
        goto out;                     // @goto
    }
  x = 1;  // @after
out:
  x = 2;  // @out
}  // @close
//@ case: 7 1 / 7 9
//@ = ... open rows columns body if columns body if
//@ ! goto | columns rows columns body if columns body if columns rows after
//@ = out close run

// Instructions that repeat count like the rounds of a loop.
KEEP static void repeats(int n) {  // @open
  static char bytes[16];
  void *to = bytes;                                                              // @to
  unsigned long size = (unsigned long)n;                                         // @size
  __asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(0) : "memory");  // @rep
  x = 3;                                                                         // @after
}  // @close
//@ case: 8 2 / 8 5
//@ = ... open to size rep
//@ ! - | rep
//@ = rep after close run
//@ case: 8 0 / 8 2
//@ = ... open to size rep
//@ ! - | rep
//@ = rep after close run

// Both sides can leave the loop, so nothing in it is the post-dominator of the first decision, and its
// entry stays. When it is executed again, what was above it is gone, and from there on rounds are aligned
// after one that differed.
KEEP static void two_exits(void) {  // @exits
  const char *c = more;             // @set
  for (;;) {
    x += 1;             // @begin
    if (*c == '1') {    // @if
      x += 2;           // @inside
      if (*++c == '0')  // @first
        return;         // @return
    }
    x += 3;           // @body
    if (*c++ == '3')  // @second
      return;         // @return
  }
}  // @close-exits
KEEP static void leave_any(int n) {  // @open
  two_exits();                       // @exits?
}  // @close
//@ case: : 0 223 / : 0 2123
//@ = ... exits set begin if body second begin if
//@ ! body second begin if | inside first body second begin if
//@ = body second return close-exits close run
//@ case: : 0 2223 / : 0 2123
//@ = ... exits set begin if body second begin if
//@ ! body second begin if | inside first body second begin if
//@ = body second
//@ ! begin if body second return | return
//@ = close-exits close run

// Nothing leaves the loop: the program ends in it.
KEEP static void stop(void) {                  // @stop
  if (--x == 0) kernel(231, 0, 0, 0, 0);  // @last
}  // @leave
KEEP static void forever(int n) {  // @open
  x = n;                           // @set
  for (;;) stop();                 // @forever
}
//@ case: 9 1 / 9 2
//@ = ... open set forever stop last
//@ ! last | leave forever stop last

PUBLIC int run(int argc, char **argv) {  // @run
  static void (*const all[])(int) = {plain_for,  plain_while,   plain_do, nested,  with_break,
                                     with_continue, endless, leave_both, repeats, forever, leave_any};
  more = argc > 3 ? argv[3] : "";           // @run
  all[argv[1][0] - '0'](argv[2][0] - '0');  // @run
  return x;                                 // @run
}  // @run
