// SPDX-License-Identifier: MIT
// mutants RECORDING...: would verify notice a wrong step? One step of the machine after another is
// replaced by a wrong twin, and the recordings, which should hold the registers of every block, are
// computed with it until one contradicts. Prints found or missed for each; fails when fewer than
// 95 % are found.
#include "trace/ir.h"
#include "trace/regen/machine.h"
#include "trace/regen/regenerate.h"
#include "trace/regen/steps.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

using namespace twinrun;  // NOLINT(google-build-using-namespace)

namespace {

constexpr double kFloor = 95;
constexpr size_t kFewest = 40;

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "mutants: %s\n", why.c_str());
  std::exit(2);
}
template <typename T>
T must(Result<T> result) {
  if (!result) stop(result.error().message);
  return std::move(*result);
}

StepFunction named(std::string_view name) {
  for (uint16_t op = 1; op < 1200; ++op) {
    if (op_name(op) != name) continue;
    if (const StepFunction run = evaluator_of(op)) return run;
  }
  stop("no operation " + std::string(name));
}

/// What the wrong twins call: a step is a plain function.
StepFunction g_right = nullptr;

// Wrong results.
void plus_one(Machine& m, const Op& op) {
  g_right(m, op);
  m.word(op.dst) += 1;
}
void swapped(Machine& m, const Op& op) {
  const Op wrong{op.run, op.dst, op.b, op.a, op.c};
  g_right(m, wrong);
}
void swapped_behind_rounding(Machine& m, const Op& op) {
  const Op wrong{op.run, op.dst, op.a, op.c, op.b};
  g_right(m, wrong);
}
void low_half_only(Machine& m, const Op& op) {
  g_right(m, op);
  m.word(op.dst) = static_cast<uint32_t>(m.word(op.dst));
}
void upper_word_lost(Machine& m, const Op& op) {
  g_right(m, op);
  m.word(op.dst + 8) = 0;
}
void words_exchanged(Machine& m, const Op& op) {
  g_right(m, op);
  std::swap(m.word(op.dst), m.word(op.dst + 8));
}
void uppermost_bit(Machine& m, const Op& op) {
  g_right(m, op);
  m.word(op.dst + 8) ^= uint64_t{1} << 63;
}
void lowest_lane_twice(Machine& m, const Op& op) {
  g_right(m, op);
  m.at(op.dst)[1] = m.at(op.dst)[0];
}
void first_operand(Machine& m, const Op& op) { std::memmove(m.at(op.dst), m.at(op.a), 8); }
void rounded_down(Machine& m, const Op& op) {
  const uint64_t mode = std::exchange(m.word(op.a), 1);
  g_right(m, op);
  m.word(op.a) = mode;
}

// Wrong flags. CC_OP numbers are those of flags.cc; the first operand of a call that yields all
// flags is the CC_OP, that of a condition is the condition.
template <uint64_t First, uint64_t Last, uint64_t Flag>
void flag_after(Machine& m, const Op& op) {
  const uint64_t cc_op = m.word(op.a);
  g_right(m, op);
  if (cc_op >= First && cc_op <= Last) m.word(op.dst) ^= Flag;
}
template <uint64_t Condition>
void condition_inverted(Machine& m, const Op& op) {
  const bool meant = m.word(op.a) == Condition;
  g_right(m, op);
  if (meant) m.word(op.dst) ^= 1;
}

// Wrong moves and accesses.
void nothing(Machine& m, const Op& op) {
  (void)m;
  (void)op;
}
/// The word that the first operand names is one too large while the step runs.
void one_further(Machine& m, const Op& op) {
  const uint64_t address = m.word(op.a)++;
  g_right(m, op);
  m.word(op.a) = address;
}
void next_element(Machine& m, const Op& op) {
  const uint64_t index = m.word(op.b)++;
  g_right(m, op);
  m.word(op.b) = index;
}
void guard_inverted(Machine& m, const Op& op) {
  const uint64_t guard = m.word(op.c);
  m.word(op.c) ^= 1;
  g_right(m, op);
  m.word(op.c) = guard;
}
void choice_inverted(Machine& m, const Op& op) {
  const Op wrong{op.run, op.dst, op.a, op.c, op.b};
  g_right(m, wrong);
}
void next_byte(Machine& m, const Op& op) {
  const Op wrong{op.run, op.dst, op.a + 1, op.b, op.c};
  g_right(m, wrong);
}
void half_copied(Machine& m, const Op& op) { std::memmove(m.at(op.dst), m.at(op.a), 4); }
void low_16_copied(Machine& m, const Op& op) { std::memmove(m.at(op.dst), m.at(op.a), 16); }
void low_8_copied(Machine& m, const Op& op) { std::memmove(m.at(op.dst), m.at(op.a), 8); }
void two_bytes_copied(Machine& m, const Op& op) { std::memmove(m.at(op.dst), m.at(op.a), 2); }
void takes_too_much(Machine& m, const Op& op) {
  g_right(m, op);
  m.set_opaque_position(m.opaque_position() + 1);
}

