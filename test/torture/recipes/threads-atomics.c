/* SPDX-License-Identifier: MIT */
/* Atomic operations of all sizes by four threads, 16 bytes too. */
/* torture: flags=-pthread -mcx16 -O2 -latomic */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
static _Atomic uint8_t a8;
static _Atomic uint16_t a16;
static _Atomic uint32_t a32;
static _Atomic uint64_t a64;
static unsigned __int128 a128;
static void *add(void *x) {
  for (int i = 0; i < 3000; i++) {
    a8 += 3;
    a16 ^= (uint16_t)(i * 7);
    atomic_fetch_or(&a32, 1u << (i % 32));
    uint64_t old = a64;
    while (!atomic_compare_exchange_weak(&a64, &old, old * 1 + 5)) {}
    unsigned __int128 seen = __atomic_load_n(&a128, __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n(&a128, &seen, seen + ((unsigned __int128)1 << 60), 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {}
  }
  return x;
}
int main(void) {
  pthread_t t[4];
  for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, add, NULL);
  for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
  printf("%d %d %x %llu %llx:%llx\n", a8, a16, a32, (unsigned long long)a64, (unsigned long long)(a128 >> 64), (unsigned long long)a128);
}
