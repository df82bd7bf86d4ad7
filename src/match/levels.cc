// SPDX-License-Identifier: MIT
#include "match/levels.h"

#include "match/mix.h"

#include <algorithm>

namespace twinrun {
namespace {

using Registers = LevelInfo::Registers;
using Targets = LevelInfo::Targets;

constexpr std::array<LevelInfo, 8> kLevels{{
    {.level = Level::k0,
     .name = "0",
     .displacements = true,
     .immediates = true,
     .data = true,
     .registers = Registers::kAll,
     .targets = Targets::kOffset,
     .types = true,
     .opcodes = true},
    {.level = Level::k1,
     .name = "1",
     .immediates = true,
     .data = true,
     .registers = Registers::kDependency,
     .targets = Targets::kOffset,
     .types = true,
     .opcodes = true},
    {.level = Level::k1a,
     .name = "1a",
     .last_only = true,
     .immediates = true,
     .data = true,
     .registers = Registers::kDependency,
     .targets = Targets::kOffset,
     .types = true,
     .opcodes = true},
    {.level = Level::k2,
     .name = "2",
     .immediates = true,
     .data = true,
     .registers = Registers::kDependency,
     .targets = Targets::kBlock,
     .types = true,
     .opcodes = true},
    {.level = Level::k3,
     .name = "3",
     .registers = Registers::kClasses,
     .targets = Targets::kDirection,
     .types = true,
     .opcodes = true},
    {.level = Level::k3a,
     .name = "3a",
     .last_only = true,
     .registers = Registers::kClasses,
     .targets = Targets::kDirection,
     .types = true,
     .opcodes = true},
    {.level = Level::k4, .name = "4", .types = true, .opcodes = true},
    {.level = Level::k5, .name = "5"},
}};

// rax, rcx, rdx, rsi, rdi, r8..r11 and the vector registers: a call destroys them.
constexpr bool is_caller_saved(ShapeRegister reg) {
  if (reg >= kShapeRegisterVector) return reg < kShapeRegisterOther;
  return reg <= 2 || (reg >= 6 && reg <= 11);
}

// rbx, rbp, r12..r15.
constexpr bool is_callee_saved(ShapeRegister reg) {
  return reg == 3 || reg == 5 || (reg >= 12 && reg <= 15);
}

// Numbers registers in the order of their first use.
class RegisterNumbers {
 public:
  uint8_t operator()(ShapeRegister reg) {
    if (numbers_[reg & 63] == 0) numbers_[reg & 63] = ++count_;
    return numbers_[reg & 63];
  }

