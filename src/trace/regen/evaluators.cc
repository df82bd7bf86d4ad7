// SPDX-License-Identifier: MIT
#include "trace/ir.h"
#include "trace/regen/op.h"

#include <map>
#include <string_view>
#include <vector>

namespace twinrun {
namespace {

constexpr uint16_t kOps = 1200;  // above the numbers of format/ir_ops.def

std::vector<StepFunction> by_number() {
  std::map<std::string_view, StepFunction> by_name;
  for (const EvaluatorTable& table :
       {integer_evaluators(), vector_evaluators(), float_evaluators()}) {
    for (unsigned i = 0; i < table.count; ++i)
      by_name.emplace(table.first[i].name, table.first[i].run);
  }
  std::vector<StepFunction> out(kOps, nullptr);
  for (uint16_t op = 1; op < kOps; ++op) {
    const auto found = by_name.find(op_name(op));
    if (found != by_name.end()) out[op] = found->second;
  }
  return out;
}

}  // namespace

StepFunction evaluator_of(uint16_t op) {
  static const std::vector<StepFunction> kTable = by_number();
  return op < kTable.size() ? kTable[op] : nullptr;
}

}  // namespace twinrun