struct Mutant {
  std::string name;
  StepFunction right;
  StepFunction wrong;
};

std::vector<Mutant> make_mutants() {
  std::vector<Mutant> out;
  const auto instead = [&](std::initializer_list<std::pair<const char*, const char*>> pairs) {
    for (const auto& [right, wrong] : pairs)
      out.push_back({std::string(wrong) + " for " + right, named(right), named(wrong)});
  };
  const auto each = [&](const char* what, StepFunction wrong,
                        std::initializer_list<const char*> names) {
    for (const char* name : names)
      out.push_back({std::string(name) + ": " + what, named(name), wrong});
  };
  const auto step = [&](const char* what, StepFunction right, StepFunction wrong) {
    if (right == nullptr) stop(what);
    out.push_back({what, right, wrong});
  };
  instead({
      {"Add8", "Sub8"},
      {"Add16", "Or16"},
      {"Add32", "Sub32"},
      {"Add64", "Or64"},
      {"Sub8", "Add8"},
      {"Sub32", "Xor32"},
      {"Sub64", "Add64"},
      {"Mul32", "Add32"},
      {"Mul64", "Mul32"},
      {"Or8", "Xor8"},
      {"Or64", "Add64"},
      {"And8", "Or8"},
      {"And32", "Xor32"},
      {"And64", "And32"},
      {"Xor16", "Or16"},
      {"Xor64", "Or64"},
      {"Shl64", "Shr64"},
      {"Shl32", "Shr32"},
      {"Shr64", "Sar64"},
      {"Shr32", "Sar32"},
      {"Sar64", "Shr64"},
      {"Not64", "Not32"},
      {"CmpEQ64", "CmpEQ32"},
      {"CmpEQ8", "CmpNE8"},
      {"CmpNE64", "CmpLT64U"},
      {"CmpLT64U", "CmpLT64S"},
      {"CmpLT64S", "CmpLE64S"},
      {"CmpLE64U", "CmpLT64U"},
      {"CmpLT32S", "CmpLT32U"},
      {"MullS64", "MullU64"},
      {"MullU64", "MullS64"},
      {"MullS32", "MullU32"},
      {"MullU8", "MullS8"},
      {"MullS16", "MullU16"},
      {"DivModU128to64", "DivModS128to64"},
      {"DivModS64to32", "DivModU64to32"},
      {"8Sto16", "8Uto16"},
      {"8Sto32", "8Uto32"},
      {"8Sto64", "8Uto64"},
      {"16Sto32", "16Uto32"},
      {"16Sto64", "16Uto64"},
      {"32Sto64", "32Uto64"},
      {"32Uto64", "32Sto64"},
      {"16HIto8", "16to8"},
      {"64HIto32", "64to32"},
      {"128HIto64", "128to64"},
      {"16HLto32", "32HLto64"},
      {"Clz64", "Ctz64"},
      {"Ctz64", "Clz64"},
      {"Add8x16", "Add16x8"},
      {"Add16x8", "Add8x16"},
      {"Add32x4", "Add64x2"},
      {"Sub16x8", "Add16x8"},
      {"Sub64x2", "Sub32x4"},
      {"QAdd8Sx16", "QAdd8Ux16"},
      {"QAdd16Ux8", "Add16x8"},
      {"QSub8Ux16", "QSub8Sx16"},
      {"QSub16Sx8", "Sub16x8"},
      {"CmpEQ16x8", "CmpEQ8x16"},
      {"CmpGT8Sx16", "CmpEQ8x16"},
      {"CmpGT32Sx4", "CmpGT16Sx8"},
      {"Max8Ux16", "Max8Sx16"},
      {"Max16Sx8", "Max16Ux8"},
      {"Min8Ux16", "Max8Ux16"},
      {"Min32Sx4", "Min32Ux4"},
      {"Mul16x8", "MulHi16Sx8"},
      {"MulHi16Sx8", "MulHi16Ux8"},
      {"MulHi16Ux8", "MulHi16Sx8"},
      {"CatOddLanes16x4", "CatEvenLanes16x4"},
      {"ShlN16x8", "ShlN8x16"},
      {"ShrN32x4", "SarN32x4"},
      {"SarN16x8", "ShrN16x8"},
      {"InterleaveHI8x16", "InterleaveLO8x16"},
      {"InterleaveLO16x8", "InterleaveLO8x16"},
      {"InterleaveLO64x2", "InterleaveHI64x2"},
      {"QNarrowBin16Sto8Ux16", "QNarrowBin16Sto8Sx16"},
      {"QNarrowBin32Sto16Sx8", "NarrowBin32to16x8"},
      {"AndV128", "OrV128"},
      {"XorV128", "OrV128"},
      {"AndV256", "XorV256"},
      {"V128HIto64", "V128to64"},
      {"V256to64_2", "V256to64_3"},
      {"V256toV128_1", "V256toV128_0"},
      {"64UtoV128", "32UtoV128"},
      {"ShlN64x2", "ShrN64x2"},
      {"Add8x8", "Add16x4"},
      {"QSub16Ux4", "QSub16Sx4"},
      {"CmpGT8Sx8", "CmpEQ8x8"},
      {"PermOrZero8x16", "Perm8x16"},
      {"Add64F0x2", "Sub64F0x2"},
      {"Mul32Fx4", "Add32Fx4"},
      {"Max32Fx4", "Min32Fx4"},
      {"Min64F0x2", "Max64F0x2"},
      {"CmpLT32Fx4", "CmpLE32Fx4"},
      {"F64toI64S", "F64toI32S"},
  });
  each("result plus one", plus_one,
       {"Add16", "Sub16", "CmpNE8", "Ctz64", "Clz64", "GetMSBs8x16", "8HLto16", "128to64", "64to1",
        "Avg8Ux16", "I64StoF64", "F64toI32S", "Sqrt64F0x2"});
  each("operands exchanged", swapped,
       {"Sub8", "Sub16", "Sub32", "Sub64", "Shl64", "CmpLT64U", "32HLto64", "64HLtoV128",
        "InterleaveHI16x8", "Sub8x16", "QSub8Sx16", "CmpGT16Sx8", "QNarrowBin16Sto8Sx16",
        "V128HLtoV256", "SetV128lo64", "Sub64F0x2", "Div64F0x2", "CmpF64"});
  each("operands exchanged", swapped_behind_rounding, {"Sub32Fx4", "Sub64Fx2"});
  each("upper half lost", low_half_only, {"Add64", "Sub64", "Mul64", "Shl64", "Or64", "Not64"});
  each("upper word lost", upper_word_lost,
       {"MullU64", "MullS64", "DivModU128to64", "Add8x16", "XorV128", "64HLtoV128"});
  each("words exchanged", words_exchanged,
       {"Add32x4", "ShlN64x2", "InterleaveLO8x16", "DivModS128to64"});
  each("uppermost bit wrong", uppermost_bit, {"OrV128", "Sub8x16", "CmpEQ32x4", "Max16Sx8"});
  each("a lane is that below it", lowest_lane_twice, {"Sub8x16", "CmpEQ8x16", "Min8Ux16"});
  each("does nothing", first_operand, {"Shr64", "And64", "Shr32", "Xor32"});
  each("rounds down", rounded_down, {"F64toI64S", "I64StoF64"});

  const StepFunction all = steps::call_rflags_all_step();
  step("add: adjust", all, flag_after<1, 4, 0x10>);
  step("sub: overflow", all, flag_after<5, 8, 0x800>);
  step("sub: carry of 8 bits", all, flag_after<5, 5, 0x1>);
  step("adc: carry", all, flag_after<9, 12, 0x1>);
  step("sbb: overflow", all, flag_after<13, 16, 0x800>);
  step("logic: parity", all, flag_after<17, 20, 0x4>);
  step("inc: carry is not kept", all, flag_after<21, 24, 0x1>);
  step("dec: sign", all, flag_after<25, 28, 0x80>);
  step("shl: overflow", all, flag_after<29, 32, 0x800>);
  step("shr: carry", all, flag_after<33, 36, 0x1>);
  step("rol: zero", all, flag_after<37, 40, 0x40>);
  step("ror: overflow", all, flag_after<41, 44, 0x800>);
  step("mul: carry", all, flag_after<45, 48, 0x1>);
  step("imul: overflow", all, flag_after<49, 52, 0x800>);
  step("copied flags: parity", all, flag_after<0, 0, 0x4>);
  step("carry of add", steps::call_rflags_carry_step(), flag_after<1, 4, 0x1>);
  step("carry of sub", steps::call_rflags_carry_step(), flag_after<5, 8, 0x1>);
  step("carry of inc", steps::call_rflags_carry_step(), flag_after<21, 24, 0x1>);
  const StepFunction condition = steps::call_condition_step();
  step("condition o", condition, condition_inverted<0>);
  step("condition b", condition, condition_inverted<2>);
  step("condition nz", condition, condition_inverted<5>);
  step("condition be", condition, condition_inverted<6>);
  step("condition s", condition, condition_inverted<8>);
  step("condition p", condition, condition_inverted<10>);
  step("condition l", condition, condition_inverted<12>);
  step("condition le", condition, condition_inverted<14>);

  step("load of 1: next address", steps::load_of(1), one_further);
  step("load of 2: next address", steps::load_of(2), one_further);
  step("load of 4: next address", steps::load_of(4), one_further);
  step("load of 8: next address", steps::load_of(8), one_further);
  step("load of 16: next address", steps::load_of(16), one_further);
  step("load of 32: next address", steps::load_of(32), one_further);
  step("store of 1: lost", steps::store_of(1), nothing);
  step("store of 2: next address", steps::store_of(2), one_further);
  step("store of 4: lost", steps::store_of(4), nothing);
  step("store of 8: lost", steps::store_of(8), nothing);
  step("store of 16: next address", steps::store_of(16), one_further);
  step("store of 32: lost", steps::store_of(32), nothing);
  step("guarded store of 4: guard inverted", steps::store_if_of(4), guard_inverted);
  step("guarded load of 4: guard inverted", steps::load_if_of(4), guard_inverted);
  step("copy of 1: two bytes", steps::copy_of(1), two_bytes_copied);
  step("copy of 8: half", steps::copy_of(8), half_copied);
  step("copy of 16: half", steps::copy_of(16), low_8_copied);
  step("copy of 32: half", steps::copy_of(32), low_16_copied);
  step("choice of 8: inverted", steps::choose_of(8), choice_inverted);
  step("get of 1: the next byte", steps::get_narrow_of(1), next_byte);
  step("get of 4: plus one", steps::get_narrow_of(4), plus_one);
  step("x87 register: the next one read", steps::get_indexed_of(8), next_element);
  step("x87 register: the next one written", steps::put_indexed_of(8), next_element);
  step("x87 tag: the next one written", steps::put_indexed_of(1), next_element);
  step("compare and swap of 4: not stored", steps::swap_store_of(4), nothing);
  step("compare and swap of 8: not stored", steps::swap_store_of(8), nothing);
  step("double compare and swap: not stored", steps::swap_store_double_of(8), nothing);
  step("double compare and swap: upper half", steps::load_behind_of(4), one_further);
  step("logged result of 8: too much", steps::take_logged_of(8), takes_too_much);
  step("result of a helper: plus one", steps::logged_result_step(), plus_one);
  step("registers of a helper: not taken", steps::logged_registers_step(), nothing);
  step("memory of a helper: not taken", steps::logged_memory_step(), nothing);
  return out;
}

