// SPDX-License-Identifier: MIT
#include "report/graph_words.h"

#include "base/text.h"
#include "report/typed.h"

#include <fmt/format.h>

namespace twinrun {

std::string_view kind_name(CausalGraph::Node::Kind kind) {
  using Kind = CausalGraph::Node::Kind;
  switch (kind) {
    case Kind::kAligned: return "aligned";
    case Kind::kUnaligned: return "unaligned";
    case Kind::kInput: return "input";
    case Kind::kSingle: return "single";
  }
  return "";
}

std::string_view type_name(DivergenceType type) {
  switch (type) {
    case DivergenceType::kNone: return "";
    case DivergenceType::kExtraExecution: return "extra execution";
    case DivergenceType::kExecutionOmission: return "execution omission";
    case DivergenceType::kExecutionDifference: return "execution difference";
    case DivergenceType::kWildWrite: return "wild write";
  }
  return "";
}

std::string place_of(const NamedInstruction& at) {
  if (at.line != 0) return fmt::format("{}:{}", base_name(at.file), at.line);
  if (!at.function.empty()) return fmt::format("{}+{:#x}", at.function, at.offset);
  return fmt::format("{}+{:#x}", at.module, at.offset);
}

Json place_json(const NamedInstruction& at) {
  Json out{{"module", at.module}, {"function", at.function}, {"offset", at.offset}};
  if (at.line != 0) {
    out["file"] = at.file;
    out["line"] = at.line;
  }
  if (!at.text.empty()) {
    out["step"] = format_position(at.position, PositionForm::kFull);
    out["moment"] = moment_json(at.position);
    out["instruction"] = at.text;
  }
  return out;
}

Json input_json(const OutsideSource& source) {
  Json out = Json::object();
  if (!source.call.empty()) out["call"] = source.call;
  if (!source.path.empty()) out["path"] = source.path;
  if (source.result) out["result"] = static_cast<int64_t>(*source.result);
  if (!source.field.empty()) out["field"] = source.field;
  if (!source.input.empty()) out["input"] = source.input;
  if (source.offset) out["offset"] = *source.offset;
  return out;
}

Json node_json(const WhyReport::Node& node, size_t number) {
  Json row{{"id", fmt::format("N{}", number)}, {"kind", kind_name(node.kind)}};
  if (node.type != DivergenceType::kNone) row["divergence"] = type_name(node.type);
  if (node.is_target) row["target"] = true;
  if (node.is_decision) row["decides"] = true;
  if (node.has_no_cause) row["no_cause"] = true;
  row["a"] = node.a ? place_json(*node.a) : Json();
  row["b"] = node.b ? place_json(*node.b) : Json();
  if (node.caller_a) row["caller_a"] = place_json(*node.caller_a);
  if (node.caller_b) row["caller_b"] = place_json(*node.caller_b);
  if (node.source_a) row["input_a"] = input_json(*node.source_a);
  if (node.source_b) row["input_b"] = input_json(*node.source_b);
  if (node.kind == CausalGraph::Node::Kind::kUnaligned) {
    row["only_a"] = node.only_a;
    row["only_b"] = node.only_b;
  }
  Json more = Json::array();
  for (const auto& [which, at] : node.more) {
    Json one = place_json(at);
    one["run"] = which == RunSide::kA ? "a" : "b";
    more.push_back(std::move(one));
  }
  if (!more.empty()) row["more"] = std::move(more);
  return row;
}

Json edge_json(const WhyReport::Edge& edge) {
  Json row{{"from", fmt::format("N{}", edge.from)},
           {"to", fmt::format("N{}", edge.to)},
           {"kind", edge.is_control ? "control" : "data"}};
  if (edge.for_address) row["address"] = true;
  if (!edge.name.empty()) row["name"] = edge.name;
  if (!edge.place.empty()) {
    row["place"] = edge.place;
    row["bytes"] = bytes_json(edge.place);
  }
  if (edge.freed_by) row["freed_by"] = *edge.freed_by == RunSide::kA ? "a" : "b";
  if (edge.rounds != 0) row["rounds"] = edge.rounds;
  if (!edge.value_a.empty()) add_value(row, "value_a", edge.value_a);
  if (!edge.value_b.empty()) add_value(row, "value_b", edge.value_b);
  return row;
}

}  // namespace twinrun