 private:
  std::array<uint8_t, 64> numbers_{};
  uint8_t count_ = 0;
};

uint64_t register_value(ShapeRegister reg, Registers how, RegisterNumbers& numbers) {
  constexpr uint64_t kCallerSaved = 0x100;
  constexpr uint64_t kCalleeSaved = 0x200;
  constexpr uint64_t kVector = 0x400;
  const uint64_t vector = reg >= kShapeRegisterVector && reg < kShapeRegisterOther ? kVector : 0;
  if (how == Registers::kDependency && is_caller_saved(reg))
    return kCallerSaved | vector | uint64_t{numbers(reg)} << 16;
  if (how == Registers::kClasses && is_caller_saved(reg)) return kCallerSaved | vector;
  if (how == Registers::kClasses && is_callee_saved(reg)) return kCalleeSaved;
  return reg;
}

}  // namespace

std::span<const LevelInfo> levels() { return kLevels; }

const LevelInfo& level_info(Level level) { return kLevels[static_cast<size_t>(level)]; }

std::optional<Level> parse_level(std::string_view name) {
  const auto it = std::ranges::find(kLevels, name, &LevelInfo::name);
  return it == kLevels.end() ? std::nullopt : std::optional(it->level);
}

// A block address operand, so that changes elsewhere do not change it: the matched block, else the
// name of a procedure, else distances inside of the procedure, else a named procedure and the
// offset in it.
uint64_t BlockHasher::target(const ShapeBlock& block, uint64_t address,
                             const ShapeInstruction& instruction, const LevelInfo& level) const {
  const uint32_t procedure = instruction.target_kind == TargetKind::kBlock
                                 ? shape_.blocks()[instruction.target].procedure
                                 : instruction.target;
  const bool is_same = procedure == block.procedure;
  if (level.targets == Targets::kDirection)
    return is_same ? 1 + (instruction.reference > address ? 1 : 0) : 3;
  const ShapeProcedure& p = shape_.procedures()[procedure];
  const uint64_t offset = instruction.reference - p.address;
  if (instruction.target_kind == TargetKind::kBlock) {
    if (const uint32_t matched = state_.blocks.identity(side_, instruction.target);
        matched != kNoMatch)
      return Mix(4).add(matched).value();
    if (p.entry == instruction.target) {
      if (const uint32_t matched = state_.procedures.identity(side_, procedure);
          matched != kNoMatch)
        return Mix(5).add(matched).value();
      if (const uint32_t name = state_.common_name(side_, procedure); name != 0)
        return Mix(6).add(name).value();
      return 7;
    }
  }
  if (is_same) {
    Mix mix(8);
    mix.add(instruction.reference - address);
    if (level.targets == Targets::kOffset) mix.add(offset);
    return mix.value();
  }
  if (const uint32_t name = state_.common_name(side_, procedure); name != 0)
    return Mix(9).add(name).add(offset).value();
  return 10;
}

// Numerical addresses are worth nothing; the matched data, or its contents, is.
uint64_t BlockHasher::data(const ShapeInstruction& instruction, const LevelInfo& level) const {
  const ShapeData& block = shape_.data()[instruction.target];
  const uint64_t offset = instruction.reference - block.address;
  if (const uint32_t matched = state_.data.identity(side_, instruction.target); matched != kNoMatch)
    return Mix(11).add(matched).add(offset).value();
  return level.displacements ? Mix(12).add(block.hash).add(offset).value() : 13;
}

uint64_t BlockHasher::hash(uint32_t number, Level which) const {
  const LevelInfo& level = level_info(which);
  const ShapeBlock& block = shape_.blocks()[number];
  const auto instructions = shape_.instructions_of(block);
  Mix mix;
  RegisterNumbers numbers;
  uint64_t address = block.start;
  size_t first = 0;
  if (level.last_only && !instructions.empty()) {
    first = instructions.size() - 1;
    while (first > 0 && instructions[first].is_padding) --first;
    for (size_t i = 0; i < first; ++i) address += instructions[i].length;
  }
  for (size_t i = first; i < instructions.size(); ++i) {
    const ShapeInstruction& in = instructions[i];
    if (!in.is_padding || level.level == Level::k0) {
      mix.add(level.opcodes ? in.opcode : in.group);
      if (level.types) mix.add(in.types);
      if (level.immediates && in.has_immediate) mix.add(static_cast<uint64_t>(in.immediate));
      if (level.displacements && in.has_displacement)
        mix.add(static_cast<uint64_t>(int64_t{in.displacement}));
      if (level.registers != Registers::kNone)
        for (uint8_t r = 0; r < in.register_count; ++r)
          mix.add(register_value(in.registers[r], level.registers, numbers));
      if (level.targets != Targets::kNone &&
          (in.target_kind == TargetKind::kBlock || in.target_kind == TargetKind::kCode))
        mix.add(target(block, address, in, level));
      if (level.data && in.target_kind == TargetKind::kData) mix.add(data(in, level));
    }
    address += in.length;
  }
  return mix.value() | 1;
}

uint64_t BlockHasher::procedure_hash(uint32_t procedure, Level level) const {
  const ShapeProcedure& p = shape_.procedures()[procedure];
  Mix mix;
  for (uint32_t i = 0; i < p.block_count; ++i) mix.add(hash(p.first_block + i, level));
  return mix.add(p.block_count).value();
}

}  // namespace twinrun