/// Whether the computation with the planted step contradicts the recording.
bool contradicts(const Reader& reader, const Mutant* mutant) {
  for (const auto& [number, process] : reader.processes()) {
    const Dictionary dictionary = must(reader.dictionary(number));
    CodeCache code(dictionary, process.info.state_size);
    if (mutant != nullptr) code.plant(mutant->right, mutant->wrong);
    Regenerator regenerator(reader, process, code);
    for (size_t segment = 0; segment < process.segments.size(); ++segment) {
      if (const auto entered = regenerator.enter(segment); !entered) stop(entered.error().message);
      for (;;) {
        const Regenerator::Item item = must(regenerator.next());
        if (regenerator.report().faults > 0) return true;
        if (item == Regenerator::Item::kEnd) break;
      }
    }
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::unique_ptr<Reader>> readers;
  for (int i = 1; i < argc; ++i) readers.push_back(must(Reader::open(argv[i])));
  for (const auto& reader : readers) {
    if (contradicts(*reader, nullptr)) stop("a recording contradicts the right steps");
  }
  const std::vector<Mutant> mutants = make_mutants();
  size_t found = 0;
  for (const Mutant& mutant : mutants) {
    g_right = mutant.right;
    bool is_found = false;
    for (const auto& reader : readers) {
      is_found = contradicts(*reader, &mutant);
      if (is_found) break;
    }
    found += is_found ? 1 : 0;
    std::printf("%s %s\n", is_found ? "found " : "MISSED", mutant.name.c_str());
  }
  const double share = 100.0 * static_cast<double>(found) / static_cast<double>(mutants.size());
  std::printf("%zu of %zu wrong steps found, %.1f %%\n", found, mutants.size(), share);
  return share >= kFloor && mutants.size() >= kFewest && !readers.empty() ? 0 : 1;
}
