// SPDX-License-Identifier: MIT
#include "report/why.h"

#include "base/escape.h"
#include "run/code_names.h"

namespace twinrun {
namespace {

std::string place(const NamedInstruction& at) {
  if (at.line != 0) return fmt::format("{}:{}", base_name(at.file), at.line);
  return fmt::format("{}+{:#x}@{}", at.function, at.offset, at.module);
}

}  // namespace

std::string why_text(const WhyReport& report) {
  std::string out = fmt::format("target: {} A: {} B: {}\n", report.target, report.target_a, report.target_b);
  out += report.verdict + "\n\n";
  for (const WhyReport::Line& line : report.answer)
    out += fmt::format("  {:3} {}\n", line.finding != 0 ? fmt::format("D{}", line.finding) : " |", line.text);
  out += "\n";
  for (size_t i = 0; i < report.nodes.size(); ++i) {
    const WhyReport::Node& node = report.nodes[i];
    out += fmt::format("N{} {}{}{}{}", i,
                       node.kind == CausalGraph::Node::Kind::kAligned ? "=" : node.kind == CausalGraph::Node::Kind::kInput ? "input" : "!",
                       node.is_decision ? " decides" : "", node.has_no_cause ? " no-cause" : "",
                       node.type != DivergenceType::kNone ? fmt::format(" type{}", static_cast<int>(node.type)) : "");
    if (node.a) out += fmt::format("  A {} {} {}", node.a->position.step.value, place(*node.a), node.a->text);
    if (node.b) out += fmt::format("  B {} {} {}", node.b->position.step.value, place(*node.b), node.b->text);
    for (const auto* s : {&node.source_a, &node.source_b})
      if (*s) out += fmt::format(" [{} {} {}]", (*s)->call, (*s)->input, (*s)->offset.value_or(0));
    for (const auto& [side, m] : node.more) out += fmt::format(" +{}{}", side == RunSide::kA ? "A" : "B", place(m));
    out += "\n";
    for (const WhyReport::Edge& edge : report.edges)
      if (edge.from == i)
        out += fmt::format("     -> N{} {}{} {} {} A={} B={}\n", edge.to, edge.is_control ? "control" : "data", edge.for_address ? "(address)" : "", edge.name, edge.place, edge.value_a, edge.value_b);
  }
  return out;
}

}  // namespace twinrun
