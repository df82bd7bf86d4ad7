// SPDX-License-Identifier: MIT
#include "trace/regen/steps.h"

#include "trace/regen/flags.h"
#include "trace/regen/machine.h"

namespace twinrun::steps {
namespace {

template <unsigned Bytes>
void copy(Machine& m, const Op& op) {
  uint8_t value[Bytes];
  std::memcpy(value, m.at(op.a), Bytes);
  std::memcpy(m.at(op.dst), value, Bytes);
}
/// From the register file into a temporary: narrow values are zero-extended.
template <unsigned Bytes>
void get_narrow(Machine& m, const Op& op) {
  uint64_t value = 0;
  std::memcpy(&value, m.at(op.a), Bytes);
  m.word(op.dst) = value;
}
template <unsigned Bytes>
void load(Machine& m, const Op& op) {
  m.load<Bytes>(op.dst, m.word(op.a), op.b);
}
template <unsigned Bytes>
void store(Machine& m, const Op& op) {
  m.store<Bytes>(m.word(op.a), m.at(op.b));
}
template <unsigned Bytes>
void store_if(Machine& m, const Op& op) {
  if ((m.word(op.c) & 1) != 0) m.store<Bytes>(m.word(op.a), m.at(op.b));
}
template <unsigned Bytes>
void choose(Machine& m, const Op& op) {
  uint8_t value[Bytes];
  std::memcpy(value, m.at((m.word(op.a) & 1) != 0 ? op.b : op.c), Bytes);
  std::memcpy(m.at(op.dst), value, Bytes);
}
template <unsigned Bytes>
void take_logged(Machine& m, const Op& op) {
  if constexpr (Bytes < 8) m.word(op.dst) = 0;
  m.take_opaque(m.at(op.dst), Bytes);
}

/// Index of an element in a circular part of the register file (the x87 stack).
uint32_t element(Machine& m, const Op& op, const Op& more) {
  const auto count = static_cast<int64_t>(more.a);
  const auto index =
      static_cast<int64_t>(static_cast<int32_t>(m.word(op.b))) + static_cast<int32_t>(more.b);
  const int64_t wrapped = ((index % count) + count) % count;
  return op.a + static_cast<uint32_t>(wrapped) * more.c;
}
template <unsigned Bytes>
void get_indexed(Machine& m, const Op& op) {  // a: base, b: index; then count, bias, element size
  uint64_t value = 0;
  std::memcpy(&value, m.at(element(m, op, (&op)[1])), Bytes);
  m.word(op.dst) = value;
}
template <unsigned Bytes>
void put_indexed(Machine& m, const Op& op) {  // dst: the offset, c: data
  const uint32_t offset = element(m, op, (&op)[1]);
  m.word(op.dst) = offset - kStateOffset;
  std::memcpy(m.at(offset), m.at(op.c), Bytes);
}
void operands_only(Machine& m, const Op& op) {
  (void)m;
  (void)op;
}

void call_condition(Machine& m, const Op& op) {
  const Op& more = (&op)[1];
  m.word(op.dst) =
      condition_holds(m.word(op.a), m.word(op.b), m.word(op.c), m.word(more.a), m.word(more.b));
}
void call_rflags_all(Machine& m, const Op& op) {
  m.word(op.dst) = rflags_all(m.word(op.a), m.word(op.b), m.word(op.c), m.word((&op)[1].a));
}
void call_rflags_carry(Machine& m, const Op& op) {
  m.word(op.dst) = rflags_carry(m.word(op.a), m.word(op.b), m.word(op.c), m.word((&op)[1].a));
}

/// What is in memory after a compare-and-swap. dst: what is stored, a: address, b: expected, c:
/// new; then old.
template <unsigned Bytes>
void swap_store(Machine& m, const Op& op) {
  const Op& more = (&op)[1];
  const bool same = std::memcmp(m.at(more.a), m.at(op.b), Bytes) == 0;
  std::memcpy(m.at(op.dst), m.at(same ? op.c : more.a), Bytes);
  m.store<Bytes>(m.word(op.a), m.at(op.dst));
}
/// The double one: dst what is stored, a address, b expected low, c new low; then old low, expected
/// high, new high; then old high.
template <unsigned Bytes>
void swap_store_double(Machine& m, const Op& op) {
  const Op& low = (&op)[1];
  const Op& high = (&op)[2];
  const bool same = std::memcmp(m.at(low.a), m.at(op.b), Bytes) == 0 &&
                    std::memcmp(m.at(high.a), m.at(low.b), Bytes) == 0;
  std::memcpy(m.at(op.dst), m.at(same ? op.c : low.a), Bytes);
  std::memcpy(m.at(op.dst) + Bytes, m.at(same ? low.c : high.a), Bytes);
  m.store<Bytes>(m.word(op.a), m.at(op.dst));
  m.store<Bytes>(m.word(op.a) + Bytes, m.at(op.dst) + Bytes);
}
template <unsigned Bytes>
void load_behind(Machine& m, const Op& op) {  // the upper half of a double compare-and-swap
  m.load<Bytes>(op.dst, m.word(op.a) + Bytes, op.b);
}

/// A guarded load of `Bytes`, made 32 bits wide where it is narrower. a: address, b: alternative,
/// c: guard; then load number, size of the result, sign extension.
template <unsigned Bytes>
void load_if(Machine& m, const Op& op) {
  const Op& more = (&op)[1];
  if ((m.word(op.c) & 1) == 0) {
    uint8_t value[32];
    std::memcpy(value, m.at(op.b), more.b);
    std::memcpy(m.at(op.dst), value, more.b);
    return;
  }
  m.load<Bytes>(op.dst, m.word(op.a), more.a);
  if (Bytes < 4 && more.c != 0) {
    const uint64_t value = m.word(op.dst);
    m.word(op.dst) = static_cast<uint32_t>(Bytes == 1 ? int32_t{static_cast<int8_t>(value)}
                                                      : int32_t{static_cast<int16_t>(value)});
  }
}

// A helper with side effects: everything it did is in the opaque stream, if its guard held.
void logged_result(Machine& m, const Op& op) {  // a: guard, b: size
  if ((m.word(op.a) & 1) == 0) {
    m.word(op.dst) = 0x5555555555555555 >> (op.b < 8 ? 64 - 8 * op.b : 0);
    return;
  }
  m.word(op.dst) = 0;
  m.take_opaque(m.at(op.dst), op.b);
}
void logged_registers(Machine& m, const Op& op) {  // dst: offset, a: guard, b: size, c: its value
  if ((m.word(op.a) & 1) == 0) return;
  m.take_opaque(m.at(op.c), op.b);
  std::memcpy(m.at(op.dst), m.at(op.c), op.b);
}
void logged_memory(Machine& m,
                   const Op& op) {  // dst: what is stored, a: guard, b: address, c: size
  if ((m.word(op.a) & 1) == 0) return;
  m.take_opaque(m.at(op.dst), op.c);
  m.predictor_write(m.word(op.b), {m.at(op.dst), op.c});
}

}  // namespace

#define BY_SIZE(function)                     \
  StepFunction function##_of(uint32_t size) { \
    switch (size) {                           \
      case 1: return function<1>;             \
      case 2: return function<2>;             \
      case 4: return function<4>;             \
      case 8: return function<8>;             \
      case 16: return function<16>;           \
      case 32: return function<32>;           \
      default: return nullptr;                \
    }                                         \
  }
