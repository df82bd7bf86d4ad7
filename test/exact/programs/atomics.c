/* SPDX-License-Identifier: MIT */
/* lock-prefixed instructions, cmpxchg loops, cmpxchg16b, xadd, xchg, fences. */
#include "start.h"
static u64 word, other;
static unsigned __int128 pair __attribute__((aligned(16)));
int main(void) {
  u64 r = 0;
  for (u64 i = 0; i < 200; i++) {
    r += __atomic_fetch_add(&word, i, __ATOMIC_SEQ_CST);
    u64 old = word;
    while (!__atomic_compare_exchange_n(&word, &old, old * 3, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) r++;
    r ^= __atomic_exchange_n(&other, i, __ATOMIC_SEQ_CST) + __atomic_fetch_or(&other, 5, __ATOMIC_SEQ_CST);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    u64 lo = i, hi = r;
    __asm__ volatile("lock cmpxchg16b %0" : "+m"(pair), "+a"(lo), "+d"(hi) : "b"(i), "c"(r) : "cc");
    __asm__ volatile("lock incl %0\n lock btsl $3, %0\n lock negq %1" : "+m"(word), "+m"(other) : : "cc");
    r += lo;
  }
  return (int)r;
}
