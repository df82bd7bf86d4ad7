// SPDX-License-Identifier: MIT
#include "align/branch_values.h"

#include "program/instruction.h"
#include "values/dump.h"
#include "values/value_dump.h"
#include "values/who.h"

#include <algorithm>
#include <optional>

namespace twinrun {
namespace {

// A comparison that is further away is not looked for.
constexpr uint64_t kInstructionsBack = 8;

/// The instruction in front of the branch that set the flags, with its operands.
Result<std::optional<InstructionRow>> comparison(Run& run, const Position& branch) {
  TRY(RunProcess* const process, run.process(branch.process.value));
  Position from = branch;
  from.step = {branch.step.value - std::min(branch.step.value, kInstructionsBack)};
  DumpOptions options{.process = branch.process, .thread = branch.thread, .values = true};
  options.range = PositionRange{from, branch};
  const Decoder decoder;
  std::optional<InstructionRow> out;
  TRY_VOID(dump_values(*process, options, [&](DumpRow&& row) {
    auto* instruction = std::get_if<InstructionRow>(&row);
    if (instruction == nullptr) return true;
    const auto use = decoder.registers(instruction->code);
    if (use && (use->writes & kRegisterFlags) != 0 && instruction->has_values)
      out = std::move(*instruction);
    return true;
  }));
  return out;
}

std::string shown(const OperandValue& value) {
  const std::string& name = value.variable.empty() ? value.what : value.variable;
  return fmt::format("{}={}", name, value.shown.empty() ? value.value : value.shown);
}

std::string text_of(const InstructionRow& row) {
  std::string out = row.text;
  std::string_view separator = ": ";
  for (const OperandValue& value : row.reads) {
    if (value.value.empty() && value.shown.empty()) continue;
    out += fmt::format("{}{}", separator, shown(value));
    separator = ", ";
  }
  return out;
}

/// What the value came from outside of the program.
std::string origin_of(Run& run, const Position& at, const OperandValue& value) {
  const std::string subject =
      value.is_memory ? fmt::format("{:#x}:{}", value.address, value.size) : value.what;
  const auto report = who(run, at, subject, {.depth = 40, .most_rows = 400});
  if (!report) return {};
  for (const WhoRow& row : report->rows) {
    switch (row.kind) {
      case WhoRow::Kind::kSyscall: {
        std::string out = "system call " + row.call;
        if (!row.input.empty()) out += " from " + row.input;
        if (row.input_offset) out += fmt::format(", byte {}", *row.input_offset);
        return out;
      }
      case WhoRow::Kind::kStartup:
        return row.input.empty() ? "the program's arguments and environment" : row.input;
      case WhoRow::Kind::kFile: return "the file " + row.input;
      case WhoRow::Kind::kSignal: return "a signal";
      case WhoRow::Kind::kUnseen: return "the kernel, unseen";
      default: break;
    }
  }
  return {};
}

}  // namespace

Result<BranchComparison> compare_branch(Run& run_a, const Position& a, Run& run_b,
                                        const Position& b) {
  BranchComparison out;
  TRY(const auto row_a, comparison(run_a, a));
  TRY(const auto row_b, comparison(run_b, b));
  if (!row_a || !row_b) return out;
  out.a.text = text_of(*row_a);
  out.b.text = text_of(*row_b);
  for (size_t i = 0; i < std::min(row_a->reads.size(), row_b->reads.size()); ++i) {
    const OperandValue& x = row_a->reads[i];
    const OperandValue& y = row_b->reads[i];
    if (x.value.empty() || x.value == y.value) continue;
    out.a.origin = origin_of(run_a, row_a->position, x);
    out.b.origin = origin_of(run_b, row_b->position, y);
    if (!out.a.origin.empty() || !out.b.origin.empty()) break;
  }
  return out;
}

}  // namespace twinrun