BY_SIZE(load)
BY_SIZE(store)
BY_SIZE(store_if)
BY_SIZE(copy)
BY_SIZE(choose)
BY_SIZE(take_logged)
#define BY_WORD_SIZE(function)                \
  StepFunction function##_of(uint32_t size) { \
    switch (size) {                           \
      case 1: return function<1>;             \
      case 2: return function<2>;             \
      case 4: return function<4>;             \
      case 8: return function<8>;             \
      default: return nullptr;                \
    }                                         \
  }
BY_WORD_SIZE(get_narrow)
BY_WORD_SIZE(get_indexed)
BY_WORD_SIZE(put_indexed)
BY_WORD_SIZE(swap_store)
BY_WORD_SIZE(swap_store_double)
BY_WORD_SIZE(load_behind)
StepFunction load_if_of(uint32_t size) {
  switch (size) {
    case 1: return load_if<1>;
    case 2: return load_if<2>;
    case 4: return load_if<4>;
    case 8: return load_if<8>;
    case 16: return load_if<16>;
    default: return nullptr;
  }
}
StepFunction operands_only_step() { return operands_only; }
StepFunction call_condition_step() { return call_condition; }
StepFunction call_rflags_all_step() { return call_rflags_all; }
StepFunction call_rflags_carry_step() { return call_rflags_carry; }
StepFunction logged_result_step() { return logged_result; }
StepFunction logged_registers_step() { return logged_registers; }
StepFunction logged_memory_step() { return logged_memory; }

}  // namespace twinrun::steps
